// Documents of selectools: ConversationMemory.to_dict, a memory with its limits.

import { ROLE, ROLE_NAMES } from "../../window/rules/types.ts";
import {
  argumentsValue,
  callsAt,
  idOf,
  imageOf,
  isBase64,
  roleAt,
  textOf,
  urlOf,
} from "../common/content.ts";
import {
  child,
  fault,
  isNone,
  type Json,
  type JsonObject,
  listAt,
  messagesAt,
  numberOf,
  objectAt,
  objectOf,
  textAt,
} from "../common/json.ts";
import { documentLeftovers, readMessage } from "../common/leftovers.ts";
import {
  EMPTY_MESSAGE,
  type Format,
  NO_CONTEXT,
  type PlainMessage,
  type PlainPart,
  type ReadDocument,
  type WrittenSession,
} from "../common/plain.ts";

const MAX_MESSAGES = 20;

function readPart(value: Json, path: string): PlainPart {
  const part = objectAt({ value, path });
  const { type, text, image_url: url, image_base64: base64, media_type: mediaType } = part;
  if (type === "text" && typeof text === "string") {
    return { kind: "text", text: text.toWellFormed() };
  }
  if (type === "image_url" && typeof url === "string") {
    const image = imageOf(url);
    if (image !== undefined) return image;
  }
  if (typeof base64 === "string" && isBase64(base64)) {
    const type = typeof mediaType === "string" ? mediaType.toWellFormed() : "";
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
      return { type: "text", text: textOf({ text: "", parts: [part] }) };
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
  const content = textAt(child(source, "content", path));
  return {
    ...EMPTY_MESSAGE,
    messageId: idOf(source),
    role,
    name: textAt(child(source, isNone(source["tool_name"]) ? "name" : "tool_name", path)),
    // Beside parts the content is their text once more.
    text: parts.length > 0 && content === textOf({ text: "", parts }) ? "" : content,
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
    role: ROLE_NAMES[role],
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
    return readMessage(selectools, objectAt({ value, path }), path, NO_CONTEXT);
  });
  const summary = textAt(child(source, "summary", ""));
  const outside = unsafeHead(messages.map(({ message }) => message));
  const maxMessages = numberOf(source["max_messages"]) ?? null;
  const maxTokens = numberOf(source["max_tokens"]) ?? null;
  const kept = documentLeftovers(selectools, source, {
    max_messages: maxMessages,
    max_tokens: maxTokens,
    ...{ message_count: messages.length - outside, summary: summary === "" ? null : summary },
  });
  return {
    messages,
    summaries: [],
    summary,
    ...(kept === undefined ? {} : { kept }),
    options: { max_messages: maxMessages, ...(isNone(maxTokens) ? {} : { max_tokens: maxTokens }) },
    hasPolicy: true,
    outside,
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

function fields({ maxMessages, maxTokens, messageCount, summary }: WrittenSession): JsonObject {
  return {
    max_messages: maxMessages ?? Math.max(MAX_MESSAGES, messageCount),
    max_tokens: maxTokens ?? null,
    message_count: messageCount,
    summary: summary === "" ? null : summary,
  };
}

/** The format of selectools. */
export const selectools: Format = {
  name: "selectools",
  list: "messages",
  metadataField: "document",
  hasCallParts: false,
  isBare: false,
  shapes: ["whole", "apart", "bare"],
  lasting: [],
  telling: ["max_tokens", "summary"],
  readMessage: read,
  writeMessage: write,
  readDocument,
  fields,
  context: () => NO_CONTEXT,
};
