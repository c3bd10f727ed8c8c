// Messages of the AI SDK's chats (UIMessage) as messages of a log.
//
// One UIMessage holds a whole turn of the assistant: its steps, and each tool call with its result
// in one part. The log keeps the steps as messages of their own and results beside their calls, so
// that windows, recall and extraction work on them. A fragment is such a message. Its payload holds
// the parts that it stands for as the SDK wrote them, and the rest of the UIMessage; together, the
// fragments give the UIMessage back as it was.

import type { MessageFields, Message as Stored } from "@memory-sidecar/client";
import { isName, MAX_PAYLOAD_BYTES } from "@memory-sidecar/client/adapters";
import type { UIMessage } from "ai";
import { callOf, contentOf, type Json, resultOf } from "./parts.ts";

export const PROVIDER = "ai-sdk.ui";
/** A message of the log takes 256 parts and 128 calls. */
const MAX_PARTS = 100;

/** A UIMessage with its place in a chat. */
export interface Saved {
  readonly message: UIMessage;
  /** The digest of this message and of all before it. */
  readonly chain: string;
}

/** The payload of a fragment. */
export interface Fragment {
  readonly chain: string;
  /** Set in the last fragment of a UIMessage. */
  readonly last?: true;
  /** The UIMessage with no parts; missing in a fragment that only holds results. */
  readonly message?: Json;
  readonly parts: readonly Json[];
}

/** Makes the messages of the log that keep a UIMessage. */
export function toFragments({ message, chain }: Saved): MessageFields[] {
  const { role } = message;
  const envelope = { ...message, parts: [] };
  const made: { fields: MessageFields; fragment: Fragment }[] = [];
  for (const parts of stepsOf(message)) {
    const fragment = { chain, message: envelope, parts };
    const fields = { role, parts: parts.flatMap((part) => contentOf(role, part)) };
    made.push({ fields: { ...fields, parts: withoutRepeats(fields.parts) }, fragment });
    if (role !== "assistant") continue;
    const results = new Map(parts.flatMap((part) => resultOf(part)));
    if (results.size === 0) continue;
    const told = [...results].map(([toolCallId, { text, error }]) => {
      return { toolResult: { toolCallId, text, error } };
    });
    made.push({ fields: { role: "tool", parts: told }, fragment: { chain, parts: [] } });
  }
  return made.map(({ fields, fragment }, index) => {
    const isLast = index === made.length - 1;
    const data = Buffer.from(JSON.stringify({ ...fragment, ...(isLast && { last: true }) }));
    if (data.length > MAX_PAYLOAD_BYTES) throw new RangeError(tooLarge(message.id));
    const id = isName(message.id) ? { metadata: { chatMessageId: message.id } } : {};
    return {
      ...fields,
      ...id,
      providerPayload: { provider: PROVIDER, mediaType: "application/json", data },
    };
  });
}

/** Gives the fragment that a message of the log keeps; undefined for one of another client. */
export function fragmentOf({ providerPayload: payload }: Stored): Fragment | undefined {
  return payload?.provider === PROVIDER ? JSON.parse(payload.data.toString()) : undefined;
}

/** Splits the parts of a UIMessage into those of its steps, and large steps further. */
function stepsOf({ role, parts }: UIMessage): Json[][] {
  const steps: Json[][] = [];
  let step: Json[] = [];
  let size = 0;
  let isSpoken = false;
  for (const part of parts as readonly Json[]) {
    const length = Buffer.byteLength(JSON.stringify(part));
    const isNext = part["type"] === "step-start" && isSpoken;
    const isFull = step.length === MAX_PARTS || size + length > MAX_PAYLOAD_BYTES / 2;
    if (step.length > 0 && (isNext || isFull)) {
      steps.push(step);
      [step, size, isSpoken] = [[], 0, false];
    }
    step.push(part);
    size += length;
    isSpoken ||= contentOf(role, part).length > 0;
  }
  return step.length > 0 || steps.length === 0 ? [...steps, step] : steps;
}

/** Leaves out calls whose ids the message has: the contract takes an id once. */
function withoutRepeats(parts: NonNullable<MessageFields["parts"]>): MessageFields["parts"] {
  const ids = new Set<string | undefined>();
  return parts.filter((part) => {
    const id = callOf(part);
    const isNew = id === undefined || !ids.has(id);
    ids.add(id);
    return isNew;
  });
}

function tooLarge(id: string): string {
  return (
    `a part of the message "${id.slice(0, 100)}", with the metadata of the message, takes more ` +
    `than ${MAX_PAYLOAD_BYTES} bytes as JSON: keep large files elsewhere and give their addresses`
  );
}
