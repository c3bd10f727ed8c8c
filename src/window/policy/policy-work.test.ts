import { expect, test } from "vitest";
import { policyOf, stageOf } from "../../../test/support/window/policies.ts";
import { LIMITS } from "../../kit/limits.ts";
import { compileCondition } from "../conditions/condition.ts";
import type { Selection } from "./policy.ts";
import { workFaults } from "./policy-work.ts";

const stages = (count: number, select: Selection, countIf: readonly string[] = []) =>
  policyOf(Array.from({ length: count }, (_, n) => stageOf({ name: `s${n}`, select, countIf })));
const duplicates = (lookahead: number): Selection => ({
  kind: "drop-duplicates",
  similarity: 0.9,
  lookahead,
});
const filter = (...conditions: string[]): Selection => ({
  kind: "filter",
  conditions,
  scope: "unit",
});

test("the lookaheads of all stages count together", () => {
  expect(workFaults(stages(1, duplicates(200)))).toEqual([]);
  expect(workFaults(stages(4, duplicates(50)))).toEqual([]);
  expect(workFaults(stages(4, duplicates(51)))).toMatchObject([
    { limit: LIMITS.duplicateLookahead, description: expect.stringContaining("204") },
  ]);
});

test.each([
  ["a comparison", "message.tokens > 5", 3],
  ["a look at a content", "message.content.contains('x')", 3 + 8],
  ["a macro over calls", "message.tool_calls.all(c, c.name != 'x')", 2 + 4 * 32 + 8],
  ["a macro over a list", "['a', 'b'].exists(x, x == message.role)", 4 + 2 * 3],
])("the steps of %s", (_, expression, steps) => {
  expect(compileCondition(expression).steps).toBe(steps);
});

test("the steps of all conditions count together", () => {
  expect(workFaults(stages(16, filter("message.tokens > 5"), ["message.tokens > 5"]))).toEqual([]);
  const calls = "message.tool_calls.all(c, c.name != 'x')";
  expect(workFaults(stages(7, filter(calls), [calls]))).toEqual([]);
  expect(workFaults(stages(8, filter(calls), [calls]))).toMatchObject([
    { limit: LIMITS.conditionSteps },
  ]);
});
