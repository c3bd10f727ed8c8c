// The sentences of a conversation and their properties, before they are weighed.

import { costOf, type TextCost } from "./cost.ts";
import { type Cue, cuesOf, isQuestion, withoutOpening } from "./cues.ts";
import type { ExtractLine } from "./lines.ts";
import { CUT_MARK, quoted, type Sentence, sentencesOf } from "./sentences.ts";
import { TermTable } from "./term-table.ts";

/** Facts about a sentence that do not depend on its position. */
interface Read extends Sentence {
  readonly cost: TextCost;
  readonly cues: readonly Cue[];
}

/** A sentence that may become part of the summary. */
export interface Unit extends Read {
  /** Its place among all units. */
  readonly index: number;
  /** The place of its line. */
  readonly line: number;
  /** Its place among the sentences of its line. */
  readonly place: number;
  /** Numbers of its terms, each once. */
  readonly terms: readonly number[];
  /** The question that it answers and cannot be understood without; -1 for none. */
  readonly answerTo: number;
  /**
   * The unit that it cannot be understood without: the header of a table row, the first item behind
   * a text that ends with a colon, or the unit before a clause or a figure; -1 for none.
   */
  readonly needs: number;
}

/** A conversation cut into units. */
export interface Units {
  readonly lines: readonly ExtractLine[];
  readonly units: readonly Unit[];
  readonly terms: TermTable;
  /** The terms of each line, those of a sentence each once. */
  readonly lineTerms: readonly number[];
  /** Number of times each text is said. */
  readonly said: ReadonlyMap<string, number>;
}

/** A shorter answer than this many terms needs its question beside it. */
const SHORT_ANSWER_TERMS = 3;

/** Cuts lines into units. */
export function unitsOf(lines: readonly ExtractLine[]): Units {
  const terms = new TermTable();
  const units: Unit[] = [];
  const said = new Map<string, number>();
  const lineTerms: number[] = [];
  const reader = new SentenceReader();
  let question = -1;
  lines.forEach((line, lineIndex) => {
    let count = 0;
    const first = units.length;
    sentencesOf(line.text).forEach((sentence, place) => {
      const read = reader.read(sentence);
      const numbers = terms.add(read.text, lineIndex);
      const answers = place === 0 && !isQuestion(read.text) && numbers.length < SHORT_ANSWER_TERMS;
      const answerTo = answers ? question : -1;
      const index = units.length;
      units.push({ ...read, index, line: lineIndex, place, terms: numbers, answerTo, needs: -1 });
      said.set(read.text, (said.get(read.text) ?? 0) + 1);
      count += numbers.length;
    });
    addNeeds(units, first, terms);
    lineTerms.push(count);
    const last = units.length > first ? units.at(-1) : undefined;
    question = last !== undefined && isQuestion(last.text) ? last.index : -1;
  });
  return { lines, units, terms, lineTerms, said };
}

/** Sets `needs` of the units of a line, from the first of them on. */
function addNeeds(units: Unit[], first: number, terms: TermTable): void {
  let header = -1;
  for (let index = first; index < units.length; index++) {
    const unit = units[index];
    if (unit === undefined) continue;
    const next = units[index + 1];
    if (unit.kind === "table") units[index] = { ...unit, needs: header };
    else header = unit.kind === "scrap" && next?.kind === "table" ? index : -1;
    if (index > first && leansBack(unit, terms)) units[index] = { ...unit, needs: index - 1 };
    if (next === undefined || !isLeadIn(unit)) continue;
    // Behind the header of a table comes its first row.
    const isHeader = next.kind === "scrap" && units[index + 2]?.kind === "table";
    units[index] = { ...unit, needs: isHeader ? index + 2 : index + 1 };
  }
}

/** Words that tie a sentence to the one before it. */
const TIED = /^(?:and|or|nor|than|then|because|which|whereas|plus|also)\b/i;

/** A sentence of more terms is understood alone, whatever it begins with. */
const TIED_TERMS = 3;

/** Whether a unit cannot be understood without the one before it. */
function leansBack({ text, kind, terms: own, leans }: Unit, terms: TermTable): boolean {
  if (leans === true) return true;
  if (kind !== "prose" && kind !== "item") return false;
  if (own.length <= TIED_TERMS && TIED.test(text)) return true;
  return own.length > 0 && own.every((term) => terms.isFigure(term));
}

/** A text of more terms before its colon is understood without the items behind it. */
const LEAD_IN_TERMS = 4;

function isLeadIn({ text, kind, terms }: Unit): boolean {
  if (kind === "code" || kind === "scrap" || kind === "table") return false;
  return terms.length <= LEAD_IN_TERMS && /[:：][*_]*$/.test(text);
}

/** Reads sentences, each distinct one once. */
class SentenceReader {
  readonly #known = new Map<string, Read>();

  read(sentence: Sentence): Read {
    const { text: whole, kind, leans, goesOn } = sentence;
    const known = this.#known.get(whole);
    if (known?.kind === kind && known.leans === leans && known.goesOn === goesOn) return known;
    const text = kind === "prose" ? withoutOpening(whole) : whole;
    const cues = kind === "code" || kind === "scrap" ? [] : cuesOf(text);
    const cost = costOf(quoted(text, kind) + (goesOn === true ? CUT_MARK : ""));
    const read = { ...sentence, text, cost, cues };
    this.#known.set(whole, read);
    return read;
  }
}
