// lauren-ai: what it remembers of its users, and how sure it is.

import { isMemorySidecarError } from "../../clients/typescript/src/errors.ts";
import {
  ExtractionTarget,
  Memory,
  MemoryFilter,
  MemoryOrder,
} from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import { RecallFilter } from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { familyOf } from "./cases.ts";
import { type Shown, shown } from "./compare.ts";
import { find, openFinder } from "./extraction.ts";
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
import {
  assemble,
  EVERYONE,
  listed,
  type MemoryFields,
  ownedBy,
  remember,
  timeOf,
} from "./memories.ts";

const FAMILIES = ["fact", "user_memory", "remember"];
const TOP_K = 10;
/** Id of the fact in cases that have only one. */
const FACT = "fact";
/** Turn to extract from where a case gives only the model's answer. */
const TURN = "A turn of a conversation.";

interface State extends Context {
  opened: Promise<void> | undefined;
}

function factOf(value: Json): MemoryFields {
  const fact = objectOf(value, "a fact");
  const confidence = numberOf(fact["confidence"], "confidence");
  const lastSeenTime = timeOf(fact["last_seen_at"]);
  return {
    memoryId: textOf(fact["memory_id"], "memory_id") ?? "",
    userId: textOf(fact["user_id"], "user_id") ?? "",
    text: textOf(fact["content"], "content") ?? "a fact",
    topics: listOf(fact["topics"], "topics").map((topic) => needText(topic, "a topic")),
    ...(confidence === undefined ? {} : { confidence }),
    ...(lastSeenTime === undefined ? {} : { lastSeenTime }),
  };
}

async function open({ rpc, kase }: State): Promise<void> {
  const { fact, facts } = kase.given;
  if (fact !== undefined) await remember(rpc, [{ ...factOf(fact), memoryId: FACT }]);
  for (const one of listOf(facts, "facts")) await remember(rpc, [factOf(one)]);
}

function opened<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.opened ??= open(state);
    await state.opened;
    return await act(state, argument);
  };
}

function show(memory: Memory): Shown {
  return shown([memory.memoryId], memory);
}

async function confidence({ rpc }: State): Promise<number | undefined> {
  return (await rpc.call("getMemory", { memoryId: FACT })).memory?.confidence;
}

async function decay(state: State, op: JsonObject): Promise<number | undefined> {
  const factor = numberOf(op["factor"], "factor");
  const filter = MemoryFilter.fromPartial({ scope: EVERYONE });
  await state.rpc.call("decayMemories", { filter, factor });
  return await confidence(state);
}

async function reinforce(state: State): Promise<number | undefined> {
  await state.rpc.call("reinforceMemories", { memoryIds: [FACT] });
  return await confidence(state);
}

async function search({ rpc }: State, op: JsonObject): Promise<readonly Shown[]> {
  const pageSize = numberOf(op["top_k"], "top_k") ?? TOP_K;
  if (pageSize <= 0) return [];
  const { hits } = await rpc.call("recall", {
    ...{ query: needText(op["query"], "query"), scoring: "substring", pageSize },
    filter: RecallFilter.fromPartial({ scope: ownedBy(needText(op["user_id"], "user_id")) }),
  });
  return hits.flatMap(({ record }) => (record?.$case === "memory" ? [show(record.value)] : []));
}

async function list({ rpc }: State, op: JsonObject): Promise<readonly Shown[]> {
  const topic = textOf(op["topic"], "topic");
  const userId = needText(op["user_id"], "user_id");
  const filter = { scope: ownedBy(userId), topics: topic === undefined ? [] : [topic] };
  return (await listed(rpc, filter, { order: MemoryOrder.LAST_SEEN_TIME_DESC })).map(show);
}

/** Gives what a call gives; null for what is not there, which this system passes over. */
async function ifKnown<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isMemorySidecarError(error, "MEMORY_NOT_FOUND")) return null;
    throw error;
  }
}

async function get({ rpc }: State, op: JsonObject): Promise<Shown | null> {
  const filter = { scope: ownedBy(needText(op["user_id"], "user_id")) };
  const memory = (await listed(rpc, filter)).find(({ memoryId }) => memoryId === op["memory_id"]);
  return memory === undefined ? null : show(memory);
}

async function update({ rpc }: State, op: JsonObject): Promise<null> {
  const { content, confidence: sure } = op;
  const memory = Memory.fromPartial({
    memoryId: needText(op["memory_id"], "memory_id"),
    ...(content === undefined ? {} : { text: needText(content, "content") }),
    ...(sure === undefined ? {} : { confidence: numberOf(sure, "confidence") ?? 0 }),
  });
  const updateMask = [
    ...(content === undefined ? [] : ["text"]),
    ...(sure === undefined ? [] : ["confidence"]),
  ];
  await ifKnown(rpc.call("updateMemory", { memory, updateMask }));
  return null;
}

async function remove({ rpc }: State, op: JsonObject): Promise<null> {
  await rpc.call("forgetMemories", {
    memoryIds: [needText(op["memory_id"], "memory_id")],
    allowMissing: true,
  });
  return null;
}

async function clear({ rpc }: State, op: JsonObject): Promise<null> {
  const filter = MemoryFilter.fromPartial({ scope: ownedBy(needText(op["user_id"], "user_id")) });
  await rpc.call("purgeMemories", { filter, force: true });
  return null;
}

async function memoryContext({ rpc }: State): Promise<string> {
  return (await assemble(rpc, { profile: "lauren" })).text;
}

async function extractEach({ rpc, kase }: State): Promise<readonly object[]> {
  const answers = listOf(kase.given["model_returns"], "model_returns");
  openFinder(rpc, answers);
  const results: object[] = [];
  for (const _ of answers) {
    const found = await find(rpc, ExtractionTarget.FACTS, { text: TURN });
    results.push(found.map(({ text, topics }) => ({ content: text, topics })));
  }
  return results;
}

const OPERATIONS: Table<State, JsonObject> = {
  decay: opened(decay),
  reinforce: opened(reinforce),
  search: opened(search),
  list: opened(list),
  get: opened(get),
  update: opened(update),
  delete: opened(remove),
  clear: opened(clear),
  build_memory_context: opened(memoryContext),
  extract_facts_each: extractEach,
};

const EXPECTATIONS: Table<State, Json> = {
  confidence_after_each: ({ steps }) => steps.map(({ value }) => value),
  returns: ({ steps }, expected) => {
    const each = steps.find(({ op }) => op["op"] === "extract_facts_each");
    if (each !== undefined || !Array.isArray(expected)) return (each ?? steps.at(-1))?.value;
    return steps.map(({ value }) => value);
  },
};

/** Opens the adapter of what is remembered of users; undefined for a case about something else. */
export function userMemory(context: Context): Adapter | undefined {
  if (!FAMILIES.includes(familyOf(context.kase))) return undefined;
  if (context.kase.when.length === 0) throw new CaseFault("the case does nothing");
  return bindAdapter<State>({ ...context, opened: undefined }, OPERATIONS, EXPECTATIONS);
}
