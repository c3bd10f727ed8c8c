import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maskSimilarity, selectDiverse } from "./mmr.ts";

describe("selectDiverse", () => {
  const scores = [10, 9.9, 9, 1];
  /** The first two say the same. */
  const similarity = (a: number, b: number): number => (a + b === 1 ? 1 : 0);

  test("keeps the order of scores without diversity", () => {
    expect(selectDiverse({ scores, count: 3, diversity: 0, similarity })).toEqual([0, 1, 2]);
  });

  test("passes over what repeats", () => {
    expect(selectDiverse({ scores, count: 3, diversity: 0.5, similarity })).toEqual([0, 2, 3]);
    expect(selectDiverse({ scores, count: 9, diversity: 0.5, similarity })).toEqual([0, 2, 3, 1]);
  });

  test("takes equal scores, one and none", () => {
    const rest = { count: 2, diversity: 0.5, similarity: () => 0 };
    expect(selectDiverse({ ...rest, scores: [3, 3, 3] })).toEqual([0, 1]);
    expect(selectDiverse({ ...rest, scores: [-1] })).toEqual([0]);
    expect(selectDiverse({ ...rest, scores: [] })).toEqual([]);
  });

  test("picks the greatest worth each time, as a plain search does", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(share, { maxLength: 12 }), share, fc.nat(12), (values, d, count) => {
        const sorted = [...values].sort((a, b) => b - a);
        const alike = (a: number, b: number): number => ((a * 7 + b * 7) % 5) / 4;
        const picked = selectDiverse({ scores: sorted, count, diversity: d, similarity: alike });
        expect(picked).toHaveLength(Math.min(count, sorted.length));
        const span = (sorted[0] ?? 0) - (sorted.at(-1) ?? 0);
        const worth = (index: number, before: readonly number[]): number => {
          const scaled = span > 0 ? 1 - ((sorted[0] ?? 0) - (sorted[index] ?? 0)) / span : 1;
          return (1 - d) * scaled - d * Math.max(0, ...before.map((one) => alike(one, index)));
        };
        for (const [place, index] of picked.entries()) {
          const before = picked.slice(0, place);
          const left = [...sorted.keys()].filter((one) => !before.includes(one));
          expect(worth(index, before)).toBe(Math.max(...left.map((one) => worth(one, before))));
        }
      }),
    );
  });
});

test("compares sets of terms", () => {
  expect(maskSimilarity(0b110, 0b011)).toBeCloseTo(1 / 3);
  expect(maskSimilarity(2 ** 31, 1 << 31)).toBe(1);
  expect(maskSimilarity(0, 0)).toBe(0);
});
