// Joins what the legs and the items say into one score a candidate, and sorts by it.

import { featureValues, partsOf, scoreOf, weightsOfMode } from "./features.ts";
import { poolScale } from "./pool-scale.ts";
import { reciprocalRankParts } from "./reciprocal-rank.ts";
import { relevanceOf } from "./relevance.ts";
import type { Candidate, Ranked, RankQuery, ScoreParts } from "./types.ts";
import type { RecallWeights } from "./weights.ts";

/** Says of the candidates of one query what they score and why. */
interface Scorer {
  readonly scoreOf: (index: number) => number;
  readonly partsOf: (index: number) => ScoreParts;
  readonly relevanceOf: (index: number) => number;
}

/** A candidate with its score; what explains it is made when it is read. */
class Placed implements Ranked {
  readonly index: number;
  readonly score: number;
  readonly #scorer: Scorer;

  constructor(index: number, score: number, scorer: Scorer) {
    this.index = index;
    this.score = score;
    this.#scorer = scorer;
  }

  get relevance(): number {
    return this.#scorer.relevanceOf(this.index);
  }

  get parts(): ScoreParts {
    return this.#scorer.partsOf(this.index);
  }
}

/**
 * Scores candidates and sorts them, best first; equal scores are in the order of container and
 * position. The same input always gives the same answer. The parts of a score and the relevance are
 * made when they are read: a search ranks hundreds of candidates and gives ten.
 */
export function rankCandidates(
  query: RankQuery,
  candidates: readonly Candidate[],
  weights: RecallWeights,
): Ranked[] {
  const scorer = scorerOf(query, candidates, weights);
  const scores = Float64Array.from(candidates.keys(), scorer.scoreOf);
  const order = Array.from(candidates.keys());
  order.sort(
    (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || inOrder(candidates[a], candidates[b]),
  );
  return order.map((index) => new Placed(index, scores[index] ?? 0, scorer));
}

function scorerOf(
  query: RankQuery,
  candidates: readonly Candidate[],
  weights: RecallWeights,
): Scorer {
  const scale = poolScale(query, candidates);
  const at = (index: number): Candidate => {
    const candidate = candidates[index];
    if (candidate === undefined) throw new Error("there is no such candidate");
    return candidate;
  };
  const relevance = (index: number): number => relevanceOf(query, at(index), scale);
  if (query.fusion === "reciprocal-rank") {
    const all = reciprocalRankParts(query, candidates);
    const partsAt = (index: number): ScoreParts => all[index] ?? [];
    const sum = (index: number): number =>
      partsAt(index).reduce((total, part) => total + part.score, 0);
    return { scoreOf: sum, partsOf: partsAt, relevanceOf: relevance };
  }
  const ofMode = weightsOfMode(weights, query.mode);
  const values = (index: number): number[] =>
    featureValues(query, at(index), scale, weights.recencyHalfLife);
  return {
    scoreOf: (index) => scoreOf(values(index), ofMode),
    partsOf: (index) => partsOf(values(index), ofMode),
    relevanceOf: relevance,
  };
}

function inOrder(a: Candidate | undefined, b: Candidate | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return a.container - b.container || a.position - b.position;
}
