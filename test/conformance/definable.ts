// definable: Memory, whose entries a summary may replace.

import { type Message, Role } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import {
  type PolicyStage,
  Verdict,
} from "../../clients/typescript/src/gen/memorysidecar/v1/policy.ts";
import type { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import { SummaryPlacement } from "../../clients/typescript/src/gen/memorysidecar/v1/summary.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { familyOf } from "./cases.ts";
import { atLeast, type Shown, shown } from "./compare.ts";
import { agentRecall } from "./definable-recall.ts";
import { HOOK } from "./hook.ts";
import {
  type Json,
  type JsonObject,
  listOf,
  needText,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { OF_CLASSES } from "./left-out.ts";
import { contentJson, plainText, roleName, toMessage } from "./messages.ts";
import { NotOffered } from "./not-offered.ts";
import {
  allSessions,
  append,
  createSession,
  getSession,
  getWindow,
  ifFound,
  importDocument,
  written,
} from "./session.ts";
import { openStub, type Stub } from "./stub.ts";

const SESSION_LABEL = "definable/session";
const DATA_KEYS = ["tool_calls", "tool_call_id"] as const;

interface Scope {
  readonly session: string;
  readonly user: string;
}

interface State extends Context {
  readonly stub: Stub;
  /** Location of the entries that the case names. */
  readonly places: Map<string, Scope>;
  /** The entries whose content is no longer that of the case. */
  readonly updated: Set<string>;
  readonly counts: number[];
  /** Whether the source has asked for a summary in vain. */
  isLone: boolean;
  ready: Promise<void> | undefined;
  clock: number;
  entries: readonly Shown[] | undefined;
  context: readonly Message[] | undefined;
}

function scopeOf(op: JsonObject): Scope {
  return {
    session: textOf(op["session"] ?? op["session_id"], "session") ?? "default",
    user: textOf(op["user"] ?? op["user_id"], "user") ?? "default",
  };
}

function sessionIdOf({ session, user }: Scope): string {
  return `${session} ${user}`;
}

async function openScope({ rpc, kase, stub }: State, scope: Scope): Promise<void> {
  const sessionId = sessionIdOf(scope);
  if ((await ifFound(getSession(rpc, sessionId), null)) !== null) return;
  const policy: JsonObject = { hook: HOOK, ...objectOf(kase.given["policy"], "policy") };
  const create = (options: JsonObject) =>
    createSession(rpc, {
      sessionId,
      preset: "definable",
      options,
      userId: scope.user,
      labels: { [SESSION_LABEL]: scope.session },
    });
  // Without a model this memory summarizes nothing.
  if (!stub.present) await create({ ...policy, enabled: false });
  else if (policy["recent_count"] === 0) throw new NotOffered("recent count of none");
  else await create(policy);
}

/** The content of an entry: always a text. */
function entryText(content: Json | undefined): string {
  if (content === undefined || content === null) return "";
  return typeof content === "object" ? JSON.stringify(content) : String(content);
}

/** An entry as a message; what this system keeps of tool calls goes along as it is. */
function entryMessage(source: JsonObject, tick: number): Message {
  const role = source["role"] === "summary" ? "system" : (source["role"] ?? "user");
  const data = DATA_KEYS.filter((key) => (source[key] ?? null) !== null);
  const kept = Object.fromEntries(data.map((key) => [key, source[key]]));
  return {
    ...toMessage({ ...source, role, content: entryText(source["content"]) }),
    ...(data.length === 0 ? {} : { structuredData: kept }),
    sentTime: new Date(tick * 1000),
  };
}

/** The id of a new entry: that of the case, or its text where this can name one. */
function idFor({ places }: State, source: JsonObject): string {
  const id = textOf(source["id"], "id");
  if (id !== undefined) return id;
  const text = entryText(source["content"]);
  return /^[\w .-]{1,64}$/.test(text) && !places.has(text) ? text : "";
}

async function add(state: State, source: JsonObject, scope: Scope): Promise<void> {
  await openScope(state, scope);
  state.clock += 1;
  const message = { ...entryMessage(source, state.clock), messageId: idFor(state, source) };
  const sessionId = sessionIdOf(scope);
  const { messages, stageRuns } = await append(state.rpc, sessionId, [message]);
  if (message.messageId !== "") state.places.set(message.messageId, scope);
  const replacedMessageIds = messages.map(({ messageId }) => messageId);
  if (source["role"] === "summary") {
    const placement = SummaryPlacement.IN_PLACE;
    const request = { sessionId, text: plainText(message), replacedMessageIds, placement };
    await state.rpc.call("setSummary", request);
  }
  if (!stageRuns.some(({ taskId }) => taskId !== "")) await noticeLone(state, sessionId);
  const { windowTotals: window } = await getSession(state.rpc, sessionId);
  state.counts.push(window?.messageCount ?? 0);
}

/** Whether a message is a summary in the window: a system message that the server made. */
function isSummary(message: Message): boolean {
  return message.seq === 0 && message.role === Role.SYSTEM;
}

function roleOf(message: Message): string {
  return isSummary(message) ? "summary" : roleName(message.role);
}

/**
 * Notices a lone message that the source asks its model about, to drop the answer: a summary would
 * not make its list any shorter. The server never asks.
 */
async function noticeLone(state: State, sessionId: string): Promise<void> {
  const { effectivePolicy: policy } = await getSession(state.rpc, sessionId);
  const stages = (policy?.stages ?? []).map((stage): PolicyStage => {
    const { select } = stage;
    if (select?.$case !== "pinMiddleRecent") return stage;
    return { ...stage, select: { ...select, value: { ...select.value, minRemoved: 1 } } };
  });
  if (policy === undefined || stages.length === 0) return;
  const policies = [written({ ...policy, stages })];
  const { previews } = await state.rpc.call("previewPolicy", { sessionId, policies });
  const messages = previews[0]?.messages ?? [];
  state.isLone ||= messages.some(({ verdict }) => verdict === Verdict.AWAITS_SUMMARY);
}

function checkAsked({ isLone }: State): void {
  if (isLone) throw new NotOffered("lone summaries");
}

/** Requests to the model, in the words of this system's prompt. */
function summaryInputs(state: State): readonly object[] {
  checkAsked(state);
  const { stub } = state;
  return stub.inputs.map(({ transcript, priorTexts }) =>
    atLeast({
      transcript,
      prior: priorTexts.map((text) => `Previous summary: ${text}`).join("\n"),
    }),
  );
}

/** Stores what the case gives before its first operation. */
async function prepare(state: State): Promise<void> {
  const { rpc, kase } = state;
  const entries = listOf(kase.given["entries"], "entries");
  if (entries.length > 0) {
    const document = entries.map((entry) => ({
      session_id: "default",
      user_id: "default",
      role: "user",
      ...objectOf(entry, "an entry"),
    }));
    const sessionId = sessionIdOf(scopeOf({}));
    await importDocument(rpc, sessionId, "definable", document);
  }
  const added = new Set(kase.when.map(({ op, id }) => (op === "add" ? id : undefined)));
  for (const value of listOf(kase.given["messages"], "messages")) {
    const message = objectOf(value, "a message");
    if (!added.has(message["id"] ?? null)) await add(state, message, scopeOf({}));
  }
}

function prepared<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.ready ??= prepare(state);
    await state.ready;
    return await act(state, argument);
  };
}

async function addOne(state: State, op: JsonObject): Promise<void> {
  const enabled = op["enabled"] ?? objectOf(state.kase.given["policy"], "policy")["enabled"];
  if (enabled === false) return;
  const known = listOf(state.kase.given["messages"], "messages").map((each) => objectOf(each, ""));
  const named = known.find(({ id }) => id === op["id"] && id !== undefined);
  const { op: _, session: __, user: ___, enabled: ____, message, ...spoken } = op;
  const source = named ?? (message === undefined ? spoken : objectOf(message, "message"));
  await add(state, source, scopeOf(op));
}

function secondsOf(time: Date | undefined): number {
  return (time?.getTime() ?? 0) / 1000;
}

function showEntry(state: State, message: Message, session: Session): Shown {
  const placed = session.placedSummaries.find((one) => one.placedMessageId === message.messageId);
  const value = atLeast({
    role: roleOf(message),
    content: contentJson(message),
    created_at: secondsOf(placed?.firstMessageTime ?? message.sentTime),
    session_id: session.labels[SESSION_LABEL],
    user_id: session.userId,
    message_data: messageData(message),
  });
  if (isSummary(message)) return shown([], value);
  const id = message.messageId;
  const isNamed = state.places.has(id) && !state.updated.has(id);
  return shown(isNamed ? [id] : [plainText(message)], value);
}

/** Stored data of tool calls: as they were added, or as a document gave them. */
function messageData(message: Message): JsonObject | null {
  if (message.structuredData !== undefined) return message.structuredData as JsonObject;
  const calls = message.toolCalls.map(({ toolCallId, name, arguments: text }) => ({
    id: toolCallId,
    type: "function",
    function: { name, arguments: text },
  }));
  if (calls.length > 0) return { tool_calls: calls };
  return message.toolCallId === "" ? null : { tool_call_id: message.toolCallId };
}

async function entriesOf(state: State, op: JsonObject): Promise<readonly Shown[]> {
  const sessionId = sessionIdOf(scopeOf(op));
  const session = await ifFound(getSession(state.rpc, sessionId), null);
  const { messages } = session === null ? { messages: [] } : await getWindow(state.rpc, sessionId);
  const limit = numberOf(op["limit"], "limit") ?? messages.length;
  const list = messages
    .slice(0, limit)
    .flatMap((message) => (session === null ? [] : showEntry(state, message, session)));
  state.entries = list;
  return list;
}

async function contextOf(state: State, op: JsonObject): Promise<readonly Shown[]> {
  const window = await ifFound(getWindow(state.rpc, sessionIdOf(scopeOf(op))), undefined);
  state.context = window?.messages ?? [];
  return contents(state);
}

async function messageAt(state: State, sessionId: string, messageId: string): Promise<Message> {
  const { message } = await state.rpc.call("getMessage", { sessionId, messageId });
  if (message === undefined) throw new TypeError("GetMessage gave no message");
  return message;
}

/** Changes an entry; an unknown one is left alone. */
async function update(state: State, op: JsonObject): Promise<unknown> {
  const id = needText(op["entry"] ?? op["id"] ?? op["memory_id"], "entry");
  const scope = state.places.get(id);
  if (scope === undefined) return undefined;
  const sessionId = sessionIdOf(scope);
  const before = await messageAt(state, sessionId, id);
  const text = textOf(op["content"], "content") ?? "";
  const message = { ...toMessage({ content: text }), messageId: id, role: before.role };
  const request = { sessionId, message, updateMask: ["text", "parts"] };
  const found = await ifFound(state.rpc.call("updateMessage", request), null);
  if (found === null) return undefined;
  state.updated.add(id);
  const after = await messageAt(state, sessionId, id);
  const isUnchanged = secondsOf(after.sentTime) === secondsOf(before.sentTime);
  return [plainText(after), isUnchanged];
}

async function remove(state: State, op: JsonObject): Promise<void> {
  const messageId = needText(op["entry"] ?? op["id"] ?? op["memory_id"], "entry");
  const scope = state.places.get(messageId);
  if (scope === undefined) return;
  const sessionId = sessionIdOf(scope);
  await state.rpc.call("deleteMessage", { sessionId, messageId, allowMissing: true });
}

/** Deletes the sessions of this name, of one user or of all of them. */
async function clear(state: State, op: JsonObject): Promise<void> {
  const session = textOf(op["session"] ?? op["session_id"], "session") ?? "default";
  const user = textOf(op["user"] ?? op["user_id"], "user");
  for (const { sessionId, labels, userId } of await allSessions(state.rpc)) {
    const isOther = labels[SESSION_LABEL] !== session || (user ?? userId) !== userId;
    if (!isOther) await state.rpc.call("deleteSession", { sessionId });
  }
}

/** A closed memory without a store of its own has lost everything. */
async function close({ rpc }: State): Promise<void> {
  for (const { sessionId } of await allSessions(rpc))
    await rpc.call("deleteSession", { sessionId });
}

/** The defaults of the memory, as the server lists them; of what is no option here, as expected. */
async function memoryDefaults(state: State, expected: Json): Promise<unknown> {
  const { presets } = await state.rpc.call("listPolicyPresets", {});
  const options = presets.find(({ name }) => name === "definable")?.options ?? [];
  const own = options.filter(({ group }) => group === "Memory");
  const ofClass = Object.entries(objectOf(expected, "memory")).filter(([name]) =>
    isOfClass(state, name),
  );
  const listed = own.map(({ name, defaultValue = null }) => [name, defaultValue] as const);
  return Object.fromEntries([...ofClass, ...listed]);
}

/** Whether only the source's own classes have this; the run says so then. */
function isOfClass({ rpc }: State, name: string): boolean {
  const what = `definable ${name}`;
  const because = OF_CLASSES[what];
  if (because !== undefined) rpc.leftOut.add(`${what}: ${because}`);
  return because !== undefined;
}

/** An entry of which nobody says anything, read again. */
async function emptyEntry(state: State): Promise<unknown> {
  await add(state, {}, scopeOf({}));
  const [entry] = await entriesOf(state, {});
  return entry;
}

const OPERATIONS: Table<State, JsonObject> = {
  create: prepared((state) => openScope(state, scopeOf({}))),
  add: prepared(addOne),
  get_entries: prepared(entriesOf),
  get_context_messages: prepared(contextOf),
  update: prepared(update),
  delete: prepared(remove),
  clear: prepared(clear),
  close: prepared(close),
};

const EXPECTATIONS: Table<State, Json> = {
  entries: prepared(async (state) => {
    checkAsked(state);
    return state.entries ?? (await entriesOf(state, {}));
  }),
  count_after_each_add: ({ counts }) => counts,
  summary_inputs: summaryInputs,
  context: prepared(seen),
  context_messages: prepared(seen),
  context_roles: prepared(async (state) =>
    (await seen(state)).map(({ value }) => ("role" in value ? value.role : undefined)),
  ),
  memory: memoryDefaults,
  strategy_alone: (state, expected) => (isOfClass(state, "strategy_alone") ? expected : null),
  entry: prepared(emptyEntry),
  add_defaults: () => {
    const { session, user } = scopeOf({});
    return { session_id: session, user_id: user };
  },
};

async function seen(state: State): Promise<readonly Shown[]> {
  return state.context === undefined ? await contextOf(state, {}) : contents(state);
}

/** The messages that go to a model. */
function contents({ context = [] }: State): readonly Shown[] {
  return context.map((message) => {
    const said = { role: roleName(message.role), content: contentJson(message) };
    return shown([plainText(message)], atLeast({ ...said, ...messageData(message) }));
  });
}

/** Opens the adapter of definable. */
export function openDefinable(context: Context): Adapter {
  if (familyOf(context.kase) === "agent") return agentRecall(context);
  const { given } = context.kase;
  const stub = openStub(given["summarizer_returns"] ?? given["model_returns"]);
  context.rpc.script(stub);
  const state: State = {
    ...context,
    stub,
    places: new Map(),
    updated: new Set(),
    counts: [],
    isLone: false,
    ready: undefined,
    clock: 0,
    entries: undefined,
    context: undefined,
  };
  return bindAdapter(state, OPERATIONS, EXPECTATIONS);
}
