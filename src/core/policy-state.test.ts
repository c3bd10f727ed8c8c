import { expect, test } from "vitest";
import { policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EMPTY_POLICY_STATE, type PolicyState } from "../session/rules/session.ts";
import type { StageRun } from "../window/rules/types.ts";
import { underPolicy, withInput, withoutOutcomes, withRuns } from "./policy-state.ts";

const window = { messageCount: 3, tokenCount: 9 };

const run = (stage: string, overLimit = false): StageRun => ({
  stage,
  triggers: [],
  overLimit,
  heldBy: [],
  awaitsSummary: [],
  taskId: "",
});

const counting = stageOf({ name: "new", anyOf: [{ kind: "new-messages-at-least", limit: 2 }] });
const onTurnEnd = stageOf({
  name: "tools",
  on: "turn-end",
  anyOf: [{ kind: "tool-error", names: ["search"] }],
});

test("a policy that needs no memory costs none", () => {
  const policy = policyOf([stageOf()]);
  const input = { modelInputTokens: undefined, outcomes: [{ tool: "search", error: true }] };
  expect(withInput(EMPTY_POLICY_STATE, policy, input)).toBe(EMPTY_POLICY_STATE);
  const ran = { policy, occasions: ["append"], runs: [run("two")], lastSeq: 4, window } as const;
  expect(withRuns(EMPTY_POLICY_STATE, ran)).toBe(EMPTY_POLICY_STATE);
  expect(withoutOutcomes(EMPTY_POLICY_STATE)).toBe(EMPTY_POLICY_STATE);
  expect(underPolicy(EMPTY_POLICY_STATE, policy)).toBe(EMPTY_POLICY_STATE);
});

test("outcomes are kept for stages that look back, of their tools, and the newest 256", () => {
  const policy = policyOf([onTurnEnd]);
  const outcomes = Array.from({ length: 300 }, (_, i) => ({ tool: "search", error: i % 2 === 0 }));
  const given = [...outcomes, { tool: "other", error: true }];
  const state = withInput(EMPTY_POLICY_STATE, policy, {
    modelInputTokens: 7,
    outcomes: given,
  });
  expect(state.modelInputTokens).toBe(7);
  expect(state.outcomes).toEqual(outcomes.slice(-256));
  expect(withoutOutcomes(state).outcomes).toEqual([]);
  const sameAgain = { modelInputTokens: 7, outcomes: [] };
  expect(withInput(state, policy, sameAgain)).toBe(state);
});

test("outcomes that only append stages look at are not kept", () => {
  const policy = policyOf([{ ...onTurnEnd, on: "append" }]);
  const outcomes = [{ tool: "search", error: true }];
  const input = { modelInputTokens: undefined, outcomes };
  expect(withInput(EMPTY_POLICY_STATE, policy, input)).toBe(EMPTY_POLICY_STATE);
});

test("a stage that counts what is new is marked when it acts", () => {
  const policy = policyOf([counting, stageOf()]);
  const at = (state: PolicyState, lastSeq: number, runs: readonly StageRun[]): PolicyState =>
    withRuns(state, { policy, occasions: ["append"], runs, lastSeq, window });
  const first = at(EMPTY_POLICY_STATE, 4, [run("new"), run("two")]);
  expect(first.marks).toEqual([{ stage: "new", seq: 4, window }]);
  expect(at(first, 5, [run("two")])).toBe(first);
  expect(at(first, 4, [run("new")])).toBe(first);
  expect(at(first, 6, [run("new")]).marks).toEqual([{ stage: "new", seq: 6, window }]);
});

test("a view has nothing to remember", () => {
  const policy = policyOf([{ ...counting, on: "read", effect: "view" }]);
  const ran = {
    policy,
    occasions: ["read"],
    runs: [run("new", true)],
    lastSeq: 4,
    window,
  } as const;
  expect(withRuns(EMPTY_POLICY_STATE, ran)).toBe(EMPTY_POLICY_STATE);
});

test("limits that are passed are noted until they hold, each by the stages that ran", () => {
  const policy = policyOf([stageOf(), stageOf({ name: "end", on: "turn-end" })]);
  const after = (
    state: PolicyState,
    occasions: readonly ("append" | "turn-end")[],
    runs: readonly StageRun[],
  ): PolicyState => withRuns(state, { policy, occasions, runs, lastSeq: 1, window });
  const one = after(EMPTY_POLICY_STATE, ["append"], [run("two", true)]);
  expect(one.overLimit).toEqual(["two"]);
  const both = after(one, ["turn-end"], [run("end", true)]);
  expect(both.overLimit).toEqual(["two", "end"]);
  expect(after(both, ["append"], [run("two", true)])).toBe(both);
  expect(after(both, ["append"], []).overLimit).toEqual(["end"]);
});

test("a new policy drops what belonged to stages and tools it does not have", () => {
  const state: PolicyState = {
    turnEndSeq: 4,
    modelInputTokens: 5,
    outcomes: [
      { tool: "search", error: true },
      { tool: "gone", error: false },
    ],
    marks: [
      { stage: "new", seq: 3, window },
      { stage: "old", seq: 3, window },
    ],
    overLimit: ["tools", "old"],
  };
  expect(underPolicy(state, policyOf([counting, onTurnEnd]))).toEqual({
    modelInputTokens: 5,
    outcomes: [{ tool: "search", error: true }],
    marks: [{ stage: "new", seq: 3, window }],
    overLimit: ["tools"],
    turnEndSeq: 4,
  });
});
