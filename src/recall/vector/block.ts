// The vectors of one model in one shard. A vector is a signed byte for each dimension and a scale;
// where wanted, a second byte for each makes it worth 16 bits. A search scans the bytes, takes a
// few times more rows than it was asked for, scores them anew as exactly as they are stored, and
// gives the best. Large blocks are scanned in parts: see partitioner.ts.

import {
  ALL_ROWS,
  filterCount,
  filterWords,
  forEachRow,
  type RowFilter,
} from "../rules/row-filter.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { type ScoredRows, TopRows } from "../rules/top-rows.ts";
import type { VectorArena } from "./arena.ts";
import { RECORD_TAIL } from "./kernel.ts";
import { Partitioner } from "./partitioner.ts";
import {
  addCodes,
  dimensionsProblem,
  dotCodes,
  normalized,
  paddedDimensions,
  writeCodes,
  writeResiduals,
} from "./quantize.ts";
import { Records } from "./records.ts";
import { GATHER_COST, Scan } from "./scan.ts";
import { Slots } from "./slots.ts";

/** Options of a block. */
export interface VectorBlockOptions {
  /** The memory that it shares with other blocks. */
  readonly arena: VectorArena;
  /** Whether a second byte for each dimension is kept: scores are exact to 1e-4 then. */
  readonly residuals?: boolean;
  /** Codes of all vectors together from which on they are partitioned; default see partitioner. */
  readonly partitionAt?: number;
}

/** Rows that are scored exactly per wanted row. */
const CANDIDATES_PER_ROW = 4;
/** The least number of rows that are scored exactly. */
const CANDIDATES_AT_LEAST = 50;

const NOTHING: ScoredRows = { rows: new Uint32Array(0), scores: new Float64Array(0) };

/** Vectors by row, and the search for those nearest to a query. */
export class VectorBlock {
  readonly dimensions: number;
  readonly #codes: number;
  readonly #records: Records;
  readonly #residuals: Records | undefined;
  readonly #slots = new Slots();
  readonly #partitioner: Partitioner;
  #live = 0;

  /**
   * Makes an empty block.
   *
   * @throws RangeError when the number of dimensions is not 1 to 4,096.
   */
  constructor(dimensions: number, options: VectorBlockOptions) {
    const problem = dimensionsProblem(dimensions);
    if (problem !== undefined) throw new RangeError(problem);
    this.dimensions = dimensions;
    this.#codes = paddedDimensions(dimensions);
    this.#records = new Records(options.arena, this.#codes + RECORD_TAIL);
    if (options.residuals === true) this.#residuals = new Records(options.arena, this.#codes);
    const records = this.#records;
    const codes = this.#codes;
    const slots = this.#slots;
    const source = { records, codes, dimensions, slots, inUse: this.#inUse };
    this.#partitioner = new Partitioner(source, options.partitionAt);
  }

  /** Number of rows with a vector. */
  get count(): number {
    return this.#live;
  }

  /** Bytes that the block takes, with the room that it keeps for more. */
  get bytes(): number {
    const residuals = this.#residuals?.bytes ?? 0;
    return this.#records.bytes + residuals + this.#slots.bytes + this.#partitioner.bytes;
  }

  /**
   * Gives a row its vector, of any length, in place of the one it had. A vector of zeros has no
   * direction and matches nothing: the row is then without one.
   *
   * @throws RangeError when the vector has the wrong dimensions or values that are not finite.
   * @throws VectorMemoryError when there is no memory; the row is then as it was.
   */
  put(row: number, values: ArrayLike<number>): void {
    const unit = normalized(values, this.dimensions);
    if (unit === undefined) {
      this.remove(row);
      // Its slot is spent on nothing, so that rows and slots stay the same numbers.
      if (this.#slots.isNext(row)) this.#writeUnused(this.#takeSlot(row), row);
      return;
    }
    const fresh = !this.has(row);
    const slot = this.#takeSlot(row);
    const bytes = this.#records.views.i8;
    const at = this.#records.address(slot);
    const scale = writeCodes(unit, { bytes, at });
    bytes.fill(0, at + this.dimensions, at + this.#codes);
    this.#writeTail(slot, scale, row);
    if (this.#residuals !== undefined) {
      const place = { bytes: this.#residuals.views.i8, at: this.#residuals.address(slot) };
      writeResiduals(unit, scale, place);
    }
    if (fresh) this.#live++;
    else this.#partitioner.drop(slot);
    this.#partitioner.place(slot);
  }

  /** Takes a row's vector away. Returns whether it had one. */
  remove(row: number): boolean {
    const slot = this.#slotOf(row);
    if (slot < 0) return false;
    this.#partitioner.drop(slot);
    this.#writeUnused(slot, row);
    this.#slots.drop(row);
    this.#live--;
    return true;
  }

  /** Tells whether a row has a vector. */
  has(row: number): boolean {
    return this.#slotOf(row) >= 0;
  }

  /**
   * Gives the cosine of a row's vector and a query, or undefined when one of them has no direction.
   *
   * @throws RangeError as `put`.
   */
  cosine(row: number, query: ArrayLike<number>): number | undefined {
    const slot = this.#slotOf(row);
    const unit = normalized(query, this.dimensions);
    return slot < 0 || unit === undefined ? undefined : this.#exact(slot, unit);
  }

  /** Gives the cosine of every row, NaN for one without a vector; otherwise as `cosine`. */
  cosines(rows: ArrayLike<number>, query: ArrayLike<number>): Float64Array<ArrayBuffer> {
    const unit = normalized(query, this.dimensions);
    const found = new Float64Array(rows.length).fill(Number.NaN);
    for (let index = 0; index < rows.length && unit !== undefined; index++) {
      const slot = this.#slotOf(rows[index] ?? 0);
      if (slot >= 0) found[index] = this.#exact(slot, unit);
    }
    return found;
  }

  /** Gives a row's vector as it is stored, of length 1 or nearly, or undefined. */
  vector(row: number): Float64Array<ArrayBuffer> | undefined {
    const slot = this.#slotOf(row);
    if (slot < 0) return undefined;
    const values = new Float64Array(this.dimensions);
    addCodes(values, this.#codesAt(slot), this.#residualsAt(slot));
    return values;
  }

  /**
   * Gives the rows nearest to a query, by falling cosine and rising row.
   *
   * @param n - How many at most.
   * @param filter - The rows that it may give.
   * @throws RangeError as `put`.
   * @throws VectorMemoryError when there is no memory for the bits of the filter.
   */
  search(query: ArrayLike<number>, n: number, filter: RowFilter = ALL_ROWS): ScoredRows {
    const unit = normalized(query, this.dimensions);
    const passing = Math.min(this.#live, filterCount(filter, this.#live));
    const wanted = Math.min(n, passing);
    if (unit === undefined || !(wanted >= 1)) return NOTHING;
    const candidates = Math.max(CANDIDATES_AT_LEAST, CANDIDATES_PER_ROW * wanted);
    const found = new TopRows(Math.min(candidates, passing));
    if (!this.#searchLists(unit, found, { wanted, passing, filter })) {
      const records = this.#records;
      const codes = this.#codes;
      this.#scanAll(new Scan({ records, codes }, found).near(unit), filter);
    }
    const best = new TopRows(wanted);
    for (const row of found.sorted().rows)
      best.offer(row, this.#exact(this.#slots.slotOf(row), unit));
    return best.sorted();
  }

  /**
   * Gives rows new numbers and the room of those that are gone back. It takes about a millisecond
   * for each 10 MB.
   *
   * @param remap - The new row of each old row, or -1 for one that is gone.
   */
  compact(remap: ArrayLike<number>): void {
    const { count } = this.#slots;
    const newSlots = new Int32Array(count).fill(-1);
    const rows = new Uint32Array(this.#live);
    let kept = 0;
    for (let slot = 0; slot < count; slot++) {
      const row = this.#inUse(slot) ? (remap[this.#slots.rowOf(slot)] ?? -1) : -1;
      if (row < 0) continue;
      if (slot !== kept) {
        this.#records.copy(slot, kept);
        this.#residuals?.copy(slot, kept);
      }
      this.#writeTail(kept, this.#scaleOf(kept), row);
      newSlots[slot] = kept;
      rows[kept++] = row;
    }
    this.#slots.reset(rows.slice(0, kept));
    this.#records.truncate(kept);
    this.#residuals?.truncate(kept);
    this.#live = kept;
    this.#partitioner.compact(newSlots);
  }

  /** The vectors of now; those of new rows may be put while they are written. */
  saved(): SavedPart[] {
    const { count } = this.#slots;
    const parts: SavedPart[] = [count, { pieces: this.#records.pieces(count) }];
    if (this.#residuals !== undefined) parts.push({ pieces: this.#residuals.pieces(count) });
    return parts;
  }

  /**
   * Reads vectors into a block that has none yet.
   *
   * @throws VectorMemoryError when there is no memory for them; the block must then be released.
   */
  async load(read: SavedReader): Promise<void> {
    const rows = new Uint32Array(await read.number());
    const kept = new Uint8Array(rows.length);
    let slot = 0;
    const records = this.#records;
    await read.pieces((piece) => {
      const { buffer, byteOffset, length } = piece;
      const view = new DataView(buffer, byteOffset, length);
      for (let at = 0; at < length; at += records.stride) {
        const isUsed = !Number.isNaN(view.getFloat32(at + this.#codes, true));
        kept[slot++] = Number(isUsed);
        if (!isUsed) continue;
        records.reserve(this.#live + 1);
        rows[this.#live] = view.getUint32(at + this.#codes + 4, true);
        const record = piece.subarray(at, at + records.stride);
        new Uint8Array(records.views.i8.buffer).set(record, records.address(this.#live++));
      }
    });
    this.#slots.reset(rows.slice(0, this.#live));
    if (this.#residuals !== undefined) await this.#loadResiduals(read, this.#residuals, kept);
  }

  async #loadResiduals(read: SavedReader, residuals: Records, kept: Uint8Array): Promise<void> {
    residuals.reserve(this.#live);
    let slot = 0;
    let live = 0;
    await read.pieces((piece) => {
      for (let at = 0; at < piece.length; at += residuals.stride) {
        if (kept[slot++] !== 1) continue;
        const record = piece.subarray(at, at + residuals.stride);
        new Uint8Array(residuals.views.i8.buffer).set(record, residuals.address(live++));
      }
    });
  }

  /**
   * Does a part of the work that makes searches of a large block fast. Call it while nothing else
   * is to be done, until it returns false; searches are right without it, and slower.
   *
   * @param budget - About how many products of two numbers to do: 10 million take a millisecond.
   * @returns Whether there is more to do.
   */
  step(budget: number): boolean {
    return this.#partitioner.step(this.#live, budget);
  }

  /** Whether searches use partitions now. */
  get partitioned(): boolean {
    return this.#partitioner.serving !== undefined;
  }

  /** Gives all memory back. The block is empty then. */
  release(): void {
    this.compact([]);
  }

  /** Searches the partitions if that is cheaper; gives whether it did. */
  #searchLists(
    unit: Float64Array,
    found: TopRows,
    how: { readonly wanted: number; readonly passing: number; readonly filter: RowFilter },
  ): boolean {
    const live = this.#live;
    const partitions = this.#partitioner.serving;
    if (partitions === undefined) return false;
    const { wanted, passing, filter } = how;
    const exactCost = filter.kind === "all" ? live : Math.min(live, passing * GATHER_COST);
    if (partitions.cost(wanted, passing, live) >= exactCost) return false;
    const goal = partitions.goal(wanted);
    const bits = filterWords(filter);
    return partitions.search(unit, found, { goal, share: passing / live, bits });
  }

  #scanAll(scan: Scan, filter: RowFilter): void {
    const { count } = this.#slots;
    const passing = filterCount(filter, this.#live);
    const bits = filter.kind === "bits" ? filter.words : undefined;
    if (filter.kind === "all") {
      scan.range(0, count);
    } else if (bits !== undefined && passing * GATHER_COST > this.#live) {
      scan.restrict(bits);
      scan.range(0, count);
    } else {
      forEachRow(filter, Number.MAX_SAFE_INTEGER, (row) => {
        const slot = this.#slots.slotOf(row);
        if (slot >= 0) scan.slot(slot);
      });
      scan.finish();
    }
  }

  #exact(slot: number, unit: Float64Array): number {
    // Stored vectors have length 1 but for rounding: no cosine is above 1.
    const found = dotCodes(unit, this.#codesAt(slot), this.#residualsAt(slot));
    return Math.max(-1, Math.min(1, found));
  }

  #slotOf(row: number): number {
    const slot = this.#slots.slotOf(row);
    return slot >= 0 && this.#inUse(slot) ? slot : -1;
  }

  /** Makes room first, so that nothing has changed when there is none. */
  #takeSlot(row: number): number {
    const slots = this.#slots.slotFor(row) + 1;
    this.#records.reserve(slots);
    this.#residuals?.reserve(slots);
    return this.#slots.take(row, this.#inUse);
  }

  readonly #inUse = (slot: number): boolean => !Number.isNaN(this.#scaleOf(slot));

  #scaleOf(slot: number): number {
    return this.#records.views.f32[(this.#records.address(slot) + this.#codes) >>> 2] ?? Number.NaN;
  }

  #codesAt(slot: number): { bytes: Int8Array; at: number; scale: number } {
    const at = this.#records.address(slot);
    return { bytes: this.#records.views.i8, at, scale: this.#scaleOf(slot) };
  }

  #residualsAt(slot: number): { bytes: Int8Array; at: number } | undefined {
    const residuals = this.#residuals;
    if (residuals === undefined) return undefined;
    return { bytes: residuals.views.i8, at: residuals.address(slot) };
  }

  #writeUnused(slot: number, row: number): void {
    this.#writeTail(slot, Number.NaN, row);
  }

  #writeTail(slot: number, scale: number, row: number): void {
    const { f32, u32 } = this.#records.views;
    const at = (this.#records.address(slot) + this.#codes) >>> 2;
    f32[at] = scale;
    u32[at + 1] = row;
  }
}
