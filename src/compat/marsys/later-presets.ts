// Treatment of oversized conversations in later releases of MARSYS: they shorten tool
// results, summarize and pack, when they are asked to compact.

import { LIMITS } from "../../kit/limits.ts";
import { together } from "../../window/policy/general.ts";
import {
  choice,
  choices,
  flag,
  fraction,
  group,
  integer,
  text,
} from "../../window/policy/option-kinds.ts";
import {
  type OptionFault,
  type OptionReading,
  type OptionValues,
  optional,
  readOptions,
} from "../../window/policy/options.ts";
import type { PolicyStage, Trigger } from "../../window/policy/policy.ts";
import { RANGES, stageOf } from "../../window/policy/preset-kind.ts";
import { SUMMARY_TOKENS, specOf } from "../../window/policy/summary-options.ts";

const PROCESSORS = ["tool_truncation", "summarization", "backward_packing"] as const;

const GRACE = integer(
  RANGES.someMessages,
  1,
  "Number of the newest assistant turns that stay unchanged.",
);

const TOOL_TRUNCATION = {
  enabled: flag(true, "Shortens old tool results."),
  max_tool_message_tokens: integer(
    { min: LIMITS.shortenTokensMin, max: LIMITS.shortenTokensMax },
    1_200,
    "Maximum tokens of an old tool result.",
  ),
  grace_recent_messages: GRACE,
  append_marker: text(
    LIMITS.shortenMarkerBytes,
    " [truncated]",
    "Marker at the end of a shortened text.",
  ),
};

const DEFAULT_TRUNCATION = readOptions(TOOL_TRUNCATION, {}).values;

const SLIDING_WINDOW = {
  headroom_percent: fraction(RANGES.headroom, 0.1, "Share of the target left free."),
};

const SUMMARIZATION = {
  enabled: flag(true, "Summarizes old messages."),
  grace_recent_messages: GRACE,
  output_max_tokens: integer(SUMMARY_TOKENS, 6_000, "Target length of a summary, in tokens."),
};

const DEFAULT_SUMMARIZATION = readOptions(SUMMARIZATION, {}).values;

const BACKWARD_PACKING = { grace_recent_messages: GRACE };

const PROCESSING = {
  enabled: flag(true, "Turns compaction on. Otherwise every read is packed."),
  processor_order: choices(
    PROCESSORS,
    PROCESSORS,
    "Processors of a compaction, in this order only. backward_packing runs only without " +
      "summarization, which leaves nothing to pack.",
  ),
  excluded_processors: choices(PROCESSORS, [], "Processors that compaction skips."),
  min_reduction_ratio: fraction(
    { min: 0, max: 1, belowMax: true },
    0.4,
    "Share of the threshold that compaction frees, and that shortening must save if " +
      "another processor follows.",
  ),
  tool_truncation: group(TOOL_TRUNCATION, "Options for shortening tool results."),
  summarization: group(SUMMARIZATION, "Options for summarizing old messages."),
  backward_packing: group(BACKWARD_PACKING, "Options for packing."),
  sliding_window: group(SLIDING_WINDOW, "Options for packing every read."),
};

const MODES = ["compaction", "sliding_window"] as const;

const ACTIVE_CONTEXT = {
  mode: choice(
    MODES,
    "compaction",
    "Kind of context. compaction: the stored window is compacted on request. sliding_window: " +
      "every read is packed.",
  ),
  ...PROCESSING,
};

/** The options of the later releases; those of active_context may also stand by themselves. */
export const LATER = {
  threshold_tokens: integer(
    RANGES.tokens,
    150_000,
    "Token count above which the window is trimmed.",
  ),
  compaction_target_tokens: optional(
    integer(
      RANGES.tokens,
      90_000,
      "Token count that compaction and packing leave. Null: the threshold less min_reduction_ratio.",
    ),
  ),
  active_context: group(ACTIVE_CONTEXT, "Options for compacting a window that is too large."),
  ...PROCESSING,
};

/** Names what the options of the later releases may not do together. */
export function checkLater({ values, given }: OptionReading<typeof LATER>): readonly OptionFault[] {
  const faults: OptionFault[] = [];
  const flat = Object.keys(PROCESSING).find((name) => given.has(name));
  if (flat !== undefined && given.has("active_context")) {
    faults.push(together(flat, "must be left out beside active_context"));
  }
  const { active_context } = values;
  const [order, path] =
    active_context === undefined
      ? [values.processor_order, "processor_order"]
      : [active_context.values.processor_order, "active_context.processor_order"];
  const places = order.map((name) => PROCESSORS.indexOf(name));
  if (places.some((place, index) => place <= (places[index - 1] ?? -1))) {
    faults.push(together(path, `must keep to the order ${PROCESSORS.join(", ")}`));
  }
  return faults;
}

/** Options of the later releases. */
export type LaterValues = OptionValues<typeof LATER>;
type Context = OptionValues<typeof PROCESSING>;

/** The processors that run, in order. */
type Processor = (typeof PROCESSORS)[number];

/** The stages of the later releases, and what always stays. */
export interface LaterStages {
  readonly stages: readonly PolicyStage[];
  readonly keeps: { readonly system: "leading" | "none"; readonly lastUser: boolean };
}

/** Gives the stages of the later releases; `hook` summarizes. */
export function laterStages(values: LaterValues, hook: string): LaterStages {
  const { threshold_tokens: threshold, active_context } = values;
  const context: Context = active_context?.values ?? values;
  const target =
    values.compaction_target_tokens ?? Math.floor(threshold * (1 - context.min_reduction_ratio));
  const isCompacting = context.enabled && active_context?.values.mode !== "sliding_window";
  if (!isCompacting) {
    return { stages: [packedReads(target, context)], keeps: { system: "none", lastUser: false } };
  }
  const processors = processorsOf(context);
  const parts: Compaction = { threshold, target, context, processors, hook };
  return {
    stages: [...truncation(parts), ...summarization(parts), ...backwardPacking(parts)],
    // A summary says what the user asked for; packing keeps the newest question itself.
    keeps: { system: "leading", lastUser: !processors.includes("summarization") },
  };
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

function processorsOf(context: Context): readonly Processor[] {
  const { processor_order, excluded_processors, tool_truncation, summarization } = context;
  return processor_order.filter((processor) => {
    if (excluded_processors.includes(processor)) return false;
    if (processor === "tool_truncation") return tool_truncation?.values.enabled !== false;
    return processor !== "summarization" || summarization?.values.enabled !== false;
  });
}

interface Compaction {
  readonly threshold: number;
  readonly target: number;
  readonly context: Context;
  readonly processors: readonly Processor[];
  readonly hook: string;
}

function overThreshold({ threshold }: Compaction): readonly Trigger[] {
  return [{ kind: "token-count-over", limit: threshold }];
}

/** Shortens whenever the window is too large, so that what is packed later counts what is left. */
function truncation(parts: Compaction): readonly PolicyStage[] {
  const { threshold, context, processors } = parts;
  if (!processors.includes("tool_truncation")) return [];
  const told = context.tool_truncation?.values ?? DEFAULT_TRUNCATION;
  const maxTokens = told.max_tool_message_tokens;
  const isLast = processors.at(-1) === "tool_truncation";
  const minSaved = isLast ? 0 : Math.ceil(threshold * context.min_reduction_ratio);
  return [
    stageOf("tool_truncation", {
      anyOf: overThreshold(parts),
      unit: "message",
      select: {
        kind: "shorten",
        maxTokens,
        allRoles: false,
        keepNewest: 0,
        head: { chars: maxTokens * CHARS_PER_TOKEN, marker: told.append_marker },
        ...(minSaved === 0 ? {} : { minSavedTokens: minSaved }),
      },
      effect: "view",
      keepAssistantTurns: told.grace_recent_messages,
    }),
  ];
}

const CHARS_PER_TOKEN = 4;

/** All before the newest assistant turns becomes one exchange. */
function summarization(parts: Compaction): readonly PolicyStage[] {
  const { context, processors, hook } = parts;
  if (!processors.includes("summarization")) return [];
  const told = context.summarization?.values ?? DEFAULT_SUMMARIZATION;
  return [
    stageOf("summarization", {
      on: "request",
      anyOf: overThreshold(parts),
      unit: "message",
      select: { kind: "keep-last", unitCount: 0 },
      ...(truncation(parts).length > 0 ? { countWhole: true } : {}),
      removedTo: "summarize",
      summarize: specOf({ hook, maxTokens: told.output_max_tokens, shape: "exchange" }),
      keepAssistantTurns: told.grace_recent_messages,
    }),
  ];
}

/**
 * Packs what is older than the newest assistant turns. A summary leaves nothing of that, so there
 * is nothing to pack beside one.
 */
function backwardPacking(parts: Compaction): readonly PolicyStage[] {
  const { target, context, processors } = parts;
  if (!processors.includes("backward_packing") || processors.includes("summarization")) return [];
  const grace = context.backward_packing?.values.grace_recent_messages ?? GRACE.initial;
  return [
    stageOf("backward_packing", {
      on: "request",
      anyOf: overThreshold(parts),
      unit: "message",
      select: { kind: "pack-newest", maxTokens: target, headroom: 0, skipUnfit: true },
      ...(truncation(parts).length > 0 ? { countWhole: true } : {}),
      keepAssistantTurns: grace,
    }),
  ];
}
