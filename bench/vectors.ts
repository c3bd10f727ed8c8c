// Measures the vector search by itself, in this process: exact and partitioned, with and without
// filters, on clustered data (as many topics as the square root of the rows, and noise).
//
//   node bench/vectors.ts [rows ...] [--dimensions=128,256,384] [--noise=0.8] [--residuals]

import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { ALL_ROWS, filterWhere, type RowFilter } from "../src/recall/rules/row-filter.ts";
import { TopRows } from "../src/recall/rules/top-rows.ts";
import { VectorArena } from "../src/recall/vector/arena.ts";
import { VectorBlock } from "../src/recall/vector/block.ts";

const QUERIES = 40;
const K = 10;
const ROUNDS = 5;
/** Products per slice of building, about 2 ms. */
const SLICE = 40_000_000;
const SHARES = [100, 10, 1];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dimensions: { type: "string", default: "128,256,384" },
    noise: { type: "string", default: "0.8" },
    residuals: { type: "boolean", default: false },
  },
});

/** Numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a generator of clustered vectors. */
function clustered(rows: number, dimensions: number, noise: number): () => Float32Array {
  const random = seeded(rows + dimensions);
  // Normal values are drawn once and then read from a random offset, because drawing is slow.
  const normal = Float32Array.from({ length: 1 << 20 }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    return (radius * Math.cos(2 * Math.PI * random())) / Math.sqrt(dimensions);
  });
  const from = (): number => Math.floor(random() * (normal.length - dimensions));
  const topics = Array.from({ length: Math.round(Math.sqrt(rows)) }, from);
  return () => {
    const topic = topics[Math.floor(random() * topics.length)] ?? 0;
    const other = from();
    return Float32Array.from({ length: dimensions }, (_, index) => {
      return (normal[topic + index] ?? 0) + noise * (normal[other + index] ?? 0);
    });
  };
}

const passes = (row: number, percent: number): boolean =>
  (Math.imul(row, 0x9e3779b1) >>> 0) % 100 < percent;

function unitOf(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** Fills a block and finds the correct rows for every query and filter on the way. */
function fill(block: VectorBlock, rows: number, next: () => Float32Array) {
  const queries = Array.from({ length: QUERIES }, () => unitOf(next()));
  const truth = queries.map(() => SHARES.map(() => new TopRows(K)));
  let putMs = 0;
  for (let row = 0; row < rows; row++) {
    const vector = unitOf(next());
    const start = performance.now();
    block.put(row, vector);
    putMs += performance.now() - start;
    for (const [index, query] of queries.entries()) {
      const score = dot(query, vector);
      for (const [which, share] of SHARES.entries()) {
        if (passes(row, share)) truth[index]?.[which]?.offer(row, score);
      }
    }
  }
  const rowsOf = truth.map((tops) => tops.map((top) => new Set(top.sorted().rows)));
  return { queries, truth: rowsOf, putMs };
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Measures search times under one filter, and the share of correct rows found. */
function measure(
  block: VectorBlock,
  filled: ReturnType<typeof fill>,
  filter: { readonly rows: RowFilter; readonly which: number },
): string {
  const times: number[] = [];
  let found = 0;
  let wanted = 0;
  for (const query of filled.queries) block.search(query, K, filter.rows);
  const cpuStart = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, query] of filled.queries.entries()) {
      const start = performance.now();
      const { rows } = block.search(query, K, filter.rows);
      times.push(performance.now() - start);
      const truth = filled.truth[index]?.[filter.which] ?? new Set();
      wanted += truth.size;
      found += rows.reduce((sum, row) => sum + (truth.has(row) ? 1 : 0), 0);
    }
  }
  const cpuMs = process.cpuUsage(cpuStart).user / 1000 / times.length;
  times.sort((a, b) => a - b);
  const p50 = quantile(times, 0.5).toFixed(3);
  const p95 = quantile(times, 0.95).toFixed(3);
  return `${p50} / ${p95} ms, cpu ${cpuMs.toFixed(3)} ms, ${(found / wanted).toFixed(4)}`;
}

function run(rows: number, dimensions: number): void {
  const arena = new VectorArena();
  const block = new VectorBlock(dimensions, { arena, residuals: options.residuals });
  const filled = fill(block, rows, clustered(rows, dimensions, Number(options.noise)));
  const filters = SHARES.map((share, which) => ({
    name: share === 100 ? "all rows" : `${share} %`,
    rows: share === 100 ? ALL_ROWS : filterWhere(rows, (row) => passes(row, share)),
    which,
  }));
  const perRow = (bytes: number): string => (bytes / rows).toFixed(1);
  console.log(
    `\n${rows} x ${dimensions}: ${perRow(block.bytes)} B a row, ` +
      `put ${((filled.putMs / rows) * 1000).toFixed(2)} us a row`,
  );
  for (const filter of filters) {
    console.log(`  exact, ${filter.name}: ${measure(block, filled, filter)}`);
  }
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  let longest = 0;
  for (let more = true; more; ) {
    const sliceStart = process.cpuUsage();
    more = block.step(SLICE);
    longest = Math.max(longest, process.cpuUsage(sliceStart).user / 1000);
  }
  if (!block.partitioned) return;
  const cpuSeconds = process.cpuUsage(cpuStart).user / 1e6;
  console.log(
    `  partitions built in ${((performance.now() - start) / 1000).toFixed(1)} s ` +
      `(cpu ${cpuSeconds.toFixed(1)} s), longest slice cpu ${longest.toFixed(1)} ms, ` +
      `${perRow(block.bytes)} B a row`,
  );
  for (const filter of filters) {
    console.log(`  partitioned, ${filter.name}: ${measure(block, filled, filter)}`);
  }
}

const sizes = positionals.length === 0 ? [10_000, 100_000, 1_000_000] : positionals.map(Number);
console.log(
  "p50 / p95 of a search for 10, mean CPU time, recall@10 against exact scores in 64 bits",
);
for (const rows of sizes) {
  for (const dimensions of options.dimensions.split(",").map(Number)) run(rows, dimensions);
}
