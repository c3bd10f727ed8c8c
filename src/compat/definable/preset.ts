// The profile of definable: a memory that keeps the first and the newest messages and puts a
// summary in the place of those between.

import { flag, integer } from "../../window/policy/option-kinds.ts";
import { describeOptions } from "../../window/policy/options.ts";
import { DEFAULT_PROTECTIONS } from "../../window/policy/policy.ts";
import { definePreset, RANGES, stageOf } from "../../window/policy/preset-kind.ts";
import { HOOK, specOf } from "../../window/policy/summary-options.ts";

const MEMORY = {
  enabled: flag(true, "Turns summaries on."),
  max_messages: integer(
    RANGES.messages,
    100,
    "Number of messages above which a summary replaces some.",
  ),
  pin_count: integer(RANGES.messages, 2, "Number of the first messages that stay."),
  recent_count: integer(RANGES.someMessages, 5, "Number of the newest messages that stay."),
};

const OURS = { hook: HOOK };

/** The profile of definable. */
export const definable = definePreset({
  name: "definable",
  description:
    "As definable: when there are too many messages, a summary takes the place of those between " +
    "the first and the newest; when none can be made, a text that says how many there were.",
  table: { ...MEMORY, ...OURS },
  options: [...describeOptions(MEMORY, "Memory"), ...describeOptions(OURS)],
  build: ({ values: { enabled, max_messages, pin_count, recent_count, hook } }) => ({
    tokenRule: "chars-sum-4",
    countStoredOnly: true,
    imageTokenCount: 0,
    protections: { ...DEFAULT_PROTECTIONS, system: "none", minMessages: 0, lastUser: false },
    toolPairing: "loose",
    stages: enabled
      ? [
          stageOf("middle", {
            anyOf: [{ kind: "message-count-over", limit: max_messages }],
            unit: "message",
            select: {
              kind: "pin-middle-recent",
              pinFirst: pin_count,
              keepRecent: recent_count,
              // The source only takes a summary that makes the list shorter.
              minRemoved: 2,
            },
            boundary: { rule: "absorb-and-grow", always: false },
            removedTo: "summarize",
            summarize: specOf({ hook, onFailure: "placeholder" }),
          }),
        ]
      : [],
  }),
});
