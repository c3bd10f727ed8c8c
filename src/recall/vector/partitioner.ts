// When a block is partitioned, and how: in slices, while exact scans go on answering. First centers
// are found, then every vector is put into the list of its nearest, then it is measured on vectors
// of the block itself how many rows a search must score. Lists that would save nothing, as on
// vectors without any clusters, are thrown away.

import { TopRows } from "../rules/top-rows.ts";
import { VectorMemoryError } from "./arena.ts";
import { trainCenters } from "./kmeans.ts";
import { CENTERS_AT_MOST, type PartitionSource, Partitions } from "./partitions.ts";
import { addCodes } from "./quantize.ts";
import { GATHER_COST, Scan } from "./scan.ts";

/**
 * Codes of all vectors together from which on a block is partitioned. A core scans about 17 to 20
 * of them in a nanosecond, so this is about 4 ms: 250,000 vectors of 256 dimensions.
 */
export const PARTITION_AT = 64_000_000;

/** Vectors, evenly spread over the block, whose neighbors are searched to set the goal. */
const PROBES = 64;
/** Neighbors of each. */
const NEIGHBORS = 10;
/** Share of the neighbors that must be within the goal. */
const RECALL = 0.99;
/** Queries are less like the vectors than these are like each other: so much more is scored. */
const MARGIN = 1.5;
/** Slots that one step of an exact scan goes over. */
const SCAN_STEP = 4096;

/** Keeps the partitions of a block. */
export class Partitioner {
  readonly #source: PartitionSource;
  readonly #partitionAt: number;
  #active: Partitions | undefined = undefined;
  /** The partitions being built: they take part in every change, and serve when done. */
  #next: Partitions | undefined = undefined;
  #building: Generator<number, void> | undefined = undefined;
  /** Vectors that there were when lists were built last. */
  #builtFor = 0;

  /** Makes the partitioner of a block that has no vector yet. */
  constructor(source: PartitionSource, partitionAt: number = PARTITION_AT) {
    this.#source = source;
    this.#partitionAt = partitionAt;
  }

  /** The lists to search in, if there are any. */
  get serving(): Partitions | undefined {
    return this.#active;
  }

  /** Bytes that all lists take. */
  get bytes(): number {
    return (this.#active?.bytes ?? 0) + (this.#next?.bytes ?? 0);
  }

  /** Takes in that a slot has a new vector. */
  place(slot: number): void {
    this.#active?.place(slot);
    this.#next?.place(slot);
  }

  /** Takes in that the vector of a slot is gone. */
  drop(slot: number): void {
    this.#active?.drop(slot);
    this.#next?.drop(slot);
  }

  /** Takes over new slots. Partitions being built start again. */
  compact(newSlots: Int32Array): void {
    this.#abandon();
    this.#active?.compact(newSlots);
    if (this.#source.slots.count === 0) this.#discard();
  }

  /** Does a part of the work; gives whether there is more. */
  step(live: number, budget: number): boolean {
    const active = this.#active;
    const work = live * this.#source.codes;
    if (work < this.#partitionAt / 2) {
      this.#discard();
      return false;
    }
    let left = budget;
    while (active !== undefined && !active.settled && left > 0) {
      active.settle();
      left -= active.settleCost;
    }
    if (this.#building === undefined && work >= this.#partitionAt && live >= 2 * this.#builtFor) {
      this.#building = this.#build(live);
    }
    while (this.#building !== undefined && left > 0) left -= this.#advance(this.#building, live);
    return this.#building !== undefined || this.#active?.settled === false;
  }

  /** Does one step of the building, and gives the products that it took. */
  #advance(building: Generator<number, void>, live: number): number {
    try {
      const { value, done } = building.next();
      if (done === true) this.#building = undefined;
      return value ?? 0;
    } catch (error) {
      this.#abandon();
      if (!(error instanceof VectorMemoryError)) throw error;
      // Exact scans need no more memory; it is tried again when there are twice as many vectors.
      this.#builtFor = live;
      return 0;
    }
  }

  *#build(live: number): Generator<number, void> {
    this.#builtFor = live;
    const count = Math.min(CENTERS_AT_MOST, Math.max(2, Math.round(Math.sqrt(live))));
    const centers = yield* trainCenters(this.#source, count);
    const next = new Partitions(this.#source, centers, count);
    this.#next = next;
    while (!next.settled) {
      next.settle();
      yield next.settleCost;
    }
    const goal = yield* this.#measure(next);
    this.#next = undefined;
    this.#active?.release();
    this.#active = next;
    next.calibrate(goal);
    if (goal * GATHER_COST > live) {
      next.release();
      this.#active = undefined;
    }
  }

  /** Gives how many rows a search must score to find nearly all of the ten nearest. */
  *#measure(next: Partitions): Generator<number, number> {
    const { slots, inUse } = this.#source;
    const depths: number[] = [];
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = Math.floor(((probe + 0.5) * slots.count) / PROBES);
      if (!inUse(slot)) continue;
      const unit = this.#vector(slot);
      const found = new TopRows(NEIGHBORS + 1);
      yield* this.#scan(unit, found);
      const rows = [...found.sorted().rows].filter((row) => row !== slots.rowOf(slot));
      const neighbors = rows.map((row) => slots.slotOf(row)).filter((other) => other >= 0);
      depths.push(...next.depths(unit, neighbors));
      yield next.settleCost;
    }
    depths.sort((a, b) => a - b);
    return MARGIN * (depths[Math.floor(depths.length * RECALL)] ?? depths.at(-1) ?? 0);
  }

  /** Scans all vectors in steps; queries in between use the same scratch. */
  *#scan(unit: Float64Array, found: TopRows): Generator<number, void> {
    const { records, codes, slots } = this.#source;
    for (let from = 0; from < slots.count; from += SCAN_STEP) {
      const to = Math.min(slots.count, from + SCAN_STEP);
      new Scan({ records, codes }, found).near(unit).range(from, to);
      yield (to - from) * codes;
    }
  }

  #vector(slot: number): Float64Array {
    const { records, codes, dimensions } = this.#source;
    const at = records.address(slot);
    const scale = records.views.f32[(at + codes) >>> 2] ?? Number.NaN;
    const unit = new Float64Array(dimensions);
    addCodes(unit, { bytes: records.views.i8, at, scale });
    return unit;
  }

  #abandon(): void {
    if (this.#building === undefined) return;
    this.#building.return();
    this.#building = undefined;
    this.#next?.release();
    this.#next = undefined;
    this.#builtFor = 0;
  }

  #discard(): void {
    this.#abandon();
    this.#active?.release();
    this.#active = undefined;
    this.#builtFor = 0;
  }
}
