// Memory policy of a session: what it feeds into long-term memory.

/** A rule that says how important a text is. */
export interface ImportanceRule {
  readonly name: string;
  /** See memorysidecar.v1.ImportanceRule. */
  readonly phrases: readonly string[];
  readonly score: number;
}

export const EXTRACTION_TARGETS = ["facts", "entities", "relations"] as const;
export type ExtractionTarget = (typeof EXTRACTION_TARGETS)[number];

/** Options for extracting facts, entities and relations from messages. */
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

/** Options of promotion; see memorysidecar.v1.PromotionPolicy. */
export interface PromotionPolicy {
  readonly selection: "user-statements" | "any-text";
  readonly importanceThreshold: number;
  /** Empty means DEFAULT_IMPORTANCE_RULES. */
  readonly importanceRules: readonly ImportanceRule[];
  /** Empty means the rules. */
  readonly scoreHook: string;
  readonly markedStagesOnly: boolean;
}

/** Default options of promotion. */
export const DEFAULT_PROMOTION: PromotionPolicy = {
  selection: "user-statements",
  importanceThreshold: 0.7,
  importanceRules: [],
  scoreHook: "",
  markedStagesOnly: false,
};

/** Options for turning turns into episodes. */
export interface EpisodePolicy {
  readonly retentionDays: number;
}

/** Default options for turning turns into episodes. */
export const DEFAULT_EPISODES: EpisodePolicy = { retentionDays: 30 };

/** Memory policy of a session: what it feeds into long-term memory, and how much of it is kept. */
export interface MemoryPolicy {
  readonly promotion: PromotionPolicy | undefined;
  readonly episodes: EpisodePolicy | undefined;
  readonly extraction: ExtractionPolicy | undefined;
  readonly longTermLimit: number;
  readonly entityLimit: number;
  readonly relationLimit: number;
  readonly agentScope: boolean;
  readonly onSourceErased: SourceErasure;
}

/** The policy that says nothing: it gives nothing. */
export const DEFAULT_MEMORY_POLICY: MemoryPolicy = {
  promotion: undefined,
  episodes: undefined,
  extraction: undefined,
  longTermLimit: 1_000,
  entityLimit: 50,
  relationLimit: 200,
  agentScope: false,
  onSourceErased: "forget",
};

/** The fate of memories whose messages are all gone; see memorysidecar.v1.SourceErasure. */
export type SourceErasure = "forget" | "mark" | "keep";
