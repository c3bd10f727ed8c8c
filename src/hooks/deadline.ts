// The end of a call: its time is up, or the server stops.

import { HookFailure } from "../service/hook-port.ts";

/** Tells whoever works for a call that it must end. */
export class Deadline {
  private readonly listeners = new Set<(failure: HookFailure) => void>();
  private readonly timer: NodeJS.Timeout;
  private readonly signal: AbortSignal;
  private over: HookFailure | undefined;

  /** Starts to count at once. */
  constructor(timeoutMs: number, signal: AbortSignal) {
    this.signal = signal;
    this.timer = setTimeout(
      () => this.end(new HookFailure("timeout", `No whole answer within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    if (signal.aborted) this.onAbort();
    else signal.addEventListener("abort", this.onAbort, { once: true });
  }

  /** Why the call is over; undefined while it is not. */
  get failure(): HookFailure | undefined {
    return this.over;
  }

  private readonly onAbort = (): void => {
    // A reason that uses up no attempt: the hook did nothing wrong.
    this.end(new HookFailure("unreachable", "The call was ended: the server stops."));
  };

  private end(failure: HookFailure): void {
    if (this.over !== undefined) return;
    this.over = failure;
    this.close();
    for (const listener of [...this.listeners]) listener(failure);
    this.listeners.clear();
  }

  /** Calls back when the call must end, at once when it must already. Gives what undoes it. */
  onEnd(listener: (failure: HookFailure) => void): () => void {
    if (this.over !== undefined) {
      listener(this.over);
      return () => {};
    }
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Waits for something, and throws the HookFailure when the call must end first. */
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

  /** Ends the count. */
  close(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener("abort", this.onAbort);
  }
}
