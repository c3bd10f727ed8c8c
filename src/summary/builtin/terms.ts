// The terms of a text: what two sentences are compared by, and what a summary should keep.

import { STOP_WORDS } from "./stop-words.ts";

// A number with its separators, or letters with apostrophes between them.
const WORD = /\p{N}+(?:[.,:]\p{N}+)*|[\p{L}\p{M}]+(?:['’]\p{L}+)*/gu;

// Scripts that write no spaces between words; two characters in a row are about a word.
const NO_SPACES = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u;
const ASCII = /^[\p{ASCII}]*$/u;

/** Longer words are no words; they count by their start. */
const TERM_CHARS = 40;

/** Terms by the words that they were made of: most words occur again. */
export type TermCache = Map<string, string>;

/** Gives the terms of a text in order, repeated as often as they occur; stop words are left out. */
export function termsOf(text: string, cache: TermCache = new Map()): string[] {
  const terms: string[] = [];
  for (const word of text.match(WORD) ?? []) {
    let term = cache.get(word);
    if (term === undefined) {
      term = !ASCII.test(word) && NO_SPACES.test(word) ? PAIRS : termOf(word);
      cache.set(word, term);
    }
    if (term === PAIRS) addPairs(terms, word);
    else if (term !== "") terms.push(term);
  }
  return terms;
}

/** Stands for a word of a script without spaces, which is several terms. */
const PAIRS = " ";

function addPairs(terms: string[], word: string): void {
  const chars = Array.from(word);
  if (chars.length === 1) terms.push(word);
  for (let i = 1; i < chars.length; i++) terms.push(`${chars[i - 1]}${chars[i]}`);
}

function termOf(word: string): string {
  const lower = word.slice(0, TERM_CHARS).normalize("NFC").toLowerCase();
  const plain = lower.replace(/['’]/g, "");
  if (STOP_WORDS.has(plain)) return "";
  return stem(lower.replace(/['’].*$/u, ""));
}

const MONTHS =
  "january february march april may june july august september october november december";
const DAYS = "monday tuesday wednesday thursday friday saturday sunday yesterday today tomorrow";
const HOURS = "noon midnight morning afternoon evening night";
const COUNTS = "two three four five six seven eight nine ten eleven twelve first second third last";

const DISTINCTIVE: ReadonlySet<string> = new Set(
  [MONTHS, DAYS, HOURS, COUNTS].flatMap((list) => list.split(" ").map((word) => stem(word))),
);

/**
 * Whether a term tells one case of many from another: a number, a word of a date, or one letter, as
 * in "platform B". Sentences that differ in such terms say different things, alike as they are.
 */
export function isDistinctive(term: string): boolean {
  return /^(?:\p{N}|\p{L}$)/u.test(term) || DISTINCTIVE.has(term);
}

/**
 * Takes the commonest English endings off, so that the forms of a word are one term. Words of other
 * languages lose an ending now and then, always the same one, which is all that counts here.
 */
export function stem(word: string): string {
  if (word.length < 4 || /[^a-z]/.test(word)) return word;
  let base = word;
  if (base.endsWith("ies")) base = `${base.slice(0, -3)}y`;
  else if (/(?:[sxz]|ch|sh)es$/.test(base)) base = base.slice(0, -2);
  else if (/[^su]s$/.test(base) && !base.endsWith("is")) base = base.slice(0, -1);
  if (base.length > 5 && base.endsWith("ing")) base = undouble(base.slice(0, -3));
  else if (base.length > 4 && base.endsWith("ed")) base = undouble(base.slice(0, -2));
  else if (base.length > 5 && base.endsWith("ly")) base = base.slice(0, -2);
  return base.length > 3 && base.endsWith("e") ? base.slice(0, -1) : base;
}

function undouble(word: string): string {
  return /([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}

/** The share of terms that two sets have in common (Jaccard): 0 to 1, and 1 for two empty ones. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const term of a) if (b.has(term)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 1 : common / all;
}
