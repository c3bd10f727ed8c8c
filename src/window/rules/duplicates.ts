// Finds messages that a newer one says nearly word for word again. Works on the text alone: no
// model and no index outside the window.
//
// The measure is the resemblance of two texts: of all the short pieces that occur in either, the
// share that occurs in both, estimated from the smallest hashes where a text has very many (A. Z.
// Broder, "On the resemblance and containment of documents", 1997; J. Leskovec, A. Rajaraman and
// J. Ullman, "Mining of Massive Datasets", chapter 3).

import type { DetailOf, WindowEntry } from "./types.ts";

/** The most pieces of a text that are compared: those with the smallest hashes (Broder). */
export const DUPLICATE_PIECES_MAX = 1_024;
/** Number of words, or of characters in a text of few words, that make a shingle. */
const WORDS_PER_PIECE = 3;
const CHARS_PER_PIECE = 5;
/** Texts with fewer words, or with words longer than this on average, are cut by characters. */
const WORDS_MIN = 8;
const WORD_CHARS_MAX = 16;
/** More than arithmetic loses, and less than a piece: an early end must not lose a close call. */
const ROUNDING = 1e-6;

/** The compared form of a text. */
interface Sketch {
  /** The text: NFKC, lower case, each run of white space one space. */
  readonly text: string;
  /** A hash of its words; equal for equal texts. */
  readonly hash: number;
  /** A hash of the numbers in it, in their order. */
  readonly numbers: number;
  readonly byWords: boolean;
  /** The hashes of its pieces, rising, without repeats, the smallest DUPLICATE_PIECES_MAX. */
  readonly pieces: Uint32Array;
}

/**
 * Marks with 1 the entries that a newer one makes superfluous: one of the next `lookahead` entries
 * of the same role whose similarity is at least `similarity`. Entries that make or answer tool
 * calls, that hold anything but text, such as images, or no text, are neither marked nor compared
 * nor counted: two pictures under the same words may show different things.
 *
 * The similarity of two texts is 1 when they are equal but for case, white space and compatibility
 * forms (Unicode NFKC). Else it is 0 when their numbers differ, so that "pay 100" is never dropped
 * for "pay 900". Else it is the resemblance of their pieces: every three words in a row, or, when
 * both have fewer than 8 words or no spaces to speak of, every five characters. A similarity of 1
 * asks for equal texts.
 *
 * Takes time linear in the length of all texts, and at most DUPLICATE_PIECES_MAX steps for each
 * pair that is compared; most pairs end after a few.
 */
export function duplicateEntries<E extends WindowEntry>(
  entries: readonly E[],
  rule: { readonly similarity: number; readonly lookahead: number },
  detailOf: DetailOf<E>,
): Uint8Array {
  const marks = new Uint8Array(entries.length);
  /** By role: the sketches of the newer entries, the newest first. */
  const newer = new Map<number, Sketch[]>();
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined || takesPartInCalls(entry)) continue;
    const { content, rest } = detailOf(entry);
    if (rest !== undefined) continue;
    const sketch = sketchOf(content);
    if (sketch === undefined) continue;
    const list = newer.get(entry.role) ?? [];
    if (hasAlike(list, sketch, rule)) marks[index] = 1;
    list.push(sketch);
    newer.set(entry.role, list);
  }
  return marks;
}

/** Says how alike two texts are, from 0 to 1, as duplicateEntries measures it; 0 without text. */
export function similarityOf(a: string, b: string): number {
  const first = sketchOf(a);
  const second = sketchOf(b);
  if (first === undefined || second === undefined) return 0;
  if (first.text === second.text) return 1;
  if (first.numbers !== second.numbers || first.byWords !== second.byWords) return 0;
  return resemblance(first.pieces, second.pieces, 0);
}

function takesPartInCalls(entry: WindowEntry): boolean {
  return entry.callIds.length > 0 || entry.answers.length > 0 || entry.isResult;
}

function hasAlike(
  newer: readonly Sketch[],
  sketch: Sketch,
  { similarity, lookahead }: { readonly similarity: number; readonly lookahead: number },
): boolean {
  const { hash, numbers, byWords, pieces } = sketch;
  for (let at = newer.length - 1; at >= Math.max(0, newer.length - lookahead); at--) {
    const other = newer[at];
    if (other === undefined || other.numbers !== numbers) continue;
    if (other.hash === hash && other.text === sketch.text) return true;
    if (similarity >= 1 || other.byWords !== byWords) continue;
    // No more can be in both than the shorter one has, and no less in either than the longer.
    const least = Math.min(other.pieces.length, pieces.length);
    const most = Math.max(other.pieces.length, pieces.length);
    if (least + ROUNDING < similarity * most) continue;
    if (resemblance(other.pieces, pieces, similarity) >= similarity) return true;
  }
  return false;
}

/**
 * The share of the pieces of either that are in both, over the DUPLICATE_PIECES_MAX smallest when
 * there are more. Gives 0 as soon as it is sure to stay below `least`.
 */
function resemblance(a: Uint32Array, b: Uint32Array, least: number): number {
  const cut = a.length === DUPLICATE_PIECES_MAX || b.length === DUPLICATE_PIECES_MAX;
  const limit = cut ? DUPLICATE_PIECES_MAX : Number.POSITIVE_INFINITY;
  const fewer = Math.min(a.length, b.length);
  const spare = least > 0 ? (fewer * (1 - least)) / least + ROUNDING : limit;
  let i = 0;
  let j = 0;
  let either = 0;
  let both = 0;
  while (i < a.length && j < b.length && either < limit) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    either++;
    if (left === right) both++;
    else if (either - both > spare) return 0;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  const rest = a.length - i + (b.length - j);
  return either === 0 ? 0 : both / Math.min(limit, either + rest);
}

/** Gives undefined for text of nothing but white space. */
function sketchOf(content: string): Sketch | undefined {
  const text = normalize(content);
  if (text === "") return undefined;
  const { words, hash, numbers } = readWords(text);
  const byWords = words.length >= WORDS_MIN && text.length <= WORD_CHARS_MAX * words.length;
  const pieces = byWords ? wordPieces(words) : charPieces(text);
  return { text, hash, numbers, byWords, pieces: smallest(pieces) };
}

// Control characters are ASCII too; what counts is that no rule of Unicode changes such a text.
const NOT_ASCII = /[\u0080-\uffff]/;
const SPACES = /\s+/g;
/** White space that is not one space. Looking for it first is faster than replacing every space. */
const ODD_SPACE = /\s\s|[^\S ]/;

function normalize(content: string): string {
  const plain = NOT_ASCII.test(content) ? content.normalize("NFKC") : content;
  const even = ODD_SPACE.test(plain) ? plain.replace(SPACES, " ") : plain;
  return even.toLowerCase().trim();
}

const SPACE = 0x20;
/** The constants of the FNV-1a hash (G. Fowler, L. C. Noll, P. Vo), taken by code units. */
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

interface Words {
  /** The hashes of the words, in their order. */
  readonly words: readonly number[];
  readonly hash: number;
  readonly numbers: number;
}

function readWords(text: string): Words {
  const words: number[] = [];
  let hash = FNV_START;
  let numbers = FNV_START;
  let word = FNV_START;
  let inNumber = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit)) {
      numbers = mix(numbers, unit);
      inNumber = true;
    } else if (inNumber) {
      numbers = mix(numbers, SPACE);
      inNumber = false;
    }
    if (unit === SPACE) {
      words.push(word);
      hash = mix(hash, word);
      word = FNV_START;
    } else {
      word = mix(word, unit);
    }
  }
  words.push(word);
  return { words, hash: mix(hash, word), numbers: inNumber ? mix(numbers, SPACE) : numbers };
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, FNV_PRIME);
}

/** Spreads the bits of a hash, so that the smallest hashes are a fair sample (murmur3's end). */
function spread(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}

const OTHER_DIGIT = /\p{Nd}/u;

/** Whether a code unit is a decimal digit of any script below the CJK ones. */
function isDigit(unit: number): boolean {
  if (unit < 0x80) return unit >= 0x30 && unit <= 0x39;
  return unit >= 0x660 && unit < 0x1c60 && OTHER_DIGIT.test(String.fromCharCode(unit));
}

function wordPieces(words: readonly number[]): Uint32Array {
  const pieces = new Uint32Array(words.length - WORDS_PER_PIECE + 1);
  for (let i = 0; i < pieces.length; i++) {
    const pair = mix(mix(FNV_START, words[i] ?? 0), words[i + 1] ?? 0);
    pieces[i] = spread(mix(pair, words[i + 2] ?? 0));
  }
  return pieces;
}

/** A text shorter than a piece is one piece. */
function charPieces(text: string): Uint32Array {
  const pieces = new Uint32Array(Math.max(1, text.length - CHARS_PER_PIECE + 1));
  for (let i = 0; i < pieces.length; i++) {
    let hash = FNV_START;
    const end = Math.min(text.length, i + CHARS_PER_PIECE);
    for (let at = i; at < end; at++) hash = mix(hash, text.charCodeAt(at));
    pieces[i] = spread(hash);
  }
  return pieces;
}

/** The smallest of the hashes, rising and each once. Sorts in place. */
function smallest(pieces: Uint32Array): Uint32Array {
  pieces.sort();
  let count = 0;
  for (let i = 0; i < pieces.length && count < DUPLICATE_PIECES_MAX; i++) {
    const piece = pieces[i] ?? 0;
    if (i === 0 || piece !== pieces[i - 1]) pieces[count++] = piece;
  }
  return pieces.slice(0, count);
}
