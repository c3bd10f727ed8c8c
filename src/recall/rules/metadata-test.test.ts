import { expect, test } from "vitest";
import { cpuMsOf, missedPart, nearMisses } from "../../../test/support/kit/near-misses.ts";
import type { Described, MetadataCondition, Scalar, TextTest } from "./filter.ts";
import { hasLabels, passesCondition } from "./item-tests.ts";

function described(
  metadata: readonly (readonly [string, readonly Scalar[]])[],
  labels: readonly (readonly [string, string])[] = [],
): Described {
  return { metadata: new Map(metadata), labels: new Map(labels) };
}

const METADATA = described([
  ["size", [3, 8]],
  ["name", ["x"]],
  ["none", [null]],
  ["order", []],
]);

const TEXTS = described([["t", [7, "naïve"]]]);

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
  const emoji = described([["t", ["\u{1f600}"]]]);
  const above = { kind: "text-range", min: "\uffee" } as const;
  expect(passesCondition(emoji, { path: "t", test: above })).toBe(true);
});

test("labels are tested like texts, apart from metadata, also in trees", () => {
  const record = described([["a", ["metadata"]]], [["a", "label"]]);
  const holds = (condition: MetadataCondition): boolean => passesCondition(record, condition);
  const label = (key: string, test: TextTest): boolean => holds({ label: key, test });
  expect(holds({ label: "a", test: { kind: "one-of", values: ["label"] } })).toBe(true);
  expect(holds({ label: "a", test: { kind: "one-of", values: ["metadata"] } })).toBe(false);
  expect(holds({ label: "b", test: { kind: "exists", exists: false } })).toBe(true);
  expect(label("a", { kind: "starts-with", text: "la" })).toBe(true);
  expect(label("a", { kind: "text-range", min: "m" })).toBe(false);
  expect(label("b", { kind: "contains", text: "l" })).toBe(false);
  const other: MetadataCondition = { label: "b", test: { kind: "contains", text: "l" } };
  expect(holds({ of: "none", conditions: [other] })).toBe(true);
  expect(holds({ of: "any", conditions: [other, { path: "a", test: exists }] })).toBe(true);
});

const exists = { kind: "exists", exists: true } as const;

test("every label must be there", () => {
  const labels = new Map([["a", "1"]]);
  expect(hasLabels(labels, new Map())).toBe(true);
  expect(hasLabels(labels, new Map([["a", "1"]]))).toBe(true);
  expect(hasLabels(labels, new Map([["a", "2"]]))).toBe(false);
});

test("a long text is looked for in a short time", () => {
  const record = described([["t", [nearMisses(2_000_000)]]]);
  const test: TextTest = { kind: "contains", text: missedPart(1_001) };
  let passes = true;
  expect(cpuMsOf(() => (passes = passesCondition(record, { path: "t", test })))).toBeLessThan(500);
  expect(passes).toBe(false);
});
