// Token counting without a tokenizer, and the cutting that keeps a real one fast.

import { endsPair } from "../../kit/text.ts";

/** Counts tokens by the rule bytes-div-4: UTF-8 bytes divided by 4, rounded up. */
export function bytesDiv4(byteLength: number): number {
  return Math.ceil(byteLength / 4);
}

/** Counts the Unicode code points of a text; a lone surrogate counts as one. */
export function codePointsOf(text: string): number {
  let codePoints = text.length;
  for (let i = 1; i < text.length; i++) {
    if (endsPair(text, i)) codePoints--;
  }
  return codePoints;
}

/** Counts the words of a text: runs of characters that are not white space. */
export function wordsOf(text: string): number {
  let words = 0;
  let isInside = false;
  for (let i = 0; i < text.length; i++) {
    const isSpace = isWhiteSpace(text.charCodeAt(i));
    if (!isSpace && !isInside) words += 1;
    isInside = !isSpace;
  }
  return words;
}

/** White space as regular expressions know it; all of it lies in the basic plane. */
function isWhiteSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return unit === 0xa0 || (unit >= 0x1680 && /\s/u.test(String.fromCharCode(unit)));
}

/** The longest run of one kind of character that a piece holds, in UTF-16 code units. */
export const BPE_RUN_CHARS = 512;

/** From this length on a piece ends at the next place where a cut changes no count. */
export const BPE_PIECE_CHARS = 4_096;

/** No piece is longer than this, in UTF-16 code units. */
export const BPE_PIECE_CHARS_MAX = 2 * BPE_PIECE_CHARS + BPE_RUN_CHARS;

/**
 * Cuts text into pieces for a BPE tokenizer; joined they are the text again. Empty text has none.
 *
 * BPE takes time quadratic in a run of letters, of white space, or of other characters. So no piece
 * holds such a run of more than BPE_RUN_CHARS, and none is longer than BPE_PIECE_CHARS_MAX. A cut
 * through a run changes the count by a token or two; text without runs that long is cut only where
 * o200k and cl100k cut as well, unless it has no letter or digit over BPE_PIECE_CHARS. Never cuts
 * inside a surrogate pair.
 */
export function bpePieces(text: string): string[] {
  if (text.length <= BPE_RUN_CHARS) return text === "" ? [] : [text];
  const pieces: string[] = [];
  let start = 0;
  let runStart = 0;
  let run: CharClass = SPACE;
  // The class of the character just before, which differs from that of the run for a mark.
  let before: CharClass = SPACE;
  let width = 1;
  for (let i = 0; i < text.length; i += width) {
    const codePoint = text.codePointAt(i) ?? 0;
    width = codePoint > 0xffff ? 2 : 1;
    const own = classOf(codePoint);
    const current: CharClass = own === MARK ? markRun(i === 0, run) : own;
    const startsRun = i === 0 || current !== run;
    const cut = startsRun
      ? endsPiece(i - start, before, codePoint)
      : i + width - runStart > runLimit(run);
    if (cut) {
      pieces.push(text.slice(start, i));
      start = i;
    }
    if (startsRun || cut) runStart = i;
    run = current;
    before = own;
  }
  pieces.push(text.slice(start));
  return pieces;
}

type CharClass = 1 | 2 | 3 | 4 | 5;
const SPACE = 1;
const LETTER = 2;
const DIGIT = 3;
const OTHER = 4;
const MARK = 5;
const APOSTROPHE = 0x27;

/** Both encodings take digits in threes, so a cut after a multiple of three changes no count. */
function runLimit(run: CharClass): number {
  return run === DIGIT ? BPE_RUN_CHARS - (BPE_RUN_CHARS % 6) : BPE_RUN_CHARS;
}

/** A mark goes on with a run of letters or others, and starts a run of letters elsewhere. */
function markRun(first: boolean, run: CharClass): CharClass {
  return !first && run === OTHER ? OTHER : LETTER;
}

/**
 * Whether a piece ends where a run ends. After a letter or a digit both encodings begin anew,
 * except that an apostrophe may still belong to the word.
 */
function endsPiece(length: number, before: CharClass, codePoint: number): boolean {
  if (length < BPE_PIECE_CHARS) return false;
  if (length >= 2 * BPE_PIECE_CHARS) return true;
  return (before === LETTER || before === DIGIT) && codePoint !== APOSTROPHE;
}

// The classes of the basic plane, found out once for each character that occurs.
const classes = new Uint8Array(0x1_0000);

function classOf(codePoint: number): CharClass {
  const known = classes[codePoint];
  if (known !== undefined && known !== 0) return known as CharClass;
  const found = classify(String.fromCodePoint(codePoint));
  if (codePoint < classes.length) classes[codePoint] = found;
  return found;
}

function classify(char: string): CharClass {
  if (/\s/u.test(char)) return SPACE;
  if (/\p{L}/u.test(char)) return LETTER;
  if (/\p{N}/u.test(char)) return DIGIT;
  return /\p{M}/u.test(char) ? MARK : OTHER;
}
