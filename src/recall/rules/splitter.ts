// Cuts a long text into chunks: at paragraphs where it can be, else at lines, at sentences, at
// words, and only then inside a word. Chunks neither begin nor end with white space, and between
// two of them there is nothing else; each may begin with the end of the one before. The same text
// gives the same chunks, and the chunks give the text again.

import { placeAfter, placeBefore } from "../../kit/text.ts";
import { codePointsOf } from "../../window/policy/tokens.ts";

/** Options for cutting, in code points. */
export interface SplitRule {
  /** The most of a chunk; at least 2. */
  readonly chunkChars: number;
  /** The most that a chunk has of the end of the one before; less than half of `chunkChars`. */
  readonly overlapChars: number;
}

/** A piece of a text. */
export interface Chunk {
  readonly text: string;
  /** Start in the text, in code points. */
  readonly offset: number;
  /** The white space right before it that no chunk holds; empty when it overlaps. */
  readonly spaceBefore: string;
  /** The white space behind it that no chunk holds: of the last chunk only. */
  readonly spaceAfter: string;
}

const LINE_BREAK = 0x0a;
const SENTENCE_END = /[.!?\u2026]["'\u2019\u201d)\]]*$/u;
const FULL_STOPS = new Set("\u3002\uff01\uff1f\uff61");
/** Characters before white space that are searched for the end of a sentence. */
const SENTENCE_LOOK = 6;

/** White space beyond ASCII, but for U+2000 to U+200A. */
const WIDE_SPACES = new Set([0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]);

/** Quality of a place for a cut: the higher, the better. */
const PLACE = { none: 0, word: 1, sentence: 2, line: 3, paragraph: 4 } as const;

/** Cuts a text. Gives one chunk when it is not too long; that of a blank text is empty. */
export function splitText(text: string, rule: SplitRule): Chunk[] {
  const chunks: Chunk[] = [];
  let start = skipSpace(text, 0);
  if (start === text.length) return [{ text: "", offset: 0, spaceBefore: text, spaceAfter: "" }];
  let offset = codePointsOf(text.slice(0, start));
  let held = 0;
  for (;;) {
    const limit = skipSpace(text, placeAfter(text, start, rule.chunkChars));
    const spaceBefore = text.slice(held, Math.max(held, start));
    if (limit === text.length) {
      const last = skipSpaceBack(text, limit);
      const spaceAfter = text.slice(last);
      chunks.push({ text: text.slice(start, last), offset, spaceBefore, spaceAfter });
      return chunks;
    }
    const half = placeAfter(text, start, halfOf(rule));
    const end = skipSpace(text, lastCut(text, half, limit));
    const last = skipSpaceBack(text, end);
    chunks.push({ text: text.slice(start, last), offset, spaceBefore, spaceAfter: "" });
    held = last;
    const next = nextStart(text, { last, end }, rule);
    offset += codePointsOf(text.slice(start, next));
    start = next;
  }
}

/**
 * Gives the text that was cut. White space that chunks do not tell of, as those from before it was
 * kept do not, becomes spaces.
 */
export function joinChunks(chunks: readonly Chunk[]): string {
  const parts: string[] = [];
  let held = 0;
  const add = (part: string): void => {
    parts.push(part);
    held += codePointsOf(part);
  };
  for (const { text, offset, spaceBefore } of chunks) {
    add(spaceBefore);
    add(" ".repeat(Math.max(0, offset - held)));
    add(text.slice(placeAfter(text, 0, held - offset)));
  }
  parts.push(chunks.at(-1)?.spaceAfter ?? "");
  return parts.join("");
}

/** The least length of a chunk but the last, in code points. */
function halfOf({ chunkChars }: SplitRule): number {
  return Math.ceil(chunkChars / 2);
}

/** Start of the chunk that follows one whose text ends at `last`, with white space to `end`. */
function nextStart(
  text: string,
  { last, end }: { readonly last: number; readonly end: number },
  rule: SplitRule,
): number {
  const next = skipSpace(text, firstCut(text, placeBefore(text, last, rule.overlapChars), end));
  // Behind much white space the end of the chunk before would be all that a chunk has room for.
  return placeAfter(text, next, halfOf(rule)) > end ? next : end;
}

/** Whether a text has more code points than this. */
export function isLonger(text: string, chars: number): boolean {
  return text.length > chars && placeAfter(text, 0, chars) < text.length;
}

/** The best place for a cut that is not before `from` nor behind `to`; of equals the last. */
function lastCut(text: string, from: number, to: number): number {
  let best = to;
  let worth: number = PLACE.none;
  for (let at = to; at >= from; at--) {
    const place = placeAt(text, at);
    if (place <= worth) continue;
    best = at;
    worth = place;
    if (worth === PLACE.paragraph) break;
  }
  return best;
}

/** Start of the next chunk, from `from` to `to`: at a sentence, else at a word. */
function firstCut(text: string, from: number, to: number): number {
  let word: number | undefined;
  for (let at = from; at <= to; at++) {
    const place = placeAt(text, at);
    if (place >= PLACE.sentence && at < to) return at;
    if (place !== PLACE.none) word ??= at;
  }
  return word ?? from;
}

/** Quality of a cut before the unit at `at`. */
function placeAt(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  if (FULL_STOPS.has(text[at - 1] ?? "")) return PLACE.sentence;
  if (!isSpace(before) || (at < text.length && isSpace(text.charCodeAt(at)))) return PLACE.none;
  let lines = 0;
  let words = at;
  while (words > 0 && isSpace(text.charCodeAt(words - 1))) {
    words -= 1;
    if (text.charCodeAt(words) === LINE_BREAK) lines += 1;
    if (lines > 1) return PLACE.paragraph;
  }
  if (lines === 1) return PLACE.line;
  const tail = text.slice(Math.max(0, words - SENTENCE_LOOK), words);
  return SENTENCE_END.test(tail) ? PLACE.sentence : PLACE.word;
}

function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return (unit >= 0x2000 && unit <= 0x200a) || WIDE_SPACES.has(unit);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function skipSpaceBack(text: string, from: number): number {
  let at = from;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** The id of a chunk of a document. */
export function chunkId(sourceId: string, index: number): string {
  return `${sourceId}#${index}`;
}

/** A document as it is stored, or one of its chunks. */
export interface TextPiece {
  readonly documentId: string;
  readonly text: string;
  /** The place of a chunk in its source. */
  readonly chunk:
    | (Omit<Chunk, "text"> & {
        readonly sourceId: string;
        readonly index: number;
        readonly count: number;
      })
    | undefined;
}

/** The pieces of a document: one when its text is not too long, or there is no rule. */
export function piecesOf(
  documentId: string,
  text: string,
  rule: SplitRule | undefined,
): readonly TextPiece[] {
  if (rule === undefined || !isLonger(text, rule.chunkChars)) {
    return [{ documentId, text, chunk: undefined }];
  }
  const chunks = splitText(text, rule);
  return chunks.map(({ text: piece, ...place }, index) => ({
    documentId: chunkId(documentId, index),
    text: piece,
    chunk: { sourceId: documentId, index, count: chunks.length, ...place },
  }));
}
