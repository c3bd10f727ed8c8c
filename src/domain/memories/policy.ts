// What a session gives to long-term memory.

/** A rule that says how important a text is. */
export interface ImportanceRule {
  readonly name: string;
  /** See memorysidecar.v1.ImportanceRule. */
  readonly phrases: readonly string[];
  readonly score: number;
}

export const EXTRACTION_TARGETS = ["facts", "entities", "relations"] as const;
export type ExtractionTarget = (typeof EXTRACTION_TARGETS)[number];

/** How facts, entities and relations are found in messages. */
export interface ExtractionPolicy {
  /** Empty or BUILTIN_EXTRACTOR: the rules of the server. */
  readonly hook: string;
  readonly on: "turn-end" | "trim";
  /** Never empty: all when nobody said. */
  readonly targets: readonly ExtractionTarget[];
  readonly instructions: string;
  /** Facts with the same key supersede one another. */
  readonly supersede: boolean;
}

/** The name of the rules of the server. */
export const BUILTIN_EXTRACTOR = "builtin";

/** What a session gives to long-term memory, and how much of it is kept. */
export interface MemoryPolicy {
  readonly autoPromote: boolean;
  readonly importanceThreshold: number;
  /** Empty means DEFAULT_IMPORTANCE_RULES. */
  readonly importanceRules: readonly ImportanceRule[];
  /** Empty means the rules. */
  readonly scoreHook: string;
  readonly longTermLimit: number;
  readonly episodes: boolean;
  readonly episodicRetentionDays: number;
  readonly extraction: ExtractionPolicy | undefined;
  readonly entityLimit: number;
  readonly relationLimit: number;
  readonly agentScope: boolean;
}

/**
 * The policy that an append may ask for where a session has none; the defaults of a policy.
 */
export const DEFAULT_MEMORY_POLICY: MemoryPolicy = {
  autoPromote: true,
  importanceThreshold: 0.7,
  importanceRules: [],
  scoreHook: "",
  longTermLimit: 1_000,
  episodes: true,
  episodicRetentionDays: 30,
  extraction: undefined,
  entityLimit: 50,
  relationLimit: 200,
  agentScope: false,
};
