// Reciprocal rank fusion: each leg gives 1 / (k + rank), and nothing else counts.

import type { Candidate, RankQuery, ScoreFeature, ScorePart } from "./types.ts";
import { RECIPROCAL_RANK_K } from "./weights.ts";

interface Found {
  readonly candidate: Candidate;
  readonly index: number;
  readonly value: number;
}

/** Gives the parts of every candidate. What a leg did not find gets nothing from it. */
export function reciprocalRankParts(
  query: RankQuery,
  candidates: readonly Candidate[],
): ScorePart[][] {
  const parts: ScorePart[][] = candidates.map(() => []);
  if (query.mode !== "dense") {
    const found = foundOf(candidates, (one) => one.bm25).filter(({ value }) => value > 0);
    addLeg(parts, "wordsRank", found);
  }
  if (query.mode !== "lexical") {
    const found = foundOf(candidates, (one) => one.cosine);
    addLeg(
      parts,
      "denseRank",
      found.filter(({ value }) => !Number.isNaN(value)),
    );
  }
  for (const own of parts) own.sort((a, b) => b.score - a.score);
  return parts;
}

function foundOf(candidates: readonly Candidate[], read: (one: Candidate) => number): Found[] {
  return candidates.map((candidate, index) => ({ candidate, index, value: read(candidate) }));
}

function addLeg(parts: ScorePart[][], feature: ScoreFeature, found: Found[]): void {
  found.sort((a, b) => {
    const { candidate: one } = a;
    const { candidate: other } = b;
    const byPlace = one.container - other.container || one.position - other.position;
    return b.value - a.value || byPlace;
  });
  for (const [rank, { index }] of found.entries()) {
    const value = 1 / (RECIPROCAL_RANK_K + rank + 1);
    parts[index]?.push({ feature, value, weight: 1, score: value });
  }
}
