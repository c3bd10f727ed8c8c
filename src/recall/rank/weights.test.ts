import { expect, test } from "vitest";
import { DEFAULT_WEIGHTS, WEIGHT_NAMES, WEIGHT_TABLE, weightsWith } from "./weights.ts";

test("says of every weight what it does and where it comes from, with a default in its range", () => {
  for (const name of WEIGHT_NAMES) {
    const { default: value, min, max, meaning, source } = WEIGHT_TABLE[name];
    expect(value, name).toBeGreaterThanOrEqual(min);
    expect(value, name).toBeLessThanOrEqual(max);
    expect(meaning.length, name).toBeGreaterThan(10);
    expect(source.length, name).toBeGreaterThan(10);
  }
});

test("replaces the weights that are given, 0 among them", () => {
  expect(weightsWith({})).toEqual(DEFAULT_WEIGHTS);
  const weights = weightsWith({ author: 0, dense: 2 });
  expect(weights).toEqual({ ...DEFAULT_WEIGHTS, author: 0, dense: 2 });
});
