// Goal: no part of a policy is lost or changed between the wire and the domain, every default is
// the one that the contract names, and what the domain may hold the checks let pass.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkWholePolicy } from "../../test/support/contract/whole-checks.ts";
import { policyArbitrary } from "../../test/support/window/policy-arbitraries.ts";
import * as wire from "../gen/memorysidecar/v1/policy.ts";
import * as selects from "../gen/memorysidecar/v1/policy.ts";
import * as stages from "../gen/memorysidecar/v1/policy.ts";
import * as summaries from "../gen/memorysidecar/v1/policy.ts";
import { TokenRule } from "../gen/memorysidecar/v1/policy.ts";
import { Violations } from "../grpc/violations.ts";
import { DEFAULT_POLICY, DEFAULT_STAGE, type Policy } from "./policy/policy.ts";
import { workFaults } from "./policy/policy-work.ts";
import { DEFAULT_SUMMARY_SPEC } from "./policy/summary-spec.ts";
import { fromPolicy, toPolicy } from "./policy-wire.ts";
import {
  BOUNDARY_RULES,
  FILTER_SCOPES,
  fromTokenRule,
  messageTokenRule,
  POLICY_TOKEN_RULES,
  REMOVED_TO,
  ROUNDINGS,
  STAGE_EFFECTS,
  STAGE_ON,
  SUMMARY_FAILURES,
  SUMMARY_FLOWS,
  SUMMARY_KEEPS,
  SUMMARY_LEAVES,
  SUMMARY_SHAPES,
  SUMMARY_SHOWS,
  SYSTEM_PROTECTIONS,
  TOKEN_PRESETS,
  TOOL_PAIRING,
  TOOL_RESULT_FILL_RULE,
  TRANSCRIPT_STYLES,
  toTokenRule,
  UNITS,
} from "./token-rule-wire.ts";

const NOTHING = new Uint8Array(0);

function overTheWire(policy: Policy): Policy {
  return fromPolicy(wire.Policy.decode(wire.Policy.encode(toPolicy(policy)).finish()));
}

const ENUMS: readonly (readonly [string, object, readonly (string | undefined)[]])[] = [
  ["SystemProtection", wire.SystemProtection, SYSTEM_PROTECTIONS],
  ["ToolPairing", wire.ToolPairing, TOOL_PAIRING],
  ["ToolResultFillRule", wire.ToolResultFillRule, TOOL_RESULT_FILL_RULE],
  ["TokenRounding", wire.TokenRounding, ROUNDINGS],
  ["StageOn", stages.StageOn, STAGE_ON],
  ["StageEffect", stages.StageEffect, STAGE_EFFECTS],
  ["RemovedTo", stages.RemovedTo, REMOVED_TO],
  ["WindowUnit", stages.WindowUnit, UNITS],
  ["FilterScope", selects.FilterScope, FILTER_SCOPES],
  ["BoundaryRule", selects.BoundaryRule, BOUNDARY_RULES],
  ["SummaryKeep", summaries.SummaryKeep, SUMMARY_KEEPS],
  ["SummaryFlow", summaries.SummaryFlow, SUMMARY_FLOWS],
  ["SummaryLeave", summaries.SummaryLeave, SUMMARY_LEAVES],
  ["SummaryFailure", summaries.SummaryFailure, SUMMARY_FAILURES],
  ["TranscriptStyle", summaries.TranscriptStyle, TRANSCRIPT_STYLES],
  ["SummaryShape", summaries.SummaryShape, SUMMARY_SHAPES],
  ["SummaryShow", summaries.SummaryShow, SUMMARY_SHOWS],
];

describe("policies", () => {
  test("keep everything on the way out and in, and pass the checks", () => {
    fc.assert(
      fc.property(policyArbitrary, (policy) => {
        expect(overTheWire(policy)).toEqual(policy);
        // Limits over all stages have tests of their own.
        fc.pre(workFaults(policy).length === 0);
        const violations = new Violations();
        checkWholePolicy(violations, toPolicy(policy));
        const found = violations.error()?.detail.violations ?? [];
        expect(found.filter(({ description }) => !/has no effect/.test(description))).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(overTheWire(DEFAULT_POLICY)).toEqual(DEFAULT_POLICY);
  });

  test("get their defaults when nothing is set", () => {
    const empty = fromPolicy(wire.Policy.decode(NOTHING));
    expect(empty).toEqual({ ...DEFAULT_POLICY, stages: [] });
    const protections = wire.Protections.decode(NOTHING);
    const policy = { ...wire.Policy.decode(NOTHING), protections };
    expect(fromPolicy(policy)).toEqual(empty);
  });

  test.each(ENUMS)("know every %s by its number", (_, generated, table) => {
    const known = Object.entries(generated).filter(([, number]) => number > 0);
    expect(table).toHaveLength(known.length + 1);
    for (const [name, number] of known) {
      expect(table[number]).toBe(name.toLowerCase().replaceAll("_", "-"));
    }
    // The default, which 0 stands for, is the value that goes out for it.
    expect(table.lastIndexOf(table[0])).toBeGreaterThan(0);
  });

  test("know every token rule by its number or by its name", () => {
    for (const [name, number] of Object.entries(TokenRule)) {
      const isNumbered = number > 0 && number !== TokenRule.PRESET;
      const known = isNumbered ? name.toLowerCase().replaceAll("_", "-") : undefined;
      if (number > 0) expect(POLICY_TOKEN_RULES[number]).toBe(known);
    }
    for (const [tokenPreset, rule] of Object.entries(TOKEN_PRESETS)) {
      expect(tokenPreset).toBe(rule.replaceAll("-", "_"));
      const form = { tokenRule: TokenRule.PRESET, tokenPreset };
      expect(toTokenRule(rule)).toEqual(form);
      expect(messageTokenRule(form)).toBe(rule);
    }
    expect(fromTokenRule({ tokenRule: TokenRule.PRESET, tokenPreset: "none" })).toBeUndefined();
  });

  test("still read the rules of messages that older servers stored by number", () => {
    const rules = [7, 8, 9, 10].map((number) =>
      messageTokenRule({ tokenRule: number as TokenRule, tokenPreset: "" }),
    );
    expect(rules).toEqual(Object.values(TOKEN_PRESETS));
  });

  test("never take the rule of a model for that of a message", () => {
    const of = (tokenRule: TokenRule) => messageTokenRule({ tokenRule, tokenPreset: "" });
    expect(of(TokenRule.MODEL)).toBeUndefined();
    expect(of(TokenRule.CUSTOM)).toBe("custom");
  });

  test("look up the context window of a known model", () => {
    const policy = { ...wire.Policy.decode(NOTHING), model: "gpt-4o-mini" };
    expect(fromPolicy(policy).contextWindow).toBe(128_000);
    expect(fromPolicy({ ...policy, contextWindow: 5n }).contextWindow).toBe(5);
  });
});

describe("stages", () => {
  const base = stages.PolicyStage.decode(NOTHING);
  const of = (fields: Partial<stages.PolicyStage>) => {
    const policy = { ...wire.Policy.decode(NOTHING), stages: [{ ...base, ...fields }] };
    return fromPolicy(policy).stages[0];
  };
  const shorten = { $case: "shorten", value: selects.Shorten.decode(NOTHING) } as const;

  test("change the view on read and when they shorten, and the store otherwise", () => {
    expect(of({})?.effect).toBe("store");
    expect(of({ on: stages.StageOn.READ })?.effect).toBe("view");
    expect(of({ on: stages.StageOn.TURN_END })?.effect).toBe("store");
    expect(of({ on: stages.StageOn.REQUEST })?.effect).toBe("store");
    expect(of({ select: shorten })?.effect).toBe("view");
    const stored = { on: stages.StageOn.READ, effect: stages.StageEffect.STORE };
    expect(of(stored)?.effect).toBe("store");
  });

  test("have the defaults of what they do", () => {
    expect(of({ select: shorten })?.select).toMatchObject({ keepNewest: 4, allRoles: false });
    const headed = { ...shorten.value, keepChars: 99 };
    expect(of({ select: { $case: "shorten", value: headed } })?.select).toMatchObject({
      head: { chars: 99, marker: " [...]" },
    });
    const unmarked = { ...headed, marker: "" };
    expect(of({ select: { $case: "shorten", value: unmarked } })?.select).toMatchObject({
      head: { chars: 99, marker: "" },
    });
    const duplicates = selects.DropDuplicates.decode(NOTHING);
    expect(of({ select: { $case: "dropDuplicates", value: duplicates } })?.select).toEqual({
      kind: "drop-duplicates",
      similarity: 0.9,
      lookahead: 50,
    });
    const pin = selects.PinMiddleRecent.decode(NOTHING);
    expect(of({ select: { $case: "pinMiddleRecent", value: pin } })?.select).toMatchObject({
      minRemoved: 1,
    });
    const filter = selects.Filter.decode(NOTHING);
    expect(of({ select: { $case: "filter", value: filter } })?.select).toMatchObject({
      scope: "unit",
    });
    expect(of({})).toMatchObject({ on: "append", unit: "turn", removedTo: "log" });
  });

  test("have a summary exactly when they summarize, with its defaults", () => {
    const { RemovedTo } = stages;
    expect(of({})?.summarize).toBeUndefined();
    expect(of({ removedTo: RemovedTo.SUMMARIZE })?.summarize).toEqual(DEFAULT_SUMMARY_SPEC);
    const summarize = summaries.Summarize.decode(NOTHING);
    const summarizing = (fields: Partial<summaries.Summarize>) =>
      of({ removedTo: RemovedTo.SUMMARIZE, summarize: { ...summarize, ...fields } })?.summarize;
    expect(summarizing({})).toEqual(DEFAULT_SUMMARY_SPEC);
    expect(summarizing({ separator: "" })?.separator).toBe("");
    const atOnce = { leave: summaries.SummaryLeave.AT_ONCE, keep: summaries.SummaryKeep.APPEND };
    expect(summarizing(atOnce)?.onFailure).toBe("drop");
    const { PLACEHOLDER } = summaries.SummaryFailure;
    expect(summarizing({ ...atOnce, onFailure: PLACEHOLDER })?.onFailure).toBe("placeholder");
  });

  test("are written out with every default of a summary", () => {
    const [stage] = toPolicy({
      ...DEFAULT_POLICY,
      stages: [
        {
          ...DEFAULT_STAGE,
          name: "a",
          select: { kind: "keep-last", unitCount: 1 },
          removedTo: "summarize",
          summarize: DEFAULT_SUMMARY_SPEC,
        },
      ],
    }).stages;
    expect(stage?.summarize).toEqual({
      hook: "",
      maxTokens: 512,
      instructions: "",
      keep: summaries.SummaryKeep.IN_PLACE,
      flow: summaries.SummaryFlow.SINGLE,
      maxLoops: 5,
      leave: summaries.SummaryLeave.WITH_SUMMARY,
      onFailure: summaries.SummaryFailure.KEEP,
      placeholder: "Summary of {count} messages.",
      separator: " ",
      lastChars: 4_000,
      lastCharsExact: false,
      prefix: "",
      transcript: summaries.TranscriptStyle.ROLES,
      fanIn: 4,
      shape: summaries.SummaryShape.SYSTEM,
      collectionId: "",
    });
  });
});

describe("the view of a summary", () => {
  test("has its defaults, and may have an empty prefix", () => {
    const viewed = (summaryView: summaries.SummaryView | undefined) =>
      fromPolicy({ ...wire.Policy.decode(NOTHING), summaryView }).summaryView;
    const initial = { show: "after-system", prefix: "Summary of the conversation so far: " };
    expect(viewed(undefined)).toEqual(initial);
    expect(viewed(summaries.SummaryView.decode(NOTHING))).toEqual(initial);
    expect(viewed({ show: summaries.SummaryShow.NONE, prefix: "" })).toEqual({
      show: "none",
      prefix: "",
    });
    expect(toPolicy(DEFAULT_POLICY).summaryView).toEqual({
      show: summaries.SummaryShow.AFTER_SYSTEM,
      prefix: "Summary of the conversation so far: ",
    });
  });
});
