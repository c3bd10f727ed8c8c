// Applies rules: finds where they fit in a sentence, and sets the confidence of their results.

import { LIMITS } from "../../kit/limits.ts";
import type { ExtractedEntity, ExtractedFact, ExtractedRelation } from "../rules/extracted.ts";
import { DEFAULT_IMPORTANCE_RULES } from "../rules/importance.ts";
import { HOLE } from "./rules-text.ts";
import { anyOf, NO_NAMES } from "./rules-words.ts";

/** The speaker, the message and other context of the rules. */
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
  /** The sentence behind the match. */
  readonly rest: string;
  readonly confidence: number;
}

/** A rule: where it may fit, and the results it then gives. */
export interface Rule {
  /** Global. */
  readonly pattern: RegExp;
  /** Found in every sentence where the rule fits. Not global. */
  readonly hint?: RegExp;
  readonly confidence: number;
  readonly find: (fit: Fit) => void;
}

/** The factor that doubt puts on a confidence. */
const DOUBT = 0.6;

/** Applies rules to a sentence. */
export function applyRules(rules: readonly Rule[], speech: Speech): void {
  const { sentence } = speech;
  for (const rule of rules) {
    const { hint, confidence, find } = rule;
    // Cheap checks first: most rules do not fit.
    if (hint !== undefined && !hint.test(sentence)) continue;
    const { pattern } = rule;
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

/** Makes a rule. Its pattern is compiled when it is first tried, so that a server starts sooner. */
export function rule(
  pattern: string,
  confidence: number,
  find: (fit: Fit) => void,
  hint?: RegExp,
): Rule {
  let compiled: RegExp | undefined;
  return {
    get pattern() {
      compiled ??= new RegExp(pattern, "gu");
      return compiled;
    },
    ...(hint === undefined ? {} : { hint }),
    ...{ confidence, find },
  };
}

/** The speaker's words in the third person. */
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

// The results of the rules so far, each once.

/** The kinds of facts, named as the rules that score texts. */
export type FactKind =
  | "identity"
  | "relationship"
  | "preference"
  | "goal"
  | "location"
  | "work"
  | "date_fact"
  | "general";

const SCORES = new Map(DEFAULT_IMPORTANCE_RULES.map(({ name, score }) => [name, score]));
/** Of facts of no rule of importance. */
const OTHER_SCORE = 0.6;

/** A fact of a sentence. */
interface NewFact {
  readonly text: string;
  readonly kind: FactKind;
  readonly confidence: number;
  readonly key?: string;
  readonly topics?: readonly string[];
  readonly validFromMs?: number | undefined;
}

/** A name of a sentence. */
interface NewEntity {
  readonly name: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Collects results. */
export class Found {
  readonly facts = new Map<string, ExtractedFact>();
  readonly entities = new Map<string, ExtractedEntity>();
  readonly relations = new Map<string, ExtractedRelation>();
  /** The message of the results that follow; empty for a text. */
  messageId = "";
  /** Number of facts found, repeats included. */
  factCount = 0;

  fact({ text, kind, confidence, key = "", topics = [], validFromMs }: NewFact): void {
    const id = text.toLowerCase();
    const before = this.facts.get(id);
    if (before === undefined && this.facts.size >= LIMITS.extractedItems) return;
    if (Buffer.byteLength(text) > LIMITS.extractedFactBytes) return;
    this.factCount++;
    this.facts.set(id, {
      text,
      isPreference: kind === "preference",
      key: Buffer.byteLength(key) <= LIMITS.memoryKeyBytes ? key : "",
      category: kind,
      topics: topics.filter((topic) => fits(topic, LIMITS.memoryTopicBytes)),
      importance: SCORES.get(kind) ?? OTHER_SCORE,
      confidence: Math.max(confidence, before?.confidence ?? 0),
      validFromMs: before?.validFromMs ?? validFromMs,
      messageIds: this.#ids(before),
    });
  }

  entity({ name, type, attributes = {} }: NewEntity): void {
    const id = name.toLowerCase();
    const before = this.entities.get(id);
    if (before === undefined && this.entities.size >= LIMITS.extractedItems) return;
    if (!fits(name, LIMITS.entityNameBytes)) return;
    this.entities.set(id, {
      name: before?.name ?? name,
      type: before === undefined || before.type === "other" ? type : before.type,
      aliases: [],
      attributes: new Map([...(before?.attributes ?? []), ...Object.entries(attributes)]),
      messageIds: this.#ids(before),
    });
  }

  relation(subject: string, predicate: string, object: string, confidence: number): void {
    const id = JSON.stringify([subject, predicate, object]).toLowerCase();
    const before = this.relations.get(id);
    if (before === undefined && this.relations.size >= LIMITS.extractedItems) return;
    if (!fits(subject, LIMITS.relationSubjectBytes) || !fits(object, LIMITS.relationObjectBytes)) {
      return;
    }
    const sure = Math.max(confidence, before?.confidence ?? 0);
    const messageIds = this.#ids(before);
    this.relations.set(id, { subject, predicate, object, confidence: sure, messageIds });
  }

  #ids(before: { readonly messageIds: readonly string[] } | undefined): readonly string[] {
    const known = before?.messageIds ?? [];
    const id = this.messageId;
    return id === "" || known.includes(id)
      ? known
      : [...known, id].slice(-LIMITS.memorySourceMessages);
  }
}

function fits(text: string, bytesMax: number): boolean {
  return text !== "" && Buffer.byteLength(text) <= bytesMax;
}

// Reads names and other objects, and judges whether a clause states something.

/** A word that begins with a capital or a digit, and is not `I`. */
const CAPITAL = "(?!I(?:'\\w+)?\\b)[\\p{Lu}\\p{N}][\\p{L}\\p{M}\\p{N}'&.+#-]{0,40}";
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
  `[,;:()\\[\\]–—${HOLE}]| - | (?:${anyOf(`
  and (?:I|i|my|we|he|she|it|they|our|then|so|also|have|am|was|work|works|live|lives|hate|hates),
  and (?:like|likes|love|loves|don't|do|can|will|would|want|used|dislike|dislikes|need),
  or (?:I|i|my|we), but, because, cause, since, so, which, who, where, while, when, whenever,
  although, though, if, unless, after, before, until, even, right now, at the moment, these days,
  nowadays, currently, now, anymore, any more, any longer, no more, too, as well, btw, by the way,
  please, lol, haha, a lot, very much, so much, the most, for now, at least, I'm, i'm, I, i
`)})(?=$|[ ,.])`,
  "u",
);
const NO_LONGER = /^.{0,80}?\b(?:anymore|any more|any longer|no more|no longer|until)\b/i;

/** The text up to the end of a clause. Empty when it holds a quotation. */
export function clauseOf(text: string, charsMax = 100): string {
  const end = text.slice(0, charsMax + 40).search(STOP);
  const clause = (end < 0 ? text : text.slice(0, end)).trim();
  return clause.length <= charsMax && text[end] !== HOLE ? clause : "";
}

/** Whether a text states that something no longer holds. */
function isOver(text: string): boolean {
  return NO_LONGER.test(text);
}

/** Words of clauses that state nothing: reports, wishes, suppositions, denials. */
const UNTRUE = new RegExp(
  `\\b(?:${anyOf(`
  if, unless, whether, wish, imagine, pretend, suppose, would, could, should, said, says, say,
  thinks?, thought, told, tells?, asked, asks, claims?, claimed, heard, not, never, cannot,
  nobody, false, wrong, dreamed, dreamt, used to, as though, as if, until, joke, joking, kidding,
  no longer, where, why, how, who, example, character, before, lie, lied
`)})\\b|n't\\b`,
  "i",
);
const UNSURE =
  /\b(?:maybe|perhaps|probably|possibly|presumably|might|(?:i|it|he|she|they|we) may|may be|i (?:think|guess|suppose|believe)|not sure|kind of|sort of|i'm not certain|likely|supposedly|apparently|if i remember)\b/i;
const CLAUSE_START = /[,;:()–—]| - | (?:and|but|so|because|though|although|then|plus) /g;

/** Certainty of a statement. */
interface Stance {
  /** Nothing is stated. */
  readonly isUntrue: boolean;
  readonly isUnsure: boolean;
}

/** Certainty of the clause at a position of a sentence. */
function stanceAt(sentence: string, start: number, end: number): Stance {
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
