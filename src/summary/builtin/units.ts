// The sentences of a conversation with all that is known of them, before anything is weighed.

import { costOf, type TextCost } from "./cost.ts";
import { type Cue, cuesOf, isQuestion, withoutOpening } from "./cues.ts";
import type { ExtractLine } from "./lines.ts";
import { quoted, type Sentence, type SentenceKind, sentencesOf } from "./sentences.ts";
import { TermTable } from "./term-table.ts";

/** What is known of a sentence wherever it stands. */
interface Read {
  readonly text: string;
  readonly kind: SentenceKind;
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
   * What it says nothing without: the header of a row, or the first of what a text that ends with a
   * colon announces; -1 for none.
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
  /** How often each text is said. */
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
    addNeeds(units, first);
    lineTerms.push(count);
    const last = units.length > first ? units.at(-1) : undefined;
    question = last !== undefined && isQuestion(last.text) ? last.index : -1;
  });
  return { lines, units, terms, lineTerms, said };
}

/** Says of the units of a line, the first of them given, what each says nothing without. */
function addNeeds(units: Unit[], first: number): void {
  let header = -1;
  for (let index = first; index < units.length; index++) {
    const unit = units[index];
    if (unit === undefined) continue;
    const next = units[index + 1];
    if (unit.kind === "table") units[index] = { ...unit, needs: header };
    else header = unit.kind === "scrap" && next?.kind === "table" ? index : -1;
    if (next === undefined || !isLeadIn(unit)) continue;
    // Behind the header of a table comes its first row.
    const isHeader = next.kind === "scrap" && units[index + 2]?.kind === "table";
    units[index] = { ...unit, needs: isHeader ? index + 2 : index + 1 };
  }
}

/** What says more than this many terms before a colon says something by itself. */
const LEAD_IN_TERMS = 4;

function isLeadIn({ text, kind, terms }: Unit): boolean {
  if (kind === "code" || kind === "scrap" || kind === "table") return false;
  return terms.length <= LEAD_IN_TERMS && /[:：][*_]*$/.test(text);
}

/** Reads sentences; one that was read before costs nothing, however often it comes. */
class SentenceReader {
  readonly #known = new Map<string, Read>();

  read({ text: whole, kind }: Sentence): Read {
    const known = this.#known.get(whole);
    if (known?.kind === kind) return known;
    const text = kind === "prose" ? withoutOpening(whole) : whole;
    const cues = kind === "code" || kind === "scrap" ? [] : cuesOf(text);
    const read = { text, kind, cost: costOf(quoted(text, kind)), cues };
    this.#known.set(whole, read);
    return read;
  }
}
