// The scales that make the values of the candidates of one query comparable.

import { BM25_DEFAULTS } from "../lexical/score.ts";
import { type GroupHit, groupHits } from "./group.ts";
import type { Candidate, RankQuery } from "./types.ts";

/** The scales of one pool of candidates. */
export interface PoolScale {
  /** Best BM25 among the candidates; 1 when all are 0. */
  readonly bm25Max: number;
  /** The most that any passage could reach for the query's terms. */
  readonly bm25Best: number;
  readonly cosineMin: number;
  readonly cosineMax: number;
  /** Share of the query's terms in a mask, by rarity, 0 to 1. */
  readonly coverageOf: (mask: number) => number;
  /**
   * The worth of an identifier of the query that is in a mask, 0 to 1: 1 when one candidate holds
   * it, a quarter when two do, and so on by the square; of several the most.
   */
  readonly identifierOf: (mask: number) => number;
  /**
   * Fit of the candidate's container as a whole, 0 to 1: the BM25 of its best items
   * against that of the best container; in dense mode their scaled cosines. A memory stands for
   * itself, against the best session or collection.
   */
  readonly sessionOf: (candidate: Candidate) => number;
}

/** Reads the scales of a pool. */
export function poolScale(query: RankQuery, candidates: readonly Candidate[]): PoolScale {
  let bm25Max = 0;
  let cosineMin = Number.POSITIVE_INFINITY;
  let cosineMax = Number.NEGATIVE_INFINITY;
  for (const { bm25, cosine } of candidates) {
    bm25Max = Math.max(bm25Max, bm25);
    if (Number.isNaN(cosine)) continue;
    cosineMin = Math.min(cosineMin, cosine);
    cosineMax = Math.max(cosineMax, cosine);
  }
  const idfSum = query.idf.reduce((sum, idf) => sum + idf, 0);
  const cosines = { cosineMin, cosineMax };
  return {
    ...cosines,
    bm25Max: bm25Max === 0 ? 1 : bm25Max,
    bm25Best: idfSum * (BM25_DEFAULTS.k1 + 1),
    coverageOf: coverageBy(query.idf),
    identifierOf: identifierBy(query.identifierMask ?? 0, candidates),
    sessionOf: sessionShares(candidates, (one) =>
      query.mode === "dense" ? scaledCosine(cosines, one.cosine) : one.bm25,
    ),
  };
}

function identifierBy(
  identifiers: number,
  candidates: readonly Candidate[],
): (mask: number) => number {
  const holders = new Map<number, number>();
  for (let left = identifiers; left !== 0; left &= left - 1) {
    const bit = left & -left;
    holders.set(bit, candidates.filter(({ termMask }) => (termMask & bit) !== 0).length);
  }
  return (mask) => {
    let fewest = Number.POSITIVE_INFINITY;
    for (const [bit, count] of holders) if ((mask & bit) !== 0) fewest = Math.min(fewest, count);
    return 1 / fewest ** 2;
  };
}

/** Makes the function that gives the share of terms in a mask, by their rarity. */
export function coverageBy(idf: readonly number[]): (mask: number) => number {
  const all = idf.reduce((sum, one) => sum + one, 0);
  return (mask) => (all === 0 ? 0 : maskedSum(idf, mask) / all);
}

/** Gives a cosine as its place, 0 to 1, in the span of the pool; 0 when there is none. */
export function scaledCosine(
  scale: Pick<PoolScale, "cosineMin" | "cosineMax">,
  cosine: number,
): number {
  if (Number.isNaN(cosine)) return 0;
  const span = scale.cosineMax - scale.cosineMin;
  if (!(span > 0)) return 0;
  return Math.min(1, Math.max(0, (cosine - scale.cosineMin) / span));
}

function sessionShares(
  candidates: readonly Candidate[],
  scoreOf: (candidate: Candidate) => number,
): (candidate: Candidate) => number {
  const hits: GroupHit[] = [];
  for (const one of candidates) {
    if (!one.isMemory) hits.push({ container: one.container, score: scoreOf(one) });
  }
  const groups = groupHits(hits);
  const best = groups[0]?.score ?? 0;
  const shares = new Map(groups.map(({ container, score }) => [container, score]));
  return (candidate) => {
    if (best === 0) return 0;
    if (candidate.isMemory) return Math.min(1, Math.max(0, scoreOf(candidate)) / best);
    return (shares.get(candidate.container) ?? 0) / best;
  };
}

function maskedSum(idf: readonly number[], mask: number): number {
  let sum = 0;
  for (let bit = 0; bit < idf.length; bit++) if ((mask & (1 << bit)) !== 0) sum += idf[bit] ?? 0;
  return sum;
}
