// Partitions of a block: recall on clustered vectors, work in slices, and changes at any time.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clusteredVectors, cosineOf, randomVectors } from "../../../test/support/recall/vectors.ts";
import { ALL_ROWS, filterHas, filterWhere, type RowFilter } from "../rules/row-filter.ts";
import { TopRows } from "../rules/top-rows.ts";
import { CHUNK_BYTES, VectorArena } from "./arena.ts";
import { VectorBlock } from "./block.ts";
import { Partitions } from "./partitions.ts";
import { Records } from "./records.ts";
import { Slots } from "./slots.ts";

const K = 10;
const arena = new VectorArena(256 * 1024 * 1024);

function settle(block: VectorBlock): void {
  while (block.step(1_000_000_000)) expect(block.count).toBeGreaterThan(0);
}

/** The largest error of a cosine of a block with residuals, as block.test.ts shows. */
const CODE_ERROR = 1e-4;

/** Gives the share of the ten nearest rows, by cosines in 64 bits, that searches find. */
function recallOf(
  block: VectorBlock,
  truth: ReadonlyMap<number, Float32Array>,
  how: { readonly queries: readonly Float32Array[]; readonly filter: RowFilter },
): number {
  let found = 0;
  for (const query of how.queries) {
    const top = new TopRows(K);
    for (const [row, vector] of truth) {
      if (filterHas(how.filter, row)) top.offer(row, cosineOf(vector, query));
    }
    const nearest = new Set(top.sorted().rows);
    for (const row of block.search(query, K, how.filter).rows) if (nearest.has(row)) found++;
  }
  return found / (how.queries.length * K);
}

describe("a partitioned block", () => {
  const [rows, dimensions] = [20_000, 64];
  const next = clusteredVectors(dimensions, Math.round(Math.sqrt(rows)), { seed: 7, noise: 1 });
  const truth = new Map(Array.from({ length: rows }, (_, row) => [row, next()]));
  const queries = Array.from({ length: 60 }, next);
  const options = { arena, residuals: true, partitionAt: 1_000_000 };
  const block = new VectorBlock(dimensions, options);
  for (const [row, vector] of truth) block.put(row, vector);
  settle(block);

  test.each([{ percent: 100 }, { percent: 30 }, { percent: 10 }, { percent: 1 }])(
    "finds 98 of 100 nearest among $percent % of the rows",
    ({ percent }) => {
      const filter =
        percent === 100
          ? ALL_ROWS
          : filterWhere(rows, (row) => (Math.imul(row, 0x9e3779b1) >>> 0) % 100 < percent);
      expect(block.partitioned).toBe(true);
      expect(recallOf(block, truth, { queries, filter })).toBeGreaterThanOrEqual(0.98);
    },
  );

  test("scans exactly for a filter whose rows are all far from the query", () => {
    const plain = new VectorBlock(dimensions, { arena, residuals: true });
    for (const [row, vector] of truth) plain.put(row, vector);
    for (const query of queries.slice(0, 5)) {
      const far = filterWhere(rows, (row) => cosineOf(truth.get(row) ?? [], query) < 0.1);
      expect(block.search(query, K, far)).toEqual(plain.search(query, K, far));
    }
    plain.release();
  });

  test("scores a small part of the rows", () => {
    const source = partsOf(rows);
    const scored = { all: 0 };
    source.partitions.search(source.unit, counting(scored), {
      goal: 1000,
      share: 1,
      bits: undefined,
    });
    expect(scored.all).toBeGreaterThanOrEqual(1000);
    expect(scored.all).toBeLessThan(rows / 4);
  });

  test("misses much when it looks into too little: the recall above could fail", () => {
    const calibrate = Partitions.prototype.calibrate;
    const broken = new VectorBlock(dimensions, options);
    try {
      Partitions.prototype.calibrate = function (this: Partitions): void {
        calibrate.call(this, 1);
      };
      for (const [row, vector] of truth) broken.put(row, vector);
      settle(broken);
    } finally {
      Partitions.prototype.calibrate = calibrate;
    }
    expect(broken.partitioned).toBe(true);
    expect(recallOf(broken, truth, { queries, filter: ALL_ROWS })).toBeLessThan(0.96);
    broken.release();
  });

  test("does no more in a slice than it may", () => {
    const sliced = new VectorBlock(dimensions, options);
    for (const [row, vector] of truth) sliced.put(row, vector);
    let slices = 1;
    const exact = sliced.search(queries[0] ?? [], K);
    while (sliced.step(5_000_000)) {
      slices++;
      if (slices % 50 === 0) expect(sliced.search(queries[0] ?? [], K)).toEqual(exact);
    }
    // 4,512 vectors of the sample six times, and every vector once, over 141 centers.
    expect(slices).toBeGreaterThan(((6 * 4512 + rows) * 141 * 64) / 5_000_000);
    expect(sliced.partitioned).toBe(true);
    sliced.release();
  });

  test("is built the same way every time", () => {
    const again = new VectorBlock(dimensions, options);
    for (const [row, vector] of truth) again.put(row, vector);
    settle(again);
    for (const query of queries) expect(again.search(query, K)).toEqual(block.search(query, K));
    again.release();
  });

  /** The parts that a block of the same vectors would have, to look into them. */
  function partsOf(count: number) {
    const records = new Records(arena, dimensions + 8);
    const slots = new Slots();
    const inUse = (): boolean => true;
    const source = { records, codes: dimensions, dimensions, slots, inUse };
    const centers = new Records(arena, dimensions + 8);
    const fill = (target: Records, at: number, row: number): void => {
      target.reserve(at + 1);
      const vector = truth.get(row) ?? new Float32Array(dimensions);
      const address = target.address(at);
      vector.forEach((value, index) => {
        target.views.i8[address + index] = Math.max(-127, Math.min(127, Math.round(value * 30)));
      });
      target.views.f32[(address + dimensions) >>> 2] = 1 / 300;
      target.views.u32[(address + dimensions + 4) >>> 2] = at;
    };
    for (let row = 0; row < count; row++) fill(records, slots.take(row, inUse), row);
    for (let center = 0; center < 100; center++) fill(centers, center, center * 190);
    const partitions = new Partitions(source, centers, 100);
    while (!partitions.settled) partitions.settle();
    const unit = Float64Array.from(truth.get(1) ?? [], (value) => value / 8);
    return { partitions, unit };
  }

  function counting(scored: { all: number }) {
    const offer = (): void => {
      scored.all++;
    };
    return { threshold: Number.NEGATIVE_INFINITY, worst: 0, offer };
  }
});

/** An exact search misses only rows that the codes cannot tell from those it gives. */
function checkNearest(block: VectorBlock, truth: Map<number, Float32Array>, query: Float32Array) {
  const cosines = [...truth.values()].map((vector) => cosineOf(vector, query));
  const last = cosines.sort((a, b) => b - a)[K - 1] ?? 0;
  const { rows } = block.search(query, K);
  expect(rows.length).toBe(K);
  for (const row of rows) {
    expect(cosineOf(truth.get(row) ?? [], query)).toBeGreaterThan(last - CODE_ERROR);
  }
}

describe("partitions under changes", () => {
  const dimensions = 16;
  const small = { arena, residuals: true, partitionAt: 600 * dimensions };
  type Change = { readonly kind: "put" | "remove" | "step" | "compact"; readonly size: number };
  const someChange: fc.Arbitrary<Change> = fc.record({
    kind: fc.constantFrom("put", "put", "remove", "step", "step", "compact"),
    size: fc.integer({ min: 1, max: 400 }),
  });

  test("never give a row twice, one that is gone, or one with the score of its past", () => {
    let partitioned = 0;
    fc.assert(
      fc.property(
        fc.array(someChange, { minLength: 5, maxLength: 25 }),
        fc.nat(),
        (changes, seed) => {
          const next = clusteredVectors(dimensions, 20, { seed, noise: 0.5 });
          const block = new VectorBlock(dimensions, small);
          let truth = new Map<number, Float32Array>();
          for (let row = 0; row < 700; row++) put(row);
          for (const [at, change] of changes.entries()) {
            apply(change, at);
            check();
          }
          settle(block);
          check();
          if (block.partitioned) partitioned++;
          block.release();

          function put(row: number): void {
            const vector = next();
            truth.set(row, vector);
            block.put(row, vector);
          }
          function apply({ kind, size }: Change, at: number): void {
            const end = Math.max(0, ...truth.keys()) + 1;
            if (kind === "step") block.step(size * 20_000);
            for (let index = 0; index < size && kind === "put"; index++) {
              put(index % 3 === 0 ? end + index : (index * 31 + at) % end);
            }
            for (let index = 0; index < size && kind === "remove"; index++) {
              const row = (index * 37 + at) % end;
              expect(block.remove(row)).toBe(truth.delete(row));
            }
            if (kind === "compact") compact(end);
          }
          function compact(end: number): void {
            let kept = 0;
            const remap = Int32Array.from({ length: end }, (_, row) =>
              truth.has(row) ? kept++ : -1,
            );
            block.compact(remap);
            truth = new Map([...truth].map(([row, vector]) => [remap[row] ?? -1, vector]));
          }
          function check(): void {
            const query = next();
            const { rows, scores } = block.search(query, 2000);
            expect(new Set(rows).size).toBe(rows.length);
            rows.forEach((row, at) => {
              expect(scores[at]).toBeCloseTo(cosineOf(truth.get(row) ?? [], query), 3);
            });
            // So many rows are wanted that everything is looked into.
            expect(rows.length).toBe(truth.size);
            if (!block.partitioned && truth.size >= K) checkNearest(block, truth, query);
          }
        },
      ),
      { numRuns: 15 },
    );
    expect(partitioned).toBeGreaterThan(4);
  });

  test("finds what was put since, before its list is known", () => {
    const next = clusteredVectors(dimensions, 30, { seed: 3, noise: 0.5 });
    const block = new VectorBlock(dimensions, small);
    for (let row = 0; row < 2000; row++) block.put(row, next());
    settle(block);
    expect(block.partitioned).toBe(true);
    const late = randomVectors(dimensions, 5)();
    block.put(2000, late);
    expect(block.search(late, 1).rows[0]).toBe(2000);
    block.put(17, late);
    block.remove(2000);
    expect(block.search(late, 1).rows[0]).toBe(17);
    settle(block);
    expect(block.search(late, 1).rows[0]).toBe(17);
  });

  test("are given up on vectors without clusters, and dropped when few rows are left", () => {
    const next = randomVectors(dimensions * 8, 3);
    const shapeless = new VectorBlock(dimensions * 8, small);
    for (let row = 0; row < 2000; row++) shapeless.put(row, next());
    settle(shapeless);
    expect(shapeless.partitioned).toBe(false);
    const clustered = clusteredVectors(dimensions, 30, { seed: 4, noise: 0.3 });
    const block = new VectorBlock(dimensions, small);
    for (let row = 0; row < 2000; row++) block.put(row, clustered());
    settle(block);
    const bytes = block.bytes;
    expect(block.partitioned).toBe(true);
    for (let row = 0; row < 1900; row++) block.remove(row);
    expect(block.step(1)).toBe(false);
    expect(block.partitioned).toBe(false);
    expect(block.bytes).toBeLessThan(bytes);
  });

  test("are made anew when the rows have doubled", () => {
    const next = clusteredVectors(dimensions, 30, { seed: 5, noise: 0.3 });
    const other = clusteredVectors(dimensions, 30, { seed: 6, noise: 0.3 });
    const block = new VectorBlock(dimensions, small);
    for (let row = 0; row < 1000; row++) block.put(row, next());
    settle(block);
    for (let row = 1000; row < 1999; row++) block.put(row, other());
    // Only the new rows are to be put into lists: a thousand centers' worth of work at most.
    expect(block.step(1999 * 32 * 16)).toBe(false);
    for (let row = 1999; row < 2100; row++) block.put(row, other());
    expect(block.step(1999 * 32 * 16)).toBe(true);
    settle(block);
    expect(block.partitioned).toBe(true);
  });

  test("give their memory back, finished or not", () => {
    const own = new VectorArena();
    const next = clusteredVectors(1024, 10, { seed: 9, noise: 0.3 });
    const block = new VectorBlock(1024, { arena: own, partitionAt: 1_000 });
    const used = (): number => own.bytes - own.freeBytes;
    const empty = used();
    for (const budget of [1, 1_000_000_000]) {
      for (let row = 0; row < 1600; row++) block.put(row, next());
      const plain = used();
      block.step(budget);
      expect(used()).toBeGreaterThan(plain);
      block.release();
      expect(used()).toBe(empty);
      expect(block.step(1)).toBe(false);
    }
  });

  test("are left out when there is no memory for them", () => {
    const narrow = new VectorArena(26 * CHUNK_BYTES);
    const next = clusteredVectors(1024, 10, { seed: 8, noise: 0.3 });
    const block = new VectorBlock(1024, { arena: narrow, partitionAt: 1_000 });
    const query = next();
    let row = 0;
    const fill = (): void => {
      for (; ; row++) block.put(row, next());
    };
    expect(fill).toThrow("the memory of vectors is full");
    settle(block);
    expect(block.partitioned).toBe(false);
    expect(block.search(query, 3).rows).toHaveLength(3);
  });
});
