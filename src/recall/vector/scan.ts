// One query's way through records: it sets the kernel's state, feeds it stretches or lists of
// records, and keeps the best rows that come out.

import { SCRATCH, type VectorArena } from "./arena.ts";
import { SCAN_AT_MOST, STATE } from "./kernel.ts";
import { writeQuery } from "./quantize.ts";
import type { Records } from "./records.ts";
import { twinScan } from "./twin.ts";

/** A record out of order costs as much to read as this many in order. */
export const GATHER_COST = 3;

/** The records of a scan. */
export interface ScanOver {
  readonly records: Records;
  /** Codes of a record, padded. */
  readonly codes: number;
}

/** Takes what a scan finds. */
export interface Keeper {
  /** The score from which on a row is of interest. */
  readonly threshold: number;
  /** Rows of just that score are of interest below this one. */
  readonly worst: number;
  offer(row: number, score: number): void;
}

/** A scan: nothing else may use the arena's scratch until it is done. */
export class Scan {
  readonly #arena: VectorArena;
  readonly #records: Records;
  readonly #codes: number;
  readonly #keeper: Keeper;
  /** Number of addresses in the list. */
  #listed = 0;

  /** Begins a scan; it needs a query next. */
  constructor(over: ScanOver, keeper: Keeper) {
    this.#records = over.records;
    this.#arena = over.records.arena;
    this.#codes = over.codes;
    this.#keeper = keeper;
    this.#set(STATE.query, SCRATCH.query);
    this.#set(STATE.codes, over.codes);
    this.#set(STATE.stride, over.records.stride);
    this.#set(STATE.out, SCRATCH.out);
    this.#set(STATE.bits, 0);
  }

  /** Asks for what is near a unit vector. */
  near(unit: Float64Array): this {
    writeQuery(unit, this.#query(), this.#codes);
    return this;
  }

  /** Asks for what is near a stored vector of as many codes. */
  nearRecord(records: Records, slot: number): this {
    const at = records.address(slot);
    this.#query().set(records.views.i8.subarray(at, at + this.#codes));
    return this;
  }

  /**
   * Lets only rows pass whose bits are set; of records in lists too.
   *
   * @throws VectorMemoryError when there is no memory for the bits.
   */
  restrict(words: Uint32Array): void {
    const at = this.#arena.placeBits(words);
    this.#set(STATE.bits, at);
    this.#set(STATE.bitsEnd, words.length * 32);
  }

  /** Scans slots `from` to `to` - 1. */
  range(from: number, to: number): void {
    this.#records.forEachRun(from, to, (address, count) => {
      for (let done = 0; done < count; done += SCAN_AT_MOST) {
        const part = Math.min(SCAN_AT_MOST, count - done);
        this.#run(address + done * this.#records.stride, part, 0);
      }
    });
  }

  /** Scans a slot: now or with others, at the latest when `finish` is called. */
  slot(slot: number): void {
    this.#arena.views.u32[(SCRATCH.list >>> 2) + this.#listed] = this.#records.address(slot);
    this.#listed++;
    if (this.#listed === SCAN_AT_MOST) this.finish();
  }

  /** Scans the slots that wait. */
  finish(): void {
    if (this.#listed > 0) this.#run(0, this.#listed, SCRATCH.list);
    this.#listed = 0;
  }

  #run(first: number, count: number, list: number): void {
    const arena = this.#arena;
    const records = this.#records;
    const keeper = this.#keeper;
    const scratch = arena.views;
    scratch.f32[(SCRATCH.state + STATE.threshold) >>> 2] = keeper.threshold;
    this.#set(STATE.worst, keeper.worst);
    const given = records.inArena
      ? arena.kernel.scan(SCRATCH.state, first, count, list)
      : twinScan({ scratch, records: records.views }, SCRATCH.state, { first, count, list });
    for (let at = SCRATCH.out >>> 2, end = at + 2 * given; at < end; at += 2) {
      keeper.offer(scratch.u32[at + 1] ?? 0, scratch.f32[at] ?? 0);
    }
  }

  #query(): Int16Array {
    const from = SCRATCH.query >>> 1;
    return this.#arena.views.i16.subarray(from, from + this.#codes);
  }

  #set(offset: number, value: number): void {
    this.#arena.views.u32[(SCRATCH.state + offset) >>> 2] = value;
  }
}
