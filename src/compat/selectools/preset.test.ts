// Goal: the profiles take the configurations of the source systems as they are, with their names
// and defaults, and give the policies that stand for them.

import { describe, expect, test } from "vitest";
import { expandPreset, type PlainOptions, PRESETS } from "../../compat/presets.ts";
import type { Policy } from "./policy.ts";
import { DEFAULT_SUMMARY_SPEC } from "./summary-spec.ts";

function policyOf(name: string, options: PlainOptions = {}): Policy {
  const expanded = expandPreset(name, options);
  if ("faults" in expanded) throw new Error(JSON.stringify(expanded.faults));
  return expanded.policy;
}

function faultsOf(name: string, options: PlainOptions): readonly string[] {
  const expanded = expandPreset(name, options);
  return "faults" in expanded
    ? expanded.faults.map(({ field, description }) => `${field}: ${description}`)
    : [];
}

/** The defaults of the options of a group, by name. */
function defaultsOf(name: string, group: string): object {
  const options = PRESETS.find((preset) => preset.name === name)?.options ?? [];
  const own = options.filter((option) => option.group === group);
  return Object.fromEntries(own.map((option) => [option.name, option.defaultValue]));
}

const protections = (fields: Partial<Policy["protections"]>): Policy["protections"] => ({
  system: "none",
  pinFirst: 0,
  pinIds: [],
  minMessages: 0,
  lastUser: false,
  ...fields,
});

describe("selectools", () => {
  test("enforces its limits on every append and pops tool messages at the head", () => {
    expect(policyOf("selectools", { max_messages: 3, max_tokens: 25 })).toEqual({
      name: "selectools",
      countStoredOnly: true,
      tokenRule: "chars-floor-4",
      customTokenRule: undefined,
      imageTokenCount: 0,
      model: "",
      contextWindow: 0,
      protections: protections({ minMessages: 1 }),
      toolPairing: "loose",
      toolResultFill: undefined,
      summaryView: { show: "system-first", prefix: "[Conversation Summary] " },
      stages: [
        {
          name: "enforce_limits",
          on: "append",
          anyOf: [],
          unit: "message",
          select: {
            kind: "drop-oldest",
            maxMessages: 3,
            maxTokens: 25,
            stopAtProtected: false,
            stopAtFree: false,
          },
          countIf: [],
          boundary: { rule: "pop-tool-head", always: true },
          effect: "store",
          removedTo: "log",
          summarize: undefined,
        },
      ],
    });
  });

  test("has its defaults and errors", () => {
    expect(defaultsOf("selectools", "ConversationMemory")).toEqual({
      max_messages: 20,
      max_tokens: null,
    });
    const { select } = policyOf("selectools", { max_tokens: null }).stages[0] ?? {};
    expect(select).toMatchObject({ maxMessages: 20 });
    expect(select).not.toHaveProperty("maxTokens");
    for (const limit of [0, -3]) {
      expect(faultsOf("selectools", { max_messages: limit })).toEqual([
        "max_messages: max_messages must be at least 1",
      ]);
    }
    expect(faultsOf("selectools", { max_tokens: 0 })).toEqual([
      "max_tokens: max_tokens must be at least 1",
    ]);
    expect(policyOf("selectools", { token_estimate: "floor_4_min_1" }).tokenRule).toBe(
      "chars-floor-4-min-1",
    );
    expect(defaultsOf("selectools", "AgentConfig")).toMatchObject({
      summarize_on_trim: false,
      summarize_max_tokens: 150,
      compress_context: false,
      compress_threshold: 0.75,
      compress_keep_recent: 4,
    });
  });

  test("takes the options of unified memory only while that is on", () => {
    const tiers = { short_term_limit: 9, importance_threshold: 0.5, auto_promote: false };
    expect(faultsOf("selectools", { ...tiers, unified: false })).toEqual([
      "short_term_limit: short_term_limit needs unified",
      "importance_threshold: importance_threshold needs unified",
      "auto_promote: auto_promote needs unified",
    ]);
    expect(faultsOf("selectools", { ...tiers, unified: true })).toEqual([]);
    expect(faultsOf("selectools", { short_term_limit: 100, auto_promote: true })).toEqual([]);
    expect(faultsOf("selectools", { unified: true, max_messages: 3 })).toEqual([
      "max_messages: max_messages must be left out with unified; short_term_limit says it",
    ]);
    const wrong = {
      short_term_limit: 0,
      importance_threshold: 1.1,
      long_term_limit: 0,
      episodic_retention_days: 0,
      auto_promote: "yes",
    };
    expect(faultsOf("selectools", { ...wrong, unified: true })).toEqual([
      "short_term_limit: short_term_limit must be at least 1",
      "importance_threshold: importance_threshold must be at most 1",
      "long_term_limit: long_term_limit must be at least 1",
      "episodic_retention_days: episodic_retention_days must be at least 1",
      "auto_promote: auto_promote must be true or false",
    ]);
  });

  test("takes an option that needs another one with it, or with its default", () => {
    const idle = { summarize_max_tokens: 99, compress_threshold: 0.5, compress_keep_recent: 2 };
    expect(faultsOf("selectools", idle)).toEqual([
      "summarize_max_tokens: summarize_max_tokens needs summarize_on_trim",
      "compress_threshold: compress_threshold needs compress_context",
      "compress_keep_recent: compress_keep_recent needs compress_context",
    ]);
    const on = { summarize_on_trim: true, compress_context: true, context_window: 9 };
    expect(faultsOf("selectools", { ...idle, ...on })).toEqual([]);
    expect(faultsOf("selectools", { summarize_max_tokens: 150 })).toEqual([]);
    expect(faultsOf("lauren", { memory_window_tokens: 9, keep_recent: 2 })).toEqual([
      "memory_window_tokens: memory_window_tokens needs summarize_at",
      "keep_recent: keep_recent needs summarize_at",
    ]);
    expect(faultsOf("summarize_old", { context_window: 9 })).toEqual([
      "context_window: context_window needs context_share",
    ]);
  });

  test("makes a memory policy of unified memory, and of nothing else", () => {
    const options = { unified: true, short_term_limit: 4, long_term_limit: 7, auto_promote: false };
    expect(policyOf("selectools", options)).toEqual(policyOf("selectools", { max_messages: 4 }));
    expect(expandPreset("selectools", options)).toMatchObject({
      memoryPolicy: {
        ...{ longTermLimit: 7, episodes: { retentionDays: 30 } },
        promotion: { selection: "any-text", importanceThreshold: 0.7, markedStagesOnly: true },
      },
    });
    const plain = expandPreset("selectools", { unified: true });
    expect(plain).toMatchObject({
      memoryPolicy: { longTermLimit: 1_000, promotion: { markedStagesOnly: false } },
    });
    expect(plain).toMatchObject({ policy: policyOf("selectools", { max_messages: 100 }) });
    expect(expandPreset("selectools", {})).not.toHaveProperty("memoryPolicy");
  });

  test("summarizes what it trims, which is gone at once", () => {
    const [plain] = policyOf("selectools").stages;
    const { stages } = policyOf("selectools", { summarize_on_trim: true, hook: "mine" });
    expect(stages).toEqual([
      {
        ...plain,
        removedTo: "summarize",
        summarize: {
          ...DEFAULT_SUMMARY_SPEC,
          hook: "mine",
          maxTokens: 150,
          keep: "append",
          leave: "at-once",
          onFailure: "drop",
          separator: " ",
          lastChars: 4_000,
          lastCharsExact: true,
          transcript: "capitals",
        },
      },
    ]);
    expect(faultsOf("selectools", { hook: "My Hook" })).toEqual([
      "hook: hook must be 1 to 63 characters of a-z0-9_-, the first a letter",
    ]);
  });

  test("compresses what is read from a share of the context window", () => {
    const options = { compress_context: true, compress_keep_recent: 1, context_window: 80 };
    const policy = policyOf("selectools", options);
    expect(policy).toMatchObject({
      tokenRule: "custom",
      customTokenRule: { charsPerToken: 4, rounding: "down", perMessage: 4, min: 5 },
      contextWindow: 80,
      protections: { system: "all", lastUser: false },
    });
    expect(policy.stages[1]).toMatchObject({
      on: "read",
      anyOf: [{ kind: "context-share-at-least", share: 0.75 }],
      select: { kind: "pin-middle-recent", pinFirst: 0, keepRecent: 2, minRemoved: 2 },
      effect: "store",
      removedTo: "summarize",
      summarize: {
        ...DEFAULT_SUMMARY_SPEC,
        maxTokens: 300,
        prefix: "[Compressed context] ",
        transcript: "capitals",
      },
    });
    expect(policyOf("selectools", { ...options, max_tokens: 9 }).tokenRule).toBe("chars-floor-4");
    expect(policyOf("selectools", { compress_context: true, model: "gpt-4o" }).contextWindow).toBe(
      128_000,
    );
    expect(faultsOf("selectools", { compress_context: true })).toEqual([
      "compress_context: compress_context needs context_window, or a model whose window is known",
    ]);
  });
});

describe("lauren", () => {
  test("fits what is read into its budget, with a guard and toolResultFill", () => {
    expect(policyOf("lauren", { max_tokens: 10 })).toMatchObject({
      tokenRule: "chars-sum-4",
      imageTokenCount: 0,
      protections: protections({ system: "all", lastUser: true }),
      toolPairing: "adjacent",
      toolResultFill: { rule: "moved-on", newestOnly: true, text: "" },
      stages: [
        {
          name: "fit",
          on: "read",
          anyOf: [{ kind: "token-count-over", limit: 10 }],
          unit: "message",
          select: {
            kind: "drop-oldest",
            maxTokens: 10,
            stopAtProtected: true,
            stopAtFree: true,
          },
          effect: "view",
        },
        { name: "trim_to_fit", on: "request", effect: "store", removedTo: "log" },
      ],
    });
    const [fit, trimToFit] = policyOf("lauren").stages;
    expect(trimToFit?.select).toEqual(fit?.select);
  });

  test("drops message by message in its oldest era, told by flags or by name", () => {
    const naive = policyOf("lauren", { tool_turn_atomic: false, guard_last_user: false });
    expect(naive).toMatchObject({
      toolPairing: "loose",
      toolResultFill: undefined,
      protections: { lastUser: false },
      stages: [{ select: { stopAtFree: false } }, { select: { stopAtFree: false } }],
    });
    expect(policyOf("lauren", { era: "A" })).toEqual(naive);
    expect(policyOf("lauren", { era: "A", heal: true }).toolResultFill).toBeDefined();
  });

  test("cuts what is larger than the budget in its newest era", () => {
    const cut = policyOf("lauren", { era: "C", max_tokens: 3 }).stages[1];
    expect(cut).toMatchObject({
      on: "read",
      effect: "view",
      select: { kind: "shorten", maxTokens: 16, allRoles: true, keepNewest: 0 },
    });
  });

  test("summarizes from a share of its window", () => {
    const { contextWindow, stages } = policyOf("lauren", {
      summarize_at: 0.8,
      memory_window_tokens: 1_000,
    });
    expect(contextWindow).toBe(1_000);
    expect(stages.map(({ name }) => name)).toEqual(["summarize", "fit", "trim_to_fit"]);
    expect(stages[0]).toMatchObject({
      on: "turn-end",
      anyOf: [{ kind: "context-share-at-least", share: 0.8 }],
      select: { kind: "pin-middle-recent", pinFirst: 0, keepRecent: 6 },
      boundary: { rule: "grow-recent", always: false },
      removedTo: "summarize",
      summarize: {
        ...DEFAULT_SUMMARY_SPEC,
        maxTokens: 512,
        keep: "replace",
        onFailure: "keep",
        transcript: "paragraphs",
      },
    });
    expect(policyOf("lauren").summaryView).toEqual({
      show: "system-suffix",
      prefix: "[Earlier conversation summary]\n",
    });
    expect(defaultsOf("lauren", "ShortTermMemory")).toEqual({ max_tokens: 40_000 });
  });
});

describe("definable", () => {
  test("summarizes the middle, or says how much it was", () => {
    expect(policyOf("definable", { max_messages: 6, recent_count: 2 })).toMatchObject({
      protections: protections({}),
      toolPairing: "loose",
      stages: [
        {
          on: "append",
          anyOf: [{ kind: "message-count-over", limit: 6 }],
          select: { kind: "pin-middle-recent", pinFirst: 2, keepRecent: 2, minRemoved: 2 },
          boundary: { rule: "absorb-and-grow", always: false },
          effect: "store",
          removedTo: "summarize",
          summarize: {
            ...DEFAULT_SUMMARY_SPEC,
            onFailure: "placeholder",
            placeholder: "Summary of {count} messages.",
          },
        },
      ],
    });
    expect(policyOf("definable", { hook: "mine" }).stages[0]?.summarize?.hook).toBe("mine");
    expect(policyOf("definable", { enabled: false }).stages).toEqual([]);
    expect(faultsOf("definable", { recent_count: 0 })).toEqual([
      "recent_count: recent_count must be at least 1",
    ]);
  });

  test("tells its defaults", () => {
    expect(defaultsOf("definable", "Memory")).toEqual({
      enabled: true,
      max_messages: 100,
      pin_count: 2,
      recent_count: 5,
    });
  });
});

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
      expect(policy.protections.lastUser).toBe(false);
    });
  });
});

describe("alquimia", () => {
  const CONDITION = "message.role != 'tool'";
  const short = { memory_strategy_id: "max_tokens" };
  const neuralyzer = { long_term_memory_id: "neuralyzer" };
  const summarizer = { long_term_memory_id: "summarizer" };
  const packed = (maxTokens: number): object => ({
    name: "short_term",
    on: "read",
    unit: "turn",
    select: { kind: "pack-newest", maxTokens, headroom: 0, skipUnfit: false },
    effect: "view",
  });

  test("reads everything without a strategy, and counts as given", () => {
    expect(policyOf("alquimia")).toMatchObject({
      tokenRule: "given",
      protections: protections({}),
      toolPairing: "loose",
      stages: [],
    });
  });

  test("fills a budget with turns that meet conditions", () => {
    expect(policyOf("alquimia", short).stages).toMatchObject([packed(10_000)]);
    const options = { ...short, memory_max_tokens: 200, conditions: [CONDITION] };
    expect(policyOf("alquimia", options).stages).toMatchObject([
      {
        on: "read",
        unit: "turn",
        select: { kind: "filter", conditions: [CONDITION], scope: "unit" },
        effect: "view",
      },
      packed(200),
    ]);
    const alone = { ...short, conditions: [CONDITION], condition_scope: "message" };
    expect(policyOf("alquimia", alone).stages).toMatchObject([
      { unit: "turn", select: { kind: "filter", scope: "message" } },
      packed(10_000),
    ]);
    expect(policyOf("alquimia", { ...short, memory_max_tokens: -1 }).stages).toMatchObject([
      { select: { kind: "keep-last", unitCount: 0 }, effect: "view" },
    ]);
    expect(policyOf("alquimia", { ...short, memory_max_tokens: 0 }).stages).toMatchObject([
      packed(0),
    ]);
  });

  test("erases or summarizes at the end of a turn, for any of the triggers", () => {
    const options = {
      ...neuralyzer,
      interaction_threshold_qty: 3,
      interaction_threshold_tokens: 35,
      input_tokens_threshold: 1_000,
      interaction_keep: 2,
      interaction_conditions: [CONDITION],
      on_tools_success_threshold: ["close"],
      on_tools_error_threshold: ["pay"],
    };
    expect(policyOf("alquimia", options).stages).toEqual([
      {
        name: "neuralyzer",
        on: "turn-end",
        anyOf: [
          { kind: "model-input-tokens-over", limit: 1_000 },
          { kind: "turn-count-over", limit: 3 },
          { kind: "turn-tokens-over", limit: 35 },
          { kind: "tool-success", names: ["close"] },
          { kind: "tool-error", names: ["pay"] },
        ],
        unit: "turn",
        select: { kind: "keep-last", unitCount: 2 },
        countIf: [CONDITION],
        boundary: undefined,
        effect: "store",
        removedTo: "discard",
        summarize: undefined,
      },
    ]);
    const told = { cod_max_loops: 3, instructions: "Names.", hook: "mine" };
    expect(policyOf("alquimia", { ...summarizer, ...told }).stages).toMatchObject([
      {
        name: "summarizer",
        anyOf: [
          { kind: "turn-count-over", limit: 20 },
          { kind: "turn-tokens-over", limit: 20_000 },
        ],
        removedTo: "summarize",
        summarize: {
          ...DEFAULT_SUMMARY_SPEC,
          hook: "mine",
          instructions: "Names.",
          flow: "density",
          maxLoops: 3,
        },
      },
    ]);
    expect(policyOf("alquimia", summarizer).stages[0]?.summarize?.maxLoops).toBe(5);
  });

  test("writes summaries to its knowledge base", () => {
    const strategy = { long_term_memory_id: "summarizer" };
    const base = { collection_id: "notes" };
    const [stage] = policyOf("alquimia", { ...strategy, knowledge_base: base }).stages;
    expect(stage?.summarize?.collectionId).toBe("notes");
    const [plain] = policyOf("alquimia", strategy).stages;
    expect(plain?.summarize?.collectionId).toBe("");
    expect(faultsOf("alquimia", { ...strategy, knowledge_base: { collection_id: "a b" } })).toEqual(
      [
        "knowledge_base.collection_id: knowledge_base.collection_id must be 1 to 63 characters of " +
          "A-Za-z0-9._-, the first a letter or a digit",
      ],
    );
    expect(faultsOf("alquimia", { ...strategy, knowledge_base: {} })).toEqual([
      "knowledge_base.collection_id: knowledge_base.collection_id is required",
    ]);
    expect(faultsOf("alquimia", { ...strategy, knowledge_base: "notes" })).toEqual([
      "knowledge_base: knowledge_base must be an object",
    ]);
  });

  test("never acts without a threshold", () => {
    const off = { interaction_threshold_qty: -1, interaction_threshold_tokens: 0 };
    expect(policyOf("alquimia", neuralyzer).stages).toEqual([]);
    expect(policyOf("alquimia", { ...summarizer, ...off }).stages).toEqual([]);
  });

  test("takes both kinds at once, and lists of them", () => {
    const both = { ...short, ...neuralyzer, interaction_threshold_qty: 1 };
    const names = (options: PlainOptions) =>
      policyOf("alquimia", options).stages.map(({ name }) => name);
    expect(names(both)).toEqual(["neuralyzer", "short_term"]);
    const lists = {
      short_term_memory: [{ ...short, conditions: [CONDITION] }, short],
      long_term_memory: [summarizer, { ...neuralyzer, interaction_threshold_qty: 1 }],
    };
    expect(names(lists)).toEqual([
      "summarizer",
      "neuralyzer_2",
      "conditions",
      "short_term",
      "short_term_2",
    ]);
  });

  test.each<readonly [PlainOptions, string]>([
    [{ ...short, memory_max_token: 5 }, "memory_max_token"],
    [{ long_term_memory_id: "forgetter" }, "long_term_memory_id"],
    [{ long_term_memory_id: 3 }, "long_term_memory_id"],
    [{ memory_strategy_id: "newest" }, "memory_strategy_id"],
    [{ memory_max_tokens: 5 }, "memory_strategy_id"],
    [{ interaction_keep: 5 }, "long_term_memory_id"],
    [{ ...neuralyzer, cod_max_loops: 5 }, "cod_max_loops"],
    [{ ...summarizer, cod_max_loops: 11 }, "cod_max_loops"],
    [{ ...summarizer, hook: "1" }, "hook"],
    [{ ...short, memory_max_tokens: -2 }, "memory_max_tokens"],
    [{ ...short, conditions: ["message.role !="] }, "conditions[0]"],
    [{ ...short, short_term_memory: [short] }, "memory_strategy_id"],
    [{ short_term_memory: [{ memory_max_tokens: 1 }] }, "short_term_memory[0].memory_strategy_id"],
    [{ long_term_memory: [{ ...neuralyzer, x: 1 }] }, "long_term_memory[0].x"],
    [
      { long_term_memory: [{ long_term_memory_id: "no" }] },
      "long_term_memory[0].long_term_memory_id",
    ],
  ])("refuses %j", (options, field) => {
    expect(faultsOf("alquimia", options).map((fault) => fault.split(": ")[0])).toEqual([field]);
  });

  test("tells the defaults of each strategy", () => {
    expect(defaultsOf("alquimia", "neuralyzer")).toMatchObject({
      interaction_threshold_qty: -1,
      interaction_threshold_tokens: -1,
      interaction_keep: 0,
    });
    expect(defaultsOf("alquimia", "summarizer")).toMatchObject({
      interaction_threshold_qty: 20,
      interaction_threshold_tokens: 20_000,
      cod_max_loops: 5,
    });
    expect(defaultsOf("alquimia", "max_tokens")).toMatchObject({ memory_max_tokens: 10_000 });
  });
});
