// Presets that trim by size or by age.

import { LIMITS } from "../../kit/limits.ts";
import { COUNTING_OPTIONS, countedBy } from "./counting-options.ts";
import { flag, fraction, integer } from "./option-kinds.ts";
import { type OptionFault, optional, required } from "./options.ts";
import type { PolicyStage } from "./policy.ts";
import { definePreset, dropOldest, type Preset, RANGES, stageOf } from "./preset-kind.ts";

const DEFAULT_MAX_TOKENS = 8_000;
const MS_PER_SECOND = 1_000;

const MAX_TOKENS = integer(RANGES.tokens, DEFAULT_MAX_TOKENS, "Maximum tokens of the window.");

/**
 * The stages that hold a budget: when the window costs more than `trigger`, whole turns go,
 * the oldest first, until it costs at most `target`; inside one that is larger, assistant turns.
 */
export function budgetStages(
  trigger: number,
  target = trigger,
  how: Partial<PolicyStage> = {},
): readonly PolicyStage[] {
  const parts = {
    anyOf: [{ kind: "token-count-over", limit: trigger }],
    select: dropOldest({ maxTokens: target }),
    ...how,
  } as const;
  return [
    stageOf("turns", { ...parts, unit: "turn" }),
    stageOf("assistant_turns", { ...parts, unit: "assistant-turn" }),
  ];
}

const slidingWindow = definePreset({
  name: "sliding_window",
  description:
    "Keeps the newest messages. The oldest go one by one, tool calls together with their results.",
  table: {
    max_messages: integer(RANGES.someMessages, 50, "Maximum number of messages to keep."),
    ...COUNTING_OPTIONS,
  },
  build: ({ values }) => ({
    ...countedBy(values),
    stages: [
      stageOf("window", {
        anyOf: [{ kind: "message-count-over", limit: values.max_messages }],
        unit: "message",
        select: dropOldest({ maxMessages: values.max_messages }),
      }),
    ],
  }),
});

const tokenBudget = definePreset({
  name: "token_budget",
  description:
    "Keeps the window within a token budget. Whole turns go, the oldest first; inside " +
    "one that is larger than the budget, assistant turns.",
  table: {
    max_tokens: MAX_TOKENS,
    headroom: fraction(
      RANGES.headroom,
      0,
      "Share of the budget that a trim leaves free, so that the next one comes later.",
    ),
    ...COUNTING_OPTIONS,
  },
  build: ({ values: { max_tokens, headroom, ...how } }) => ({
    ...countedBy(how),
    stages: budgetStages(max_tokens, Math.floor(max_tokens * (1 - headroom))),
  }),
});

const managed = definePreset({
  name: "managed",
  description:
    "Lets the window grow up to a trigger, then packs it down to a target at once, so that the " +
    "prompt begins the same way for a long time.",
  table: {
    trigger_tokens: integer(
      RANGES.tokens,
      12_000,
      "Token count above which the window is trimmed.",
    ),
    target_tokens: integer(
      RANGES.tokens,
      DEFAULT_MAX_TOKENS,
      "Token count that a trim leaves, before the headroom. At most trigger_tokens.",
    ),
    headroom: fraction(RANGES.headroom, 0, "Share of the target left free."),
    ...COUNTING_OPTIONS,
  },
  check: ({ values: { trigger_tokens, target_tokens } }) =>
    target_tokens <= trigger_tokens
      ? []
      : [together("target_tokens", "must be at most trigger_tokens", trigger_tokens)],
  build: ({ values: { trigger_tokens, target_tokens, headroom, ...how } }) => ({
    ...countedBy(how),
    stages: [
      stageOf("pack", {
        anyOf: [{ kind: "token-count-over", limit: trigger_tokens }],
        select: { kind: "pack-newest", maxTokens: target_tokens, headroom, skipUnfit: false },
      }),
      stageOf("assistant_turns", {
        anyOf: [{ kind: "token-count-over", limit: trigger_tokens }],
        unit: "assistant-turn",
        select: dropOldest({ maxTokens: Math.floor(target_tokens * (1 - headroom)) }),
      }),
    ],
  }),
});

const turns = definePreset({
  name: "turns",
  description: "Keeps the newest turns: user messages, each with everything up to the next one.",
  table: {
    max_turns: integer(RANGES.someMessages, 20, "Number of turns to keep."),
    max_tokens: optional(
      integer(RANGES.tokens, 0, "Maximum tokens of the window. Null: no limit."),
    ),
    ...COUNTING_OPTIONS,
  },
  build: ({ values: { max_turns, max_tokens, ...how } }) => ({
    ...countedBy(how),
    stages: [
      stageOf("newest", {
        anyOf: [{ kind: "turn-count-over", limit: max_turns }],
        select: { kind: "keep-last", unitCount: max_turns },
      }),
      ...(max_tokens === undefined ? [] : budgetStages(max_tokens)),
    ],
  }),
});

const forgetOld = definePreset({
  name: "forget_old",
  description:
    "Removes turns from the window when they are too old, by the time of the newest " +
    "message of the session.",
  table: {
    max_age_seconds: required(
      integer(
        { min: 1, max: LIMITS.ttlMsMax / MS_PER_SECOND },
        1,
        "Maximum age of a turn relative to the newest message.",
      ),
    ),
    erase: flag(false, "Also erases expired messages from the log, permanently."),
    ...COUNTING_OPTIONS,
  },
  build: ({ values: { max_age_seconds, erase, ...how } }) => ({
    ...countedBy(how),
    stages: [
      stageOf("age", {
        select: dropOldest({ maxAgeMs: max_age_seconds * MS_PER_SECOND }),
        removedTo: erase ? "discard" : "log",
      }),
    ],
  }),
});

const toolResultsFirst = definePreset({
  name: "tool_results_first",
  description:
    "Keeps the window within a token budget. Old tool results are shortened before anything " +
    "is removed.",
  table: {
    max_tokens: MAX_TOKENS,
    tool_result_tokens: integer(
      { min: LIMITS.shortenTokensMin, max: LIMITS.shortenTokensMax },
      400,
      "Maximum tokens of an old tool result.",
    ),
    keep_newest: integer(RANGES.messages, 4, "Number of the newest messages that stay unchanged."),
    ...COUNTING_OPTIONS,
  },
  build: ({ values: { max_tokens, tool_result_tokens, keep_newest, ...how } }) => ({
    ...countedBy(how),
    stages: [
      stageOf("tool-results", {
        anyOf: [{ kind: "token-count-over", limit: max_tokens }],
        unit: "message",
        select: {
          kind: "shorten",
          maxTokens: tool_result_tokens,
          allRoles: false,
          keepNewest: keep_newest,
        },
        effect: "view",
      }),
      ...budgetStages(max_tokens),
    ],
  }),
});

const semanticPruning = definePreset({
  name: "semantic_pruning",
  description:
    "Omits from reads the messages that a newer one repeats, and keeps the window " +
    "within a token budget.",
  table: {
    max_tokens: MAX_TOKENS,
    similarity: fraction(
      { min: 0.5, max: 1 },
      0.9,
      "Similarity from which two texts are duplicates; 1 means equal except for case and white space.",
    ),
    lookahead: integer(
      { min: 1, max: LIMITS.duplicateLookahead },
      50,
      "Number of newer messages of its role with which a message is compared.",
    ),
    ...COUNTING_OPTIONS,
  },
  build: ({ values: { max_tokens, similarity, lookahead, ...how } }) => ({
    ...countedBy(how),
    stages: [
      ...budgetStages(max_tokens),
      stageOf("duplicates", {
        on: "read",
        unit: "message",
        select: { kind: "drop-duplicates", similarity, lookahead },
        effect: "view",
      }),
    ],
  }),
});

/** Names an option that does not go together with another. */
export function together(field: string, problem: string, limit?: number): OptionFault {
  const description = `${field} ${problem}`;
  return { field, description, ...(limit === undefined ? {} : { limit }) };
}

/** The presets that trim by size or by age. */
export const GENERAL_PRESETS: readonly Preset[] = [
  slidingWindow,
  tokenBudget,
  managed,
  turns,
  forgetOld,
  toolResultsFirst,
  semanticPruning,
];
