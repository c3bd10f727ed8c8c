// Picks sentences for a budget: greedily, by the worth of the terms that are new in the summary.
//
// The sum of the worth of covered terms is submodular, so that picking the best by cost comes close
// to the best summary there is (Lin and Bilmes, "A Class of Submodular Functions for Document
// Summarization", 2011), and what a sentence adds only falls: a heap with values that are looked at
// again when they come up takes little more than n log n.

import type { TextBudget, TextCost } from "./cost.ts";
import { fits, sumOf } from "./cost.ts";
import { MaxHeap } from "./heap.ts";
import { NearDuplicates } from "./near-duplicates.ts";
import type { Unit, Units } from "./units.ts";
import type { Weights } from "./weights.ts";

/** What picking goes by. */
export interface Selecting {
  readonly units: Units;
  readonly weights: Weights;
  readonly budget: TextBudget;
  /** What naming the speaker of a line costs, with what stands between lines. */
  readonly labelOf: (line: number) => TextCost;
}

/** What stands between two sentences. */
const GAP: TextCost = { bytes: 2, pieces: 1 };
const NOTHING: TextCost = { bytes: 0, pieces: 0 };

/** Gives the picked units in the order of the conversation. */
export function selectUnits({ units: all, weights, budget, labelOf }: Selecting): Unit[] {
  const { units, worth } = all;
  const picked = new Map<number, Unit>();
  const covered = new Uint8Array(worth.length);
  const duplicates = new NearDuplicates(worth.length);
  const lines = new Set<number>();
  let used: TextCost = NOTHING;

  const gain = (unit: Unit): number => {
    let sum = 0;
    for (const term of unit.terms) {
      sum += (worth[term] ?? 0) * (covered[term] === 1 ? weights.repeated : 1);
    }
    return (sum * unit.factor) / unit.cost.bytes ** weights.cost;
  };
  const costOfAll = (wanted: readonly Unit[]): TextCost => {
    let cost = used;
    const named = new Set<number>();
    for (const unit of wanted) {
      cost = sumOf(cost, sumOf(unit.cost, GAP));
      if (lines.has(unit.line) || named.has(unit.line)) continue;
      named.add(unit.line);
      cost = sumOf(cost, labelOf(unit.line));
    }
    return cost;
  };
  const take = (unit: Unit): void => {
    picked.set(unit.index, unit);
    lines.add(unit.line);
    for (const term of unit.terms) covered[term] = 1;
    duplicates.add(unit);
  };

  const heap = new MaxHeap();
  for (const unit of units) {
    const value = gain(unit);
    if (value > 0) heap.push(value, unit.index);
  }
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
    const unit = units[top.item];
    if (unit === undefined || picked.has(unit.index)) continue;
    const value = gain(unit);
    if (value <= 0) continue;
    if (value < heap.best()) {
      heap.push(value, unit.index);
      continue;
    }
    const wanted = withQuestion(unit, units).filter((one) => !picked.has(one.index));
    const cost = costOfAll(wanted);
    if (!fits(cost, budget) || wanted.some((one) => duplicates.has(one))) continue;
    used = cost;
    for (const one of wanted) take(one);
  }
  return [...picked.values()].sort((a, b) => a.index - b.index);
}

function withQuestion(unit: Unit, units: readonly Unit[]): readonly Unit[] {
  const question = units[unit.answerTo];
  return question === undefined ? [unit] : [question, unit];
}
