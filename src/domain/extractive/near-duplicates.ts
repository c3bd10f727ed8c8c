// Tells whether a sentence says what another one says already.
//
// Two sentences are near-duplicates when they share NEAR_DUPLICATE of their terms (Jaccard). Such
// two share a term among the first few of each when the terms of both are put in one order (the
// prefix filter of set similarity joins), so only sentences with such a term are compared.

import type { Unit } from "./units.ts";

/** From this share of common terms on a sentence adds too little to be said as well. */
export const NEAR_DUPLICATE = 0.6;

/** A sentence that would be compared with more others is taken for a duplicate: work is bounded. */
const COMPARISONS_MAX = 512;

/** The sentences of a summary so far. */
export class NearDuplicates {
  readonly #byTerm: (Unit[] | undefined)[];
  #empty = false;

  constructor(terms: number) {
    this.#byTerm = new Array<Unit[] | undefined>(terms);
  }

  /** Adds a sentence of the summary. */
  add(unit: Unit): void {
    if (unit.terms.length === 0) this.#empty = true;
    for (const term of prefixOf(unit)) {
      const others = this.#byTerm[term];
      if (others === undefined) this.#byTerm[term] = [unit];
      else others.push(unit);
    }
  }

  /** Whether a sentence is a near-duplicate of one that was added. */
  has(unit: Unit): boolean {
    if (unit.terms.length === 0) return this.#empty;
    let comparisons = 0;
    const own = new Set(unit.terms);
    for (const term of prefixOf(unit)) {
      for (const other of this.#byTerm[term] ?? []) {
        comparisons += 1;
        if (comparisons > COMPARISONS_MAX) return true;
        if (similarityOf(own, other.terms) >= NEAR_DUPLICATE) return true;
      }
    }
    return false;
  }
}

/** The terms of which near-duplicates share at least one: new terms have the highest numbers. */
function prefixOf(unit: Unit): number[] {
  const length = unit.terms.length - Math.ceil(NEAR_DUPLICATE * unit.terms.length) + 1;
  return [...unit.terms].sort((a, b) => b - a).slice(0, length);
}

function similarityOf(own: ReadonlySet<number>, terms: readonly number[]): number {
  let common = 0;
  for (const term of terms) if (own.has(term)) common += 1;
  return common / (own.size + terms.length - common);
}
