// Goal: every rule of the policy language holds, and a fault names the field that breaks it.

import { describe, expect, test } from "vitest";
import { checkWholeChoice } from "../../test/support/contract/whole-checks.ts";
import { checkPreviewPolicyRequest } from "../gen/checks.ts";
import { Duration } from "../gen/google/protobuf/duration.ts";
import { Struct } from "../gen/google/protobuf/struct.ts";
import * as wire from "../gen/memorysidecar/v1/policy.ts";
import * as selects from "../gen/memorysidecar/v1/policy.ts";
import * as stages from "../gen/memorysidecar/v1/policy.ts";
import { TokenRule } from "../gen/memorysidecar/v1/policy.ts";
import { PreviewPolicyRequest } from "../gen/memorysidecar/v1/session_service.ts";
import { Violations } from "../grpc/violations.ts";

const NOTHING = new Uint8Array(0);
const { StageOn, StageEffect, RemovedTo } = stages;
const { BoundaryRule } = selects;

type Select = NonNullable<stages.PolicyStage["select"]>;
type Condition = NonNullable<stages.Trigger["condition"]>;

const policy = (fields: Partial<wire.Policy>): wire.Policy => ({
  ...wire.Policy.decode(NOTHING),
  ...fields,
});
const KEEP: Select = { $case: "keepLast", value: { unitCount: 3 } };
const stage = (fields: Partial<stages.PolicyStage>): stages.PolicyStage => ({
  ...stages.PolicyStage.decode(NOTHING),
  name: "a",
  select: KEEP,
  ...fields,
});

/** The faults of a policy that is chosen, each as its field and what is wrong. */
function faultsOfChoice(choice: wire.PolicyChoice["choice"]): readonly string[] {
  const violations = new Violations();
  checkWholeChoice(violations, { choice });
  const found = violations.error()?.detail.violations ?? [];
  return found.map(({ field, description }) => `${field}: ${description}`);
}

/** The faults of a policy that is written out. */
function faultsOf(value: wire.Policy): readonly string[] {
  return faultsOfChoice({ $case: "policy", value }).map((fault) =>
    fault.replace(/^policy\.policy/, "policy"),
  );
}

const faultsOfStage = (fields: Partial<stages.PolicyStage>): readonly string[] =>
  faultsOf(policy({ stages: [stage(fields)] })).map((fault) =>
    fault.replace(/^policy\.stages\[0\]\.?/, ""),
  );

const faultsOfSelect = (select: Select): readonly string[] => faultsOfStage({ select });

const SHORTEN: Select = {
  $case: "shorten",
  value: { maxTokens: 100, allRoles: false, minSavedTokens: 0n },
};
const CUT: Select = {
  $case: "shorten",
  value: { maxTokens: 100, allRoles: false, keepChars: 64, marker: "", minSavedTokens: 9n },
};
const FILTER: Select = { $case: "filter", value: { conditions: ["true"], scope: 0 } };
const DUPLICATES: Select = { $case: "dropDuplicates", value: {} };
const BOUNDARY_ONLY: Select = { $case: "boundaryOnly", value: {} };
const PIN: Select = { $case: "pinMiddleRecent", value: { pinFirst: 0, keepRecent: 1 } };

describe("a policy", () => {
  test("may be empty", () => {
    expect(faultsOf(policy({}))).toEqual([]);
  });

  test.each<readonly [Partial<wire.Policy>, string]>([
    [{ tokenRule: 99 as 1 }, "token_rule: is not a known value: 99"],
    [{ toolPairing: 5 as 1 }, "tool_pairing: is not a known value: 5"],
    [{ tokenRule: TokenRule.CUSTOM }, "custom_token_rule: is required with TOKEN_RULE_CUSTOM"],
    [{ tokenRule: 9 as 1 }, "token_rule: is not a known value: 9"],
    [{ tokenPreset: "structured" }, "token_preset: must be unset without TOKEN_RULE_PRESET"],
    [
      { tokenRule: TokenRule.PRESET, tokenPreset: "toString" },
      "token_preset: must be one of chars_floor_4, chars_floor_4_min_1, chars_sum_4, " +
        "structured with TOKEN_RULE_PRESET",
    ],
    [
      { customTokenRule: { ...wire.CustomTokenRule.decode(NOTHING), charsPerToken: 4 } },
      "custom_token_rule: must be unset without TOKEN_RULE_CUSTOM",
    ],
    [
      { tokenRule: TokenRule.CUSTOM, customTokenRule: wire.CustomTokenRule.decode(NOTHING) },
      "custom_token_rule.chars_per_token: must be 0.25 to 100",
    ],
    [
      {
        tokenRule: TokenRule.CUSTOM,
        customTokenRule: { ...wire.CustomTokenRule.decode(NOTHING), charsPerToken: Number.NaN },
      },
      "custom_token_rule.chars_per_token: must be 0.25 to 100",
    ],
    [
      { toolResultFill: { rule: 0, newestOnly: false, text: "" } },
      "tool_result_fill.rule: is required",
    ],
    [
      { toolResultFill: { rule: 3 as 1, newestOnly: false, text: "" } },
      "tool_result_fill.rule: is not a known value: 3",
    ],
    [
      { protections: { ...wire.Protections.decode(NOTHING), pinMessageIds: ["a", ""] } },
      "protections.pin_message_ids[1]: is required",
    ],
    [
      { protections: { ...wire.Protections.decode(NOTHING), system: 5 as 1 } },
      "protections.system: is not a known value: 5",
    ],
    [{ stages: [stage({}), stage({})] }, "stages[1].name: is used by an earlier stage"],
  ])("is refused: %#", (fields, fault) => {
    expect(faultsOf(policy(fields))).toEqual([`policy.${fault}`]);
  });

  test("is checked in a list of them under its place", () => {
    const violations = new Violations();
    const policies: wire.PolicyChoice[] = [
      { choice: { $case: "policy", value: policy({}) } },
      { choice: { $case: "policy", value: policy({ imageTokenCount: -1 }) } },
    ];
    const request = PreviewPolicyRequest.decode(NOTHING);
    checkPreviewPolicyRequest(violations, { ...request, sessionId: "s", policies });
    expect(violations.error()?.detail.metadata).toMatchObject({
      field: "policies[1].policy.image_token_count",
    });
  });
});

describe("a stage", () => {
  test.each<readonly [Partial<stages.PolicyStage>, string]>([
    [{ name: "" }, "name: is required"],
    [{ name: "1st" }, "name: must be 1 to 63 characters of a-z0-9_-, the first a letter"],
    [{ on: 5 as 1 }, "on: is not a known value: 5"],
    [{ unit: 4 as 1 }, "unit: is not a known value: 4"],
    [{ effect: 3 as 1 }, "effect: is not a known value: 3"],
    [{ removedTo: 5 as 1 }, "removed_to: is not a known value: 5"],
    [{ select: undefined }, "select: is required: drop_oldest or another of its fields"],
    [{ countIf: ["message.role =="] }, "count_if[0]: at character 16: "],
    [{ countIf: ["message.size > 3"] }, "count_if[0]: at character "],
    [
      { effect: StageEffect.VIEW },
      "effect: STAGE_EFFECT_VIEW is only for stages on read and for shorten",
    ],
    [
      { effect: StageEffect.VIEW, on: StageOn.TURN_END },
      "effect: STAGE_EFFECT_VIEW is only for stages on read and for shorten",
    ],
    [
      { select: SHORTEN, effect: StageEffect.STORE },
      "effect: must be STAGE_EFFECT_VIEW for a stage that shortens",
    ],
    [
      { select: SHORTEN, on: StageOn.TURN_END },
      "on: must be append or read for a stage that shortens",
    ],
    [
      { select: SHORTEN, on: StageOn.REQUEST },
      "on: must be append or read for a stage that shortens",
    ],
    [
      { on: StageOn.READ, removedTo: RemovedTo.DISCARD },
      "removed_to: must be REMOVED_TO_LOG without STAGE_EFFECT_STORE",
    ],
    [
      { select: SHORTEN, removedTo: RemovedTo.SUMMARIZE },
      "removed_to: must be REMOVED_TO_LOG without STAGE_EFFECT_STORE",
    ],
    [
      { select: DUPLICATES, removedTo: RemovedTo.SUMMARIZE },
      "removed_to: REMOVED_TO_SUMMARIZE is not for drop_duplicates and boundary_only",
    ],
    [{ select: BOUNDARY_ONLY }, "boundary: is required with boundary_only"],
    [
      {
        select: BOUNDARY_ONLY,
        boundary: { rule: BoundaryRule.POP_TOOL_HEAD, always: true },
        removedTo: RemovedTo.SUMMARIZE,
      },
      "removed_to: REMOVED_TO_SUMMARIZE is not for drop_duplicates and boundary_only",
    ],
    [
      { select: BOUNDARY_ONLY, boundary: { rule: BoundaryRule.GROW_RECENT, always: false } },
      "boundary.rule: must be a rule about the head with boundary_only",
    ],
    [{ boundary: { rule: 0, always: false } }, "boundary.rule: is required"],
    [{ boundary: { rule: 5 as 1, always: false } }, "boundary.rule: is not a known value: 5"],
    [
      { boundary: { rule: BoundaryRule.ABSORB_AND_GROW, always: false } },
      "boundary.rule: BOUNDARY_RULE_ABSORB_AND_GROW is only for pin_middle_recent",
    ],
    [
      { boundary: { rule: BoundaryRule.GROW_RECENT, always: true } },
      "boundary.always: is only for rules about the head",
    ],
    [
      { select: SHORTEN, boundary: { rule: BoundaryRule.GROW_RECENT, always: false } },
      "boundary: must be unset with shorten",
    ],
  ])("is refused: %#", (fields, fault) => {
    const faults = faultsOfStage(fields);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.startsWith(fault)).toBe(true);
  });

  test.each<Partial<stages.PolicyStage>>([
    { on: StageOn.READ, effect: StageEffect.STORE, removedTo: RemovedTo.SUMMARIZE },
    { on: StageOn.READ, effect: StageEffect.VIEW, removedTo: RemovedTo.LOG },
    { on: StageOn.TURN_END, removedTo: RemovedTo.DISCARD },
    { on: StageOn.REQUEST, removedTo: RemovedTo.PROMOTE },
    { select: SHORTEN },
    { select: SHORTEN, on: StageOn.APPEND, effect: StageEffect.VIEW },
    { select: SHORTEN, on: StageOn.READ },
    { select: CUT, keepAssistantTurns: 10_000 },
    { select: FILTER, removedTo: RemovedTo.SUMMARIZE },
    { select: DUPLICATES, removedTo: RemovedTo.DISCARD },
    {
      select: BOUNDARY_ONLY,
      boundary: { rule: BoundaryRule.POP_TOOL_HEAD, always: false },
    },
    { select: PIN, boundary: { rule: BoundaryRule.ABSORB_AND_GROW, always: false } },
    { boundary: { rule: BoundaryRule.POP_TOOL_HEAD, always: true } },
    {
      anyOf: [{ condition: { $case: "messageCountOver", value: 3 } }],
      countIf: ["message.role != 'tool'", "turn.index > 1"],
    },
  ])("is taken: %#", (fields) => {
    expect(faultsOfStage(fields)).toEqual([]);
  });
});

describe("what a stage does", () => {
  const dropOldest = (fields: Partial<selects.DropOldest>): Select => ({
    $case: "dropOldest",
    value: { ...selects.DropOldest.decode(NOTHING), ...fields },
  });
  const age = (seconds: bigint, nanos = 0): Duration => ({ seconds, nanos });

  test.each<readonly [Select, string]>([
    [
      dropOldest({}),
      "drop_oldest: at least one of max_messages, max_tokens and max_age is required",
    ],
    [dropOldest({ maxAge: age(-1n) }), "drop_oldest.max_age: must be 0 to 315576000 seconds"],
    [
      dropOldest({ maxAge: age(315_576_000n, 1) }),
      "drop_oldest.max_age: must be 0 to 315576000 seconds",
    ],
    [
      dropOldest({ maxAge: age(1n, -1) }),
      "drop_oldest.max_age: must be positive with 0 to 999999999 nanos",
    ],
    [
      { $case: "packNewest", value: { headroom: 0, skipUnfit: false } },
      "pack_newest.max_tokens: is required",
    ],
    [{ $case: "keepLast", value: {} }, "keep_last.unit_count: is required"],
    [
      { $case: "packNewest", value: { maxTokens: 1n, headroom: 1, skipUnfit: false } },
      "pack_newest.headroom: must be 0 to below 1",
    ],
    [
      { $case: "packNewest", value: { maxTokens: 1n, headroom: -0.1, skipUnfit: false } },
      "pack_newest.headroom: must be 0 to below 1",
    ],
    [
      { $case: "packNewest", value: { maxTokens: 1n, headroom: Number.NaN, skipUnfit: false } },
      "pack_newest.headroom: must be 0 to below 1",
    ],
    [
      {
        $case: "shorten",
        value: { maxTokens: 16, allRoles: false, marker: "x", minSavedTokens: 0n },
      },
      "shorten.marker: must be unset without keep_chars",
    ],
    [
      { $case: "filter", value: { conditions: [], scope: 0 } },
      "filter.conditions: must have 1 entry at least",
    ],
    [
      { $case: "filter", value: { conditions: ["true", ""], scope: 0 } },
      "filter.conditions[1]: is required",
    ],
    [
      { $case: "filter", value: { conditions: ["true", "message.role !="], scope: 0 } },
      "filter.conditions[1]: at character 16: ends too early",
    ],
    [
      { $case: "filter", value: { conditions: ["true"], scope: 3 as 1 } },
      "filter.scope: is not a known value: 3",
    ],
    [
      { $case: "dropDuplicates", value: { similarity: 0.49 } },
      "drop_duplicates.similarity: must be 0.5 to 1",
    ],
    [
      { $case: "dropDuplicates", value: { similarity: Number.NaN } },
      "drop_duplicates.similarity: must be 0.5 to 1",
    ],
  ])("is refused: %#", (select, fault) => {
    expect(faultsOfSelect(select)).toEqual([fault]);
  });

  test("may be told an age of zero and of ten years", () => {
    expect(faultsOfSelect(dropOldest({ maxAge: age(0n) }))).toEqual([]);
    expect(faultsOfSelect(dropOldest({ maxAge: age(315_576_000n) }))).toEqual([]);
  });
});

describe("a trigger", () => {
  const faultsOfTrigger = (
    condition: Condition | undefined,
    fields: Partial<stages.PolicyStage> = {},
  ): readonly string[] => faultsOfStage({ anyOf: [{ condition }], ...fields });
  const tools = (names: string[]): Condition => ({ $case: "toolSuccess", value: { names } });
  const share = (value: number): Condition => ({ $case: "contextShareAtLeast", value });
  const newMessages: Condition = { $case: "newMessagesAtLeast", value: 1 };
  const newTokens: Condition = { $case: "newTokensAtLeast", value: 1n };

  test.each<readonly [Condition | undefined, string]>([
    [undefined, "condition: is required: message_count_over or another of its fields"],
    [share(0), "context_share_at_least: must be above 0 and at most 1"],
    [share(1.01), "context_share_at_least: must be above 0 and at most 1"],
    [share(Number.NaN), "context_share_at_least: must be above 0 and at most 1"],
    [
      share(0.5),
      "context_share_at_least: needs a context window: set context_window, or a model whose " +
        "context window is known",
    ],
    [tools([]), "tool_success.names: must have 1 entry at least"],
    [tools(["a", ""]), "tool_success.names[1]: is required"],
    [{ $case: "toolError", value: { names: [] } }, "tool_error.names: must have 1 entry at least"],
    [
      { $case: "ageOver", value: Duration.decode(NOTHING) },
      "age_over: must be above 0 and at most 315576000 seconds",
    ],
    [
      { $case: "ageOver", value: { seconds: 315_576_001n, nanos: 0 } },
      "age_over: must be above 0 and at most 315576000 seconds",
    ],
  ])("is refused: %#", (condition, fault) => {
    expect(faultsOfTrigger(condition)).toEqual([`any_of[0].${fault}`]);
  });

  test("that counts what is new needs a stage that remembers", () => {
    const stored = "is only for stages with STAGE_EFFECT_STORE";
    expect(faultsOfTrigger(newMessages)).toEqual([]);
    expect(faultsOfTrigger(newTokens, { on: StageOn.TURN_END })).toEqual([]);
    const readStore = { on: StageOn.READ, effect: StageEffect.STORE };
    expect(faultsOfTrigger(newMessages, readStore)).toEqual([]);
    expect(faultsOfTrigger(newMessages, { on: StageOn.READ })).toEqual([
      `any_of[0].new_messages_at_least: ${stored}`,
    ]);
    expect(faultsOfTrigger(newTokens, { select: SHORTEN })).toEqual([
      `any_of[0].new_tokens_at_least: ${stored}`,
    ]);
    expect(faultsOfTrigger(newTokens, { on: StageOn.REQUEST })).toEqual([
      "any_of[0].new_tokens_at_least: is not for stages on request",
    ]);
  });

  test("about tools needs a stage that hears of them", () => {
    for (const on of [StageOn.READ, StageOn.REQUEST]) {
      expect(faultsOfTrigger(tools(["a"]), { on })).toEqual([
        "any_of[0].tool_success: is only for stages on append and on turn end",
      ]);
    }
    expect(faultsOfTrigger(tools(["a"]), { on: StageOn.TURN_END })).toEqual([]);
  });

  test("may be a share of a context window that is given or known", () => {
    const stageWithShare = stage({ anyOf: [{ condition: share(1) }] });
    expect(faultsOf(policy({ contextWindow: 1n, stages: [stageWithShare] }))).toEqual([]);
    expect(faultsOf(policy({ model: "gpt-4o", stages: [stageWithShare] }))).toEqual([]);
    expect(faultsOf(policy({ model: "nobody-1", stages: [stageWithShare] }))).toHaveLength(1);
  });
});

describe("the work of a policy", () => {
  test("is bounded over all stages", () => {
    const two = (select: Select) =>
      faultsOf(policy({ stages: [stage({ select }), stage({ name: "b", select })] }));
    expect(two({ $case: "dropDuplicates", value: { lookahead: 100 } })).toEqual([]);
    expect(two({ $case: "dropDuplicates", value: { lookahead: 101 } })).toEqual([
      "policy.stages: have lookaheads of 202 together; at most 200 are allowed",
    ]);
    const calls = Array.from({ length: 8 }, () => "message.tool_calls.all(c, c.name != 'x')");
    expect(
      faultsOfStage({ select: { $case: "filter", value: { conditions: calls, scope: 0 } } }),
    ).toEqual([]);
    expect(two({ $case: "filter", value: { conditions: calls, scope: 0 } })).toEqual([
      "policy.stages: have conditions of 2208 steps together; at most 2000 are allowed",
    ]);
  });

  test("is not looked at while something else is wrong", () => {
    const select: Select = { $case: "filter", value: { conditions: ["nope("], scope: 0 } };
    expect(faultsOfStage({ select })).toHaveLength(1);
  });
});

describe("a preset", () => {
  const preset = (name: string, options: object = {}) =>
    ({
      $case: "preset",
      value: { name, options: Buffer.from(Struct.encode(Struct.wrap({ ...options })).finish()) },
    }) as const;

  test("is one way to choose a policy, which must be chosen", () => {
    expect(faultsOfChoice(preset("sliding_window"))).toEqual([]);
    expect(faultsOfChoice(undefined)).toEqual([
      "policy.choice: one of policy and preset is required",
    ]);
  });

  test.each<readonly [wire.PolicyChoice["choice"], string]>([
    [preset(""), "preset.name: is required"],
    [preset("nope"), "preset.name: is not the name of a preset; ListPolicyPresets gives them"],
    [
      preset("sliding_window", { max_messages: 0 }),
      "preset.options.max_messages: max_messages must be at least 1",
    ],
    [preset("forget_old"), "preset.options.max_age_seconds: max_age_seconds is required"],
    [
      preset("sliding_window", { max_messages: Number.POSITIVE_INFINITY }),
      "preset.options: holds a number that is not finite",
    ],
    [
      preset("sliding_window", { 'a"\nb': 1 }),
      'preset.options["a\\"\\nb"]: is not an option; the options are max_messages, token_rule, model',
    ],
    [
      preset("sliding_window", { ["x".repeat(500)]: 1 }),
      `preset.options["${"x".repeat(40)}"]: is not an option; the options are max_messages, token_rule, model`,
    ],
    [
      preset("alquimia", { memory_strategy_id: "max_tokens", conditions: ["true", "1"] }),
      "preset.options.conditions[1]: conditions[1] is wrong at character 1: must give true or " +
        "false, not int",
    ],
  ])("is refused: %#", (choice, fault) => {
    expect(faultsOfChoice(choice)).toEqual([`policy.${fault}`]);
  });

  test("is malformed when its options are no Struct", () => {
    const violations = new Violations();
    const options = Buffer.from([0x0a, 9, 1]);
    const value = { name: "sliding_window", options };
    checkWholeChoice(violations, { choice: { $case: "preset", value } });
    expect(violations.malformed).toBe(true);
  });
});
