// Candidates and queries for tests of the ranking, with nothing said but what a test gives.

import type { Candidate, RankQuery } from "../../../src/recall/rank/types.ts";

/** A candidate about which no leg says anything. */
export function candidateOf(rest: Partial<Candidate> = {}): Candidate {
  return {
    ...{ container: 1, position: 1, bm25: 0, neighborBm25: [0, 0, 0, 0], cosine: Number.NaN },
    neighborCosine: [Number.NaN, Number.NaN, Number.NaN, Number.NaN],
    ...{ termMask: 0, nearWords: 0, words: 10, flags: 0, authorNamed: false, timeMs: 0 },
    ...{ importance: 0.5, trust: 0.5 },
    ...{ isMemory: false, confidence: 0, facts: 0, entities: 0 },
    ...rest,
  };
}

/** A query of two terms, of which the second is three times as rare. */
export function rankQueryOf(rest: Partial<RankQuery> = {}): RankQuery {
  return {
    ...{ mode: "hybrid", fusion: "scores", idf: [1, 3], dates: [], referenceTimeMs: 0 },
    ...rest,
  };
}
