// The flags of an item, read once when it is indexed, and the relevance of a candidate.

import type { PoolScale } from "./pool-scale.ts";
import { dateMatch } from "./query-hints.ts";
import type { Background, Candidate, RankQuery } from "./types.ts";

/** Set when the item ends as a question. */
export const FLAG_QUESTION = 1;
/** Set when an assistant without a name wrote the item. */
export const FLAG_PLAIN_ASSISTANT = 2;

/** The fields of an item that its flags depend on. */
export interface FlaggedItem {
  /** A message of the model, not of a user, a tool or a document. */
  readonly isAssistant: boolean;
  /** The author's name, empty when there is none. */
  readonly author: string;
  readonly text: string;
}

const QUESTION_END = /[?？؟]["'”’)\]*_\s]*$/u;

// Only the end is read, so that a long text costs no more than a short one.
const TAIL_CHARS = 32;

/** Gives the flags of an item, at most 16 bits. */
export function itemFlags(item: FlaggedItem): number {
  let flags = 0;
  if (QUESTION_END.test(item.text.slice(-TAIL_CHARS))) flags |= FLAG_QUESTION;
  if (item.isAssistant && item.author === "") flags |= FLAG_PLAIN_ASSISTANT;
  return flags;
}

// Probability that a hit fits the query at all. Fused scores compare the candidates of one
// query with each other, so the best of a hopeless lot looks good; this reads only values that mean
// the same for every query, and so can tell that nothing fits.
//
// The probability is a logistic function whose constants were fitted on three sets of
// conversations: hits that hold the evidence of a question against other hits of it and against the
// hits of the same question asked of other conversations, both sides with the same total weight.
// The two constants of dates were fitted after the others, on the questions that state one, so that
// they change nothing where none is stated.

interface Constants {
  readonly base: number;
  /** Of the share of the query's terms in the item, by rarity. */
  readonly coverage: number;
  /** Of the item's BM25 as a share of the most that the query could reach. */
  readonly words: number;
  /** Of the best neighbor's BM25 as such a share. */
  readonly neighbors: number;
  /** Of the raw cosine. */
  readonly cosine: number;
  /** Of an author whom the query names. */
  readonly author: number;
  /** Of a query that states a date, where the item has a time. */
  readonly dated: number;
  /** Of how well that time matches the date. */
  readonly date: number;
}

/** Without vectors, or with vectors whose background is not known. */
const BY_WORDS: Constants = {
  ...{ base: -2.85, coverage: 1.05, words: 11.1, neighbors: 8.5, cosine: 0, author: 0.8 },
  ...{ dated: -1.1, date: 2.15 },
};

/**
 * The background of the static embedder: the average over the questions that the constants were
 * fitted to. Cosines of other models are read by how far they stand out of their own.
 */
export const STATIC_BACKGROUND: Background = { mean: 0.13, deviation: 0.12 };

const BY_BOTH: Constants = {
  ...{ base: -4.4, coverage: 2.4, words: 1.7, neighbors: 7, cosine: 5.9, author: 1.8 },
  ...{ dated: -1.6, date: 2.75 },
};

const BY_VECTORS: Constants = {
  ...{ base: -5.5, coverage: 0, words: 0, neighbors: 0, cosine: 10.6, author: 3.4 },
  ...{ dated: -2.8, date: 4.7 },
};

/**
 * Of an identifier of the query that one candidate alone holds. Chosen, not fitted: the sets hardly
 * ask for any, and whoever names one means what holds it.
 */
const IDENTIFIER = 3;

/**
 * The floor to use where "nothing fits" is a good answer. In hybrid mode with the static embedder
 * it turned away 79 percent of questions that were asked of a conversation that does not hold the
 * answer, and 3 percent of those that found theirs; 0.3 turned away 56 and 1, 0.6 turned away 87
 * and 6. Of a set that took no part in the fit, 0.4 turned away 52 to 88 and 4 to 13. By words
 * alone 0.5 turned away 85 and 6, by vectors alone 70 and 3.
 */
export const NOTHING_FITS_FLOOR = 0.5;

/**
 * The floors of a context: of the best item of a section, without which the section stays empty,
 * and of each item. Chosen by `bench:context` so that hardly any evidence is lost; see
 * bench/README.md.
 */
export const CONTEXT_FLOORS = { best: 0.25, each: 0.05 } as const;

/**
 * Gives the probability, 0 to 1, that a candidate fits the query. Cosines count where their
 * background is known, and in dense mode, where there is nothing else, as those of the static
 * embedder if it is not.
 */
export function relevanceOf(query: RankQuery, candidate: Candidate, scale: PoolScale): number {
  const constants = constantsOf(query, candidate);
  const share = (bm25: number): number => (scale.bm25Best === 0 ? 0 : bm25 / scale.bm25Best);
  const cosine = Number.isNaN(candidate.cosine) ? 0 : staticCosine(query, candidate.cosine);
  const sum =
    constants.base +
    constants.coverage * scale.coverageOf(candidate.termMask) +
    constants.words * share(candidate.bm25) +
    constants.neighbors * share(Math.max(...candidate.neighborBm25)) +
    constants.cosine * cosine +
    (candidate.authorNamed ? constants.author : 0) +
    (query.mode === "dense" ? 0 : IDENTIFIER * scale.identifierOf(candidate.termMask)) +
    dateTerm(constants, query, candidate);
  return 1 / (1 + Math.exp(-sum));
}

/** The cosine of the static embedder that stands out of its background as far as this one does. */
function staticCosine(
  { background = STATIC_BACKGROUND }: Pick<RankQuery, "background">,
  cosine: number,
): number {
  if (background === STATIC_BACKGROUND) return cosine;
  const { mean, deviation } = STATIC_BACKGROUND;
  return mean + (deviation * (cosine - background.mean)) / background.deviation;
}

function dateTerm({ dated, date }: Constants, { dates }: RankQuery, { timeMs }: Candidate): number {
  if (dates.length === 0 || timeMs === 0) return 0;
  return dated + date * dateMatch(dates, timeMs);
}

function constantsOf(query: RankQuery, candidate: Candidate): Constants {
  if (query.mode === "dense") return BY_VECTORS;
  const hasCosine = query.mode === "hybrid" && !Number.isNaN(candidate.cosine);
  return hasCosine && query.background !== undefined ? BY_BOTH : BY_WORDS;
}
