// Documents of MARSYS: MemoryManager.save_to_file. Messages are in the form that its models take;
// unlike the source, ids and the calls that results answer are kept.

import { ROLE, ROLE_NAMES } from "../../window/rules/types.ts";
import { callsAt, functionCalls, idOf, imageOf, roleAt, textOf, urlOf } from "../common/content.ts";
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
  objectOf,
  plainOf,
  requiredTextAt,
  textAt,
} from "../common/json.ts";
import { documentLeftovers, keptIn, readMessage } from "../common/leftovers.ts";
import {
  EMPTY_MESSAGE,
  type Format,
  NO_CONTEXT,
  type PlainMessage,
  type PlainPart,
  type ReadDocument,
  type WriteContext,
  type WrittenSession,
} from "../common/plain.ts";

const NAME = "marsys";
/** The document has no ids of messages, as the system itself writes it. */
const UNNAMED = "unnamed";
const ACTIONS = ["call_tool", "final_response", "invoke_agent"];
const CONVERSATION = "conversation_history";
const MANAGED = "managed_conversation";
const MEMORY_TYPES = [CONVERSATION, MANAGED];

function readPart(value: Json, path: string): PlainPart {
  if (typeof value === "string") return { kind: "text", text: value.toWellFormed() };
  const part = objectAt({ value, path });
  const { type, text, image_url: image } = part;
  if (type === "text" && typeof text === "string") {
    return { kind: "text", text: text.toWellFormed() };
  }
  if (type === "image_url") {
    const url = isObject(image) ? image["url"] : image;
    const detail = isObject(image) && typeof image["detail"] === "string" ? image["detail"] : "";
    const found = typeof url === "string" ? imageOf(url, detail) : undefined;
    if (found !== undefined) return found;
  }
  return { kind: "data", value: part };
}

function writePart(part: PlainPart): JsonObject {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image": {
      const { detail } = part;
      const url = urlOf(part);
      return { type: "image_url", image_url: detail === "" ? { url } : { url, detail } };
    }
    case "data":
      // Beside other parts the system writes an object that is none as its JSON.
      if (typeof part.value["type"] === "string") return part.value;
      return { type: "text", text: JSON.stringify(part.value) };
    default:
      return { type: "text", text: textOf({ text: "", parts: [part] }) };
  }
}

/** An agent's answer says what it wants next: only what the system knows. */
function hasKnownAction({ next_action: action }: JsonObject): boolean {
  return isNone(action) || (typeof action === "string" && ACTIONS.includes(action));
}

function readContent(source: JsonObject, path: string): Pick<PlainMessage, "text" | "parts"> {
  const { value, path: at } = child(source, "content", path);
  if (isNone(value)) return { text: "", parts: [] };
  if (typeof value === "string") return { text: value.toWellFormed(), parts: [] };
  if (isList(value)) {
    return { text: "", parts: value.map((part, index) => readPart(part, `${at}[${index}]`)) };
  }
  const content = objectAt({ value, path: at });
  if (!hasKnownAction(content)) {
    fault(`${at}.next_action`, `must be one of ${ACTIONS.join(", ")}`);
  }
  return { text: "", parts: [{ kind: "data", value: content }] };
}

function readImages(source: JsonObject, path: string): PlainPart[] {
  const images = child(source, "images", path);
  return listAt(images).map((value, index) => {
    const at = { value, path: `${images.path}[${index}]` };
    return imageOf(requiredTextAt(at)) ?? fault(at.path, "must be the address of an image");
  });
}

function readAgentCalls(source: JsonObject, path: string): PlainMessage["agentCalls"] {
  const calls = child(source, "agent_calls", path);
  return listAt(calls).map((value, index) => {
    const at = `${calls.path}[${index}]`;
    const call = objectAt({ value, path: at });
    const { request } = call;
    const agentName = requiredTextAt(child(call, "agent_name", at));
    if (request === undefined) fault(`${at}.request`, "is required");
    return {
      agentName,
      request: isNone(request)
        ? ""
        : typeof request === "string"
          ? request.toWellFormed()
          : JSON.stringify(request),
    };
  });
}

function read(source: JsonObject, path: string): PlainMessage {
  const role = roleAt(child(source, "role", path));
  const { text, parts } = readContent(source, path);
  const structured = child(source, "structured_data", path);
  const data = isNone(structured.value) ? undefined : objectAt(structured);
  const isAssistant = role === ROLE.assistant;
  const calls = callsAt(child(source, "tool_calls", path), true);
  const agentCalls = readAgentCalls(source, path);
  return {
    ...EMPTY_MESSAGE,
    messageId: idOf(source),
    role,
    name: textAt(child(source, "name", path)),
    text,
    parts: [...parts, ...readImages(source, path)],
    // Only a model calls: calls of others are kept as what they are, fields of the document.
    toolCalls: isAssistant ? calls : [],
    agentCalls: isAssistant ? agentCalls : [],
    toolCallId: role === ROLE.tool ? textAt(child(source, "tool_call_id", path)) : "",
    structuredData: data,
  };
}

function writeContent(message: PlainMessage, shape: string): Json {
  const { agentCalls, parts, text, toolCalls } = message;
  const shown = shape === "images" ? parts.filter(({ kind }) => kind !== "image") : parts;
  const [first] = shown;
  if (first === undefined) {
    const isCall = toolCalls.length + agentCalls.length > 0;
    return text === "" && isCall ? null : text;
  }
  if (text === "" && shown.length === 1 && first.kind === "data" && hasKnownAction(first.value)) {
    return first.value;
  }
  const all = shown.map(writePart);
  return text === "" ? all : [{ type: "text", text }, ...all];
}

function write(message: PlainMessage, shape: string, context: WriteContext): JsonObject {
  const { agentCalls, messageId, name, parts, structuredData, toolCallId, toolCalls } = message;
  const images = parts.flatMap((part) => (part.kind === "image" ? [urlOf(part)] : []));
  const requests = agentCalls.map(({ agentName, request }) => ({ agent_name: agentName, request }));
  return {
    role: ROLE_NAMES[message.role],
    content: writeContent(message, shape),
    ...(context.named ? { message_id: messageId } : {}),
    ...(name === "" ? {} : { name }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: functionCalls(toolCalls) }),
    ...(requests.length === 0 ? {} : { agent_calls: requests }),
    ...(structuredData === undefined ? {} : { structured_data: structuredData }),
    ...(shape !== "images" || images.length === 0 ? {} : { images }),
    ...(toolCallId === "" ? {} : { tool_call_id: toolCallId }),
  };
}

function readDocument(document: Json): ReadDocument {
  const source = objectAt({ value: document, path: "" });
  const type = textAt(child(source, "memory_type", ""));
  if (type !== "" && !MEMORY_TYPES.includes(type)) {
    fault("memory_type", `must be one of ${MEMORY_TYPES.join(", ")}`);
  }
  const given = child(source, "additional_state", "");
  const state = isNone(given.value) ? {} : objectAt(given);
  const list = messagesAt(child(source, "messages", ""));
  const sources = list.map((value, index) => objectAt({ value, path: `messages[${index}]` }));
  const named = sources.length === 0 || sources.some((message) => idOf(message) !== "");
  const context = { ...NO_CONTEXT, named };
  const messages = sources.map((message, index) =>
    readMessage(marsys, message, `messages[${index}]`, context),
  );
  const left = documentLeftovers(marsys, source, {
    memory_type: type === "" ? MANAGED : type,
    // It says when a document was written, and is not kept.
    timestamp: source["timestamp"] ?? 0,
    additional_state: stateOf(state),
  });
  const kept = { ...left, ...(named ? {} : { shape: UNNAMED }) };
  return {
    messages,
    summaries: [],
    summary: "",
    ...(isNone(given.value) ? {} : { metadata: state }),
    ...(Object.keys(kept).length === 0 ? {} : { kept }),
    options: type === "" ? {} : { memory_type: type },
    hasPolicy: false,
    outside: 0,
  };
}

/** The metadata of a session but for what is kept there; null for none. */
function stateOf(metadata: JsonObject): Json {
  const others = Object.entries(metadata).filter(([key]) => key !== NAME);
  return others.length === 0 ? null : plainOf(objectOf(others));
}

function fields({ metadata, nowSeconds, stageCount }: WrittenSession): JsonObject {
  return {
    memory_type: stageCount === 0 ? CONVERSATION : MANAGED,
    timestamp: nowSeconds,
    additional_state: stateOf(metadata),
  };
}

/** The format of MARSYS. */
export const marsys: Format = {
  name: NAME,
  list: "messages",
  metadataField: "additional_state",
  hasCallParts: false,
  isBare: false,
  shapes: ["parts", "images"],
  lasting: ["message_id"],
  telling: ["additional_state"],
  readMessage: read,
  writeMessage: write,
  readDocument,
  fields,
  context: ({ metadata }) => ({
    ...NO_CONTEXT,
    named: keptIn(metadata[NAME])["shape"] !== UNNAMED,
  }),
};
