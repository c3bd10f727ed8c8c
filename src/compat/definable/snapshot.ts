// Documents of definable: the entries of a memory, each with its session, user and time.

import { ROLE } from "../window/types.ts";
import { callsAt, functionCalls, roleAt, roleName, textOf } from "./content.ts";
import {
  child,
  fault,
  isList,
  isNone,
  isObject,
  type Json,
  type JsonObject,
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
  type PlainSummary,
  type ReadDocument,
  type ReadMessage,
  type WriteContext,
  type WrittenSession,
} from "./plain.ts";

const DEFAULT_USER = "default";
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_799;
const NANOS = 1e9;

/** A time, to the nanosecond as times are stored; undefined when it is missing or null. */
function secondsAt(source: JsonObject, path: string): number | undefined {
  const at = child(source, "created_at", path);
  if (isNone(at.value)) return undefined;
  const { value } = at;
  if (typeof value !== "number" || value < SECONDS_MIN || value > SECONDS_MAX) {
    return fault(at.path, "must be seconds since 1970 in the years 1 to 9999, or null");
  }
  const whole = Math.floor(value);
  return whole + Math.round((value - whole) * NANOS) / NANOS;
}

function contentOf(source: JsonObject): string {
  const { value } = child(source, "content", "");
  if (isNone(value)) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
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
    toolCalls: role === ROLE.assistant ? callsAt(calls, true) : [],
    toolCallId: isTool ? textAt(child(details, "tool_call_id", data.path)) : "",
    sentSeconds: secondsAt(source, path),
  };
}

/** What the system keeps of a message beside its text: only where tools are involved. */
function messageData(message: PlainMessage, content: string): Json {
  const { name, role, toolCallId, toolCalls } = message;
  const data = { role: roleName(role), content };
  if (toolCalls.length > 0) return { ...data, tool_calls: functionCalls(toolCalls) };
  if (toolCallId === "") return null;
  return { ...data, tool_call_id: toolCallId, ...(name === "" ? {} : { name }) };
}

function write(message: PlainMessage, _shape: string, context: WriteContext): JsonObject {
  const content = textOf(message);
  const created = message.sentSeconds ?? context.createSeconds;
  return {
    session_id: context.sessionId,
    memory_id: message.messageId,
    user_id: context.userId,
    role: context.isSummary ? "summary" : roleName(message.role),
    content,
    message_data: messageData(message, content),
    created_at: created,
    updated_at: created,
  };
}

/** What all entries say alike; undefined when they differ. */
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
  const userId = shared(sources, "user_id");
  const context = {
    sessionId: sessionId ?? "",
    userId: userId ?? DEFAULT_USER,
    createSeconds: 0,
    isSummary: false,
  };
  const messages: ReadMessage[] = [];
  const summaries: PlainSummary[] = [];
  for (const { source, path, seconds } of entries) {
    if (source["role"] === "summary") {
      const messageId = textAt(child(source, "memory_id", path));
      const createSeconds = Math.max(0, seconds);
      const text = contentOf(source);
      summaries.push({ messageId, text, after: messages.length, createSeconds });
    } else {
      messages.push(readMessage(definable, source, path, context));
    }
  }
  const extra = Object.entries(whole).filter(([key]) => key !== "entries");
  const kept: JsonObject = {
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(isObject(document) ? { document: objectOf(extra) } : {}),
  };
  return {
    messages,
    summaries,
    summary: "",
    ...(userId === undefined || userId === DEFAULT_USER ? {} : { userId }),
    ...(Object.keys(kept).length === 0 ? {} : { metadata: { definable: kept } }),
    options: {},
    hasPolicy: false,
    outside: 0,
  };
}

function keptOf({ metadata }: WrittenSession): JsonObject {
  const kept = metadata["definable"];
  return isObject(kept) ? kept : {};
}

function frame(session: WrittenSession): { head: string; tail: string } {
  const { document } = keptOf(session);
  if (!isObject(document)) return { head: "[", tail: "]" };
  const fields = JSON.stringify(document).slice(0, -1);
  return { head: `${fields}${fields.length > 1 ? "," : ""}"entries":[`, tail: "]}" };
}

/** The format of definable. */
export const definable: Format = {
  shapes: ["entry"],
  readMessage: read,
  writeMessage: write,
  readDocument,
  frame,
  context: (session) => {
    const { session_id: known } = keptOf(session);
    const { sessionId, userId } = session;
    return {
      sessionId: typeof known === "string" ? known : sessionId,
      userId: userId === "" ? DEFAULT_USER : userId,
    };
  },
};
