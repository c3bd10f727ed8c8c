// Parts that adapters of frameworks share.

import { expect, test } from "vitest";
import { batchesOf, isName } from "../src/adapters/index.ts";

const LIMITS = { items: 3, bytes: 10 };

function batches(sizes: readonly number[]): number[][] {
  return [...batchesOf(sizes, (bytes) => ({ items: 1, bytes }), LIMITS)].map((one) => [...one]);
}

test("splits items into batches that keep every limit, in their order", () => {
  expect(batches([])).toEqual([]);
  expect(batches([1, 2, 3, 4, 5])).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(batches([5, 5, 1, 9, 1, 1])).toEqual([
    [5, 5],
    [1, 9],
    [1, 1],
  ]);
});

test("gives an item that is above a limit a batch of its own", () => {
  expect(batches([1, 11, 1])).toEqual([[1], [11], [1]]);
  expect(batches([11, 12])).toEqual([[11], [12]]);
});

test("takes for names what the server takes, by bytes of UTF-8", () => {
  // A family of four, for private use, unassigned, a soft hyphen.
  for (const name of ["a", "👨‍👩‍👧‍👦", "\ue000", "\u0378", "a\u00adb", "é".repeat(128)]) {
    expect(isName(name), name).toBe(true);
  }
  for (const name of ["", "a\nb", "\u0000", "\u007f", "\u0085", "a\ud800", "é".repeat(129), 1]) {
    expect(isName(name), String(name)).toBe(false);
  }
});
