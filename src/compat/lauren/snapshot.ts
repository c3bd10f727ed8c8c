// Documents of lauren-ai: ShortTermMemory.snapshot, or the older plain list of messages. Contents
// are texts or lists of blocks.

import { ROLE, ROLE_NAMES, type Role } from "../../window/rules/types.ts";
import {
  argumentsOf,
  argumentsValue,
  callIdAt,
  callsAt,
  idOf,
  isBase64,
  roleAt,
} from "../common/content.ts";
import {
  child,
  fault,
  isList,
  isNone,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  messagesAt,
  objectAt,
  textAt,
} from "../common/json.ts";
import { documentLeftovers, readMessage } from "../common/leftovers.ts";
import {
  EMPTY_MESSAGE,
  type Format,
  NO_CONTEXT,
  type PlainCall,
  type PlainImage,
  type PlainMessage,
  type PlainPart,
  type ReadDocument,
} from "../common/plain.ts";

function readImage(source: Json | undefined): PlainImage | undefined {
  const image = { kind: "image", mediaType: "", detail: "" } as const;
  const address = (url: string) => ({ ...image, source: { url: url.toWellFormed() } });
  if (typeof source === "string" && source !== "") return address(source);
  if (!isObject(source)) return undefined;
  const { type, url, data, media_type: mediaType } = source;
  if (type === "url" && typeof url === "string" && url !== "") return address(url);
  if (type !== "base64" || typeof data !== "string" || !isBase64(data)) return undefined;
  const named = typeof mediaType === "string" ? mediaType.toWellFormed() : "";
  return { ...image, source: { base64: data }, mediaType: named };
}

/** A part that stands for a block; undefined for a block that only lauren-ai understands. */
function readBlock(value: Json, path: string, role: Role): PlainPart | undefined {
  const block = objectAt({ value, path });
  const { type, text, source } = block;
  if (type === "text" && typeof text === "string") {
    return { kind: "text", text: text.toWellFormed() };
  }
  if (type === "image") return readImage(source);
  if (type !== "tool_result" || (role !== ROLE.user && role !== ROLE.tool)) return undefined;
  const toolCallId = textAt(child(block, "tool_use_id", path));
  // It answers no call.
  if (toolCallId === "") return undefined;
  const content = child(block, "content", path);
  const isText = typeof content.value === "string" || isNone(content.value);
  const parts = isText
    ? []
    : listAt(content).map((item, index) => {
        const at = `${content.path}[${index}]`;
        return readBlock(item, at, ROLE.assistant) ?? dataOf(objectAt({ value: item, path: at }));
      });
  return {
    kind: "result",
    toolCallId,
    text: isText ? textAt(content) : "",
    parts,
    error: block["is_error"] === true,
  };
}

function dataOf(value: JsonObject): PlainPart {
  return { kind: "data", value };
}

function writeBlock(part: PlainPart, isBare: boolean): JsonObject {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image": {
      const { mediaType, source } = part;
      return "url" in source
        ? { type: "image", source: { type: "url", url: source.url } }
        : { type: "image", source: { type: "base64", media_type: mediaType, data: source.base64 } };
    }
    case "data":
      return part.value["type"] === undefined
        ? { type: "text", text: JSON.stringify(part.value) }
        : part.value;
    case "call":
      return writeUse(part.call);
    default: {
      const { error, parts, text, toolCallId } = part;
      const blocks = parts.map((inner) => writeBlock(inner, isBare));
      const all = text === "" ? blocks : [{ type: "text", text }, ...blocks];
      const content: Json = parts.length === 0 ? text : all;
      const result = { type: "tool_result", tool_use_id: toolCallId, content };
      return isBare && !error ? result : { ...result, is_error: error };
    }
  }
}

function writeUse({ id, name, arguments: given }: PlainCall): JsonObject {
  return { type: "tool_use", id, name, input: argumentsValue(given) };
}

interface Blocks {
  /** Tool calls included, each in its place. */
  readonly parts: PlainPart[];
  readonly calls: PlainCall[];
  /** Blocks that only lauren-ai understands, each with its place. */
  readonly others: Json[];
}

function readBlocks(list: readonly Json[], path: string, role: Role): Blocks {
  const blocks: Blocks = { parts: [], calls: [], others: [] };
  const taken = new Set<unknown>(list.map((value) => (isObject(value) ? value["id"] : undefined)));
  for (const [index, value] of list.entries()) {
    const at = `${path}[${index}]`;
    const block = objectAt({ value, path: at });
    if (block["type"] === "tool_use" && role === ROLE.assistant) {
      const id = callIdAt(child(block, "id", at), index, taken);
      taken.add(id);
      const name = textAt(child(block, "name", at));
      const call = { id, name, arguments: argumentsOf(block["input"]) };
      blocks.calls.push(call);
      blocks.parts.push({ kind: "call", call });
      continue;
    }
    const part = readBlock(block, at, role);
    if (part === undefined) blocks.others.push([index, block]);
    else blocks.parts.push(part);
  }
  return blocks;
}

/** Whether a part that is no call stands behind one. */
function isMixed(parts: readonly PlainPart[]): boolean {
  const first = parts.findIndex(({ kind }) => kind === "call");
  return first >= 0 && parts.slice(first).some(({ kind }) => kind !== "call");
}

function read(source: JsonObject, path: string): PlainMessage {
  const role = roleAt(child(source, "role", path));
  const content = child(source, "content", path);
  const list = isList(content.value) ? content.value : [];
  const { parts, calls, others } = readBlocks(list, content.path, role);
  const beside = role === ROLE.assistant ? callsAt(child(source, "tool_calls", path), false) : [];
  const shown = beside.length === 0 && isMixed(parts) ? parts : parts.filter(isNoCall);
  const [first] = shown;
  // The usual way to say something and call tools.
  const isSaid = calls.length > 0 && shown.length === 1 && first?.kind === "text";
  const said = isSaid ? first.text : "";
  const isTool = role === ROLE.tool;
  return {
    ...EMPTY_MESSAGE,
    messageId: idOf(source),
    role,
    name: textAt(child(source, "name", path)),
    text: isList(content.value) ? said : textAt(content),
    parts: said === "" ? shown : [],
    toolCalls: [...calls, ...beside],
    toolCallId: isTool ? textAt(child(source, "tool_call_id", path)) : "",
    toolError: isTool && source["is_error"] === true,
    payload: others.length === 0 ? undefined : others,
  };
}

function isNoCall({ kind }: PlainPart): boolean {
  return kind !== "call";
}

/** Puts the blocks that only lauren-ai understands back where they stood. */
function withOthers(blocks: readonly JsonObject[], payload: Json | undefined): readonly Json[] {
  if (!isList(payload)) return blocks;
  const all: Json[] = [...blocks];
  for (const other of payload) {
    if (!isList(other)) continue;
    const [index, block] = other;
    if (typeof index === "number" && block !== undefined) all.splice(index, 0, block);
  }
  return all;
}

function write(message: PlainMessage, shape: string): JsonObject {
  const { name, parts, payload, role, text, toolCallId, toolCalls, toolError } = message;
  const uses = parts.every(isNoCall) ? toolCalls.map(writeUse) : [];
  const isBeside = shape === "beside";
  const blocks = parts.map((part) => writeBlock(part, shape === "bare"));
  if (text !== "" && (blocks.length > 0 || uses.length > 0) && !isBeside) {
    blocks.unshift({ type: "text", text });
  }
  const hasBlocks = parts.length > 0 || payload !== undefined || (uses.length > 0 && !isBeside);
  const content = withOthers(isBeside ? blocks : [...blocks, ...uses], payload);
  const calls = toolCalls.map((call) => {
    return { id: call.id, name: call.name, input: argumentsValue(call.arguments) };
  });
  return {
    role: ROLE_NAMES[role],
    content: hasBlocks ? content : text,
    ...(isBeside && calls.length > 0 ? { tool_calls: calls } : {}),
    ...(toolCallId === "" ? {} : { tool_call_id: toolCallId }),
    ...(name === "" ? {} : { name }),
    ...(toolError ? { is_error: true } : {}),
  };
}

function readDocument(document: Json): ReadDocument {
  const source: JsonObject = isList(document)
    ? { messages: document }
    : isObject(document)
      ? document
      : fault("", "must be an object or a list of messages");
  const messages = messagesAt(child(source, "messages", "")).map((value, index) => {
    const path = `messages[${index}]`;
    return readMessage(lauren, objectAt({ value, path }), path, NO_CONTEXT);
  });
  const summary = textAt(child(source, "summary", ""));
  const kept = documentLeftovers(lauren, document, { summary: summary === "" ? null : summary });
  return {
    messages,
    summaries: [],
    summary,
    ...(kept === undefined ? {} : { kept }),
    options: {},
    hasPolicy: false,
    outside: 0,
  };
}

/** The format of lauren-ai. */
export const lauren: Format = {
  name: "lauren",
  list: "messages",
  metadataField: "document",
  hasCallParts: true,
  isBare: false,
  shapes: ["blocks", "bare", "beside"],
  lasting: [],
  telling: ["summary"],
  readMessage: read,
  writeMessage: write,
  readDocument,
  fields: ({ summary }) => ({ summary: summary === "" ? null : summary }),
  context: () => NO_CONTEXT,
};
