// Parts of the AI SDK's chats as content of a log: what windows, recall and extraction see.

import type { PartInput } from "@memory-sidecar/client";
import { CUT_CHARS, isName } from "@memory-sidecar/client/adapters";
import type { UIMessage } from "ai";

const MAX_TYPE_BYTES = 127;
const MAX_URL_BYTES = 8_192;

/** A JSON object with unknown fields. */
export type Json = Readonly<Record<string, unknown>>;

/** The result of a tool as a text. */
export interface ToolText {
  readonly text: string;
  readonly error: boolean;
}

/** Gives the content that a part of a UIMessage stands for. Most kinds of parts have none. */
export function contentOf(role: UIMessage["role"], part: Json): PartInput[] {
  const { type, text } = part;
  if (type === "text") return typeof text === "string" && text !== "" ? [{ text }] : [];
  if (type === "file") return [fileOf(role, part)];
  if (role !== "assistant") return [];
  if (type === "reasoning") return typeof text === "string" ? [{ reasoning: { text } }] : [];
  const { toolCallId, input } = part;
  const name = toolNameOf(part);
  if (!isName(name) || !isName(toolCallId)) return [];
  return [{ toolCall: { toolCallId, name, arguments: JSON.stringify(input ?? {}) } }];
}

/** Gives the result that a part of a tool holds, after the id of its call; else nothing. */
export function resultOf(part: Json): [id: string, result: ToolText][] {
  const { approval, errorText, output, state, toolCallId } = part;
  if (!isName(toolNameOf(part)) || !isName(toolCallId)) return [];
  if (state === "output-available") {
    const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
    return [[toolCallId, { text, error: false }]];
  }
  if (state === "output-error") return [[toolCallId, { text: String(errorText), error: true }]];
  if (state !== "output-denied") return [];
  const { reason = "denied" } = (approval ?? {}) as Json;
  return [[toolCallId, { text: String(reason), error: true }]];
}

/**
 * Cuts content down that is too large for a message. The log has it whole, in a record; recall and
 * windows see its beginning.
 */
export function cut(part: PartInput): PartInput {
  if (typeof part === "string") return part.slice(0, CUT_CHARS);
  if ("text" in part) return { text: part.text.slice(0, CUT_CHARS) };
  if ("reasoning" in part)
    return { reasoning: { text: part.reasoning.text?.slice(0, CUT_CHARS) ?? "" } };
  if ("toolResult" in part) {
    const { text = "", ...rest } = part.toolResult;
    return { toolResult: { ...rest, text: text.slice(0, CUT_CHARS) } };
  }
  if ("image" in part) return { text: "[image]" };
  if (!("toolCall" in part)) return part;
  const { arguments: args = "" } = part.toolCall;
  return args.length > CUT_CHARS ? { toolCall: { ...part.toolCall, arguments: "" } } : part;
}

/** Gives the id of the call that a piece of content is, if it is one. */
export function callOf(part: PartInput): string | undefined {
  return typeof part === "object" && "toolCall" in part ? part.toolCall.toolCallId : undefined;
}

function toolNameOf({ type, toolName }: Json): unknown {
  if (type === "dynamic-tool") return toolName;
  return typeof type === "string" && type.startsWith("tool-") ? type.slice(5) : undefined;
}

/** An image of the user by its address or its data; any other file by its name. */
function fileOf(role: UIMessage["role"], { filename, mediaType, url }: Json): PartInput {
  const text = `[file ${typeof filename === "string" ? filename : String(mediaType)}]`;
  const isImage = isName(mediaType, MAX_TYPE_BYTES) && /^image(\/|$)/.test(mediaType);
  if (role !== "user" || !isImage || typeof url !== "string") return { text };
  const [, base64 = ""] = /^data:[^,]*;base64,(.+)$/s.exec(url) ?? [];
  const data = Buffer.from(base64, "base64");
  if (data.length > 0) return { image: { data, mediaType } };
  const isAddress = /^https?:/.test(url) && isName(url, MAX_URL_BYTES);
  return isAddress ? { image: { url, mediaType } } : { text };
}
