// Goal: whatever options a preset takes, the policy it gives is one that a request may hold, and it
// comes over the wire as it is.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkWholeChoice, checkWholePolicy } from "../../test/support/contract/whole-checks.ts";
import { expandPreset, PRESETS } from "../compat/presets.ts";
import { Struct } from "../gen/google/protobuf/struct.ts";
import { Policy, PolicyPreset } from "../gen/memorysidecar/v1/policy.ts";
import { Violations } from "../grpc/violations.ts";
import { fromPolicy, fromPolicyChoice, toPolicy, toPolicyChoice } from "./policy-wire.ts";
import { expandWirePreset } from "./preset-wire.ts";
import { toPolicyPreset } from "./rpc.ts";

const structOf = (options: object): Buffer =>
  Buffer.from(Struct.encode(Struct.wrap({ ...options })).finish());

const messages = fc.integer({ min: 1, max: 10_000 });
const tokens = fc.integer({ min: 0, max: 1_000_000_000 });
const headroom = fc.double({ min: 0, max: 0.99, noNaN: true });
const share = fc.double({ min: 0.01, max: 1, noNaN: true });
const expressions = fc.subarray(["message.role != 'tool'", "turn.tokens < 90"]);
const tools = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 9 }), { maxLength: 3 });
const limitOrOff = fc.integer({ min: -1, max: 10_000 });
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });

const hook = fc.constantFrom("", "manual", "my-hook");
const summaryTokens = fc.integer({ min: 16, max: 16_384 });
const lastChars = fc.integer({ min: 100, max: 16_000 });
const summarized = some({
  hook,
  summary_max_tokens: summaryTokens,
  instructions: fc.string({ maxLength: 9 }),
  on_failure: fc.constantFrom("keep", "drop", "placeholder"),
});

const shortTerm = some({ memory_max_tokens: limitOrOff, conditions: expressions }).map(
  (options) => ({ ...options, memory_strategy_id: "max_tokens" }),
);
const longTerm = fc
  .tuple(
    fc.constantFrom("summarizer", "neuralyzer"),
    some({
      input_tokens_threshold: limitOrOff,
      interaction_keep: messages,
      interaction_conditions: expressions,
      interaction_threshold_qty: limitOrOff,
      interaction_threshold_tokens: limitOrOff,
      on_tools_success_threshold: tools,
      on_tools_error_threshold: tools,
    }),
  )
  .map(([id, options]) => ({ ...options, long_term_memory_id: id }));

/** Sound options of every preset. */
const OPTIONS: Readonly<Record<string, fc.Arbitrary<object>>> = {
  sliding_window: some({ max_messages: messages }),
  token_budget: some({ max_tokens: tokens, headroom }),
  managed: fc.tuple(tokens, tokens, headroom).map(([a, b, free]) => ({
    trigger_tokens: Math.max(a, b),
    target_tokens: Math.min(a, b),
    headroom: free,
  })),
  turns: some({ max_turns: messages, max_tokens: fc.option(tokens) }),
  forget_old: fc.record({
    max_age_seconds: fc.integer({ min: 1, max: 315_576_000 }),
    erase: fc.boolean(),
  }),
  tool_results_first: some({
    max_tokens: tokens,
    tool_result_tokens: fc.integer({ min: 16, max: 1_000_000 }),
    keep_newest: messages,
  }),
  semantic_pruning: some({
    similarity: fc.double({ min: 0.5, max: 1, noNaN: true }),
    lookahead: fc.integer({ min: 1, max: 200 }),
  }),
  pin_summarize_recent: fc
    .tuple(fc.nat(100), fc.integer({ min: 1, max: 100 }))
    .map(([pin, recent]) => ({ pin, recent, max_messages: pin + recent + 1 }))
    .chain((sizes) => summarized.map((told) => ({ ...told, ...sizes }))),
  rolling_summary: fc
    .tuple(summarized, some({ max_tokens: tokens, headroom, last_chars: lastChars }))
    .map(([{ on_failure, ...told }, options]) => ({
      ...told,
      ...options,
      ...(on_failure === undefined || on_failure === "keep" ? {} : { on_failure }),
    })),
  hierarchical_summary: fc
    .tuple(
      summarized,
      some({ max_tokens: tokens, keep_recent: messages, fan_in: fc.integer({ min: 2, max: 16 }) }),
    )
    .map(([told, options]) => ({ ...told, ...options })),
  summarize_old: fc.oneof(
    summarized,
    some({ max_tokens: tokens, keep_recent: messages }),
    fc.record({ context_share: share, model: fc.constantFrom("gpt-4o", "gpt-4") }),
    fc.record({ context_share: share, context_window: fc.integer({ min: 1, max: 1_000_000 }) }),
  ),
  selectools: some({
    max_messages: messages,
    max_tokens: fc.option(messages),
    summarize_on_trim: fc.constant(true),
    hook,
  }).chain((options) =>
    fc.constantFrom(options, {
      ...options,
      compress_context: true,
      compress_keep_recent: 5_000,
      context_window: 9,
      summarize_on_trim: true,
      summarize_max_tokens: 99,
    }),
  ),
  lauren: some({
    max_tokens: tokens,
    era: fc.constantFrom("A", "B", "C"),
    tool_turn_atomic: fc.boolean(),
    heal: fc.boolean(),
    summarize_at: fc.option(share),
    hook,
  }),
  definable: some({
    max_messages: messages,
    pin_count: messages,
    recent_count: messages,
    enabled: fc.boolean(),
    hook,
  }),
  marsys: fc.oneof(
    some({
      max_total_tokens_trigger: tokens,
      target_total_tokens: tokens,
      enable_headroom_percent: headroom,
      min_retrieval_gap_steps: fc.nat(10_000),
      min_retrieval_gap_tokens: tokens,
      trigger_events: fc.subarray(["add", "get_messages"]),
      cache_invalidation_events: fc.constantFrom([], ["add"], ["add", "remove_by_id"]),
      mode: fc.option(fc.constantFrom("strict", "repack_always")),
    }),
    some({
      threshold_tokens: tokens,
      active_context: some({
        mode: fc.constantFrom("compaction", "sliding_window"),
        processor_order: fc.subarray(["tool_truncation", "summarization", "backward_packing"]),
        min_reduction_ratio: headroom,
        tool_truncation: some({
          grace_recent_messages: messages,
          max_tool_message_tokens: fc.integer({ min: 16, max: 1_000_000 }),
          append_marker: fc.string({ maxLength: 9 }),
        }),
        summarization: some({ grace_recent_messages: messages, output_max_tokens: summaryTokens }),
      }),
    }),
  ),
  alquimia: fc.oneof(
    fc.constant({}),
    shortTerm,
    longTerm,
    fc.tuple(shortTerm, longTerm).map(([short, long]) => ({ ...short, ...long })),
    some({
      short_term_memory: fc.array(shortTerm, { maxLength: 4 }),
      long_term_memory: fc.array(longTerm, { maxLength: 4 }),
    }),
  ),
};

describe("presets", () => {
  test("all have options here", () => {
    expect(Object.keys(OPTIONS).sort()).toEqual(PRESETS.map(({ name }) => name));
  });

  test.each(PRESETS.map(({ name }) => name))("%s gives sound policies", (name) => {
    fc.assert(
      fc.property(OPTIONS[name] ?? fc.constant({}), (options) => {
        const preset = { name, options: structOf(options) };
        const violations = new Violations();
        const choice = { choice: { $case: "preset", value: preset } } as const;
        checkWholeChoice(violations, choice);
        const fault = violations.error()?.message;
        // Options that have no effect beside another one are refused.
        if (fault?.includes("has no effect with the hook")) return;
        expect(fault).toBeUndefined();
        const expanded = expandPreset(name, { ...options });
        if (!("policy" in expanded)) throw new Error(JSON.stringify(expanded.faults));
        const { policy } = expanded;
        const chosen = fromPolicyChoice(choice);
        expect(chosen).toEqual({ ...policy, preset: { name, options: JSON.stringify(options) } });
        expect(toPolicyChoice(chosen ?? policy)).toEqual(choice);
        const wire = Policy.decode(Policy.encode(toPolicy(policy)).finish());
        checkWholePolicy(violations, wire);
        expect(violations.error()?.message).toBeUndefined();
        expect(fromPolicy(wire)).toEqual(policy);
      }),
      { numRuns: 60 },
    );
  });

  test.each(PRESETS.map((preset) => [preset.name, preset] as const))(
    "%s is listed with its options and its policy",
    (name, preset) => {
      const listed = toPolicyPreset(preset);
      const wire = PolicyPreset.decode(PolicyPreset.encode(listed).finish());
      expect(wire).toEqual(listed);
      const isRequired = preset.options.some(
        ({ name, required }) => required && !name.includes("."),
      );
      const expanded = expandWirePreset({ name, options: Buffer.alloc(0) });
      expect(wire.policy).toEqual(
        isRequired || !("policy" in expanded) ? undefined : toPolicy(expanded.policy),
      );
    },
  );
});
