// Presets that summarize old messages.

import { LIMITS } from "../../kit/limits.ts";
import { COUNTING_OPTIONS, countedBy } from "./counting-options.ts";
import { budgetStages, together } from "./general.ts";
import { modelContextWindow } from "./models.ts";
import { choice, fraction, integer } from "./option-kinds.ts";
import { optional } from "./options.ts";
import type { PolicyStage, Trigger } from "./policy.ts";
import { definePreset, dropOldest, type Preset, RANGES, stageOf } from "./preset-kind.ts";
import { ON_FAILURE, SUMMARY_OPTIONS, specOf, toldOf } from "./summary-options.ts";
import { DEFAULT_SUMMARY_SPEC } from "./summary-spec.ts";

// A summary of one message would save nothing.
const MIN_SUMMARIZED = 2;

// A summary that nobody gave a length takes at most this part of a budget: it leaves room for what
// it is joined to, or for the summaries of other levels.
const SUMMARY_PARTS = 8;
const HIERARCHY_PARTS = 16;

const MAX_TOKENS = integer(RANGES.tokens, 8_000, "Maximum tokens of a read, including summaries.");
const KEEP_RECENT = integer(RANGES.someMessages, 10, "Number of the newest messages that stay.");

const pinSummarizeRecent = definePreset({
  name: "pin_summarize_recent",
  description:
    "Keeps the first and the newest messages. When there are too many, a summary takes the place " +
    "of those between. They stay until it is there: meanwhile there may be more than max_messages.",
  table: {
    max_messages: integer(
      RANGES.someMessages,
      50,
      "Number of messages above which a summary replaces some.",
    ),
    pin: integer(RANGES.messages, 2, "Number of the first messages that stay."),
    recent: integer(RANGES.someMessages, 10, "Number of the newest messages that stay."),
    ...SUMMARY_OPTIONS,
    on_failure: ON_FAILURE,
    ...COUNTING_OPTIONS,
  },
  check: ({ values: { max_messages, pin, recent } }) =>
    pin + recent < max_messages
      ? []
      : [together("max_messages", "must be above pin and recent together", pin + recent + 1)],
  build: ({ values: { max_messages, pin, recent, on_failure, ...told } }) => ({
    ...countedBy(told),
    stages: [
      stageOf("middle", {
        anyOf: [{ kind: "message-count-over", limit: max_messages }],
        unit: "message",
        select: {
          kind: "pin-middle-recent",
          pinFirst: pin,
          keepRecent: recent,
          minRemoved: MIN_SUMMARIZED,
        },
        boundary: { rule: "absorb-and-grow", always: false },
        removedTo: "summarize",
        summarize: specOf({ ...toldOf(told), onFailure: on_failure }),
      }),
    ],
  }),
});

/** Has all but the newest messages summarized. */
function oldStage(
  anyOf: readonly Trigger[],
  keepRecent: number,
  spec: Parameters<typeof specOf>[0],
): PolicyStage {
  return stageOf("old", {
    anyOf,
    unit: "message",
    select: { kind: "pin-middle-recent", pinFirst: 0, keepRecent, minRemoved: MIN_SUMMARIZED },
    boundary: { rule: "grow-recent", always: false },
    removedTo: "summarize",
    summarize: specOf(spec),
  });
}

/**
 * The stages that hold a read within a budget while messages wait in the window for their summary.
 */
function heldWithin(maxTokens: number): readonly PolicyStage[] {
  return budgetStages(maxTokens, maxTokens, { on: "read", effect: "view" });
}

const summarizeOld = definePreset({
  name: "summarize_old",
  description:
    "When the window costs too much, a summary takes the place of all but the newest messages. " +
    "They stay until it is there; until then a read leaves out the oldest that do not fit.",
  table: {
    max_tokens: integer(
      RANGES.tokens,
      8_000,
      "Maximum tokens of a read. Not used together with context_share unless given.",
    ),
    context_share: optional(
      fraction(
        RANGES.share,
        1,
        "Share of the context window above which messages are summarized. Needs context_window, or " +
          "a model whose context window is known.",
      ),
    ),
    context_window: integer(RANGES.tokens, 0, "Context window in tokens. 0: that of model."),
    keep_recent: KEEP_RECENT,
    ...SUMMARY_OPTIONS,
    on_failure: ON_FAILURE,
    ...COUNTING_OPTIONS,
  },
  needs: { context_window: "context_share" },
  check: ({ values: { context_share, context_window, model } }) =>
    context_share === undefined || context_window > 0 || modelContextWindow(model) > 0
      ? []
      : [together("context_share", "needs context_window, or a model whose window is known")],
  build: ({ values, given }) => {
    const { context_share, max_tokens, model } = values;
    const contextWindow = values.context_window || modelContextWindow(model);
    const anyOf: Trigger[] = [];
    let limit = Number.POSITIVE_INFINITY;
    if (context_share === undefined || given.has("max_tokens")) {
      anyOf.push({ kind: "token-count-over", limit: max_tokens });
      limit = max_tokens;
    }
    if (context_share !== undefined) {
      anyOf.push({ kind: "context-share-at-least", share: context_share });
      limit = Math.min(limit, Math.floor(context_share * contextWindow));
    }
    return {
      ...countedBy(values),
      contextWindow,
      stages: [
        oldStage(anyOf, values.keep_recent, {
          ...toldOf(values, limit / SUMMARY_PARTS),
          onFailure: values.on_failure,
        }),
        ...heldWithin(limit),
      ],
    };
  },
});

const rollingSummary = definePreset({
  name: "rolling_summary",
  description:
    "Keeps the newest messages and the summary of the session within a token budget. Messages " +
    "that do not fit leave at once, and a summary of them joins that of the session. It takes a " +
    "quarter of the budget at most: its newest sentences are kept.",
  table: {
    max_tokens: MAX_TOKENS,
    headroom: fraction(
      RANGES.headroom,
      0.25,
      "Share of the budget that a trim leaves free, so that many messages become one summary.",
    ),
    ...SUMMARY_OPTIONS,
    last_chars: integer(
      { min: LIMITS.summaryLastCharsMin, max: LIMITS.summaryLastCharsMax },
      DEFAULT_SUMMARY_SPEC.lastChars,
      "Maximum characters of the summary, which keeps its newest whole sentences.",
    ),
    on_failure: choice(
      ["drop", "placeholder"],
      "drop",
      "Addition to the summary when none can be made. drop: nothing. placeholder: a fixed text.",
    ),
    ...COUNTING_OPTIONS,
  },
  build: ({ values }) => ({
    ...countedBy(values),
    stages: [
      stageOf("oldest", {
        anyOf: [{ kind: "token-count-over", limit: values.max_tokens }],
        unit: "message",
        select: dropOldest({ maxTokens: Math.floor(values.max_tokens * (1 - values.headroom)) }),
        removedTo: "summarize",
        summarize: specOf({
          ...toldOf(values, values.max_tokens / SUMMARY_PARTS),
          keep: "append",
          leave: "at-once",
          lastChars: values.last_chars,
          onFailure: values.on_failure,
        }),
      }),
    ],
  }),
});

const hierarchicalSummary = definePreset({
  name: "hierarchical_summary",
  description:
    "When the window costs too much, a summary takes the place of all but the newest messages; " +
    "when there are some of one level, they become one of the next.",
  table: {
    max_tokens: MAX_TOKENS,
    keep_recent: KEEP_RECENT,
    fan_in: integer(
      { min: LIMITS.summaryFanInMin, max: LIMITS.summaryFanInMax },
      DEFAULT_SUMMARY_SPEC.fanIn,
      "Number of summaries of one level that become one of the next.",
    ),
    ...SUMMARY_OPTIONS,
    on_failure: ON_FAILURE,
    ...COUNTING_OPTIONS,
  },
  build: ({ values }) => ({
    ...countedBy(values),
    stages: [
      oldStage([{ kind: "token-count-over", limit: values.max_tokens }], values.keep_recent, {
        ...toldOf(values, values.max_tokens / HIERARCHY_PARTS),
        keep: "hierarchical",
        fanIn: values.fan_in,
        onFailure: values.on_failure,
      }),
      ...heldWithin(values.max_tokens),
    ],
  }),
});

/** The presets that summarize old messages. */
export const SUMMARIZING_PRESETS: readonly Preset[] = [
  hierarchicalSummary,
  pinSummarizeRecent,
  rollingSummary,
  summarizeOld,
];
