// The options of the unified memory of selectools. That system looks at them only while unified
// memory is on: without it they are taken whatever they hold.

import { LIMITS } from "../limits.ts";
import { DEFAULT_MEMORY_POLICY, type MemoryPolicy } from "../memories/policy.ts";
import { together } from "./general.ts";
import { flag, fraction, integer } from "./option-kinds.ts";
import { type Json, type Option, type OptionFault, readOptions } from "./options.ts";
import { type PlainOptions, RANGES } from "./preset.ts";

const IN_REQUESTS = "AssembleContext takes it with each request.";

const TIERS = {
  short_term_limit: integer(RANGES.someMessages, 100, "The most messages to keep."),
  importance_threshold: fraction(
    { min: 0, max: 1 },
    DEFAULT_MEMORY_POLICY.importanceThreshold,
    "From which score on a message that leaves the window is promoted.",
  ),
  long_term_limit: integer(
    { min: 1, max: LIMITS.scopeMemories },
    DEFAULT_MEMORY_POLICY.longTermLimit,
    "The most memories of the scope.",
  ),
  episodic_retention_days: integer(
    { min: 1, max: LIMITS.episodeDays },
    DEFAULT_MEMORY_POLICY.episodicRetentionDays,
    "For how many days episodes are kept.",
  ),
  auto_promote: flag(true, "Promotes messages that leave the window."),
  compaction_threshold: fraction(
    RANGES.share,
    0.7,
    `Which part of context_max_tokens a context may take. ${IN_REQUESTS}`,
  ),
  context_max_tokens: integer(
    { min: 1, max: LIMITS.contextTokens },
    4_000,
    `The most tokens of a context. ${IN_REQUESTS}`,
  ),
};

const OTHER = "Must be left out with unified.";
const OTHERS = {
  entity_memory: anything(null, `The entity memory; here memories of kind entity. ${OTHER}`),
  knowledge_graph: anything(null, `The triple store; here relations. ${OTHER}`),
  knowledge_memory: anything(null, `The knowledge memory; here Remember. ${OTHER}`),
};

/** An option that takes what it is given. */
function anything(defaultValue: Json, meaning: string, limits = ""): Option<unknown> {
  return {
    ...{ meaning, limits, defaultValue, required: false, initial: undefined },
    read: (_, value) => ({ value }),
  };
}

/** The options as the preset has them: what they hold is looked at by `readUnified`. */
export const UNIFIED = {
  unified: flag(
    false,
    "Whether the session has unified memory: short_term_limit takes the place of max_messages, " +
      "and the other options below become the memory policy of a session that brings none.",
  ),
  ...(Object.fromEntries(
    Object.entries(TIERS).map(([name, { meaning, limits, defaultValue }]) => [
      name,
      anything(defaultValue, meaning, limits),
    ]),
  ) as { readonly [K in keyof typeof TIERS]: Option<unknown> }),
  ...OTHERS,
};

/** The options while unified memory is on. */
interface Unified {
  readonly shortTermLimit: number;
  readonly memoryPolicy: MemoryPolicy;
}

/** Reads the options, given that unified memory is on. */
export function readUnified(
  options: PlainOptions,
  given: ReadonlySet<string>,
): Unified & { readonly faults: readonly OptionFault[] } {
  const own = Object.keys(TIERS).map((name) => [name, options[name]] as const);
  const { values, faults } = readOptions(TIERS, Object.fromEntries(own));
  const wrong = [...Object.keys(OTHERS), "max_messages"]
    .filter((name) => given.has(name))
    .map((name) => together(name, "must be left out with unified"));
  return {
    faults: [...faults, ...wrong],
    shortTermLimit: values.short_term_limit,
    memoryPolicy: {
      ...DEFAULT_MEMORY_POLICY,
      autoPromote: values.auto_promote,
      importanceThreshold: values.importance_threshold,
      longTermLimit: values.long_term_limit,
      episodicRetentionDays: values.episodic_retention_days,
    },
  };
}
