// Words that a search leaves out, since they are in every text.

import { clipped, fold, foldLower } from "./fold.ts";
import { porter2 } from "./porter2.ts";

const GRAMMAR =
  "a about above after again against all am an and any are as at be because been before " +
  "being below between both but by can could did do does doing down during each few for " +
  "from further had has have having he her here hers herself him himself his i if in into " +
  "is it its itself just me more most my myself no nor not now of off on once only or other " +
  "our ours ourselves out over own same she should so some such than that the their theirs " +
  "them themselves then there these they this those through to too under until up us very " +
  "was we were will with would you your yours yourself yourselves also";

const QUESTIONS = "how what when where which who whom whose why";

// Without apostrophes, as terms are; the ends are what is left where the apostrophe is a space.
// Those that are words themselves are not among them: id, ill, shed, wed.
const CONTRACTIONS =
  "arent cant couldnt didnt doesnt dont hadnt hasnt havent hed heres hes hows im " +
  "isnt itd itll ive lets mustnt shant shes shouldnt thatd thatll thats theres theyd " +
  "theyll theyre theyve wasnt weve werent whatll whatre whats whens wheres whod wholl " +
  "whos whys wont wouldnt youd youll youre youve ll re s t ve eg ie";

/** English words of grammar and question words, in lower case and without apostrophes. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [GRAMMAR, QUESTIONS, CONTRACTIONS].flatMap((list) => list.split(" ")),
);

/** Written in capitals these are names: a country and a trade. */
export const CAPITAL_NAMES: ReadonlySet<string> = new Set(["US", "IT"]);

// The terms of one word, number, name of code, address or path.

/** So many parts of a name or path are terms. */
const PARTS_MAX = 32;
/** Only the start of a longer word is read. */
const WORD_CHARS = 2_048;
/** A word of more characters with a part of more than PART_CHARS, or with many, is data: base64. */
const NAME_CHARS = 128;
const PART_CHARS = 48;

const FOREIGN = /[^\p{L}\p{M}\p{N}'_./\\@&+:,#-]+/u;
const SEPARATORS = /['_./\\@&+:,#-]+/;
const LETTERS_ONLY = /^[\p{L}\p{M}]+$/u;
const ACRONYM = /^(?:\p{L}\.)+\p{L}$/u;
const LANGUAGE = /^\p{L}(?:\+\+|#)$/u;
const ORDINAL = /^\d+(?:st|nd|rd|th)$/i;
const DECIMAL = /^\d+\.\d+$/;
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const CAPITAL_INSIDE = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const CAPITAL_PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}]+/gu;
const CAPITAL_PLURAL = /^\p{Lu}{2,}s$/u;
/** Contracted verbs after a pronoun or a name: I'll, we'd, Ana'll. */
const TAKEN_ON = /(?:'(?:ll|d|ve|re|m))+$/i;
const ALPHANUMERIC_RUNS = /[\p{L}\p{M}]+|\p{N}+/gu;

/** Words that are written like identifiers but are common in many texts. */
const NO_IDENTIFIERS = [
  // and/or, well-known, l'école, U.S.
  /^[\p{L}\p{M}]+(?:[-'/+][\p{L}\p{M}]+)*$/u,
  ACRONYM,
  LANGUAGE,
  ORDINAL,
  DECIMAL,
  GROUPED,
  // 2024-03-21, 3/4, 10:30, 2-3
  /^\d{1,4}(?:[-/.:]\d{1,4}){1,2}$/,
  // 1984, 200
  /^(?:\d{1,3}|(?:19|20)\d\d)$/,
  // 5km, 80s, 20-minute, 12-year-old
  /^\d{1,4}(?:\p{L}{1,2}|(?:-\p{L}+)+)$/u,
];
/** getUserName, NullPointerException; but YouTube, McDonald. */
const CODE_NAME = /^(?:\p{Ll}+|\p{Lu}\p{Ll}+\p{Lu}\p{Ll}+)(?:\p{Lu}\p{Ll}*)+$/u;

/** Gives the distinct terms of a word chunk: none for a stop word, the whole before the parts. */
export function termsOfWord(chunk: string): readonly string[] {
  const terms = new Set<string>();
  const folded = fold(chunk.slice(0, WORD_CHARS));
  // A compatibility form may stand for text with spaces or marks.
  for (const piece of folded.split(FOREIGN)) addPiece(terms, piece);
  terms.delete("");
  return [...terms].map(clipped);
}

/**
 * Gives the term of a word chunk that is an identifier: a number of an order, a code of an error, a
 * name of code, an address or a path. Undefined for every other word.
 */
export function identifierOf(chunk: string): string | undefined {
  const piece = fold(chunk.slice(0, WORD_CHARS));
  const isOther = NO_IDENTIFIERS.some((pattern) => pattern.test(piece));
  return isOther && !CODE_NAME.test(piece) ? undefined : termsOfWord(chunk)[0];
}

function addPiece(terms: Set<string>, piece: string): void {
  const isOne = STOP_WORDS.has(piece.replaceAll("'", "").toLowerCase());
  if (isOne && piece.includes("'")) return;
  const word = piece.replace(TAKEN_ON, "").replace(/'[sS]$/, "");
  if (LETTERS_ONLY.test(word)) addLetters(terms, word);
  else if (LANGUAGE.test(word)) terms.add(foldLower(word));
  else if (ACRONYM.test(word)) addLetters(terms, word.replaceAll(".", ""));
  else if (/^[\p{L}\p{M}']+$/u.test(word)) addElided(terms, word);
  else addName(terms, word);
}

/** Adds a word of letters, and its parts by capitals inside. */
function addLetters(terms: Set<string>, word: string): void {
  // Without a vowel the stemmer does not take the s of PDFs for an ending.
  const isPlural = CAPITAL_PLURAL.test(word);
  addStem(terms, isPlural ? word.slice(0, -1) : word);
  if (isPlural || !CAPITAL_INSIDE.test(word)) return;
  const parts = word.match(CAPITAL_PARTS) ?? [];
  if (parts.length > PARTS_MAX) return;
  for (const part of parts) if (part.length > 1) addStem(terms, part);
}

function addStem(terms: Set<string>, word: string): void {
  if (CAPITAL_NAMES.has(word)) {
    terms.add(word.toLowerCase());
    return;
  }
  const lower = foldLower(word);
  if (!STOP_WORDS.has(lower)) terms.add(porter2(lower));
}

/**
 * Adds a word with apostrophes: without them, and what stands before the first and behind the last
 * one if it is a word: İstanbul'da, l'école.
 */
function addElided(terms: Set<string>, word: string): void {
  addStem(terms, word.replaceAll("'", ""));
  if (/n't$/i.test(word)) return;
  const head = word.slice(0, word.indexOf("'"));
  if (head.length > 2) addStem(terms, head);
  const tail = word.slice(word.lastIndexOf("'") + 1);
  if (tail.length > 2) addStem(terms, tail);
}

/** Adds what has marks or digits inside. */
function addName(terms: Set<string>, name: string): void {
  if (GROUPED.test(name)) {
    terms.add(name.replaceAll(",", ""));
    return;
  }
  const parts = name.split(SEPARATORS).filter((part) => part !== "");
  const isWhole = DECIMAL.test(name) || isData(name, parts);
  if (isWhole) terms.add(foldLower(name));
  else addWhole(terms, name, parts);
  if (isWhole) return;
  for (const part of parts.slice(0, PARTS_MAX)) {
    if (LETTERS_ONLY.test(part)) addLetters(terms, part);
    else addAlphanumeric(terms, part);
  }
}

function addWhole(terms: Set<string>, name: string, parts: readonly string[]): void {
  // Words with hyphens are also written together: e-mail, check-in.
  if (/^[\p{L}\p{M}-]+$/u.test(name)) addStem(terms, parts.join(""));
  // Two words with a stroke or a sum of letters are no name.
  else if (/^[\p{L}\p{M}]+[/+][\p{L}\p{M}]+$/u.test(name)) return;
  else terms.add(foldLower(name));
  if (/^v\d.*\./i.test(name)) terms.add(foldLower(name.slice(1)));
}

function isData(name: string, parts: readonly string[]): boolean {
  if (name.length <= NAME_CHARS) return false;
  return parts.length > PARTS_MAX || parts.some((part) => part.length > PART_CHARS);
}

/** Adds letters with digits among them: the whole, and its parts when they are few. */
function addAlphanumeric(terms: Set<string>, part: string): void {
  terms.add(foldLower(part));
  const runs = part.match(ALPHANUMERIC_RUNS) ?? [];
  if (runs.length < 2 || runs.length > 3 || ORDINAL.test(part)) return;
  for (const run of runs) {
    if (/^\p{N}/u.test(run)) terms.add(run);
    else if (run.length > 1) addLetters(terms, run);
  }
}
