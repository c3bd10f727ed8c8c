// Waiters for the writer: changes that found no room, readers of the index itself, and its end.

/** Changes that wait for room, first come first served. */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  // As many as are let in at once; what they add is counted only afterwards.
  readonly #batch = 256;

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets some in while there is room. */
  open(hasRoom: () => boolean): void {
    for (let count = this.#batch; count > 0 && this.isBusy && hasRoom(); count--) {
      this.#waiting.shift()?.();
    }
  }

  /** Lets all in, to be told that the store is closed. */
  openAll(): void {
    for (const enter of this.#waiting.splice(0)) {
      enter();
    }
  }
}

/** Those who wait until groups are in the data file, or their index changes in the index. */
export class Barriers {
  #waiting: { readonly journalNo: number; readonly resolve: (isFlushed: boolean) => void }[] = [];

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits until everything up to a journal record is flushed. False when the wait is given up. */
  wait(journalNo: number): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.push({ journalNo, resolve }));
  }

  /** Tells those whose records are flushed; `oldest` is the oldest one still needed, 0 for none. */
  settle(oldest: number): void {
    const left = this.#waiting.filter(({ journalNo }) => oldest !== 0 && oldest <= journalNo);
    const done = this.#waiting.filter(({ journalNo }) => oldest === 0 || oldest > journalNo);
    this.#waiting = left;
    for (const { resolve } of done) resolve(true);
  }

  /** Ends all waits without a flush. */
  giveUp(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }
}

/** A time for several waits in turn. */
export interface TimeLimit {
  readonly isOver: boolean;
  /** Waits for some work, or for the end of the time. How the work ends does not matter. */
  race(work: Promise<unknown>): Promise<void>;
  cancel(): void;
}

/** Begins a time. */
export function timeLimit(ms: number): TimeLimit {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const state = { isOver: false };
  const timer = setTimeout(() => {
    state.isOver = true;
    resolve();
  }, ms);
  return {
    get isOver() {
      return state.isOver;
    },
    race: async (work) => {
      await Promise.race([work.catch(() => undefined), over]);
    },
    cancel: () => clearTimeout(timer),
  };
}
