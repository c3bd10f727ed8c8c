// Fair shares of a limit, so that no namespace, and no few of them, take all that there is: some
// part is kept for those that hold little.

/** A refusal: a holder gets no more. */
export interface Full {
  /** The limit that is reached. */
  readonly limit: number;
  /** Set when there is more, for holders with at most this much. */
  readonly few?: number;
}

/** A limit and how it is shared. */
export interface Share {
  readonly limit: number;
  /** The part for holders of few. Default: a quarter. */
  readonly kept?: number;
  /** The most that counts as few. Default: a sixteenth, at least 1. */
  readonly few?: number;
}

/** Holders of a limit and their parts. A caller without a name has no share and may take all. */
export class Shares {
  readonly #limit: number;
  readonly #open: number;
  readonly #few: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor({ limit, kept = Math.floor(limit / 4), few = Math.floor(limit / 16) }: Share) {
    this.#limit = limit;
    this.#open = limit - kept;
    this.#few = Math.max(1, few);
  }

  /** All that is taken. */
  get taken(): number {
    return this.#taken;
  }

  /** The part of a holder. */
  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /** Takes some for a holder. Takes nothing and gives why when there is not enough for it. */
  take(holder?: string, amount = 1): Full | undefined {
    const taken = this.#taken + amount;
    if (taken > this.#limit) return { limit: this.#limit };
    if (holder !== undefined) {
      const held = this.heldBy(holder) + amount;
      if (taken > this.#open && held > this.#few) return { limit: this.#open, few: this.#few };
      this.#held.set(holder, held);
    }
    this.#taken = taken;
    return undefined;
  }

  /** Gives back what a holder took. */
  give(holder?: string, amount = 1): void {
    this.#taken -= amount;
    if (holder === undefined) return;
    const held = this.heldBy(holder) - amount;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
  }
}

/** Says in an error for whom the rest of a limit is kept. */
export function keptFor({ few }: Full): string {
  return few === undefined ? "" : `, and the rest is kept for namespaces with at most ${few}`;
}
