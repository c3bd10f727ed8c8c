// The presets of the server, typed: policies by name, with options.

import type { JsonObject } from "./message.ts";
import type { PresetInput } from "./policy.ts";

/** An option that may be null, which means that it is left out. */
type Maybe<T> = T | null;

/** The options of MARSYS's ManagedMemoryConfig. */
export interface ManagedMemoryConfig {
  readonly max_total_tokens_trigger?: number;
  readonly target_total_tokens?: number;
  readonly image_token_estimate?: number;
  readonly min_retrieval_gap_steps?: number;
  readonly min_retrieval_gap_tokens?: number;
  readonly trigger_events?: readonly ("add" | "get_messages")[];
  readonly cache_invalidation_events?: readonly MarsysInvalidation[];
  readonly enable_headroom_percent?: number;
}

/** Changes that make a managed memory of MARSYS pack again. */
export type MarsysInvalidation =
  | "add"
  | "update"
  | "replace_memory"
  | "remove_by_id"
  | "delete_memory"
  | "reset_memory";

/** Processors that shrink a context of MARSYS. */
export type MarsysProcessor = "tool_truncation" | "summarization" | "backward_packing";

/** Ways in which later releases of MARSYS make a context smaller. */
export interface ContextProcessing {
  readonly enabled?: boolean;
  readonly processor_order?: readonly MarsysProcessor[];
  readonly excluded_processors?: readonly MarsysProcessor[];
  readonly min_reduction_ratio?: number;
  readonly tool_truncation?: {
    readonly enabled?: boolean;
    readonly max_tool_message_tokens?: number;
    readonly grace_recent_messages?: number;
    readonly append_marker?: string;
  };
  readonly summarization?: {
    readonly enabled?: boolean;
    readonly grace_recent_messages?: number;
    readonly output_max_tokens?: number;
  };
  readonly backward_packing?: { readonly grace_recent_messages?: number };
  readonly sliding_window?: { readonly headroom_percent?: number };
}

/** The ActiveContextPolicy of the later releases of MARSYS. */
export interface ActiveContext extends ContextProcessing {
  readonly mode?: "compaction" | "sliding_window";
}

/** A short-term strategy of Alquimia. */
export interface ShortTermMemory {
  readonly memory_strategy_id?: "max_tokens";
  readonly memory_max_tokens?: number;
  readonly conditions?: readonly string[];
  readonly condition_scope?: "interaction_all" | "message";
}

/** A long-term strategy of Alquimia. The last three are the summarizer's. */
export interface LongTermMemory {
  readonly long_term_memory_id?: "summarizer" | "neuralyzer";
  readonly input_tokens_threshold?: number;
  readonly interaction_keep?: number;
  readonly interaction_conditions?: readonly string[];
  readonly on_tools_success_threshold?: readonly string[];
  readonly on_tools_error_threshold?: readonly string[];
  readonly interaction_threshold_qty?: number;
  readonly interaction_threshold_tokens?: number;
  readonly cod_max_loops?: number;
  readonly knowledge_base?: Maybe<{ readonly collection_id: string }>;
  readonly instructions?: Maybe<string>;
}

/** Summary options of presets. */
export interface SummaryPresetOptions {
  /** Hook that summarizes. Default: chosen by the server. */
  readonly hook?: string;
  readonly summary_max_tokens?: number;
  readonly instructions?: string;
  readonly on_failure?: "keep" | "drop" | "placeholder";
}

/** Token counting of presets. Default: as `model` counts them, or bytes divided by 4. */
export interface CountingPresetOptions {
  readonly token_rule?: Maybe<
    "bytes_div_4" | "chars_div_4" | "o200k" | "cl100k" | "words" | "given" | "model"
  >;
  readonly model?: string;
}

/** The presets with their options. Those that are left out have their defaults. */
export interface PresetOptions {
  /** Keeps the newest messages (50). */
  readonly sliding_window: { readonly max_messages?: number } & CountingPresetOptions;
  /** Keeps the window within a token budget (8,000). */
  readonly token_budget: {
    readonly max_tokens?: number;
    readonly headroom?: number;
  } & CountingPresetOptions;
  /** Lets the window grow up to a trigger (12,000), then packs it down to a target (8,000). */
  readonly managed: {
    readonly trigger_tokens?: number;
    readonly target_tokens?: number;
    readonly headroom?: number;
  } & CountingPresetOptions;
  /** Keeps the newest turns (20). */
  readonly turns: {
    readonly max_turns?: number;
    readonly max_tokens?: Maybe<number>;
  } & CountingPresetOptions;
  /** Lets turns leave the window when they are too old. */
  readonly forget_old: {
    readonly max_age_seconds: number;
    readonly erase?: boolean;
  } & CountingPresetOptions;
  /** Keeps the window within a token budget (8,000); old tool results are shortened first. */
  readonly tool_results_first: {
    readonly max_tokens?: number;
    readonly tool_result_tokens?: number;
    readonly keep_newest?: number;
  } & CountingPresetOptions;
  /** Leaves out of what is read the messages that a newer one says again. */
  readonly semantic_pruning: {
    readonly max_tokens?: number;
    readonly similarity?: number;
    readonly lookahead?: number;
  } & CountingPresetOptions;
  /** Keeps the first and the newest messages; a summary takes the place of those between. */
  readonly pin_summarize_recent: {
    readonly max_messages?: number;
    readonly pin?: number;
    readonly recent?: number;
  } & CountingPresetOptions &
    SummaryPresetOptions;
  /** When the window costs too much (8,000), a summary takes the place of the oldest messages. */
  readonly summarize_old: {
    readonly max_tokens?: number;
    readonly context_share?: Maybe<number>;
    readonly context_window?: number;
    readonly keep_recent?: number;
  } & CountingPresetOptions &
    SummaryPresetOptions;
  /** Keeps the window within a token budget; what leaves is joined to a summary beside it. */
  readonly rolling_summary: {
    readonly max_tokens?: number;
    readonly headroom?: number;
    readonly last_chars?: number;
    readonly on_failure?: "drop" | "placeholder";
  } & CountingPresetOptions &
    Omit<SummaryPresetOptions, "on_failure">;
  /** As summarize_old; several summaries of one level become one of the next. */
  readonly hierarchical_summary: {
    readonly max_tokens?: number;
    readonly keep_recent?: number;
    readonly fan_in?: number;
  } & CountingPresetOptions &
    SummaryPresetOptions;
  /** As selectools. */
  readonly selectools: {
    readonly max_messages?: number;
    readonly max_tokens?: Maybe<number>;
    readonly summarize_on_trim?: boolean;
    readonly summarize_max_tokens?: number;
    readonly compress_context?: boolean;
    readonly compress_threshold?: number;
    readonly compress_keep_recent?: number;
    readonly unified?: boolean;
    readonly short_term_limit?: number;
    readonly importance_threshold?: number;
    readonly long_term_limit?: number;
    readonly episodic_retention_days?: number;
    readonly auto_promote?: boolean;
    readonly token_estimate?: Maybe<"floor_4" | "floor_4_min_1" | "prompt">;
    readonly context_window?: number;
    readonly model?: string;
    readonly hook?: string;
  };
  /** As lauren-ai. */
  readonly lauren: {
    readonly max_tokens?: number;
    readonly memory_window_tokens?: number;
    readonly summarize_at?: Maybe<number>;
    readonly keep_recent?: number;
    readonly era?: "A" | "B" | "C";
    readonly tool_turn_atomic?: Maybe<boolean>;
    readonly guard_last_user?: Maybe<boolean>;
    readonly heal?: Maybe<boolean>;
    readonly hook?: string;
  };
  /** As definable. */
  readonly definable: {
    readonly enabled?: boolean;
    readonly max_messages?: number;
    readonly pin_count?: number;
    readonly recent_count?: number;
    readonly hook?: string;
  };
  /** As MARSYS: the options of its first releases, or those of its later ones. */
  readonly marsys: ManagedMemoryConfig &
    ContextProcessing & {
      readonly memory_type?: "conversation_history" | "managed_conversation";
      readonly memory_config?: ManagedMemoryConfig;
      readonly mode?: Maybe<"repack_always" | "strict">;
      readonly threshold_tokens?: number;
      readonly compaction_target_tokens?: Maybe<number>;
      readonly active_context?: ActiveContext;
      readonly hook?: string;
    };
  /** As Alquimia: one strategy of each kind, or lists of them. */
  readonly alquimia: ShortTermMemory &
    LongTermMemory & {
      readonly short_term_memory?: readonly ShortTermMemory[];
      readonly long_term_memory?: readonly LongTermMemory[];
      readonly hook?: string;
    };
}

/** The names of the presets that this version of the client knows. */
export type PresetName = keyof PresetOptions;

/** The arguments behind the name: options may be left out unless one of them is required. */
type OptionArguments<O> =
  Record<never, never> extends O ? readonly [options?: O] : readonly [options: O];

/**
 * Chooses a preset of the server. For one that this version of the client does
 * not know write `{ preset: { name, options } }`.
 */
export function preset<N extends PresetName>(
  name: N,
  ...[options]: OptionArguments<PresetOptions[N]>
): PresetInput {
  // The options travel as they are: left-out ones are no values of JSON.
  const given = Object.entries((options ?? {}) as JsonObject).filter(
    ([, value]) => value !== undefined,
  );
  return { preset: { name, options: Object.fromEntries(given) } };
}
