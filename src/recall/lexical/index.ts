// The words leg of a recall: BM25 over rows, each a short passage.
//
// All figures that rank (the number of rows, their average length, the rows of each term) count
// living rows only and are exact: whatever changed before, an index answers like one built from
// the rows that are left. It does not keep the terms of a removed row. A search therefore counts
// the dead rows of its terms, if there are any, and keeps these counts until the next removal.

import type { RowFilter } from "../rules/row-filter.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { PartedPostings } from "./parted-postings.ts";
import { LexicalPass, type PassTerm } from "./pass.ts";
import { Renumbering } from "./renumbering.ts";
import { RowLengths } from "./row-lengths.ts";
import {
  advance,
  BM25_DEFAULTS,
  type Bm25Parameters,
  inverseFrequency,
  scoreTerms,
} from "./score.ts";
import { LexicalScratch } from "./scratch.ts";
import type { HashKey } from "./term-table.ts";

/** The most terms of a query that are searched, those with the highest inverse frequency. */
export const SEARCH_TERMS_MAX = 32;

/**
 * A term that is in more rows than this, and in more than half of all, finds no row by itself: it
 * counts in rows that another term of the query found. A query of such terms only is searched as
 * any other.
 */
export const FREQUENT_ROWS = 4_096;

/** A key for texts that nobody prepares against it, such as those of tests. */
export const FIXED_HASH_KEY: HashKey = [0, 0];

/** Options of a search. */
export interface LexicalOptions {
  /** Defaults to {@link BM25_DEFAULTS}. */
  readonly parameters?: Bm25Parameters;
  /**
   * Only these rows are scored; all by default. Frequencies and average are of the whole index in
   * any case. A list of few rows makes a search of a large index cheap.
   */
  readonly within?: RowFilter;
}

/** An inverted index over the terms of rows. */
export class LexicalIndex {
  readonly #scratch: LexicalScratch;
  readonly #postings: PartedPostings;
  #rows = new RowLengths();
  /** Number of dead rows that hold a term, by its number; of terms that were queried since. */
  readonly #deadRows = new Map<number, number>();
  /** The numbering of the terms that these are of. */
  #numbering = 0;
  /** Of the compaction that is under way. */
  #renumbering: Renumbering | undefined = undefined;

  /**
   * Makes an empty index.
   *
   * @param scratch - Indexes that are searched one at a time may share it.
   * @param hashKey - Key of the hashes of terms.
   * @param divideBytes - Size from which on it is divided; default see PartedPostings.
   */
  constructor(
    scratch: LexicalScratch = new LexicalScratch(),
    hashKey: HashKey = FIXED_HASH_KEY,
    divideBytes?: number,
  ) {
    this.#scratch = scratch;
    this.#postings = new PartedPostings(hashKey, divideBytes);
  }

  /** Number of living rows. */
  get rowCount(): number {
    return this.#rows.count;
  }

  /** Number of removed rows that still use memory; `compact` frees them. */
  get deadCount(): number {
    return this.#rows.added - this.#rows.count;
  }

  /** One more than the highest row. */
  get rowEnd(): number {
    return this.#rows.end;
  }

  /**
   * Adds a row with its terms, repeats included. Rows come in rising order and may leave numbers
   * out; a row without terms counts as a row. Throws RangeError for a row that is not above all
   * others.
   */
  add(row: number, terms: readonly string[]): void {
    this.#rows.add(row, terms.length);
    for (const term of terms) this.#postings.add(term, row);
  }

  /** Divides an index that has become large. State saved before a division is no longer valid. */
  divide(): boolean {
    return this.#postings.divide(this.#scratch.reader);
  }

  /** Takes rows out of every later search and gives how many of them were alive. */
  remove(rows: Iterable<number>): number {
    let removed = 0;
    for (const row of rows) if (this.#rows.remove(row)) removed += 1;
    if (removed > 0) this.#deadRows.clear();
    return removed;
  }

  /** Tells whether a row was added and not removed. */
  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** Number of living rows that hold a term. */
  docFrequency(term: string): number {
    const number = this.#postings.numberOf(term);
    return number === undefined ? 0 : this.#livingRowsOf(number);
  }

  /**
   * Calls back with the place of each of the given rows, rising, that holds a term. Reads only the
   * postings around these rows, and leaves the last search as it is.
   */
  holders(term: string, rows: Uint32Array, found: (place: number) => void): void {
    const number = this.#postings.numberOf(term);
    if (number === undefined) return;
    const { reader } = this.#scratch;
    this.#postings.open(number, reader);
    for (let place = 0; place < rows.length; ) {
      const row = rows[place] ?? 0;
      const next = reader.seek(row);
      if (next === Number.POSITIVE_INFINITY) return;
      if (next === row) found(place);
      place = advance(rows, place, next === row ? row + 1 : next);
    }
  }

  /**
   * Scores the rows that hold any of the terms. Repeated terms count once. The result is good until
   * the next search with the same scratch, or the next change of this index.
   */
  search(query: readonly string[], options: LexicalOptions = {}): LexicalPass {
    const { parameters = BM25_DEFAULTS, within } = options;
    const scratch = this.#scratch;
    scratch.start();
    const { terms, absent } = this.#termsOf(query);
    const isFrequent = ({ rows }: PassTerm): boolean =>
      rows > FREQUENT_ROWS && rows * 2 > this.#rows.count;
    const rare = terms.filter((term) => !isFrequent(term)).length;
    scoreTerms(
      { postings: this.#postings, rows: this.#rows, scratch },
      { terms, finding: rare === 0 ? terms.length : rare, parameters, within: within ?? undefined },
    );
    return new LexicalPass(scratch, terms, absent);
  }

  /**
   * Gives living rows new numbers and lets go of dead ones. `remap` has the new number of every
   * row, or -1; it keeps the order of rows. A living row with -1 is removed. Takes about as long as
   * adding a third of the rows anew. Throws RangeError, and changes nothing, for a remap that is
   * too short or does not keep the order.
   */
  compact(remap: ArrayLike<number>): void {
    this.beginCompaction(remap);
    this.finishCompaction();
  }

  /**
   * Begins a compaction that is done in slices: the index is searched and changed as ever until it
   * is finished, all by the old numbers. `remap` is as for `compact`; rows that come later are
   * kept, and get the numbers behind all others in their order. Throws as `compact`.
   */
  beginCompaction(remap: ArrayLike<number>): void {
    const renumbering = new Renumbering(remap, this.#rows.end);
    this.#postings.beginCompaction(renumbering);
    this.#renumbering = renumbering;
  }

  /** Copies about as many postings as the budget; gives whether there are more. */
  continueCompaction(budget: number): boolean {
    const rows = this.#rows;
    const { reader } = this.#scratch;
    const isLive = (row: number): boolean => rows.has(row);
    return this.#postings.continueCompaction(budget, { reader, rowEnd: rows.end, isLive });
  }

  /** Does the rest of a compaction. From now on, rows have their new numbers. */
  finishCompaction(): void {
    const renumbering = this.#renumbering;
    if (renumbering === undefined) return;
    while (this.continueCompaction(Number.POSITIVE_INFINITY));
    this.#renumbering = undefined;
    const rows = this.#rows;
    const newRows = new RowLengths();
    for (let row = 0; row < rows.end; row++) {
      const to = renumbering.newOf(row);
      if (to < 0) continue;
      newRows.add(to, rows.lengths[row] ?? 0);
      // The row died after the compaction began: its postings must count as those of a dead row.
      if (!rows.has(row)) newRows.remove(to);
    }
    this.#rows = newRows;
    this.#postings.finishCompaction(this.#scratch.reader);
    this.#deadRows.clear();
  }

  /** Gives the memory of the postings back at once. The index is of no use then. */
  release(): void {
    this.#renumbering = undefined;
    this.#postings.release();
  }

  /** The rows of now, none of which may be dead; more may be added while they are written. */
  saved(): SavedPart[] {
    return [...this.#rows.saved(), ...this.#postings.saved()];
  }

  /** Reads rows into an index that has none yet. */
  async load(read: SavedReader): Promise<void> {
    await this.#rows.load(read);
    await this.#postings.load(read);
  }

  /** The memory that the index takes, without the scratch; true to a few percent. */
  bytes(): number {
    return this.#postings.bytes() + this.#rows.bytes();
  }

  /** The terms that are searched, highest inverse frequency first, and those that no row holds. */
  #termsOf(query: readonly string[]): { terms: PassTerm[]; absent: string[] } {
    const absent: string[] = [];
    const known: { term: string; number: number; place: number; most: number }[] = [];
    for (const [place, term] of [...new Set(query)].entries()) {
      const number = this.#postings.numberOf(term);
      if (number === undefined) absent.push(term);
      else known.push({ term, number, place, most: this.#postings.rowsOf(number) });
    }
    known.sort((a, b) => a.most - b.most);
    const found: (PassTerm & { readonly place: number })[] = [];
    for (const { term, number, place, most } of known) {
      // No later term can have fewer living rows than those at hand: it need not be counted.
      const full = found.length >= SEARCH_TERMS_MAX;
      const bound = full ? found[SEARCH_TERMS_MAX - 1]?.rows : undefined;
      if (bound !== undefined && most - this.deadCount > bound) break;
      const rows = this.#livingRowsOf(number);
      if (rows === 0) {
        absent.push(term);
        continue;
      }
      const idf = inverseFrequency(rows, this.#rows.count);
      found.push({ term, number, rows, idf, place });
      if (found.length >= SEARCH_TERMS_MAX)
        found.sort((a, b) => a.rows - b.rows || a.place - b.place);
    }
    found.sort((a, b) => a.rows - b.rows || a.place - b.place);
    return { terms: found.slice(0, SEARCH_TERMS_MAX), absent };
  }

  #livingRowsOf(number: number): number {
    const all = this.#postings.rowsOf(number);
    if (this.deadCount === 0) return all;
    if (this.#numbering !== this.#postings.numbering) this.#deadRows.clear();
    this.#numbering = this.#postings.numbering;
    const known = this.#deadRows.get(number);
    if (known !== undefined) return all - known;
    const dead = this.#countDead(number);
    this.#deadRows.set(number, dead);
    return all - dead;
  }

  #countDead(number: number): number {
    const { reader } = this.#scratch;
    const { living } = this.#rows;
    const { rows } = reader;
    let dead = 0;
    this.#postings.open(number, reader);
    for (let found = reader.next(); found > 0; found = reader.next()) {
      for (let i = 0; i < found; i++) {
        const row = rows[i] ?? 0;
        dead += 1 - (((living[row >>> 5] ?? 0) >>> (row & 31)) & 1);
      }
    }
    return dead;
  }
}
