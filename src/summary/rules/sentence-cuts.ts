// Parts of a text that must be cut: whole sentences where there are any. Summaries grow at their
// end: the newest text comes last.

import { proseSentences } from "../builtin/sentences.ts";

const LINE = /[^\n]*\n+|[^\n]+$/g;
const WORD = /\S+/g;
const SPACE = /\s/;
const LONE_HIGH = /[\ud800-\udbff]$/;
const CUT_MARK = "… ";
const END_MARK = " …";

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

/**
 * The longest beginning of a text that fits: whole sentences, or words of the first one before a
 * cut mark. `fits` holds for every beginning of a text for which it holds. Undefined when nothing
 * fits.
 */
export function beginningThatFits(
  text: string,
  fits: (part: string) => boolean,
): string | undefined {
  if (fits(text)) return text;
  const ends = sentenceStarts(text).slice(1);
  const upTo = (count: number): string => text.slice(0, ends[count - 1]).trimEnd();
  const sentences = mostThatFit(ends.length, (count) => fits(upTo(count)));
  if (sentences > 0) return upTo(sentences);
  const chars = mostThatFit(text.length, (count) => fits(text.slice(0, count) + END_MARK));
  let end = chars;
  while (end > 0 && !SPACE.test(text.charAt(end))) end--;
  const words = text.slice(0, end).trimEnd();
  const kept = words === "" ? text.slice(0, chars).replace(LONE_HIGH, "") : words;
  return kept === "" ? undefined : kept + END_MARK;
}

/** The largest number up to `most` for which a test holds; 0 for none. */
function mostThatFit(most: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
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
