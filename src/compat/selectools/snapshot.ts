// Documents of selectools: ConversationMemory.to_dict, a memory with its limits.

import { ROLE } from "../window/types.ts";
import {
  argumentsValue,
  callsAt,
  idOf,
  imageOf,
  isBase64,
  roleAt,
  roleName,
  textOf,
  urlOf,
} from "./content.ts";
import {
  child,
  fault,
  isList,
  isNone,
  type Json,
  type JsonObject,
  listAt,
  messagesAt,
  objectAt,
  objectOf,
  textAt,
} from "./json.ts";
import { readMessage } from "./leftovers.ts";
import {
  EMPTY_MESSAGE,
  type Format,
  type PlainMessage,
  type PlainPart,
  type ReadDocument,
  type WrittenSession,
} from "./plain.ts";

const KNOWN = new Set(["max_messages", "max_tokens", "message_count", "messages", "summary"]);
const CONTEXT = { sessionId: "", userId: "", createSeconds: 0, isSummary: false };
const MAX_MESSAGES = 20;

function readPart(value: Json, path: string): PlainPart {
  const part = objectAt({ value, path });
  const { type, text, image_url: url, image_base64: base64, media_type: mediaType } = part;
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if (type === "image_url" && typeof url === "string") {
    const image = imageOf(url);
    if (image !== undefined) return image;
  }
  if (typeof base64 === "string" && isBase64(base64)) {
    const type = typeof mediaType === "string" ? mediaType : "";
    return { kind: "image", source: { base64 }, mediaType: type, detail: "" };
  }
  return { kind: "data", value: part };
}

function writePart(part: PlainPart): JsonObject {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return "base64" in part.source
        ? { type: "image_base64", image_base64: part.source.base64, media_type: part.mediaType }
        : { type: "image_url", image_url: urlOf(part) };
    case "data":
      return part.value;
    default:
      return { type: "text", text: textOf(part) };
  }
}

function read(source: JsonObject, path: string): PlainMessage {
  const role = roleAt(child(source, "role", path));
  const parts = listAt(child(source, "content_parts", path)).map((part, index) =>
    readPart(part, `${path}.content_parts[${index}]`),
  );
  const image = textAt(child(source, "image_base64", path));
  if (isBase64(image)) {
    parts.unshift({ kind: "image", source: { base64: image }, mediaType: "", detail: "" });
  }
  const isTool = role === ROLE.tool;
  const calls = child(source, "tool_calls", path);
  return {
    ...EMPTY_MESSAGE,
    messageId: idOf(source),
    role,
    name: textAt(child(source, isNone(source["tool_name"]) ? "name" : "tool_name", path)),
    text: textAt(child(source, "content", path)),
    parts,
    toolCalls: role === ROLE.assistant ? callsAt(calls, false) : [],
    toolCallId: isTool ? textAt(child(source, "tool_call_id", path)) : "",
  };
}

function write(message: PlainMessage, shape: string): JsonObject {
  const { parts, role, toolCallId } = message;
  const first = parts[0];
  const isImage = first?.kind === "image" && "base64" in first.source && first.mediaType === "";
  const image = isImage && "base64" in first.source ? first.source.base64 : null;
  const rest = (isImage ? parts.slice(1) : parts).map(writePart);
  const calls = message.toolCalls.map(({ id, name, arguments: text }) => {
    const parameters = argumentsValue(text);
    return shape === "bare" ? { id, name, arguments: parameters } : { name, parameters, id };
  });
  const text = message.text === "" && rest.length > 0 ? textOf(message) : message.text;
  const whole: JsonObject = {
    role: roleName(role),
    content: shape === "apart" ? message.text : text,
    image_path: null,
    image_base64: image,
    tool_name: message.name === "" ? null : message.name,
    tool_result: role === ROLE.tool ? text : null,
    tool_calls: calls.length === 0 ? null : calls,
    tool_call_id: toolCallId === "" ? null : toolCallId,
    content_parts: rest.length === 0 ? null : rest,
  };
  if (shape !== "bare") return whole;
  const { tool_name: name, tool_result: _, ...others } = whole;
  const entries = Object.entries({ ...others, name: name ?? null });
  return objectOf(entries.filter(([, value]) => value !== null));
}

function readDocument(document: Json): ReadDocument {
  const source = objectAt({ value: document, path: "" });
  if (source["max_messages"] === undefined) fault("max_messages", "is required");
  const messages = messagesAt(child(source, "messages", "")).map((value, index) => {
    const path = `messages[${index}]`;
    return readMessage(selectools, objectAt({ value, path }), path, CONTEXT);
  });
  const extra = Object.entries(source).filter(([key]) => !KNOWN.has(key));
  const { max_messages: maxMessages = null, max_tokens: maxTokens = null } = source;
  return {
    messages,
    summaries: [],
    summary: textAt(child(source, "summary", "")),
    ...(extra.length === 0 ? {} : { metadata: { selectools: objectOf(extra) } }),
    options: { max_messages: maxMessages, ...(isNone(maxTokens) ? {} : { max_tokens: maxTokens }) },
    hasPolicy: true,
    outside: unsafeHead(messages.map(({ message }) => message)),
  };
}

/** Loading takes tool calls and tool results off the head, without a word, but for one message. */
function unsafeHead(messages: readonly PlainMessage[]): number {
  let count = 0;
  while (messages.length - count > 1) {
    const head = messages[count];
    if (head?.role !== ROLE.tool && (head?.toolCalls.length ?? 0) === 0) break;
    count += 1;
  }
  return count;
}

function frame(session: WrittenSession): { head: string; tail: string } {
  const { messageCount, summary, maxMessages, maxTokens, metadata } = session;
  const extra = metadata["selectools"];
  const fields: JsonObject = {
    max_messages: maxMessages ?? Math.max(MAX_MESSAGES, messageCount),
    max_tokens: maxTokens ?? null,
    message_count: messageCount,
    summary: summary === "" ? null : summary,
    ...(isNone(extra) || isList(extra) || typeof extra !== "object" ? {} : extra),
  };
  return { head: `${JSON.stringify(fields).slice(0, -1)},"messages":[`, tail: "]}" };
}

/** The format of selectools. */
export const selectools: Format = {
  shapes: ["whole", "apart", "bare"],
  readMessage: read,
  writeMessage: write,
  readDocument,
  frame,
  context: () => CONTEXT,
};
