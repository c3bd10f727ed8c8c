import { describe, expect, test } from "vitest";
import { LIMITS } from "../kit/limits.ts";
import { fillPage, pageLimit } from "./page-token.ts";

const bytes = (size: number) => new Uint8Array(size);

describe("a page", () => {
  test("has as many entries as are asked for, and at most 1,000", () => {
    expect([0, 1, 1_000, 1_001, 9_999].map((size) => pageLimit(size, 50))).toEqual([
      50, 1, 1_000, 1_000, 1_000,
    ]);
  });

  test("ends before it gets too large, and has one entry at least", () => {
    const half = LIMITS.pageBytes / 2;
    expect(fillPage([half, half], bytes)).toHaveLength(2);
    expect(fillPage([half, half + 1], bytes)).toHaveLength(1);
    expect(fillPage([half, half, 0, 1, 0], bytes)).toHaveLength(3);
    expect(fillPage([LIMITS.pageBytes + 1, 0], bytes)).toHaveLength(1);
    expect(fillPage([], bytes)).toEqual([]);
  });

  test("makes no wire form that it does not need", () => {
    const made: number[] = [];
    fillPage([LIMITS.pageBytes, 1, 1, 1], (size) => {
      made.push(size);
      return bytes(size);
    });
    expect(made).toHaveLength(2);
  });
});
