// How much work the server takes on at once. What is refused has done nothing.

import { overloaded, streamLimitReached } from "./error-status.ts";

/** Counts running calls and open streams against their limits. */
export class Admission {
  private readonly callsMax: number;
  private readonly streamsMax: number;
  private calls = 0;
  private streams = 0;
  private whenIdle: (() => void) | undefined;

  constructor(limits: { readonly callsMax: number; readonly streamsMax: number }) {
    this.callsMax = limits.callsMax;
    this.streamsMax = limits.streamsMax;
  }

  /** How many calls run. */
  get running(): number {
    return this.calls;
  }

  /** Takes a place for a call until `leaveCall`. Throws OVERLOADED when there is none. */
  enterCall(): void {
    if (this.calls >= this.callsMax) throw overloaded(this.callsMax);
    this.calls += 1;
  }

  /** Gives the place of a call back. */
  leaveCall(): void {
    this.calls -= 1;
    if (this.calls === 0 && this.whenIdle !== undefined) this.whenIdle();
  }

  /** Takes a place for a stream until `leaveStream`. Throws STREAM_LIMIT_REACHED if none. */
  enterStream(): void {
    if (this.streams >= this.streamsMax) throw streamLimitReached(this.streamsMax);
    this.streams += 1;
  }

  /** Gives the place of a stream back. */
  leaveStream(): void {
    this.streams -= 1;
  }

  /** Waits until no call runs. */
  idle(): Promise<void> {
    if (this.calls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenIdle = resolve;
    });
  }
}
