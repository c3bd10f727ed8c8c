// Limits of concurrency. Home-made because p-limit and async-sema bound neither their queue nor a
// wait, and a caller whose call has ended must leave the queue.

import { AppError } from "./errors.ts";
import { type Full, keptFor, Shares } from "./shares.ts";

const RETRY_DELAY_MS = 1_000;

/** Limits of a semaphore, and the errors of callers that get no place. */
export interface SemaphoreOptions {
  /** Most callers that run at one time. */
  readonly running: number;
  /** Most callers that wait for a place. Default: any number. */
  readonly waiting?: number;
  /** The error of a caller that neither runs nor waits. */
  readonly full?: (full: Full) => Error;
  /** The error of a caller whose signal aborts before its turn. Default: the signal's reason. */
  readonly ended?: () => Error;
}

interface Waiter {
  readonly holder: string | undefined;
  readonly run: () => void;
}

/**
 * Bounds how many callers run at one time. Places, also those in the queue, are shared among the
 * namespaces that callers name: of those that wait, the one with the fewest running comes next, and
 * of one namespace the one that came first.
 */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #running: Shares;
  readonly #waiting: Shares;
  readonly #queue = new Set<Waiter>();
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#running = new Shares({ limit: options.running });
    this.#waiting = new Shares({ limit: options.waiting ?? Number.MAX_SAFE_INTEGER });
  }

  /** Number of callers that run. */
  get running(): number {
    return this.#running.taken;
  }

  /** Runs work once there is a place for it. A caller that has waited too long leaves the queue. */
  async run<T>(
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
    holder?: string,
  ): Promise<T> {
    if (signal?.aborted === true) throw this.#endedError(signal);
    if (this.#running.take(holder) !== undefined) await this.#wait(signal, holder);
    try {
      return await work();
    } finally {
      this.leave(holder);
    }
  }

  /** Takes a place without waiting, until `leave`. Throws the error `full` when there is none. */
  enter(holder?: string): void {
    const full = this.#running.take(holder);
    if (full !== undefined) throw this.#fullError(full);
  }

  /** Gives a place back, to the callers that wait for it or to the next one that comes. */
  leave(holder?: string): void {
    this.#running.give(holder);
    for (;;) {
      const next = this.#next();
      if (next === undefined || this.#running.take(next.holder) !== undefined) break;
      next.run();
    }
    if (this.#running.taken === 0) this.#idle?.resolve();
  }

  /** Waits until no caller runs. */
  async idle(): Promise<void> {
    if (this.#running.taken === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
    this.#idle = undefined;
  }

  /** The one that waits whose holder runs least: if there is no place for it, there is for none. */
  #next(): Waiter | undefined {
    let next: Waiter | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const waiter of this.#queue) {
      const running = waiter.holder === undefined ? 0 : this.#running.heldBy(waiter.holder);
      if (running >= least) continue;
      next = waiter;
      least = running;
    }
    return next;
  }

  async #wait(signal: AbortSignal | undefined, holder: string | undefined): Promise<void> {
    const full = this.#waiting.take(holder);
    if (full !== undefined) throw this.#fullError(full);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leaveQueue = (): void => {
      if (!this.#queue.delete(waiter)) return;
      this.#waiting.give(holder);
      signal?.removeEventListener("abort", abort);
    };
    const abort = (): void => {
      leaveQueue();
      if (signal !== undefined) reject(this.#endedError(signal));
    };
    const waiter = {
      holder,
      run: () => {
        leaveQueue();
        resolve();
      },
    };
    this.#queue.add(waiter);
    signal?.addEventListener("abort", abort, { once: true });
    await promise;
  }

  #fullError(full: Full): Error {
    return this.#options.full?.(full) ?? new Error("too many callers wait already");
  }

  #endedError(signal: AbortSignal): unknown {
    return this.#options.ended?.() ?? signal.reason;
  }
}

/**
 * A semaphore of searches: throws OVERLOADED when too many wait already, and DEADLINE_EXCEEDED when
 * the call ends before its turn.
 */
export function searchSemaphore(running: number, waiting: number): Semaphore {
  return new Semaphore({
    running,
    waiting,
    full: (full) =>
      new AppError(
        "OVERLOADED",
        `${full.limit} searches are already waiting${keptFor(full)}. Retry.`,
        {
          metadata: { limit: full.limit },
          retryDelayMs: RETRY_DELAY_MS,
        },
      ),
    ended: () => new AppError("DEADLINE_EXCEEDED", "The call ended before its search began."),
  });
}

/**
 * Paces the work behind recall: one small piece in each turn of the event loop, so that a write
 * beside it waits for one piece at most. Who comes next is decided when the turn begins, not when
 * it is asked for: a search that comes later goes first.
 */
export class Pace {
  readonly #urgent: (() => void)[] = [];
  readonly #normal: (() => void)[] = [];
  #isTurning = false;

  /** Waits for a turn of the event loop that no other piece has. */
  turn(isUrgent: boolean): Promise<void> {
    return new Promise((resolve) => {
      (isUrgent ? this.#urgent : this.#normal).push(resolve);
      this.#turn();
    });
  }

  #turn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      const next = this.#urgent.shift() ?? this.#normal.shift();
      next?.();
      if (this.#urgent.length + this.#normal.length > 0) this.#turn();
    });
  }
}
