// A codec for tests of the services: messages, events and answers are JSON, so that tests read them
// without protobuf.

import type { Event } from "../../src/domain/event.ts";
import type { Role, WindowFacts } from "../../src/domain/window/types.ts";
import type { Codec, MessageDraft, MessageStamp } from "../../src/service/api.ts";

/** What a test says of a message. */
export interface JsonMessage {
  readonly messageId?: string;
  readonly role?: Role;
  readonly text?: string;
  readonly callIds?: readonly string[];
  readonly toolCallId?: string;
  readonly tokenCount?: number;
  readonly imageCount?: number;
}

/** A message as stored. */
export type StoredJsonMessage = Required<Omit<JsonMessage, "tokenCount" | "messageId">> & {
  readonly stamp: MessageStamp;
};

/** The JSON form of anything. */
export function toBytes(value: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify(value)));
}

/** Reads what toBytes wrote. */
export function fromBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

/** A draft of a message. */
export function draftOf(message: JsonMessage): MessageDraft {
  const text = message.text ?? "";
  return {
    messageId: message.messageId ?? "",
    role: message.role ?? 1,
    callIds: message.callIds ?? [],
    toolCallId: message.toolCallId ?? "",
    tokenCount: message.tokenCount,
    imageCount: message.imageCount ?? 0,
    countedTexts: () => [text],
    wire: message,
  };
}

/** Reads and writes JSON. */
export const jsonCodec: Codec = {
  encodeMessage(draft, stamp) {
    const { text = "" } = draft.wire as JsonMessage;
    const { role, callIds, toolCallId, imageCount } = draft;
    return toBytes({ role, text, callIds, toolCallId, imageCount, stamp });
  },
  readFacts(bytes): WindowFacts {
    const { role, callIds, toolCallId, stamp } = fromBytes<StoredJsonMessage>(bytes);
    const { messageId, tokenCount } = stamp;
    return { messageId, role, callIds, toolCallId, tokenCount };
  },
  mergeMessage(bytes, draft, paths) {
    const { stamp, ...stored } = fromBytes<StoredJsonMessage>(bytes);
    const given = (draft.wire ?? {}) as JsonMessage;
    const merged: JsonMessage = {
      ...stored,
      messageId: stamp.messageId,
      ...(paths.includes("text") ? { text: given.text ?? "" } : {}),
      ...(paths.includes("tool_call_id") ? { toolCallId: given.toolCallId ?? "" } : {}),
      ...(paths.includes("token_count") && given.tokenCount !== undefined
        ? { tokenCount: given.tokenCount }
        : {}),
    };
    return { draft: draftOf(merged), stamp, contentChanged: paths.includes("text") };
  },
  encodeEvent: (event: Event) => toBytes(event),
};
