// Inverted lists: every vector belongs to the center that it is nearest to, and a search looks only
// into the lists of the centers nearest to the query. Slots that have no list yet are scanned as
// they lie, so nothing that was put is ever missed because it came late.

import { TopRows } from "../rules/top-rows.ts";
import type { Records } from "./records.ts";
import { GATHER_COST, type Keeper, Scan } from "./scan.ts";
import type { Slots } from "./slots.ts";

/** The vectors that are partitioned. */
export interface PartitionSource {
  readonly records: Records;
  /** Codes of a record, padded. */
  readonly codes: number;
  readonly dimensions: number;
  readonly slots: Slots;
  readonly inUse: (slot: number) => boolean;
}

/** Centers at most: their scores fit beside their numbers in one sortable value. */
export const CENTERS_AT_MOST = 4096;

/** The value of `listOf` for a slot in no list. */
const NO_LIST = 0xffff;
/** The value for a slot that waits in `moved`. */
const WAITING = 0xfffe;

/** To see whether a row of a list passes costs as much as reading this many records in order. */
const TEST_COST = 0.5;

/** Rows that pass are rare near a query when there are not this share of what is to be expected. */
const RARE = 0.5;

/** Path of a search through the lists. */
export interface PartitionSearch {
  /** Rows that pass to score at least: more lists are looked into until there are as many. */
  readonly goal: number;
  /** Share of all rows that pass. */
  readonly share: number;
  /** A bit for each row that may be given; all when undefined. */
  readonly bits: Uint32Array | undefined;
}

/** The slots of one list. */
interface SlotList {
  slots: Uint32Array<ArrayBuffer>;
  count: number;
}

/** The lists of a block. */
export class Partitions {
  readonly #source: PartitionSource;
  readonly #centers: Records;
  readonly #lists: SlotList[];
  readonly #nearest = new TopRows(1);
  readonly #order: CenterOrder;
  #listOf = new Uint16Array(0);
  /** Slots below this one are in lists, or wait in `moved`. */
  #cursor = 0;
  /** Slots that got another vector since they were put into a list. */
  #moved: number[] = [];
  #calibrated = Number.POSITIVE_INFINITY;

  /** Makes empty lists for centers, which are records like those of the source. */
  constructor(source: PartitionSource, centers: Records, count: number) {
    this.#source = source;
    this.#centers = centers;
    this.#lists = Array.from({ length: count }, () => ({ slots: new Uint32Array(0), count: 0 }));
    this.#order = new CenterOrder(count);
  }

  /** Bytes that the lists and the centers take. */
  get bytes(): number {
    const lists = this.#lists.reduce((sum, list) => sum + list.slots.byteLength, 0);
    return lists + this.#listOf.byteLength + this.#centers.bytes + this.#moved.length * 8;
  }

  /** Products that finding the list of one slot takes. */
  get settleCost(): number {
    return this.#lists.length * this.#source.codes;
  }

  /** Whether every slot is in a list. */
  get settled(): boolean {
    return this.#moved.length === 0 && this.#cursor >= this.#source.slots.count;
  }

  /** Sets how many rows a search for ten rows must score. */
  calibrate(rows: number): void {
    this.#calibrated = rows;
  }

  /** Gives how many rows a search for `n` rows must score: more for more, by its square root. */
  goal(n: number): number {
    return this.#calibrated * Math.max(1, Math.sqrt(n / 10));
  }

  /** Gives what a search costs, in records read in order, when `passing` of `live` rows pass. */
  cost(n: number, passing: number, live: number): number {
    const goal = this.goal(n);
    return goal * GATHER_COST + goal * (live / passing) * TEST_COST + this.#lists.length;
  }

  /** Takes in that a slot has a new vector. It is found at once, by the scan of what waits. */
  place(slot: number): void {
    if (slot >= this.#cursor || this.#listOf[slot] === WAITING) return;
    this.#listOf[slot] = WAITING;
    this.#moved.push(slot);
  }

  /** Takes in that the vector of a slot is gone. */
  drop(slot: number): void {
    const place = slot < this.#cursor ? (this.#listOf[slot] ?? NO_LIST) : NO_LIST;
    const list = this.#lists[place];
    if (list === undefined) return;
    const at = list.slots.subarray(0, list.count).indexOf(slot);
    list.slots[at] = list.slots[--list.count] ?? 0;
    this.#listOf[slot] = NO_LIST;
  }

  /** Puts one slot that waits into its list. */
  settle(): void {
    const slot = this.#moved.pop() ?? this.#cursor++;
    if (slot >= this.#listOf.length) this.#listOf = grownLists(this.#listOf, slot + 1);
    if (!this.#source.inUse(slot)) {
      this.#listOf[slot] = NO_LIST;
      return;
    }
    this.#nearest.clear();
    const { records } = this.#source;
    const scan = new Scan({ records: this.#centers, codes: this.#source.codes }, this.#nearest);
    scan.nearRecord(records, slot).range(0, this.#lists.length);
    const center = this.#nearest.first;
    this.#listOf[slot] = center;
    const list = this.#lists[center];
    if (list !== undefined) append(list, slot);
  }

  /** Gives how many rows a search for a unit vector scores before it has scored those of a slot. */
  *depths(unit: Float64Array, slots: readonly number[]): Generator<number> {
    const wanted = new Set(slots.map((slot) => this.#listOf[slot] ?? NO_LIST));
    const depthOf = new Map<number, number>();
    let scored = 0;
    for (const center of this.#order.of(this.#scores(unit))) {
      scored += this.#lists[center]?.count ?? 0;
      if (wanted.has(center)) depthOf.set(center, scored);
      if (depthOf.size === wanted.size) break;
    }
    for (const slot of slots) yield depthOf.get(this.#listOf[slot] ?? NO_LIST) ?? 0;
  }

  /**
   * Offers the rows of the lists nearest to a unit vector, and all that have no list yet.
   *
   * @returns Whether it did: not when rows that pass are rare near the query. What the filter
   *   leaves is then far away, where lists tell little, and only an exact scan is right.
   */
  search(unit: Float64Array, keeper: Keeper, how: PartitionSearch): boolean {
    const { records, codes, slots } = this.#source;
    const order = this.#order.of(this.#scores(unit));
    if (how.bits !== undefined && this.#rareNear(order, how, how.bits)) return false;
    const scan = new Scan({ records, codes }, keeper).near(unit);
    if (how.bits !== undefined) scan.restrict(how.bits);
    scan.range(this.#cursor, slots.count);
    for (const slot of this.#moved) scan.slot(slot);
    let scored = 0;
    for (const center of order) {
      if (scored >= how.goal) break;
      const list = this.#lists[center];
      if (list !== undefined) scored += this.#scanList(scan, list, how.bits);
    }
    scan.finish();
    return true;
  }

  /** Tells whether of the rows nearest to a query far fewer pass than of all. */
  #rareNear(order: readonly number[], how: PartitionSearch, bits: Uint32Array): boolean {
    let seen = 0;
    let passed = 0;
    for (const center of order) {
      if (seen >= how.goal) break;
      const list = this.#lists[center];
      for (let at = 0; list !== undefined && at < list.count; at++) {
        if (this.#passes(list.slots[at] ?? 0, bits)) passed++;
      }
      seen += list?.count ?? 0;
    }
    return passed < RARE * how.share * seen;
  }

  /** Takes over new slots: of each old one the new, or -1. */
  compact(newSlots: Int32Array): void {
    const listOf = new Uint16Array(this.#listOf.length);
    const taken = (slot: number): number => newSlots[slot] ?? -1;
    this.#moved = this.#moved.map(taken).filter((slot) => slot >= 0);
    for (const slot of this.#moved) listOf[slot] = WAITING;
    this.#lists.forEach((list, center) => {
      const kept = list.slots.subarray(0, list.count).filter((slot) => taken(slot) >= 0);
      for (const [at, slot] of kept.entries()) kept[at] = taken(slot);
      for (const slot of kept) listOf[slot] = center;
      list.slots = kept;
      list.count = kept.length;
    });
    let cursor = 0;
    for (let slot = 0; slot < this.#cursor; slot++) if (taken(slot) >= 0) cursor++;
    this.#cursor = cursor;
    this.#listOf = listOf.slice(0, cursor);
  }

  /** Gives the memory of the centers back. */
  release(): void {
    this.#centers.truncate(0);
  }

  #scores(unit: Float64Array): Float32Array {
    const scores = new Float32Array(this.#lists.length);
    const keeper: Keeper = {
      threshold: Number.NEGATIVE_INFINITY,
      worst: 0,
      offer: (center, score) => {
        scores[center] = score;
      },
    };
    const scan = new Scan({ records: this.#centers, codes: this.#source.codes }, keeper);
    scan.near(unit).range(0, this.#lists.length);
    return scores;
  }

  #passes(slot: number, bits: Uint32Array): boolean {
    const row = this.#source.slots.rowOf(slot);
    return (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
  }

  /** Scans the slots of a list that pass, and gives how many they are. */
  #scanList(scan: Scan, list: SlotList, bits: Uint32Array | undefined): number {
    let passed = 0;
    for (let at = 0; at < list.count; at++) {
      const slot = list.slots[at] ?? 0;
      if (bits !== undefined && !this.#passes(slot, bits)) continue;
      scan.slot(slot);
      passed++;
    }
    return passed;
  }
}

/** Puts centers into order by their scores, without a comparison function: it would cost more. */
class CenterOrder {
  readonly #keys: Float64Array<ArrayBuffer>;
  readonly #bits: Uint32Array<ArrayBuffer>;

  constructor(count: number) {
    this.#keys = new Float64Array(count);
    this.#bits = new Uint32Array(1);
  }

  /** Gives the centers, best first; of equal ones the lowest first. */
  of(scores: Float32Array): number[] {
    const keys = this.#keys;
    const bits = this.#bits;
    const asFloat = new Float32Array(bits.buffer);
    for (let center = 0; center < keys.length; center++) {
      asFloat[0] = scores[center] ?? 0;
      const word = bits[0] ?? 0;
      // The bits of a float are in the order of its value once the sign is turned round.
      const rising = word >>> 31 === 1 ? ~word >>> 0 : (word | 0x8000_0000) >>> 0;
      keys[center] = -rising * CENTERS_AT_MOST + center;
    }
    keys.sort();
    return Array.from(keys, (key) => ((key % CENTERS_AT_MOST) + CENTERS_AT_MOST) % CENTERS_AT_MOST);
  }
}

function append(list: SlotList, slot: number): void {
  if (list.count === list.slots.length) {
    const larger = new Uint32Array(Math.max(8, Math.ceil(list.count * 1.25)));
    larger.set(list.slots);
    list.slots = larger;
  }
  list.slots[list.count++] = slot;
}

function grownLists(lists: Uint16Array, length: number): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(Math.max(length, Math.ceil(lists.length * 1.25), 1024));
  larger.set(lists);
  return larger.fill(NO_LIST, lists.length);
}
