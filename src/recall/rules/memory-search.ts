// The scorings of other systems: how well one memory fits the words of a query.

import { holdsPart } from "../../kit/find-part.ts";
import { describeStructure, type Memory } from "../../memory/rules/memory.ts";
import { holdsText } from "./memory-filter.ts";

/** Terms are longer than this. */
const TERM_CHARS = 2;
/** The score of a memory without any term, and what all terms add. */
const ENTITY_SCORE = { base: 0.55, share: 0.3 } as const;
const EPISODE_SCORE = { base: 0.35, share: 0.2 } as const;

/** The terms of a query for overlapScore: runs of word characters, each as often as it stands. */
export function overlapTerms(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.filter((word) => [...word].length > TERM_CHARS);
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
export function overlapScore(memory: Memory, terms: readonly string[]): number | undefined {
  const text = overlapText(memory);
  const found = terms.filter((term) => holdsPart(text, term)).length;
  if (found === 0) return undefined;
  const share = found / terms.length;
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

/** Whether a whole query is a part of the text or of a topic. A blank one is part of all. */
export function substringFits({ content }: Memory, query: string): boolean {
  return query.trim() === "" || holdsText(content, query.toLowerCase());
}
