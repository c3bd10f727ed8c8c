// What somebody states in a text: the sentences that say how something is, as they were said.

import type { ExtractedFact } from "../extracted.ts";
import { ownText } from "./own-text.ts";
import { extractByRules } from "./rules.ts";
import { HOLE, ruleSentences } from "./rules-text.ts";

/** The statements of a text, as they were said. */
export function statementsOf(text: string): readonly string[] {
  return ruleSentences(ownText(text)).flatMap(({ isOpen, text: sentence, end }) =>
    isOpen || sentence.includes(HOLE) ? [] : [`${sentence}${end === "" ? "." : end}`],
  );
}

/** What the rules find in a statement; undefined when that is nothing that lasts. */
export function factOf(statement: string): ExtractedFact | undefined {
  const line = { role: "user", text: statement, name: "", messageId: "", saidMs: 0 } as const;
  return extractByRules([line], ["facts"]).facts[0];
}
