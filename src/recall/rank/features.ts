// The features of one candidate: each a value of known range that a weight is put on. A search
// ranks hundreds of candidates and gives ten, so values are numbers in a fixed order, and the parts
// that explain a score are only made of those that are given.

import { type PoolScale, scaledCosine } from "./pool-scale.ts";
import { dateMatch } from "./query-hints.ts";
import { FLAG_PLAIN_ASSISTANT, FLAG_QUESTION } from "./relevance.ts";
import { type Candidate, type RankQuery, type ScorePart, WEIGHTED_FEATURES } from "./types.ts";
import { DENSE_NEIGHBOR_SHARES, NEIGHBOR_SHARES, type RecallWeights } from "./weights.ts";

// Up to this many words an item counts as short: about one spoken turn.
const SHORT_WORDS = 60;
const DAY_MS = 86_400_000;

/** Computes the features of one candidate out of a pool, in the order of WEIGHTED_FEATURES. */
export function featureValues(
  query: RankQuery,
  candidate: Candidate,
  scale: PoolScale,
  recencyHalfLifeDays: number,
): number[] {
  const { flags, timeMs } = candidate;
  const hasWords = query.mode !== "dense";
  return [
    hasWords ? candidate.bm25 / scale.bm25Max : 0,
    hasWords ? neighborBm25(candidate.neighborBm25) / scale.bm25Max : 0,
    query.mode === "lexical" ? 0 : denseValue(candidate, scale),
    hasWords ? scale.coverageOf(candidate.termMask) : 0,
    query.mode === "hybrid" ? candidate.nearWords : 0,
    hasWords ? scale.identifierOf(candidate.termMask) : 0,
    candidate.authorNamed ? 1 : 0,
    (flags & FLAG_PLAIN_ASSISTANT) === 0 ? 0 : -1,
    -Math.log(Math.max(1, candidate.words / SHORT_WORDS)),
    (flags & FLAG_QUESTION) === 0 ? 0 : -1,
    dateMatch(query.dates, timeMs),
    recencyOf(query.referenceTimeMs, timeMs, recencyHalfLifeDays),
    candidate.importance,
    candidate.trust,
    scale.sessionOf(candidate),
    candidate.confidence,
    candidate.facts,
    candidate.entities,
  ];
}

/**
 * Gives the weights as a mode uses them, in the order of WEIGHTED_FEATURES. Without words, the
 * vectors have their share as well, so that they stay the greater part of a score.
 */
export function weightsOfMode(weights: RecallWeights, mode: RankQuery["mode"]): number[] {
  const extra = mode === "dense" ? weights.words : 0;
  return WEIGHTED_FEATURES.map((name) => weights[name] + (name === "dense" ? extra : 0));
}

/** Puts weights on values; gives the parts that add something, by falling score. */
export function partsOf(values: readonly number[], weights: readonly number[]): ScorePart[] {
  const parts: ScorePart[] = [];
  for (const [place, feature] of WEIGHTED_FEATURES.entries()) {
    const value = values[place] ?? 0;
    const weight = weights[place] ?? 0;
    const score = value * weight;
    if (score !== 0) parts.push({ feature, value, weight, score });
  }
  return parts.sort((a, b) => b.score - a.score);
}

const sorted = new Float64Array(WEIGHTED_FEATURES.length);

/** Gives the sum of the parts to the last bit: what is added first changes how it is rounded. */
export function scoreOf(values: readonly number[], weights: readonly number[]): number {
  for (let place = 0; place < sorted.length; place++) {
    const score = (values[place] ?? 0) * (weights[place] ?? 0);
    let at = place;
    for (; at > 0 && (sorted[at - 1] ?? 0) < score; at--) sorted[at] = sorted[at - 1] ?? 0;
    sorted[at] = score;
  }
  let sum = 0;
  for (let place = 0; place < sorted.length; place++) sum += sorted[place] ?? 0;
  return sum;
}

function neighborBm25([before2, before1, after1, after2]: Candidate["neighborBm25"]): number {
  const [far, near, next, last] = NEIGHBOR_SHARES;
  return far * before2 + near * before1 + next * after1 + last * after2;
}

function denseValue({ cosine, neighborCosine }: Candidate, scale: PoolScale): number {
  let value = scaledCosine(scale, cosine);
  for (let place = 0; place < neighborCosine.length; place++) {
    const share = DENSE_NEIGHBOR_SHARES[place] ?? 0;
    if (share !== 0) value += share * scaledCosine(scale, neighborCosine[place] ?? Number.NaN);
  }
  return value;
}

function recencyOf(referenceTimeMs: number, timeMs: number, halfLifeDays: number): number {
  if (referenceTimeMs === 0 || timeMs === 0) return 0;
  const days = Math.max(0, referenceTimeMs - timeMs) / DAY_MS;
  return 2 ** (-days / halfLifeDays);
}
