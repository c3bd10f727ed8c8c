// How many calls of a hook run at one time, for calls that somebody waits for: they are no tasks,
// which are counted elsewhere.

import { HookFailure } from "../service/hook-port.ts";
import type { Deadline } from "./deadline.ts";

/** Calls that wait for one hook. */
const WAITING_MAX = 256;

/** Lets a number of calls through at one time; the others wait for their turn. */
export class CallGate {
  private readonly runningMax: number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(runningMax: number) {
    this.runningMax = runningMax;
  }

  /**
   * Runs a call in its turn. Throws HookFailure `busy` when too many wait already, and that of the
   * deadline when it ends while the call waits.
   */
  async run<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
    await this.enter(deadline);
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // Whoever leaves hands its place over.
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  private async enter(deadline: Deadline): Promise<void> {
    if (deadline.failure !== undefined) throw deadline.failure;
    if (this.running < this.runningMax) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= WAITING_MAX) {
      throw new HookFailure("busy", `More than ${WAITING_MAX} calls wait for the hook.`);
    }
    await new Promise<void>((resolve, reject) => {
      let undo = (): void => {};
      const turn = (): void => {
        undo();
        resolve();
      };
      this.waiting.push(turn);
      undo = deadline.onEnd((failure) => {
        const at = this.waiting.indexOf(turn);
        if (at >= 0) this.waiting.splice(at, 1);
        reject(failure);
      });
    });
  }
}
