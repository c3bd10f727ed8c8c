// The terms of a text: what a search compares.
//
// A word is folded (compatibility forms, accents and case away), loses its possessive ending, is
// left out when it is a stop word, and is stemmed. What has digits or marks inside, or capitals in
// the middle, is a term as a whole (folded, not stemmed) and by its parts: `getUserName`, `a_b.c`,
// ERR-1234, v1.2.3, addresses, paths. Text of scripts without spaces gives every two characters in
// a row. An emoji is a term. Everything takes time and room linear in the text, and no term is
// longer than TERM_CHARS: of a longer one the start counts, with a checksum of what follows.

import { EMOJI_CHUNK, forEachChunk, isHanAt, RUN_CHUNK, WORD_CHUNK, widthAt } from "./chunks.ts";
import { clipped, fold, foldLower, ownCopy } from "./fold.ts";
import { identifierOf, termsOfWord } from "./word.ts";

/** The most distinct terms that are taken from a query; what follows in it is not looked for. */
export const QUERY_TERMS_MAX = 512;

/** So many words are remembered with their terms. All are forgotten when there are more. */
const CACHE_WORDS = 1 << 16;
/** Longer words are not worth remembering. */
const CACHE_CHARS = 32;

// Most words occur again and again. What is remembered changes nothing but the time taken.
const cache = new Map<string, string | readonly string[]>();

/**
 * Gives the terms of a text in order, repeated as often as they occur. A Han character is a term
 * by itself as well, so that a query of one character finds it.
 */
export function indexTerms(text: string): string[] {
  const terms: string[] = [];
  addTerms(terms, text, true);
  return terms;
}

/**
 * Gives the distinct terms that a query looks for, in the order of the query; at most
 * QUERY_TERMS_MAX. A query of stop words and marks only has none.
 */
export function queryTerms(text: string): string[] {
  const terms: string[] = [];
  addTerms(terms, text, false);
  return [...new Set(terms)].slice(0, QUERY_TERMS_MAX);
}

/**
 * Gives the terms of a query that are identifiers. A query of one term looks for just that,
 * whatever it is.
 */
export function identifiersIn(text: string): ReadonlySet<string> {
  const terms = queryTerms(text);
  const found = new Set(terms.length === 1 ? terms : []);
  forEachChunk(text, (start, end, kind) => {
    const term = kind === WORD_CHUNK ? identifierOf(text.slice(start, end)) : undefined;
    if (term !== undefined) found.add(term);
  });
  return found;
}

function addTerms(terms: string[], text: string, withSingles: boolean): void {
  forEachChunk(text, (start, end, kind) => {
    const chunk = text.slice(start, end);
    if (kind === EMOJI_CHUNK) addKnown(terms, chunk, emojiTerms);
    else if (kind === RUN_CHUNK) addPairs(terms, chunk, withSingles);
    else addKnown(terms, chunk, termsOfWord);
  });
}

function emojiTerms(chunk: string): readonly string[] {
  return [foldLower(chunk)];
}

/** Adds the terms of a word or an emoji, which are made when they are not remembered. */
function addKnown(
  terms: string[],
  chunk: string,
  make: (chunk: string) => readonly string[],
): void {
  let found = cache.get(chunk);
  if (found === undefined) {
    const word = ownCopy(chunk);
    const made = make(word);
    found = made.length === 1 ? (made[0] ?? "") : made;
    if (word.length <= CACHE_CHARS) {
      if (cache.size >= CACHE_WORDS) cache.clear();
      cache.set(word, found);
    }
  }
  if (typeof found === "string") terms.push(found);
  else for (const term of found) terms.push(term);
}

/** Adds every two characters in a row, and a character that stands alone. */
function addPairs(terms: string[], chunk: string, withSingles: boolean): void {
  const run = fold(chunk);
  let before = -1;
  for (let place = 0; place < run.length; ) {
    const end = place + widthAt(run, place);
    const isAlone = before < 0 && end >= run.length;
    if (isAlone || (withSingles && isHanAt(run, place))) terms.push(clipped(run.slice(place, end)));
    if (before >= 0) terms.push(clipped(run.slice(before, end)));
    before = place;
    place = end;
  }
}
