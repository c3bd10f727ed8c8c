// Detects sentences that repeat other ones.
//
// Two sentences are alike when they share ALIKE of their terms (Jaccard), and near-duplicates when
// no figure or date tells them apart: "Rent is 900 euros" is none of "Rent is 950 euros". Two that
// are alike share a term among the first few of each when the terms of both are put in one order
// (the prefix filter of set similarity joins), so only sentences with such a term are compared.

import type { Unit } from "./units.ts";

/** From this share of common terms on, sentences are about the same. */
export const ALIKE = 0.6;

/** A sentence that would be compared with more others is left out: work is bounded. */
const COMPARISONS_MAX = 512;

/** Sentences of a summary that resemble a given one. */
export interface Alike {
  /** Whether a near-duplicate is among it. */
  readonly isSaid: boolean;
  /** Those that have other figures. */
  readonly rivals: readonly Unit[];
}

const NOTHING: Alike = { isSaid: false, rivals: [] };

interface Kept {
  readonly unit: Unit;
  /** Falling. */
  readonly terms: readonly number[];
}

/** The sentences of a summary so far. */
export class NearDuplicates {
  readonly #byTerm = new Map<number, Kept[]>();
  readonly #isDistinctive: (term: number) => boolean;
  #empty: Unit | undefined;

  constructor(isDistinctive: (term: number) => boolean) {
    this.#isDistinctive = isDistinctive;
  }

  /** Adds a sentence of the summary. */
  add(unit: Unit): void {
    if (unit.terms.length === 0) this.#empty = unit;
    const kept = { unit, terms: falling(unit.terms) };
    for (const term of prefixOf(kept.terms)) {
      const others = this.#byTerm.get(term);
      if (others === undefined) this.#byTerm.set(term, [kept]);
      else others.push(kept);
    }
  }

  /** Takes a sentence out. */
  remove(unit: Unit): void {
    if (this.#empty === unit) this.#empty = undefined;
    for (const term of prefixOf(falling(unit.terms))) {
      const others = this.#byTerm.get(term)?.filter((other) => other.unit !== unit);
      this.#byTerm.set(term, others ?? []);
    }
  }

  /** Sentences that resemble this one; undefined when that takes too many comparisons. */
  of(unit: Unit): Alike | undefined {
    if (unit.terms.length === 0) return { ...NOTHING, isSaid: this.#empty !== undefined };
    const terms = falling(unit.terms);
    const rivals = new Set<Unit>();
    let comparisons = 0;
    for (const term of prefixOf(terms)) {
      for (const other of this.#byTerm.get(term) ?? []) {
        comparisons += 1;
        if (comparisons > COMPARISONS_MAX) return undefined;
        const { isAlike, isDistinct } = compare(terms, other.terms, this.#isDistinctive);
        if (isAlike && !isDistinct) return { isSaid: true, rivals: [] };
        if (isAlike) rivals.add(other.unit);
      }
    }
    return rivals.size === 0 ? NOTHING : { isSaid: false, rivals: [...rivals] };
  }
}

/** New terms have the highest numbers: they are the rare ones, which few share. */
function falling(terms: readonly number[]): number[] {
  return [...terms].sort((a, b) => b - a);
}

/** The terms of which sentences that are alike share at least one. */
function prefixOf(terms: readonly number[]): readonly number[] {
  return terms.slice(0, terms.length - Math.ceil(ALIKE * terms.length) + 1);
}

/** Whether two sentences with these terms, each once, say nearly the same. */
export function isNearDuplicate(
  a: readonly number[],
  b: readonly number[],
  isDistinctive: (term: number) => boolean,
): boolean {
  const { isAlike, isDistinct } = compare(falling(a), falling(b), isDistinctive);
  return isAlike && !isDistinct;
}

/** Compares terms in falling order. */
function compare(
  a: readonly number[],
  b: readonly number[],
  isDistinctive: (term: number) => boolean,
): { readonly isAlike: boolean; readonly isDistinct: boolean } {
  let common = 0;
  let isDistinct = false;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i] ?? -1;
    const right = b[j] ?? -1;
    if (left === right) common += 1;
    else if (!isDistinct) isDistinct = isDistinctive(Math.max(left, right));
    if (left >= right) i += 1;
    if (right >= left) j += 1;
  }
  const all = a.length + b.length - common;
  return { isAlike: all === 0 || common / all >= ALIKE, isDistinct };
}
