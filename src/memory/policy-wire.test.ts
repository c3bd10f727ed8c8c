// Goal: no part of a memory policy is lost or changed between the wire and the domain, every
// default is the one that the contract names, and what the domain may hold the checks let pass.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkWholeMemoryPolicy } from "../../test/support/contract/whole-checks.ts";
import { memoryPolicyArbitrary } from "../../test/support/memory/arbitraries.ts";
import * as wire from "../gen/memorysidecar/v1/memory.ts";
import { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import {
  DEFAULT_MEMORY_POLICY,
  EXTRACTION_TARGETS,
  type MemoryPolicy,
} from "../window/policy/memory-policy.ts";
import { fromMemoryPolicy, toMemoryPolicy } from "./policy-wire.ts";

const empty = wire.MemoryPolicy.decode(new Uint8Array(0));
const promotion = wire.PromotionPolicy.decode(new Uint8Array(0));

function overTheWire(policy: MemoryPolicy): wire.MemoryPolicy {
  return wire.MemoryPolicy.decode(wire.MemoryPolicy.encode(toMemoryPolicy(policy)).finish());
}

function faultsOf(policy: wire.MemoryPolicy): readonly string[] {
  const violations = new Violations();
  checkWholeMemoryPolicy(violations, policy);
  return (violations.error()?.detail.violations ?? []).map(({ field }) => field);
}

describe("a memory policy", () => {
  test("comes back from the wire as it was, and passes the checks", () => {
    const property = fc.property(memoryPolicyArbitrary, (policy) => {
      expect(fromMemoryPolicy(overTheWire(policy))).toEqual(policy);
      const faults = faultsOf(overTheWire(policy));
      const unused = "memory_policy.extraction.instructions";
      expect(faults.filter((field) => field !== unused)).toEqual([]);
    });
    fc.assert(property, { numRuns: 200 });
  });

  test("that says nothing is the default one, which gives nothing", () => {
    expect(fromMemoryPolicy(empty)).toEqual(DEFAULT_MEMORY_POLICY);
    expect(DEFAULT_MEMORY_POLICY).toMatchObject({
      ...{ promotion: undefined, episodes: undefined, extraction: undefined },
    });
  });

  test("that says nothing of how to promote promotes what users state", () => {
    expect(fromMemoryPolicy({ ...empty, promotion }).promotion).toEqual({
      ...{ selection: "user-statements", importanceThreshold: 0.7, importanceRules: [] },
      ...{ scoreHook: "", markedStagesOnly: false },
    });
  });

  test("that says nothing of how long to keep episodes keeps them for 30 days", () => {
    const episodes = wire.EpisodePolicy.decode(new Uint8Array(0));
    expect(fromMemoryPolicy({ ...empty, episodes }).episodes).toEqual({ retentionDays: 30 });
  });

  test("that says nothing of how facts are found finds all, by rules, when a turn ends", () => {
    const extraction = wire.ExtractionPolicy.decode(new Uint8Array(0));
    expect(fromMemoryPolicy({ ...empty, extraction }).extraction).toEqual({
      ...{ hook: "", on: "turn-end", targets: EXTRACTION_TARGETS, instructions: "" },
      supersede: true,
    });
  });

  test("names each target once, in the order of the contract", () => {
    const extraction = wire.ExtractionPolicy.decode(new Uint8Array(0));
    const targets = [3, 1, 3] as const;
    const policy = fromMemoryPolicy({
      ...empty,
      extraction: { ...extraction, targets: [...targets] },
    });
    expect(policy.extraction?.targets).toEqual(["facts", "relations"]);
  });

  test("takes no more room than a window policy may", () => {
    const phrases = Array.from({ length: 64 }, () => "x".repeat(200));
    const rules = Array.from({ length: 6 }, () => ({ name: "n", phrases, score: 0.5 }));
    expect(6 * 64 * 200).toBeGreaterThan(LIMITS.policyBytes);
    const faultsFor = (importanceRules: wire.ImportanceRule[]) =>
      faultsOf({ ...empty, promotion: { ...promotion, importanceRules } });
    expect(faultsFor(rules)).toEqual(["memory_policy.promotion.importance_rules"]);
    expect(faultsFor(rules.slice(1))).toEqual([]);
  });

  const rule = { name: "n", phrases: ["x"], score: 0.5 };
  const extraction = wire.ExtractionPolicy.decode(new Uint8Array(0));

  test.each<readonly [string, Partial<wire.MemoryPolicy>]>([
    [
      "promotion.importance_threshold",
      { promotion: { ...promotion, importanceThreshold: Number.NaN } },
    ],
    ["promotion.importance_threshold", { promotion: { ...promotion, importanceThreshold: 1.01 } }],
    ["promotion.importance_threshold", { promotion: { ...promotion, importanceThreshold: -0.01 } }],
    [
      "promotion.importance_rules[0].name",
      { promotion: { ...promotion, importanceRules: [{ ...rule, name: "" }] } },
    ],
    [
      "promotion.importance_rules[0].phrases",
      { promotion: { ...promotion, importanceRules: [{ ...rule, phrases: [] }] } },
    ],
    [
      "promotion.importance_rules[0].phrases[1]",
      { promotion: { ...promotion, importanceRules: [{ ...rule, phrases: ["x", ""] }] } },
    ],
    [
      "promotion.importance_rules[0].phrases[0]",
      { promotion: { ...promotion, importanceRules: [{ ...rule, phrases: ["(a|b"] }] } },
    ],
    [
      "promotion.importance_rules[0].phrases[0]",
      { promotion: { ...promotion, importanceRules: [{ ...rule, phrases: ["a? b?"] }] } },
    ],
    [
      "promotion.importance_rules[0].score",
      { promotion: { ...promotion, importanceRules: [{ ...rule, score: Infinity }] } },
    ],
    ["promotion.score_hook", { promotion: { ...promotion, scoreHook: "No Hook" } }],
    ["long_term_limit", { longTermLimit: 0 }],
    ["entity_limit", { entityLimit: -1 }],
    ["relation_limit", { relationLimit: 0 }],
    ["episodes.retention", { episodes: { retention: { seconds: 86_399n, nanos: 0 } } }],
    [
      "promotion.selection",
      { promotion: { ...promotion, selection: 3 as wire.PromotionSelection } },
    ],
    ["extraction.hook", { extraction: { ...extraction, hook: "No" } }],
    ["extraction.on", { extraction: { ...extraction, on: 3 as wire.ExtractionTime } }],
    ["extraction.targets[1]", { extraction: { ...extraction, targets: [1, 0] } }],
    [
      "extraction.targets[0]",
      { extraction: { ...extraction, targets: [4 as wire.ExtractionTarget] } },
    ],
  ])("is refused for %s", (field, fields) => {
    expect(faultsOf({ ...empty, ...fields })).toEqual([`memory_policy.${field}`]);
  });
});
