// Tells whether a sentence says what another one says already.
//
// Two sentences are near-duplicates when they share NEAR_DUPLICATE of their terms (Jaccard). Such
// two share a term among the first few of each when the terms of both are put in one order (the
// prefix filter of set similarity joins), so only sentences with such a term are compared.

import type { Unit } from "./units.ts";

/** From this share of common terms on a sentence adds too little to be said as well. */
export const NEAR_DUPLICATE = 0.6;

/** A sentence that would be compared with more others is left out: work is bounded. */
const COMPARISONS_MAX = 512;

/** The sentences of a summary so far. */
export class NearDuplicates {
  readonly #byTerm = new Map<number, Unit[]>();
  #empty: Unit | undefined;

  /** Adds a sentence of the summary. */
  add(unit: Unit): void {
    if (unit.terms.length === 0) this.#empty = unit;
    for (const term of prefixOf(unit)) {
      const others = this.#byTerm.get(term);
      if (others === undefined) this.#byTerm.set(term, [unit]);
      else others.push(unit);
    }
  }

  /** Takes a sentence out. */
  remove(unit: Unit): void {
    if (this.#empty === unit) this.#empty = undefined;
    for (const term of prefixOf(unit)) {
      const others = this.#byTerm.get(term)?.filter((other) => other !== unit);
      this.#byTerm.set(term, others ?? []);
    }
  }

  /** The near-duplicates of a sentence, two at most; undefined when it is too much to find out. */
  of(unit: Unit): readonly Unit[] | undefined {
    if (unit.terms.length === 0) return this.#empty === undefined ? [] : [this.#empty];
    const found: Unit[] = [];
    let comparisons = 0;
    for (const term of prefixOf(unit)) {
      for (const other of this.#byTerm.get(term) ?? []) {
        comparisons += 1;
        if (comparisons > COMPARISONS_MAX) return undefined;
        if (found.includes(other) || !isNearDuplicate(unit.terms, other.terms)) continue;
        found.push(other);
        if (found.length === 2) return found;
      }
    }
    return found;
  }
}

/** The terms of which near-duplicates share at least one: new terms have the highest numbers. */
function prefixOf(unit: Unit): number[] {
  const length = unit.terms.length - Math.ceil(NEAR_DUPLICATE * unit.terms.length) + 1;
  return [...unit.terms].sort((a, b) => b - a).slice(0, length);
}

/** Whether two sentences with these terms, each once, say nearly the same. */
export function isNearDuplicate(a: readonly number[], b: readonly number[]): boolean {
  let common = 0;
  for (const term of a) if (b.includes(term)) common += 1;
  const all = a.length + b.length - common;
  return all === 0 || common / all >= NEAR_DUPLICATE;
}
