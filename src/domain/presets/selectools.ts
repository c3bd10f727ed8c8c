// The profile of selectools: a conversation memory that keeps the newest messages within a count
// and a token limit after every append.

import { DEFAULT_PROTECTIONS } from "../policy.ts";
import { choice, flag, integer } from "./option-kinds.ts";
import { aside, describeOptions, optional } from "./options.ts";
import { definePreset, dropOldest, RANGES, stageOf } from "./preset.ts";

const MEMORY = {
  max_messages: integer(RANGES.someMessages, 20, "The most messages to keep."),
  max_tokens: optional(
    integer(RANGES.someTokens, 1, "The most tokens to keep. Null for no limit."),
  ),
};

const AGENT = {
  summarize_on_trim: flag(
    false,
    "Whether the caller summarizes what was trimmed. It is out of the window at once, either way.",
  ),
  summarize_provider: aside(null, "Who summarizes."),
  summarize_model: aside(null, "The model that summarizes."),
  summarize_max_tokens: integer(
    RANGES.someTokens,
    150,
    "The most tokens of a summary. The window does not depend on it.",
  ),
};

const OURS = {
  token_estimate: choice(
    ["floor_4", "floor_4_min_1"],
    "floor_4",
    "Not of selectools: whether texts below 4 characters cost nothing or 1 token.",
  ),
};

/** The profile of selectools. */
export const selectools = definePreset({
  name: "selectools",
  description:
    "As selectools: the oldest messages go, whatever they are, until count and tokens hold; " +
    "then tool calls and tool results at the head.",
  table: { ...MEMORY, ...AGENT, ...OURS },
  options: [
    ...describeOptions(MEMORY, "ConversationMemory"),
    ...describeOptions(AGENT, "AgentConfig"),
    ...describeOptions(OURS),
  ],
  build: ({ values: { max_messages, max_tokens, token_estimate } }) => ({
    tokenRule: token_estimate === "floor_4" ? "chars-floor-4" : "chars-floor-4-min-1",
    imageTokenCount: 0,
    protections: { ...DEFAULT_PROTECTIONS, system: "none", lastUser: false },
    toolPairs: "loose",
    stages: [
      stageOf("enforce_limits", {
        unit: "message",
        select: dropOldest({
          maxMessages: max_messages,
          ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
        }),
        boundary: { rule: "pop-tool-head", always: true },
      }),
    ],
  }),
});
