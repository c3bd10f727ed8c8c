// Deadline of a call: it ends at its timeout or when the server stops.

import { Semaphore } from "../kit/semaphore.ts";
import { HookFailure } from "./port.ts";

/** Deadline of a call. */
export class Deadline {
  readonly #over = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal;

  /** Starts the timer at once. */
  constructor(timeoutMs: number, signal: AbortSignal) {
    this.#signal = signal;
    this.#timer = setTimeout(
      () => this.#end(new HookFailure("timeout", `No complete response within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Aborted when the call must end; the reason is the HookFailure. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The reason why the call is over; undefined while it is not. */
  get failure(): HookFailure | undefined {
    return this.signal.reason as HookFailure | undefined;
  }

  readonly #onAbort = (): void => {
    // A reason that uses up no attempt: the hook did nothing wrong.
    this.#end(new HookFailure("unreachable", "The call was canceled: the server is stopping."));
  };

  #end(failure: HookFailure): void {
    this[Symbol.dispose]();
    this.#over.abort(failure);
  }

  /** Calls back when the call must end, at once if it already must. Returns an unsubscriber. */
  onEnd(listener: (failure: HookFailure) => void): () => void {
    if (this.failure !== undefined) {
      listener(this.failure);
      return () => {};
    }
    const onAbort = (): void => listener(this.signal.reason as HookFailure);
    this.signal.addEventListener("abort", onAbort, { once: true });
    return () => this.signal.removeEventListener("abort", onAbort);
  }

  /** Awaits a promise; throws the HookFailure when the call must end first. */
  async race<T>(work: Promise<T>): Promise<T> {
    let undo: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      undo = this.onEnd(reject);
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      undo?.();
    }
  }

  /** Stops the timer. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}

/** Most calls that wait for one hook. */
const WAITING_MAX = 256;

/** Limits the concurrent direct calls of a hook. The runner limits tasks. */
export function callSemaphore(running: number): Semaphore {
  return new Semaphore({
    running,
    waiting: WAITING_MAX,
    full: () => new HookFailure("busy", `More than ${WAITING_MAX} calls wait for the hook.`),
  });
}
