// Finds facts, names and relations by patterns, without a model: what users state of themselves and
// of those they know, in plain English. It prefers to find nothing over something wrong: questions,
// denials, suppositions, quotations and code give nothing. docs/memory.md says what it finds.

import type { Extracted, ExtractionLine } from "../extracted.ts";
import type { ExtractionTarget } from "../policy.ts";
import { ownText } from "./own-text.ts";
import { applyRules, type Speech } from "./rules-engine.ts";
import { EVENT_RULES } from "./rules-events.ts";
import { Found } from "./rules-found.ts";
import { LIKING_RULES } from "./rules-likes.ts";
import { findNames } from "./rules-names.ts";
import { PEOPLE_RULES } from "./rules-people.ts";
import { PLAIN_RULES } from "./rules-plain.ts";
import { SELF_RULES } from "./rules-self.ts";
import { ruleSentences } from "./rules-text.ts";

/** What is looked at of one message at the most, and of it at one time. */
const LINE_CHARS = 65_536;
const SLICE_CHARS = 4_096;

/** No sentence without one of these says anything of the speaker. */
const OF_SPEAKER = /(?<!\p{L})(?:I|i|Im|im|my|My|our|Our|I'm|i'm|I've|I'd)(?!\p{L})|[Cc]all me /u;
const OF_DAYS = /birthday|deadline|due|anniversary|(?:is|are) (?:on|by) /;
const OF_NAMES = new RegExp(
  `\\b(?:${[
    ...[
      "works",
      "joined",
      "lives",
      "moved",
      "born",
      "from",
      "married",
      "studies",
      "likes",
      "loves",
    ],
    ...["enjoys", "hates", "dislikes", "allergic", "founded", "is the", "located", "based"],
    ...["headquartered", "acquired", "employed", "got"],
  ].join("|")})\\b| my `,
);

/** A capital that does not begin a sentence, nor is the word `I`. */
const CAPITAL_INSIDE = /(?<!^|[.!?\n]\s{0,3})(?!I\b)\p{Lu}/u;

const ABOUT_SPEAKERS = [...SELF_RULES, ...LIKING_RULES];
const NAME_OF_SPEAKER = /^\p{L}[\p{L}\p{M}' .-]{0,63}$/u;
const NO_SPEAKER = /^(?:user|human|me|you|assistant|system|customer|client|guest|unknown)$/i;

/** Looks at one line after the other. */
export class RuleExtractor {
  readonly #targets: ReadonlySet<ExtractionTarget>;
  readonly #found = new Found();

  constructor(targets: readonly ExtractionTarget[]) {
    this.#targets = new Set(targets);
  }

  /** A line in pieces that take a few milliseconds each. What users did not say has none. */
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

  /** Looks at a piece of a line. */
  look({ text, name, messageId, saidMs }: ExtractionLine): void {
    const found = this.#found;
    found.from(messageId);
    const isNamed = NAME_OF_SPEAKER.test(name) && !NO_SPEAKER.test(name);
    const who = { speaker: isNamed ? name : "The user", subject: isNamed ? name : "user" };
    const isLower = !CAPITAL_INSIDE.test(text);
    for (const { text: sentence, isOpen } of ruleSentences(text)) {
      findNames(sentence, found);
      if (!isOpen) lookAt({ sentence, ...who, isLower, saidMs, found });
    }
  }

  /** What was found in all lines. */
  result(): Extracted {
    const found = this.#found;
    const of = <T>(target: ExtractionTarget, items: readonly T[]): readonly T[] =>
      this.#targets.has(target) ? items : [];
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
  // What no rule knows the meaning of is kept in the words that were said.
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

/** Finds what lines hold. */
export function extractByRules(
  lines: readonly ExtractionLine[],
  targets: readonly ExtractionTarget[],
): Extracted {
  const rules = new RuleExtractor(targets);
  for (const line of lines) for (const slice of rules.slicesOf(line)) rules.look(slice);
  return rules.result();
}
