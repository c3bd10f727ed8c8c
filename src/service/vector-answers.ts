// What hooks that make vectors or put texts in order give, checked: whatever a model answers, only
// numbers that can be compared get further.

import { toUnitLength } from "../embed/embedder.ts";
import { HookFailure } from "./hook-port.ts";

function invalid(what: string): HookFailure {
  return new HookFailure("invalid-output", what);
}

/** Checks the vectors of some texts and scales them. Throws HookFailure `invalid-output`. */
export function checkedVectors(
  vectors: readonly unknown[],
  count: number,
  dimensions: number,
): Float32Array[] {
  if (vectors.length !== count) throw invalid("The answer has another number of vectors.");
  return vectors.map((given) => {
    if (!Array.isArray(given) || given.length !== dimensions) {
      throw invalid(`A vector of the answer has not ${dimensions} values.`);
    }
    const vector = Float32Array.from(given as readonly number[]);
    // Texts, nulls and what is too large for 32 bits become no finite number.
    if (!given.every((value) => typeof value === "number") || !vector.every(Number.isFinite)) {
      throw invalid("A vector of the answer has a value that is no finite number.");
    }
    return scaled(vector);
  });
}

/** Scales a vector to length 1, also one whose squares are too large or too small to add up. */
function scaled(vector: Float32Array): Float32Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return vector;
  return toUnitLength(vector.map((value) => value / largest));
}

/** Checks the scores of some texts. Throws HookFailure `invalid-output`. */
export function checkedScores(scores: readonly unknown[], count: number): number[] {
  if (scores.length !== count) throw invalid("The answer has another number of scores.");
  return scores.map((score) => {
    if (typeof score !== "number" || !Number.isFinite(score)) {
      throw invalid("A score of the answer is no finite number.");
    }
    return score;
  });
}
