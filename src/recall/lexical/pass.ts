// The result of one search of the words leg.

import { TopRows } from "../rules/top-rows.ts";
import type { LexicalScratch } from "./scratch.ts";

/** A term that was searched. */
export interface PassTerm {
  readonly term: string;
  /** Its number in the index. */
  readonly number: number;
  /** Number of living rows of the index that hold it: above 0. */
  readonly rows: number;
  /** Its inverse frequency over the living rows of the index. */
  readonly idf: number;
}

/** A row with its score. */
export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/** The scores of one search. Good until the next search with the same scratch. */
export class LexicalPass {
  /** The terms in the order of the bits of masks: highest inverse frequency first. */
  readonly terms: readonly PassTerm[];
  /** The terms of the query that no living row holds. */
  readonly absent: readonly string[];
  readonly #scratch: LexicalScratch;
  readonly #search: number;

  constructor(scratch: LexicalScratch, terms: readonly PassTerm[], absent: readonly string[]) {
    this.#scratch = scratch;
    this.#search = scratch.searches;
    this.terms = terms;
    this.absent = absent;
  }

  /** The BM25 score of a row; 0 when it holds none of the terms or was not searched. */
  scoreOf(row: number): number {
    const scratch = this.#fresh();
    const place = scratch.placeOf(row);
    return place < 0 ? 0 : (scratch.scores[place] ?? 0);
  }

  /** The terms that a row holds: bit i stands for term i. An unsigned number of 32 bits. */
  maskOf(row: number): number {
    const scratch = this.#fresh();
    const place = scratch.placeOf(row);
    return place < 0 ? 0 : (scratch.masks[place] ?? 0);
  }

  /** Number of rows that hold any of the terms. */
  get found(): number {
    return this.#fresh().found;
  }

  /** The rows that hold any of the terms, rising; not to be changed. */
  rows(): Uint32Array {
    const scratch = this.#fresh();
    return scratch.rows.subarray(0, scratch.found);
  }

  /**
   * Gives the `count` best rows that `accept` lets pass, highest score first. Of equal scores the
   * row that `isBefore` names comes first: by default the lower one. `accept` is asked only about
   * rows that are good enough.
   */
  top(
    count: number,
    accept: (row: number) => boolean = () => true,
    isBefore: (a: number, b: number) => boolean = (a, b) => a < b,
  ): ScoredRow[] {
    const { rows, scores, found } = this.#fresh();
    if (count < 1 || found === 0) return [];
    const best = new TopRows(Math.min(count, found), isBefore);
    let floor = best.threshold;
    for (let i = 0; i < found; i++) {
      const score = scores[i] ?? 0;
      if (score < floor) continue;
      const row = rows[i] ?? 0;
      if (!best.takes(row, score) || !accept(row)) continue;
      best.offer(row, score);
      floor = best.threshold;
    }
    const kept = best.sorted();
    return Array.from(kept.rows, (row, at) => ({ row, score: kept.scores[at] ?? 0 }));
  }

  #fresh(): LexicalScratch {
    if (this.#scratch.searches !== this.#search) {
      throw new Error("this lexical pass is over: another search has begun");
    }
    return this.#scratch;
  }
}
