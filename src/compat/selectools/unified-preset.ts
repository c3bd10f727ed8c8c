// The options of the unified memory of selectools.

import { LIMITS } from "../../kit/limits.ts";
import {
  DEFAULT_EPISODES,
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type MemoryPolicy,
} from "../../window/policy/memory-policy.ts";
import { flag, fraction, integer } from "../../window/policy/option-kinds.ts";
import type { OptionValues } from "../../window/policy/options.ts";
import { RANGES } from "../../window/policy/preset-kind.ts";

const TIERS = {
  short_term_limit: integer(RANGES.someMessages, 100, "Maximum number of messages to keep."),
  importance_threshold: fraction(
    { min: 0, max: 1 },
    DEFAULT_PROMOTION.importanceThreshold,
    "Score from which a message that leaves the window is promoted.",
  ),
  long_term_limit: integer(
    { min: 1, max: LIMITS.scopeMemories },
    DEFAULT_MEMORY_POLICY.longTermLimit,
    "Maximum number of memories of the scope.",
  ),
  episodic_retention_days: integer(
    { min: 1, max: LIMITS.episodeDays },
    DEFAULT_EPISODES.retentionDays,
    "Retention of episodes in days.",
  ),
  auto_promote: flag(true, "Promotes messages that leave the window."),
};

/** The options of unified memory: all but the first need it. */
export const UNIFIED = {
  unified: flag(
    false,
    "Turns unified memory on: short_term_limit replaces max_messages, " +
      "and the other options below become the memory policy of a session that brings none.",
  ),
  ...TIERS,
};

/** Options that need `unified`. */
export const UNIFIED_NEEDS = {
  short_term_limit: "unified",
  importance_threshold: "unified",
  long_term_limit: "unified",
  episodic_retention_days: "unified",
  auto_promote: "unified",
} as const satisfies { readonly [K in keyof typeof TIERS]: "unified" };

/** The memory policy that unified memory brings. */
export function unifiedMemoryPolicy(values: OptionValues<typeof TIERS>): MemoryPolicy {
  return {
    ...DEFAULT_MEMORY_POLICY,
    // Without auto_promote that system still promotes when it is asked to consolidate.
    promotion: {
      ...DEFAULT_PROMOTION,
      selection: "any-text",
      importanceThreshold: values.importance_threshold,
      markedStagesOnly: !values.auto_promote,
    },
    episodes: { retentionDays: values.episodic_retention_days },
    longTermLimit: values.long_term_limit,
  };
}
