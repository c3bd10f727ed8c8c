// A block of vectors against a plain search in 64 bits, over random sequences of changes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clusteredVectors, cosineOf, randomVectors } from "../../../test/support/recall/vectors.ts";
import {
  ALL_ROWS,
  filterHas,
  filterWhere,
  listFilter,
  type RowFilter,
} from "../rules/row-filter.ts";
import { CHUNK_BYTES, VectorArena, VectorMemoryError } from "./arena.ts";
import { VectorBlock } from "./block.ts";

const arena = new VectorArena(128 * 1024 * 1024);

/** Tolerance of a cosine: 16 bits with residuals, 8 without. */
const OFF_WITH_RESIDUALS = 1e-4;
const OFF_WITHOUT = 0.02;

type Truth = Map<number, Float32Array>;

/** The best rows by exact cosines; ties by row. */
function naiveSearch(truth: Truth, query: Float32Array, filter: RowFilter): [number, number][] {
  return [...truth]
    .filter(([row]) => filterHas(filter, row))
    .map(([row, vector]): [number, number] => [row, cosineOf(vector, query)])
    .filter(([, score]) => !Number.isNaN(score))
    .sort(([rowA, a], [rowB, b]) => b - a || rowA - rowB);
}

/**
 * Says what is wrong with an answer: each score must be the row's own, the order falling, and no
 * row may be missing that is better than the last by more than scores may be off.
 */
function faults(
  found: { rows: Uint32Array; scores: Float64Array },
  expected: readonly [number, number][],
  how: { n: number; off: number },
): string[] {
  const exact = new Map(expected);
  const problems: string[] = [];
  if (found.rows.length !== Math.min(how.n, expected.length)) problems.push("length");
  if (new Set(found.rows).size !== found.rows.length) problems.push("repeats");
  found.rows.forEach((row, at) => {
    const score = found.scores[at] ?? Number.NaN;
    const truth = exact.get(row) ?? Number.NaN;
    if (!(Math.abs(score - truth) <= how.off)) problems.push(`row ${row}: ${score}, not ${truth}`);
    if (score > (found.scores[at - 1] ?? 2)) problems.push(`row ${row} comes too late`);
  });
  const last = found.scores.at(-1) ?? Number.NEGATIVE_INFINITY;
  const given = new Set(found.rows);
  for (const [row, score] of expected) {
    if (score > last + 2 * how.off && !given.has(row)) problems.push(`row ${row} is missing`);
  }
  return problems;
}

const someFilter = (rows: number): fc.Arbitrary<RowFilter> =>
  fc.oneof(
    fc.constant(ALL_ROWS),
    fc.array(fc.nat(rows), { maxLength: 2 * rows }).map(listFilter),
    fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat(9)).map(([step, first]) => {
      return filterWhere(rows, (row) => row % step === first % step);
    }),
  );

const ROWS = 60;
const ON_ROWS = ["put", "zero", "remove", "search"] as const;
type Command =
  | { readonly kind: (typeof ON_ROWS)[number]; readonly row: number }
  | { readonly kind: "append" | "compact" };
const someCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("append" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(...ON_ROWS),
      row: fc.nat(ROWS - 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const) }) },
);

describe("a block of vectors", () => {
  test.each([
    { dimensions: 1, residuals: false },
    { dimensions: 7, residuals: true },
    { dimensions: 64, residuals: false },
    { dimensions: 100, residuals: true },
    { dimensions: 1536, residuals: true },
    { dimensions: 4096, residuals: false },
  ])("of $dimensions dimensions, residuals $residuals, is as a plain search", (shape) => {
    const vectors = randomVectors(shape.dimensions, shape.dimensions);
    const off = shape.residuals ? OFF_WITH_RESIDUALS : OFF_WITHOUT;
    fc.assert(
      fc.property(
        fc.array(someCommand, { maxLength: 80 }),
        someFilter(ROWS),
        fc.integer({ min: 1, max: 20 }),
        (commands, filter, n) => {
          const block = new VectorBlock(shape.dimensions, { arena, ...shape });
          let truth: Truth = new Map();
          const check = (): void => {
            const query = vectors();
            const expected = naiveSearch(truth, query, filter);
            expect(faults(block.search(query, n, filter), expected, { n, off })).toEqual([]);
          };
          for (const command of commands) truth = apply(block, truth, { command, vectors, check });
          check();
          expect(block.count).toBe(truth.size);
          for (let row = 0; row < ROWS; row++) expect(block.has(row)).toBe(truth.has(row));
          block.release();
        },
      ),
      { numRuns: shape.dimensions > 1000 ? 10 : 60 },
    );
  });

  function apply(
    block: VectorBlock,
    truth: Truth,
    {
      command,
      vectors,
      check,
    }: {
      readonly command: Command;
      readonly vectors: () => Float32Array;
      readonly check: () => void;
    },
  ): Truth {
    const put = (row: number): void => {
      const vector = vectors().map((value) => value * 1000);
      block.put(row, vector);
      truth.set(row, vector);
    };
    switch (command.kind) {
      case "append":
        put(Math.min(ROWS - 1, Math.max(-1, ...truth.keys()) + 1));
        break;
      case "put":
        put(command.row);
        break;
      case "zero":
        block.put(command.row, new Float32Array(block.dimensions));
        truth.delete(command.row);
        break;
      case "remove":
        expect(block.remove(command.row)).toBe(truth.delete(command.row));
        break;
      case "search":
        check();
        break;
      case "compact":
        return compact(block, truth);
    }
    return truth;
  }

  /** Lets every third row go, and moves the others together. */
  function compact(block: VectorBlock, truth: Truth): Truth {
    let next = 0;
    const remap = Int32Array.from({ length: ROWS }, (_, row) => {
      return row % 3 === 0 || !truth.has(row) ? -1 : next++;
    });
    block.compact(remap);
    const kept = [...truth].filter(([row]) => (remap[row] ?? -1) >= 0);
    return new Map(kept.map(([row, vector]) => [remap[row] ?? -1, vector]));
  }

  test("is as a plain search when it is large, in any order of rows", () => {
    const vectors = clusteredVectors(48, 40, { seed: 1, noise: 1 });
    for (const order of ["rising", "mixed"]) {
      const block = new VectorBlock(48, { arena, residuals: true });
      const truth: Truth = new Map();
      for (let at = 0; at < 6000; at++) {
        const row = order === "rising" ? at : (at * 4001) % 6007;
        truth.set(row, vectors());
        block.put(row, truth.get(row) ?? []);
      }
      for (let row = 0; row < 6000; row += 7) expect(block.remove(row)).toBe(truth.delete(row));
      for (const step of [1, 2, 10, 100]) {
        const filter = filterWhere(6007, (row) => row % step === 0);
        const query = vectors();
        const expected = naiveSearch(truth, query, filter);
        const how = { n: 20, off: OFF_WITH_RESIDUALS };
        expect(faults(block.search(query, 20, filter), expected, how)).toEqual([]);
      }
      block.release();
    }
  });

  test("gives equal scores by rising row, in whatever order they came", () => {
    const same = Float32Array.of(1, 2, 3);
    const rising = new VectorBlock(3, { arena });
    const falling = new VectorBlock(3, { arena });
    for (let row = 0; row < 300; row++) rising.put(row, same);
    for (let row = 299; row >= 0; row--) falling.put(row, same);
    const first = [...rising.search(same, 5).rows];
    expect(first).toEqual([0, 1, 2, 3, 4]);
    expect([...falling.search(same, 5).rows]).toEqual(first);
  });

  test("gives the cosines of rows, and the vectors nearly as they were", () => {
    const vectors = randomVectors(33, 3);
    const block = new VectorBlock(33, { arena, residuals: true });
    const [stored, query] = [vectors(), vectors()];
    block.put(5, stored);
    const exact = cosineOf(stored, query);
    expect(block.cosine(5, query)).toBeCloseTo(exact, 4);
    expect(block.cosine(4, query)).toBeUndefined();
    expect(block.cosine(5, new Float32Array(33))).toBeUndefined();
    expect([...block.cosines([4, 5], query)]).toEqual([Number.NaN, block.cosine(5, query)]);
    expect(block.search(query, 1).scores[0]).toBe(block.cosine(5, query));
    expect(cosineOf(block.vector(5) ?? [], stored)).toBeCloseTo(1, 6);
    expect(block.vector(4)).toBeUndefined();
  });

  test("takes the tiniest and the largest of numbers", () => {
    const block = new VectorBlock(2, { arena, residuals: true });
    block.put(0, [5e-324, 0]);
    block.put(1, [1.7e308, 1.7e308]);
    expect(block.cosine(0, [1, 1])).toBeCloseTo(Math.SQRT1_2, 4);
    expect(block.cosine(1, [1, 1])).toBeCloseTo(1, 4);
  });

  test.each([
    { vector: [1, Number.NaN], message: "value 1 of the vector is not finite" },
    { vector: [Number.POSITIVE_INFINITY, 0], message: "value 0 of the vector is not finite" },
    { vector: [1], message: "the vector has 1 values, but 2 are needed" },
  ])("refuses $vector", ({ vector, message }) => {
    const block = new VectorBlock(2, { arena });
    block.put(0, [1, 0]);
    expect(() => block.put(0, vector)).toThrow(message);
    expect(() => block.search(vector, 1)).toThrow(message);
    expect(() => block.cosine(0, vector)).toThrow(message);
    expect(block.cosine(0, [1, 0])).toBeCloseTo(1, 2);
  });

  test.each([0, 4097, 1.5, Number.NaN])("cannot have %d dimensions", (dimensions) => {
    expect(() => new VectorBlock(dimensions, { arena })).toThrow("1 to 4096 dimensions");
  });

  test("is as it was when there is no memory left, and goes on when there is again", () => {
    const small = new VectorArena(8 * CHUNK_BYTES);
    const other = new VectorBlock(1024, { arena: small });
    const block = new VectorBlock(1024, { arena: small });
    const vectors = randomVectors(1024, 9);
    for (let row = 0; row < 100; row++) other.put(row, vectors());
    let row = 0;
    const fill = (): void => {
      for (; row < 1000; row++) block.put(row, vectors());
    };
    expect(fill).toThrow(VectorMemoryError);
    expect(fill).toThrow(`the memory of vectors is full: its limit is ${8 * CHUNK_BYTES} bytes`);
    expect(block.count).toBe(row);
    expect(block.has(row)).toBe(false);
    expect(block.search(vectors(), 5).rows).toHaveLength(5);
    other.release();
    block.put(row, vectors());
    expect(block.has(row)).toBe(true);
    expect(small.bytes).toBeLessThanOrEqual(8 * CHUNK_BYTES);
  });

  test("takes little when it is small, and gives all back", () => {
    const own = new VectorArena();
    const before = own.bytes;
    const blocks = Array.from({ length: 1000 }, () => new VectorBlock(128, { arena: own }));
    const vectors = randomVectors(128, 4);
    for (const block of blocks) for (let row = 0; row < 10; row++) block.put(row, vectors());
    expect(own.bytes).toBe(before);
    for (const block of blocks) expect(block.bytes).toBeLessThan(4096);
    const [large] = blocks;
    for (let row = 0; row < 3000; row++) large?.put(row, vectors());
    expect((large?.bytes ?? 0) / 3000).toBeLessThan(160);
    const grown = own.bytes;
    large?.release();
    expect(large?.bytes).toBe(0);
    for (let row = 0; row < 3000; row++) blocks[1]?.put(row, vectors());
    expect(own.bytes).toBe(grown);
  });

  test("gives the room of removed rows back when it is compacted", () => {
    const block = new VectorBlock(64, { arena });
    const vectors = randomVectors(64, 5);
    for (let row = 0; row < 20_000; row++) block.put(row, vectors());
    const full = block.bytes;
    for (let row = 0; row < 20_000; row++) if (row % 5 !== 0) block.remove(row);
    block.compact(Int32Array.from({ length: 20_000 }, (_, row) => (row % 5 === 0 ? row / 5 : -1)));
    expect(block.count).toBe(4000);
    expect(block.bytes).toBeLessThan(full / 4);
    expect(block.has(3999)).toBe(true);
    expect(block.has(4000)).toBe(false);
  });

  test("has no cosine above 1", () => {
    for (const residuals of [true, false]) {
      for (const dimensions of [1, 2, 3, 64]) {
        const block = new VectorBlock(dimensions, { arena, residuals });
        const next = randomVectors(dimensions, dimensions);
        const vectors = Array.from({ length: 50 }, next);
        for (const [row, vector] of vectors.entries()) block.put(row, vector);
        for (const vector of vectors) {
          const [best = 0] = block.search(vector, 1).scores;
          expect(best).toBeLessThanOrEqual(1);
          expect(
            block
              .search(
                vector.map((value) => -value),
                50,
              )
              .scores.at(-1),
          ).toBeGreaterThanOrEqual(-1);
        }
        block.release();
      }
    }
  });
});
