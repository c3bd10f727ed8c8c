// The scorings of other systems: how well one memory fits the words of a query.

import { holdsPart } from "../../kit/find-part.ts";
import { describeStructure, type Memory } from "../../memory/rules/memory.ts";
import { holdsText } from "./memory-filter.ts";

/** Terms are longer than this. */
const TERM_CHARS = 2;
/** The score of a memory without any term, and what all terms add. */
const ENTITY_SCORE = { base: 0.55, share: 0.3 } as const;
const EPISODE_SCORE = { base: 0.35, share: 0.2 } as const;

/** The terms of a query for overlapScore: runs of word characters, with how often each stands. */
export function overlapTerms(query: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  for (const [word] of query.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    if ([...word].length > TERM_CHARS) terms.set(word, (terms.get(word) ?? 0) + 1);
  }
  return terms;
}

/** The searched text in lower case. */
function overlapText({ content: { text, structure } }: Memory): string {
  if (structure?.kind === "episode") {
    const { userText, assistantText } = structure.episode;
    return `${userText} ${assistantText}`.toLowerCase();
  }
  return (structure === undefined ? text : describeStructure(structure)).toLowerCase();
}

/** The score by the share of the terms that are parts of the text; undefined when none is. */
export function overlapScore(
  memory: Memory,
  terms: ReadonlyMap<string, number>,
): number | undefined {
  const text = overlapText(memory);
  let all = 0;
  let found = 0;
  for (const [term, times] of terms) {
    all += times;
    if (holdsPart(text, term)) found += times;
  }
  if (found === 0) return undefined;
  const share = found / all;
  const { kind, content } = memory;
  if (kind === "entity" || kind === "relation") {
    return ENTITY_SCORE.base + ENTITY_SCORE.share * share;
  }
  if (kind === "episode") return EPISODE_SCORE.base + EPISODE_SCORE.share * share;
  return content.importance * (0.5 + 0.5 * share);
}

/** The words of a query for wordCountRank: what white space parts, each once. */
export function queryWords(query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/u);
  return [...new Set(words)].filter((word) => word !== "");
}

/** Number of words that are parts of the text or of the category. */
export function wordCountRank({ content }: Memory, words: readonly string[]): number {
  const text = content.text.toLowerCase();
  const category = content.category.toLowerCase();
  return words.filter((word) => holdsPart(text, word) || holdsPart(category, word)).length;
}

/** Whether a whole query in lower case is in the text or in a topic. A blank one is in all. */
export function substringFits({ content }: Memory, query: string): boolean {
  return query.trim() === "" || holdsText(content, query);
}
