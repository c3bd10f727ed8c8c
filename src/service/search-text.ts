// How texts are searched for words: terms, occurrences, and the piece around the first of them.

import { LIMITS } from "../domain/limits.ts";

/** What was found in one text. */
export interface TextHit {
  /** How often the terms occur, all together; those of one term do not overlap. */
  readonly count: number;
  /** The text around the earliest occurrence, at most LIMITS.searchSnippetChars code points. */
  readonly snippet: string;
}

/** The different words of a query in lower case, in their order; empty for a blank query. */
export function searchTerms(query: string): readonly string[] {
  return [...new Set(query.toLowerCase().split(/\s+/u))].filter((term) => term !== "");
}

/** Looks for terms in a text, without case. Undefined when none occurs. */
export function findTerms(text: string, terms: readonly string[]): TextHit | undefined {
  const lower = text.toLowerCase();
  let count = 0;
  let first = Number.POSITIVE_INFINITY;
  let length = 0;
  for (const term of terms) {
    let at = lower.indexOf(term);
    if (at === -1) continue;
    if (at < first) {
      first = at;
      length = term.length;
    }
    for (; at !== -1; at = lower.indexOf(term, at + term.length)) count++;
  }
  if (count === 0) return undefined;
  return { count, snippet: around(text, placeIn(text, lower, first, first + length)) };
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Where a piece of the lower-cased text lies in the text itself. */
function placeIn(text: string, lower: string, from: number, to: number): Place {
  // Few letters change their length with their case.
  if (lower.length === text.length) return { from, to };
  let start = 0;
  let position = 0;
  let reached = 0;
  for (const character of text) {
    if (reached <= from) start = position;
    if (reached >= to) break;
    position += character.length;
    reached += character.toLowerCase().length;
  }
  return { from: start, to: position };
}

/** The text around a piece of it: the piece in the middle, unless an end of the text is near. */
function around(text: string, { from, to }: Place): string {
  const max = LIMITS.searchSnippetChars;
  // No code point takes more than two units; half a pair at the far end is dropped.
  const piece = points(text.slice(from, Math.min(to, from + max * 2))).slice(0, max);
  const before = points(text.slice(Math.max(0, from - max * 2), from)).slice(-max);
  const after = points(text.slice(to, to + max * 2)).slice(0, max);
  const free = max - piece.length;
  const left = Math.min(before.length, Math.max(Math.floor(free / 2), free - after.length));
  return [
    ...(left === 0 ? [] : before.slice(-left)),
    ...piece,
    ...after.slice(0, free - left),
  ].join("");
}

/** The whole code points of a text. */
function points(text: string): string[] {
  return [...text].filter((character) => character.isWellFormed());
}
