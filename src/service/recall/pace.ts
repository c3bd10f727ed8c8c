// The pace of the work behind recall: one small piece in each turn of the event loop, so that a
// write beside it waits for one piece at the most.

/** Gives turns, those of searches that wait first. */
export class Pace {
  readonly #urgent: (() => void)[] = [];
  readonly #calm: (() => void)[] = [];
  #isTurning = false;

  /** Waits for a turn of the event loop that no other piece has. */
  turn(isUrgent: boolean): Promise<void> {
    return new Promise((resolve) => {
      (isUrgent ? this.#urgent : this.#calm).push(resolve);
      this.#turn();
    });
  }

  #turn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      const next = this.#urgent.shift() ?? this.#calm.shift();
      next?.();
      if (this.#urgent.length + this.#calm.length > 0) this.#turn();
    });
  }
}
