import { expect, test } from "vitest";
import { dropTo, policyOf, windowOf } from "../../../test/support/window/text.ts";
import { isOverLimit, packBudget, passesLimit, reachesShare } from "./limit.ts";
import { lookAt } from "./look.ts";
import { totalsOf } from "./trim.ts";

const size = (messageCount: number, tokenCount = 0) => ({ messageCount, tokenCount, byteCount: 0 });
const [stage] = policyOf([{ select: dropTo({ maxMessages: 3, maxTokens: 30 }) }]).stages;

test("a limit is passed above the number, not at it", () => {
  if (stage === undefined) throw new Error("there is no stage");
  expect(isOverLimit(stage, size(3, 30))).toBe(false);
  expect(isOverLimit(stage, size(4, 30))).toBe(true);
  expect(isOverLimit(stage, size(3, 30.25))).toBe(true);
  expect(isOverLimit({ ...stage, select: { kind: "keep-last", unitCount: 0 } }, size(9))).toBe(
    false,
  );
});

test.each([
  [100, 0.1, 90],
  [100_000, 0.1, 90_000],
  [100, 0.9, 10],
  [10, 0.3, 7],
  [1_000_000_000, 0.7, 300_000_000],
  [99, 0.5, 49],
  [0, 0.5, 0],
  [7, 0, 7],
])("of %d tokens with a headroom of %d, %d are used", (maxTokens, headroom, budget) => {
  expect(packBudget({ maxTokens, headroom })).toBe(budget);
});

test("a share is reached by the exact product", () => {
  expect(reachesShare(55, 0.55, 100)).toBe(true);
  expect(reachesShare(54.75, 0.55, 100)).toBe(false);
  expect(reachesShare(700_000_000, 0.7, 1_000_000_000)).toBe(true);
  expect(reachesShare(699_999_999.75, 0.7, 1_000_000_000)).toBe(false);
});

test("an age limit asks for the newest message of each unit", () => {
  const window = windowOf("S@1 U@5 A@20 U@30");
  const policy = policyOf([{ select: dropTo({ maxAgeMs: 10_000 }), unit: "turn" }], {
    system: "all",
  });
  const look = lookAt(window, policy, totalsOf(window));
  const [aged] = policy.stages;
  if (aged === undefined) throw new Error("there is no stage");
  expect(passesLimit(look, aged, () => 30_000)).toBe(false);
  expect(passesLimit(look, aged, () => 30_001)).toBe(true);
  expect(passesLimit(look, { ...aged, unit: "message" }, () => 30_000)).toBe(true);
});
