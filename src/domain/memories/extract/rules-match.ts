// What the rules share: how names and other objects are read, and what a clause says of its truth.

import { HOLE } from "./rules-text.ts";
import { NO_NAMES } from "./rules-words.ts";

/** A word that begins with a capital or a digit, and is not `I`. */
export const CAPITAL = "(?!I(?:'\\w+)?\\b)[\\p{Lu}\\p{N}][\\p{L}\\p{M}\\p{N}'&.+#-]{0,40}";
const LINKS = "(?:of|de|da|di|do|van|von|der|den|la|le|du|del|al|el|upon|&)";

/** A name of some words. */
export const NAME = `${CAPITAL}(?: (?:${LINKS} ){0,2}${CAPITAL}){0,4}`;

const NAME_AT = new RegExp(`^(?:[Tt]he )?${NAME}`, "u");
const LOWER_AT = /^\p{Ll}[\p{L}-]{2,30}(?: \p{Ll}[\p{L}-]{2,30})?(?=$|[,.]| and | but )/u;
const NOT_A_PLACE =
  /^(?:the|this|that|these|those|my|our|your|his|her|their|its|an?|some|any|many|what|town|general|peace|fear|here|there|person|paris time|moderation)\b/;

/** The name at the start of a text; undefined when there is none. */
export function nameAt(text: string): string | undefined {
  const found = NAME_AT.exec(text)?.[0];
  if (found === undefined) return undefined;
  const name = found.replace(/(?:'s|[.'&+-])+$/u, (end) => (end.includes("+") ? end : ""));
  const bare = name.toLowerCase();
  if (NO_NAMES.has(bare) || /^\p{N}+$/u.test(name)) return undefined;
  return /\p{L}/u.test(name) ? name : undefined;
}

/** A place at the start of a text, also one without a capital where nothing has capitals. */
export function placeAt(text: string, isLower: boolean): string | undefined {
  const name = nameAt(text);
  if (name !== undefined) {
    const more = new RegExp(`^, (${NAME})(?=$|[,.])`, "u").exec(text.slice(name.length))?.[1];
    return more === undefined || NO_NAMES.has(more.toLowerCase()) ? name : `${name}, ${more}`;
  }
  if (!isLower || NOT_A_PLACE.test(text)) return undefined;
  return LOWER_AT.exec(text)?.[0];
}

const STOP = new RegExp(
  `[,;:()\\[\\]–—${HOLE}]| - | (?:${[
    "and (?:I|i|my|we|he|she|it|they|our|then|so|also|have|am|was|work|works|live|lives|hate|hates)",
    "and (?:like|likes|love|loves|don't|do|can|will|would|want|used|dislike|dislikes|need)",
    "or (?:I|i|my|we)",
    ...["but", "because", "cause", "since", "so", "which", "who", "where", "while", "when"],
    ...["whenever", "although", "though", "if", "unless", "after", "before", "until", "even"],
    ...["right now", "at the moment", "these days", "nowadays", "currently", "now", "anymore"],
    ...[
      "any more",
      "any longer",
      "no more",
      "too",
      "as well",
      "btw",
      "by the way",
      "please",
      "lol",
    ],
    ...["haha", "a lot", "very much", "so much", "the most", "for now", "at least", "I'm", "i'm"],
    ...["I", "i"],
  ].join("|")})(?=$|[ ,.])`,
  "u",
);
const NO_LONGER = /^.{0,80}?\b(?:anymore|any more|any longer|no more|no longer|until)\b/i;

/** The rest of a clause: what stands before the next one. Empty when it holds a quotation. */
export function clauseOf(text: string, charsMax = 100): string {
  const end = text.slice(0, charsMax + 40).search(STOP);
  const clause = (end < 0 ? text : text.slice(0, end)).trim();
  return clause.length <= charsMax && text[end] !== HOLE ? clause : "";
}

/** Whether something is said to hold no longer. */
export function isOver(text: string): boolean {
  return NO_LONGER.test(text);
}

/** What is not said of the world: what others say, what is wished, supposed or denied. */
const UNTRUE = new RegExp(
  `\\b(?:${[
    ...["if", "unless", "whether", "wish", "imagine", "pretend", "suppose", "would", "could"],
    ...["should", "said", "says", "say", "thinks?", "thought", "told", "tells?", "asked", "asks"],
    ...["claims?", "claimed", "heard", "not", "never", "cannot", "nobody", "false", "wrong"],
    ...["dreamed", "dreamt", "used to", "as though", "as if", "until", "joke", "joking", "kidding"],
    ...["no longer", "where", "why", "how", "who", "example", "character", "before", "lie", "lied"],
  ].join("|")})\\b|n't\\b`,
  "i",
);
const UNSURE =
  /\b(?:maybe|perhaps|probably|possibly|presumably|might|(?:i|it|he|she|they|we) may|may be|i (?:think|guess|suppose|believe)|not sure|kind of|sort of|i'm not certain|likely|supposedly|apparently|if i remember)\b/i;
const CLAUSE_START = /[,;:()–—]| - | (?:and|but|so|because|though|although|then|plus) /g;

/** What a clause says of its own truth. */
export interface Stance {
  /** Nothing is stated. */
  readonly isUntrue: boolean;
  readonly isUnsure: boolean;
}

/** How far what begins at a place of a sentence is stated. */
export function stanceAt(sentence: string, start: number, end: number): Stance {
  const before = sentence.slice(0, start);
  const lead = before.slice([...before.matchAll(CLAUSE_START)].at(-1)?.index ?? 0);
  // `I think` and its like doubt; they deny nothing.
  const said = lead.replace(/\bi (?:think|guess|suppose|believe)\b/gi, "");
  const tail = sentence.slice(end, end + 120);
  return {
    isUntrue: UNTRUE.test(said),
    isUnsure:
      UNSURE.test(lead) || UNSURE.test(clauseOf(tail, 120)) || /\bi (?:think|guess)\b/i.test(tail),
  };
}

/** A text as part of a key: small letters, digits and low lines. */
export function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
  return slug.slice(0, 48);
}
