import { expect, test } from "vitest";
import type { Scalar, TextTest } from "./filter.ts";
import { hasLabels, passesCondition } from "./item-tests.ts";

const METADATA = new Map<string, readonly Scalar[]>([
  ["size", [3, 8]],
  ["name", ["x"]],
  ["none", [null]],
  ["order", []],
]);

const TEXTS = new Map<string, readonly Scalar[]>([["t", [7, "naïve"]]]);

test("a value is there, null and objects among them, or not", () => {
  for (const path of ["size", "none", "order"]) {
    expect(passesCondition(METADATA, { path, test: { kind: "exists", exists: true } })).toBe(true);
  }
  expect(passesCondition(METADATA, { path: "gone", test: { kind: "exists", exists: false } })).toBe(
    true,
  );
  expect(passesCondition(METADATA, { path: "size", test: { kind: "exists", exists: false } })).toBe(
    false,
  );
});

test("a tree holds when all, any or none of its conditions hold", () => {
  const has = (path: string) => ({ path, test: { kind: "exists", exists: true } }) as const;
  const holds = (of: "all" | "any" | "none", ...paths: readonly string[]): boolean =>
    passesCondition(METADATA, { of, conditions: paths.map(has) });
  expect([holds("all", "size", "name"), holds("all", "size", "gone")]).toEqual([true, false]);
  expect([holds("any", "gone", "name"), holds("any", "gone")]).toEqual([true, false]);
  expect([holds("none", "gone"), holds("none", "gone", "name")]).toEqual([true, false]);
  const conditions = [{ of: "none", conditions: [has("size")] } as const, has("name")];
  expect(passesCondition(METADATA, { of: "all", conditions })).toBe(false);
  expect(passesCondition(METADATA, { of: "any", conditions })).toBe(true);
});

test("values equal only with their type, and any of a list", () => {
  const oneOf = (path: string, ...values: readonly Scalar[]): boolean =>
    passesCondition(METADATA, { path, test: { kind: "one-of", values } });
  expect(oneOf("size", 8)).toBe(true);
  expect(oneOf("size", "8")).toBe(false);
  expect(oneOf("none", null)).toBe(true);
  expect(oneOf("order", null)).toBe(false);
});

test("ranges leave their end out, or hold it", () => {
  const range = (given: object): boolean =>
    passesCondition(METADATA, { path: "size", test: { kind: "range", ...given } });
  expect(range({ min: 8 })).toBe(true);
  expect(range({ min: 4, lessThan: 8 })).toBe(false);
  expect(range({ min: 4, max: 8 })).toBe(true);
  expect(range({ min: 9 })).toBe(false);
  expect(passesCondition(METADATA, { path: "name", test: { kind: "range", min: 0 } })).toBe(false);
});

test("texts are compared whole, by their bytes, and numbers are none", () => {
  const text = (test: TextTest): boolean => passesCondition(TEXTS, { path: "t", test });
  const range = (given: object): boolean => text({ kind: "text-range", ...given });
  expect(text({ kind: "starts-with", text: "na" })).toBe(true);
  expect(text({ kind: "starts-with", text: "ïve" })).toBe(false);
  expect(text({ kind: "contains", text: "ïve" })).toBe(true);
  expect(text({ kind: "contains", text: "NA" })).toBe(false);
  expect(text({ kind: "contains", text: "7" })).toBe(false);
  expect(range({ min: "naïve" })).toBe(true);
  expect(range({ min: "na", lessThan: "naïve" })).toBe(false);
  expect(range({ min: "na", max: "naïve" })).toBe(true);
  expect(range({ max: "7" })).toBe(false);
  // UTF-16 has surrogates below what UTF-8 has below them.
  const emoji = new Map([["t", ["\u{1f600}"]]]);
  const above = { kind: "text-range", min: "\uffee" } as const;
  expect(passesCondition(emoji, { path: "t", test: above })).toBe(true);
});

test("every label must be there", () => {
  const labels = new Map([["a", "1"]]);
  expect(hasLabels(labels, new Map())).toBe(true);
  expect(hasLabels(labels, new Map([["a", "1"]]))).toBe(true);
  expect(hasLabels(labels, new Map([["a", "2"]]))).toBe(false);
});
