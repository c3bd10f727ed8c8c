// Finds facts, names and relations by patterns, without a model, in statements of users in plain
// English about themselves and people they know. It prefers to find nothing over something wrong:
// questions, denials, suppositions, quotations and code give nothing. docs/memory.md says what it
// finds.

import type { ExtractionTarget } from "../../window/policy/memory-policy.ts";
import type { Extracted, ExtractedFact, ExtractionLine } from "../rules/extracted.ts";
import { EVENT_RULES } from "./rules-dates.ts";
import { applyRules, Found, NAME, type Speech } from "./rules-engine.ts";
import { PEOPLE_RULES } from "./rules-people.ts";
import { PLAIN_RULES } from "./rules-plain.ts";
import { LIKING_RULES, SELF_RULES } from "./rules-self.ts";
import { HOLE, ownText, ruleSentences } from "./rules-text.ts";
import { anyOf, listOf, NO_NAMES, ORGANIZATION, TECHNOLOGIES, TITLED } from "./rules-words.ts";

/** The longest part of a message that is read, and of it at one time. */
const LINE_CHARS = 65_536;
const SLICE_CHARS = 4_096;

/** No sentence without one of these says anything of the speaker. */
const OF_SPEAKER = /(?<!\p{L})(?:I|i|Im|im|my|My|our|Our|I'm|i'm|I've|I'd)(?!\p{L})|[Cc]all me /u;
const OF_DAYS = /birthday|deadline|due|anniversary|(?:is|are) (?:on|by) /;
const OF_NAMES = new RegExp(
  `\\b(?:${anyOf(`
  works, joined, lives, moved, born, from, married, studies, likes, loves, enjoys, hates,
  dislikes, allergic, founded, is the, located, based, headquartered, acquired, employed, got
`)})\\b| my `,
);

/** A capital that does not begin a sentence, nor is the word `I`. */
const CAPITAL_INSIDE = /(?<!^|[.!?\n]\s{0,3})(?!I\b)\p{Lu}/u;

const ABOUT_SPEAKERS = [...SELF_RULES, ...LIKING_RULES];
const NAME_OF_SPEAKER = /^\p{L}[\p{L}\p{M}' .-]{0,63}$/u;
const NO_SPEAKER = /^(?:user|human|me|you|assistant|system|customer|client|guest|unknown)$/i;

/** Extracts from one line after another. */
export class RuleExtractor {
  readonly #targets: ReadonlySet<ExtractionTarget>;
  readonly #found = new Found();

  constructor(targets: readonly ExtractionTarget[]) {
    this.#targets = new Set(targets);
  }

  /** A line in pieces that take a few milliseconds each. Only lines of users have any. */
  *slicesOf(line: ExtractionLine): Generator<ExtractionLine> {
    if (line.role !== "user") return;
    const text = ownText(line.text.slice(0, LINE_CHARS));
    for (let start = 0; start < text.length; ) {
      const end = start + SLICE_CHARS;
      const stop = end >= text.length ? text.length : breakBefore(text, start, end);
      yield { ...line, text: text.slice(start, stop) };
      start = stop;
    }
  }

  /** Extracts from a piece of a line. */
  look({ text, name, messageId, saidMs }: ExtractionLine): void {
    const found = this.#found;
    found.messageId = messageId;
    const isNamed = NAME_OF_SPEAKER.test(name) && !NO_SPEAKER.test(name);
    const who = { speaker: isNamed ? name : "The user", subject: isNamed ? name : "user" };
    const isLower = !CAPITAL_INSIDE.test(text);
    for (const { text: sentence, isOpen } of ruleSentences(text)) {
      findNames(sentence, found);
      if (!isOpen) lookAt({ sentence, ...who, isLower, saidMs, found });
    }
  }

  /** The results of all lines. */
  result(): Extracted {
    const found = this.#found;
    const of = <T>(target: ExtractionTarget, items: ReadonlyMap<string, T>): readonly T[] =>
      this.#targets.has(target) ? [...items.values()] : [];
    return {
      facts: of("facts", found.facts),
      entities: of("entities", found.entities),
      relations: of("relations", found.relations),
      model: "",
      rejectedCount: 0,
    };
  }
}

function lookAt(speech: Speech): void {
  const { sentence, found } = speech;
  const before = found.factCount;
  if (OF_SPEAKER.test(sentence)) applyRules(ABOUT_SPEAKERS, speech);
  if (OF_SPEAKER.test(sentence) || OF_NAMES.test(sentence)) applyRules(PEOPLE_RULES, speech);
  if (OF_DAYS.test(sentence)) applyRules(EVENT_RULES, speech);
  // A statement that no rule understands is kept in its own words.
  if (found.factCount === before) applyRules(PLAIN_RULES, speech);
}

/** A place to part a text: behind a line or a sentence, if there is one. */
function breakBefore(text: string, start: number, end: number): number {
  for (const mark of ["\n", ". ", " "]) {
    const at = text.lastIndexOf(mark, end - 1);
    if (at > start + SLICE_CHARS / 2) return at + mark.length;
  }
  // Never between the halves of a character.
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

/** Extracts from lines. */
export function extractByRules(
  lines: readonly ExtractionLine[],
  targets: readonly ExtractionTarget[],
): Extracted {
  const rules = new RuleExtractor(targets);
  for (const line of lines) for (const slice of rules.slicesOf(line)) rules.look(slice);
  return rules.result();
}

/** The statements of a text, as they were said. */
export function statementsOf(text: string): readonly string[] {
  return ruleSentences(ownText(text)).flatMap(({ isOpen, text: sentence, end }) =>
    isOpen || sentence.includes(HOLE) ? [] : [`${sentence}${end === "" ? "." : end}`],
  );
}

/** The first fact in a statement; undefined when it holds nothing lasting. */
export function factOf(statement: string): ExtractedFact | undefined {
  const line = { role: "user", text: statement, name: "", messageId: "", saidMs: 0 } as const;
  return extractByRules([line], ["facts"]).facts[0];
}

// Names in sentences: words with capitals that do not begin them, and technologies.

const NAMES = new RegExp(`(?<![\\p{L}\\p{N}${HOLE}])${NAME}`, "gu");
const TECHNICAL = /(?<![\p{L}\p{N}.@/])[\p{L}][\p{L}\p{N}.+#]{1,24}(?![\p{L}\p{N}])/gu;
/** Two capitals with small letters between, as in `PostgreSQL` or `GitHub`. */
const CAMEL = /^\p{Lu}?\p{Ll}+\p{Lu}[\p{L}\p{N}]*$/u;
const MAC = /^(?:Mc|Mac|O'|De|Le|La|Di|Van)\p{Lu}\p{Ll}+$/u;

/** Finds names that no other rule knows the meaning of. */
function findNames(sentence: string, found: Found): void {
  if (isShouted(sentence)) return;
  for (const match of sentence.matchAll(NAMES)) {
    const name = trimmed(match[0], match.index === 0);
    if (name !== undefined) found.entity({ name, type: typeOf(name) });
  }
  for (const [word] of sentence.matchAll(TECHNICAL)) {
    const plain = word.replace(/\.$/, "");
    // A lowercase word that is also a word of English is no technology.
    if (TECHNOLOGIES.has(plain.toLowerCase()) && !isPlainWord(plain)) {
      found.entity({ name: plain, type: "technology" });
    }
  }
}

const PLAIN_WORDS = new Set(
  listOf(`
  go, swift, rust, ruby, react, flask, rails, spring, spark, windows, slack, notion, excel,
  spring, vue, claude, java, python, vim, scala
`),
);

function isPlainWord(word: string): boolean {
  return word === word.toLowerCase() && PLAIN_WORDS.has(word);
}

function isShouted(sentence: string): boolean {
  const letters = sentence.replace(/[^\p{L}]/gu, "");
  return letters.length > 12 && letters === letters.toUpperCase();
}

/** A name without other words at its ends; undefined when nothing is left. */
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
