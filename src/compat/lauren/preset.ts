// The profile of lauren-ai: a short-term memory that shows as much as fits a budget and keeps the
// rest, and a runner that may summarize what is old.

import { LIMITS } from "../../kit/limits.ts";
import { choice, flag, fraction, integer } from "../../window/policy/option-kinds.ts";
import { describeOptions, type OptionReading, optional } from "../../window/policy/options.ts";
import { DEFAULT_PROTECTIONS, type PolicyStage } from "../../window/policy/policy.ts";
import { definePreset, RANGES, stageOf } from "../../window/policy/preset-kind.ts";
import { HOOK, specOf } from "../../window/policy/summary-options.ts";

const MEMORY = {
  max_tokens: integer(RANGES.tokens, 40_000, "Token budget of a read."),
};

const RUNNER = {
  memory_window_tokens: integer(
    RANGES.someTokens,
    40_000,
    "Size of the context window, of which summarize_at is a share.",
  ),
  summarize_at: optional(
    fraction(
      RANGES.share,
      1,
      "Share of the context window above which old messages are summarized. Null: never.",
    ),
  ),
  keep_recent: integer(
    RANGES.someMessages,
    6,
    "Number of the newest messages that stay beside a summary.",
  ),
};

// The releases of the memory differ. The first of these options choose among them.
const OURS = {
  era: choice(
    ["A", "B", "C"],
    "B",
    "Release to follow; not an option of lauren-ai. A drops message by message, B by tool turns " +
      "with a guard and answers for open calls, C also cuts contents that exceed the budget.",
  ),
  tool_turn_atomic: optional(
    flag(true, "Keeps a tool call and its results together. Null: yes, except in era A."),
  ),
  guard_last_user: optional(flag(true, "Keeps the newest question. Null: yes, except in era A.")),
  heal: optional(
    flag(true, "Answers calls that the conversation left open. Null: as tool_turn_atomic."),
  ),
  hook: HOOK,
};

// Era C never cuts a content to less than 400 characters.
const CUT_TOKENS_MIN = 100;
// The length that the runner asks its model for.
const SUMMARY_MAX_TOKENS = 512;

const TABLE = { ...MEMORY, ...RUNNER, ...OURS };
type Reading = OptionReading<typeof TABLE>;

function stagesOf({ values }: Reading, isAtomic: boolean): readonly PolicyStage[] {
  const { max_tokens, era, summarize_at, keep_recent, hook } = values;
  const overBudget = [{ kind: "token-count-over", limit: max_tokens }] as const;
  const fitting = {
    anyOf: overBudget,
    unit: "message",
    select: {
      kind: "drop-oldest",
      maxTokens: max_tokens,
      stopAtProtected: true,
      // The releases with tool turns take a turn without text for the end of what can go.
      stopAtFree: isAtomic,
    },
  } as const;
  const fit = stageOf("fit", { ...fitting, on: "read", effect: "view" });
  // The same on what is stored: trim_to_fit of the memory.
  const trimToFit = stageOf("trim_to_fit", { ...fitting, on: "request" });
  const cut = stageOf("cut", {
    on: "read",
    anyOf: overBudget,
    unit: "message",
    select: {
      kind: "shorten",
      maxTokens: Math.min(Math.max(max_tokens, CUT_TOKENS_MIN), LIMITS.shortenTokensMax),
      allRoles: true,
      keepNewest: 0,
    },
    effect: "view",
  });
  const summarize = stageOf("summarize", {
    on: "turn-end",
    anyOf: [{ kind: "context-share-at-least", share: summarize_at ?? 1 }],
    unit: "message",
    select: { kind: "pin-middle-recent", pinFirst: 0, keepRecent: keep_recent, minRemoved: 1 },
    boundary: { rule: "grow-recent", always: false },
    removedTo: "summarize",
    summarize: specOf({
      hook,
      maxTokens: SUMMARY_MAX_TOKENS,
      keep: "replace",
      transcript: "paragraphs",
    }),
  });
  return [
    ...(summarize_at === undefined ? [] : [summarize]),
    fit,
    ...(era === "C" ? [cut] : []),
    trimToFit,
  ];
}

/** The profile of lauren-ai. */
export const lauren = definePreset({
  name: "lauren",
  description:
    "As lauren-ai: what is read fits a budget of characters; the oldest tool turns are left " +
    "out, never the system messages or the newest question, and nothing stored changes.",
  table: TABLE,
  options: [
    ...describeOptions(MEMORY, "ShortTermMemory"),
    ...describeOptions(RUNNER, "AgentConfig"),
    ...describeOptions(OURS),
  ],
  needs: { memory_window_tokens: "summarize_at", keep_recent: "summarize_at" },
  build: (reading) => {
    const { era, tool_turn_atomic, guard_last_user, heal, memory_window_tokens } = reading.values;
    const isAtomic = tool_turn_atomic ?? era !== "A";
    return {
      tokenRule: "chars-sum-4",
      countStoredOnly: true,
      imageTokenCount: 0,
      contextWindow: reading.values.summarize_at === undefined ? 0 : memory_window_tokens,
      protections: {
        ...DEFAULT_PROTECTIONS,
        minMessages: 0,
        lastUser: guard_last_user ?? era !== "A",
      },
      toolPairing: isAtomic ? "adjacent" : "loose",
      summaryView: { show: "system-suffix", prefix: "[Earlier conversation summary]\n" },
      toolResultFill:
        (heal ?? isAtomic) ? { rule: "moved-on", newestOnly: true, text: "" } : undefined,
      stages: stagesOf(reading, isAtomic),
    };
  },
});
