// Parts that adapters of frameworks share.

import { expect, test } from "vitest";
import { batchesOf } from "../src/adapters/index.ts";

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
