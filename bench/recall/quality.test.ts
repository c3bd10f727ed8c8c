import { describe, expect, test } from "vitest";
import { bySession, createQualityTable, MAIN_FIGURE, qualityOf } from "./quality.ts";

describe("qualityOf", () => {
  test("is 1 for the best order", () => {
    expect(qualityOf([7, 8, 1], [8, 7])).toEqual({ recall5: 1, recall10: 1, ndcg10: 1 });
  });

  test("counts the first 5 and the first 10 hits, and discounts by place", () => {
    const hits = [0, 7, 1, 2, 3, 8, 4, 5, 6, 9, 10];
    const quality = qualityOf(hits, [7, 8, 10]);
    expect(quality.recall5).toBeCloseTo(1 / 3);
    expect(quality.recall10).toBeCloseTo(2 / 3);
    const best = 1 + 1 / Math.log2(3) + 1 / Math.log2(4);
    expect(quality.ndcg10).toBeCloseTo((1 / Math.log2(3) + 1 / Math.log2(7)) / best);
  });

  test("counts a hit once, and has at most ten places to fill", () => {
    expect(qualityOf([7, 7], [7, 8]).recall10).toBe(0.5);
    const many = Array.from({ length: 20 }, (_, index) => index);
    expect(qualityOf(many, many)).toEqual({ recall5: 0.25, recall10: 0.5, ndcg10: 1 });
    expect(qualityOf([], [1])).toEqual({ recall5: 0, recall10: 0, ndcg10: 0 });
  });
});

test("counts a session once, at its best place", () => {
  expect(bySession([5, 11, 6, 30], (turn) => Math.floor(turn / 10))).toEqual([0, 1, 3]);
});

describe("createQualityTable", () => {
  test("has means by category, and a main figure without what stands apart", () => {
    const table = createQualityTable();
    table.add("10", true, { recall5: 1, recall10: 1, ndcg10: 1 });
    table.add("2", true, { recall5: 0, recall10: 0.5, ndcg10: 0.25 });
    table.add("5", false, { recall5: 0, recall10: 0, ndcg10: 0 });
    expect(table.categories()).toEqual(["2", "5", "10"]);
    expect(table.mean(MAIN_FIGURE)).toEqual({
      ...{ recall5: 0.5, recall10: 0.75, ndcg10: 0.625, count: 2 },
    });
    expect(table.mean("5")?.recall10).toBe(0);
    expect(table.mean("none")).toBeUndefined();
  });
});
