// Cuts the text of a message into sentences: of prose, lists, headings, tables and code.
//
// A small scanner instead of Intl.Segmenter: that one knows no abbreviations, and its rules change
// with the Unicode data of the runtime, while a summary must be the same everywhere.

import {
  blocksOf,
  codeLinesAt,
  holdsStatement,
  isRow,
  statementsOf,
  tableLinesAt,
} from "./code.ts";
import { isFrame, isNoise } from "./noise.ts";

/**
 * Kind of text that a sentence was found in. A `scrap` means nothing by itself: the header of a
 * table, machine-readable data, or a part of code or of a row that is too long to quote whole.
 */
export type SentenceKind = "prose" | "item" | "heading" | "table" | "code" | "scrap";

/** A sentence, or a part of one that was too long. */
export interface Sentence {
  /** As the message has it, with every run of white space made one space. */
  readonly text: string;
  readonly kind: SentenceKind;
  /** A part that cannot be understood without the one before it. */
  readonly leans?: boolean;
  /** A part that the sentence goes on behind. */
  readonly goesOn?: boolean;
}

/**
 * Sentences above this many UTF-16 units are cut at clauses: about 100 tokens of English. Few are
 * that long, and a clause alone reads so badly that the whole sentence is worth its cost.
 */
export const SENTENCE_CHARS = 400;

/** No part of a cut sentence is shorter than this while there is a place to cut behind it. */
const CLAUSE_CHARS_MIN = 60;

/** A line shorter than this ends its sentence: hard-wrapped text has longer lines. */
const WRAPPED_LINE_CHARS = 50;

const FENCE = /^\s*(?:```|~~~)/;
const ITEM = /^\s*(?:[-*+•‣◦–]|\(?\d{1,3}[.)]|[a-zA-Z][.)])\s+/;
const HEADING = /^\s*#{1,6}\s+/;
const QUOTED = /^\s*(?:>\s*)+/;
const HAS_WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Longest paragraph before it is cut, which keeps the work linear. */
const PARAGRAPH_CHARS = 4_096;

/** Longer code, and longer rows of tables, are not quoted. */
const WHOLE_CHARS = 320;

/** Marks a sentence that was cut. */
export const CUT_MARK = "…";

/** A sentence as a summary shows it: code between backticks, so that it is read as one again. */
export function quoted(text: string, kind: SentenceKind): string {
  return kind === "code" && !text.includes("`") ? `\`${text}\`` : text;
}

/** Cuts a text into sentences, in order. Text without letters, digits or emoji has none. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = [];
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  const prose = new Paragraphs(found);
  for (let i = 0; i < lines.length; ) {
    if (isFrame(lines[i] ?? "")) {
      prose.flush();
      pushParts(found, plainOf(lines[i] ?? ""), "scrap");
      i += 1;
      continue;
    }
    const block = blockAt(lines, i);
    if (block === undefined) {
      prose.add(lines[i] ?? "");
      i += 1;
      continue;
    }
    prose.flush();
    const inside = lines.slice(block.first, block.end);
    if (block.kind === "code") {
      for (const line of inside.filter(isFrame)) pushParts(found, plainOf(line), "scrap");
      pushCode(
        found,
        inside.filter((line) => !isFrame(line)),
      );
    } else pushTable(found, inside);
    i = block.next;
  }
  prose.flush();
  return found;
}

interface Block {
  readonly kind: "code" | "table";
  readonly first: number;
  /** The place behind its last line, and that behind a fence. */
  readonly end: number;
  readonly next: number;
}

function blockAt(lines: readonly string[], start: number): Block | undefined {
  const line = lines[start] ?? "";
  const fence = FENCE.exec(line)?.[0];
  if (fence !== undefined && !line.slice(fence.length).includes(fence.trim())) {
    let end = start + 1;
    while (end < lines.length && !FENCE.test(lines[end] ?? "")) end += 1;
    return { kind: "code", first: start + 1, end, next: end + 1 };
  }
  const rows = tableLinesAt(lines, start);
  if (rows > 0) return { kind: "table", first: start, end: start + rows, next: start + rows };
  const code = fence === undefined ? codeLinesAt(lines, start) : 1;
  if (code === 0) return undefined;
  return { kind: "code", first: start, end: start + code, next: start + code };
}

/** Lines of prose, put together to paragraphs. */
class Paragraphs {
  readonly #found: Sentence[];
  #lines: string[] = [];
  #chars = 0;
  #kind: SentenceKind = "prose";

  constructor(found: Sentence[]) {
    this.#found = found;
  }

  add(line: string): void {
    const start = startOf(line);
    const isShort = this.#chars < PARAGRAPH_CHARS;
    const goesOn = start === undefined && isShort && !endsParagraph(this.#lines.at(-1));
    if (!goesOn || line.trim() === "") this.flush();
    if (start !== undefined) this.#kind = start.kind;
    this.#lines.push(start?.text ?? line);
    this.#chars += line.length;
    if (this.#kind === "heading") this.flush();
  }

  flush(): void {
    for (const sentence of proseSentences(this.#lines.join(" "))) {
      push(this.#found, sentence, this.#kind);
    }
    this.#lines = [];
    this.#chars = 0;
    this.#kind = "prose";
  }
}

/**
 * Adds code: short code whole, of longer code every statement that is short, and of a long block
 * the statements in it.
 */
function pushCode(found: Sentence[], lines: readonly string[], depth = 0): void {
  if (isShort(lines)) {
    pushWhole(found, lines, "code");
    return;
  }
  for (const statement of statementsOf(lines)) {
    const blocks = isShort(statement) || depth === NESTED_MAX ? undefined : blocksOf(statement);
    if (blocks === undefined) pushWhole(found, statement, "code");
    for (const { isInside, lines: part } of blocks ?? []) {
      if (isInside) pushCode(found, part, depth + 1);
      else for (const line of part) pushParts(found, plainOf(line), "scrap");
    }
  }
}

/** Blocks nested deeper are not parsed. */
const NESTED_MAX = 4;

/** Adds text that is quoted whole or not at all. */
function pushWhole(found: Sentence[], lines: readonly string[], kind: "code" | "table"): void {
  if (isShort(lines)) {
    const text = plainOf(lines.join(" "));
    if (HAS_WORD.test(text)) found.push({ text, kind: isNoise(text) ? "scrap" : kind });
    return;
  }
  for (const line of lines) pushParts(found, plainOf(line), "scrap");
}

function isShort(lines: readonly string[]): boolean {
  let chars = 0;
  for (const line of lines) {
    chars += line.length > SCAN_CHARS ? line.length : plainOf(line).length + 1;
    if (chars > WHOLE_CHARS + 1) return false;
  }
  return true;
}

/** Lines above this length, white space included, count as long without being normalized. */
const SCAN_CHARS = 16 * WHOLE_CHARS;

function pushTable(found: Sentence[], lines: readonly string[]): void {
  const [header, ...rows] = lines.filter(isRow);
  if (header === undefined) return;
  const text = plainOf(header);
  const isLong = text.length > WHOLE_CHARS;
  if (isLong) pushParts(found, text, "scrap");
  else if (HAS_WORD.test(text)) found.push({ text, kind: "scrap" });
  for (const row of rows) {
    if (isLong) pushParts(found, plainOf(row), "scrap");
    else pushWhole(found, [row], "table");
  }
}

/** The text and kind of a line that is a heading or an item; undefined for plain text. */
function startOf(line: string): Sentence | undefined {
  const plain = line.replace(QUOTED, "");
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

function plainOf(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function push(found: Sentence[], text: string, kind: SentenceKind): void {
  const plain = plainOf(text);
  if (plain.length <= SENTENCE_CHARS || !holdsStatement(plain)) pushParts(found, plain, kind);
  else if (plain.length <= WHOLE_CHARS) found.push({ text: plain, kind });
  else pushParts(found, plain, "scrap");
}

function pushParts(found: Sentence[], plain: string, given: SentenceKind): void {
  if (!HAS_WORD.test(plain)) return;
  if (plain.length <= SENTENCE_CHARS) {
    found.push({ text: plain, kind: isNoise(plain) ? "scrap" : given });
    return;
  }
  const parts = cutLong(plain);
  parts.forEach((text, place) => {
    if (!HAS_WORD.test(text)) return;
    const kind = isNoise(text) ? "scrap" : given;
    found.push({
      text,
      kind,
      ...(place > 0 && !FULL_CLAUSE.test(text) && { leans: true }),
      ...(place < parts.length - 1 && { goesOn: true }),
    });
  });
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

/** Cuts prose behind its sentences. Put together, the parts are the text again. */
export function proseSentences(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (goesOn(text, start, match) || isInQuote(text, start, match.index)) continue;
    parts.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

/** Whether a place is inside of code that is quoted with backticks: `like this`. */
function isInQuote(text: string, start: number, place: number): boolean {
  if (place - start > WHOLE_CHARS) return false;
  let isOpen = false;
  for (let i = start; i < place; i++) if (text[i] === "`") isOpen = !isOpen;
  if (!isOpen) return false;
  const close = text.slice(place, place + WHOLE_CHARS).indexOf("`");
  return close !== -1;
}

/** Length of the longest abbreviation. */
const WORD_CHARS = 12;

/** Whether a sentence continues behind an apparent end. */
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

/** Openings of a clause that can stand alone: it has its own subject, or asks. */
const CLAUSE_START =
  "(?:(?:and|but|so|or) )?(?:i|we|you|he|she|it|they|there|this|can|could|would|should|how|what|" +
  "do|does|is|are|please|let's)(?:['’][a-z]+)? ";
const FULL_CLAUSE = new RegExp(`^${CLAUSE_START}`, "i");

/** Ends of clauses, best first: all of them leave the text readable on both sides. */
const CLAUSES: readonly RegExp[] = [
  new RegExp(`(?:[,;:—–]| -)(?= ${CLAUSE_START})`, "gi"),
  /[;:—–](?=\s)|[；：]/g,
  /,(?=\s)|[，、]/g,
  /\s(?=(?:and|or|but|because|which|so|while|when|that|und|oder|aber|et|mais|y|pero)\s)/g,
  /\s/g,
];

/** Cuts text that is longer than SENTENCE_CHARS, never inside a grapheme. */
export function cutLong(text: string, chars: number = SENTENCE_CHARS): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > chars) {
    const end = start + cutAt(text.slice(start, start + chars + WHOLE_CHARS), chars);
    parts.push(text.slice(start, end).trim());
    start = end;
  }
  parts.push(text.slice(start).trim());
  return parts;
}

function cutAt(text: string, chars: number): number {
  const room = text.slice(0, chars + 1);
  for (const clause of CLAUSES) {
    let last = 0;
    for (const match of room.matchAll(clause)) {
      const end = match.index + match[0].length;
      if (end < Math.min(CLAUSE_CHARS_MIN, chars / 2) || end > chars) continue;
      if (!room.includes("`") || !isInQuote(text, 0, end)) last = end;
    }
    if (last > 0) return last;
  }
  // Code that is quoted goes on to its end.
  if (isInQuote(text, 0, chars)) return text.indexOf("`", chars) + 1;
  return graphemeEnd(text.slice(0, chars + GRAPHEME_CHARS), chars);
}

/** Characters to read behind a cut, to find the grapheme that it splits. */
const GRAPHEME_CHARS = 64;

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** The last end of a grapheme at or before a place; the place when there is none. */
function graphemeEnd(text: string, at: number): number {
  const index = graphemes.segment(text).containing(at)?.index ?? at;
  if (index > 0) return index;
  const low = text.charCodeAt(at);
  return low >= 0xdc00 && low <= 0xdfff && at > 1 ? at - 1 : at;
}
