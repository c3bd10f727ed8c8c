// What somebody states in a text: the sentences that say how something is.

import { HOLE, ruleSentences } from "./rules-text.ts";

/** The statements of a text, one after the other; empty for none. */
export function statementsOf(text: string): string {
  return ruleSentences(text)
    .filter(({ isOpen, text: sentence }) => !isOpen && !sentence.includes(HOLE))
    .map(({ text: sentence }) => `${sentence}.`)
    .join(" ");
}
