// Damage by kind: how often each was found, and the first places of it.

const EXAMPLES_MAX = 5;

/** One kind of damage. */
export interface Problem {
  /** The damage, in a few words. */
  readonly kind: string;
  /** Number of occurrences. */
  readonly count: number;
  /** The first places where it was found: numbers of records or pages, never what is in them. */
  readonly examples: readonly string[];
}

/** Collects problems by kind. */
export class Problems {
  readonly #found = new Map<string, { count: number; examples: string[] }>();

  add(kind: string, example: string | number): void {
    let problem = this.#found.get(kind);
    if (problem === undefined) {
      problem = { count: 0, examples: [] };
      this.#found.set(kind, problem);
    }
    problem.count++;
    if (problem.examples.length < EXAMPLES_MAX) problem.examples.push(String(example));
  }

  /** Reports a problem unless something holds. */
  check(holds: boolean, kind: string, example: string | number): void {
    if (!holds) this.add(kind, example);
  }

  /** Number of problems of every kind. */
  get count(): number {
    let count = 0;
    for (const problem of this.#found.values()) count += problem.count;
    return count;
  }

  list(): Problem[] {
    return [...this.#found].map(([kind, { count, examples }]) => ({ kind, count, examples }));
  }
}
