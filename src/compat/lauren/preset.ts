// The profile of lauren-ai: a short-term memory that shows as much as fits a budget and keeps the
// rest, and a runner that may summarize what is old.

import { LIMITS } from "../limits.ts";
import { DEFAULT_PROTECTIONS, type PolicyStage } from "../policy.ts";
import { choice, flag, fraction, integer } from "./option-kinds.ts";
import { describeOptions, type OptionReading, optional } from "./options.ts";
import { definePreset, RANGES, stageOf } from "./preset.ts";
import { HOOK, specOf } from "./summary-options.ts";

const MEMORY = {
  max_tokens: integer(RANGES.tokens, 40_000, "The budget of what is read."),
};

const RUNNER = {
  memory_window_tokens: integer(
    RANGES.someTokens,
    40_000,
    "The size of the context window that summarize_at is a share of.",
  ),
  summarize_at: optional(
    fraction(RANGES.share, 1, "The share from which old messages are summarized. Null for never."),
  ),
  keep_recent: integer(RANGES.someMessages, 6, "How many messages a summary leaves."),
};

// The releases of the memory differ. The first of these options choose among them.
const OURS = {
  era: choice(
    ["A", "B", "C"],
    "B",
    "Not of lauren-ai: which release. A drops message by message, B by tool turns with a guard " +
      "and answers for open calls, C also cuts contents that are larger than the budget.",
  ),
  tool_turn_atomic: optional(
    flag(true, "Whether a tool call and its results go together. Null: yes but in era A."),
  ),
  guard_last_user: optional(
    flag(true, "Whether the newest question stays. Null: yes but in era A."),
  ),
  heal: optional(
    flag(
      true,
      "Whether calls that the conversation left behind are answered. Null: as tool_turn_atomic.",
    ),
  ),
  hook: HOOK,
};

// What the runner asks its model for.
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
  const { shortenTokensMin, shortenTokensMax } = LIMITS;
  const cut = stageOf("cut", {
    on: "read",
    anyOf: overBudget,
    unit: "message",
    select: {
      kind: "shorten",
      maxTokens: Math.min(Math.max(max_tokens, shortenTokensMin), shortenTokensMax),
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
      contextWindow: memory_window_tokens,
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
