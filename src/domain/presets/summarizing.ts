// Presets that let a summary take the place of old messages. What they choose stays in the window
// until SetSummary brings the text.

import { LIMITS } from "../limits.ts";
import { modelContextWindow } from "../models.ts";
import type { Trigger } from "../policy.ts";
import { together } from "./general.ts";
import { fraction, integer, text } from "./option-kinds.ts";
import { optional } from "./options.ts";
import { definePreset, type Preset, RANGES, stageOf } from "./preset.ts";

// A summary of one message would save nothing.
const MIN_SUMMARIZED = 2;

const pinSummarizeRecent = definePreset({
  name: "pin_summarize_recent",
  description:
    "Keeps the first and the newest messages. When there are too many, those between wait for " +
    "a summary that replaces them.",
  table: {
    max_messages: integer(RANGES.someMessages, 50, "How many messages are not too many."),
    pin: integer(RANGES.messages, 2, "How many of the first messages stay."),
    recent: integer(RANGES.someMessages, 10, "How many of the newest messages stay."),
  },
  check: ({ values: { max_messages, pin, recent } }) =>
    pin + recent < max_messages
      ? []
      : [together("max_messages", "must be above pin and recent together", pin + recent + 1)],
  build: ({ values: { max_messages, pin, recent } }) => ({
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
      }),
    ],
  }),
});

const summarizeOld = definePreset({
  name: "summarize_old",
  description:
    "When the window costs too much, all but the newest messages wait for a summary that " +
    "replaces them.",
  table: {
    max_tokens: integer(
      RANGES.tokens,
      8_000,
      "What the window may cost. Not used together with context_share unless given.",
    ),
    context_share: optional(
      fraction(
        RANGES.share,
        1,
        "Which share of the context window is too much. Needs context_window, or a model whose " +
          "context window is known.",
      ),
    ),
    context_window: integer(RANGES.tokens, 0, "The context window in tokens. 0: that of model."),
    model: text(LIMITS.modelBytes, "", "The model that the window goes to."),
    keep_recent: integer(RANGES.someMessages, 10, "How many of the newest messages stay."),
  },
  check: ({ values: { context_share, context_window, model } }) =>
    context_share === undefined || context_window > 0 || modelContextWindow(model) > 0
      ? []
      : [together("context_share", "needs context_window, or a model whose window is known")],
  build: ({ values, given }) => {
    const { context_share, max_tokens, model } = values;
    const anyOf: Trigger[] = [];
    if (context_share === undefined || given.has("max_tokens")) {
      anyOf.push({ kind: "token-count-over", limit: max_tokens });
    }
    if (context_share !== undefined) {
      anyOf.push({ kind: "context-share-at-least", share: context_share });
    }
    return {
      model,
      contextWindow: values.context_window || modelContextWindow(model),
      stages: [
        stageOf("old", {
          anyOf,
          unit: "message",
          select: {
            kind: "pin-middle-recent",
            pinFirst: 0,
            keepRecent: values.keep_recent,
            minRemoved: MIN_SUMMARIZED,
          },
          boundary: { rule: "grow-recent", always: false },
          removedTo: "summarize",
        }),
      ],
    };
  },
});

/** The presets that let a summary take the place of old messages. */
export const SUMMARIZING_PRESETS: readonly Preset[] = [pinSummarizeRecent, summarizeOld];
