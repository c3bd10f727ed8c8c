// Runs of positions, apart from one another and rising.

import type { SeqRange } from "../../window/rules/types.ts";

/** The runs with one more, joined where they touch. Linear in the number of runs. */
export function addSpan(spans: readonly SeqRange[], span: SeqRange): readonly SeqRange[] {
  let { first, last } = span;
  const before: SeqRange[] = [];
  const after: SeqRange[] = [];
  for (const other of spans) {
    if (other.last < first - 1) before.push(other);
    else if (other.first > last + 1) after.push(other);
    else {
      first = Math.min(first, other.first);
      last = Math.max(last, other.last);
    }
  }
  return [...before, { first, last }, ...after];
}

// Filter of the rows that a search may give. A filter is made once for a query from its typed
// conditions, and then read inside the scans: so it is either nothing at all, a bit for each row,
// or a short list of rows.

/** Rows that a search may give. Plain data: it is never changed once it is made. */
export type RowFilter =
  | { readonly kind: "all" }
  /** Bit `row & 31` of word `row >>> 5`; rows beyond the words are not in. */
  | { readonly kind: "bits"; readonly words: Uint32Array; readonly count: number }
  /** Rows rising, each once. */
  | { readonly kind: "list"; readonly rows: Uint32Array };

/** The filter that lets every row pass. */
export const ALL_ROWS: RowFilter = { kind: "all" };

/** The filter that lets no row pass. */
export const NO_ROWS: RowFilter = { kind: "list", rows: new Uint32Array(0) };

/**
 * One row in this many makes a list and a set of bits equally large: below it intersections give
 * lists.
 */
const ROWS_PER_LISTED = 32;

/** Gives the filter of these rows, in any order, with or without repeats. */
export function listFilter(rows: ArrayLike<number>): RowFilter {
  const sorted = Uint32Array.from(rows).sort();
  let kept = 0;
  for (let at = 0; at < sorted.length; at++) {
    const row = sorted[at] ?? 0;
    if (at === 0 || row !== sorted[kept - 1]) sorted[kept++] = row;
  }
  return { kind: "list", rows: kept === sorted.length ? sorted : sorted.slice(0, kept) };
}

/** Gives the filter of the rows whose bits are set. The words must not change afterwards. */
export function bitsFilter(words: Uint32Array): RowFilter {
  let count = 0;
  for (const word of words) count += bitsOf(word);
  return { kind: "bits", words, count };
}

/** Gives the filter of the rows below `end` that a test accepts, as bits or as a list. */
export function filterWhere(end: number, accept: (row: number) => boolean): RowFilter {
  const words = new Uint32Array((end + 31) >>> 5);
  for (let row = 0; row < end; row++) {
    if (accept(row)) words[row >>> 5] = (words[row >>> 5] ?? 0) | (1 << (row & 31));
  }
  return shorter(words);
}

/** Tells whether a row passes. */
export function filterHas(filter: RowFilter, row: number): boolean {
  if (filter.kind === "all") return true;
  if (filter.kind === "bits") return (((filter.words[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
  const at = firstNotBelow(filter.rows, row);
  return filter.rows[at] === row;
}

/** Gives how many rows pass, of rows 0 to `rowCount` - 1 when all do. */
export function filterCount(filter: RowFilter, rowCount: number): number {
  if (filter.kind === "all") return rowCount;
  return filter.kind === "bits" ? filter.count : filter.rows.length;
}

/** Calls `visit` for every row below `end` that passes, rising. */
export function forEachRow(filter: RowFilter, end: number, visit: (row: number) => void): void {
  if (filter.kind === "all") {
    for (let row = 0; row < end; row++) visit(row);
  } else if (filter.kind === "list") {
    for (const row of filter.rows) {
      if (row >= end) return;
      visit(row);
    }
  } else {
    visitBits(filter.words, end, visit);
  }
}

/** Gives the filter of the rows that pass both. */
export function intersectFilters(a: RowFilter, b: RowFilter): RowFilter {
  if (a.kind === "all") return b;
  if (b.kind === "all") return a;
  if (a.kind === "list" && (b.kind !== "list" || a.rows.length <= b.rows.length)) {
    return { kind: "list", rows: a.rows.filter((row) => filterHas(b, row)) };
  }
  if (b.kind === "list") return { kind: "list", rows: b.rows.filter((row) => filterHas(a, row)) };
  return a.kind === "bits" ? intersectBits(a.words, b.words) : NO_ROWS;
}

function intersectBits(a: Uint32Array, b: Uint32Array): RowFilter {
  const words = a.slice(0, Math.min(a.length, b.length));
  for (let at = 0; at < words.length; at++) words[at] = (words[at] ?? 0) & (b[at] ?? 0);
  return shorter(words);
}

/** Gives the bits of a filter, or undefined when all rows pass. They are the filter's own. */
export function filterWords(filter: RowFilter): Uint32Array | undefined {
  if (filter.kind === "all") return undefined;
  if (filter.kind === "bits") return filter.words;
  const words = new Uint32Array(((filter.rows.at(-1) ?? -1) + 32) >>> 5);
  for (const row of filter.rows) words[row >>> 5] = (words[row >>> 5] ?? 0) | (1 << (row & 31));
  return words;
}

/** Gives the bits as a filter, or the list of their rows when that takes less. */
function shorter(words: Uint32Array): RowFilter {
  const filter = bitsFilter(words);
  const end = words.length * 32;
  const count = filterCount(filter, end);
  if (count * ROWS_PER_LISTED > end) return filter;
  const rows = new Uint32Array(count);
  let at = 0;
  visitBits(words, end, (row) => {
    rows[at++] = row;
  });
  return { kind: "list", rows };
}

function visitBits(words: Uint32Array, end: number, visit: (row: number) => void): void {
  const last = Math.min(words.length, Math.ceil(end / 32));
  for (let at = 0; at < last; at++) {
    let word = words[at] ?? 0;
    while (word !== 0) {
      const row = at * 32 + (31 - Math.clz32(word & -word));
      if (row >= end) return;
      visit(row);
      word &= word - 1;
    }
  }
}

/** Gives the first place of rising numbers, up to `end`, whose value is not below `value`. */
export function firstNotBelow(sorted: Uint32Array, value: number, end = sorted.length): number {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Gives how many bits of a word are set. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
