import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WEIGHT_NAMES } from "../src/recall/rank/weights.ts";
import { ROOT } from "./process.ts";
import { weightTable, withRecallWeights } from "./recall-doc.ts";

test("puts the weights between the marks, and nothing else changes", () => {
  const page = "a\n<!-- weights:start -->\nold\n<!-- weights:end -->\nb\n";
  const made = withRecallWeights(page);
  expect(made).toBe(`a\n<!-- weights:start -->\n\n${weightTable()}\n\n<!-- weights:end -->\nb\n`);
  expect(withRecallWeights(made)).toBe(made);
  expect(() => withRecallWeights("no marks")).toThrow("the page lacks");
});

test("tells of every weight by its name in the contract, in one row of four cells", () => {
  const rows = weightTable().split("\n").slice(2);
  expect(rows).toHaveLength(WEIGHT_NAMES.length);
  expect(rows.map((row) => row.split(" | ").length)).toEqual(rows.map(() => 4));
  expect(weightTable()).toContain("| `recency_half_life` | 30 |");
});

test("is what docs/recall.md shows", () => {
  const page = readFileSync(join(ROOT, "docs/recall.md"), "utf8");
  expect(withRecallWeights(page)).toBe(page);
});
