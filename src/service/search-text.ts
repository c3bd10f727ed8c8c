// How texts are searched for words: terms, occurrences, and the piece around the first of them.

import { LIMITS } from "../domain/limits.ts";

/** What was found in one text. */
export interface TextHit {
  /** How often the terms occur, all together; those of one term do not overlap. */
  readonly count: number;
  /**
   * The text around the earliest occurrence, at most LIMITS.searchSnippetChars code points, with
   * marks where something is left out.
   */
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

/** The mark of omitted text. */
const LEFT_OUT = "…";
/** A mark and a space, in front and behind. */
const MARKS_CHARS = 4;
// A word is what stands between white space; in scripts without spaces every character is one.
const SPACE =
  "\\s\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
const PART_IN_FRONT = new RegExp(`^[^${SPACE}]+`, "u");
const PART_BEHIND = new RegExp(`[^${SPACE}]+$`, "u");

/**
 * The text around a piece of it, from the beginning of a word to the end of one: the piece in the
 * middle, unless an end of the text is near. Marks say where something is left out.
 */
function around(text: string, { from, to }: Place): string {
  const most = LIMITS.searchSnippetChars;
  if (text.length <= most * 2 && [...text].length <= most) return text;
  const max = most - MARKS_CHARS;
  // No code point takes more than two units; half a pair at the far end is dropped.
  const piece = points(text.slice(from, Math.min(to, from + max * 2))).slice(0, max);
  const before = points(text.slice(Math.max(0, from - max * 2), from)).slice(-max);
  const after = points(text.slice(to, to + max * 2)).slice(0, max);
  const free = max - piece.length;
  const left = Math.min(before.length, Math.max(Math.floor(free / 2), free - after.length));
  const head = left === 0 ? "" : before.slice(-left).join("");
  const body = piece.join("");
  const tail = after.slice(0, free - left).join("");
  const isWhole = from + body.length + tail.length >= text.length;
  return (head.length < from ? opened(head) : head) + body + (isWhole ? tail : closed(tail));
}

/** A text without the part of a word that it begins with; a word without an end is kept. */
function opened(head: string): string {
  const words = head.replace(PART_IN_FRONT, "");
  return words === "" ? `${LEFT_OUT}${head}` : `${LEFT_OUT} ${words.trimStart()}`;
}

/** A text without the part of a word that it ends with; a word without a beginning is kept. */
function closed(tail: string): string {
  const words = tail.replace(PART_BEHIND, "");
  return words === "" ? `${tail}${LEFT_OUT}` : `${words.trimEnd()} ${LEFT_OUT}`;
}

/** The whole code points of a text. */
function points(text: string): string[] {
  return [...text].filter((character) => character.isWellFormed());
}
