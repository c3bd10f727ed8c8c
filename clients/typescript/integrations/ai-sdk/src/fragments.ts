// Messages of the AI SDK's chats (UIMessage) as messages of a log.
//
// One UIMessage holds a whole turn of the assistant: its steps, and each tool call with its result
// in one part. The log keeps the steps as messages of their own and results beside their calls, so
// that windows, recall and extraction work on them. A fragment is such a message. Its payload holds
// the parts that it stands for as the SDK wrote them, and the rest of the UIMessage; together, the
// fragments give the UIMessage back as it was.

import type { MessageFields, PartInput, Message as Stored } from "@memory-sidecar/client";
import { digestOf, isName, MAX_PAYLOAD_BYTES } from "@memory-sidecar/client/adapters";
import type { UIMessage } from "ai";
import { callOf, contentOf, cut, type Json, resultOf } from "./parts.ts";

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
  /** Key of the record that holds the fragment, if it is too large for a message. */
  readonly record?: string;
  /** The UIMessage with no parts; missing in a fragment that only holds results. */
  readonly message?: Json;
  readonly parts: readonly Json[];
}

/** The content of a message of the log. */
interface Content extends Pick<MessageFields, "role"> {
  readonly parts: readonly PartInput[];
}

/** A message of the log, and the record that it names if its fragment is too large for it. */
export interface Kept {
  readonly message: MessageFields;
  readonly record?: { readonly key: string; readonly value: Buffer };
}

/** Makes the messages of the log that keep a UIMessage. */
export function toFragments({ message, chain }: Saved): Kept[] {
  const { role } = message;
  const envelope = { ...message, parts: [] };
  const made: { fields: Content; fragment: Fragment }[] = [];
  for (const parts of stepsOf(message)) {
    const fragment = { chain, message: envelope, parts };
    const content = parts.flatMap((part) => contentOf(role, part));
    made.push({ fields: { role, parts: withoutRepeats(content) }, fragment });
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
    const id = isName(message.id) ? { metadata: { chatMessageId: message.id } } : {};
    const isLarge = isLargeStep(fields.parts) || data.length > MAX_PAYLOAD_BYTES;
    const parts = isLarge ? fields.parts.map(cut) : fields.parts;
    const kept = { ...fields, ...id, parts };
    if (data.length <= MAX_PAYLOAD_BYTES) return { message: { ...kept, ...payloadOf(data) } };
    const key = digestOf(data);
    const named = JSON.stringify({ chain, ...(isLast && { last: true }), record: key });
    return {
      message: { ...kept, ...payloadOf(Buffer.from(named)) },
      record: { key, value: data },
    };
  });
}

function payloadOf(data: Buffer): Pick<MessageFields, "providerPayload"> {
  return { providerPayload: { provider: PROVIDER, mediaType: "application/json", data } };
}

/** Whether results of tools are too large for a message. */
function isLargeStep(parts: readonly PartInput[]): boolean {
  return Buffer.byteLength(JSON.stringify(parts.filter(isResult))) > MAX_PAYLOAD_BYTES;
}

function isResult(part: PartInput): boolean {
  return typeof part === "object" && "toolResult" in part;
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
function withoutRepeats(parts: readonly PartInput[]): PartInput[] {
  const ids = new Set<string | undefined>();
  return parts.filter((part) => {
    const id = callOf(part);
    const isNew = id === undefined || !ids.has(id);
    ids.add(id);
    return isNew;
  });
}
