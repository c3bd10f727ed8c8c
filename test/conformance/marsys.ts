// MARSYS: ConversationMemory, ManagedConversationMemory and MemoryManager.

import { EventType } from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import {
  type Message,
  MessageOrder,
  Role,
} from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { familyOf } from "./cases.ts";
import { atLeast, type Shown } from "./compare.ts";
import {
  type Json,
  type JsonObject,
  listOf,
  needNumber,
  needText,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { parseMarsys } from "./marsys-calls.ts";
import {
  compactedTokens,
  compactForError,
  compactIfNeeded,
  summaryInputRoles,
} from "./marsys-compaction.ts";
import { MAIN, type Memory, openMemory, ready } from "./marsys-memory.ts";
import {
  caseMessages,
  checkTokens,
  contentJson,
  contentOf,
  roleName,
  roleOf,
  toMessage,
} from "./messages.ts";
import { NotOffered, notOffered } from "./not-offered.ts";
import {
  append,
  eventsOf,
  getSession,
  getWindow,
  ifFound,
  importDocument,
  logOf,
} from "./session.ts";

const FORMAT = "marsys";
const LOADED = "loaded";

/** A message in the form that goes to a model. */
function dictOf(message: Message): JsonObject {
  const calls = message.toolCalls.map(({ toolCallId, name, arguments: text }) => ({
    id: toolCallId,
    type: "function",
    function: { name, arguments: text },
  }));
  const isBareCall = calls.length > 0 && message.text === "" && message.parts.length === 0;
  const content = contentJson(message);
  if (message.role === Role.TOOL && typeof content !== "string") {
    throw new NotOffered("tool data as text");
  }
  return {
    role: roleName(message.role),
    content: isBareCall ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(message.toolCallId === "" ? {} : { tool_call_id: message.toolCallId }),
    ...(message.name === "" ? {} : { name: message.name }),
  };
}

function showAll({ messages }: Memory, list: readonly Message[]): readonly Shown[] {
  return list.map((message) => messages.show(message, dictOf(message)));
}

/** Remembers the size after a change; changes of the same kind side by side count as one. */
async function measure(memory: Memory, op: string): Promise<void> {
  const { logTotals: log } = await getSession(memory.rpc, MAIN);
  const total = log?.tokenCount ?? 0;
  if (op === "add" && memory.measured.at(-1)?.op === "add") memory.measured.pop();
  memory.measured.push({ op, total });
}

async function add(memory: Memory, op: JsonObject): Promise<void> {
  const { op: _, message, id, ...spoken } = op;
  const source =
    message !== undefined || ("id" in op && !("role" in op))
      ? memory.messages.of(message ?? id)
      : memory.messages.learn(id === undefined ? spoken : { ...spoken, id });
  const answer = await append(memory.rpc, MAIN, [toMessage(source)]);
  if ("token_rule" in memory.kase.given) checkTokens([source], answer.messages);
  await measure(memory, "add");
}

const CONTENT_PATHS = ["name", "text", "parts", "tool_calls", "agent_calls", "tool_call_id"];

/** The paths of the contract that fields of this system's messages stand for. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  content: ["text", "parts"],
  images: ["parts"],
  name: ["name"],
  tool_calls: ["tool_calls"],
  agent_calls: ["agent_calls"],
  tool_call_id: ["tool_call_id"],
  structured_data: ["structured_data"],
};

async function change(memory: Memory, messageId: string, source: JsonObject): Promise<void> {
  const updateMask = Object.keys(source).flatMap((key) => PATHS[key] ?? []);
  const message = { ...toMessage(source), ...contentOf(source["content"]), messageId };
  const calls = listOf(source["tool_calls"], "tool_calls");
  if (calls.length > 0) message.toolCalls = toMessage(source).toolCalls;
  await memory.rpc.call("updateMessage", { sessionId: MAIN, message, updateMask });
}

async function update(memory: Memory, op: JsonObject): Promise<void> {
  const { op: _, id, message_id: other, role, ...fields } = op;
  const messageId = needText(id ?? other, "id");
  if (role !== undefined) throw new NotOffered("another role");
  await change(memory, messageId, fields);
  await measure(memory, "update");
}

async function byId(memory: Memory, op: JsonObject): Promise<unknown> {
  const messageId = needText(op["id"] ?? op["message_id"], "id");
  const request = { sessionId: MAIN, messageId };
  const found = await ifFound(memory.rpc.call("getMessage", request), null);
  return found?.message === undefined ? null : showAll(memory, [found.message])[0];
}

/** Gives the newest messages of the log, all of them or those of a role; 0 means all. */
async function newest(memory: Memory, count: number, role: Json = null) {
  const roles = role === null ? [] : [roleOf(role)];
  const { messages } = await memory.rpc.call("listMessages", {
    sessionId: MAIN,
    filter: {
      roles,
      firstSeq: 0,
      lastSeq: 0,
      labels: {},
      metadata: [],
      names: [],
      calledTools: [],
      messageIds: [],
      timeFrom: undefined,
      timeBefore: undefined,
    },
    order: MessageOrder.SEQ_DESC,
    pageSize: count === 0 ? 1_000 : count,
  });
  return showAll(memory, messages.reverse());
}

async function recent(memory: Memory, op: JsonObject): Promise<readonly Shown[]> {
  const count = numberOf(op["n"], "n") ?? 1;
  return count <= 0 ? [] : await newest(memory, count);
}

async function byRole(memory: Memory, op: JsonObject): Promise<readonly Shown[]> {
  const count = numberOf(op["n"], "n") ?? 0;
  return await newest(memory, Math.max(0, count), needText(op["role"], "role"));
}

async function removeById(memory: Memory, op: JsonObject): Promise<boolean> {
  const messageId = needText(op["id"] ?? op["message_id"], "id");
  const request = { sessionId: MAIN, messageId, allowMissing: true };
  const { revision } = await memory.rpc.call("deleteMessage", request);
  await measure(memory, "remove_by_id");
  return revision !== 0;
}

/** Gives the message at a place of the log. */
async function at(memory: Memory, op: JsonObject): Promise<Message> {
  const index = needNumber(op["index"] ?? op["idx"], "index");
  const message = (await logOf(memory.rpc, MAIN))[index];
  if (message === undefined) throw new NotOffered("access by place");
  return message;
}

async function deleteAt(memory: Memory, op: JsonObject): Promise<void> {
  const { messageId } = await at(memory, op);
  await memory.rpc.call("deleteMessage", { sessionId: MAIN, messageId });
  await measure(memory, "delete_memory");
}

async function replaceAt(memory: Memory, op: JsonObject): Promise<void> {
  const { op: _, index: __, idx: ___, message, id, ...spoken } = op;
  const old = await at(memory, op);
  const named = message ?? id;
  const source = named === undefined ? spoken : memory.messages.of(named);
  const next = toMessage(source);
  if (next.role !== old.role) throw new NotOffered("another role");
  const changed = { ...next, messageId: old.messageId };
  const request = { sessionId: MAIN, message: changed, updateMask: CONTENT_PATHS };
  await memory.rpc.call("updateMessage", request);
  memory.messages.match([source], [old]);
  await measure(memory, "replace_memory");
}

async function getMessages(memory: Memory): Promise<readonly Shown[]> {
  const { messages } = await getWindow(memory.rpc, MAIN);
  const view = showAll(memory, messages);
  memory.views.push(view);
  return view;
}

async function countEach(memory: Memory): Promise<void> {
  const log = await logOf(memory.rpc, MAIN);
  memory.tokens = log.map(({ tokenCount = 0 }) => tokenCount);
}

async function save(memory: Memory, op: JsonObject): Promise<void> {
  const { rpc } = memory;
  const state = op["additional_state"] ?? null;
  if (state !== null) {
    const session = Session.fromPartial({ sessionId: MAIN, metadata: objectOf(state, "it") });
    await rpc.call("updateSession", { session, updateMask: ["metadata"] });
  }
  memory.saved = objectOf((await rpc.exportDocument(MAIN, FORMAT)) as Json, "the document");
}

async function load(memory: Memory): Promise<unknown> {
  const { metadata } = await importDocument(memory.rpc, LOADED, FORMAT, memory.saved);
  memory.loaded = true;
  return metadata ?? null;
}

async function loadedMessages(memory: Memory): Promise<readonly JsonObject[]> {
  const { messages } = await getWindow(memory.rpc, memory.loaded ? LOADED : MAIN);
  return messages.map(dictOf);
}

async function resets(memory: Memory): Promise<readonly object[]> {
  // The system tells of a reset only when it was given where to tell it.
  const { event_context: context = null } = memory.kase.given;
  if (context === null) return [];
  const events = await eventsOf(memory.rpc, MAIN, [EventType.SESSION_RESET]);
  const agent = textOf(objectOf(context, "event_context")["agent_name"], "agent_name");
  return events.map(({ createTime }) =>
    atLeast({
      event: "MemoryResetEvent",
      agent_name: agent,
      timestamp: createTime && Math.floor(createTime.getTime() / 1000),
    }),
  );
}

const OPERATIONS: Table<Memory, JsonObject> = {
  create: ready(() => undefined),
  add: ready(add),
  update: ready(update),
  retrieve_all: ready(getMessages),
  get_messages: ready(getMessages),
  get_raw_messages: ready(async (memory) => showAll(memory, await logOf(memory.rpc, MAIN))),
  retrieve_recent: ready(recent),
  retrieve_by_id: ready(byId),
  retrieve_by_role: ready(byRole),
  remove_by_id: ready(removeById),
  replace_memory: ready(replaceAt),
  delete_memory: ready(deleteAt),
  reset_memory: ready(async ({ rpc, isManaged }) => {
    await rpc.call("resetSession", { sessionId: MAIN, keepFirstSystemMessage: !isManaged });
  }),
  get_cache_stats: notOffered("cache facts"),
  count_each: ready(countEach),
  save: ready(save),
  load: ready(load),
  compact_if_needed: ready(compactIfNeeded),
  compact_for_payload_error: ready(compactForError),
  load_missing: notOffered("files of memories"),
};

function totals(memory: Memory, expected: Json): unknown {
  if (memory.compacted !== undefined) return compactedTokens(memory);
  const list = memory.measured.map(({ total }) => total);
  return Array.isArray(expected) ? list : logTotal(memory);
}

async function logTotal(memory: Memory): Promise<number> {
  return Number((await getSession(memory.rpc, MAIN)).logTotals?.tokenCount ?? 0);
}

function newestValue({ steps }: Memory, name: string): unknown {
  return steps.findLast(({ op }) => op["op"] === name)?.value;
}

const EXPECTATIONS: Table<Memory, Json> = {
  view: ready((memory) => memory.views.at(-1) ?? getMessages(memory)),
  views: ({ views }) => views,
  survivors: ready(async (memory) => showAll(memory, await logOf(memory.rpc, MAIN))),
  raw_count: ready(async ({ rpc }) => (await logOf(rpc, MAIN)).length),
  estimated_total_tokens: ready(totals),
  cache_stats: notOffered("cache facts"),
  tokens: ({ tokens }) => tokens,
  events: (memory) => {
    if (memory.compacted !== undefined) throw new NotOffered("compaction events");
    return resets(memory);
  },
  messages: ready(async (memory) =>
    memory.compacted === undefined
      ? await loadedMessages(memory)
      : showAll(memory, (await getWindow(memory.rpc, MAIN)).messages),
  ),
  stages: notOffered("compaction events"),
  returned: ({ compacted }) => compacted,
  summary_input_roles: summaryInputRoles,
  additional_state: (memory) => newestValue(memory, "load"),
  load_missing_returns: (memory) => newestValue(memory, "load_missing"),
};

/** Opens the adapter of MARSYS. */
export function openMarsys(context: Context): Adapter {
  if (familyOf(context.kase) === "kg") throw new NotOffered("fact memory");
  const memory = openMemory(context, caseMessages(listOf(context.kase.given["messages"], "it")));
  const adapter = bindAdapter(memory, OPERATIONS, EXPECTATIONS);
  return { ...adapter, parse: (name) => parseMarsys(memory, adapter.operations, name) };
}
