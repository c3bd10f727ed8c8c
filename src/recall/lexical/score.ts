// The formula of BM25, in one place for the index and for what it is compared with.

import type { RowFilter } from "../rules/row-filter.ts";
import type { PartedPostings } from "./parted-postings.ts";
import type { PassTerm } from "./pass.ts";
import type { PostingReader } from "./postings.ts";
import type { RowLengths } from "./row-lengths.ts";
import { GROUP_BITS, type LexicalScratch, type ScoreWindow, WINDOW_ROWS } from "./scratch.ts";

/** The two parameters of BM25. */
export interface Bm25Parameters {
  /** Saturation of repeated terms (BM25 k1): 0 at once. */
  readonly k1: number;
  /** Length normalization (BM25 b): 0 none, 1 full. */
  readonly b: number;
}

/** Measured on conversations that were cut into passages of at most 60 words. */
export const BM25_DEFAULTS: Bm25Parameters = { k1: 1.2, b: 0.6 };

/** The inverse frequency, a natural logarithm, of a term in `frequency` of `rows` rows: above 0. */
export function inverseFrequency(frequency: number, rows: number): number {
  return Math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5));
}

/**
 * Gives what one term adds to the score of a row, for an inverse frequency of 1.
 *
 * `relative` is the number of terms of the row over the average of all rows.
 */
export function saturation(count: number, relative: number, { k1, b }: Bm25Parameters): number {
  return (count * (k1 + 1)) / (count + k1 * (1 - b + b * relative));
}

// Goes through the postings of the terms of a query and adds up the scores of rows, one window of
// rows after the other.

/** The index that a search reads, and the scratch that it fills. */
export interface ScoreInput {
  readonly postings: PartedPostings;
  readonly rows: RowLengths;
  readonly scratch: LexicalScratch;
}

/** The terms and limits of a search. */
export interface ScoreQuery {
  /** Highest inverse frequency first: so the scores of a row sum in the same order every time. */
  readonly terms: readonly PassTerm[];
  /** So many terms find rows; those behind them count in rows that were found. */
  readonly finding: number;
  readonly parameters: Bm25Parameters;
  readonly within: RowFilter | undefined;
}

/** For rows of fewer terms a table has what a term that they hold once adds. */
const SHORT_LENGTHS = 256;

/** One term of a search. */
interface Cursor {
  readonly reader: PostingReader;
  readonly flag: number;
  readonly canFind: boolean;
  readonly idf: number;
  readonly average: number;
  readonly parameters: Bm25Parameters;
  /** The score that the term adds to a row that holds it once, by the length of the row. */
  readonly once: Float64Array;
}

/** Fills the scratch with every row that is found, its score and its mask. */
export function scoreTerms(input: ScoreInput, query: ScoreQuery): void {
  const { rows, scratch } = input;
  const { within } = query;
  if (rows.count === 0 || query.terms.length === 0) return;
  const cursors = query.terms.map((term, bit) => cursorOf(input, query, term, bit));
  const finders = cursors.slice(0, query.finding);
  const listed = within?.kind === "list" ? within.rows : undefined;
  const allows = rows.added > rows.count || (within !== undefined && within.kind !== "all");
  let at = 0;
  for (let from = 0; from < rows.end; ) {
    let row = Number.POSITIVE_INFINITY;
    for (const { reader } of finders) row = Math.min(row, reader.seek(from));
    if (listed !== undefined) {
      at = advance(listed, at, row);
      row = listed[at] ?? Number.POSITIVE_INFINITY;
    }
    if (row >= rows.end) return;
    const start = row - (row % WINDOW_ROWS);
    if (allows) allowRows(scratch.window, start, rows.living, within);
    const allowed = allows ? scratch.window.allowed : undefined;
    for (const cursor of cursors) {
      addWindow(cursor, scratch.window, { from: row, start, lengths: rows.lengths, allowed });
    }
    scratch.gather(start);
    from = start + WINDOW_ROWS;
  }
}

function cursorOf(
  { postings, rows, scratch }: ScoreInput,
  { parameters, finding }: ScoreQuery,
  { number, idf }: PassTerm,
  bit: number,
): Cursor {
  const average = rows.sum / rows.count;
  const once = new Float64Array(SHORT_LENGTHS);
  for (let length = 0; length < SHORT_LENGTHS; length++) {
    once[length] = idf * saturation(1, length / average, parameters);
  }
  const reader = scratch.readerOf(bit);
  postings.open(number, reader);
  return { reader, flag: 1 << bit, canFind: bit < finding, idf, average, parameters, once };
}

/** The first place from `at` on whose row is not below `row`: in steps that double. */
export function advance(listed: Uint32Array, at: number, row: number): number {
  let low = at;
  for (let step = 1; low + step < listed.length; step *= 2) {
    if ((listed[low + step] ?? 0) >= row) break;
    low += step;
  }
  while (low < listed.length && (listed[low] ?? 0) < row) low += 1;
  return low;
}

/** Marks the rows of a window that live and pass. */
function allowRows(
  { allowed }: ScoreWindow,
  start: number,
  living: Uint32Array,
  within: RowFilter | undefined,
): void {
  const first = start >>> 5;
  const alive = living.subarray(first, first + allowed.length);
  if (within?.kind === "list") {
    allowed.fill(0);
    for (let at = advance(within.rows, 0, start); at < within.rows.length; at++) {
      const place = (within.rows[at] ?? 0) - start;
      if (place >= WINDOW_ROWS) break;
      allowed[place >>> 5] = (allowed[place >>> 5] ?? 0) | (1 << (place & 31));
    }
    for (let i = 0; i < allowed.length; i++) allowed[i] = (allowed[i] ?? 0) & (alive[i] ?? 0);
    return;
  }
  const words = within?.kind === "bits" ? within.words.subarray(first) : undefined;
  for (let i = 0; i < allowed.length; i++) {
    allowed[i] = (alive[i] ?? 0) & (words === undefined ? -1 : (words[i] ?? 0));
  }
}

interface WindowRows {
  /** No row below this one is wanted. */
  readonly from: number;
  readonly start: number;
  readonly lengths: Uint16Array;
  readonly allowed: Uint32Array | undefined;
}

/** Adds what one term gives the rows of a window. */
function addWindow(cursor: Cursor, window: ScoreWindow, target: WindowRows): void {
  const { reader } = cursor;
  const end = target.start + WINDOW_ROWS;
  while (reader.seek(target.from) < end) reader.at = addBlock(cursor, window, target);
}

/** Adds the postings of a block up to the end of the window, and gives the place behind them. */
function addBlock(cursor: Cursor, window: ScoreWindow, target: WindowRows): number {
  const { once, flag, canFind, reader } = cursor;
  const { rows, counts, found } = reader;
  const { scores, masks, groups } = window;
  const { start, lengths, allowed } = target;
  let at = reader.at;
  for (; at < found; at++) {
    const row = rows[at] ?? 0;
    const place = row - start;
    if (place >= WINDOW_ROWS) break;
    const mask = masks[place] ?? 0;
    if (mask === 0 && !canFind) continue;
    if (allowed !== undefined && (((allowed[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 0)
      continue;
    const length = lengths[row] ?? 0;
    const count = counts[at] ?? 0;
    const isPlain = count === 1 && length < SHORT_LENGTHS;
    const score = isPlain ? (once[length] ?? 0) : scoreOf(cursor, count, length);
    scores[place] = mask === 0 ? score : (scores[place] ?? 0) + score;
    if (mask === 0) groups[place >>> GROUP_BITS] = 1;
    masks[place] = mask | flag;
  }
  return at;
}

function scoreOf({ idf, average, parameters }: Cursor, count: number, length: number): number {
  return idf * saturation(count, length / average, parameters);
}
