// The Porter2 stemmer for English, as its author describes it (Snowball, "english").

// "Y" stands for a y that is a consonant, as the description has it.
const VOWELS = new Set(["a", "e", "i", "o", "u", "y"]);
const DOUBLES = new Set(["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"]);

/** Words that the rules would get wrong. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ...[["skis", "ski"] as const, ["skies", "sky"] as const, ["dying", "die"] as const],
  ...[["lying", "lie"] as const, ["tying", "tie"] as const, ["idly", "idl"] as const],
  ...[["gently", "gentl"] as const, ["ugly", "ugli"] as const, ["early", "earli"] as const],
  ...[["only", "onli"] as const, ["singly", "singl"] as const],
  ...["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"].map(
    (word): readonly [string, string] => [word, word],
  ),
]);

/** Words that are whole once their plural ending is off. */
const WHOLE: ReadonlySet<string> = new Set(
  "inning outing canning herring earring proceed exceed succeed".split(" "),
);

const STEP_2: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["fulness", "ful"],
  ["iveness", "ive"],
  ["ization", "ize"],
  ["ousness", "ous"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["tional", "tion"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ation", "ate"],
  ["entli", "ent"],
  ["fulli", "ful"],
  ["iviti", "ive"],
  ["ousli", "ous"],
  ["abli", "able"],
  ["alli", "al"],
  ["anci", "ance"],
  ["ator", "ate"],
  ["enci", "ence"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["ogi", "og"],
  ["li", ""],
];

const STEP_3: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["ative", ""],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

const STEP_4: readonly string[] =
  "ement able ance ence ible ment ant ate ent ism iti ive ize ous ion al er ic".split(" ");

/**
 * Gives the stem of an English word, so that the forms of a word are one term. The word is in lower
 * case; a word with other characters than a to z is given back as it is.
 */
export function porter2(word: string): string {
  if (word.length < 3 || /[^a-z]/.test(word)) return word;
  const exception = EXCEPTIONS.get(word);
  if (exception !== undefined) return exception;
  let stem = step1a(markConsonants(word));
  if (WHOLE.has(stem)) return stem;
  const r1 = firstRegion(stem);
  const r2 = regionBehind(stem, r1);
  stem = step1c(step1b(stem, r1));
  stem = step3(step2(stem, r1), r1, r2);
  stem = step5(step4(stem, r2), r1, r2);
  return stem.replaceAll("Y", "y");
}

function markConsonants(word: string): string {
  if (!word.includes("y")) return word;
  let marked = "";
  for (let i = 0; i < word.length; i++) {
    const char = word.charAt(i);
    const isConsonant = char === "y" && (i === 0 || isVowel(marked, i - 1));
    marked += isConsonant ? "Y" : char;
  }
  return marked;
}

function isVowel(word: string, place: number): boolean {
  return VOWELS.has(word.charAt(place));
}

/** R1: what is behind the first consonant that follows a vowel. */
function firstRegion(word: string): number {
  for (const start of ["gener", "commun", "arsen"]) if (word.startsWith(start)) return start.length;
  return regionBehind(word, 0);
}

function regionBehind(word: string, start: number): number {
  for (let i = start + 1; i < word.length; i++) {
    if (!isVowel(word, i) && isVowel(word, i - 1)) return i + 1;
  }
  return word.length;
}

function hasVowel(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (isVowel(word, i)) return true;
  return false;
}

/** Whether a word ends with a short syllable, as "rap" and "trap" do, and "at" as a whole word. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (word.length === 2) return isVowel(word, 0) && !isVowel(word, 1);
  if (word.length < 3 || isVowel(word, last) || /[wxY]$/.test(word)) return false;
  return isVowel(word, last - 1) && !isVowel(word, last - 2);
}

function step1a(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ied") || word.endsWith("ies")) {
    return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  }
  if (!word.endsWith("s") || word.endsWith("us") || word.endsWith("ss")) return word;
  return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function step1b(word: string, r1: number): string {
  for (const ending of ["eedly", "eed"]) {
    if (!word.endsWith(ending)) continue;
    const start = word.length - ending.length;
    return start >= r1 ? `${word.slice(0, start)}ee` : word;
  }
  for (const ending of ["ingly", "edly", "ing", "ed"]) {
    if (!word.endsWith(ending)) continue;
    const base = word.slice(0, -ending.length);
    return hasVowel(base) ? repaired(base, r1) : word;
  }
  return word;
}

/** Gives a word that lost "ed" or "ing" its e back, or takes a doubled letter away. */
function repaired(base: string, r1: number): string {
  if (base.endsWith("at") || base.endsWith("bl") || base.endsWith("iz")) return `${base}e`;
  if (DOUBLES.has(base.slice(-2))) return base.slice(0, -1);
  return r1 >= base.length && endsShort(base) ? `${base}e` : base;
}

function step1c(word: string): string {
  const last = word.length - 1;
  if (last < 2 || !/[yY]$/.test(word) || isVowel(word, last - 1)) return word;
  return `${word.slice(0, -1)}i`;
}

function step2(word: string, r1: number): string {
  for (const [ending, replacement] of STEP_2) {
    if (!word.endsWith(ending)) continue;
    const start = word.length - ending.length;
    if (start < r1) return word;
    if (ending === "ogi" && word.charAt(start - 1) !== "l") return word;
    if (ending === "li" && !/[cdeghkmnrt]$/.test(word.slice(0, start))) return word;
    return word.slice(0, start) + replacement;
  }
  return word;
}

function step3(word: string, r1: number, r2: number): string {
  for (const [ending, replacement] of STEP_3) {
    if (!word.endsWith(ending)) continue;
    const start = word.length - ending.length;
    const isFree = start >= (ending === "ative" ? r2 : r1);
    return isFree ? word.slice(0, start) + replacement : word;
  }
  return word;
}

function step4(word: string, r2: number): string {
  for (const ending of STEP_4) {
    if (!word.endsWith(ending)) continue;
    const start = word.length - ending.length;
    if (start < r2) return word;
    return ending === "ion" && !/[st]$/.test(word.slice(0, start)) ? word : word.slice(0, start);
  }
  return word;
}

function step5(word: string, r1: number, r2: number): string {
  const base = word.slice(0, -1);
  if (word.endsWith("e")) {
    const goes = base.length >= r2 || (base.length >= r1 && !endsShort(base));
    return goes ? base : word;
  }
  return word.endsWith("ll") && base.length >= r2 ? base : word;
}
