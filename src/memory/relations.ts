// Sources of relations and entity names for QueryRelations: lookups in the store by name when the
// filter names few scopes, otherwise one pass over the memories.

import { type Call, checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import type { MemoryFilter } from "../recall/rules/memory-filter.ts";
import { NAMESAKES_MAX } from "../store/memory-records.ts";
import type { RelationQuery } from "../store/store.ts";
import type { FoundRelation, QueryRelationsInput, RelationsFound } from "./api.ts";
import type { MemoryParts } from "./parts.ts";
import { holdsWord, isMemoryExpired, type Memory, type MemoryScope } from "./rules/memory.ts";
import { meansScope, namedScopes } from "./rules/scopes.ts";
import { nameKeyOf } from "./rules/text-key.ts";
import { isMeant, type Scan, type ScanPiece, scanPieces } from "./scan.ts";

/** Most scopes that are queried one by one. */
const SCOPES_MAX = 64;
/** Names in one lookup. */
const NAMES = 32;
/** Relations that are read in one turn of the event loop: a hub may have thousands. */
const READ = 128;

/** A relation with the keys of its parts. */
interface KeyedRelation {
  readonly memory: Memory;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** The relations of a query. All of them match the filter. */
interface RelationSource {
  /** The names, and all other names of entities that have one of them. */
  namesOf(names: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Relations that have one of the names in this place. */
  touching(
    names: ReadonlySet<string>,
    place: RelationQuery["place"],
  ): Promise<readonly KeyedRelation[]>;
  /** All of them. */
  all(): Promise<readonly KeyedRelation[]>;
  /** There are more than the scan reads. */
  readonly isCut: boolean;
}

/** The scan of a query. */
type RelationScan = Omit<Scan, "order" | "after" | "asOfMs">;

/** Chooses the source for a query. */
async function relationSource(parts: MemoryParts, scan: RelationScan): Promise<RelationSource> {
  const scopes = await scopesOf(parts, scan);
  if (scopes !== undefined && isActiveOnly(scan.filter)) {
    return new StoredRelations(parts, scan, scopes);
  }
  return await gathered(parts, scan, scopes);
}

/** Whether the filter means active memories alone: lookups by name find no others. */
function isActiveOnly({ states, validAtMs }: MemoryFilter): boolean {
  return states.size === 0 ? validAtMs === undefined : !states.has("superseded");
}

/** The scopes that a filter means; undefined when the namespace has too many. */
async function scopesOf(
  { context }: MemoryParts,
  { namespace, filter }: RelationScan,
): Promise<readonly MemoryScope[] | undefined> {
  const named = namedScopes(filter.scope);
  if (named !== undefined) return named;
  const stored = await context.store.listMemoryScopes(namespace, "", SCOPES_MAX + 1);
  if (stored.length > SCOPES_MAX) return undefined;
  return stored.map(({ scope }) => scope).filter((scope) => meansScope(scope, filter.scope));
}

/** The keys of a relation; undefined for another memory. */
function keyed(memory: Memory): KeyedRelation | undefined {
  const { structure } = memory.content;
  if (structure?.kind !== "relation") return undefined;
  const { relation } = structure;
  return {
    memory,
    subject: nameKeyOf(relation.subject),
    predicate: nameKeyOf(relation.predicate),
    object: nameKeyOf(relation.object),
  };
}

/** The keys of all names of an entity. */
function entityNames({ content }: Memory): readonly string[] {
  const { structure, text } = content;
  if (structure?.kind !== "entity") return [nameKeyOf(text)];
  const { name, aliases } = structure.entity;
  return [name, ...aliases].map(nameKeyOf);
}

function inRuns(names: ReadonlySet<string>): readonly (readonly string[])[] {
  const all = [...names];
  const runs: string[][] = [];
  for (let start = 0; start < all.length; start += NAMES) {
    runs.push(all.slice(start, start + NAMES));
  }
  return runs;
}

/** Finds relations and names by lookups in the store. */
class StoredRelations implements RelationSource {
  readonly #parts: MemoryParts;
  readonly #scan: RelationScan;
  readonly #scopes: readonly MemoryScope[];
  readonly #looked = new Set<number>();
  isCut = false;

  constructor(parts: MemoryParts, scan: RelationScan, scopes: readonly MemoryScope[]) {
    this.#parts = parts;
    this.#scan = scan;
    this.#scopes = scopes;
  }

  async namesOf(names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const { context } = this.#parts;
    const { namespace, nowMs } = this.#scan;
    const all = new Set(names);
    for (const run of inRuns(names)) {
      await this.#turn();
      const entities = await context.store.readEntities(namespace, this.#scopes, run);
      for (const entity of entities) {
        if (isMemoryExpired(entity, nowMs)) continue;
        for (const name of entityNames(entity)) all.add(name);
      }
    }
    return all;
  }

  async touching(
    names: ReadonlySet<string>,
    place: RelationQuery["place"],
  ): Promise<readonly KeyedRelation[]> {
    const { store } = this.#parts.context;
    const { namespace } = this.#scan;
    const found: KeyedRelation[] = [];
    for (const scope of this.#scopes) {
      for (const run of inRuns(names)) {
        for (let after = 0; ; ) {
          await this.#turn();
          const room = this.#limit();
          const limit = Math.min(READ, room);
          const query = { namespace, scope, names: run, place, limit, after };
          const relations = await store.queryRelations(query);
          found.push(...this.#meant(relations, room));
          after = relations.at(-1)?.memoryNo ?? after;
          if (relations.length < limit || this.isCut) break;
        }
      }
    }
    return found;
  }

  async all(): Promise<readonly KeyedRelation[]> {
    const found: KeyedRelation[] = [];
    for (const scope of this.#scopes) {
      const filter = oneScope(this.#scan.filter, scope);
      const scan = { ...this.#scan, filter, order: "asc" } as const;
      for await (const { memories } of scanPieces(this.#parts, scan)) {
        found.push(...this.#meant(memories, this.#limit()));
        if (this.isCut) return found;
      }
    }
    return found;
  }

  /** One more than may still be read: it shows that there are more. */
  #limit(): number {
    return LIMITS.relationScan - this.#looked.size + 1;
  }

  #meant(memories: readonly Memory[], limit: number): readonly KeyedRelation[] {
    if (memories.length >= limit) this.isCut = true;
    const { filter, nowMs } = this.#scan;
    return memories.slice(0, limit - 1).flatMap((memory) => {
      this.#looked.add(memory.memoryNo);
      if (!isMeant(this.#parts, memory, filter, nowMs)) return [];
      return keyed(memory) ?? [];
    });
  }

  async #turn(): Promise<void> {
    checkLive(this.#scan.signal);
    await this.#parts.pace.turn(true);
  }
}

/** Goes over the memories once, and keeps relations and entities. */
async function gathered(
  parts: MemoryParts,
  scan: RelationScan,
  scopes: readonly MemoryScope[] | undefined,
): Promise<RelationSource> {
  const { filter, nowMs } = scan;
  const relations: KeyedRelation[] = [];
  const entities: Memory[] = [];
  // Every active entity of the scopes gives its names, whatever else the filter asks of relations.
  const isNamed = (memory: Memory): boolean =>
    memory.kind === "entity" &&
    memory.state === "active" &&
    !isMemoryExpired(memory, nowMs) &&
    meansScope(memory.scope, filter.scope);
  const both: MemoryFilter = { ...filter, kinds: new Set(["entity", "relation"]) };
  // If the scopes are known, their relations are read without those in between.
  const filters = scopes?.map((scope) => oneScope(both, scope)) ?? [both];
  let isCut = false;
  for await (const { memories } of scanAll(parts, scan, filters)) {
    for (const memory of memories) {
      if (isNamed(memory)) entities.push(memory);
      const relation = isMeant(parts, memory, filter, nowMs) ? keyed(memory) : undefined;
      if (relation === undefined) continue;
      if (relations.length < LIMITS.relationScan) relations.push(relation);
      else isCut = true;
    }
    if (isCut) break;
  }
  return new GatheredRelations(relations, entities, isCut);
}

/** The filter for one of its scopes. */
function oneScope(filter: MemoryFilter, scope: MemoryScope): MemoryFilter {
  return { ...filter, scope: { kind: "exact", scope } };
}

async function* scanAll(
  parts: MemoryParts,
  scan: RelationScan,
  filters: readonly MemoryFilter[],
): AsyncGenerator<ScanPiece> {
  for (const filter of filters) yield* scanPieces(parts, { ...scan, filter, order: "asc" });
}

/** Finds relations and names among the gathered memories. */
class GatheredRelations implements RelationSource {
  readonly #relations: readonly KeyedRelation[];
  readonly #entities = new Map<string, (readonly string[])[]>();
  readonly isCut: boolean;

  constructor(relations: readonly KeyedRelation[], entities: readonly Memory[], isCut: boolean) {
    this.#relations = relations;
    this.isCut = isCut;
    // As in the store, a name finds so many entities of one scope.
    const counts = new Map<string, number>();
    for (const entity of entities) {
      const names = entityNames(entity);
      const scope = JSON.stringify(entity.scope);
      for (const name of names) {
        const place = `${scope} ${name}`;
        const count = counts.get(place) ?? 0;
        if (count < NAMESAKES_MAX) {
          counts.set(place, count + 1);
          this.#entities.set(name, [...(this.#entities.get(name) ?? []), names]);
        }
      }
    }
  }

  async namesOf(names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const all = new Set(names);
    for (const name of names) {
      for (const others of this.#entities.get(name) ?? [])
        for (const other of others) all.add(other);
    }
    return all;
  }

  async touching(
    names: ReadonlySet<string>,
    place: RelationQuery["place"],
  ): Promise<readonly KeyedRelation[]> {
    return this.#relations.filter((relation) => names.has(relation[place]));
  }

  async all(): Promise<readonly KeyedRelation[]> {
    return this.#relations;
  }
}

// QueryRelations: relations that match a pattern, then step by step those that share a name with
// them.

/** Finds relations by a pattern, and their neighbours. */
export async function queryRelations(
  parts: MemoryParts,
  call: Call,
  input: QueryRelationsInput,
): Promise<RelationsFound> {
  checkLive(call.signal);
  const { namespace, after, limit, maxHops } = input;
  const nowMs = parts.context.world.nowMs();
  const filter = { ...input.filter, kinds: new Set<Memory["kind"]>(["relation"]) };
  const source = await relationSource(parts, { namespace, filter, nowMs, signal: call.signal });
  const seen = new Set<number>();
  const relations: FoundRelation[] = [];
  let step = await fitting(source, input);
  for (let hop = 1; ; hop += 1) {
    // Oldest first, each once.
    const fresh = [...new Map(step.map((one) => [one.memory.memoryNo, one])).values()]
      .filter(({ memory }) => !seen.has(memory.memoryNo))
      .sort((a, b) => a.memory.memoryNo - b.memory.memoryNo);
    for (const { memory } of fresh) seen.add(memory.memoryNo);
    const behind = fresh.filter(({ memory }) => isBehind(after, hop, memory));
    const room = limit - relations.length;
    relations.push(...behind.slice(0, room).map(({ memory }) => ({ memory, hop })));
    const hasMore = behind.length > room;
    if (hasMore || fresh.length === 0 || hop >= maxHops) {
      return { relations, hasMore, truncated: source.isCut };
    }
    step = await near(source, fresh);
  }
}

/** Whether a relation stands behind the last one of the page before. */
function isBehind(after: QueryRelationsInput["after"], hop: number, memory: Memory): boolean {
  if (after === undefined || hop !== after.hop) return after === undefined || hop > after.hop;
  return memory.memoryNo > after.memoryNo;
}

/** Relations that fit the pattern. */
async function fitting(
  source: RelationSource,
  input: QueryRelationsInput,
): Promise<readonly KeyedRelation[]> {
  const { predicate, keywords } = input;
  const [subjects, objects, entities] = await Promise.all(
    [input.subject, input.object, input.entity].map((name) => allNames(source, name)),
  );
  const wantedPredicate = nameKeyOf(predicate);
  const words = keywords.map((word) => word.toLowerCase()).filter((word) => word !== "");
  const candidates = await candidatesOf(source, { subjects, objects, entities });
  return candidates.filter(
    (one) =>
      (subjects === undefined || subjects.has(one.subject)) &&
      (objects === undefined || objects.has(one.object)) &&
      (entities === undefined || entities.has(one.subject) || entities.has(one.object)) &&
      (wantedPredicate === "" || wantedPredicate === one.predicate) &&
      (words.length === 0 || holdsWord(one.memory, words)),
  );
}

/** All names of the entities with a name; undefined for any. */
async function allNames(
  source: RelationSource,
  name: string,
): Promise<ReadonlySet<string> | undefined> {
  const key = nameKeyOf(name);
  return key === "" ? undefined : await source.namesOf(new Set([key]));
}

type Names = ReadonlySet<string> | undefined;

/** Relations that may fit: by the given names, else all. */
async function candidatesOf(
  source: RelationSource,
  { subjects, objects, entities }: { subjects: Names; objects: Names; entities: Names },
): Promise<readonly KeyedRelation[]> {
  if (subjects !== undefined) return await source.touching(subjects, "subject");
  if (objects !== undefined) return await source.touching(objects, "object");
  return entities === undefined ? await source.all() : await touchingBoth(source, entities);
}

/** Relations that share a subject or an object with some. */
async function near(
  source: RelationSource,
  found: readonly KeyedRelation[],
): Promise<readonly KeyedRelation[]> {
  const names = new Set(found.flatMap(({ subject, object }) => [subject, object]));
  return await touchingBoth(source, await source.namesOf(names));
}

async function touchingBoth(
  source: RelationSource,
  names: ReadonlySet<string>,
): Promise<readonly KeyedRelation[]> {
  const asSubject = await source.touching(names, "subject");
  return [...asSubject, ...(await source.touching(names, "object"))];
}
