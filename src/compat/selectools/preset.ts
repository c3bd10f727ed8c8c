// The profile of selectools: a conversation memory that keeps the newest messages within a count
// and a token limit after every append, and may summarize what it trims; and a compressor of what
// goes to the model.

import { LIMITS } from "../../kit/limits.ts";
import { together } from "../../window/policy/general.ts";
import { modelContextWindow } from "../../window/policy/models.ts";
import { choice, flag, fraction, integer, text } from "../../window/policy/option-kinds.ts";
import {
  describeOptions,
  type OptionFault,
  type OptionReading,
  optional,
} from "../../window/policy/options.ts";
import {
  type CustomTokenRule,
  DEFAULT_PROTECTIONS,
  type PolicyStage,
} from "../../window/policy/policy.ts";
import {
  definePreset,
  dropOldest,
  type PolicyParts,
  RANGES,
  stageOf,
} from "../../window/policy/preset-kind.ts";
import { HOOK, SUMMARY_TOKENS, specOf } from "../../window/policy/summary-options.ts";
import { UNIFIED, UNIFIED_NEEDS, unifiedMemoryPolicy } from "./unified-preset.ts";

const MEMORY = {
  max_messages: integer(RANGES.someMessages, 20, "Maximum number of messages to keep."),
  max_tokens: optional(
    integer(RANGES.someTokens, 1, "Maximum number of tokens to keep. Null: no limit."),
  ),
};

const AGENT = {
  summarize_on_trim: flag(
    false,
    "Summarizes trimmed messages. They leave the window at once either way.",
  ),
  summarize_max_tokens: integer(SUMMARY_TOKENS, 150, "Target length of a summary, in tokens."),
  compress_context: flag(
    false,
    "Summarizes old messages when a read fills too much of the context window. The summary " +
      "stays in the window from then on; the log keeps all messages.",
  ),
  compress_threshold: fraction(
    RANGES.share,
    0.75,
    "Share of the context window above which a read is summarized.",
  ),
  compress_keep_recent: integer(
    { min: 1, max: LIMITS.windowMessages / 2 },
    4,
    "Number of the newest turns that stay, each of two messages.",
  ),
};

const OURS = {
  token_estimate: optional(
    choice(
      ["floor_4", "floor_4_min_1", "prompt"],
      "floor_4",
      "Token rule; not an option of selectools. floor_4: one token per 4 characters. " +
        "floor_4_min_1: at least 1. prompt: 4 more per message, as its compressor counts. " +
        "Null: prompt with compress_context and without max_tokens, floor_4 otherwise.",
    ),
  ),
  context_window: integer(RANGES.tokens, 0, "Context window in tokens. 0: that of model."),
  model: text(LIMITS.modelBytes, "", "Model that receives the window."),
  hook: HOOK,
};

const TABLE = { ...MEMORY, ...AGENT, ...UNIFIED, ...OURS };
type Reading = OptionReading<typeof TABLE>;
type Values = Reading["values"];

/** The compressor's token rule: the text, 1 at least, and 4 for the message. */
const PROMPT_RULE: CustomTokenRule = {
  charsPerToken: 4,
  rounding: "down",
  perMessage: 4,
  perCall: 0,
  min: 5,
  contentOnly: true,
};

const COMPRESSED_MAX_TOKENS = 300;
const MESSAGES_PER_TURN = 2;

function countedAs({ token_estimate, compress_context, max_tokens }: Values) {
  const plain = compress_context && max_tokens === undefined ? "prompt" : "floor_4";
  switch (token_estimate ?? plain) {
    case "prompt":
      return { tokenRule: "custom", customTokenRule: PROMPT_RULE } as const;
    case "floor_4_min_1":
      return { tokenRule: "chars-floor-4-min-1" } as const;
    default:
      return { tokenRule: "chars-floor-4" } as const;
  }
}

function enforceLimits(values: Values): PolicyStage {
  const { max_messages, max_tokens, summarize_max_tokens, hook } = values;
  return stageOf("enforce_limits", {
    unit: "message",
    select: dropOldest({
      maxMessages: max_messages,
      ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
    }),
    boundary: { rule: "pop-tool-head", always: true },
    ...(values.summarize_on_trim
      ? {
          removedTo: "summarize",
          summarize: specOf({
            hook,
            maxTokens: summarize_max_tokens,
            keep: "append",
            lastCharsExact: true,
            leave: "at-once",
            onFailure: "drop",
            transcript: "capitals",
          }),
        }
      : {}),
  });
}

/** The system compresses its model input anew each time; here the summary stays. */
function compress(values: Values): PolicyStage {
  return stageOf("compress", {
    on: "read",
    anyOf: [{ kind: "context-share-at-least", share: values.compress_threshold }],
    unit: "message",
    select: {
      kind: "pin-middle-recent",
      pinFirst: 0,
      keepRecent: MESSAGES_PER_TURN * values.compress_keep_recent,
      minRemoved: 2,
    },
    boundary: { rule: "grow-recent", always: false },
    effect: "store",
    removedTo: "summarize",
    summarize: specOf({
      hook: values.hook,
      maxTokens: COMPRESSED_MAX_TOKENS,
      prefix: "[Compressed context] ",
      transcript: "capitals",
    }),
  });
}

function build(values: Values): PolicyParts {
  const { model, context_window, compress_context } = values;
  return {
    ...countedAs(values),
    countStoredOnly: true,
    imageTokenCount: 0,
    model,
    contextWindow: context_window || modelContextWindow(model),
    protections: {
      ...DEFAULT_PROTECTIONS,
      // The compressor leaves system messages alone; the memory does not.
      system: compress_context ? "all" : "none",
      lastUser: false,
    },
    toolPairing: "loose",
    summaryView: { show: "system-first", prefix: "[Conversation Summary] " },
    stages: [enforceLimits(values), ...(compress_context ? [compress(values)] : [])],
  };
}

function check({ values, given }: Reading): readonly OptionFault[] {
  const { compress_context, context_window, model, unified } = values;
  const isKnown = !compress_context || context_window > 0 || modelContextWindow(model) > 0;
  return [
    ...(isKnown
      ? []
      : [together("compress_context", "needs context_window, or a model whose window is known")]),
    ...(unified && given.has("max_messages")
      ? [together("max_messages", "must be left out with unified; short_term_limit says it")]
      : []),
  ];
}

/** The profile of selectools. */
export const selectools = definePreset({
  name: "selectools",
  description:
    "As selectools: the oldest messages go, whatever they are, until count and tokens hold; " +
    "then tool calls and tool results at the head. They may be summarized.",
  table: TABLE,
  options: [
    ...describeOptions(MEMORY, "ConversationMemory"),
    ...describeOptions(AGENT, "AgentConfig"),
    ...describeOptions(UNIFIED, "MemoryConfig"),
    ...describeOptions(OURS),
  ],
  needs: {
    ...UNIFIED_NEEDS,
    summarize_max_tokens: "summarize_on_trim",
    compress_threshold: "compress_context",
    compress_keep_recent: "compress_context",
  },
  check,
  build: ({ values }) =>
    build(values.unified ? { ...values, max_messages: values.short_term_limit } : values),
  memory: ({ values }) => (values.unified ? unifiedMemoryPolicy(values) : undefined),
});
