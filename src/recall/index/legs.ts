// The two legs of a hybrid search: the items that are best by words and by vectors, and what each
// leg says of an item.

import type { LexicalPass } from "../lexical/pass.ts";
import { filterHas, type RowFilter } from "../rules/row-filter.ts";
import { type Container, KIND } from "./containers.ts";
import type { Shard } from "./shard.ts";

/** The most rows that are read per wanted row when many score the same. */
const TIES_MAX = 8;

/** The input of the legs of one search. */
export interface LegRows {
  readonly filter: RowFilter;
  /** Undefined when words are not asked for. */
  readonly words: LexicalPass | undefined;
  /** The vector of the query; undefined when vectors are not compared. */
  readonly vector: Float32Array | undefined;
  /** Number of items taken from each leg. */
  readonly perLeg: number;
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

/** Sessions come before collections, those before scopes, and all by id. */
export function isBefore(a: Container | undefined, b: Container | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.kind === b.kind ? a.id < b.id : KIND[a.kind] < KIND[b.kind];
}

/** The items that are best by words, then those that are best by vectors; some may be both. */
export function legItems(shard: Shard, legs: LegRows): number[] {
  const order = contentOrder(shard);
  const rows = [...bestByWords(shard, legs, order), ...bestByVector(shard, legs, order)];
  return [...new Set(rows.map((row) => shard.items.itemOfRow.at(row)))];
}

/** The first row of each of the best items. */
function bestByWords(
  shard: Shard,
  { words, filter, perLeg }: LegRows,
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
  { vector, filter, perLeg }: LegRows,
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
    if (isDone || rows.length < count || count >= TIES_MAX * perLeg) return best.slice(0, perLeg);
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
export class ItemValues {
  readonly #shard: Shard;
  readonly #words: LexicalPass | undefined;
  readonly #nearest = new Map<number, Nearest>();

  /** Compares the vectors of these items, all at once; others count as without one. */
  constructor(shard: Shard, legs: LegRows, compared: readonly (number | undefined)[]) {
    this.#shard = shard;
    this.#words = legs.words;
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
      const known = this.#nearest.get(item)?.cosine ?? Number.NEGATIVE_INFINITY;
      if (cosine > known) this.#nearest.set(item, { cosine, row });
    }
  }

  of(item: number): LegValues {
    const { items } = this.#shard;
    const end = items.endRow(item);
    let row = items.firstRow.at(item);
    const near = this.#nearest.get(item) ?? { cosine: Number.NaN, row };
    let mask = 0;
    let bm25 = 0;
    let best = near.row;
    for (; row < end; row++) {
      const score = this.#words?.scoreOf(row) ?? 0;
      mask |= this.#words?.maskOf(row) ?? 0;
      if (score <= bm25) continue;
      bm25 = score;
      best = row;
    }
    return { bm25, mask, cosine: near.cosine, row: best };
  }

  bm25Of(item: number | undefined): number {
    if (item === undefined || this.#words === undefined) return 0;
    const { items } = this.#shard;
    let best = 0;
    for (let row = items.firstRow.at(item); row < items.endRow(item); row++) {
      best = Math.max(best, this.#words.scoreOf(row));
    }
    return best;
  }

  cosineOf(item: number | undefined): number {
    return (item === undefined ? undefined : this.#nearest.get(item)?.cosine) ?? Number.NaN;
  }
}
