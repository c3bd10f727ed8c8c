// Names in sentences: words with capitals that do not begin them, and technologies.

import type { Found } from "./rules-found.ts";
import { NAME } from "./rules-match.ts";
import { HOLE } from "./rules-text.ts";
import { NO_NAMES, ORGANIZATION, TECHNOLOGIES, TITLED } from "./rules-words.ts";

const NAMES = new RegExp(`(?<![\\p{L}\\p{N}${HOLE}])${NAME}`, "gu");
const TECHNICAL = /(?<![\p{L}\p{N}.@/])[\p{L}][\p{L}\p{N}.+#]{1,24}(?![\p{L}\p{N}])/gu;
/** Two capitals with small letters between, as in `PostgreSQL` or `GitHub`. */
const CAMEL = /^\p{Lu}?\p{Ll}+\p{Lu}[\p{L}\p{N}]*$/u;
const MAC = /^(?:Mc|Mac|O'|De|Le|La|Di|Van)\p{Lu}\p{Ll}+$/u;

/** Finds names that no other rule knows the meaning of. */
export function findNames(sentence: string, found: Found): void {
  if (isShouted(sentence)) return;
  for (const match of sentence.matchAll(NAMES)) {
    const name = trimmed(match[0], match.index === 0);
    if (name !== undefined) found.entity({ name, type: typeOf(name) });
  }
  for (const [word] of sentence.matchAll(TECHNICAL)) {
    const plain = word.replace(/\.$/, "");
    // What is written like any word, and like a word of English, is taken for one.
    if (TECHNOLOGIES.has(plain.toLowerCase()) && !isPlainWord(plain)) {
      found.entity({ name: plain, type: "technology" });
    }
  }
}

const PLAIN_WORDS = new Set([
  ...[
    "go",
    "swift",
    "rust",
    "ruby",
    "react",
    "flask",
    "rails",
    "spring",
    "spark",
    "windows",
    "slack",
  ],
  ...["notion", "excel", "spring", "vue", "claude", "java", "python", "vim", "scala"],
]);

function isPlainWord(word: string): boolean {
  return word === word.toLowerCase() && PLAIN_WORDS.has(word);
}

function isShouted(sentence: string): boolean {
  const letters = sentence.replace(/[^\p{L}]/gu, "");
  return letters.length > 12 && letters === letters.toUpperCase();
}

/** A name without what is none at its ends; undefined when nothing is left. */
function trimmed(text: string, isFirst: boolean): string | undefined {
  let words = text.split(" ");
  const isNone = (word: string): boolean => NO_NAMES.has(word.toLowerCase().replace(/'s$/, ""));
  const isLink = (word: string): boolean => /^\p{Ll}/u.test(word) && !TECHNOLOGIES.has(word);
  while (
    words[0] !== undefined &&
    (isNone(words[0]) || isLink(words[0])) &&
    !TITLED.test(`${words.join(" ")} `)
  ) {
    words = words.slice(1);
    isFirst = false;
  }
  while (words.length > 0 && isNone(words.at(-1) ?? "")) words = words.slice(0, -1);
  const name = words
    .join(" ")
    .replace(/(?:'s|[.'&+-])+$/u, (end) => (end.includes("+") ? end : ""));
  const isKnown = CAMEL.test(name) || TECHNOLOGIES.has(name.toLowerCase());
  // A single word at the start of a sentence has its capital for that.
  if (isFirst && words.length === 1 && !isKnown) return undefined;
  return name.length >= 2 && /\p{L}/u.test(name) && !/^\p{N}/u.test(name) ? name : undefined;
}

function typeOf(name: string): string {
  if (TITLED.test(name)) return "person";
  if (TECHNOLOGIES.has(name.toLowerCase())) return "technology";
  if (ORGANIZATION.test(name)) return "organization";
  return !name.includes(" ") && CAMEL.test(name) && !MAC.test(name) ? "product" : "other";
}
