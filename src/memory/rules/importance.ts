// Importance of texts, by rules of phrases. A phrase is compared word by word; a text is read once,
// and each of its words visits only the places of phrases with this word.

import type { ImportanceRule } from "../../window/policy/memory-policy.ts";

/** The score of a text that no rule fits. */
const NO_RULE_SCORE = 0.3;
/** The most visits to places of phrases: far more than real rules and texts need. */
const VISITS = 4_000_000;
/** Cost of a visit to a place, relative to the cost of clearing it. */
const SEEN_COST = 16;
const PHRASE_WORDS = 16;
/** Stands before the first word of a phrase. */
const START = -1;

/** The rules of the server. */
export const DEFAULT_IMPORTANCE_RULES: readonly ImportanceRule[] = [
  {
    name: "identity",
    phrases: ["my name is", "call me", "(i'm|im) called", "i am called"],
    score: 0.9,
  },
  {
    name: "relationship",
    phrases: [
      "my (wife|husband|spouse|partner|daughter|son|kid|kids|children)",
      "my (mother|father|mom|dad|brother|sister|boss|manager|friend)",
    ],
    score: 0.85,
  },
  {
    name: "preference",
    phrases: [
      "i (prefer|like|love|hate|dislike|enjoy)",
      "my (favorite|favourite)",
      "i (always|never)",
    ],
    score: 0.75,
  },
  {
    name: "goal",
    phrases: ["my goal", "i (decided|plan|want) to", "we (decided|agreed)"],
    score: 0.7,
  },
  {
    name: "location",
    phrases: [
      "i live in",
      "(i'm|im) from",
      "i am from",
      "based in",
      "i work (at|in|for)",
      "moving to",
    ],
    score: 0.6,
  },
  { name: "date_fact", phrases: ["birthday", "anniversary", "deadline"], score: 0.6 },
];

/** A text's score, and the rule that gave it; empty when none fits. */
interface Importance {
  readonly score: number;
  readonly rule: string;
}

/** Bounds the work of scoring many texts: the visits to places that are left. */
interface ScoreBudget {
  left: number;
}

/** The work that one decision, or one text by itself, may do. */
export function scoreBudget(): ScoreBudget {
  return { left: VISITS };
}

/** A word of a phrase at its place. */
interface Place {
  /** Rule that the phrase belongs to. */
  readonly rule: number;
  /** The places of the words that may stand before; START for the beginning. */
  readonly before: readonly number[];
  isEnd: boolean;
}

/** Rules ready to score texts. */
interface CompiledRules {
  readonly rules: readonly ImportanceRule[];
  readonly places: readonly Place[];
  /** The places of each word, the later ones of a phrase first. */
  readonly byWord: ReadonlyMap<string, readonly number[]>;
}

/** A word of a phrase with its alternatives, each one or more words of a text. */
interface PhraseWord {
  readonly choices: readonly (readonly string[])[];
  readonly isOptional: boolean;
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const PHRASE_WORD = /^(?:\(([^()?]+)\)|([^()|?]+))(\?)?$/u;
/** Letters, digits and marks inside a word: one with marks is read as several words. */
const CHOICE = /^[\p{L}\p{M}\p{N}_]+(?:['’-][\p{L}\p{M}\p{N}_]+)*$/u;
/** Characters between the words of a phrase: all others end it. */
const BETWEEN = /^[\s'’"*`-]*$/u;

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function parsePhrase(phrase: string): readonly PhraseWord[] | string {
  const words: PhraseWord[] = [];
  for (const part of folded(phrase)
    .split(/\s+/u)
    .filter((word) => word !== "")) {
    const [, several, one, mark] = PHRASE_WORD.exec(part) ?? [];
    const choices = (several ?? one)?.split("|") ?? [];
    if (choices.length === 0) return `has a word that cannot be read: ${part}`;
    const wrong = choices.find((choice) => !CHOICE.test(choice));
    if (wrong !== undefined) return `has a word that is not made of letters and digits: ${part}`;
    const read = choices.map((choice) => choice.match(WORD) ?? []);
    words.push({ choices: read, isOptional: mark !== undefined });
  }
  if (words.length > PHRASE_WORDS) {
    return `has ${words.length} words, and may have at most ${PHRASE_WORDS}`;
  }
  const isEmpty = words.every((word) => word.isOptional);
  return isEmpty ? "must have a word that may not be missing" : words;
}

/** The fault of a phrase; undefined for none. */
export function phraseFault(phrase: string): string | undefined {
  const words = parsePhrase(phrase);
  return typeof words === "string" ? words : undefined;
}

function addPhrase(rule: number, words: readonly PhraseWord[], to: Compiling): void {
  let before: readonly number[] = [START];
  for (const { choices, isOptional } of words) {
    const ends = choices.map((choice) => {
      let previous = before;
      for (const word of choice) previous = [addPlace(to, word, { rule, before: previous })];
      return previous;
    });
    before = [...ends.flat(), ...(isOptional ? before : [])];
  }
  for (const id of before) {
    const place = to.places[id];
    if (place !== undefined) place.isEnd = true;
  }
}

interface Compiling {
  readonly places: Place[];
  readonly byWord: Map<string, number[]>;
}

function addPlace(to: Compiling, word: string, place: Omit<Place, "isEnd">): number {
  const id = to.places.push({ ...place, isEnd: false }) - 1;
  const ids = to.byWord.get(word);
  if (ids === undefined) to.byWord.set(word, [id]);
  else ids.push(id);
  return id;
}

/** Makes rules ready. Phrases that cannot be read never fit: the edge refuses them. */
export function compileRules(rules: readonly ImportanceRule[]): CompiledRules {
  const to: Compiling = { places: [], byWord: new Map() };
  rules.forEach((rule, index) => {
    for (const phrase of new Set(rule.phrases)) {
      const words = parsePhrase(phrase);
      if (typeof words !== "string") addPhrase(index, words, to);
    }
  });
  // A place is visited before those in front of it: they must still hold the word before.
  for (const ids of to.byWord.values()) ids.reverse();
  return { rules, ...to };
}

/** Whether the rule would change the score. */
function isBetter(rules: readonly ImportanceRule[], rule: number, best: number): boolean {
  const score = rules[rule]?.score ?? 0;
  const bestScore = rules[best]?.score ?? -1;
  return score > bestScore || (score === bestScore && rule < best);
}

/** The best rule that fits a text; -1 for none. */
function bestRule(compiled: CompiledRules, text: string, budget: ScoreBudget): number {
  const { rules, places, byWord } = compiled;
  // The number of the word that last stood at a place. What ends a phrase skips a number.
  const seenAt = new Int32Array(places.length).fill(-1);
  budget.left -= places.length / SEEN_COST;
  let best = -1;
  let number = 0;
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    number += BETWEEN.test(text.slice(end, index)) ? 1 : 2;
    end = index + word.length;
    for (const id of byWord.get(word) ?? []) {
      const { rule, before, isEnd } = places[id] as Place;
      budget.left -= before.length;
      if (!before.some((place) => place === START || seenAt[place] === number - 1)) continue;
      seenAt[id] = number;
      if (isEnd && isBetter(rules, rule, best)) best = rule;
    }
    if (budget.left < 0) break;
  }
  return best;
}

/**
 * Importance of a text: the highest score of the rules that fit, of equal ones that of the
 * earlier rule. Once a budget is used up no rule fits any more.
 */
export function scoreText(
  compiled: CompiledRules,
  text: string,
  budget: ScoreBudget = scoreBudget(),
): Importance {
  const best = budget.left < 0 ? -1 : bestRule(compiled, folded(text), budget);
  const rule = compiled.rules[best];
  return { score: rule?.score ?? NO_RULE_SCORE, rule: rule?.name ?? "" };
}
