// The text that stands for one passage in an index.

import { type ChunkKind, forEachChunk, RUN_CHUNK, WORD_CHUNK, widthAt } from "./chunks.ts";
import { dateWords } from "./dates.ts";

/** The input of the index text of a passage. */
export interface IndexTextParts {
  /** The name of the author; may be empty. */
  readonly speaker: string;
  /** The role of the author. Not indexed, as half of all rows share it. */
  readonly role: string;
  /** When it was said, in milliseconds since 1970; undefined when no time is known. */
  readonly timeMs: number | undefined;
  readonly passage: string;
}

/** So much of a name is indexed, in UTF-16 units. */
const SPEAKER_CHARS = 128;

/**
 * Gives what is indexed for one passage: who said it, the day in words, and the passage. A speaker
 * who is named by the role only is left out.
 */
export function indexTextOf({ speaker, role, timeMs, passage }: IndexTextParts): string {
  const isRole = speaker.toLowerCase() === role.toLowerCase();
  const name = isRole ? "" : speaker.slice(0, SPEAKER_CHARS);
  const date = timeMs === undefined ? "" : dateWords(timeMs);
  return [name, date, passage].filter((part) => part !== "").join(" ");
}

// Cuts texts into passages: short parts that a search compares one by one.

/** The most words of a passage. */
export const PASSAGE_WORDS = 60;

/** A part of a text, in UTF-16 units. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** A long word such as a path counts as several: one for so many units, LONG_WORDS at most. */
const LONG_CHARS = 16;
const LONG_WORDS = 4;
/** So much of a word is one character of a script without spaces. */
const CHARACTER_WORDS = 0.5;

/** No passage is shorter than this share of what is aimed at for the sake of a sentence. */
const SHARE_MIN = 0.6;

const SENTENCE_END = /[.!?…。！？｡\n\r]/;

/**
 * Cuts a text into passages of at most PASSAGE_WORDS words, in order. They are about equally long
 * and end with a sentence or a line where one ends near. Emoji count as words, and characters of
 * scripts without spaces as half a word. Passages hold every word of the text and have no white
 * space around them. A text without words has none.
 */
export function passagesOf(text: string): Passage[] {
  const words = wordsOf(text);
  const passages: Passage[] = [];
  for (let first = 0; first < words.ends.length; ) {
    const next = nextPassage(text, words, first);
    passages.push(passageAt(text, words, first, next));
    first = next;
  }
  return passages;
}

/** Counts the words of a text as passages do. */
export function wordCount(text: string): number {
  return Math.ceil(wordsOf(text).counts.at(-1) ?? 0);
}

interface Words {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The words up to this one, it included. */
  readonly counts: readonly number[];
}

function wordsOf(text: string): Words {
  const starts: number[] = [];
  const ends: number[] = [];
  const counts: number[] = [];
  let count = 0;
  const add = (start: number, end: number, words: number): void => {
    count += words;
    starts.push(start);
    ends.push(end);
    counts.push(count);
  };
  forEachChunk(text, (start, end, kind: ChunkKind) => {
    if (kind === RUN_CHUNK) {
      for (let place = start; place < end; ) {
        const next = place + widthAt(text, place);
        add(place, next, CHARACTER_WORDS);
        place = next;
      }
    } else {
      const isWord = kind === WORD_CHUNK;
      add(start, end, isWord ? Math.min(LONG_WORDS, Math.ceil((end - start) / LONG_CHARS)) : 1);
    }
  });
  return { starts, ends, counts };
}

/** The first word behind the passage that begins with the word `first`. */
function nextPassage(text: string, { starts, ends, counts }: Words, first: number): number {
  const before = counts[first - 1] ?? 0;
  const left = (counts.at(-1) ?? 0) - before;
  if (left <= PASSAGE_WORDS) return ends.length;
  const aim = left / Math.ceil(left / PASSAGE_WORDS);
  let best = first + 1;
  let bestValue = Number.POSITIVE_INFINITY;
  for (let i = first; i < ends.length; i++) {
    const words = (counts[i] ?? 0) - before;
    if (words > PASSAGE_WORDS) break;
    const isEnd =
      words >= aim * SHARE_MIN && SENTENCE_END.test(gapOf(text, ends[i], starts[i + 1]));
    // Any place near a border is better than every place that is none.
    const value = Math.abs(words - aim) + (isEnd ? 0 : PASSAGE_WORDS);
    if (value < bestValue) {
      best = i + 1;
      bestValue = value;
    }
  }
  return best;
}

/** The text between two words that is examined. */
const GAP_CHARS = 64;

function gapOf(text: string, end = 0, start = text.length): string {
  return text.slice(end, Math.min(start, end + GAP_CHARS));
}

function passageAt(text: string, words: Words, first: number, next: number): Passage {
  const { starts, ends } = words;
  const start = first === 0 ? 0 : borderAt(text, ends[first - 1], starts[first]);
  const end = next >= ends.length ? text.length : borderAt(text, ends[next - 1], starts[next]);
  return trimmed(text, start, end);
}

/** Place to cut a text between two words: at the first white space, else before the second one. */
function borderAt(text: string, end = 0, start = text.length): number {
  for (let place = end; place < start; place++) if (isSpace(text, place)) return place;
  // Marks behind the end of a sentence stay with it, as in text without spaces.
  const found = SENTENCE_END.exec(gapOf(text, end, start));
  return found === null ? start : end + found.index + 1;
}

function trimmed(text: string, start: number, end: number): Passage {
  let from = start;
  let to = end;
  while (from < to && isSpace(text, from)) from += 1;
  while (to > from && isSpace(text, to - 1)) to -= 1;
  return { start: from, end: to };
}

function isSpace(text: string, place: number): boolean {
  const unit = text.charCodeAt(place);
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return /\s/.test(text.charAt(place));
}
