// What the ranking of one recall reads and answers. An item is a message, a document or a memory; a
// candidate is an item that one of the legs found, or a neighbor of one. The engine fills plain
// values in; nothing here reads text.

import type { QueryDate } from "../text/dates.ts";

/** Which legs a recall uses: both, words only, or vectors only. */
export type RecallMode = "hybrid" | "lexical" | "dense";

/** How the legs are joined: by weighted scores (the default), or by ranks alone. */
export type FusionMethod = "scores" | "reciprocal-rank";

/** What a score may be made of: the names of `ScoreFeature` in the contract. */
export const SCORE_FEATURES = [
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
  "wordsRank",
  "denseRank",
] as const;

/** One name out of {@link SCORE_FEATURES}. */
export type ScoreFeature = (typeof SCORE_FEATURES)[number];

/** A part of a score. The scores of all parts of a hit sum to its score. */
export interface ScorePart {
  readonly feature: ScoreFeature;
  /** What the feature is for this item. */
  readonly value: number;
  /** The weight of the feature in this call. */
  readonly weight: number;
  /** What it adds: value times weight. */
  readonly score: number;
}

/** What a score is made of, by falling score; a part that adds nothing is left out. */
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
  /** What `itemFlags` said about the item when it was indexed. */
  readonly flags: number;
  /** True when the query names the item's author (`authorNamed`). */
  readonly authorNamed: boolean;
  /** When the item happened, in milliseconds since 1970; 0 when nobody knows. */
  readonly timeMs: number;
  /** How important the writer called it, 0 to 1; 0.5 when nothing was said. */
  readonly importance: number;
  /** How far the source is trusted: 0 low, 0.5 medium, 1 high. */
  readonly trust: number;
  /** A memory stands for itself: its scope says nothing of it, as a session does of a message. */
  readonly isMemory: boolean;
  /** How sure a memory is, 0 to 1; 0 for others. */
  readonly confidence: number;
  /** How well a memory fits that names this message as its source, 0 to 1: see recall/facts.ts. */
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

/** What is known about the query. */
export interface RankQuery {
  readonly mode: RecallMode;
  readonly fusion: FusionMethod;
  /** Inverse document frequency of term i, in the order of the bits of `termMask`. */
  readonly idf: readonly number[];
  /** Bit i is set when term i is an identifier. Default 0. */
  readonly identifierMask?: number;
  /** Dates that the query states. */
  readonly dates: readonly QueryDate[];
  /** Undefined when nobody knows what cosines are worth: `relevance` reads words then. */
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
