import { expect, test } from "vitest";
import type { Scalar } from "./filter.ts";
import { hasLabels, passesTest } from "./metadata-test.ts";

const METADATA = new Map<string, readonly Scalar[]>([
  ["size", [3, 8]],
  ["name", ["x"]],
  ["none", [null]],
  ["order", []],
]);

test("a value is there, null and objects among them, or not", () => {
  for (const path of ["size", "none", "order"]) {
    expect(passesTest(METADATA, { path, test: { kind: "exists", exists: true } })).toBe(true);
  }
  expect(passesTest(METADATA, { path: "gone", test: { kind: "exists", exists: false } })).toBe(
    true,
  );
  expect(passesTest(METADATA, { path: "size", test: { kind: "exists", exists: false } })).toBe(
    false,
  );
});

test("values equal only with their type, and any of a list", () => {
  const oneOf = (path: string, ...values: readonly Scalar[]): boolean =>
    passesTest(METADATA, { path, test: { kind: "one-of", values } });
  expect(oneOf("size", 8)).toBe(true);
  expect(oneOf("size", "8")).toBe(false);
  expect(oneOf("none", null)).toBe(true);
  expect(oneOf("order", null)).toBe(false);
});

test("ranges leave their end out, or hold it", () => {
  const range = (given: object): boolean =>
    passesTest(METADATA, { path: "size", test: { kind: "range", ...given } });
  expect(range({ min: 8 })).toBe(true);
  expect(range({ min: 4, lessThan: 8 })).toBe(false);
  expect(range({ min: 4, max: 8 })).toBe(true);
  expect(range({ min: 9 })).toBe(false);
  expect(passesTest(METADATA, { path: "name", test: { kind: "range", min: 0 } })).toBe(false);
});

test("every label must be there", () => {
  const labels = new Map([["a", "1"]]);
  expect(hasLabels(labels, new Map())).toBe(true);
  expect(hasLabels(labels, new Map([["a", "1"]]))).toBe(true);
  expect(hasLabels(labels, new Map([["a", "2"]]))).toBe(false);
});
