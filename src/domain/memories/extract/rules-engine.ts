// How rules are applied: where one fits in a sentence, and how sure what it finds is.

import type { FactKind, Found } from "./rules-found.ts";
import { clauseOf, isOver, stanceAt } from "./rules-match.ts";

/** Who speaks, where, and what else the rules go by. */
export interface Speech {
  readonly sentence: string;
  /** The speaker in a fact: a name, or `The user`. */
  readonly speaker: string;
  /** The same in a relation: a name, or `user`. */
  readonly subject: string;
  /** Nothing in the message has a capital where English wants one. */
  readonly isLower: boolean;
  readonly saidMs: number;
  readonly found: Found;
}

/** A rule that fits at a place of a sentence. */
export interface Fit {
  readonly speech: Speech;
  readonly match: RegExpMatchArray;
  /** What stands behind what the rule matched. */
  readonly rest: string;
  readonly confidence: number;
}

/** A rule: where it may fit, and what is then found. */
export interface Rule {
  /** Global. */
  readonly pattern: RegExp;
  /** What stands in every sentence where it fits. Not global. */
  readonly hint?: RegExp;
  readonly confidence: number;
  readonly find: (fit: Fit) => void;
}

/** What doubt leaves of a confidence. */
const DOUBT = 0.6;

/** Applies rules to a sentence. */
export function applyRules(rules: readonly Rule[], speech: Speech): void {
  const { sentence } = speech;
  for (const { pattern, hint, confidence, find } of rules) {
    // Cheap looks first: most rules do not fit.
    if (hint !== undefined && !hint.test(sentence)) continue;
    if (sentence.search(pattern) < 0) continue;
    for (const match of sentence.matchAll(pattern)) {
      const end = match.index + match[0].length;
      const stance = stanceAt(sentence, match.index, end);
      const rest = sentence.slice(end);
      if (stance.isUntrue || isOver(clauseAndTail(rest))) continue;
      const sure = stance.isUnsure ? confidence * DOUBT : confidence;
      find({ speech, match, rest, confidence: Math.round(sure * 100) / 100 });
    }
  }
}

/** The clause with the words that may end it, as `anymore`. */
function clauseAndTail(rest: string): string {
  return rest.slice(0, Math.min(rest.length, clauseOf(rest).length + 16)).split(/[,;]/)[0] ?? "";
}

/** Words between a subject and its verb. */
export const ADVERBS =
  "(?: (?:really|absolutely|also|just|still|currently|now|actually|usually|generally|do|truly|totally|especially|recently|quite|always|have always|mostly|only|personally|honestly|definitely|both|simply|even|particularly|'ve always)){0,2}";
/** The speaker as a subject. */
export const I = "(?<![\\p{L}\\p{N}'])[Ii]";
/** The same with the verb. */
export const AM = `${I}(?:'m|m| am)${ADVERBS}`;

/** Makes a rule. */
export function rule(
  pattern: string,
  confidence: number,
  find: (fit: Fit) => void,
  hint?: RegExp,
): Rule {
  const made = { pattern: new RegExp(pattern, "gu"), confidence, find };
  return hint === undefined ? made : { ...made, hint };
}

/** What the speaker says of themself, as it is said of somebody else. */
export function inThirdPerson(said: string): string {
  return said
    .replace(/\b(?:[Mm]y|[Oo]ur)\b/g, "their")
    .replace(/\b(?:myself|ourselves)\b/g, "themself")
    .replace(/(?<!['’\p{L}])(?:me|us)(?![\p{L}'-])/gu, "them");
}

/** Keeps a fact about the speaker; half a sentence is none. */
export function keep(
  { speech, confidence }: Fit,
  kind: FactKind,
  said: string,
  more: { key?: string; topics?: readonly string[]; validFromMs?: number | undefined } = {},
): void {
  if (/ (?:to|of|a|the|and|or|with|for)$/.test(said)) return;
  const text = `${speech.speaker}${inThirdPerson(said)}.`;
  speech.found.fact({ text, kind, confidence, ...more });
}

/** Keeps a relation of the speaker. */
export function relate({ speech, confidence }: Fit, predicate: string, object: string): void {
  speech.found.relation(speech.subject, predicate, object, confidence);
}
