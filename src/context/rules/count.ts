// Token counts while a context is packed. Only the whole text counts in the end; what a line adds
// to it is known exactly under the plain rules, and closely under byte pair encodings.

import { type CountedRule, isExact } from "../../window/policy/token-rules.ts";
import { codePointsOf, wordsOf } from "../../window/policy/tokens.ts";

/** Counts for one context. */
export interface ContextCount {
  /** Token counts of texts by themselves. An empty one costs nothing. */
  texts(texts: readonly string[]): Promise<readonly number[]>;
  /** Tokens that a text adds to a longer one, given its own count. May be a fraction. */
  added(text: string, tokenCount: number): number;
  /** Tokens of a text before its first character. */
  readonly base: number;
}

const QUARTERS = 4;
const STRUCTURED_MESSAGE = 3;

/** Makes the counts of a rule. `count` gives whole numbers for texts that are not empty. */
export function contextCount(
  rule: CountedRule,
  count: (texts: readonly string[]) => Promise<readonly number[]>,
): ContextCount {
  return {
    texts: async (texts) => {
      const filled = texts.filter((text) => text !== "");
      const counts = await count(filled);
      let next = 0;
      return texts.map((text) => (text === "" ? 0 : (counts[next++] ?? 0)));
    },
    // The line break behind a line costs a token of its own at most.
    added: (text, tokenCount) => (isExact(rule.rule) ? tokenCount + 1 : addedBy(text, rule)),
    base: baseOf(rule),
  };
}

function baseOf({ rule, custom }: CountedRule): number {
  if (rule === "structured") return STRUCTURED_MESSAGE;
  return rule === "custom" ? (custom?.perMessage ?? 0) : 0;
}

function addedBy(text: string, { rule, custom }: CountedRule): number {
  switch (rule) {
    case "words":
      return wordsOf(text);
    case "bytes-div-4":
    case "given":
      return Buffer.byteLength(text) / QUARTERS;
    case "custom":
      return codePointsOf(text) / (custom?.charsPerToken ?? QUARTERS);
    default:
      return codePointsOf(text) / QUARTERS;
  }
}
