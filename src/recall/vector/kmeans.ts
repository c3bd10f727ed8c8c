// Centers of a block's vectors: spherical k-means on a sample, in small steps. The sample is of
// slots and not of copies: a vector that changes meanwhile does no harm.

import { TopRows } from "../rules/top-rows.ts";
import { RECORD_TAIL } from "./kernel.ts";
import type { PartitionSource } from "./partitions.ts";
import { addCodes, normalized, writeCodes } from "./quantize.ts";
import { Records } from "./records.ts";
import { Scan } from "./scan.ts";

/** Vectors of the sample for each center. */
const SAMPLE_PER_CENTER = 32;
/** Rounds of moving the centers. */
const ROUNDS = 6;

/** Cost of a dimension of a moving center, in products. */
const MOVE_COST = 200;

/**
 * Finds centers, giving the products that each step took.
 *
 * @param count - How many centers; the source must have more vectors.
 * @returns The centers as records, with their numbers as rows.
 * @throws VectorMemoryError when there is no memory for them.
 */
export function* trainCenters(source: PartitionSource, count: number): Generator<number, Records> {
  const { codes, dimensions, records } = source;
  const random = seeded(count);
  const sample = sampleOf(source, count * SAMPLE_PER_CENTER, random);
  const centers = new Records(records.arena, codes + RECORD_TAIL);
  const sums = Array.from({ length: count }, () => new Float64Array(dimensions));
  const nearest = new TopRows(1);
  let done = false;
  try {
    centers.reserve(count);
    // The sample is in random order: its first vectors are the first centers.
    for (const [center, sum] of sums.entries()) add(source, sample[center] ?? 0, sum);
    yield* moveCenters();
    for (let round = 0; round < ROUNDS; round++) {
      for (const slot of sample) {
        if (!source.inUse(slot)) continue;
        nearest.clear();
        new Scan({ records: centers, codes }, nearest).nearRecord(records, slot).range(0, count);
        add(source, slot, sums[nearest.first]);
        yield count * codes;
      }
      yield* moveCenters();
    }
    done = true;
    return centers;
  } finally {
    if (!done) centers.truncate(0);
  }

  /** Puts the centers where the sums point, and empties the sums. */
  function* moveCenters(): Generator<number, void> {
    for (const [center, sum] of sums.entries()) {
      // A center without vectors near it starts again at some vector.
      if (sum.every((value) => value === 0)) add(source, pick(sample, random), sum);
      writeCenter(centers, center, normalized(sum, dimensions) ?? evenUnit(dimensions));
      sum.fill(0);
      yield MOVE_COST * codes;
    }
  }
}

function writeCenter(centers: Records, center: number, unit: Float64Array): void {
  const at = centers.address(center);
  const codes = centers.stride - RECORD_TAIL;
  const { i8, f32, u32 } = centers.views;
  i8.fill(0, at, at + codes);
  f32[(at + codes) >>> 2] = writeCodes(unit, { bytes: i8, at });
  u32[(at + codes + 4) >>> 2] = center;
}

/** Gives some unit vector, for a center that has no vector to begin at. */
function evenUnit(dimensions: number): Float64Array {
  return new Float64Array(dimensions).fill(1 / Math.sqrt(dimensions));
}

/** Gives slots from all parts of the source in random order; some may be out of use. */
function sampleOf(source: PartitionSource, limit: number, random: () => number): Uint32Array {
  const size = Math.min(limit, source.slots.count);
  const apart = source.slots.count / size;
  const sample = Uint32Array.from({ length: size }, (_, at) => Math.floor((at + random()) * apart));
  for (let at = 0; at < size; at++) {
    const other = at + Math.floor(random() * (size - at));
    [sample[at], sample[other]] = [sample[other] ?? 0, sample[at] ?? 0];
  }
  return sample;
}

function add(source: PartitionSource, slot: number, sum: Float64Array | undefined): void {
  const { records, codes } = source;
  const at = records.address(slot);
  const scale = records.views.f32[(at + codes) >>> 2] ?? Number.NaN;
  if (sum === undefined || Number.isNaN(scale)) return;
  addCodes(sum, { bytes: records.views.i8, at, scale });
}

function pick(sample: Uint32Array, random: () => number): number {
  return sample[Math.floor(random() * sample.length)] ?? 0;
}

/** Gives numbers from 0 to 1 that are the same for the same seed: builds can be repeated. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
