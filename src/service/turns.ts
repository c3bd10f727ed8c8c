// A few calls at one time, a few more that wait for their turn, and a clear answer for the rest.

import { AppError } from "../domain/errors.ts";

const RETRY_DELAY_MS = 1_000;

/** How many calls may run and wait. */
export interface TurnLimits {
  readonly running: number;
  readonly waiting: number;
}

/** Lets calls in, in the order in which they came. */
export class Turns {
  readonly #limits: TurnLimits;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Runs something in its turn. Throws OVERLOADED when too many wait already, DEADLINE_EXCEEDED
   * when the signal is aborted before the turn comes.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#limits.running) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#limits.waiting) throw overloaded(this.#limits.waiting);
    const turn = Promise.withResolvers<void>();
    // Whoever leaves hands its place over, so that `#running` stays as it is.
    this.#waiting.push(turn.resolve);
    const abort = (): void => {
      const at = this.#waiting.indexOf(turn.resolve);
      if (at === -1) return;
      this.#waiting.splice(at, 1);
      turn.reject(new AppError("DEADLINE_EXCEEDED", "The call ended before its search began."));
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

function overloaded(waiting: number): AppError {
  const limit = String(waiting);
  return new AppError("OVERLOADED", `More than ${limit} searches wait already. Retry.`, {
    metadata: { limit },
    retryDelayMs: RETRY_DELAY_MS,
  });
}
