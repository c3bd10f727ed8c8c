// How important texts are by rules.

import {
  compileRules,
  DEFAULT_IMPORTANCE_RULES,
  scoreBudget,
  scoreText,
} from "../../domain/memories/importance.ts";
import type { ImportanceRule } from "../../domain/memories/policy.ts";
import type { StoredMessage } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { ImportanceScore } from "../memory-api.ts";
import type { MemoryParts } from "./parts.ts";
import { speechOf } from "./promotable.ts";

/** Texts of so many characters are scored in one turn of the event loop. */
const TURN_CHARS = 16_384;
/** Places of phrases that take as long to look at as a character to read. */
const PLACES_A_CHAR = 16;

/** Scores a text, or without one messages that say something. */
export async function scoreImportance(
  { context, pace }: Pick<MemoryParts, "context" | "pace">,
  call: Call,
  what: {
    readonly text: string;
    readonly messages: readonly StoredMessage[];
    /** None means those of the server. */
    readonly rules: readonly ImportanceRule[];
  },
): Promise<readonly ImportanceScore[]> {
  const { text: alone, messages, rules } = what;
  const spoken = messages.flatMap((message) => {
    const text = speechOf(context, message);
    return text === "" ? [] : [{ messageId: message.messageId, text }];
  });
  const compiled = compileRules(rules.length === 0 ? DEFAULT_IMPORTANCE_RULES : rules);
  const scores: ImportanceScore[] = [];
  let work = 0;
  for (const { messageId, text } of alone === "" ? spoken : [{ messageId: "", text: alone }]) {
    checkLive(call.signal);
    if (work > TURN_CHARS) {
      await pace.turn(true);
      work = 0;
    }
    const budget = scoreBudget();
    const before = budget.left;
    scores.push({ messageId, ...scoreText(compiled, text, budget) });
    work += text.length + (before - budget.left) / PLACES_A_CHAR;
  }
  return scores;
}
