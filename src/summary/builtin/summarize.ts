// The summarizer that every server has: it picks sentences and changes none, without a model.
// Pure: the same lines give the same bytes everywhere.

import { holdsStatement } from "./code.ts";
import { budgetOfTokens, costOf, fits, type TextBudget, type TextCost } from "./cost.ts";
import type { ExtractLine } from "./lines.ts";
import { labelCost, labelOf, render, roleOf } from "./render.ts";
import { selectUnits } from "./select.ts";
import { CUT_MARK, cutLong, quoted, type SentenceKind } from "./sentences.ts";
import { type Unit, type Units, unitsOf } from "./units.ts";
import { type Worth, weigh } from "./weigh.ts";
import { WEIGHTS, type Weights } from "./weights.ts";

/** Options of a summary. */
export interface ExtractOptions {
  /** In tokens of four UTF-8 bytes. */
  readonly maxTokens: number;
  /** Texts that the reader knows already, or that the summary replaces. */
  readonly priorTexts: readonly string[];
  /** The sentences of the prior texts take part, because the summary takes their place. */
  readonly replacesPrior: boolean;
  /** A text so far, of which the sentences take part; may be empty. */
  readonly draft: string;
  /**
   * The text replaces the lines in a window and must cost less than they do. Otherwise it extends
   * or replaces another text, and only maxTokens counts.
   */
  readonly savesTokens: boolean;
  /** Another choice of weights; for the judge and for tests. */
  readonly weights?: Weights;
}

/** A sentence of a summary, and the message that has it. */
export interface ExtractedSentence {
  /** As the message has it, with every run of white space made one space. */
  readonly text: string;
  /** Empty, with `seq` 0, for a sentence of a prior text or of the draft. */
  readonly messageId: string;
  readonly seq: number;
}

/** A summary. */
export interface Extract {
  /** Empty when the lines have no letter, digit or emoji. */
  readonly text: string;
  readonly sentences: readonly ExtractedSentence[];
}

/** A summary with the units it was picked from. */
export interface Extraction {
  readonly lines: readonly ExtractLine[];
  readonly units: Units;
  readonly worth: Worth;
  readonly picked: readonly Unit[];
  readonly text: string;
}

/** A text that is hardly shorter than the messages that it replaces is useless. */
const SHARE_MAX = 0.5;

/** Few lines have less to leave out: up to this many bytes, this share may be kept. */
const SMALL_BYTES = 256;
const SMALL_SHARE_MAX = 0.8;

/**
 * Makes a summary of lines, oldest first. It costs at most maxTokens. When it must save tokens, it
 * also costs at most half as much as the lines (more for a few short ones), plus the full cost of a
 * text that it replaces and of placed summaries among the lines.
 */
export function summarizeLines(lines: readonly ExtractLine[], options: ExtractOptions): Extract {
  const { text, picked, lines: all } = extract(lines, options);
  const sentences = picked.map((unit) => {
    const line = all[unit.line];
    return { text: unit.text, messageId: line?.messageId ?? "", seq: line?.seq ?? 0 };
  });
  return { text, sentences };
}

/** Makes a summary, and keeps the units it was picked from. */
export function extract(lines: readonly ExtractLine[], options: ExtractOptions): Extraction {
  const weights = options.weights ?? WEIGHTS;
  const old = oldTexts(options).map((text) => madeLine(text));
  const all = [...old, ...lines].flatMap((line) => partsOf(line));
  const units = unitsOf(all);
  const worth = weigh(units, options.replacesPrior ? [] : options.priorTexts, weights);
  const budget = budgetOfTokens(allowedTokens(lines, options));
  const labels = !options.savesTokens || speakersOf(all) > 1;
  return { lines: all, units, worth, ...pick({ units, worth, budget, weights, labels }) };
}

function speakersOf(lines: readonly ExtractLine[]): number {
  return new Set(lines.filter(({ text }) => text !== "").map((line) => labelOf(line))).size;
}

/**
 * Gives the tokens that a summary may cost: at least 1. Placed summaries among messages may stay
 * whole: halved with each new message, they would soon be empty.
 */
export function allowedTokens(lines: readonly ExtractLine[], options: ExtractOptions): number {
  if (!options.savesTokens) return Math.max(1, options.maxTokens);
  const said = lines.filter(({ role }) => role !== "summary");
  const placed = said.length === 0 ? [] : lines.filter(({ role }) => role === "summary");
  const fresh = freshBytes(said.length === 0 ? lines : said, options);
  const texts = [...placed.map(({ text }) => text), ...oldTexts({ ...options, draft: "" })];
  return Math.max(1, Math.min(options.maxTokens, Math.floor((fresh + costOfAll(texts)) / 4)));
}

/** Most bytes of a summary that may be new. */
function freshBytes(lines: readonly ExtractLine[], options: ExtractOptions): number {
  const bytes = costOfAll(lines.map((line) => line.text));
  const small = options.replacesPrior ? SMALL_BYTES : bytes * SMALL_SHARE_MAX;
  return Math.max(bytes * SHARE_MAX, Math.min(small, SMALL_BYTES));
}

function oldTexts(options: ExtractOptions): readonly string[] {
  return [...(options.replacesPrior ? options.priorTexts : []), options.draft];
}

function costOfAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + costOf(text).bytes, 0);
}

interface Picking {
  readonly units: Units;
  readonly worth: Worth;
  readonly budget: TextBudget;
  readonly weights: Weights;
  /** Whether the speaker must be named even of one sentence. */
  readonly labels: boolean;
}

interface Picked {
  readonly picked: readonly Unit[];
  readonly text: string;
}

/** Rounds of picking: each spends the budget that the speaker labels of the last one left. */
const ROUNDS = 3;

function pick(picking: Picking): Picked {
  const { units, budget } = picking;
  const costs = units.lines.map((line) => labelCost(line));
  const costOfLabel = (line: number) => costs[line] ?? NO_LABEL;
  let best: Picked = { picked: [], text: "" };
  let bestBytes = 0;
  let asked = budget;
  for (let round = 0; round < ROUNDS; round++) {
    const picked = selectUnits({ ...picking, budget: asked, labelOf: costOfLabel });
    const text = render(picked, units.lines, true);
    const cost = costOf(text);
    if (fits(cost, budget) && cost.bytes > bestBytes) {
      best = { picked, text };
      bestBytes = cost.bytes;
    }
    const left = budget.bytes - cost.bytes;
    if (left < budget.bytes / 50) break;
    asked = { bytes: asked.bytes + left, pieces: asked.pieces + left / 2 };
  }
  const one = pickOne(picking);
  const isBetter = worthOf(one.picked, picking) > worthOf(best.picked, picking);
  return best.text === "" || isBetter ? one : best;
}

/** Combined worth of units; a term that several share counts for each. */
function worthOf(picked: readonly Unit[], { worth }: Picking): number {
  let sum = 0;
  for (const unit of picked) {
    const factor = worth.factors[unit.index] ?? 0;
    for (const term of unit.terms) sum += factor * (worth.terms[term] ?? 0);
  }
  return sum;
}

/**
 * The one best sentence, or the start of a better one that is too long. For budgets that greedy
 * picking would spend on short sentences, or that no whole sentence fits into, and for lines of
 * stop words only. Scraps and units that need others are the last resort, and then a part of one.
 */
function pickOne(picking: Picking): Picked {
  const { units } = picking.units;
  const whole = units.filter(({ kind, needs }) => kind !== "scrap" && needs === -1);
  const long = whole.filter(({ kind, text }) => mayCut(kind) && !holdsStatement(text));
  const candidates = [
    { whole, long },
    { whole: units, long: [] },
    { whole: [], long: units },
  ];
  for (const given of candidates) {
    for (const isNamed of picking.labels ? [true, false] : [false]) {
      const one = bestOne(picking, { ...given, isNamed });
      if (one !== undefined) return one;
    }
  }
  return { picked: [], text: "" };
}

function mayCut(kind: SentenceKind): boolean {
  return kind === "prose" || kind === "item" || kind === "heading";
}

interface Candidates {
  /** Units to take as they are. */
  readonly whole: readonly Unit[];
  /** Units that may be cut. */
  readonly long: readonly Unit[];
  readonly isNamed: boolean;
}

function bestOne(picking: Picking, { whole, long, isNamed }: Candidates): Picked | undefined {
  const { units, budget } = picking;
  const textOf = (unit: Unit) => {
    const text = render([unit], units.lines, isNamed);
    const isPart = unit.kind === "scrap" || unit.text !== units.units[unit.index]?.text;
    if (!isPart) return text;
    // A part of code must not pass for all of it; other parts are marked where there is room.
    const marked = mayCut(unit.kind) ? `${text}${CUT_MARK}` : `${text} ${CUT_MARK}`;
    return mayCut(unit.kind) && !fits(costOf(marked), budget) ? text : marked;
  };
  const isRoomFor = (unit: Unit) => {
    return fits(unit.cost, budget) && fits(costOf(textOf(unit)), budget);
  };
  const one = bestOf(whole, picking, isRoomFor);
  const best = bestOf(long, picking, () => true);
  const isCut = best !== undefined && best !== one;
  const isMarked = (unit: Unit) => isRoomFor(unit) && textOf(unit).endsWith(CUT_MARK);
  const start = isCut ? (startOf(best, isMarked) ?? startOf(best, isRoomFor)) : undefined;
  if (one === undefined && start === undefined) return undefined;
  const worth = one === undefined ? -1 : worthOf([one], picking);
  const taken = start !== undefined && worthOf([start], picking) > worth ? start : one;
  return taken === undefined ? undefined : { picked: [taken], text: textOf(taken) };
}

function bestOf(
  units: readonly Unit[],
  picking: Picking,
  isFine: (unit: Unit) => boolean,
): Unit | undefined {
  let best: Unit | undefined;
  let bestWorth = -1;
  for (const unit of units) {
    const worth = worthOf([unit], picking);
    if (worth > bestWorth && isFine(unit)) [best, bestWorth] = [unit, worth];
  }
  return best;
}

/** The longest start of a sentence that fits. */
function startOf(unit: Unit, isRoomFor: (unit: Unit) => boolean): Unit | undefined {
  for (let chars = unit.text.length - 1; chars > 0; chars = Math.floor(chars * SHORTER)) {
    const text = (cutLong(unit.text, chars)[0] ?? "").replace(/[\s,;:—–-]+$/, "");
    // Terms are in the order of the text: about those of the part that is left.
    const terms = Math.floor((unit.terms.length * text.length) / unit.text.length);
    const cost = costOf(quoted(text, unit.kind));
    const start = { ...unit, text, cost, terms: unit.terms.slice(0, terms), goesOn: false };
    if (text !== "" && isRoomFor(start)) return start;
  }
  return undefined;
}

const SHORTER = 0.8;
const NO_LABEL: TextCost = { bytes: 0, pieces: 0 };

function madeLine(text: string): ExtractLine {
  return { role: "summary", text, name: "", messageId: "", seq: 0 };
}

const LABEL = /^(?:\[([^\]]{1,40})\](?:: | )?)?(?:([\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}): )?/u;

/** The lines of a summary, each with its speaker; of any other line, the line itself. */
function partsOf(line: ExtractLine): ExtractLine[] {
  if (line.role !== "summary") return [line];
  return line.text.split("\n").map((part): ExtractLine => {
    const label = LABEL.exec(part);
    const date = label?.[1];
    const name = label?.[2] ?? "";
    const saidBy = roleOf(name);
    return {
      ...line,
      text: part.slice(label?.[0].length ?? 0),
      name,
      ...(date === undefined ? {} : { date }),
      ...(saidBy === undefined ? {} : { saidBy }),
    };
  });
}
