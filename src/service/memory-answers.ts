// What hooks answer about long-term memory, checked: whatever a model, a server or a worker gives,
// only what keeps the rules gets further.

import { checkExtracted, checkResolution, scoresIn } from "../domain/memories/extract/check.ts";
import type { Extracted, ExtractInput, Resolution } from "../domain/memories/extracted.ts";
import { HookFailure } from "./hook-port.ts";
import { checkedScores } from "./vector-answers.ts";

function invalid(): HookFailure {
  return new HookFailure("invalid-output", "The answer is not of the form that was asked for.");
}

/** Checks what was found in messages. Throws HookFailure `invalid-output`. */
export function checkedExtracted(
  answer: unknown,
  { lines, targets }: Pick<ExtractInput, "lines" | "targets">,
): Extracted {
  const messageIds = lines.map((line) => line.messageId);
  const extracted = checkExtracted(answer, { messageIds, targets });
  if (extracted === undefined) throw invalid();
  return extracted;
}

/** Checks how important texts are; numbers outside become the nearer end. Throws HookFailure. */
export function checkedImportance(answer: unknown, count: number): readonly number[] {
  const scores = scoresIn(answer);
  if (scores === undefined) throw invalid();
  return checkedScores(scores, count).map((score) => Math.min(1, Math.max(0, score)));
}

/** Checks what becomes of memories. Throws HookFailure `invalid-output`. */
export function checkedResolution(answer: unknown): Resolution {
  const resolution = checkResolution(answer);
  if (resolution === undefined) throw invalid();
  return resolution;
}
