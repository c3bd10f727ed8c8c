// Names of entities as they are compared with the words of a query: folded, word by word.

import { foldLower } from "./fold.ts";
import { STOP_WORDS } from "./word.ts";

/** The most words of a name. */
const NAME_WORDS_MAX = 8;
/** The most words of a query that are compared with names. */
const QUERY_WORDS_MAX = 512;
const KEY_CHARS_MIN = 2;

// Of a script without spaces every character is a word.
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
const WORDS = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, "gu");

function wordsOf(text: string): string[] {
  return foldLower(text).match(WORDS) ?? [];
}

/** The key of a name; empty when nothing could name it: no words, too many, or a stop word. */
export function nameKey(name: string): string {
  const words = wordsOf(name);
  if (words.length > NAME_WORDS_MAX) return "";
  const key = words.join(" ");
  return key.length < KEY_CHARS_MIN || STOP_WORDS.has(key) ? "" : key;
}

/** The keys of all names that the words of a query may be: every few words in a row. */
export function nameKeysIn(query: string): Set<string> {
  const words = wordsOf(query).slice(0, QUERY_WORDS_MAX);
  const keys = new Set<string>();
  for (let start = 0; start < words.length; start++) {
    let key = "";
    for (let count = 0; count < NAME_WORDS_MAX && start + count < words.length; count++) {
      key += `${count === 0 ? "" : " "}${words[start + count]}`;
      if (key.length >= KEY_CHARS_MIN && !STOP_WORDS.has(key)) keys.add(key);
    }
  }
  return keys;
}
