// The candidates of a hybrid search: the best items of each leg and the items beside them, with the
// raw values that the ranking reads.

import type { LexicalPass } from "../domain/recall/lexical/pass.ts";
import { authorNamed } from "../domain/recall/rank/query-hints.ts";
import type { Candidate } from "../domain/recall/rank/types.ts";
import { DENSE_NEIGHBOR_SHARES, POOL_NEIGHBORS } from "../domain/recall/rank/weights.ts";
import { filterHas, listFilter, type RowFilter } from "../domain/recall/row-filter.ts";
import { type Container, placeOf } from "./containers.ts";
import { NAMES } from "./filter-rows.ts";
import { type ExpandedTerm, nearShares } from "./near-words.ts";
import type { Shard } from "./shard.ts";

/** Trusts 1 to 3 as the ranking reads them. */
const TRUST_VALUES = [0, 0, 0.5, 1] as const;
/** Where the neighbors of a candidate are, in the order of their values. */
const OFFSETS = [-2, -1, 1, 2] as const;
const REACH = 2;
/** Finding the neighbors of more rows than this takes longer than to score all rows. */
const WITHIN_MAX = 2_000;
/** So many rows are looked at for each that is wanted, when many score the same. */
const TIES_MAX = 8;

/** What the legs of one search have to say. */
export interface Legs {
  readonly filter: RowFilter;
  /** Undefined when words are not asked for. */
  readonly words: LexicalPass | undefined;
  /** The vector of the query; undefined when vectors are not compared. */
  readonly vector: Float32Array | undefined;
  /** What is near the terms of the query; empty when near words are not looked for. */
  readonly near: readonly ExpandedTerm[];
  /** The words of the query that may be names. */
  readonly names: ReadonlySet<string>;
  /** How many items of each leg become candidates. */
  readonly perLeg: number;
}

/** A candidate with what the answer says of it. */
export interface Found {
  readonly item: number;
  readonly container: Container;
  readonly candidate: Candidate;
  /** The row that fits best. */
  readonly row: number;
}

/** Puts rows in the order of the content, which is the same for every way an index came to be. */
export function contentOrder(shard: Shard): (a: number, b: number) => boolean {
  const { items, containers } = shard;
  return (a, b) => {
    const one = items.itemOfRow.at(a);
    const other = items.itemOfRow.at(b);
    if (one === other) return a < b;
    const number = items.container.at(one);
    if (number === items.container.at(other))
      return items.position.at(one) < items.position.at(other);
    return isBefore(containers.at(number), containers.at(items.container.at(other)));
  };
}

/** Sessions come before collections, and both by id. */
function isBefore(a: Container | undefined, b: Container | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.kind === b.kind ? a.id < b.id : a.kind === "session";
}

/** The rows whose words are scored: those of the filter, and their neighbors, which lend scores. */
export function scoredRows(shard: Shard, filter: RowFilter): RowFilter | undefined {
  if (filter.kind !== "list" || filter.rows.length > WITHIN_MAX) return undefined;
  const { items } = shard;
  const rows: number[] = [];
  let known: { readonly item: number; readonly place: number } | undefined;
  for (const row of filter.rows) {
    const item = items.itemOfRow.at(row);
    if (item === known?.item) continue;
    const container = shard.containers.at(items.container.at(item));
    if (container === undefined) continue;
    const guess = (known?.place ?? 0) + 1;
    const place = container.items[guess] === item ? guess : placeIn(shard, container, item);
    known = { item, place };
    const end = Math.min(container.items.length, place + REACH + 1);
    for (let at = Math.max(0, place - REACH); at < end; at++) {
      const near = container.items[at] ?? item;
      for (let one = items.firstRow.at(near); one < items.endRow(near); one++) rows.push(one);
    }
  }
  return listFilter(rows);
}

/** Gives the candidates of a search. */
export function candidatesOf(shard: Shard, legs: Legs): Found[] {
  const picked = new Set<number>();
  const order = contentOrder(shard);
  for (const row of [...bestByWords(shard, legs, order), ...bestByVector(shard, legs, order)]) {
    picked.add(shard.items.itemOfRow.at(row));
  }
  const all = new Set(picked);
  for (const item of picked) for (const near of neighborsOf(shard, legs, item)) all.add(near);
  return describe(shard, legs, [...all]);
}

/** The first row of each of the best items. */
function bestByWords(
  shard: Shard,
  { words, filter, perLeg }: Legs,
  order: (a: number, b: number) => boolean,
): number[] {
  if (words === undefined) return [];
  const accept = (row: number): boolean => filterHas(filter, row);
  for (let count = 2 * perLeg; ; count *= 2) {
    const found = words.top(count, accept, order);
    const rows = firstOfItems(
      shard,
      found.map(({ row }) => row),
    );
    if (found.length < count || rows.length >= perLeg) return rows.slice(0, perLeg);
  }
}

function bestByVector(
  shard: Shard,
  { vector, filter, perLeg }: Legs,
  order: (a: number, b: number) => boolean,
): number[] {
  const { vectors } = shard;
  if (vectors === undefined || vector === undefined) return [];
  for (let count = 2 * perLeg; ; count *= 2) {
    const { rows, scores } = vectors.search(vector, count, filter);
    const sorted = Array.from(rows, (row, at) => ({ row, score: scores[at] ?? 0 }));
    sorted.sort((a, b) => b.score - a.score || (order(a.row, b.row) ? -1 : 1));
    const best = firstOfItems(
      shard,
      sorted.map(({ row }) => row),
    );
    // Of rows that score the same, all must be known to take the first ones.
    const last = best[perLeg - 1];
    const bound = sorted.find(({ row }) => row === last)?.score ?? Number.NEGATIVE_INFINITY;
    const isDone = last !== undefined && bound > (sorted.at(-1)?.score ?? bound);
    if (isDone || rows.length < count || count >= TIES_MAX * perLeg) {
      return best.slice(0, perLeg);
    }
  }
}

/** Leaves out rows of an item that stood before. */
function firstOfItems(shard: Shard, rows: readonly number[]): number[] {
  const seen = new Set<number>();
  return rows.filter((row) => {
    const item = shard.items.itemOfRow.at(row);
    if (seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

/** The neighbors of an item that pass the filter. */
function neighborsOf(shard: Shard, { filter }: Legs, item: number): number[] {
  return around(shard, item).filter((near, place): near is number => {
    const isNear = Math.abs(OFFSETS[place] ?? REACH) <= POOL_NEIGHBORS;
    return isNear && near !== undefined && filterHas(filter, shard.items.firstRow.at(near));
  });
}

/**
 * The items around one in the same container, at the places of OFFSETS. Documents stand side by
 * side by chance, so only chunks of one document are neighbors.
 */
function around(shard: Shard, item: number): (number | undefined)[] {
  const container = shard.containers.at(shard.items.container.at(item));
  if (container === undefined) return [];
  const place = placeIn(shard, container, item);
  const near = OFFSETS.map((offset) => container.items[place + offset]);
  if (container.kind === "session") return near;
  const source = shard.values.textOf(NAMES.sourceId, item);
  if (source === undefined) return [];
  return near.map((one) => {
    const isChunk = one !== undefined && shard.values.textOf(NAMES.sourceId, one) === source;
    return isChunk ? one : undefined;
  });
}

function placeIn(shard: Shard, container: Container, item: number): number {
  const { position } = shard.items;
  return placeOf(container.items, position, position.at(item));
}

/** Reads the values of items; containers are numbered by their order in the content. */
function describe(shard: Shard, legs: Legs, found: readonly number[]): Found[] {
  const { items, authors, containers } = shard;
  const near = found.map((item) => around(shard, item));
  const values = new ItemValues(shard, legs, [
    ...found,
    // What lends nothing need not be compared.
    ...near.flatMap((list) => list.filter((_, place) => DENSE_NEIGHBOR_SHARES[place] !== 0)),
  ]);
  const numbers = containerNumbers(shard, found);
  const named = new Map<number, boolean>();
  const isNamed = (author: number): boolean => {
    const known = named.get(author) ?? authorNamed(legs.names, authors.textOf(author));
    named.set(author, known);
    return known;
  };
  const owns = found.map((item) => ({ item, ...values.of(item) }));
  const shares = nearShares(shard, legs.near, owns);
  return owns.flatMap((own, at) => {
    const { item } = own;
    const container = containers.at(items.container.at(item));
    if (container === undefined) return [];
    const [a, b, c, d] = near[at] ?? [];
    const candidate: Candidate = {
      container: numbers.get(container) ?? 0,
      position: items.position.at(item),
      bm25: own.bm25,
      neighborBm25: [values.bm25Of(a), values.bm25Of(b), values.bm25Of(c), values.bm25Of(d)],
      cosine: own.cosine,
      neighborCosine: [
        ...([values.cosineOf(a), values.cosineOf(b)] as const),
        ...([values.cosineOf(c), values.cosineOf(d)] as const),
      ],
      termMask: own.mask,
      nearWords: shares[at] ?? 0,
      words: items.words.at(item),
      flags: items.flags.at(item),
      authorNamed: isNamed(items.author.at(item)),
      timeMs: items.timeMs.at(item),
      importance: items.importanceOf(item),
      trust: TRUST_VALUES[items.trustOf(item)] ?? 0,
    };
    return [{ item, container, candidate, row: own.row }];
  });
}

function containerNumbers(shard: Shard, found: readonly number[]): Map<Container, number> {
  const all = new Set<Container>();
  for (const item of found) {
    const container = shard.containers.at(shard.items.container.at(item));
    if (container !== undefined) all.add(container);
  }
  const sorted = [...all].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return new Map(sorted.map((container, number) => [container, number]));
}

/** The values of the legs for one item: the best of its rows. */
interface LegValues {
  readonly bm25: number;
  readonly mask: number;
  readonly cosine: number;
  readonly row: number;
}

/** The best cosine of the rows of an item. */
interface Nearest {
  readonly cosine: number;
  readonly row: number;
}

/** Reads the values of items. */
class ItemValues {
  private readonly shard: Shard;
  private readonly words: LexicalPass | undefined;
  private readonly nearest = new Map<number, Nearest>();

  /** Compares the vectors of these items, all at once; others count as without one. */
  constructor(shard: Shard, legs: Legs, compared: readonly (number | undefined)[]) {
    this.shard = shard;
    this.words = legs.words;
    if (shard.vectors === undefined || legs.vector === undefined) return;
    const { items } = shard;
    const rows: number[] = [];
    const all = new Set(compared);
    for (const item of all) {
      if (item === undefined) continue;
      for (let row = items.firstRow.at(item); row < items.endRow(item); row++) rows.push(row);
    }
    const cosines = shard.vectors.cosines(rows, legs.vector);
    for (const [at, row] of rows.entries()) {
      const cosine = cosines[at] ?? Number.NaN;
      const item = items.itemOfRow.at(row);
      const known = this.nearest.get(item)?.cosine ?? Number.NEGATIVE_INFINITY;
      if (cosine > known) this.nearest.set(item, { cosine, row });
    }
  }

  of(item: number): LegValues {
    const { items } = this.shard;
    const end = items.endRow(item);
    let row = items.firstRow.at(item);
    const near = this.nearest.get(item) ?? { cosine: Number.NaN, row };
    let mask = 0;
    let bm25 = 0;
    let best = near.row;
    for (; row < end; row++) {
      const score = this.words?.scoreOf(row) ?? 0;
      mask |= this.words?.maskOf(row) ?? 0;
      if (score <= bm25) continue;
      bm25 = score;
      best = row;
    }
    return { bm25, mask, cosine: near.cosine, row: best };
  }

  bm25Of(item: number | undefined): number {
    if (item === undefined || this.words === undefined) return 0;
    const { items } = this.shard;
    let best = 0;
    for (let row = items.firstRow.at(item); row < items.endRow(item); row++) {
      best = Math.max(best, this.words.scoreOf(row));
    }
    return best;
  }

  cosineOf(item: number | undefined): number {
    return (item === undefined ? undefined : this.nearest.get(item)?.cosine) ?? Number.NaN;
  }
}
