// How much work the server takes on at once. What is refused has done nothing.

import { pollLimitReached } from "../domain/errors.ts";
import { overloaded, streamLimitReached } from "./error-status.ts";

/** The limits of what runs at one time. */
export interface AdmissionLimits {
  readonly callsMax: number;
  readonly streamsMax: number;
  readonly pollsMax: number;
}

/**
 * Counts running calls, waiting calls and open streams against their limits. A call that waits for
 * something to happen does no work meanwhile, so that it takes no place of one that does.
 */
export class Admission {
  private readonly callsMax: number;
  private readonly streamsMax: number;
  private readonly pollsMax: number;
  private calls = 0;
  private streams = 0;
  private polls = 0;
  private whenIdle: (() => void) | undefined;

  constructor(limits: AdmissionLimits) {
    this.callsMax = limits.callsMax;
    this.streamsMax = limits.streamsMax;
    this.pollsMax = limits.pollsMax;
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
    this.lookIdle();
  }

  /** Takes a place for a call that may wait, until `leavePoll`. Throws POLL_LIMIT_REACHED. */
  enterPoll(): void {
    if (this.polls >= this.pollsMax) throw pollLimitReached(this.pollsMax);
    this.polls += 1;
  }

  /** Gives the place of a call that may wait back. */
  leavePoll(): void {
    this.polls -= 1;
    this.lookIdle();
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

  /** Waits until no call runs or waits. */
  idle(): Promise<void> {
    if (this.calls + this.polls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenIdle = resolve;
    });
  }

  private lookIdle(): void {
    if (this.calls + this.polls === 0 && this.whenIdle !== undefined) this.whenIdle();
  }
}
