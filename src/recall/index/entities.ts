// Finds memories about the entities that a query names, and about what stands in a relation to
// them. Names are those of entities and of both ends of relations.

import { filterHas, type RowFilter } from "../rules/row-filter.ts";
import { nameKeysIn } from "../text/name-keys.ts";
import { firstFrom, type NamedItems } from "./memories.ts";
import type { Shard } from "./shard.ts";

/** So much of a query is compared with names. */
const QUERY_CHARS = 4_096;
/**
 * So many memories are looked at for one step from names to others, those of the names with the
 * fewest first. What more memories have in common says nothing of any of them: no relation is
 * followed through such a name.
 */
const STEP_MAX = 500;
/** The most names one relation away that are followed. */
const NEAR_MAX = 100;

/** The worth of a memory about a named entity, and about a related one. */
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

/** The worth of a memory by the names in it. */
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
  const related = [...values].flatMap(([name, value]) => (value === RELATED ? [name] : []));
  const all = new Walk(shard, filter).few(related, ["entities", "relations", "others"]);
  // Words lead to what has the name itself.
  const found = [...all].filter((one) => entityValue(shard, { values }, one) === RELATED);
  const times = Float64Array.from(found, (one) => items.timeMs.at(one)).sort();
  const since = times.at(-count) ?? Number.NEGATIVE_INFINITY;
  const newest = found.filter((one) => items.timeMs.at(one) >= since);
  newest.sort((a, b) => {
    const later = items.timeMs.at(b) - items.timeMs.at(a);
    return later || (order(items.firstRow.at(a), items.firstRow.at(b)) ? -1 : 1);
  });
  return newest.slice(0, count);
}

/** Goes from names to memories and back. */
class Walk {
  readonly #shard: Shard;
  readonly #filter: RowFilter;

  constructor(shard: Shard, filter: RowFilter) {
    this.#shard = shard;
    this.#filter = filter;
  }

  /**
   * The memories with one of the names that pass: those of the names with the fewest first, and no
   * more than STEP_MAX together.
   */
  few(names: Iterable<number>, kinds: readonly (keyof NamedItems)[]): Set<number> {
    const { memories } = this.#shard;
    const lists: { readonly name: number; readonly items: readonly number[] }[] = [];
    for (const name of names) {
      const items = this.#passing(name, kinds);
      if (items.length > 0 && items.length <= STEP_MAX) lists.push({ name, items });
    }
    const textOf = ({ name }: { readonly name: number }): string => memories.nameText(name);
    lists.sort((a, b) => a.items.length - b.items.length || (textOf(a) < textOf(b) ? -1 : 1));
    const found = new Set<number>();
    let left = STEP_MAX;
    for (const { items } of lists) {
      left -= items.length;
      if (left < 0) break;
      for (const item of items) found.add(item);
    }
    return found;
  }

  /** Whether an entity or a relation has the name, and not topics alone. */
  isEntity(name: number): boolean {
    return this.#passing(name, ["entities", "relations"], 1).length > 0;
  }

  /** The names with the other names of the same entities. */
  withAliases(names: readonly number[]): Set<number> {
    return new Set([...names, ...this.#namesOf(this.few(names, ["entities"]))]);
  }

  /** The names at the other ends of the relations of names. */
  relatedTo(names: ReadonlySet<number>): number[] {
    return [...new Set(this.#namesOf(this.few(names, ["relations"])))];
  }

  /** The first names by their texts: numbers depend on what came first. */
  first(names: readonly number[]): number[] {
    const { memories } = this.#shard;
    if (names.length <= NEAR_MAX) return [...names];
    const sorted = names.map((name) => ({ name, text: memories.nameText(name) }));
    sorted.sort((a, b) => (a.text < b.text ? -1 : 1));
    return sorted.slice(0, NEAR_MAX).map(({ name }) => name);
  }

  /** The memories with a name that pass; one more than STEP_MAX where there are more. */
  #passing(name: number, kinds: readonly (keyof NamedItems)[], most = STEP_MAX + 1): number[] {
    const named = this.#shard.memories.itemsOf(name);
    const found: number[] = [];
    for (const kind of kinds) this.#addPassing(named[kind], found, most);
    return found;
  }

  #addPassing(list: readonly number[], found: number[], most: number): void {
    const filter = this.#filter;
    const { items } = this.#shard;
    // A user has few of what all users have together.
    if (filter.kind === "list" && filter.rows.length < list.length) {
      for (const row of filter.rows) {
        if (found.length >= most) return;
        const item = items.itemOfRow.at(row);
        if (items.firstRow.at(item) === row && list[firstFrom(list, item)] === item) {
          found.push(item);
        }
      }
      return;
    }
    for (const item of list) {
      if (found.length >= most) return;
      if (filterHas(filter, items.firstRow.at(item))) found.push(item);
    }
  }

  /** The names of memories. */
  #namesOf(all: Iterable<number>): number[] {
    const { memories } = this.#shard;
    const names: number[] = [];
    for (const item of all) {
      const place = memories.placeOf(item);
      if (place !== undefined) names.push(...memories.namesAt(place, false));
    }
    return names;
  }
}
