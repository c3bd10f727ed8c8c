// Entries of transcripts as messages of a log.
//
// The entry itself is the payload of its message, and reads give it back unchanged. Text, calls and
// results are copied out of it, so that windows, recall and extraction see them.

import type { SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk";
import type { MessageFields, PartInput } from "@memory-sidecar/client";
import { CUT_CHARS, isName } from "@memory-sidecar/client/adapters";

export const PROVIDER = "claude.transcript";
/** Provider of a payload that names the record of an entry which is too large for a message. */
export const RECORDED = "claude.transcript.record";
const MAX_ROLE_BYTES = 63;

/** A JSON object with unknown fields. */
type Json = Readonly<Record<string, unknown>>;

/** Makes the message that keeps an entry in its payload. */
export function messageOf(entry: SessionStoreEntry, payload: Buffer): MessageFields {
  return made(entry, { provider: PROVIDER, data: payload }, Number.POSITIVE_INFINITY);
}

/** Makes the message of an entry that the record `name` keeps. The message has cut texts. */
export function recordedMessageOf(entry: SessionStoreEntry, name: string): MessageFields {
  return made(entry, { provider: RECORDED, data: Buffer.from(name) }, CUT_CHARS);
}

function made(
  entry: SessionStoreEntry,
  payload: { readonly provider: string; readonly data: Buffer },
  cut: number,
): MessageFields {
  return {
    ...contentOf(entry, cut),
    ...(isName(entry.uuid) ? { messageId: entry.uuid } : {}),
    providerPayload: { ...payload, mediaType: "application/json" },
  };
}

function contentOf(entry: SessionStoreEntry, cut: number): MessageFields {
  const spoken = isObject(entry["message"]) ? entry["message"] : {};
  const blocks = blocksOf(spoken["content"]);
  if (spoken["role"] === "user") return saidBy(blocks, cut);
  if (spoken["role"] === "assistant") {
    return { role: "assistant", text: textsOf(blocks, cut).join("\n"), ...callsOf(blocks, cut) };
  }
  // Titles, snapshots of files, summaries: only the SDK reads them.
  const kind = String(entry.type ?? "");
  return { role: "assistant", ...(isName(kind, MAX_ROLE_BYTES) ? { providerRole: kind } : {}) };
}

/** A message of the user, which also brings the results of tools. */
function saidBy(blocks: readonly Json[], cut: number): MessageFields {
  const texts = textsOf(blocks, cut);
  // The contract allows one result for each id.
  const results = new Map<string, PartInput>();
  for (const block of blocks) {
    const id = block["tool_use_id"];
    if (block["type"] !== "tool_result" || !isName(id)) continue;
    const text = textsOf(blocksOf(block["content"]), cut).join("\n").slice(0, cut);
    results.set(id, { toolResult: { toolCallId: id, text, error: block["is_error"] === true } });
  }
  if (results.size === 0) return { role: "user", text: texts.join("\n") };
  return { role: "user", parts: [...texts, ...results.values()] };
}

function callsOf(blocks: readonly Json[], cut: number): Pick<MessageFields, "toolCalls"> {
  const calls = new Map<string, { toolCallId: string; name: string; arguments: string }>();
  for (const { type, id, name, input } of blocks) {
    if (type !== "tool_use" || !isName(id) || !isName(name)) continue;
    const text = JSON.stringify(input ?? null);
    calls.set(id, { toolCallId: id, name, arguments: text.length > cut ? "" : text });
  }
  return { toolCalls: [...calls.values()] };
}

function textsOf(blocks: readonly Json[], cut: number): string[] {
  return blocks.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text.slice(0, cut)] : [],
  );
}

function blocksOf(content: unknown): readonly Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
