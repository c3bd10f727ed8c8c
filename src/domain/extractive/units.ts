// The sentences of a conversation with all that picking among them needs.

import { costOf, type TextCost } from "./cost.ts";
import { cueFactor, isQuestion, withoutOpening } from "./cues.ts";
import type { ExtractLine } from "./lines.ts";
import { type SentenceKind, sentencesOf } from "./sentences.ts";
import { termsOf } from "./terms.ts";
import type { Weights } from "./weights.ts";

/** A sentence that may become part of the summary. */
export interface Unit {
  /** Its place among all units. */
  readonly index: number;
  readonly text: string;
  readonly kind: SentenceKind;
  /** The place of its line. */
  readonly line: number;
  /** Numbers of its terms, each once. */
  readonly terms: readonly number[];
  readonly cost: TextCost;
  /** What one of its terms is worth, against that of a plain sentence of a user. */
  readonly factor: number;
  /** The question that it answers and cannot be understood without; -1 for none. */
  readonly answerTo: number;
}

/** A conversation cut into units. */
export interface Units {
  readonly units: readonly Unit[];
  /** The worth of every term. */
  readonly worth: Float64Array;
}

/** A shorter answer than this many terms needs its question beside it. */
const SHORT_ANSWER_TERMS = 3;

/** Cuts lines into units and weighs their terms. `known` are texts that need not be said again. */
export function unitsOf(
  lines: readonly ExtractLine[],
  known: readonly string[],
  weights: Weights,
): Units {
  const table = new TermTable();
  const units: Unit[] = [];
  let question = -1;
  lines.forEach((line, lineIndex) => {
    const first = units.length;
    const sentences = sentencesOf(line.text);
    const role = weights.roles[line.role];
    sentences.forEach((sentence, place) => {
      const text = sentence.kind === "prose" ? withoutOpening(sentence.text) : sentence.text;
      const terms = table.add(text, lineIndex);
      const asks = isQuestion(text);
      const answers = place === 0 && !asks && terms.length < SHORT_ANSWER_TERMS;
      const cue = cueFactor(text, sentence.kind, weights.cues);
      units.push({
        index: units.length,
        text,
        kind: sentence.kind,
        line: lineIndex,
        terms,
        cost: costOf(text),
        factor: cue * role * (1 + weights.lead / (1 + place)),
        answerTo: answers ? question : -1,
      });
    });
    const last = units.at(-1);
    question =
      last !== undefined && units.length > first && isQuestion(last.text) ? last.index : -1;
  });
  const worth = table.worth(lines.length, weights);
  for (const text of known) {
    for (const term of table.known(text)) worth[term] = (worth[term] ?? 0) * weights.known;
  }
  return { units, worth };
}

/** Numbers for terms, and how often each occurs. */
class TermTable {
  readonly #numbers = new Map<string, number>();
  readonly #count: number[] = [];
  readonly #lines: number[] = [];
  readonly #lastLine: number[] = [];
  readonly #figure: boolean[] = [];

  /** Counts the terms of a text, and gives their numbers, each once. */
  add(text: string, line: number): number[] {
    const found: number[] = [];
    for (const term of termsOf(text)) {
      let number = this.#numbers.get(term);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(term, number);
        this.#count.push(0);
        this.#lines.push(0);
        this.#lastLine.push(-1);
        this.#figure.push(/^\p{N}/u.test(term));
      }
      this.#count[number] = (this.#count[number] ?? 0) + 1;
      if (this.#lastLine[number] !== line) {
        this.#lastLine[number] = line;
        this.#lines[number] = (this.#lines[number] ?? 0) + 1;
      }
      if (!found.includes(number)) found.push(number);
    }
    return found;
  }

  /** The numbers of the terms of a text that occur. */
  known(text: string): Set<number> {
    const found = new Set<number>();
    for (const term of termsOf(text)) {
      const number = this.#numbers.get(term);
      if (number !== undefined) found.add(number);
    }
    return found;
  }

  /**
   * The worth of a term: its frequency, sublinear, times its inverse frequency over the lines. Said
   * often it is what the conversation is about; in every line it tells nothing apart.
   */
  worth(lines: number, weights: Weights): Float64Array {
    return Float64Array.from(this.#count, (count, number) => {
      const frequency = (1 + Math.log(count)) ** weights.frequency;
      const rarity = Math.log(1 + lines / (this.#lines[number] ?? 1)) ** weights.rarity;
      return frequency * rarity * (this.#figure[number] === true ? weights.figureTerm : 1);
    });
  }
}
