// Maximal marginal relevance: picks hits that score well and do not repeat those picked before.

/** The input of the selection. */
export interface MmrInput {
  /** Scores, best first; any scale. */
  readonly scores: readonly number[];
  /** Number of items to pick. */
  readonly count: number;
  /** 0 looks at scores alone, 1 at novelty alone. */
  readonly diversity: number;
  /** Similarity of two of them, 0 to 1. */
  readonly similarity: (a: number, b: number) => number;
}

/**
 * Gives the indexes of the picked, in the order of picking. A candidate's worth is its score,
 * scaled so that the candidates span 0 to 1, against its likeness to the nearest one picked; equal
 * worth goes to the better score. Costs `count` times the number of scores.
 */
export function selectDiverse(input: MmrInput): number[] {
  const { scores, diversity } = input;
  const scaled = scaledScores(scores);
  const nearest = scores.map(() => 0);
  const left = new Set(scores.keys());
  const picked: number[] = [];
  while (picked.length < input.count && left.size > 0) {
    let best = -1;
    let bestWorth = Number.NEGATIVE_INFINITY;
    for (const index of left) {
      const worth = (1 - diversity) * (scaled[index] ?? 0) - diversity * (nearest[index] ?? 0);
      if (worth > bestWorth) {
        best = index;
        bestWorth = worth;
      }
    }
    left.delete(best);
    picked.push(best);
    for (const index of left) {
      nearest[index] = Math.max(nearest[index] ?? 0, input.similarity(best, index));
    }
  }
  return picked;
}

/** Gives how alike two sets of query terms are: shared terms over all; 0 when both are empty. */
export function maskSimilarity(a: number, b: number): number {
  const union = bitCount(a | b);
  return union === 0 ? 0 : bitCount(a & b) / union;
}

function scaledScores(scores: readonly number[]): number[] {
  const max = Math.max(...scores);
  const span = max - Math.min(...scores);
  return scores.map((score) => (span > 0 ? 1 - (max - score) / span : 1));
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count += 1;
  return count;
}
