// selectools: the stores of sessions. A session with a namespace is a session of ours whose id
// begins with its own id, so that equal scores are ordered by that, and whose label names the
// namespace.

import {
  isMemorySidecarError,
  type MemorySidecarError,
} from "../../clients/typescript/src/errors.ts";
import { RecallFilter } from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { atLeast } from "./compare.ts";
import {
  CaseFault,
  type Json,
  type JsonObject,
  listOf,
  needText,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { plainText, toMessage } from "./messages.ts";
import { allSessions, append, createSession, getWindow, ifFound } from "./session.ts";

const LABEL = "selectools/namespace";
/** Sessions that a search gives where it names no number, and pieces of each. */
const LIMIT = 5;
const PIECES = 5;

interface State extends Context {
  /** Settles when the sessions that are given are stored. */
  ready: Promise<void> | undefined;
}

/** Names a session of ours. */
function sessionIdOf(id: Json | undefined, namespace: Json | undefined): string {
  const name = needText(id, "session_id");
  return typeof namespace === "string" ? `${name} ${namespace}` : name;
}

/** The id without the namespace that stands behind it. */
function bareId(sessionId: string, namespace: string | undefined): string {
  return namespace === undefined ? sessionId : sessionId.slice(0, -namespace.length - 1);
}

function targetOf(op: JsonObject): string {
  const id = op["session_id"] ?? op["source"] ?? op["source_id"] ?? op["id"];
  return sessionIdOf(id, op["namespace"]);
}

/** The session that an operation is about; a full key, as lists give it, names one as well. */
async function find({ rpc }: State, op: JsonObject): Promise<string> {
  const sessionId = targetOf(op);
  const [, namespace, id] = /^([^:]+):(.+)$/s.exec(sessionId) ?? [];
  if (id === undefined || "namespace" in op) return sessionId;
  const keyed = sessionIdOf(id, namespace);
  const found = await ifFound(rpc.call("getSession", { sessionId: keyed }), undefined);
  return found?.session?.labels[LABEL] === namespace ? keyed : sessionId;
}

function parseMessage(value: Json): JsonObject {
  if (typeof value !== "string") return objectOf(value, "a message");
  const [, role, content] = /^(\w+): (.*)$/s.exec(value) ?? [];
  if (role === undefined) throw new CaseFault(`"${value}" is not "role: content"`);
  return { role, content: content ?? "" };
}

async function save(state: State, source: JsonObject): Promise<void> {
  const { rpc, kase } = state;
  const sessionId = targetOf(source);
  const namespace = textOf(source["namespace"], "namespace");
  await rpc.call("deleteSession", { sessionId, allowMissing: true });
  await createSession(rpc, {
    sessionId,
    preset: "selectools",
    options: objectOf(kase.given["policy"], "policy"),
    labels: namespace === undefined ? {} : { [LABEL]: namespace },
  });
  const messages = listOf(source["messages"], "messages").map(parseMessage).map(toMessage);
  if (messages.length > 0) await append(rpc, sessionId, messages);
}

async function saveGiven(state: State): Promise<void> {
  for (const session of listOf(state.kase.given["sessions"], "sessions")) {
    await save(state, objectOf(session, "a session"));
  }
}

/** Does something once the sessions that are given are there. */
function prepared(act: (state: State, op: JsonObject) => unknown) {
  return async (state: State, op: JsonObject): Promise<unknown> => {
    state.ready ??= saveGiven(state);
    await state.ready;
    return await act(state, op);
  };
}

async function namespaces({ rpc }: State): Promise<ReadonlyMap<string, string | undefined>> {
  const sessions = await allSessions(rpc);
  return new Map(sessions.map(({ sessionId, labels }) => [sessionId, labels[LABEL]]));
}

async function search(state: State, op: JsonObject): Promise<unknown> {
  const namespace = textOf(op["namespace"], "namespace");
  const limit = numberOf(op["limit"], "limit") ?? LIMIT;
  const labels: Record<string, string> = namespace === undefined ? {} : { [LABEL]: namespace };
  const query = needText(op["query"], "query");
  // This system takes a limit below 0 for 0; the contract has no empty page.
  if (limit <= 0) return [];
  const { hits, sessions } = await state.rpc.call("recall", {
    ...{ query, pageSize: limit, scoring: "occurrences" },
    groupBySession: { hitsPerSession: PIECES },
    filter: RecallFilter.fromPartial({ sessionLabels: labels }),
  });
  const known = await namespaces(state);
  let first = 0;
  return sessions.map(({ sessionId, score, hitCount }) => {
    const own = hits.slice(first, first + hitCount);
    first += hitCount;
    return atLeast({
      session_id: bareId(sessionId, known.get(sessionId)),
      score,
      matched_messages: own.map(({ passage }) => passage),
    });
  });
}

async function list(state: State, op: JsonObject): Promise<readonly string[]> {
  const wanted = textOf(op["namespace"], "namespace");
  const ids: string[] = [];
  for (const [sessionId, namespace] of await namespaces(state)) {
    if (wanted !== undefined && namespace !== wanted) continue;
    const id = bareId(sessionId, namespace);
    ids.push(namespace === undefined ? id : `${namespace}:${id}`);
  }
  return ids.sort();
}

async function load(state: State, op: JsonObject): Promise<unknown> {
  const window = await ifFound(getWindow(state.rpc, await find(state, op)), null);
  return window && atLeast({ messages: window.messages.map(plainText) });
}

async function branch(state: State, op: JsonObject): Promise<void> {
  const sessionId = sessionIdOf(op["to"] ?? op["new"] ?? op["new_id"], op["namespace"]);
  const sourceSessionId = await find(state, op);
  await state.rpc.call("forkSession", { sourceSessionId, sessionId });
}

async function remove(state: State, op: JsonObject): Promise<boolean> {
  const request = { sessionId: await find(state, op), allowMissing: true };
  return (await state.rpc.call("deleteSession", request)).revision !== 0;
}

/** Refusal of a text as a session id; null if the server accepts it. */
async function refusal({ rpc }: State, text: string): Promise<MemorySidecarError | null> {
  try {
    await rpc.call("getSession", { sessionId: text });
  } catch (error) {
    if (isMemorySidecarError(error, "SESSION_NOT_FOUND")) return null;
    if (isMemorySidecarError(error)) return error;
    throw error;
  }
  return null;
}

/** Cases write a control character as an escape, so that it can be seen. */
function readEscapes(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
}

/** Ids and namespaces follow the same rule; each is tried by itself. */
async function validateEach(state: State): Promise<readonly (MemorySidecarError | null)[]> {
  const refusals: (MemorySidecarError | null)[] = [];
  for (const pair of listOf(state.kase.given["ids"], "ids")) {
    const [id, namespace = null] = listOf(pair, "an id with its namespace");
    let found = await refusal(state, readEscapes(needText(id, "an id")));
    if (found === null && namespace !== null) {
      found = await refusal(state, readEscapes(needText(namespace, "a namespace")));
    }
    refusals.push(found);
  }
  return refusals;
}

const OPERATIONS: Table<State, JsonObject> = {
  save: prepared(save),
  search: prepared(search),
  list: prepared(list),
  load: prepared(load),
  exists: prepared(async (state, op) => (await load(state, op)) !== null),
  branch: prepared(branch),
  delete: prepared(remove),
  validate_each: validateEach,
};

function valuesOf({ steps }: State, name: string): unknown[] {
  return steps.filter(({ op }) => op["op"] === name).map(({ value }) => value);
}

/** Gives what the first search gave that is of a kind. */
function searched({ steps }: State, test: (op: JsonObject) => boolean): unknown {
  return steps.find(({ op }) => op["op"] === "search" && test(op))?.value;
}

const EXPECTATIONS: Table<State, Json> = {
  search: (state) => searched(state, (op) => !("namespace" in op || "limit" in op)),
  search_namespace: (state) => searched(state, (op) => "namespace" in op),
  search_blank: (state) => searched(state, (op) => String(op["query"]).trim() === ""),
  list_ids: (state) => valuesOf(state, "list")[0],
  branch_error: (state) => valuesOf(state, "branch").find((value) => value !== undefined),
  load_missing: (state) => valuesOf(state, "load").find((value) => value === null),
  delete_missing: (state) => valuesOf(state, "delete").find((value) => value === false),
  errors: (state) => valuesOf(state, "validate_each")[0],
};

/** Opens the adapter of selectools' session stores. */
export function sessionStore(context: Context): Adapter {
  const state: State = { ...context, ready: undefined };
  const limits = context.kase.when.flatMap(({ limit }) => (limit === undefined ? [] : [limit]));
  const limited = limits.map((limit) => [
    `search_limit_${limit}`,
    () => searched(state, (op) => op["limit"] === limit),
  ]);
  return bindAdapter(state, OPERATIONS, { ...EXPECTATIONS, ...Object.fromEntries(limited) });
}
