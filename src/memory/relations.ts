// Where QueryRelations finds relations and the names of entities: in the store by their names,
// where the scopes that the filter means are few, else in what one pass over the memories gathers.

import { LIMITS } from "../../domain/limits.ts";
import type { MemoryFilter } from "../../domain/memories/filter.ts";
import {
  isMemoryExpired,
  type Memory,
  type MemoryScope,
  type Relation,
} from "../../domain/memories/memory.ts";
import { meansScope, namedScopes } from "../../domain/memories/scopes.ts";
import { nameKeyOf } from "../../domain/memories/text-key.ts";
import { NAMESAKES_MAX } from "../../storage/memory-records.ts";
import type { RelationQuery } from "../../storage/store.ts";
import { checkLive } from "../change.ts";
import type { MemoryParts } from "./parts.ts";
import { isMeant, type Scan, type ScanPiece, scanPieces } from "./scan.ts";

/** Scopes that are looked through one by one. */
const SCOPES_MAX = 64;
/** Names that are asked for at one time. */
const NAMES = 32;
/** Relations that are read in one turn of the event loop: a hub may have thousands. */
const READ = 128;

/** A relation with the keys of its parts. */
export interface KeyedRelation {
  readonly memory: Memory;
  readonly relation: Relation;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** What a query goes over. Every relation it gives is meant by the filter. */
export interface RelationSource {
  /** The names, and all other names of entities that have one of them. */
  namesOf(names: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Relations that have one of the names in this place. */
  touching(
    names: ReadonlySet<string>,
    place: RelationQuery["place"],
  ): Promise<readonly KeyedRelation[]>;
  /** All of them. */
  all(): Promise<readonly KeyedRelation[]>;
  /** There are more than are looked at. */
  readonly isCut: boolean;
}

/** What a query asks, as far as its sources need to know. */
type RelationScan = Omit<Scan, "order" | "after" | "asOfMs">;

/** Chooses the source for a query. */
export async function relationSource(
  parts: MemoryParts,
  scan: RelationScan,
): Promise<RelationSource> {
  const scopes = await scopesOf(parts, scan);
  if (scopes !== undefined && isActiveOnly(scan.filter)) {
    return new StoredRelations(parts, scan, scopes);
  }
  return await gathered(parts, scan, scopes);
}

/** Whether the filter means active memories alone, which are all that the store finds by names. */
function isActiveOnly({ states, validAtMs }: MemoryFilter): boolean {
  return states.size === 0 ? validAtMs === undefined : !states.has("superseded");
}

/** The scopes that a filter means; undefined when the namespace has too many to look. */
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
    relation,
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

/** Asks the store for what is touched. */
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

  /** One more than may still be looked at: it tells that there are more. */
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
  const named: MemoryFilter = {
    ...ANY_MEMORY,
    scope: filter.scope,
    kinds: new Set(["entity"]),
  };
  const both: MemoryFilter = { ...filter, kinds: new Set(["entity", "relation"]) };
  // Where the scopes are known, their relations are read without what lies between them.
  const filters = scopes?.map((scope) => oneScope(both, scope)) ?? [both];
  let isCut = false;
  for await (const { memories } of scanAll(parts, scan, filters)) {
    for (const memory of memories) {
      if (isMeant(parts, memory, named, nowMs)) entities.push(memory);
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

/** Finds in what was gathered. */
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

const ANY_MEMORY: Omit<MemoryFilter, "scope" | "kinds"> = {
  ...{ states: new Set(["active"]), categories: new Set(), topics: new Set(), key: "" },
  ...{ textContains: "", labels: new Map(), metadata: [], minImportance: 0 },
  ...{ minConfidence: 0, minTrust: undefined, persistent: undefined },
  ...{ validAtMs: undefined, createFromMs: undefined, createBeforeMs: undefined },
  ...{ seenFromMs: undefined, seenBeforeMs: undefined, sourceSessionId: "", origin: undefined },
};
