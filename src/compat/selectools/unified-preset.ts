// The options of the unified memory of selectools.

import { LIMITS } from "../limits.ts";
import {
  DEFAULT_EPISODES,
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type MemoryPolicy,
} from "../memories/policy.ts";
import { flag, fraction, integer } from "./option-kinds.ts";
import type { OptionValues } from "./options.ts";
import { RANGES } from "./preset.ts";

const TIERS = {
  short_term_limit: integer(RANGES.someMessages, 100, "The most messages to keep."),
  importance_threshold: fraction(
    { min: 0, max: 1 },
    DEFAULT_PROMOTION.importanceThreshold,
    "From which score on a message that leaves the window is promoted.",
  ),
  long_term_limit: integer(
    { min: 1, max: LIMITS.scopeMemories },
    DEFAULT_MEMORY_POLICY.longTermLimit,
    "The most memories of the scope.",
  ),
  episodic_retention_days: integer(
    { min: 1, max: LIMITS.episodeDays },
    DEFAULT_EPISODES.retentionDays,
    "For how many days episodes are kept.",
  ),
  auto_promote: flag(true, "Promotes messages that leave the window."),
};

/** The options of unified memory: all but the first need it. */
export const UNIFIED = {
  unified: flag(
    false,
    "Whether the session has unified memory: short_term_limit takes the place of max_messages, " +
      "and the other options below become the memory policy of a session that brings none.",
  ),
  ...TIERS,
};

/** What all but the first need. */
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
