// Cuts the text of a message into sentences: of prose, lists, headings, tables and code.
//
// A small scanner instead of Intl.Segmenter: that one knows no abbreviations, and its rules change
// with the Unicode data of the runtime, while a summary must be the same everywhere.

/** What kind of text a sentence was found in. */
export type SentenceKind = "prose" | "item" | "heading" | "table" | "code";

/** A sentence, or a part of one that was too long. */
export interface Sentence {
  /** As the message has it, with every run of white space made one space. */
  readonly text: string;
  readonly kind: SentenceKind;
}

/** Sentences above this many UTF-16 units are cut at clauses: about 40 tokens of English. */
export const SENTENCE_CHARS = 160;

/** No part of a cut sentence is shorter than this while there is a place to cut behind it. */
const CLAUSE_CHARS_MIN = 60;

/** A line shorter than this ends its sentence: hard-wrapped text has longer lines. */
const WRAPPED_LINE_CHARS = 50;

const FENCE = /^\s*(?:```|~~~)/;
const ITEM = /^\s*(?:[-*+•‣◦–]|\(?\d{1,3}[.)]|[a-zA-Z][.)])\s+/;
const HEADING = /^\s*#{1,6}\s+/;
const QUOTED = /^\s*(?:>\s*)+/;
const HAS_WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** A paragraph is cut here at the latest, so that no text makes the work more than linear. */
const PARAGRAPH_CHARS = 4_096;

/** Cuts a text into sentences, in order. Text without letters, digits or emoji has none. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = [];
  let lines: string[] = [];
  let chars = 0;
  let kind: SentenceKind = "prose";
  const flush = () => {
    for (const sentence of splitProse(lines.join(" "))) push(found, sentence, kind);
    lines = [];
    chars = 0;
    kind = "prose";
  };
  let inCode = false;
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    if (FENCE.test(line)) {
      flush();
      inCode = !inCode;
      continue;
    }
    if (inCode) {
      push(found, line, "code");
      continue;
    }
    const start = startOf(line);
    const goesOn = start === undefined && chars < PARAGRAPH_CHARS && !endsParagraph(lines.at(-1));
    if (!goesOn || line.trim() === "") flush();
    if (start !== undefined) kind = start.kind;
    lines.push(start?.text ?? line);
    chars += line.length;
    if (kind === "table" || kind === "heading") flush();
  }
  flush();
  return found;
}

/** The text and kind of a line that starts something of its own; undefined for plain text. */
function startOf(line: string): Sentence | undefined {
  const plain = line.replace(QUOTED, "");
  if (/^\s*\|/.test(plain)) return { text: plain, kind: "table" };
  const heading = HEADING.exec(plain);
  if (heading !== null) return { text: plain.slice(heading[0].length), kind: "heading" };
  const item = ITEM.exec(plain);
  if (item !== null) return { text: plain.slice(item[0].length), kind: "item" };
  return plain === line ? undefined : { text: plain, kind: "prose" };
}

function endsParagraph(line: string | undefined): boolean {
  if (line === undefined || line.length < WRAPPED_LINE_CHARS) return true;
  return /[.!?:;…。！？]["'”’)\]]*\s*$/.test(line.slice(-WRAPPED_LINE_CHARS));
}

function push(found: Sentence[], text: string, kind: SentenceKind): void {
  if (!HAS_WORD.test(text)) return;
  const plain = text.replace(/\s+/g, " ").trim();
  for (const part of cutLong(plain)) {
    if (HAS_WORD.test(part)) found.push({ text: part, kind });
  }
}

/**
 * Ends of sentences, with the quotes and brackets that close behind them. Bounded: a run of stops
 * without white space behind it would take time quadratic in its length.
 */
const END = /[.!?…]{1,8}["'”’)\]*_]{0,4}(?=\s)|[。！？｡]+["'」』”’）]*/g;

/** Words that end with a full stop and go on. Lower case, without the stop. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  (
    "mr mrs ms dr prof sr jr st mt rev gen col capt lt sgt gov sen rep hon vs e.g i.e cf al fig eq " +
    "no nr vol ch sec pp approx ca est dept inc ltd co corp ave blvd rd jan feb mar apr jun jul " +
    "aug sep sept oct nov dec mon tue wed thu fri sat sun a.m p.m u.s u.k z.b bzw d.h usw"
  ).split(" "),
);

function splitProse(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (goesOn(text, start, match)) continue;
    parts.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

/** The longest word that is looked up among the abbreviations. */
const WORD_CHARS = 12;

/** Whether a sentence goes on behind what looks like its end. */
function goesOn(text: string, start: number, { 0: end, index: stop }: RegExpExecArray): boolean {
  if (!/^[.…]+$/.test(end)) return false;
  const next = /\S/.exec(text.slice(stop + end.length, stop + end.length + WORD_CHARS))?.[0] ?? "";
  if (/\p{Ll}/u.test(next)) return true;
  if (end !== ".") return false;
  const before = text.slice(Math.max(start, stop - WORD_CHARS), stop);
  const word = /[^\s("'“‘[]+$/.exec(before)?.[0] ?? "";
  // An initial, as in "J. Smith"; "I" ends sentences more often than it is one.
  if (/^\p{Lu}$/u.test(word)) return word !== "I";
  // The number of an item stays with it.
  if (/^\d{1,3}$/.test(word) && text.slice(start, stop).trim() === word) return true;
  const lower = word.toLowerCase();
  // "No." is an answer unless a number follows.
  if (lower === "no") return /\d/.test(next);
  return ABBREVIATIONS.has(lower);
}

/** Where a clause ends, best first: all of them leave the text readable on both sides. */
const CLAUSES: readonly RegExp[] = [
  /[;:—–](?=\s)|[；：]/g,
  /,(?=\s)|[，、]/g,
  /\s(?=(?:and|or|but|because|which|so|while|when|that|und|oder|aber|et|mais|y|pero)\s)/g,
  /\s/g,
];

/** Cuts what is longer than SENTENCE_CHARS; never inside of a character that people see as one. */
export function cutLong(text: string, chars: number = SENTENCE_CHARS): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > chars) {
    const end = start + cutAt(text.slice(start, start + chars + GRAPHEME_CHARS), chars);
    parts.push(text.slice(start, end).trim());
    start = end;
  }
  parts.push(text.slice(start).trim());
  return parts;
}

/** How far behind a cut the character that it goes through is looked at. */
const GRAPHEME_CHARS = 64;

function cutAt(text: string, chars: number): number {
  const room = text.slice(0, chars + 1);
  for (const clause of CLAUSES) {
    let last = 0;
    for (const match of room.matchAll(clause)) {
      const end = match.index + match[0].length;
      if (end >= Math.min(CLAUSE_CHARS_MIN, chars / 2) && end <= chars) last = end;
    }
    if (last > 0) return last;
  }
  return graphemeEnd(text, chars);
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** The last end of a grapheme at or before a place; the place when there is none. */
function graphemeEnd(text: string, at: number): number {
  const index = graphemes.segment(text).containing(at)?.index ?? at;
  if (index > 0) return index;
  const low = text.charCodeAt(at);
  return low >= 0xdc00 && low <= 0xdfff && at > 1 ? at - 1 : at;
}
