// Clustered vectors, queries on them, and the correct rows of each query by exact 64-bit scores.

import { TopRows } from "../../src/recall/rules/top-rows.ts";
import { seeded } from "./random.ts";

/** Number of rows that a search returns. */
export const K = 10;

/** Percentages of the rows that a filter lets pass. */
export const SHARES = [100, 10, 1] as const;
/** One of these percentages. */
export type Share = (typeof SHARES)[number];

const NOISE = 0.8;

/** Vectors and queries, as plain values that can be written to files. */
export interface Clusters {
  readonly rows: number;
  readonly dimensions: number;
  /** All rows in sequence, each of length 1. */
  readonly vectors: Float32Array;
  /** The same vectors, one array per row. */
  readonly list: readonly Float32Array[];
  readonly queries: Float32Array;
  /** The correct rows of each query, by share. */
  readonly truth: Readonly<Record<Share, readonly (readonly number[])[]>>;
}

/** The number that filters compare: below 10 for a tenth of the rows. */
export function bucketOf(row: number): number {
  return (Math.imul(row, 0x9e3779b1) >>> 0) % 100;
}

/** Makes clustered vectors: as many topics as the square root of the row count, with noise. */
export function makeClusters(rows: number, dimensions: number, queries: number): Clusters {
  const random = seeded(rows + dimensions);
  // Normal values are drawn once and then read from a random offset, because drawing is slow.
  const normal = Float32Array.from({ length: 1 << 20 }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    return radius * Math.cos(2 * Math.PI * random());
  });
  const from = (): number => Math.floor(random() * (normal.length - dimensions));
  const topics = Array.from({ length: Math.round(Math.sqrt(rows)) }, from);
  const fill = (count: number): Float32Array => {
    const all = new Float32Array(count * dimensions);
    for (let row = 0; row < count; row++) {
      const topic = topics[Math.floor(random() * topics.length)] ?? 0;
      const other = from();
      const one = all.subarray(row * dimensions, (row + 1) * dimensions);
      for (let at = 0; at < dimensions; at++) {
        one[at] = (normal[topic + at] ?? 0) + NOISE * (normal[other + at] ?? 0);
      }
      const length = Math.sqrt(dot(one, one));
      for (let at = 0; at < dimensions; at++) one[at] = (one[at] ?? 0) / length;
    }
    return all;
  };
  const vectors = fill(rows);
  const asked = fill(queries);
  const list = slices(vectors, dimensions);
  const truth = truthOf(list, slices(asked, dimensions));
  return { rows, dimensions, vectors, list, queries: asked, truth };
}

function truthOf(vectors: readonly Float32Array[], queries: readonly Float32Array[]) {
  const each = queries.map((query) => {
    const tops = SHARES.map((share) => ({ share, top: new TopRows(K) }));
    for (const [row, vector] of vectors.entries()) {
      const score = dot(query, vector);
      const bucket = bucketOf(row);
      for (const { share, top } of tops) if (bucket < share) top.offer(row, score);
    }
    return new Map(tops.map(({ share, top }) => [share, [...top.sorted().rows]]));
  });
  const of = (share: Share): number[][] => each.map((found) => found.get(share) ?? []);
  return { 100: of(100), 10: of(10), 1: of(1) };
}

/** Returns the vectors of a block as views of its memory. */
export function slices(block: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: block.length / dimensions }, (_, row) =>
    block.subarray(row * dimensions, (row + 1) * dimensions),
  );
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
