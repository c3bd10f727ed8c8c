// ScoreImportance: how important texts are by rules.

import {
  compileRules,
  DEFAULT_IMPORTANCE_RULES,
  scoreBudget,
  scoreText,
} from "../../domain/memories/importance.ts";
import type { ImportanceRule } from "../../domain/memories/policy.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { MemoryParts } from "./parts.ts";

/** Texts of so many characters are scored in one turn of the event loop. */
const TURN_CHARS = 16_384;
/** Places of phrases that take as long to look at as a character to read. */
const PLACES_A_CHAR = 16;

/** Scores texts. */
export async function scoreImportance(
  { pace }: MemoryParts,
  call: Call,
  input: { readonly texts: readonly string[]; readonly rules: readonly ImportanceRule[] },
): Promise<readonly { readonly score: number; readonly rule: string }[]> {
  const { texts, rules } = input;
  const compiled = compileRules(rules.length === 0 ? DEFAULT_IMPORTANCE_RULES : rules);
  const scores: { score: number; rule: string }[] = [];
  let work = 0;
  for (const text of texts) {
    checkLive(call.signal);
    if (work > TURN_CHARS) {
      await pace.turn(true);
      work = 0;
    }
    const budget = scoreBudget();
    const before = budget.left;
    scores.push(scoreText(compiled, text, budget));
    work += text.length + (before - budget.left) / PLACES_A_CHAR;
  }
  return scores;
}
