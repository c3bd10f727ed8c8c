// Picks sentences for a budget: greedily, by the worth of the terms that are new in the summary.
//
// The sum of the worth of covered terms is submodular, so that picking the best by cost comes close
// to the best summary there is (Lin and Bilmes, "A Class of Submodular Functions for Document
// Summarization", 2011), and what a sentence adds only falls: a heap with values that are looked at
// again when they come up takes little more than n log n.

import type { TextBudget, TextCost } from "./cost.ts";
import { costOf, fits, sumOf } from "./cost.ts";
import { MaxHeap } from "./heap.ts";
import { isNearDuplicate, NearDuplicates } from "./near-duplicates.ts";
import type { Unit, Units } from "./units.ts";
import type { Worth } from "./weigh.ts";
import type { Weights } from "./weights.ts";

/** What picking goes by. */
export interface Selecting {
  readonly units: Units;
  readonly worth: Worth;
  readonly weights: Weights;
  readonly budget: TextBudget;
  /** What naming the speaker of a line costs, with what stands between lines. */
  readonly labelOf: (line: number) => TextCost;
}

/** What stands between two sentences: at most a semicolon and a space. */
const GAP = costOf("; ");

/** Gives the picked units in the order of the conversation. */
export function selectUnits(selecting: Selecting): Unit[] {
  const { units } = selecting.units;
  const summary = new Selection(selecting);
  const heap = new MaxHeap();
  for (const unit of units) {
    const value = summary.gainOf(unit);
    if (value > 0) heap.push(value, unit.index);
  }
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
    const unit = units[top.item];
    if (unit === undefined) continue;
    const value = summary.gainOf(unit);
    if (value <= 0) continue;
    if (value < heap.best()) heap.push(value, unit.index);
    else summary.offer(unit);
  }
  return summary.picked();
}

/** A summary while it grows. */
class Selection {
  readonly #by: Selecting;
  readonly #picked = new Map<number, Unit>();
  /** Questions with a picked answer. */
  readonly #needed = new Set<number>();
  readonly #lines = new Set<number>();
  readonly #covered: Uint8Array;
  readonly #duplicates: NearDuplicates;
  #used: TextCost = { bytes: 0, pieces: 0 };

  constructor(by: Selecting) {
    this.#by = by;
    this.#covered = new Uint8Array(by.units.terms.size);
    this.#duplicates = new NearDuplicates();
  }

  /** What a unit would add, by what it costs. */
  gainOf(unit: Unit): number {
    const { worth, weights } = this.#by;
    let sum = 0;
    for (const term of unit.terms) if (this.#covered[term] === 0) sum += worth.terms[term] ?? 0;
    return (sum * (worth.factors[unit.index] ?? 0)) / unit.cost.bytes ** weights.cost;
  }

  /** Takes a unit, and the question that it answers, if there is room and nothing says the same. */
  offer(unit: Unit): void {
    if (this.#picked.has(unit.index)) return;
    const wanted = this.#withQuestion(unit);
    const same = this.#sameAs(wanted);
    if (same === undefined) return;
    const [other] = same;
    if (other !== undefined && (wanted.length > 1 || !this.#updates(unit, other))) return;
    let cost = this.#used;
    if (other !== undefined)
      cost = sumOf(cost, { bytes: -other.cost.bytes, pieces: -other.cost.pieces });
    for (const one of wanted) {
      cost = sumOf(cost, sumOf(one.cost, GAP));
      if (!this.#lines.has(one.line)) cost = sumOf(cost, this.#by.labelOf(one.line));
    }
    if (!fits(cost, this.#by.budget)) return;
    this.#used = cost;
    if (other !== undefined) this.#drop(other);
    for (const one of wanted) this.#take(one);
  }

  #withQuestion(unit: Unit): readonly Unit[] {
    const question = this.#by.units.units[unit.answerTo];
    if (question === undefined || this.#picked.has(question.index)) return [unit];
    // A question that says what the answer says is not needed.
    return isNearDuplicate(question.terms, unit.terms) ? [unit] : [question, unit];
  }

  /** The one sentence that says the same as these; undefined when there are more, or may be. */
  #sameAs(wanted: readonly Unit[]): readonly Unit[] | undefined {
    const same: Unit[] = [];
    for (const one of wanted) {
      const found = this.#duplicates.of(one);
      if (found === undefined) return undefined;
      same.push(...found);
    }
    return same.length > 1 ? undefined : same;
  }

  /** Whether a unit says the same later with another figure: what held before holds no more. */
  #updates(unit: Unit, other: Unit): boolean {
    const { terms } = this.#by.units;
    if (unit.index < other.index || this.#needed.has(other.index)) return false;
    return unit.terms.some((term) => terms.isFigure(term) && !other.terms.includes(term));
  }

  picked(): Unit[] {
    return [...this.#picked.values()].sort((a, b) => a.index - b.index);
  }

  #take(unit: Unit): void {
    this.#picked.set(unit.index, unit);
    if (unit.answerTo !== -1) this.#needed.add(unit.answerTo);
    this.#lines.add(unit.line);
    for (const term of unit.terms) this.#covered[term] = 1;
    this.#duplicates.add(unit);
  }

  // What it covers stays covered: all but a figure is in the one that takes its place.
  #drop(unit: Unit): void {
    this.#picked.delete(unit.index);
    this.#duplicates.remove(unit);
  }
}
