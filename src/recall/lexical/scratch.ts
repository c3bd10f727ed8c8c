// Arrays that a search fills and the next search uses again.

import { firstNotBelow } from "../rules/row-filter.ts";
import { PostingReader } from "./postings.ts";

/**
 * So many rows are scored at a time: what is added to is then in the cache of a processor, and no
 * search needs a place for every row of an index. A multiple of 32.
 */
export const WINDOW_ROWS = 16_384;

/** A group is 1 << GROUP_BITS rows. */
export const GROUP_BITS = 6;
const GROUP_ROWS = 1 << GROUP_BITS;

const FOUND_FIRST = 256;

/** The scores of the rows of one window, by the place of the row in it. */
export class ScoreWindow {
  readonly scores = new Float64Array(WINDOW_ROWS);
  /** Bit i: the row holds term i. */
  readonly masks = new Uint32Array(WINDOW_ROWS);
  /** 1 where a row of a group has a mask, so that few rows are read when few were found. */
  readonly groups = new Uint8Array(WINDOW_ROWS >>> GROUP_BITS);
  /** A bit for each row that may be found; not used when all may. */
  readonly allowed = new Uint32Array(WINDOW_ROWS >>> 5);
}

/**
 * Memory that searches need besides the index: the last results, 16 bytes for each row found,
 * and about half a megabyte. Indexes that are searched one at a time share one.
 */
export class LexicalScratch {
  readonly window = new ScoreWindow();
  /** Reads postings outside of searches. */
  readonly reader = new PostingReader();
  readonly #readers: PostingReader[] = [];
  /** The rows that were found, rising, with their scores and masks. */
  rows = new Uint32Array(FOUND_FIRST);
  scores = new Float64Array(FOUND_FIRST);
  masks = new Uint32Array(FOUND_FIRST);
  found = 0;
  /** Goes up with every search: results of an older one are gone. */
  searches = 0;

  /** Forgets the search before. */
  start(): void {
    this.found = 0;
    this.searches += 1;
  }

  /** The reader for one of the terms of a search. */
  readerOf(term: number): PostingReader {
    const known = this.#readers[term];
    if (known !== undefined) return known;
    const reader = new PostingReader();
    this.#readers[term] = reader;
    return reader;
  }

  /** Moves the rows of the window that begins at row `start` behind the results. */
  gather(start: number): void {
    this.#reserve(this.found + WINDOW_ROWS);
    const { groups } = this.window;
    for (let group = 0; group < groups.length; group++) {
      if (groups[group] === 0) continue;
      groups[group] = 0;
      this.#gatherGroup(start, group * GROUP_ROWS);
    }
  }

  #gatherGroup(start: number, first: number): void {
    const { rows, scores, masks, window } = this;
    const { masks: windowMasks, scores: windowScores } = window;
    let found = this.found;
    for (let place = first; place < first + GROUP_ROWS; place++) {
      const mask = windowMasks[place] ?? 0;
      if (mask === 0) continue;
      windowMasks[place] = 0;
      rows[found] = start + place;
      scores[found] = windowScores[place] ?? 0;
      masks[found++] = mask;
    }
    this.found = found;
  }

  /** The place of a row among the results; -1 when it is not there. */
  placeOf(row: number): number {
    const place = firstNotBelow(this.rows, row, this.found);
    return place < this.found && this.rows[place] === row ? place : -1;
  }

  /** The memory that it takes. */
  bytes(): number {
    const { rows, scores, masks, window } = this;
    const results = rows.byteLength + scores.byteLength + masks.byteLength;
    const readers = (this.#readers.length + 1) * this.reader.bytes();
    const windows = window.scores.byteLength + window.masks.byteLength + window.groups.length;
    return results + readers + windows + window.allowed.byteLength;
  }

  #reserve(count: number): void {
    if (count <= this.rows.length) return;
    const room = Math.max(count, Math.ceil(1.5 * this.rows.length));
    const [rows, scores, masks] = [this.rows, this.scores, this.masks];
    this.rows = new Uint32Array(room);
    this.rows.set(rows);
    this.scores = new Float64Array(room);
    this.scores.set(scores);
    this.masks = new Uint32Array(room);
    this.masks.set(masks);
  }
}
