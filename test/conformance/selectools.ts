// selectools: ConversationMemory and the trim events of its agent.

import { type Message, Role } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import type { Summary } from "../../clients/typescript/src/gen/memorysidecar/v1/summary.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { atLeast, type Shown, shown } from "./compare.ts";
import { HOOK } from "./hook.ts";
import {
  CaseFault,
  type Json,
  type JsonObject,
  listOf,
  needNumber,
  objectOf,
  textOf,
} from "./json.ts";
import { type CaseMessages, caseMessages, checkTokens, roleName, toMessage } from "./messages.ts";
import { observed } from "./selectools-events.ts";
import { longTermMemory } from "./selectools-memory.ts";
import { sessionStore } from "./selectools-store.ts";
import {
  AS_STORED_POLICY,
  createSession,
  getSession,
  getWindow,
  importDocument,
  storedWindow,
  summariesOf,
  summaryOf,
  written,
} from "./session.ts";
import { openStub, type Stub } from "./stub.ts";

const RUN_ID = "r1";
const MAIN = "memory";
const FORMAT = "selectools";

interface Memory {
  readonly sessionId: string;
  /** Messages that the newest enforcement removed. */
  lastTrimmed: readonly string[];
  /** The summaries that a reset erased: what observers heard of them before stays heard. */
  readonly erased: Summary[];
}

interface State {
  readonly context: Context;
  readonly messages: CaseMessages;
  readonly model: Stub;
  readonly memories: Map<string, Memory>;
  branchName: string;
  appends: number;
  afterRestore: unknown;
  /** The newest snapshot, with the names of its messages. */
  snapshot: Snapshot | undefined;
  /** Prompt of the newest run. */
  prompt: readonly Shown[] | undefined;
}

interface Snapshot {
  readonly document: JsonObject;
  readonly messages: readonly Shown[];
}

/**
 * Whether a case counts as the printed listing does, by which every text costs at least one token:
 * it says so, or the counts beside its messages do.
 */
function isMinOne(given: JsonObject): boolean {
  if (/max\(\s*1\s*,/.test(textOf(given["token_rule"], "token_rule") ?? "")) return true;
  return listOf(given["messages"], "messages").some((value) => {
    const { content = null, tokens = null } = objectOf(value, "a message");
    return typeof content === "string" && /^.{1,3}$/su.test(content) && tokens === 1;
  });
}

/** The options of a case, with the rule that it counts tokens by. */
function optionsOf(given: JsonObject): JsonObject {
  const policy: JsonObject = { hook: HOOK, ...objectOf(given["policy"], "policy") };
  // A prompt is counted with 4 tokens more for each message, as its compressor does by itself.
  const isPrompt = policy["compress_context"] === true;
  return isMinOne(given) && !isPrompt ? { ...policy, token_estimate: "floor_4_min_1" } : policy;
}

async function openMemory({ context, memories }: State): Promise<Memory> {
  const { given, when } = context.kase;
  const setLater = when.some(({ op }) => op === "set_summary");
  await createSession(context.rpc, {
    sessionId: MAIN,
    preset: "selectools",
    options: optionsOf(given),
    ...(setLater ? {} : { summary: textOf(given["summary"], "summary") }),
  });
  const memory: Memory = { sessionId: MAIN, lastTrimmed: [], erased: [] };
  memories.set(MAIN, memory);
  return memory;
}

async function memoryOf(state: State, name: Json | undefined): Promise<Memory> {
  const key = textOf(name, "on") ?? MAIN;
  const memory = state.memories.get(key);
  if (memory !== undefined) return memory;
  if (key !== MAIN) throw new CaseFault(`there is no memory ${key}`);
  return await openMemory(state);
}

async function addAll(state: State, op: JsonObject, references: readonly Json[]): Promise<void> {
  const memory = await memoryOf(state, op["on"]);
  if (references.length === 0) return;
  const source = references.map((reference) => state.messages.of(reference));
  state.appends += 1;
  const answer = await state.context.rpc.call("appendMessages", {
    sessionId: memory.sessionId,
    messages: source.map(toMessage),
    // The run of the agent that appends shows in the events.
    requestId: `${RUN_ID}/${state.appends}`,
  });
  memory.lastTrimmed = answer.trims.flatMap((trim) => trim.messageIds);
  if ("token_rule" in state.context.kase.given) checkTokens(source, answer.messages);
}

/** A message as ConversationMemory.to_dict writes it. */
function toDict(source: JsonObject): JsonObject {
  const calls = listOf(source["tool_calls"], "tool_calls").map((value) => {
    const call = objectOf(value, "a tool call");
    const parameters = call["arguments"] ?? call["parameters"] ?? {};
    return { tool_name: call["name"] ?? "", parameters, id: call["id"] ?? null };
  });
  return {
    role: source["role"] ?? null,
    content: source["content"] ?? "",
    ...(source["name"] === undefined ? {} : { tool_name: source["name"] }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(source["tool_call_id"] === undefined ? {} : { tool_call_id: source["tool_call_id"] }),
  };
}

/** Snapshot to restore: the one in the case, or the one that was taken. */
function broughtBy(state: State, op: JsonObject) {
  const given = op["snapshot"] ?? state.context.kase.given["snapshot"];
  if (given === undefined && state.snapshot !== undefined) {
    const { document, messages } = state.snapshot;
    return { document, source: messages.map(({ names }) => ({ id: names[0] ?? null })) };
  }
  const snapshot = objectOf(given, "snapshot");
  const listed = listOf(snapshot["messages"], "the messages of a snapshot");
  const source = listed.map((message) => objectOf(message, "a message"));
  return { document: { ...snapshot, messages: source.map(toDict) }, source };
}

async function restore(state: State, op: JsonObject): Promise<void> {
  const { rpc, kase } = state.context;
  const { document, source } = broughtBy(state, op);
  await importDocument(rpc, MAIN, FORMAT, document);
  state.messages.match(source, await storedWindow(rpc, MAIN));
  const memory: Memory = { sessionId: MAIN, lastTrimmed: [], erased: [] };
  state.memories.set(MAIN, memory);
  const expected = kase.expected["after_restore"];
  if (expected !== undefined) state.afterRestore = await look(state, memory, expected);
}

async function branch(state: State, op: JsonObject): Promise<void> {
  const { sessionId: sourceSessionId } = await memoryOf(state, op["on"]);
  const sessionId = textOf(op["as"], "as") ?? state.branchName;
  await state.context.rpc.call("forkSession", { sourceSessionId, sessionId });
  state.memories.set(sessionId, { sessionId, lastTrimmed: [], erased: [] });
  state.branchName = sessionId;
}

async function listed(state: State, { sessionId }: Memory): Promise<readonly Shown[]> {
  const stored = await storedWindow(state.context.rpc, sessionId);
  return stored.map((message) => state.messages.show(message));
}

async function recent(state: State, op: JsonObject): Promise<readonly Shown[]> {
  const { sessionId } = await memoryOf(state, op["on"]);
  const newest = needNumber(op["n"], "n");
  const { messages } = await state.context.rpc.call("getWindow", {
    sessionId,
    newest,
    policy: written(AS_STORED_POLICY),
  });
  return messages.map((message) => state.messages.show(message));
}

async function documentOf(state: State, { sessionId }: Memory): Promise<JsonObject> {
  const document = await state.context.rpc.exportDocument(sessionId, FORMAT);
  return objectOf(document as Json, "the document");
}

/** Writes a memory down. */
async function takeSnapshot(state: State, op: JsonObject): Promise<object> {
  const memory = await memoryOf(state, op["on"]);
  const document = await documentOf(state, memory);
  state.snapshot = { document, messages: await listed(state, memory) };
  return snapshotShown(state);
}

function snapshotShown({ snapshot }: State): object {
  if (snapshot === undefined) throw new CaseFault("nothing was written down");
  const dicts = listOf(snapshot.document["messages"], "the messages of a snapshot");
  const messages = snapshot.messages.map(({ names }, index) =>
    shown(names, atLeast(objectOf(dicts[index], "a message"))),
  );
  return atLeast({ ...snapshot.document, messages });
}

function events({ context }: State, memory: Memory): Promise<readonly object[]> {
  return observed(context.rpc, { ...memory, run: RUN_ID });
}

/** Messages in the memory before a run. Those that a case only names have their id as content. */
function storedFirst({ context, messages }: State): readonly Json[] {
  const { given, when } = context.kase;
  const added = new Set(when.map(({ id }) => id));
  for (const name of ["stored", "new_messages"]) {
    for (const id of listOf(given[name], name)) messages.learn({ id, role: "user", content: id });
  }
  const all = listOf(given["messages"], "messages").map((value) => objectOf(value, "a message"));
  const first = all.flatMap(({ id = null }) => (added.has(id) ? [] : [id]));
  return "stored" in given ? listOf(given["stored"], "stored") : first;
}

/**
 * Prompt of a run: the memory as it was before the new messages, after the summary as it is since.
 */
async function preparePrompt(state: State, op: JsonObject): Promise<readonly Shown[]> {
  const { context, messages } = state;
  const { given } = context.kase;
  const memory = await memoryOf(state, op["on"]);
  const { sessionId } = memory;
  await addAll(state, op, storedFirst(state));
  // Later reads find the messages that this read has compressed, and compress nothing.
  await getWindow(context.rpc, sessionId);
  const { effectivePolicy: own } = await getSession(context.rpc, sessionId);
  const policy = written({ ...AS_STORED_POLICY, summaryView: own?.summaryView });
  const read = async () => (await context.rpc.call("getWindow", { sessionId, policy })).messages;
  const before = await read();
  const fresh = listOf(op["messages"] ?? given["new_messages"], "new messages");
  await addAll(state, op, fresh);
  const after = await read();
  const stored = new Set((await storedWindow(context.rpc, sessionId)).map((m) => m.messageId));
  const said = (list: readonly Message[]) =>
    list.map((message) =>
      messages.show(message, { role: roleName(message.role), content: message.text }),
    );
  const summary = after.filter(({ messageId, seq }) => seq === 0 && !stored.has(messageId));
  const history = before.filter(({ messageId, seq }) => seq !== 0 || stored.has(messageId));
  const isNew = new Set(fresh.map((one) => messages.of(one)["id"]));
  const added = after.filter(({ messageId }) => isNew.has(messageId));
  state.prompt = [...said(summary), ...said(systemFirst(history)), ...said(added)];
  return state.prompt;
}

/** Compressed text has the system messages first, wherever they were. */
function systemFirst(history: readonly Message[]): readonly Message[] {
  const isMade = ({ seq }: Message): boolean => seq === 0;
  const isSystem = (message: Message): boolean => message.role === Role.SYSTEM && !isMade(message);
  if (!history.some(isMade)) return history;
  return [...history.filter(isSystem), ...history.filter((message) => !isSystem(message))];
}

/** Lets a trim summarize a chunk that joins the summary of the case. */
async function appendSummary(state: State): Promise<void> {
  const { rpc, kase } = state.context;
  rpc.script(openStub(kase.given["new_chunk"]));
  await createSession(rpc, {
    sessionId: MAIN,
    preset: "selectools",
    options: { hook: HOOK, max_messages: 1, summarize_on_trim: true },
    summary: textOf(kase.given["existing_summary"], "existing_summary"),
  });
  state.memories.set(MAIN, { sessionId: MAIN, lastTrimmed: [], erased: [] });
  await addAll(state, {}, [{ role: "user", content: "old" }]);
  await addAll(state, {}, [{ role: "user", content: "new" }]);
}

/** Inputs of the model that summarizes. */
function summaryInputs({ model }: State): readonly object[] {
  return model.inputs.map(({ transcript, maxTokens, priorTexts }) =>
    atLeast({ transcript, max_tokens: maxTokens, prior: priorTexts.join("\n") }),
  );
}

/** The characters of the summary, which are code points. */
async function summaryChars(state: State): Promise<readonly string[]> {
  const { sessionId } = await memoryOf(state, MAIN);
  return [...((await summaryOf(state.context.rpc, sessionId)) ?? "")];
}

/** Observable properties of a memory, by their names in cases. */
const SIGHTS: Table<State, Memory> = {
  survivors: listed,
  messages: listed,
  history: listed,
  length: async (state, memory) => (await listed(state, memory)).length,
  message_count: async (state, memory) => (await documentOf(state, memory))["message_count"],
  last_trimmed: ({ messages }, memory) => memory.lastTrimmed.map(messages.nameOf),
  summary: ({ context }, memory) => summaryOf(context.rpc, memory.sessionId),
  max_messages: async (state, memory) => (await documentOf(state, memory))["max_messages"],
  max_tokens: async (state, memory) => (await documentOf(state, memory))["max_tokens"],
  events,
};

async function look(state: State, memory: Memory, expected: Json): Promise<unknown> {
  const seen: Record<string, unknown> = {};
  for (const key of Object.keys(objectOf(expected, "an expected state"))) {
    const sight = SIGHTS[key];
    if (sight === undefined) throw new CaseFault(`expectation "${key}" is not understood`);
    seen[key] = await sight(state, memory);
  }
  return seen;
}

const OPERATIONS: Table<State, JsonObject> = {
  create: async (state) => {
    await memoryOf(state, MAIN);
  },
  add: (state, op) => addAll(state, op, [op["message"] ?? op["id"] ?? null]),
  add_many: (state, op) => addAll(state, op, listOf(op["messages"] ?? op["ids"], "ids")),
  get_history: async (state, op) => listed(state, await memoryOf(state, op["on"])),
  get_recent: recent,
  length: async (state, op) => (await listed(state, await memoryOf(state, op["on"]))).length,
  set_summary: async (state, op) => {
    const { sessionId } = await memoryOf(state, op["on"]);
    const text = textOf(op["text"], "text") ?? "";
    await state.context.rpc.call("setSummary", { sessionId, text });
  },
  clear: async (state, op) => {
    const memory = await memoryOf(state, op["on"]);
    memory.erased.push(...(await summariesOf(state.context.rpc, memory.sessionId)));
    await state.context.rpc.call("resetSession", { sessionId: memory.sessionId });
    memory.lastTrimmed = [];
  },
  branch,
  prepare_prompt: preparePrompt,
  append_summary: appendSummary,
  restore,
  from_dict: restore,
  to_dict: takeSnapshot,
  snapshot: takeSnapshot,
};

const EXPECTATIONS: Table<State, Json> = {
  ...Object.fromEntries(
    Object.entries(SIGHTS).map(([key, sight]) => [
      key,
      async (state: State) => sight(state, await memoryOf(state, MAIN)),
    ]),
  ),
  after_restore: (state) => state.afterRestore,
  summary_inputs: summaryInputs,
  prompt: (state) => state.prompt,
  view: (state) => state.prompt,
  stored_after_add: async (state) => listed(state, await memoryOf(state, MAIN)),
  event: async (state) => (await events(state, await memoryOf(state, MAIN))).at(-1),
  summary_length: async (state) => (await summaryChars(state)).length,
  starts_with: async (state, expected) =>
    (await summaryChars(state)).slice(0, [...String(expected)].length).join(""),
  ends_with: async (state, expected) =>
    (await summaryChars(state)).slice(-[...String(expected)].length).join(""),
  snapshot: snapshotShown,
  to_dict: snapshotShown,
  dict: snapshotShown,
  final: async (state, expected) => look(state, await memoryOf(state, MAIN), expected),
  original: async (state, expected) => look(state, await memoryOf(state, MAIN), expected),
  branch: async (state, expected) => look(state, await memoryOf(state, state.branchName), expected),
};

/**
 * Opens the adapter of selectools: of its long-term memory or its stores for a case about these,
 * else of one memory.
 */
export function openSelectools(context: Context): Adapter {
  const longTerm = longTermMemory(context);
  if (longTerm !== undefined) return longTerm;
  const { given } = context.kase;
  if ("sessions" in given || "ids" in given) return sessionStore(context);
  const messages = caseMessages(listOf(given["messages"], "messages"));
  const model = openStub(given["summarizer_returns"] ?? given["model_returns"]);
  context.rpc.script(model);
  const state: State = {
    context,
    messages,
    model,
    memories: new Map(),
    branchName: "branch",
    appends: 0,
    afterRestore: undefined,
    snapshot: undefined,
    prompt: undefined,
  };
  return bindAdapter(state, OPERATIONS, EXPECTATIONS);
}
