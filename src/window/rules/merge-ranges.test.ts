// Goal: two lists of runs become one that says the same, with no two runs that overlap or touch.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addRange, joinOldest, mergeRanges } from "./ranges.ts";
import type { SeqRange } from "./types.ts";

const run = (first: number, last: number): SeqRange => ({ first, last });

describe("mergeRanges", () => {
  test("keeps runs apart that do not touch, and joins those that do", () => {
    expect(mergeRanges([run(1, 2), run(9, 9)], [run(4, 5)])).toEqual([
      run(1, 2),
      run(4, 5),
      run(9, 9),
    ]);
    expect(mergeRanges([run(1, 2), run(6, 9)], [run(3, 5)])).toEqual([run(1, 9)]);
    expect(mergeRanges([run(1, 9)], [run(2, 3), run(9, 12)])).toEqual([run(1, 12)]);
    expect(mergeRanges([], [run(3, 3)])).toEqual([run(3, 3)]);
    expect(mergeRanges([], [])).toEqual([]);
  });

  test("gives what adding one run after the other gives", () => {
    const seqs = fc.uniqueArray(fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(seqs, seqs, (left, right) => {
        const listOf = (list: readonly number[]): SeqRange[] =>
          list.reduce<SeqRange[]>((ranges, seq) => addRange(ranges, run(seq, seq)), []);
        const b = listOf(right);
        const expected = b.reduce<SeqRange[]>(
          (ranges, range) => addRange(ranges, range),
          listOf(left),
        );
        expect(mergeRanges(listOf(left), b)).toEqual(expected);
      }),
    );
  });
});

describe("joinOldest", () => {
  test("joins no more of the oldest runs than it must", () => {
    const ranges = [run(1, 1), run(3, 4), run(6, 6), run(9, 9)];
    expect(joinOldest(ranges, 4)).toBe(ranges);
    expect(joinOldest(ranges, 3)).toEqual([run(1, 4), run(6, 6), run(9, 9)]);
    expect(joinOldest(ranges, 2)).toEqual([run(1, 6), run(9, 9)]);
    expect(joinOldest(ranges, 1)).toEqual([run(1, 9)]);
    expect(joinOldest([], 1)).toEqual([]);
  });
});
