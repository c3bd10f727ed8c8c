// Checks of hook answers about long-term memory: whether a model, a server or a worker answered,
// only valid answers pass.

import { checkExtracted, checkResolution, scoresIn } from "../memory/extract/check.ts";
import type { Extracted, ExtractInput, Resolution } from "../memory/rules/extracted.ts";
import { toUnitLength } from "../recall/embed/embedder.ts";
import { HookFailure } from "./port.ts";

/** An answer as it was read; undefined when it is not of the form. */
function ofForm<T>(answer: T | undefined): T {
  if (answer === undefined) throw invalid();
  return answer;
}

function invalid(what = "The response does not have the requested form."): HookFailure {
  return new HookFailure("invalid-output", what);
}

/** Checks the facts found in messages. Throws HookFailure `invalid-output`. */
export function checkedExtracted(
  answer: unknown,
  { lines, targets }: Pick<ExtractInput, "lines" | "targets">,
): Extracted {
  const messageIds = lines.map((line) => line.messageId);
  return ofForm(checkExtracted(answer, { messageIds, targets }));
}

/** Checks importance scores and clamps them to 0 to 1. Throws HookFailure. */
export function checkedImportance(answer: unknown, count: number): readonly number[] {
  const scores = ofForm(scoresIn(answer));
  return checkedScores(scores, count).map((score) => Math.min(1, Math.max(0, score)));
}

/** Checks the resolution of a contradiction. Throws HookFailure `invalid-output`. */
export function checkedResolution(answer: unknown): Resolution {
  return ofForm(checkResolution(answer));
}

// Checks of the answers of embedding and reranking hooks: only numbers that can be compared pass.

/** Checks the vectors of some texts and scales them. Throws HookFailure `invalid-output`. */
export function checkedVectors(
  vectors: readonly unknown[],
  count: number,
  dimensions: number,
): Float32Array[] {
  if (vectors.length !== count)
    throw invalid("The response has a different number of vectors than requested.");
  return vectors.map((given) => {
    if (!Array.isArray(given) || given.length !== dimensions) {
      throw invalid(`A vector of the response does not have ${dimensions} values.`);
    }
    const vector = Float32Array.from(given as readonly number[]);
    // Texts, nulls and numbers too large for 32 bits do not become finite numbers.
    if (!given.every((value) => typeof value === "number") || !vector.every(Number.isFinite)) {
      throw invalid("A vector of the response has a value that is not a finite number.");
    }
    return scaled(vector);
  });
}

/** Scales a vector to length 1, even when its squares overflow or underflow. */
function scaled(vector: Float32Array): Float32Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return vector;
  return toUnitLength(vector.map((value) => value / largest));
}

/** Checks the scores of some texts. Throws HookFailure `invalid-output`. */
export function checkedScores(scores: readonly unknown[], count: number): number[] {
  if (scores.length !== count)
    throw invalid("The response has a different number of scores than requested.");
  return scores.map((score) => {
    if (typeof score !== "number" || !Number.isFinite(score)) {
      throw invalid("A score of the response is not a finite number.");
    }
    return score;
  });
}
