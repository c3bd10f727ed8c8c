// Number of terms of each row, and the set of living rows.

import type { SavedPart, SavedReader } from "../rules/saved.ts";

/** The longest length of a row; longer rows count as this. */
const LENGTH_MAX = 0xffff;
const ROWS_FIRST = 64;

/** The rows of an index. All sums are over living rows only. */
export class RowLengths {
  lengths = new Uint16Array(ROWS_FIRST);
  /** Bit `row & 31` of word `row >>> 5`. */
  living = new Uint32Array(ROWS_FIRST >>> 5);
  /** One more than the highest row that was ever added. */
  end = 0;
  /** Number of living rows. */
  count = 0;
  /** Number of added rows, including dead ones. */
  added = 0;
  /** The lengths of all living rows together. */
  sum = 0;

  /** Adds a row behind all others. */
  add(row: number, length: number): void {
    if (!(Number.isSafeInteger(row) && row >= this.end)) {
      throw new RangeError(`row ${row} is not above the rows before it, which end at ${this.end}`);
    }
    this.#reserve(row + 1);
    const kept = Math.min(length, LENGTH_MAX);
    this.lengths[row] = kept;
    this.living[row >>> 5] = (this.living[row >>> 5] ?? 0) | (1 << (row & 31));
    this.end = row + 1;
    this.count += 1;
    this.added += 1;
    this.sum += kept;
  }

  /** Takes a row out; false when it is not alive. */
  remove(row: number): boolean {
    if (!this.has(row)) return false;
    this.living[row >>> 5] = (this.living[row >>> 5] ?? 0) & ~(1 << (row & 31));
    this.count -= 1;
    this.sum -= this.lengths[row] ?? 0;
    return true;
  }

  has(row: number): boolean {
    return (((this.living[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
  }

  /** The rows of now, none of which may be dead. */
  saved(): SavedPart[] {
    const { end, count, sum } = this;
    return [end, count, sum, this.lengths.subarray(0, end), this.living.slice()];
  }

  /** Reads rows into an object that has none yet. */
  async load(read: SavedReader): Promise<void> {
    this.end = await read.number();
    this.count = await read.number();
    this.added = this.count;
    this.sum = await read.number();
    const lengths = await read.shorts();
    const living = await read.words();
    // The bits must reach as far as the lengths, or a later row would have none.
    this.lengths = new Uint16Array(living.length << 5);
    this.lengths.set(lengths);
    this.living = living;
  }

  bytes(): number {
    return this.lengths.byteLength + this.living.byteLength;
  }

  #reserve(rows: number): void {
    if (rows <= this.lengths.length) return;
    const room = (Math.ceil(rows * 1.25) + 31) & ~31;
    const lengths = new Uint16Array(room);
    lengths.set(this.lengths);
    this.lengths = lengths;
    const living = new Uint32Array(room >>> 5);
    living.set(this.living);
    this.living = living;
  }
}
