// Picks sentences for a budget: greedily, by the worth of the terms that are new in the summary.
//
// The sum of the worth of covered terms is submodular, so that picking the best by cost comes close
// to the best summary there is (Lin and Bilmes, "A Class of Submodular Functions for Document
// Summarization", 2011), and what a sentence adds only falls: a heap whose values are recomputed
// when they reach the top takes little more than n log n.

import { costOf, fits, sumOf, type TextBudget, type TextCost } from "./cost.ts";
import { MaxHeap } from "./heap.ts";
import { isNearDuplicate, NearDuplicates } from "./near-duplicates.ts";
import type { Unit, Units } from "./units.ts";
import type { Worth } from "./weigh.ts";
import type { Weights } from "./weights.ts";

/** Inputs of the selection. */
export interface Selecting {
  readonly units: Units;
  readonly worth: Worth;
  readonly weights: Weights;
  readonly budget: TextBudget;
  /** Cost of the speaker label of a line, including the line break. */
  readonly labelOf: (line: number) => TextCost;
}

/** Cost of the longest separator between two sentences. */
const GAP = costOf("; ");

const NO_COST: TextCost = { bytes: 0, pieces: 0 };
const NEVER = () => false;

/** Longest chain of units that need each other, the first one included. */
const NEEDED_MAX = 4;

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
  /** Indexes of units that picked units depend on. */
  readonly #needed = new Set<number>();
  readonly #lines = new Set<number>();
  readonly #covered: Uint8Array;
  readonly #duplicates: NearDuplicates;
  #used: TextCost = { bytes: 0, pieces: 0 };

  constructor(by: Selecting) {
    this.#by = by;
    this.#covered = new Uint8Array(by.units.terms.size);
    this.#duplicates = new NearDuplicates((term) => by.units.terms.isDistinctive(term));
  }

  /** Worth that a unit would add, relative to its cost. */
  gainOf(unit: Unit): number {
    const { worth, weights } = this.#by;
    let sum = 0;
    for (const term of unit.terms) if (this.#covered[term] === 0) sum += worth.terms[term] ?? 0;
    const needed = this.#by.units.units[unit.needs];
    const isTaken = needed === undefined || this.#picked.has(needed.index);
    const bytes = unit.cost.bytes + (isTaken ? 0 : needed.cost.bytes);
    return (sum * (worth.factors[unit.index] ?? 0)) / bytes ** weights.cost;
  }

  /** Takes a unit, and the units that it needs, if they fit and repeat nothing. */
  offer(unit: Unit): void {
    if (this.#picked.has(unit.index)) return;
    const wanted = this.#withNeeded(unit);
    const alike = wanted?.map((one) => this.#duplicates.of(one));
    if (wanted === undefined || alike === undefined) return;
    if (alike.some((one) => one === undefined || one.isSaid)) return;
    if (this.#takeFitting(wanted, NO_COST)) return;
    if (wanted.length > 1) return;
    const rival = this.#outdatedBy(unit, alike[0]?.rivals ?? []);
    if (rival === undefined) return;
    const freed = { bytes: -rival.cost.bytes, pieces: -rival.cost.pieces };
    if (this.#takeFitting(wanted, freed)) this.#drop(rival);
  }

  /** Takes units if they fit with `more` added to their cost. */
  #takeFitting(wanted: readonly Unit[], more: TextCost): boolean {
    let cost = sumOf(this.#used, more);
    const lines = new Set<number>();
    for (const one of wanted) {
      cost = sumOf(cost, sumOf(one.cost, GAP));
      if (this.#lines.has(one.line) || lines.has(one.line)) continue;
      cost = sumOf(cost, this.#by.labelOf(one.line));
      lines.add(one.line);
    }
    if (!fits(cost, this.#by.budget)) return false;
    this.#used = cost;
    for (const one of wanted) this.#take(one);
    return true;
  }

  /** A unit with the units that it needs; undefined when those cannot be shown. */
  #withNeeded(unit: Unit): readonly Unit[] | undefined {
    const { units } = this.#by.units;
    const wanted = [unit];
    const question = units[unit.answerTo];
    // A question that the answer repeats is not needed.
    const isAsked = question !== undefined && !this.#picked.has(question.index);
    if (isAsked && !isNearDuplicate(question.terms, unit.terms, NEVER)) wanted.push(question);
    for (let place = 0; place < wanted.length; place++) {
      const one = wanted[place];
      const other = units[one?.needs ?? -1];
      if (one === undefined || other === undefined) continue;
      if (this.#picked.has(other.index) || wanted.includes(other)) continue;
      if (other.kind === "scrap" && one.kind !== "table") return undefined;
      const isSame = wanted.some((each) => this.#isSame(each, other));
      if (isSame || wanted.length === NEEDED_MAX) return undefined;
      wanted.push(other);
    }
    return wanted;
  }

  #isSame(a: Unit, b: Unit): boolean {
    const { terms } = this.#by.units;
    return isNearDuplicate(a.terms, b.terms, (term) => terms.isDistinctive(term));
  }

  /** The first rival that says the same earlier with another figure: it may be outdated. */
  #outdatedBy(unit: Unit, rivals: readonly Unit[]): Unit | undefined {
    const { terms } = this.#by.units;
    let first: Unit | undefined;
    for (const rival of rivals) {
      const stands = this.#needed.has(rival.index) || rival.needs !== -1 || rival.answerTo !== -1;
      if (stands || rival.index > unit.index || rival.index > (first?.index ?? rival.index)) {
        continue;
      }
      const isNew = (term: number) => terms.isDistinctive(term) && !rival.terms.includes(term);
      if (unit.terms.some(isNew)) first = rival;
    }
    return first;
  }

  picked(): Unit[] {
    return [...this.#picked.values()].sort((a, b) => a.index - b.index);
  }

  #take(unit: Unit): void {
    this.#picked.set(unit.index, unit);
    this.#needed.add(unit.answerTo);
    this.#needed.add(unit.needs);
    this.#lines.add(unit.line);
    for (const term of unit.terms) this.#covered[term] = 1;
    this.#duplicates.add(unit);
  }

  // Its terms stay covered: the unit that takes its place has all of them but figures.
  #drop(unit: Unit): void {
    this.#picked.delete(unit.index);
    this.#duplicates.remove(unit);
  }
}
