// What the later releases of MARSYS do to a conversation that grew too large: they shorten tool
// results, summarize and pack, when they are asked to compact.

import { LIMITS } from "../limits.ts";
import type { PolicyStage } from "../policy.ts";
import { choice, choices, flag, fraction, group, integer } from "./option-kinds.ts";
import { aside, type OptionValues, optional, readOptions } from "./options.ts";
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
  grace_recent_messages: GRACE,
  append_marker: aside(" [truncated]", "What stands where something was cut; ours is fixed."),
  include_tool_payload_user_messages: aside(true, "Whether user messages may be results."),
};

const DEFAULT_TRUNCATION = readOptions(TOOL_TRUNCATION, {}).values;

const SLIDING_WINDOW = {
  headroom_percent: fraction(RANGES.headroom, 0.1, "The share of the target left free."),
};

const SUMMARIZATION = {
  enabled: flag(true, "Whether what does not fit waits for a summary."),
  grace_recent_messages: aside(1, "How many rounds a summary leaves."),
  output_max_tokens: aside(6_000, "The most tokens of a summary."),
  include_original_instruction: aside(true, "What the summarizer is told."),
  include_image_payload_bytes: aside(false, "What the summarizer is shown."),
  max_retained_images: aside(null, "How many images stay."),
};

const PROCESSING = {
  enabled: flag(true, "Whether anything is compacted. Otherwise every read is packed."),
  processor_order: choices(PROCESSORS, PROCESSORS, "What compaction does."),
  excluded_processors: choices(PROCESSORS, [], "What compaction leaves out."),
  min_reduction_ratio: fraction(
    { min: 0, max: 1, belowMax: true },
    0.4,
    "The share of the threshold that compaction frees.",
  ),
  tool_truncation: group(TOOL_TRUNCATION, "How tool results are shortened."),
  summarization: group(SUMMARIZATION, "How old messages are summarized."),
  backward_packing: group(
    { grace_recent_messages: aside(1, "How many rounds always fit.") },
    "How to pack.",
  ),
  sliding_window: group(SLIDING_WINDOW, "How every read is packed."),
};

const MODES = ["compaction", "sliding_window"] as const;

const ACTIVE_CONTEXT = {
  mode: choice(
    MODES,
    "compaction",
    "Whether the stored window is compacted on request or every read packed.",
  ),
  ...PROCESSING,
};

/** The options of the later releases; those of active_context may also stand by themselves. */
export const LATER = {
  threshold_tokens: integer(RANGES.tokens, 150_000, "What makes the window too large."),
  compaction_target_tokens: optional(
    integer(
      RANGES.tokens,
      90_000,
      "What compaction and packing leave. Null: the threshold less min_reduction_ratio.",
    ),
  ),
  active_context: group(ACTIVE_CONTEXT, "How a window that is too large is compacted."),
  ...PROCESSING,
};

/** What the later releases are told. */
export type LaterValues = OptionValues<typeof LATER>;
type Context = OptionValues<typeof PROCESSING>;

// Rounds have no fixed size; most are a call, its results and what is said about them.
const MESSAGES_PER_ROUND = 4;

/** The stages of the later releases. */
export function laterStages(values: LaterValues): readonly PolicyStage[] {
  const { threshold_tokens: threshold, active_context } = values;
  const context: Context = active_context?.values ?? values;
  const target =
    values.compaction_target_tokens ?? Math.floor(threshold * (1 - context.min_reduction_ratio));
  const isCompacting = context.enabled && active_context?.values.mode !== "sliding_window";
  return isCompacting ? compaction({ threshold, target, context }) : [packedReads(target, context)];
}

function packedReads(target: number, { sliding_window }: Context): PolicyStage {
  const headroom =
    sliding_window?.values.headroom_percent ?? SLIDING_WINDOW.headroom_percent.initial;
  return stageOf("sliding_window", {
    on: "read",
    unit: "message",
    select: { kind: "pack-newest", maxTokens: target, headroom, skipUnfit: false },
    effect: "view",
  });
}

interface Compaction {
  readonly threshold: number;
  readonly target: number;
  readonly context: Context;
}

function compaction({ threshold, target, context }: Compaction): readonly PolicyStage[] {
  const { processor_order, excluded_processors, summarization } = context;
  const runs = (processor: (typeof PROCESSORS)[number]): boolean =>
    processor_order.includes(processor) && !excluded_processors.includes(processor);
  const anyOf = [{ kind: "token-count-over", limit: threshold }] as const;
  const stages: PolicyStage[] = [];
  const truncation = context.tool_truncation?.values ?? DEFAULT_TRUNCATION;
  if (runs("tool_truncation") && truncation.enabled) {
    const keepNewest = truncation.grace_recent_messages * MESSAGES_PER_ROUND;
    stages.push(
      stageOf("tool_truncation", {
        on: "read",
        anyOf,
        unit: "message",
        select: {
          kind: "shorten",
          maxTokens: truncation.max_tool_message_tokens,
          allRoles: false,
          keepNewest: Math.min(keepNewest, LIMITS.windowMessages),
        },
        effect: "view",
      }),
    );
  }
  const summarizes = runs("summarization") && summarization?.values.enabled !== false;
  if (!summarizes && !runs("backward_packing")) return stages;
  stages.push(
    stageOf(summarizes ? "summarization" : "backward_packing", {
      on: "request",
      anyOf,
      unit: "message",
      select: { kind: "pack-newest", maxTokens: target, headroom: 0, skipUnfit: true },
      removedTo: summarizes ? "summarize" : "log",
    }),
  );
  return stages;
}
