// The profile of marsys takes its configurations as they are, with their names and defaults, and
// gives the policies that stand for them.

import { describe, expect, test } from "vitest";
import { faultsOf, policyOf, protections } from "../../../test/support/window/profiles.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../window/policy/summary-spec.ts";
import type { PlainOptions } from "../presets.ts";

describe("marsys", () => {
  const pack = (maxTokens: number, headroom: number): object => ({
    name: "pack",
    on: "read",
    unit: "message",
    select: { kind: "pack-newest", maxTokens, headroom, skipUnfit: false },
  });
  const CONFIG = {
    max_total_tokens_trigger: 150,
    target_total_tokens: 100,
    image_token_estimate: 7,
    enable_headroom_percent: 0.2,
  };

  test("packs every read to its target", () => {
    expect(policyOf("marsys")).toMatchObject({
      tokenRule: "structured",
      imageTokenCount: 800,
      protections: protections({ minMessages: 1 }),
      toolPairing: "grouped",
      stages: [{ ...pack(100_000, 0.1), anyOf: [], effect: "view" }],
    });
    const given = policyOf("marsys", CONFIG);
    expect(given).toMatchObject({ imageTokenCount: 7, stages: [pack(100, 0.2)] });
    expect(policyOf("marsys", { memory_config: CONFIG })).toEqual(given);
  });

  test("packs for good above its trigger when it is strict", () => {
    expect(policyOf("marsys", { ...CONFIG, mode: "strict" }).stages).toMatchObject([
      {
        ...pack(100, 0.2),
        anyOf: [{ kind: "token-count-over", limit: 150 }],
        effect: "store",
        removedTo: "log",
      },
    ]);
  });

  test("packs by its gaps when adding does not", () => {
    const cached = { ...CONFIG, cache_invalidation_events: [] };
    const triggers = (more: PlainOptions) =>
      policyOf("marsys", { ...cached, ...more }).stages.map(({ anyOf }) => anyOf);
    const overTrigger = { kind: "token-count-over", limit: 150 };
    expect(triggers({})).toEqual([
      [
        overTrigger,
        { kind: "new-messages-at-least", limit: 2 },
        { kind: "new-tokens-at-least", limit: 5_000 },
      ],
    ]);
    expect(triggers({ trigger_events: ["add"] })).toEqual([[overTrigger]]);
    expect(triggers({ trigger_events: [] })).toEqual([]);
    expect(triggers({ min_retrieval_gap_steps: 0 })).toEqual([[]]);
    expect(triggers({ mode: "repack_always" })).toEqual([[]]);
  });

  test("leaves nothing out of a plain conversation", () => {
    expect(policyOf("marsys", { memory_type: "conversation_history" }).stages).toEqual([]);
  });

  test("takes what invalidates its cache only beside add, which honors it", () => {
    const events = { cache_invalidation_events: ["remove_by_id", "add"] };
    expect(policyOf("marsys", { memory_config: events })).toEqual(policyOf("marsys"));
    const alone = { cache_invalidation_events: ["remove_by_id", "update"] };
    const problem = "cache_invalidation_events may hold remove_by_id only beside add";
    expect(faultsOf("marsys", alone)).toEqual([`cache_invalidation_events: ${problem}`]);
    expect(faultsOf("marsys", { memory_config: alone })).toEqual([
      `memory_config.cache_invalidation_events: memory_config.${problem}`,
    ]);
  });

  test.each<readonly [PlainOptions, string]>([
    [{ memory_type: "nope" }, "memory_type"],
    [{ memory_type: "kg" }, "memory_type"],
    [{ memory_type: "conversation_history", target_total_tokens: 1 }, "target_total_tokens"],
    [{ memory_type: "conversation_history", threshold_tokens: 1 }, "threshold_tokens"],
    [{ active_context: {}, min_reduction_ratio: 0.5 }, "min_reduction_ratio"],
    [{ processor_order: ["summarization", "tool_truncation"] }, "processor_order"],
    [
      { active_context: { processor_order: ["summarization", "summarization"] } },
      "active_context.processor_order",
    ],
    [{ memory_config: { target: 1 } }, "memory_config.target"],
    [{ memory_config: {}, target_total_tokens: 1 }, "target_total_tokens"],
    [{ threshold_tokens: 1, target_total_tokens: 1 }, "threshold_tokens"],
    [{ trigger_events: ["update"] }, "trigger_events[0]"],
    [
      { active_context: { tool_truncation: { grace_recent_messages: 0 } } },
      "active_context.tool_truncation.grace_recent_messages",
    ],
  ])("refuses %j", (options, field) => {
    const [fault] = faultsOf("marsys", options);
    expect(fault?.startsWith(`${field}: `)).toBe(true);
  });

  describe("in its later releases", () => {
    const overThreshold = [{ kind: "token-count-over", limit: 1_000 }];
    const later = (context: PlainOptions) =>
      policyOf("marsys", { threshold_tokens: 1_000, active_context: context, hook: "mine" });
    const truncation = {
      name: "tool_truncation",
      on: "append",
      anyOf: overThreshold,
      effect: "view",
      select: {
        kind: "shorten",
        maxTokens: 1_200,
        allRoles: false,
        keepNewest: 0,
        head: { chars: 4_800, marker: " [truncated]" },
      },
      keepAssistantTurns: 1,
    };

    test("shortens and summarizes", () => {
      const { stages, protections: held } = later({});
      expect(held).toEqual(protections({ system: "leading", minMessages: 1 }));
      expect(stages).toMatchObject([
        { ...truncation, select: { ...truncation.select, minSavedTokens: 400 } },
        {
          name: "summarization",
          on: "request",
          anyOf: overThreshold,
          select: { kind: "keep-last", unitCount: 0 },
          countWhole: true,
          removedTo: "summarize",
          summarize: {
            ...DEFAULT_SUMMARY_SPEC,
            hook: "mine",
            maxTokens: 6_000,
            shape: "exchange",
          },
          keepAssistantTurns: 1,
        },
      ]);
    });

    test("shortens and packs without a summary", () => {
      const { stages, protections: held } = later({
        excluded_processors: ["summarization"],
        backward_packing: { grace_recent_messages: 2 },
        tool_truncation: { max_tool_message_tokens: 20, append_marker: "~" },
        min_reduction_ratio: 0.3,
      });
      expect(held).toEqual(protections({ system: "leading", minMessages: 1, lastUser: true }));
      expect(stages).toMatchObject([
        {
          name: "tool_truncation",
          select: { maxTokens: 20, head: { chars: 80, marker: "~" }, minSavedTokens: 300 },
        },
        {
          name: "backward_packing",
          on: "request",
          anyOf: overThreshold,
          select: { kind: "pack-newest", maxTokens: 700, headroom: 0, skipUnfit: true },
          removedTo: "log",
          countWhole: true,
          keepAssistantTurns: 2,
        },
      ]);
    });

    test("runs the processors that it is told", () => {
      const names = (context: PlainOptions) => later(context).stages.map(({ name }) => name);
      expect(later({ processor_order: ["tool_truncation"] }).stages).toEqual([
        expect.objectContaining(truncation),
      ]);
      expect(names({ summarization: { enabled: false } })).toEqual([
        "tool_truncation",
        "backward_packing",
      ]);
      expect(names({ tool_truncation: { enabled: false } })).toEqual(["summarization"]);
      expect(names({ excluded_processors: ["tool_truncation", "summarization"] })).toEqual([
        "backward_packing",
      ]);
      expect(names({ processor_order: [] })).toEqual([]);
      expect(names({ mode: "sliding_window" })).toEqual(["sliding_window"]);
      expect(names({ enabled: false })).toEqual(["sliding_window"]);
    });

    test("packs every read when it does not compact", () => {
      const flat = { threshold_tokens: 50, compaction_target_tokens: 30, enabled: false };
      const policy = policyOf("marsys", flat);
      expect(policy.stages).toMatchObject([
        { on: "read", effect: "view", select: { maxTokens: 30, headroom: 0.1 } },
      ]);
      // Only a compaction sets the system message at the head aside.
      expect(policy.protections).toMatchObject({ system: "none", lastUser: false });
    });
  });
});
