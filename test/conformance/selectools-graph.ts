// selectools: EntityMemory and KnowledgeGraphMemory.

import {
  ExtractionTarget,
  type Memory,
  MemoryFilter,
  MemoryKind,
  MemoryOrder,
} from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import {
  ContextSection,
  ContextSectionKind,
} from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { type Finder, find, openFinder } from "./extraction.ts";
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
import { assemble, EVERYONE, fromTime, listed, remember } from "./memories.ts";
import { toMessage } from "./messages.ts";
import { NotOffered } from "./not-offered.ts";
import { entityOf } from "./selectools-entries.ts";
import { append, createSession } from "./session.ts";

const MAIN = "memory";
const MAX_ENTITIES = 50;
const MAX_TRIPLES = 200;
const MAX_CONTEXT_TRIPLES = 15;
const MS_PER_SECOND = 1_000;

interface State extends Context {
  readonly finder: Finder;
  opened: Promise<void> | undefined;
}

/** Stores the messages of a case, which is where things are found. */
async function open({ rpc, kase }: State): Promise<void> {
  await createSession(rpc, { sessionId: MAIN, preset: "selectools", options: {} });
  const messages = listOf(kase.given["messages"], "messages").map((value) => objectOf(value, "it"));
  if (messages.length > 0) await append(rpc, MAIN, messages.map(toMessage));
}

function opened<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.opened ??= open(state);
    await state.opened;
    return await act(state, argument);
  };
}

function policyNumber({ kase }: State, name: string, initial: number): number {
  return numberOf(objectOf(kase.given["policy"], "policy")[name], name) ?? initial;
}

async function updateEntities(state: State, op: JsonObject): Promise<void> {
  const entities = listOf(op["entities"], "entities").map((one) => entityOf(one, op["now"]));
  const maxMemories = policyNumber(state, "max_entities", MAX_ENTITIES);
  await remember(state.rpc, entities, { maxMemories });
}

function writtenEntity(memory: Memory) {
  const { structure } = memory;
  if (structure?.$case !== "entity") throw new CaseFault("a memory that is no entity");
  const { name, type, attributes } = structure.value;
  return { name, entity_type: type, attributes };
}

async function entities({ rpc }: State): Promise<readonly object[]> {
  const order = MemoryOrder.LAST_SEEN_TIME_DESC;
  const memories = await listed(rpc, { kinds: [MemoryKind.ENTITY] }, { order });
  return memories.map((memory) => ({
    ...writtenEntity(memory),
    last_mentioned: fromTime(memory.lastSeenTime) / MS_PER_SECOND,
    mention_count: memory.mentionCount,
  }));
}

async function section({ rpc }: State, query: string, fields: Partial<ContextSection>) {
  const { text } = await assemble(rpc, {
    profile: "selectools",
    sections: [ContextSection.fromPartial(fields)],
    query,
  });
  return text;
}

async function extractEntities({ rpc }: State): Promise<readonly object[]> {
  const found = await find(rpc, ExtractionTarget.ENTITIES, { sessionId: MAIN });
  return found.map(writtenEntity);
}

function tripleOf(memory: Memory) {
  const { structure } = memory;
  if (structure?.$case !== "relation") throw new CaseFault("a memory that is no relation");
  return structure.value;
}

async function extractTriples({ rpc }: State): Promise<readonly object[]> {
  const found = await find(rpc, ExtractionTarget.RELATIONS, { sessionId: MAIN });
  // Of the source's turn and time a memory that is not stored has none.
  if (found.length > 0) throw new NotOffered("times before storing");
  return [];
}

/** The conversation as the model received it, in this system's format. */
function transcript({ finder }: State): string {
  const lines = finder.asked[0] ?? [];
  return lines.map(({ role, text }) => `${role.toUpperCase()}: ${text}`).join("\n");
}

async function addTriple(state: State, op: JsonObject): Promise<void> {
  const value = {
    subject: needText(op["subject"], "subject"),
    predicate: needText(op["relation"], "relation"),
    objectValue: needText(op["object"], "object"),
  };
  const confidence = numberOf(op["confidence"], "confidence") ?? 1;
  const structure = { $case: "relation" as const, value };
  const maxMemories = policyNumber(state, "max_triples", MAX_TRIPLES);
  await remember(state.rpc, [{ kind: MemoryKind.RELATION, structure, confidence }], {
    maxMemories,
  });
}

function written(memory: Memory): readonly string[] {
  const { subject, predicate, objectValue: object } = tripleOf(memory);
  return [subject, predicate, object];
}

async function query({ rpc }: State, op: JsonObject): Promise<readonly (readonly string[])[]> {
  const keywords = listOf(op["keywords"], "keywords").map((word) => needText(word, "a keyword"));
  // No keywords mean any relation in the contract, and none in this system.
  if (keywords.length === 0) return [];
  const filter = MemoryFilter.fromPartial({ scope: EVERYONE });
  const { relations } = await rpc.call("queryRelations", { keywords, filter });
  return relations.flatMap(({ memory }) => (memory === undefined ? [] : [written(memory)]));
}

async function buildContext(state: State, op: JsonObject): Promise<string> {
  const limit = policyNumber(state, "max_context_triples", MAX_CONTEXT_TRIPLES);
  const kind = ContextSectionKind.RELATIONS;
  return await section(state, textOf(op["query"], "query") ?? "", { kind, limit });
}

/** Results of the operations with a name, filtered by `holds`. */
function given({ steps }: State, name: string, holds: (op: JsonObject) => boolean) {
  return steps.filter(({ op }) => op["op"] === name && holds(op)).map(({ value }) => value);
}

const hasKeywords = ({ keywords }: JsonObject): boolean => listOf(keywords, "it").length > 0;
const hasQuery = ({ query: text }: JsonObject): boolean => (text ?? "") !== "";

const OPERATIONS: Table<State, JsonObject> = {
  update_entities: updateEntities,
  extract_entities: opened(extractEntities),
  extract_triples: opened(extractTriples),
  add_triple: addTriple,
  query,
  build_context: buildContext,
};

const EXPECTATIONS: Table<State, Json> = {
  entities,
  context: (state) => section(state, "", { kind: ContextSectionKind.ENTITIES }),
  transcript,
  all: async ({ rpc }) => (await listed(rpc, { kinds: [MemoryKind.RELATION] })).map(written),
  query: (state) => given(state, "query", hasKeywords).at(-1),
  query_empty: (state) => given(state, "query", (op) => !hasKeywords(op)).at(-1),
  context_query: (state) => given(state, "build_context", hasQuery).at(0),
  context_all: (state) => given(state, "build_context", (op) => !hasQuery(op)).at(-1),
  context_no_terms: (state) => given(state, "build_context", hasQuery).at(-1),
};

/** Opens the adapter of the entities and triples. */
export function graphMemory(context: Context): Adapter {
  const finder = openFinder(context.rpc, context.kase.given["extractor_returns"]);
  return bindAdapter<State>({ ...context, finder, opened: undefined }, OPERATIONS, EXPECTATIONS);
}
