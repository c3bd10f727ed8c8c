import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addRange, containsSeq, rangesOf, withoutRanges } from "./ranges.ts";
import type { SeqRange } from "./types.ts";

const MAX = 40;
const RUNS = 2_000;

const r = (first: number, last: number): SeqRange => ({ first, last });
const entries = (...seqs: number[]) => seqs.map((seq) => ({ seq }));
const all = Array.from({ length: MAX }, (_, index) => index + 1);
/** The seqs that ranges hold, taken literally. */
const seqsIn = (ranges: readonly SeqRange[]): number[] =>
  ranges.flatMap(({ first, last }) => all.filter((seq) => seq >= first && seq <= last));

const seqSet = fc.subarray(all);
const range = fc
  .tuple(fc.integer({ min: 1, max: MAX }), fc.integer({ min: 0, max: 12 }))
  .map(([first, more]) => r(first, Math.min(MAX, first + more)));

describe("rangesOf", () => {
  test("joins neighbors only", () => {
    expect(rangesOf(entries(1, 2, 3, 5, 7, 8))).toEqual([r(1, 3), r(5, 5), r(7, 8)]);
    expect(rangesOf([])).toEqual([]);
  });

  test("joins over a gap that is erased as a whole", () => {
    expect(rangesOf(entries(1, 4), [r(2, 3)])).toEqual([r(1, 4)]);
    expect(rangesOf(entries(1, 4), [r(3, 3)])).toEqual([r(1, 1), r(4, 4)]);
    expect(rangesOf(entries(5, 9, 12), [r(1, 3), r(6, 8), r(10, 10)])).toEqual([
      r(5, 9),
      r(12, 12),
    ]);
  });

  test("holds exactly the entries, and erased seqs between them", () => {
    const property = fc.property(seqSet, seqSet, (kept, gone) => {
      const erased = gone.filter((seq) => !kept.includes(seq));
      const made = rangesOf(entries(...kept), rangesOf(entries(...erased)));
      const inside = seqsIn(made);
      expect(inside.filter((seq) => !erased.includes(seq))).toEqual(kept);
      for (const [index, { first }] of made.entries()) {
        const before = made[index - 1];
        if (before === undefined) continue;
        const gap = seqsIn([r(before.last + 1, first - 1)]);
        expect(gap.some((seq) => !erased.includes(seq))).toBe(true);
      }
    });
    fc.assert(property, { numRuns: RUNS });
  });
});

test("addRange adds and merges", () => {
  expect(addRange([], r(3, 4))).toEqual([r(3, 4)]);
  expect(addRange([r(1, 2)], r(3, 4))).toEqual([r(1, 4)]);
  expect(addRange([r(1, 2), r(6, 7)], r(4, 4))).toEqual([r(1, 2), r(4, 4), r(6, 7)]);
  expect(addRange([r(1, 2), r(4, 5), r(9, 9)], r(3, 6))).toEqual([r(1, 6), r(9, 9)]);
  const property = fc.property(seqSet, range, (seqs, added) => {
    const union = all.filter((seq) => seqs.includes(seq) || containsSeq([added], seq));
    expect(addRange(rangesOf(entries(...seqs)), added)).toEqual(rangesOf(entries(...union)));
  });
  fc.assert(property, { numRuns: RUNS });
});

test("containsSeq finds every seq of the ranges and no other", () => {
  const property = fc.property(seqSet, (seqs) => {
    const ranges = rangesOf(entries(...seqs));
    expect(all.filter((seq) => containsSeq(ranges, seq))).toEqual(seqs);
  });
  fc.assert(property, { numRuns: RUNS });
});

test("withoutRanges gives what no other range holds", () => {
  expect(withoutRanges([r(1, 10)], [r(3, 4), r(8, 9)])).toEqual([r(1, 2), r(5, 7), r(10, 10)]);
  expect(withoutRanges([r(1, 3)], [])).toEqual([r(1, 3)]);
  expect(withoutRanges([r(1, 3)], [r(1, 3)])).toEqual([]);
  expect(withoutRanges([r(1, 0)], [])).toEqual([]);
  const property = fc.property(seqSet, seqSet, (seqs, others) => {
    const left = rangesOf(entries(...seqs.filter((seq) => !others.includes(seq))));
    const made = withoutRanges(rangesOf(entries(...seqs)), rangesOf(entries(...others)));
    expect(rangesOf(entries(...seqsIn(made)))).toEqual(left);
    expect(made).toHaveLength(left.length);
  });
  fc.assert(property, { numRuns: RUNS });
});
