// Documents of definable: the entries of a memory, each with its session, user and time.

import { ROLE, ROLE_NAMES } from "../../window/rules/types.ts";
import { callsAt, functionCalls, roleAt, textOf } from "../common/content.ts";
import {
  child,
  fault,
  isList,
  isNone,
  isObject,
  type Json,
  type JsonObject,
  messagesAt,
  numberOf,
  objectAt,
  textAt,
} from "../common/json.ts";
import { documentLeftovers, keptIn, leftoversOf, readMessage } from "../common/leftovers.ts";
import {
  EMPTY_MESSAGE,
  type Format,
  NO_CONTEXT,
  type PlainMessage,
  type PlainSummary,
  type ReadDocument,
  type ReadMessage,
  type WriteContext,
} from "../common/plain.ts";

const DEFAULT_USER = "default";
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_799;
const NANOS = 1e9;
const MS = 1_000;

/** A time, to the nanosecond as times are stored; undefined when it is missing or null. */
function secondsAt(source: JsonObject, path: string): number | undefined {
  const at = child(source, "created_at", path);
  if (isNone(at.value)) return undefined;
  const value = numberOf(at.value);
  if (typeof value !== "number" || value < SECONDS_MIN || value > SECONDS_MAX) {
    return fault(at.path, "must be seconds since 1970 in the years 1 to 9999, or null");
  }
  const whole = Math.floor(value);
  return whole + Math.round((value - whole) * NANOS) / NANOS;
}

function contentOf(source: JsonObject): string {
  const { value } = child(source, "content", "");
  if (isNone(value)) return "";
  return typeof value === "string" ? value.toWellFormed() : JSON.stringify(value);
}

function read(source: JsonObject, path: string): PlainMessage {
  const role = roleAt(child(source, "role", path));
  const data = child(source, "message_data", path);
  const details = isNone(data.value) ? {} : objectAt(data);
  const isTool = role === ROLE.tool;
  const calls = child(details, "tool_calls", data.path);
  return {
    ...EMPTY_MESSAGE,
    messageId: textAt(child(source, "memory_id", path)),
    role,
    name: isTool ? textAt(child(details, "name", data.path)) : "",
    text: contentOf(source),
    toolCalls: role === ROLE.assistant ? callsAt(calls, false) : [],
    toolCallId: isTool ? textAt(child(details, "tool_call_id", data.path)) : "",
    sentSeconds: secondsAt(source, path),
  };
}

/** The data that the system keeps beside a message's text; null unless tools are involved. */
function messageData(message: PlainMessage, content: string): Json {
  const { name, role, toolCallId, toolCalls } = message;
  const data = { role: ROLE_NAMES[role], content };
  if (toolCalls.length > 0) return { ...data, tool_calls: functionCalls(toolCalls) };
  if (toolCallId === "" && (role !== ROLE.tool || name === "")) return null;
  const answered = toolCallId === "" ? {} : { tool_call_id: toolCallId };
  return { ...data, ...answered, ...(name === "" ? {} : { name }) };
}

function write(message: PlainMessage, _shape: string, context: WriteContext): JsonObject {
  const content = textOf(message);
  // The system sorts by time: what was said before its turn keeps its place.
  const created = Math.max(message.sentSeconds ?? context.createSeconds, context.notBefore);
  return {
    session_id: context.sessionId,
    memory_id: message.messageId,
    user_id: context.userId,
    role: context.isSummary ? "summary" : ROLE_NAMES[message.role],
    content,
    message_data: messageData(message, content),
    created_at: created,
    updated_at: created,
  };
}

/** The value that all entries share; undefined when they differ. */
function shared(entries: readonly JsonObject[], key: string): string | undefined {
  const first = entries[0]?.[key];
  if (typeof first !== "string" || entries.some((entry) => entry[key] !== first)) return undefined;
  return first;
}

interface Entry {
  readonly source: JsonObject;
  readonly path: string;
  readonly seconds: number;
}

/** Reads an entry that stands for others. It is written with its text, its id and its time. */
function readSummary(
  source: JsonObject,
  path: string,
  { firstMs, ...context }: WriteContext & { readonly firstMs: number },
): Pick<PlainSummary, "messageId" | "text" | "leftovers"> {
  const messageId = textAt(child(source, "memory_id", path));
  const text = contentOf(source);
  const message = { ...EMPTY_MESSAGE, messageId, role: ROLE.system, text };
  const as = { ...context, isSummary: true, createSeconds: firstMs / MS };
  const { leftovers } = leftoversOf(source, write(message, "", as), undefined);
  return { messageId, text, leftovers };
}

function readDocument(document: Json): ReadDocument {
  const whole: JsonObject = isObject(document) ? document : { entries: document };
  if (!isList(whole["entries"])) fault("entries", "must be a list");
  const prefix = isObject(document) ? "entries" : "";
  const entries: Entry[] = messagesAt(child(whole, "entries", "")).map((value, index) => {
    const path = `${prefix}[${index}]`;
    const source = objectAt({ value, path });
    return { source, path, seconds: secondsAt(source, path) ?? 0 };
  });
  // The order of the system: by time, entries of the same time as they came.
  entries.sort((a, b) => a.seconds - b.seconds);
  const sources = entries.map(({ source }) => source);
  const sessionId = shared(sources, "session_id");
  const userId = shared(sources, "user_id")?.toWellFormed();
  const context = {
    ...NO_CONTEXT,
    sessionId: sessionId ?? "",
    userId: userId ?? DEFAULT_USER,
    // Nobody knows yet when it will be stored: no time of the document is that one.
    createSeconds: Number.NaN,
  };
  const messages: ReadMessage[] = [];
  const summaries: PlainSummary[] = [];
  for (const { source, path, seconds } of entries) {
    if (source["role"] === "summary") {
      const firstMs = Math.floor(Math.max(0, seconds) * MS);
      const after = messages.length;
      summaries.push({ ...readSummary(source, path, { ...context, firstMs }), after, firstMs });
    } else {
      messages.push(readMessage(definable, source, path, context));
    }
  }
  const kept: JsonObject = {
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...documentLeftovers(definable, document, {}),
  };
  return {
    messages,
    summaries,
    summary: "",
    ...(userId === undefined || userId === DEFAULT_USER ? {} : { userId }),
    ...(Object.keys(kept).length === 0 ? {} : { kept }),
    options: {},
    hasPolicy: false,
    outside: 0,
  };
}

/** The format of definable. */
export const definable: Format = {
  name: "definable",
  list: "entries",
  metadataField: "document",
  hasCallParts: false,
  isBare: true,
  shapes: ["entry"],
  lasting: ["session_id", "memory_id", "user_id", "created_at", "updated_at"],
  telling: [],
  readMessage: read,
  writeMessage: write,
  readDocument,
  fields: () => ({}),
  context: ({ metadata, sessionId, userId }) => {
    const { session_id: known } = keptIn(metadata["definable"]);
    return {
      sessionId: typeof known === "string" ? known : sessionId,
      userId: userId === "" ? DEFAULT_USER : userId,
      named: true,
    };
  },
};
