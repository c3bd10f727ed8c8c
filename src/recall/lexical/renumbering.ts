// The numbers that a compaction gives rows. Until it ends all else goes by the old numbers, also
// where postings have the new ones already.

const GONE = -1;

/** New numbers for the rows that there are, and for those that come until the end. */
export class Renumbering {
  /** Rows from here on came later; all of them are kept. */
  readonly end: number;
  readonly #remap: ArrayLike<number>;
  /** The old number of each new one. */
  readonly #oldRows: Uint32Array;

  /**
   * @param remap - The new number of every row up to `end`, or -1; it keeps the order of rows.
   * @throws RangeError for a remap that is too short or does not keep the order.
   */
  constructor(remap: ArrayLike<number>, end: number) {
    if (remap.length < end) throw new RangeError("the remap has fewer rows than the index");
    let newEnd = 0;
    for (let row = 0; row < end; row++) {
      const to = remap[row] ?? GONE;
      if (to < 0) continue;
      if (to < newEnd) throw new RangeError("the remap does not keep the order of rows");
      newEnd = to + 1;
    }
    this.#oldRows = new Uint32Array(newEnd);
    for (let row = 0; row < end; row++) {
      const to = remap[row] ?? GONE;
      if (to >= 0) this.#oldRows[to] = row;
    }
    this.end = end;
    this.#remap = remap;
  }

  /** Bytes that it takes; the remap is the caller's. */
  get bytes(): number {
    return this.#oldRows.byteLength;
  }

  /** The new number of a row; -1 when it is left out. */
  newOf(row: number): number {
    if (row < this.end) return this.#remap[row] ?? GONE;
    return row - this.end + this.#oldRows.length;
  }

  /** The old number of a row. */
  oldOf(row: number): number {
    return this.#oldRows[row] ?? row - this.#oldRows.length + this.end;
  }

  /** Gives the first `count` of these rows their old numbers. */
  toOld(rows: Uint32Array, count: number): void {
    for (let at = 0; at < count; at++) rows[at] = this.oldOf(rows[at] ?? 0);
  }
}
