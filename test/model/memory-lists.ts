// Lists of memories in the memory engine: each looks at everything and keeps what was asked for.

import { type Memory, memoryExpireMs } from "../../src/memory/rules/memory.ts";
import { NAMESAKES_MAX } from "../../src/store/memory-records.ts";
import { scopeIdOf } from "../../src/store/scope-id.ts";
import type {
  MemoryPage,
  MemoryQuery,
  MemoryStore,
  RankedQuery,
  RelationQuery,
  StoredScope,
} from "../../src/store/store.ts";
import { entitiesNamed, memoriesIn, memoriesOf, rankedIn } from "./memories.ts";
import { type KeptMemory, type MemoryState, namespaceOf } from "./state.ts";

type Lists = Omit<MemoryStore, "changeMemories" | `${string}Job${string}`>;

/** The result of each list. */
export type Given<K extends keyof MemoryStore> = Awaited<ReturnType<MemoryStore[K]>>;

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** A memory by its id. */
export function readMemory(
  state: MemoryState,
  ...[namespace, memoryId]: Parameters<Lists["readMemory"]>
): Memory | undefined {
  return state.namespaces.get(namespace)?.memories.get(memoryId)?.memory;
}

/** A memory by its number. */
export function readMemoryAt(
  state: MemoryState,
  ...[namespace, memoryNo]: Parameters<Lists["readMemoryAt"]>
): Memory | undefined {
  for (const { memory } of state.namespaces.get(namespace)?.memories.values() ?? []) {
    if (memory.memoryNo === memoryNo) return memory;
  }
  return undefined;
}

/** Those memories that exist, by id. */
export function readMemories(
  state: MemoryState,
  ...[namespace, memoryIds]: Parameters<Lists["readMemories"]>
): ReadonlyMap<string, Memory> {
  const found = new Map<string, Memory>();
  for (const memoryId of memoryIds) {
    const memory = readMemory(state, namespace, memoryId);
    if (memory !== undefined) found.set(memoryId, memory);
  }
  return found;
}

function stateAt({ former, memory }: KeptMemory, asOfMs: number | undefined): Memory | undefined {
  if (asOfMs === undefined) return memory;
  if (memory.createMs > asOfMs) return undefined;
  return [memory, ...former].find(({ updateMs }) => updateMs <= asOfMs);
}

/** A page of memories by number. */
export function listMemories(state: MemoryState, query: MemoryQuery): MemoryPage {
  const { after, asOfMs, limit, namespace, order, within } = query;
  let found = memoriesOf(state, namespace).filter(
    ({ facts, memory }) =>
      within === undefined ||
      (within.kind === "scope"
        ? facts.scopeId === scopeIdOf(within.scope) && within.kinds?.has(memory.kind) !== false
        : memory.scope.userId === within.userId),
  );
  if (order === "desc") found = [...found].reverse();
  const rest = found
    .filter(({ memory: { memoryNo } }) =>
      after === undefined ? true : order === "desc" ? memoryNo < after : memoryNo > after,
    )
    .flatMap((kept) => stateAt(kept, asOfMs) ?? []);
  const memories = rest.slice(0, limit);
  return { memories, next: rest.length > limit ? memories.at(-1)?.memoryNo : undefined };
}

/** Active entities by name, in the order of scopes and names. */
export function readEntities(
  state: MemoryState,
  ...[namespace, scopes, nameKeys]: Parameters<Lists["readEntities"]>
): readonly Memory[] {
  const found = scopes.flatMap((scope) =>
    nameKeys.flatMap((name) =>
      entitiesNamed(state, namespace, scopeIdOf(scope), name).slice(0, NAMESAKES_MAX),
    ),
  );
  return [...new Set(found)];
}

/** Memories of one scope and tier by rank. */
export function rankedMemories(state: MemoryState, query: RankedQuery): readonly Memory[] {
  const found = [...rankedIn(state, query.namespace, query)];
  // A stable sort: of equal ranks low numbers stay first.
  if (query.order === "desc") found.sort((a, b) => b.facts.rank - a.facts.rank);
  return found.slice(0, query.limit).map(({ memory }) => memory);
}

/** Active relations that touch names, oldest first. */
export function queryRelations(state: MemoryState, query: RelationQuery): readonly Memory[] {
  const names = new Set<string | undefined>(query.names);
  return memoriesIn(state, query.namespace, scopeIdOf(query.scope))
    .filter(({ facts }) => facts.isActive && names.has(facts[query.place]))
    .filter(({ memory }) => memory.memoryNo > (query.after ?? 0))
    .slice(0, query.limit)
    .map(({ memory }) => memory);
}

/** The states of a memory, the newest first. */
export function listMemoryVersions(
  state: MemoryState,
  ...[namespace, memoryId, page]: Parameters<Lists["listMemoryVersions"]>
): readonly Memory[] {
  const kept = state.namespaces.get(namespace)?.memories.get(memoryId);
  const { before = Number.POSITIVE_INFINITY, limit } = page;
  return kept === undefined
    ? []
    : [kept.memory, ...kept.former].filter(({ version }) => version < before).slice(0, limit);
}

function scopesOf(state: MemoryState, namespace: string): readonly StoredScope[] {
  const scopes = new Map<string, StoredScope>();
  for (const { facts, memory } of memoriesOf(state, namespace)) {
    const { scopeId } = facts;
    const memoryCount = (scopes.get(scopeId)?.memoryCount ?? 0) + 1;
    const updateMs = namespaceOf(state, namespace).scopeTimes.get(scopeId) ?? 0;
    scopes.set(scopeId, { scopeId, scope: memory.scope, memoryCount, updateMs });
  }
  return [...scopes.values()].sort((a, b) => byBytes(a.scopeId, b.scopeId));
}

/** The scopes that hold memories. */
export function listMemoryScopes(
  state: MemoryState,
  ...[namespace, after, limit]: Parameters<Lists["listMemoryScopes"]>
): readonly StoredScope[] {
  return scopesOf(state, namespace)
    .filter(({ scopeId }) => scopeId > after)
    .slice(0, limit);
}

/** A scope that holds memories. */
export function readMemoryScope(
  state: MemoryState,
  ...[namespace, scopeId]: Parameters<Lists["readMemoryScope"]>
): StoredScope | undefined {
  return scopesOf(state, namespace).find((scope) => scope.scopeId === scopeId);
}

/** Namespaces that hold memories. */
export function listMemoryNamespaces(
  state: MemoryState,
  ...[after, limit]: Parameters<Lists["listMemoryNamespaces"]>
): readonly string[] {
  return [...state.namespaces]
    .filter(([name, { memories }]) => memories.size > 0 && byBytes(name, after) > 0)
    .map(([name]) => name)
    .sort(byBytes)
    .slice(0, limit);
}

/** Memories whose time has run out, the longest gone first. */
export function expiredMemories(
  state: MemoryState,
  ...[nowMs, limit]: Parameters<Lists["expiredMemories"]>
): Given<"expiredMemories"> {
  const found = [...state.namespaces].flatMap(([namespace, { memories }]) =>
    [...memories.values()].map(({ memory: { memoryId, ...memory } }) => ({
      at: memoryExpireMs(memory) ?? Number.POSITIVE_INFINITY,
      expired: { namespace, memoryId },
    })),
  );
  return found
    .filter(({ at }) => at <= nowMs)
    .sort((a, b) => a.at - b.at)
    .slice(0, limit)
    .map(({ expired }) => expired);
}
