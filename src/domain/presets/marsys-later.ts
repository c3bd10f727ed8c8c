// What the later releases of MARSYS do to a conversation that grew too large: they shorten tool
// results, summarize and pack, when they are asked to compact.

import { LIMITS } from "../limits.ts";
import type { PolicyStage } from "../policy.ts";
import { choice, choices, flag, fraction, group, integer } from "./option-kinds.ts";
import { aside, type OptionReading, type OptionValues } from "./options.ts";
import { RANGES, stageOf } from "./preset.ts";

const PROCESSORS = ["tool_truncation", "summarization", "backward_packing"] as const;

const GRACE = integer(RANGES.someMessages, 1, "How many of the newest rounds are left alone.");

const TOOL_TRUNCATION = {
  enabled: flag(true, "Whether old tool results are shortened."),
  max_tool_message_tokens: integer(
    { min: LIMITS.shortenTokensMin, max: LIMITS.shortenTokensMax },
    1_200,
    "What an old tool result may cost.",
  ),
  grace: GRACE,
  marker: aside(" [truncated]", "What stands where something was cut; ours is fixed."),
  include_tool_payload_user_messages: aside(true, "Whether user messages may be results."),
};

const SUMMARIZATION = {
  enabled: flag(true, "Whether what does not fit waits for a summary."),
  grace: aside(1, "How many rounds a summary leaves."),
  output_max_tokens: aside(6_000, "The most tokens of a summary."),
  include_original_instruction: aside(true, "What the summarizer is told."),
  include_image_payload_bytes: aside(false, "What the summarizer is shown."),
  max_retained_images: aside(null, "How many images stay."),
};

const ACTIVE_CONTEXT = {
  enabled: flag(true, "Whether anything is compacted."),
  mode: choice(
    ["compaction", "sliding_window"],
    "compaction",
    "Whether the stored window is compacted on request or every read packed.",
  ),
  processor_order: choices(PROCESSORS, PROCESSORS, "What compaction does."),
  excluded_processors: choices(PROCESSORS, [], "What compaction leaves out."),
  min_reduction_ratio: fraction(
    { min: 0, max: 1, belowMax: true },
    0.4,
    "The share of the threshold that compaction frees.",
  ),
  tool_truncation: group(TOOL_TRUNCATION, "How tool results are shortened."),
  summarization: group(SUMMARIZATION, "How old messages are summarized."),
  backward_packing: group({ grace: aside(1, "How many rounds always fit.") }, "How to pack."),
  sliding_window: group(
    { headroom_percent: fraction(RANGES.headroom, 0.1, "The share left free.") },
    "How every read is packed.",
  ),
};

/** The options of the later releases. */
export const LATER = {
  threshold_tokens: integer(RANGES.tokens, 150_000, "What makes the window too large."),
  active_context: group(ACTIVE_CONTEXT, "How a window that is too large is compacted."),
};

/** What the later releases are told. */
export type LaterValues = OptionValues<typeof LATER>;

// Rounds have no fixed size; most are a call, its results and what is said about them.
const MESSAGES_PER_ROUND = 4;

/** The stages of the later releases. */
export function laterStages({ threshold_tokens, active_context }: LaterValues) {
  const context = active_context?.values;
  if (context?.enabled === false) return [];
  if (context?.mode === "sliding_window") return [slidingWindow(threshold_tokens, context)];
  return compaction(threshold_tokens, context);
}

type Context = OptionReading<typeof ACTIVE_CONTEXT>["values"];

function slidingWindow(threshold: number, { sliding_window }: Context): PolicyStage {
  const headroom = sliding_window?.values.headroom_percent ?? 0.1;
  return stageOf("sliding_window", {
    on: "read",
    unit: "message",
    select: { kind: "pack-newest", maxTokens: threshold, headroom, skipUnfit: false },
    effect: "view",
  });
}

function compaction(threshold: number, context: Context | undefined): readonly PolicyStage[] {
  const order = context?.processor_order ?? PROCESSORS;
  const runs = (processor: (typeof PROCESSORS)[number]): boolean =>
    order.includes(processor) && context?.excluded_processors.includes(processor) !== true;
  const anyOf = [{ kind: "token-count-over", limit: threshold }] as const;
  const stages: PolicyStage[] = [];
  const truncation = context?.tool_truncation?.values;
  if (runs("tool_truncation") && truncation?.enabled !== false) {
    stages.push(
      stageOf("tool_truncation", {
        on: "read",
        anyOf,
        unit: "message",
        select: {
          kind: "shorten",
          maxTokens: truncation?.max_tool_message_tokens ?? 1_200,
          allRoles: false,
          keepNewest: Math.min(
            (truncation?.grace ?? 1) * MESSAGES_PER_ROUND,
            LIMITS.windowMessages,
          ),
        },
        effect: "view",
      }),
    );
  }
  const summarizes = runs("summarization") && context?.summarization?.values.enabled !== false;
  if (!summarizes && !runs("backward_packing")) return stages;
  const ratio = context?.min_reduction_ratio ?? 0.4;
  const maxTokens = Math.floor(threshold * (1 - ratio));
  stages.push(
    stageOf(summarizes ? "summarization" : "backward_packing", {
      on: "request",
      anyOf,
      unit: "message",
      select: { kind: "pack-newest", maxTokens, headroom: 0, skipUnfit: true },
      removedTo: summarizes ? "summarize" : "log",
    }),
  );
  return stages;
}
