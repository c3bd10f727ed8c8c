// The profile of definable: a memory that keeps the first and the newest messages and puts a
// summary in the place of those between.

import { DEFAULT_PROTECTIONS } from "../policy.ts";
import { flag, integer } from "./option-kinds.ts";
import { aside, describeOptions } from "./options.ts";
import { definePreset, RANGES, stageOf } from "./preset.ts";
import { HOOK, specOf } from "./summary-options.ts";

const PIN_COUNT = integer(RANGES.messages, 2, "How many of the first messages stay.");
const recentCount = (initial: number) =>
  integer(RANGES.someMessages, initial, "How many of the newest messages stay.");

const MEMORY = {
  store: aside(null, "Where the source keeps its entries."),
  model: aside(null, "The model that summarizes; here the hook has it."),
  enabled: flag(true, "Whether anything is summarized."),
  max_messages: integer(RANGES.messages, 100, "How many messages are not too many."),
  pin_count: PIN_COUNT,
  recent_count: recentCount(5),
  description: aside(null, "A text for the layer guide of an agent."),
};

/** What the strategy has for itself where nobody passes the numbers of the memory. */
const STRATEGY = { pin_count: PIN_COUNT, recent_count: recentCount(3) };

const ENTRY = {
  user_id: aside("default", "The user of an entry; here `Session.user_id`."),
  role: aside("user", "The role of an entry; here `Message.role`."),
  content: aside("", "The content of an entry; here `Message.text`."),
  message_data: aside(null, "Tool calls of an entry; here they are fields of `Message`."),
};

const ADD = {
  session_id: aside("default", "The session that a message is added to; here it is required."),
  user_id: ENTRY.user_id,
};

const OURS = { hook: HOOK };

/** The profile of definable. */
export const definable = definePreset({
  name: "definable",
  description:
    "As definable: when there are too many messages, a summary takes the place of those between " +
    "the first and the newest; when none can be made, a text that says how many there were.",
  table: { ...ENTRY, ...ADD, ...MEMORY, ...OURS },
  options: [
    ...describeOptions(MEMORY, "memory"),
    ...describeOptions(STRATEGY, "strategy_alone"),
    ...describeOptions(ENTRY, "entry"),
    ...describeOptions(ADD, "add_defaults"),
    ...describeOptions(OURS),
  ],
  build: ({ values: { enabled, max_messages, pin_count, recent_count, hook } }) => ({
    tokenRule: "chars-sum-4",
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
