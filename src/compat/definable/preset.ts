// The profile of definable: a memory that keeps the first and the newest messages and puts a
// summary in the place of those between.

import { DEFAULT_PROTECTIONS } from "../policy.ts";
import { flag, integer } from "./option-kinds.ts";
import { describeOptions } from "./options.ts";
import { definePreset, RANGES, stageOf } from "./preset.ts";
import { HOOK, specOf } from "./summary-options.ts";

const MEMORY = {
  enabled: flag(true, "Whether anything is summarized."),
  max_messages: integer(RANGES.messages, 100, "How many messages are not too many."),
  pin_count: integer(RANGES.messages, 2, "How many of the first messages stay."),
  recent_count: integer(RANGES.someMessages, 5, "How many of the newest messages stay."),
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
