// The newest part of a text that must be cut: whole sentences where there are any. Summaries grow
// at their end: the newest text comes last.

import { proseSentences } from "../builtin/sentences.ts";

const LINE = /[^\n]*\n+|[^\n]+$/g;
const WORD = /\S+/g;
const CUT_MARK = "… ";

/**
 * The ends of a text, the longest first: the whole text, then the part from each later sentence or
 * line on, then the end of the last one behind a cut mark, word by word.
 */
export function newestParts(text: string): readonly string[] {
  const starts = sentenceStarts(text);
  const parts = starts.map((start) => text.slice(start));
  const last = parts.at(-1) ?? "";
  for (const { index } of last.matchAll(WORD)) {
    if (index > 0) parts.push(CUT_MARK + last.slice(index));
  }
  return parts;
}

function sentenceStarts(text: string): readonly number[] {
  const starts: number[] = [];
  for (const { 0: line, index } of text.matchAll(LINE)) {
    let start = index;
    for (const sentence of proseSentences(line)) {
      const blank = /^\s*/.exec(sentence)?.[0].length ?? 0;
      if (blank < sentence.length) starts.push(start + blank);
      start += sentence.length;
    }
  }
  return starts;
}
