// Which memories are about the entities that a query names, and about what stands in a relation to
// them. Names are those of entities and of both ends of relations.

import { filterHas, type RowFilter } from "../domain/recall/row-filter.ts";
import { nameKeysIn } from "../domain/recall/text/name-keys.ts";
import type { Shard } from "./shard.ts";

/** So much of a query is compared with names. */
const QUERY_CHARS = 4_096;
/**
 * What more memories than this have in common says nothing of any of them: no relation is followed
 * through such a name.
 */
const HUB_MAX = 2_000;
/** Names one relation away that are looked at. */
const NEAR_MAX = 200;

/** What a memory about an entity is worth, and one about what is related to it. */
const DIRECT = 1;
const RELATED = 0.5;

/** The names that a query leads to. */
export interface NamedEntities {
  /** Numbers of names with what they are worth. */
  readonly values: ReadonlyMap<number, number>;
}

export const NO_ENTITIES: NamedEntities = { values: new Map() };

/** Finds the names of a query. Only memories in `lending` lead from one name to another. */
export function entitiesIn(shard: Shard, text: string, lending: () => RowFilter): NamedEntities {
  const { memories } = shard;
  if (!memories.hasNames) return NO_ENTITIES;
  const asked: number[] = [];
  for (const key of nameKeysIn(text.slice(0, QUERY_CHARS))) {
    const name = memories.nameNumber(key);
    if (name !== undefined) asked.push(name);
  }
  if (asked.length === 0) return NO_ENTITIES;
  const walk = new Walk(shard, lending());
  const direct = walk.withAliases(asked.filter((name) => walk.isEntity(name)));
  const values = new Map([...direct].map((name) => [name, DIRECT]));
  const ends = walk.relatedTo(direct).filter((name) => !values.has(name));
  for (const name of walk.withAliases(walk.first(ends))) {
    if (!values.has(name)) values.set(name, RELATED);
  }
  return { values };
}

/** What a memory is worth by the names in it. */
export function entityValue({ memories }: Shard, entities: NamedEntities, item: number): number {
  const place = entities.values.size === 0 ? undefined : memories.placeOf(item);
  if (place === undefined) return 0;
  let best = 0;
  for (const name of memories.namesAt(place, true)) {
    best = Math.max(best, entities.values.get(name) ?? 0);
  }
  return best;
}

/**
 * The memories one relation away that pass the filter, the newest first, at most `count`: the words
 * of the query need not lead to them.
 */
export function relatedItems(
  shard: Shard,
  { values }: NamedEntities,
  options: {
    readonly filter: RowFilter;
    readonly count: number;
    readonly order: (a: number, b: number) => boolean;
  },
): number[] {
  const { items } = shard;
  const { filter, count, order } = options;
  const entities = { values };
  const found = new Set<number>();
  const walk = new Walk(shard, filter);
  for (const [name, value] of values) {
    if (value !== RELATED || walk.isHub(name)) continue;
    for (const one of walk.of(name)) {
      // Words lead to what has the name itself.
      if (entityValue(shard, entities, one) === RELATED) found.add(one);
    }
  }
  const sorted = [...found].sort((a, b) => {
    const later = items.timeMs.at(b) - items.timeMs.at(a);
    return later || (order(items.firstRow.at(a), items.firstRow.at(b)) ? -1 : 1);
  });
  return sorted.slice(0, count);
}

/** Goes from names to memories and back. */
class Walk {
  private readonly shard: Shard;
  private readonly filter: RowFilter;

  constructor(shard: Shard, filter: RowFilter) {
    this.shard = shard;
    this.filter = filter;
  }

  /** Whether more memories have a name than any relation is followed through. */
  isHub(name: number): boolean {
    const { items, memories } = this.shard;
    const all = memories.itemsOf(name);
    if (all.length <= HUB_MAX) return false;
    let live = 0;
    for (const item of all) if (items.live.has(item)) live += 1;
    return live > HUB_MAX;
  }

  /** The memories with a name or topic that pass. */
  *of(name: number): Generator<number> {
    const { items, memories } = this.shard;
    for (const item of memories.itemsOf(name)) {
      const isIn = items.live.has(item) && filterHas(this.filter, items.firstRow.at(item));
      if (isIn) yield item;
    }
  }

  /** Whether an entity or a relation has the name, and not topics alone. */
  isEntity(name: number): boolean {
    for (const item of this.of(name)) if (this.namesOf(item).includes(name)) return true;
    return false;
  }

  /** The names with the other names of the same entities. */
  withAliases(names: readonly number[]): Set<number> {
    const all = new Set(names);
    for (const name of names) {
      if (this.isHub(name)) continue;
      for (const item of this.of(name)) {
        if (this.kindOf(item) === "entity" && this.namesOf(item).includes(name)) {
          for (const other of this.namesOf(item)) all.add(other);
        }
      }
    }
    return all;
  }

  /** The names at the other ends of the relations of names. */
  relatedTo(names: ReadonlySet<number>): number[] {
    const found = new Set<number>();
    for (const name of names) {
      if (this.isHub(name)) continue;
      for (const item of this.of(name)) {
        if (this.kindOf(item) !== "relation" || !this.namesOf(item).includes(name)) continue;
        for (const other of this.namesOf(item)) found.add(other);
      }
    }
    return [...found];
  }

  /** The first names by their texts: numbers depend on what came first. */
  first(names: readonly number[]): number[] {
    const { memories } = this.shard;
    if (names.length <= NEAR_MAX) return [...names];
    const sorted = names.map((name) => ({ name, text: memories.nameText(name) }));
    sorted.sort((a, b) => (a.text < b.text ? -1 : 1));
    return sorted.slice(0, NEAR_MAX).map(({ name }) => name);
  }

  private namesOf(item: number): number[] {
    const { memories } = this.shard;
    const place = memories.placeOf(item);
    return place === undefined ? [] : memories.namesAt(place, false);
  }

  private kindOf(item: number) {
    const { memories } = this.shard;
    const place = memories.placeOf(item);
    return place === undefined ? undefined : memories.kindAt(place);
  }
}
