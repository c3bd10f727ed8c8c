// Goal: what of a policy is called idle makes no difference to any window, and what a preset writes
// out holds nothing idle.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { policyOf, stageOf } from "../../../test/support/window/policies.ts";
import { request } from "../../../test/support/window/properties.ts";
import { trimWindow } from "../rules/trim.ts";
import type { Policy, PolicyStage } from "./policy.ts";
import { idleFaults, idleInSummary, withoutIdle } from "./policy-idle.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "./summary-spec.ts";

const seed = testSeed("idle fields");

/** A stage without what is idle in it. */
function cleared(stage: PolicyStage, idle: ReadonlySet<string>): PolicyStage {
  const { countWhole, boundary, ...rest } = stage;
  const always = boundary?.always === true && !idle.has("boundary.always");
  return {
    ...rest,
    anyOf: stage.anyOf.filter((_, index) => !idle.has(`any_of[${index}]`)),
    countIf: idle.has("count_if") ? [] : stage.countIf,
    unit: idle.has("unit") ? "turn" : stage.unit,
    boundary: boundary && !idle.has("boundary.rule") ? { ...boundary, always } : undefined,
    ...(countWhole === true && !idle.has("count_whole") ? { countWhole } : {}),
  };
}

function withoutIdleStages(policy: Policy): { readonly policy: Policy; readonly idle: string[] } {
  const idle = idleFaults(policy).map(({ field }) => field);
  const stages = policy.stages.map((stage, index) => {
    const prefix = `stages[${index}].`;
    const own = idle.filter((field) => field.startsWith(prefix));
    return cleared(stage, new Set(own.map((field) => field.slice(prefix.length))));
  });
  return { policy: { ...policy, stages }, idle };
}

/** The visible part of an outcome: not which of several triggers held. */
function shown(outcome: ReturnType<typeof trimWindow>) {
  return {
    ...outcome,
    runs: outcome.runs.map(({ triggers, ...run }) => ({ ...run, acted: triggers.length > 0 })),
    warnings: [],
  };
}

describe("an idle field of a stage", () => {
  test("changes nothing in 3,000 random windows, and each occurs", () => {
    const seen = new Set<string>();
    const property = fc.property(request, (asked) => {
      const { policy, idle } = withoutIdleStages(asked.policy);
      for (const field of idle) seen.add(field.replace(/\[\d+\]/g, ""));
      expect(shown(trimWindow({ ...asked, policy }))).toEqual(shown(trimWindow(asked)));
    });
    fc.assert(property, { seed, numRuns: 3_000 });
    expect([...seen]).toEqual(
      expect.arrayContaining(
        ["any_of", "count_if", "unit", "count_whole", "boundary.rule", "boundary.always"].map(
          (field) => `stages.${field}`,
        ),
      ),
    );
  });
});

test("count_whole has an effect after a stage that shortens on another occasion", () => {
  const select = { kind: "shorten", maxTokens: 40, allRoles: true, keepNewest: 1 } as const;
  const shorten = stageOf({ name: "a", on: "read", effect: "view", select });
  const anyOf = [{ kind: "message-count-over", limit: 1 }] as const;
  const counting = stageOf({ name: "b", on: "turn-end", anyOf, countWhole: true });
  const fieldsOf = (stages: readonly PolicyStage[]) =>
    idleFaults(policyOf(stages)).map(({ field }) => field);
  expect(fieldsOf([shorten, counting])).not.toContain("stages[1].count_whole");
  expect(fieldsOf([counting, shorten])).toContain("stages[0].count_whole");
});

describe("withoutIdle", () => {
  const spec: fc.Arbitrary<SummarySpec> = fc.record({
    hook: fc.constantFrom("", "manual", "builtin", "model"),
    maxTokens: fc.constantFrom(512, 100),
    instructions: fc.constantFrom("", "Names."),
    keep: fc.constantFrom("in-place", "append", "replace", "hierarchical"),
    flow: fc.constantFrom("single", "density"),
    maxLoops: fc.constantFrom(5, 2),
    leave: fc.constantFrom("with-summary", "at-once"),
    onFailure: fc.constantFrom("keep", "drop", "placeholder"),
    placeholder: fc.constantFrom(DEFAULT_SUMMARY_SPEC.placeholder, "Gone."),
    separator: fc.constantFrom(" ", "\n"),
    lastChars: fc.constantFrom(4_000, 100),
    prefix: fc.constantFrom("", "> "),
    transcript: fc.constantFrom("roles", "capitals"),
    fanIn: fc.constantFrom(4, 2),
    shape: fc.constantFrom("system", "exchange"),
    collectionId: fc.constantFrom("", "notes"),
  });

  test("leaves nothing idle and takes nothing else", () => {
    const property = fc.property(spec, (one) => {
      const left = withoutIdle(one);
      expect(idleInSummary(left)).toEqual([]);
      expect(withoutIdle(left)).toEqual(left);
      for (const key of ["hook", "keep", "leave"] as const) expect(left[key]).toBe(one[key]);
      if (idleInSummary(one).length === 0) expect(left).toEqual({ ...left, ...one });
    });
    fc.assert(property, { seed });
  });
});
