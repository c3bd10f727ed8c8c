// Types of the ranking. An item is a message, a document or a memory; a
// candidate is an item that one of the legs found, or a neighbor of one. The engine fills plain
// values in; nothing here reads text.

import type { QueryDate } from "../text/dates.ts";
import type { WeightedFeature } from "./weights.ts";

/** Legs that a recall uses: both, words only, or vectors only. */
export type RecallMode = "hybrid" | "lexical" | "dense";

/** Fusion of the legs: by weighted scores (the default), or by ranks alone. */
export type FusionMethod = "scores" | "reciprocal-rank";

/** The features that have a weight, in the order of their values. */
export const WEIGHTED_FEATURES = [
  "words",
  "neighbors",
  "dense",
  "coverage",
  "nearWords",
  "identifier",
  "author",
  "userRole",
  "length",
  "question",
  "date",
  "recency",
  "importance",
  "trust",
  "session",
  "confidence",
  "facts",
  "entities",
] as const satisfies readonly WeightedFeature[];

/** The features of a score: the names of `ScoreFeature` in the contract. */
export const SCORE_FEATURES = [...WEIGHTED_FEATURES, "wordsRank", "denseRank"] as const;

/** One name out of {@link SCORE_FEATURES}. */
export type ScoreFeature = (typeof SCORE_FEATURES)[number];

/** A part of a score. The scores of all parts of a hit sum to its score. */
export interface ScorePart {
  readonly feature: ScoreFeature;
  /** The value of the feature for this item. */
  readonly value: number;
  /** The weight of the feature in this call. */
  readonly weight: number;
  /** Value times weight. */
  readonly score: number;
}

/** The parts of a score, by falling score; a part that adds nothing is left out. */
export type ScoreParts = readonly ScorePart[];

/**
 * One item that may answer. Arrays of neighbors hold the items at positions -2, -1, +1 and +2 in
 * the same container, in this order, with 0 where there is none.
 */
export interface Candidate {
  /** Number of the session, collection or scope, the first key of ties. */
  readonly container: number;
  /** Place of the item in its container, the second key of ties. */
  readonly position: number;
  /** Raw BM25: the best of the item's passages, 0 when no query term is in it. */
  readonly bm25: number;
  /** Raw BM25 of the four neighbors. */
  readonly neighborBm25: readonly [number, number, number, number];
  /** Raw cosine, the best of the item's passages; NaN when it has no vector. */
  readonly cosine: number;
  /** Raw cosine of the four neighbors; NaN where there is none. */
  readonly neighborCosine: readonly [number, number, number, number];
  /** Bit i is set when the query's term i is anywhere in the item. */
  readonly termMask: number;
  /**
   * Share of the query's terms, by rarity, that the item lacks while it has a word near them, each
   * times how near it is; 0 when near words are not looked for.
   */
  readonly nearWords: number;
  /** Number of words of the whole item. */
  readonly words: number;
  /** From `itemFlags`, when the item was indexed. */
  readonly flags: number;
  /** True when the query names the item's author (`authorNamed`). */
  readonly authorNamed: boolean;
  /** The time of the item in milliseconds since 1970; 0 when it is not known. */
  readonly timeMs: number;
  /** Importance given by the writer, 0 to 1; 0.5 when nothing was said. */
  readonly importance: number;
  /** Trust of the source: 0 low, 0.5 medium, 1 high. */
  readonly trust: number;
  /** A memory stands for itself: its scope says nothing of it, as a session does of a message. */
  readonly isMemory: boolean;
  /** Confidence of a memory, 0 to 1; 0 for others. */
  readonly confidence: number;
  /** Fit of a memory that names this message as its source, 0 to 1: see recall/facts.ts. */
  readonly facts: number;
  /** 1 for a memory about an entity that the query names, 0.5 one relation away, else 0. */
  readonly entities: number;
}

/** The cosines of a query with texts that have nothing to do with it. */
export interface Background {
  readonly mean: number;
  /** Their standard deviation; above 0. */
  readonly deviation: number;
}

/** The query as the ranking reads it. */
export interface RankQuery {
  readonly mode: RecallMode;
  readonly fusion: FusionMethod;
  /** Inverse document frequency of term i, in the order of the bits of `termMask`. */
  readonly idf: readonly number[];
  /** Bit i is set when term i is an identifier. Default 0. */
  readonly identifierMask?: number;
  /** Dates that the query states. */
  readonly dates: readonly QueryDate[];
  /** Undefined when the worth of cosines is not known: `relevance` reads words then. */
  readonly background?: Background | undefined;
  /** "Now" of the request in milliseconds since 1970, for recency; 0 turns recency off. */
  readonly referenceTimeMs: number;
}

/** A candidate with its score. */
export interface Ranked {
  /** Index into the given candidates. */
  readonly index: number;
  readonly score: number;
  readonly parts: ScoreParts;
  /** Probability, 0 to 1, that the hit fits the query at all (`relevance.ts`). */
  readonly relevance: number;
}
