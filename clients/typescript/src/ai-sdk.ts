// Messages of the Vercel AI SDK (`ModelMessage`), as elements of Chat Completions and back.
//
// If an element cannot hold the whole message, it also carries the message under the key `ai_sdk`.
// The server gives an element back as it came, so the message comes back equal. An element that the
// server rewrote, such as a shortened one, has no such key. A message with several tool results
// becomes several elements, which are joined again on the way back.

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "./message.ts";

/** The fields of an AI SDK message that are read here. */
interface Message extends JsonObject {
  readonly role: string;
  readonly content: string | readonly Part[];
}

interface Part extends JsonObject {
  readonly type: string;
}

/** The message that an element carries under the key. */
interface Own {
  /** The message; without its content if the element holds the same content. */
  readonly message: JsonObject;
  /** The element continues the message of the previous element. */
  readonly joined?: boolean;
}

const KEY = "ai_sdk";

/** Makes elements of messages. */
export function aiSdkElements(messages: readonly object[]): JsonObject[] {
  return messages.flatMap((given) => {
    const message = encoded(given) as Message;
    if (typeof message.role !== "string" || message.content === undefined) {
      throw new TypeError('form "ai_sdk" takes messages of the AI SDK: { role, content }');
    }
    if (message.role === "tool") return toolElements(message);
    const element = elementOf(message);
    if (isDeepStrictEqual(messageOf(element, new Map()), message)) return [element];
    const { content, ...rest } = message;
    const isSaid = isDeepStrictEqual(content, element["content"]);
    return [{ ...element, [KEY]: { message: isSaid ? rest : message } }];
  });
}

/** Makes an element for each result. Other parts, such as an approval, stay with a result. */
function toolElements(message: Message): JsonObject[] {
  const parts = message.content as readonly Part[];
  const results = parts.filter(({ type }) => type === "tool-result");
  if (results.length === 0) {
    const content = parts.map((part) => textOf(part)).join("\n");
    return [{ role: "user", content, [KEY]: { message } }];
  }
  return results.map((result, at) => {
    const element = {
      role: "tool",
      tool_call_id: result["toolCallId"],
      content: outputText(result["output"] as JsonObject),
    };
    // The parts up to the next result.
    const from = at === 0 ? 0 : parts.indexOf(result);
    const next = results[at + 1];
    const content = parts.slice(from, next === undefined ? parts.length : parts.indexOf(next));
    const own: Own = { message: { ...message, content }, ...(at > 0 && { joined: true }) };
    return { ...element, [KEY]: own };
  });
}

function elementOf({ role, content }: Message): JsonObject {
  if (typeof content === "string") return { role, content };
  if (role !== "assistant") return { role, content: content.map(userPart) };
  const texts = content.flatMap((part) => (part.type === "text" ? [userPart(part)] : []));
  const calls = content.filter((part) => part.type === "tool-call" && !part["providerExecuted"]);
  const [only] = texts;
  return {
    role,
    content: texts.length > 1 ? texts : (only?.["text"] ?? (calls.length > 0 ? null : "")),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  };
}

function toCall({ toolCallId, toolName, input }: Part): JsonObject {
  const called = { name: toolName, arguments: JSON.stringify(input ?? {}) };
  return { id: toolCallId, type: "function", function: called };
}

function userPart(part: Part): JsonObject {
  const { type, mediaType, filename } = part;
  if (type === "text") return { type, text: part["text"] };
  const data = type === "image" ? part["image"] : part["data"];
  const isImage = type === "image" || (typeof mediaType === "string" && /^image/.test(mediaType));
  const url = urlOf(data, typeof mediaType === "string" ? mediaType : "image/png");
  if (url === undefined || (type !== "image" && type !== "file")) {
    return { type: "text", text: textOf(part) };
  }
  if (isImage) return { type: "image_url", image_url: { url } };
  if (!url.startsWith("data:")) return { type: "text", text: textOf(part) };
  return { type: "file", file: { filename: filename ?? "file", file_data: url } };
}

/** The URL of data, or a data URL that holds it; undefined if there is neither. */
function urlOf(data: unknown, mediaType: string): string | undefined {
  if (typeof data === "string") {
    return /^(https?|data):/.test(data) ? data : `data:${mediaType};base64,${data}`;
  }
  const { $bytes, $url, type, ...rest } = (data ?? {}) as JsonObject;
  if (typeof $url === "string") return $url;
  if (typeof $bytes === "string") return `data:${mediaType};base64,${$bytes}`;
  if (type === "data") return urlOf(rest["data"], mediaType);
  return type === "url" ? urlOf(rest["url"], mediaType) : undefined;
}

/** The text for a part that Chat Completions cannot express. */
function textOf(part: Part): string {
  const { type, text, filename, approved, reason } = part;
  if (typeof text === "string") return text;
  const said = [
    type,
    filename,
    approved === undefined ? undefined : `approved: ${approved}`,
    reason,
  ];
  return `[${said.filter((one) => one !== undefined).join(" ")}]`;
}

function outputText(output: JsonObject): string {
  const { type, value, reason } = output;
  if (type === "execution-denied") return String(reason ?? "denied");
  if (type === "content") return (value as readonly Part[]).map(textOf).join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The names of tools by the ids of their calls. */
export type ToolNames = Map<unknown, unknown>;

/** Makes messages of elements. `tools` has the names of tools that earlier elements called. */
export function aiSdkMessages(
  elements: readonly JsonObject[],
  tools: ToolNames = new Map(),
): object[] {
  const messages: Message[] = [];
  for (const element of elements) {
    const { [KEY]: own, ...rest } = element as JsonObject & { [KEY]?: Own };
    const content = rest["content"];
    const made = own === undefined ? undefined : ({ content, ...own.message } as Message);
    const message = made ?? messageOf(rest, tools);
    for (const part of typeof message.content === "string" ? [] : message.content) {
      if (part.type === "tool-call") tools.set(part["toolCallId"], part["toolName"]);
    }
    const last = messages.at(-1);
    if (own?.joined === true && last?.role === "tool") {
      const parts = [...(last.content as readonly Part[]), ...(message.content as readonly Part[])];
      messages[messages.length - 1] = { ...last, content: parts };
    } else messages.push(message);
  }
  return messages.map((message) => decoded(message) as object);
}

/** Tells whether an element continues the tool message of the previous one. */
export function isJoined(element: JsonObject): boolean {
  return (element as { [KEY]?: Own })[KEY]?.joined === true;
}

function messageOf(element: JsonObject, tools: ToolNames): Message {
  const { role, content, tool_call_id, tool_calls: calls = [], refusal } = element;
  if (role === "tool") {
    const toolName = tools.get(tool_call_id) ?? "unknown";
    const output = { type: "text", value: plainText(content) };
    const result = { type: "tool-result", toolCallId: tool_call_id, toolName, output };
    return { role, content: [result] };
  }
  if (role === "assistant") {
    const said = [content ?? "", refusal ?? ""].flatMap((one) => partsOf(one));
    const called = (calls as JsonObject[]).map(ofCall);
    if (called.length === 0 && typeof content === "string") return { role, content };
    return { role, content: [...said, ...called] };
  }
  const isUser = role === "user";
  if (typeof content === "string") return { role: isUser ? "user" : "system", content };
  return isUser
    ? { role: "user", content: partsOf(content) }
    : { role: "system", content: plainText(content) };
}

function plainText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map(({ text = "" }) => text).join("\n");
}

function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (content as readonly JsonObject[]).map((part) => {
    const { type, text, refusal, image_url, file } = part;
    if (type === "image_url") return { type: "image", image: (image_url as JsonObject)["url"] };
    if (type !== "file") return { type: "text", text: text ?? refusal ?? JSON.stringify(part) };
    const { filename, file_data } = file as { filename: string; file_data?: string };
    const [, mediaType, data] = /^data:([^;]*);base64,(.*)$/.exec(file_data ?? "") ?? [];
    if (data === undefined) return { type: "text", text: `[file ${filename ?? ""}]` };
    return { type: "file", mediaType, data, filename };
  });
}

function ofCall(call: JsonObject): Part {
  const called = (call["function"] ?? call["custom"]) as JsonObject;
  const text = String(called["arguments"] ?? called["input"] ?? "");
  let input: unknown = text;
  try {
    input = JSON.parse(text);
  } catch {
    // The text itself, then.
  }
  return { type: "tool-call", toolCallId: call["id"], toolName: called["name"], input };
}

/** Makes JSON of a message. Bytes and URLs become marked objects, so `decoded` restores them. */
function encoded(value: unknown): unknown {
  if (value instanceof URL) return { $url: value.href };
  if (value instanceof ArrayBuffer) return { $bytes: Buffer.from(value).toString("base64") };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(encoded);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([name, one]) => [name, encoded(one)]));
}

function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== "object" || value === null) return value;
  const { $bytes, $url } = value as JsonObject;
  if (typeof $url === "string") return new URL($url);
  if (typeof $bytes === "string") return new Uint8Array(Buffer.from($bytes, "base64"));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, decoded(one)]));
}
