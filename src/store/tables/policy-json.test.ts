import { expect, test } from "vitest";
import { EMPTY_POLICY_STATE } from "../../session/rules/session.ts";
import {
  DEFAULT_POLICY,
  DEFAULT_POLICY_PARTS,
  DEFAULT_PROTECTIONS,
  DEFAULT_STAGE,
  type Policy,
} from "../../window/policy/policy.ts";
import {
  DEFAULT_SUMMARY_SPEC,
  DEFAULT_SUMMARY_VIEW,
  MANUAL_HOOK,
} from "../../window/policy/summary-spec.ts";
import { parsePolicy, parsePolicyState, policyStateText, policyText } from "./policy-json.ts";

test("a policy comes back whole, also what JSON leaves out", () => {
  for (const policy of [DEFAULT_POLICY, { ...DEFAULT_POLICY, model: "gpt-4o" }]) {
    const text = JSON.stringify(policy);
    expect(policyText(policy)).toBe(text);
    expect(parsePolicy(text)).toStrictEqual(policy);
    expect(parsePolicy(text)).toBe(parsePolicy(text));
    expect(policyText(parsePolicy(text))).toBe(text);
  }
});

test("a policy as the first version stored it gets the defaults of what came later", () => {
  const stored = {
    tokenRule: "chars-div-4",
    imageTokenCount: 12,
    protections: { system: "leading", pinFirst: 3, minMessages: 2, lastUser: false },
    stages: [
      {
        name: "interactions",
        on: "append",
        anyOf: [{ kind: "message-count-over", limit: 200 }],
        unit: "message",
        select: { kind: "drop-oldest", maxMessages: 200 },
      },
      {
        name: "tail",
        on: "read",
        anyOf: [],
        unit: "interaction",
        select: { kind: "keep-last", unitCount: 2 },
      },
    ],
  };
  const expected: Policy = {
    ...DEFAULT_POLICY_PARTS,
    tokenRule: "chars-div-4",
    imageTokenCount: 12,
    protections: { ...DEFAULT_PROTECTIONS, ...(stored.protections as Policy["protections"]) },
    stages: [
      {
        ...DEFAULT_STAGE,
        name: "interactions",
        anyOf: [{ kind: "message-count-over", limit: 200 }],
        unit: "message",
        select: {
          kind: "drop-oldest",
          maxMessages: 200,
          stopAtProtected: false,
          stopAtFree: false,
        },
      },
      {
        ...DEFAULT_STAGE,
        name: "tail",
        on: "read",
        effect: "view",
        unit: "turn",
        select: { kind: "keep-last", unitCount: 2 },
      },
    ],
  };
  expect(parsePolicy(JSON.stringify(stored))).toStrictEqual(expected);
});

test("a policy is read under the names that its parts had before", () => {
  const select = { kind: "keep-last", unitCount: 2 };
  const stored = {
    toolPairs: "loose",
    summaryView: { show: "not", prefix: "So far: " },
    healing: { when: "always", newestOnly: true, text: "gone" },
    stages: [
      {
        name: "old",
        unit: "interaction",
        anyOf: [
          { kind: "interaction-count-over", limit: 3 },
          { kind: "interaction-tokens-over", limit: 4 },
          { kind: "message-count-over", limit: 5 },
        ],
        select,
      },
      { name: "older", unit: "assistant-round", keepRounds: 3, select },
      { name: "today", unit: "assistant-turn", keepAssistantTurns: 4, select },
    ],
  };
  const { stages, ...rest } = parsePolicy(JSON.stringify(stored));
  expect(rest).toStrictEqual({
    ...DEFAULT_POLICY_PARTS,
    toolPairing: "loose",
    summaryView: { show: "none", prefix: "So far: " },
    toolResultFill: { rule: "always", newestOnly: true, text: "gone" },
  });
  const seen = stages.map(({ unit, anyOf, keepAssistantTurns }) => ({
    ...{ unit, anyOf, keepAssistantTurns },
  }));
  expect(seen).toEqual([
    {
      unit: "turn",
      anyOf: [
        { kind: "turn-count-over", limit: 3 },
        { kind: "turn-tokens-over", limit: 4 },
        { kind: "message-count-over", limit: 5 },
      ],
    },
    { unit: "assistant-turn", anyOf: [], keepAssistantTurns: 3 },
    { unit: "assistant-turn", anyOf: [], keepAssistantTurns: 4 },
  ]);
});

test("a stage that summarizes without saying how leaves it to callers", () => {
  const stage = { name: "s", unit: "message", select: { kind: "keep-last", unitCount: 2 } };
  const stages = [
    { ...stage, removedTo: "summarize" },
    { ...stage, removedTo: "summarize", summarize: { hook: "mine", maxTokens: 99 } },
    { ...stage, removedTo: "log" },
  ];
  const policy = parsePolicy(JSON.stringify({ stages }));
  expect(policy.summaryView).toStrictEqual(DEFAULT_SUMMARY_VIEW);
  expect(policy.stages.map(({ summarize }) => summarize)).toStrictEqual([
    { ...DEFAULT_SUMMARY_SPEC, hook: MANUAL_HOOK },
    { ...DEFAULT_SUMMARY_SPEC, hook: "mine", maxTokens: 99 },
    undefined,
  ]);
  const text = policyText({ ...policy });
  expect(parsePolicy(text)).toStrictEqual(policy);
});

test("what a policy remembers is no text when it is nothing", () => {
  expect(policyStateText(EMPTY_POLICY_STATE)).toBe("");
  expect(policyStateText({ ...EMPTY_POLICY_STATE })).toBe("");
  expect(parsePolicyState("")).toBe(EMPTY_POLICY_STATE);
  const state = { ...EMPTY_POLICY_STATE, overLimit: ["a"] };
  expect(parsePolicyState(policyStateText(state))).toStrictEqual(state);
  expect(parsePolicyState('{"modelInputTokens":3}')).toStrictEqual({
    ...EMPTY_POLICY_STATE,
    modelInputTokens: 3,
  });
});
