// A codec for tests of the services: messages, events and answers are JSON, so that tests read them
// without protobuf.

import type { Codec, MadeMessage, MessageDraft, MessageStamp } from "../../../src/core/codec.ts";
import { ERASING_EVENTS, EVENT_TYPE, type Event } from "../../../src/events/rules/event.ts";
import { TRUST, type Trust } from "../../../src/summary/rules/summary.ts";
import { rangesOf } from "../../../src/window/rules/ranges.ts";
import { ROLE, type Role, type WindowFacts } from "../../../src/window/rules/types.ts";

/** Message fields that a test sets. */
export interface JsonMessage {
  readonly messageId?: string;
  readonly role?: Role;
  readonly name?: string;
  readonly text?: string;
  readonly callIds?: readonly string[];
  readonly toolCallId?: string;
  readonly toolError?: boolean;
  /** The ids of tool results among the parts; with them a user message without text is a result. */
  readonly results?: readonly string[];
  readonly tokenCount?: number;
  readonly imageCount?: number;
  /** When it was said; not kept by `mergeMessage`. */
  readonly sentMs?: number;
}

/** A message as stored. */
export type StoredJsonMessage = Required<
  Omit<JsonMessage, "tokenCount" | "messageId" | "sentMs">
> & {
  readonly sentMs?: number;
  readonly stamp: MessageStamp;
  /** Set for what stands in the window only, as is its trust. */
  readonly made?: MadeMessage["kind"];
  readonly trust?: Trust;
};

/** The JSON form of anything. */
export function toBytes(value: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify(value)));
}

/** Reads what toBytes wrote. */
export function fromBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

type Answering = Pick<JsonMessage, "role" | "text" | "toolCallId" | "results">;

function answersOf({ toolCallId = "", results = [] }: Answering): readonly string[] {
  return toolCallId === "" ? results : [toolCallId, ...results];
}

function isResult({ role = ROLE.user, text = "", results = [] }: Answering): boolean {
  return role === ROLE.tool || (role === ROLE.user && results.length > 0 && text === "");
}

/** A draft of a message. */
export function draftOf(message: JsonMessage): MessageDraft {
  const { text = "", name = "", callIds = [], imageCount = 0 } = message;
  return {
    messageId: message.messageId ?? "",
    role: message.role ?? ROLE.user,
    name,
    callIds,
    answers: answersOf(message),
    isResult: isResult(message),
    toolError: message.toolError ?? false,
    failedIds: message.toolError === true ? answersOf(message) : [],
    tokenCount: message.tokenCount,
    imageCount,
    counted: () => ({
      content: [text],
      calls: callIds.map(() => ({ name: "", body: "" })),
      name,
      hasCallId: message.toolCallId !== undefined && message.toolCallId !== "",
      imageCount,
    }),
    wire: message,
  };
}

function encodeMade(made: MadeMessage): Uint8Array {
  const { messageId, kind, tokenCount, createMs } = made;
  const stored: StoredJsonMessage = {
    role: made.role,
    name: made.name,
    text: made.text,
    callIds: [],
    toolCallId: made.toolCallId,
    toolError: kind === "result",
    results: [],
    imageCount: 0,
    stamp: {
      messageId,
      seq: 0,
      tokenCount,
      tokenRule: "given",
      writer: "",
      createMs,
      updateMs: createMs,
      etag: "",
    },
    made: kind,
    trust: made.trust,
  };
  return toBytes(stored);
}

/** As the contract says: little for what holds results, most for system messages. */
function trustOf(message: StoredJsonMessage): Trust {
  if (message.trust !== undefined) return message.trust;
  if (message.role === ROLE.tool || answersOf(message).length > 0) return TRUST.low;
  return message.role === ROLE.system ? TRUST.high : TRUST.medium;
}

/** Reads and writes JSON. */
export const jsonCodec: Codec = {
  encodeMessage(draft, stamp) {
    const { text = "", toolCallId = "", results = [], sentMs } = draft.wire as JsonMessage;
    const { role, name, callIds, toolError, imageCount } = draft;
    const message = { role, name, text, callIds, toolCallId, toolError, results, imageCount };
    return toBytes({ ...message, stamp, ...(sentMs === undefined ? {} : { sentMs }) });
  },
  draftOf: ({ role, text, sentMs }) =>
    draftOf({ role, text, ...(sentMs === undefined ? {} : { sentMs }) }),
  readFacts(bytes): WindowFacts {
    const message = fromBytes<StoredJsonMessage>(bytes);
    const { role, callIds, stamp } = message;
    const { messageId, tokenCount, createMs } = stamp;
    const answers = answersOf(message);
    return { messageId, role, callIds, answers, isResult: isResult(message), tokenCount, createMs };
  },
  readDetail(bytes) {
    const { text, name, callIds } = fromBytes<StoredJsonMessage>(bytes);
    return {
      content: text,
      name,
      toolCalls: callIds.map((id) => ({ id, name: "", arguments: "" })),
    };
  },
  readSpeech(bytes) {
    const { text, stamp, sentMs } = fromBytes<StoredJsonMessage>(bytes);
    return { text, saidMs: sentMs ?? stamp.createMs };
  },
  shortenMessage(bytes, keptChars, tokenCount) {
    const message = fromBytes<StoredJsonMessage>(bytes);
    const text = [...message.text].slice(0, keptChars).join("");
    return toBytes({ ...message, text, stamp: { ...message.stamp, tokenCount } });
  },
  readTrust: (bytes) => trustOf(fromBytes<StoredJsonMessage>(bytes)),
  appendText(bytes, suffix, tokenCount) {
    const message = fromBytes<StoredJsonMessage>(bytes);
    const { text, stamp } = message;
    return toBytes({ ...message, text: `${text}${suffix}`, stamp: { ...stamp, tokenCount } });
  },
  encodeSummaryDocument: ({ trust, labels, scope }, { text, ...stamp }) =>
    toBytes({ text, trust, labels: Object.fromEntries(labels), scope, stamp }),
  encodeRecordDocument: ({ wire }, { owner, ttlMs, ...of }, { text, ...stamp }) =>
    toBytes({ text, wire, scope: owner, ttlMs, record: [of.path, of.key, of.index], stamp }),
  encodeMade,
  mergeMessage(bytes, draft, paths) {
    const { stamp, made: _, trust: __, ...stored } = fromBytes<StoredJsonMessage>(bytes);
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
  decodeMessage: (bytes) => jsonCodec.mergeMessage(bytes, draftOf({}), []),
  changesOf(bytes, draft) {
    const stored = fromBytes<StoredJsonMessage>(bytes);
    const { text = "", toolCallId = "" } = draft.wire as JsonMessage;
    const given = stored.stamp.tokenRule === "given" ? stored.stamp.tokenCount : undefined;
    const paths = [
      ...(text === stored.text ? [] : ["text"]),
      ...(toolCallId === stored.toolCallId ? [] : ["tool_call_id"]),
      ...(draft.tokenCount === given ? [] : ["token_count"]),
    ];
    return { paths, contentChanged: paths.includes("text") };
  },
  encodeEvent: (event: Event) => toBytes(event),
  readEventSeqs(body) {
    const { detail } = fromBytes<Event>(body);
    if ("seqs" in detail) return [detail.seqs];
    if ("trim" in detail) return detail.trim.discarded ? rangesOf(detail.trim.removed) : [];
    return "seq" in detail ? [{ first: detail.seq, last: detail.seq }] : undefined;
  },
  readEventErases: ({ type, body }) => {
    if (ERASING_EVENTS.has(type)) return true;
    const { detail } = fromBytes<Event>(body);
    if ("trim" in detail) return detail.trim.discarded;
    if (type !== EVENT_TYPE.documentsUpserted) return false;
    return "documentIds" in detail && "createdCount" in detail
      ? detail.createdCount !== detail.documentIds.length
      : true;
  },
};
