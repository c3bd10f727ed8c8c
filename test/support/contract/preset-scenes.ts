// Scenes that show the effect of each option of a preset: two values with a difference that callers
// can see, and a conversation that brings it out. The keys are the names that ListPolicyPresets
// gives; where groups of a preset have options of one name, the group comes first.

import { Role } from "../../../src/gen/memorysidecar/v1/message.ts";
import {
  countedTurn,
  giveUp,
  type Options,
  read,
  runPolicy,
  type Step,
  say,
  showPicture,
  summarizeAll,
  turn,
  turns,
  useTool,
  wait,
} from "./preset-player.ts";
import { WORKERS } from "./summarizing.ts";

/** Scene that shows the effect of an option. */
export interface OptionScene {
  readonly values: readonly [unknown, unknown];
  /** Options to set with it. Default: none. */
  readonly base?: Options;
  /** Steps of the conversation. Default: four turns, with every summary made. */
  readonly script?: readonly Step[];
}

type Scenes = Readonly<Record<string, OptionScene>>;

const HOUR_MS = 3_600_000;
const TALK = [...turns(4), summarizeAll("A short text.")];

const CONDITION = "message.role != 'tool'";

/** Scenes of options that hold for every preset that has them. */
const OF_ALL: Scenes = {
  token_rule: { values: ["bytes_div_4", "words"] },
  model: { values: ["gpt-4o", "another"] },
};

/** Scenes of the summary options; `base` turns summaries on. */
function told(base: Options): Scenes {
  const by = { ...base, hook: WORKERS };
  return {
    hook: { base, values: [WORKERS, "manual"] },
    summary_max_tokens: { base: by, values: [100, 200] },
    instructions: { base: by, values: ["Dates.", "Names."] },
    on_failure: { base: by, values: ["drop", "placeholder"], script: [...turns(6), giveUp] },
  };
}

const MIDDLE = { max_messages: 5, pin: 1, recent: 2 };

const GENERAL: Readonly<Record<string, Scenes>> = {
  sliding_window: { max_messages: { values: [2, 5] } },
  token_budget: {
    max_tokens: { values: [30, 60] },
    headroom: { base: { max_tokens: 60 }, values: [0, 0.6] },
  },
  managed: {
    trigger_tokens: { base: { target_tokens: 30 }, values: [30, 70] },
    target_tokens: { base: { trigger_tokens: 60 }, values: [20, 50] },
    headroom: { base: { trigger_tokens: 60, target_tokens: 50 }, values: [0, 0.6] },
  },
  turns: {
    max_turns: { values: [1, 3] },
    max_tokens: { values: [30, 60] },
  },
  forget_old: {
    token_rule: { base: { max_age_seconds: 60 }, values: ["bytes_div_4", "words"] },
    model: { base: { max_age_seconds: 60 }, values: ["gpt-4o", "another"] },
    max_age_seconds: { values: [60, 86_400], script: [...TALK, wait(HOUR_MS), ...TALK] },
    erase: {
      base: { max_age_seconds: 60 },
      values: [false, true],
      script: [...TALK, wait(HOUR_MS), ...TALK],
    },
  },
  tool_results_first: {
    max_tokens: { values: [30, 60] },
    tool_result_tokens: {
      base: { max_tokens: 300, keep_newest: 0 },
      values: [20, 100],
      script: [useTool("a", 1_600), ...TALK],
    },
    keep_newest: {
      base: { max_tokens: 300, tool_result_tokens: 20 },
      values: [0, 9],
      script: [...TALK, useTool("a", 1_600)],
    },
  },
  semantic_pruning: {
    max_tokens: { values: [30, 60] },
    similarity: {
      values: [0.5, 1],
      script: [
        say(Role.USER, "Where is the big red bus?"),
        say(Role.USER, "Where is the red bus?"),
      ],
    },
    lookahead: {
      values: [1, 9],
      script: ["Where is it?", "Something else.", "Where is it?"].map((text) =>
        say(Role.USER, text),
      ),
    },
  },
  pin_summarize_recent: {
    max_messages: { base: { pin: 1, recent: 2, hook: WORKERS }, values: [4, 20] },
    pin: { base: { max_messages: 6, recent: 2, hook: WORKERS }, values: [0, 3] },
    recent: { base: { max_messages: 6, pin: 0, hook: WORKERS }, values: [1, 4] },
    ...told(MIDDLE),
  },
  summarize_old: {
    max_tokens: { base: { keep_recent: 2, hook: WORKERS }, values: [60, 900] },
    context_share: {
      base: { keep_recent: 2, hook: WORKERS, context_window: 100 },
      values: [0.5, 1],
    },
    context_window: {
      base: { keep_recent: 2, hook: WORKERS, context_share: 0.5 },
      values: [100, 1_000],
    },
    // Half a percent of 8,192 tokens, and of 128,000.
    model: {
      base: { keep_recent: 2, hook: WORKERS, context_share: 0.005 },
      values: ["gpt-4", "gpt-4o"],
    },
    keep_recent: { base: { max_tokens: 60, hook: WORKERS }, values: [2, 4] },
    ...told({ max_tokens: 60, keep_recent: 2 }),
  },
  rolling_summary: {
    max_tokens: { base: { hook: WORKERS }, values: [40, 70] },
    headroom: { base: { hook: WORKERS, max_tokens: 60 }, values: [0, 0.6] },
    last_chars: {
      base: { hook: WORKERS, max_tokens: 400 },
      values: [100, 200],
      script: [...turns(24), summarizeAll("A text that is long enough. ".repeat(9))],
    },
    ...told({ max_tokens: 40 }),
  },
  hierarchical_summary: {
    max_tokens: { base: { keep_recent: 2, hook: WORKERS }, values: [60, 900] },
    keep_recent: { base: { max_tokens: 60, hook: WORKERS }, values: [2, 4] },
    fan_in: {
      base: { max_tokens: 40, keep_recent: 2, hook: WORKERS },
      values: [2, 9],
      script: [1, 2, 3, 4, 5].flatMap(() => TALK),
    },
    ...told({ max_tokens: 60, keep_recent: 2 }),
  },
};

const COMPRESSING = { compress_context: true, context_window: 100, hook: WORKERS };
const COMPRESSED = [...turns(5), read, summarizeAll("A short text.")];
const UNIFIED = { unified: true, short_term_limit: 1 };
const PERSONAL = [
  say(Role.USER, "My name is Anna."),
  say(Role.USER, "I live in Oslo."),
  say(Role.USER, "My wife is called Berta."),
  ...TALK,
];

const selectools: Scenes = {
  max_messages: { values: [2, 5] },
  max_tokens: { values: [30, 60] },
  summarize_on_trim: { base: { max_messages: 2, hook: WORKERS }, values: [false, true] },
  summarize_max_tokens: {
    base: { max_messages: 2, summarize_on_trim: true, hook: WORKERS },
    values: [100, 200],
  },
  compress_context: {
    base: { context_window: 100, hook: WORKERS },
    values: [false, true],
    script: COMPRESSED,
  },
  compress_threshold: {
    base: { ...COMPRESSING, context_window: 200 },
    values: [0.2, 1],
    script: COMPRESSED,
  },
  compress_keep_recent: { base: COMPRESSING, values: [1, 3], script: COMPRESSED },
  unified: { values: [false, true] },
  short_term_limit: { base: { unified: true }, values: [2, 5] },
  importance_threshold: { base: UNIFIED, values: [0.5, 0.95], script: PERSONAL },
  long_term_limit: { base: UNIFIED, values: [1, 9], script: PERSONAL },
  episodic_retention_days: {
    base: UNIFIED,
    values: [1, 9],
    script: [...TALK, wait(100 * HOUR_MS), ...TALK],
  },
  auto_promote: { base: UNIFIED, values: [false, true], script: PERSONAL },
  token_estimate: { values: ["floor_4", "prompt"] },
  context_window: {
    base: { compress_context: true, hook: WORKERS },
    values: [100, 10_000],
    script: COMPRESSED,
  },
  // 8,192 tokens, and 128,000.
  model: {
    base: { compress_context: true, compress_threshold: 0.005, hook: WORKERS },
    values: ["gpt-4", "gpt-4o"],
    script: COMPRESSED,
  },
  hook: { base: { max_messages: 2, summarize_on_trim: true }, values: [WORKERS, "manual"] },
};

const SUMMARIZED = { summarize_at: 0.5, memory_window_tokens: 60, hook: WORKERS };

const lauren: Scenes = {
  max_tokens: { values: [30, 60] },
  memory_window_tokens: { base: { summarize_at: 0.5, hook: WORKERS }, values: [60, 9_000] },
  summarize_at: { base: { memory_window_tokens: 100, hook: WORKERS }, values: [0.2, 1] },
  keep_recent: { base: SUMMARIZED, values: [1, 4] },
  era: { base: { max_tokens: 20 }, values: ["A", "C"], script: [...TALK, useTool("a", 400)] },
  tool_turn_atomic: {
    base: { max_tokens: 90 },
    values: [false, true],
    script: [useTool("a", 40, { callText: "I look it up.".padEnd(40, ".") }), ...TALK],
  },
  guard_last_user: {
    base: { max_tokens: 20 },
    values: [false, true],
    script: [...TALK, say(Role.ASSISTANT, "a".repeat(200))],
  },
  heal: { values: [false, true], script: [turn("it"), useTool("a", null), ...TALK] },
  hook: {
    base: { summarize_at: 0.5, memory_window_tokens: 60, keep_recent: 2 },
    values: [WORKERS, "manual"],
  },
};

const definable: Scenes = {
  enabled: { base: { max_messages: 4, recent_count: 2, hook: WORKERS }, values: [false, true] },
  max_messages: { base: { recent_count: 2, hook: WORKERS }, values: [5, 20] },
  pin_count: { base: { max_messages: 6, recent_count: 2, hook: WORKERS }, values: [0, 3] },
  recent_count: { base: { max_messages: 6, pin_count: 0, hook: WORKERS }, values: [1, 4] },
  hook: { base: { max_messages: 4, recent_count: 2 }, values: [WORKERS, "manual"] },
};

const GAPS = {
  ...{ cache_invalidation_events: [], target_total_tokens: 40 },
  ...{ min_retrieval_gap_steps: 1_000, min_retrieval_gap_tokens: 1_000_000 },
};
const READ_TWICE = [...turns(2), read, ...turns(3)];

/** Options of a ManagedMemoryConfig. */
const MANAGED: Scenes = {
  max_total_tokens_trigger: { base: GAPS, values: [60, 9_000] },
  target_total_tokens: { values: [40, 80] },
  image_token_estimate: { values: [1, 800], script: [showPicture()] },
  min_retrieval_gap_steps: { base: GAPS, values: [1, 1_000], script: READ_TWICE },
  min_retrieval_gap_tokens: { base: GAPS, values: [1, 1_000_000], script: READ_TWICE },
  trigger_events: {
    base: { ...GAPS, min_retrieval_gap_steps: 1 },
    values: [[], ["get_messages"]],
    script: READ_TWICE,
  },
  cache_invalidation_events: { base: GAPS, values: [["add"], []], script: READ_TWICE },
  enable_headroom_percent: { base: { target_total_tokens: 80 }, values: [0, 0.6] },
};

const RESULTS = [useTool("a", 800), useTool("b", 800), ...turns(4)];
const COMPACTED = [...RESULTS, runPolicy, summarizeAll("A short text."), read];
const TRUNCATING = { processor_order: ["tool_truncation"] };
const SUMMARIZING = { processor_order: ["summarization"] };
const PACKING = { processor_order: ["backward_packing"] };

/** Options of compaction, with a threshold set. */
const PROCESSING: Scenes = {
  enabled: { base: PACKING, values: [false, true] },
  processor_order: { values: [["summarization"], ["backward_packing"]] },
  excluded_processors: { values: [[], ["summarization"]] },
  min_reduction_ratio: { base: { enabled: false }, values: [0.1, 0.8] },
  tool_truncation: {
    base: TRUNCATING,
    values: [{ enabled: false }, { max_tool_message_tokens: 20 }],
  },
  "tool_truncation.enabled": {
    base: { ...TRUNCATING, tool_truncation: { max_tool_message_tokens: 20 } },
    values: [false, true],
  },
  "tool_truncation.max_tool_message_tokens": { base: TRUNCATING, values: [20, 100] },
  "tool_truncation.grace_recent_messages": {
    base: { ...TRUNCATING, tool_truncation: { max_tool_message_tokens: 20 } },
    values: [1, 5],
  },
  "tool_truncation.append_marker": {
    base: { ...TRUNCATING, tool_truncation: { max_tool_message_tokens: 20 } },
    values: [" ~", " [cut]"],
  },
  summarization: { values: [{ enabled: false }, { enabled: true }] },
  "summarization.enabled": { values: [false, true] },
  "summarization.grace_recent_messages": { base: SUMMARIZING, values: [1, 3] },
  "summarization.output_max_tokens": { base: SUMMARIZING, values: [100, 200] },
  backward_packing: {
    base: PACKING,
    values: [{ grace_recent_messages: 1 }, { grace_recent_messages: 4 }],
  },
  "backward_packing.grace_recent_messages": { base: PACKING, values: [1, 4] },
  sliding_window: {
    base: { enabled: false },
    values: [{ headroom_percent: 0 }, { headroom_percent: 0.6 }],
  },
  "sliding_window.headroom_percent": { base: { enabled: false }, values: [0, 0.6] },
};

/** Scenes of options inside an object, from those of the same options outside. */
function inside(name: string, scenes: Scenes): Scenes {
  return Object.fromEntries(
    Object.entries(scenes).map(([key, { base = {}, ...scene }]) => [
      `${name}.${key}`,
      { ...scene, base: { [name]: base } },
    ]),
  );
}

/** Scenes with these options, and with this script where a scene has none. */
function beside(base: Options, script: readonly Step[], scenes: Scenes): Scenes {
  return Object.fromEntries(
    Object.entries(scenes).map(([key, scene]) => [
      key,
      { script, ...scene, base: { ...base, ...scene.base } },
    ]),
  );
}

const LATER = { threshold_tokens: 100, hook: WORKERS };

const marsys: Scenes = {
  // The packed reads have room for 90,000 tokens.
  memory_type: {
    values: ["conversation_history", "managed_conversation"],
    script: [1, 2, 3].map(() => say(Role.USER, "long ".repeat(32_000))),
  },
  memory_config: { values: [{ target_total_tokens: 40 }, { target_total_tokens: 80 }] },
  ...MANAGED,
  ...inside("memory_config", MANAGED),
  threshold_tokens: { base: PACKING, values: [100, 9_000], script: COMPACTED },
  compaction_target_tokens: { base: { enabled: false }, values: [60, 200], script: COMPACTED },
  active_context: {
    base: LATER,
    values: [{ mode: "sliding_window" }, { mode: "compaction" }],
    script: COMPACTED,
  },
  ...beside(LATER, COMPACTED, {
    ...PROCESSING,
    ...inside("active_context", {
      mode: { values: ["sliding_window", "compaction"] },
      ...PROCESSING,
    }),
  }),
  mode: { base: { target_total_tokens: 40 }, values: ["strict", "repack_always"] },
  hook: {
    base: { ...SUMMARIZING, threshold_tokens: 100 },
    values: [WORKERS, "manual"],
    script: COMPACTED,
  },
};

const SHORT = { memory_strategy_id: "max_tokens" };
const COUNTED = ["one", "two", "three"].map((about) => countedTurn(about));
const WITH_TOOL = [...COUNTED, useTool("a", 40, { tokenCount: 10 }), countedTurn("four")];
const ENDED = [...COUNTED, summarizeAll("A short text.")];

/** Options of a long-term strategy of either kind. */
function longTerm(id: string): Scenes {
  const strategy = { long_term_memory_id: id, hook: WORKERS };
  const acting = { ...strategy, interaction_threshold_qty: 1 };
  const never = { ...strategy, interaction_threshold_qty: -1, interaction_threshold_tokens: -1 };
  const failed = { toolOutcomes: [{ tool: "search", error: true }] };
  const ended = (end: Parameters<typeof countedTurn>[1]) => [...COUNTED, countedTurn("four", end)];
  return {
    long_term_memory_id: {
      base: { interaction_threshold_qty: 1, hook: WORKERS },
      values: ["summarizer", "neuralyzer"],
    },
    input_tokens_threshold: {
      base: never,
      values: [0, 50],
      script: ended({ modelInputTokens: 100n }),
    },
    interaction_keep: { base: acting, values: [0, 2] },
    interaction_conditions: {
      base: { ...strategy, interaction_threshold_qty: 2 },
      values: [[], ["message.content.contains('one')"]],
    },
    on_tools_success_threshold: {
      base: never,
      values: [[], ["search"]],
      script: [...WITH_TOOL],
    },
    on_tools_error_threshold: {
      base: never,
      values: [[], ["search"]],
      script: ended(failed),
    },
    interaction_threshold_qty: { base: never, values: [1, 9] },
    interaction_threshold_tokens: { base: never, values: [30, 900] },
  };
}

const KNOWING = {
  ...{ long_term_memory_id: "summarizer", interaction_threshold_qty: 1 },
  ...{ cod_max_loops: 1, hook: WORKERS },
};

const alquimia: Scenes = {
  memory_strategy_id: {
    values: [null, "max_tokens"],
    script: [1, 2, 3].map((about) => countedTurn(String(about), {}, 5_000)),
  },
  memory_max_tokens: { base: SHORT, values: [20, 40], script: COUNTED },
  conditions: { base: SHORT, values: [[], [CONDITION]], script: WITH_TOOL },
  condition_scope: {
    base: { ...SHORT, conditions: [CONDITION] },
    values: ["interaction_all", "message"],
    script: WITH_TOOL,
  },
  ...Object.fromEntries(
    ["summarizer", "neuralyzer"].flatMap((id) =>
      Object.entries(beside({}, ENDED, longTerm(id))).map(([key, scene]) => [
        `${id}/${key}`,
        scene,
      ]),
    ),
  ),
  cod_max_loops: {
    base: { long_term_memory_id: "summarizer", interaction_threshold_qty: 1, hook: WORKERS },
    values: [1, 3],
    script: ENDED,
  },
  knowledge_base: {
    base: KNOWING,
    values: [{ collection_id: "notes" }, { collection_id: "other" }],
    script: ENDED,
  },
  "knowledge_base.collection_id": {
    base: { ...KNOWING, knowledge_base: {} },
    values: ["notes", "other"],
    script: ENDED,
  },
  instructions: { base: KNOWING, values: ["Dates.", "Names."], script: ENDED },
  short_term_memory: {
    values: [[], [{ ...SHORT, memory_max_tokens: 20 }]],
    script: COUNTED,
  },
  long_term_memory: {
    values: [[], [{ long_term_memory_id: "neuralyzer", interaction_threshold_qty: 1 }]],
    script: COUNTED,
  },
  hook: {
    base: { long_term_memory_id: "summarizer", interaction_threshold_qty: 1 },
    values: [WORKERS, "manual"],
    script: ENDED,
  },
};

const SCENES: Readonly<Record<string, Scenes>> = {
  ...GENERAL,
  ...{ alquimia, definable, lauren, marsys, selectools },
};

/** Scene of an option; undefined where there is none. */
export function sceneOf(
  preset: string,
  { name, group }: { readonly name: string; readonly group: string },
): OptionScene | undefined {
  const own = SCENES[preset] ?? {};
  const scene = own[`${group}/${name}`] ?? own[name] ?? OF_ALL[name];
  return scene === undefined ? undefined : { script: TALK, ...scene };
}

/** Options without the one at a path. */
export function withoutOption(options: Options, path: string): Options {
  const [name = "", ...rest] = path.split(".");
  const { [name]: value, ...others } = options;
  if (rest.length === 0 || value === undefined) return others;
  return { ...others, [name]: withoutOption(value as Options, rest.join(".")) };
}

/** Options with the one at a path set. */
export function withOption(options: Options, path: string, value: unknown): Options {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...options, [name]: value };
  const inner = (options[name] ?? {}) as Options;
  return { ...options, [name]: withOption(inner, rest.join("."), value) };
}
