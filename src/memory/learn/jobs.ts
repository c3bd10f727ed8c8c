// Does the jobs on memories that are due. Sleeps until a change asks for one, until the next one is
// due, or for half a minute. Jobs are simply due: nothing is to be recovered after a crash, and one
// that is done twice changes nothing the second time.

import { hookOfJob, isUnruled, type MemoryJobType } from "../../domain/memories/job.ts";
import type { SessionRef } from "../../domain/session.ts";
import type { StoredMemoryJob } from "../../storage/store.ts";
import { isPassing } from "../tasks/call-hook.ts";
import { later } from "../tasks/later.ts";
import { type JobParts, runJob } from "./run-job.ts";

/** Jobs at one time, and those of one hook: one that hangs leaves room for the others. */
const RUNNING_MAX = 16;
const RUNNING_OF_HOOK = 4;
const TICK_MS = 30_000;
/** How long a job is left alone whose hook could not be asked. */
const BUSY_MS = 5_000;
/** The same for one that could not be done by a fault of the server. */
const FAULT_MS = 30_000;
const SKIPPED_MAX = 1_000;
/** Due jobs that are looked at, first, and at most: the rest are behind those that wait. */
const LOOK = { first: 64, most: 1_024, times: 4 };
/** So many jobs that wait for hooks make a look dear: the next one comes after a while. */
const CROWD = 128;
const CROWD_MS = 250;
/** How long a stop waits for what is under way. */
const STOP_MS = 5_000;

function keyOf({ namespace, sessionId }: SessionRef, type: MemoryJobType): string {
  return JSON.stringify([namespace, sessionId, type]);
}

/** Jobs of a namespace that one hook does: a hook that cannot be asked is so for all of them. */
function hookKeyOf({ ref, job }: StoredMemoryJob): string {
  return JSON.stringify([ref.namespace, hookOfJob(job)]);
}

/** Does jobs from its start to `stop`. */
export class MemoryJobs {
  readonly #parts: JobParts;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, { readonly hook: string; readonly done: Promise<void> }>();
  /** Until when jobs are left alone. */
  readonly #skipped = new Map<string, number>();
  /** Until when hooks are left alone. */
  readonly #busy = new Map<string, number>();
  #isCrowded = false;
  #isResting = false;
  #pumping: Promise<void> | undefined;
  #isAsked = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: JobParts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onError = onError;
    this.wake();
  }

  /** Looks for jobs that are due. */
  wake(): void {
    this.#isAsked = true;
    if (this.#pumping !== undefined || this.#isResting || this.#stop.signal.aborted) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#isAsked) this.wake();
    });
  }

  /** Looks at jobs that were left alone, too. */
  retry(): void {
    this.#skipped.clear();
    this.#busy.clear();
    this.wake();
  }

  /** Whether a job is being done. */
  isRunning(ref: SessionRef, type: MemoryJobType): boolean {
    return this.#running.has(keyOf(ref, type));
  }

  /** Aborts calls. Waits at most five seconds. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer();
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = later(this.#parts.context.world, resolve, STOP_MS);
    });
    await Promise.race([this.#settled(), late]);
    cancel();
  }

  async #settled(): Promise<void> {
    await this.#pumping;
    while (this.#running.size > 0) {
      await Promise.all([...this.#running.values()].map(({ done }) => done));
    }
  }

  async #pump(): Promise<void> {
    this.#cancelTimer();
    let restMs = TICK_MS;
    this.#isCrowded = false;
    while (this.#isAsked && !this.#isCrowded && !this.#stop.signal.aborted) {
      this.#isAsked = false;
      try {
        await this.#fill();
        restMs = await this.#restMs();
      } catch (error) {
        if (!isPassing(error)) this.#onError(error);
        restMs = TICK_MS;
      }
    }
    if (this.#stop.signal.aborted) return;
    this.#isResting = this.#isCrowded;
    const rest = (): void => {
      this.#isResting = false;
      this.wake();
    };
    const ms = this.#isAsked ? CROWD_MS : Math.max(restMs, this.#isCrowded ? CROWD_MS : 0);
    this.#cancelTimer = later(this.#parts.context.world, rest, ms);
  }

  async #fill(): Promise<void> {
    const { store, world } = this.#parts.context;
    const nowMs = world.nowMs();
    for (const left of [this.#skipped, this.#busy]) {
      for (const [key, untilMs] of left) {
        if (untilMs <= nowMs) left.delete(key);
      }
    }
    if (this.#skipped.size >= SKIPPED_MAX) return;
    const waiting = new Set<string>();
    for (let limit = LOOK.first; ; limit *= LOOK.times) {
      if (this.#running.size >= RUNNING_MAX) return;
      const due = await store.dueMemoryJobs(nowMs, limit);
      for (const one of due) {
        if (this.#running.size >= RUNNING_MAX || this.#stop.signal.aborted) return;
        const key = keyOf(one.ref, one.job.type);
        const isBusy = this.#busy.has(hookKeyOf(one)) && !isUnruled(one.job);
        if (isBusy || this.#skipped.has(key)) waiting.add(key);
        else if (!this.#running.has(key) && this.#hasRoom(hookKeyOf(one))) this.#begin(key, one);
      }
      if (waiting.size > CROWD) this.#isCrowded = true;
      if (due.length < limit || limit >= LOOK.most) return;
    }
  }

  #hasRoom(hook: string): boolean {
    let count = 0;
    for (const running of this.#running.values()) count += running.hook === hook ? 1 : 0;
    return count < RUNNING_OF_HOOK;
  }

  #begin(key: string, due: StoredMemoryJob): void {
    const done = this.#run(key, due).finally(() => {
      this.#running.delete(key);
      this.wake();
    });
    this.#running.set(key, { hook: hookKeyOf(due), done });
  }

  async #run(key: string, due: StoredMemoryJob): Promise<void> {
    const skip = (ms: number): void => {
      this.#skipped.set(key, this.#parts.context.world.nowMs() + ms);
    };
    try {
      const isHookBusy = this.#busy.has(hookKeyOf(due));
      const end = await runJob(this.#parts, { ...due, isHookBusy }, this.#stop.signal);
      if (end === "gone") skip(BUSY_MS);
      if (end === "busy" && !isHookBusy) {
        this.#busy.set(hookKeyOf(due), this.#parts.context.world.nowMs() + BUSY_MS);
      }
    } catch (error) {
      skip(FAULT_MS);
      if (!isPassing(error)) this.#onError(error);
    }
  }

  async #restMs(): Promise<number> {
    const { store, world } = this.#parts.context;
    const nowMs = world.nowMs();
    const nextMs = await store.nextMemoryJobMs(nowMs);
    const left = nextMs === undefined ? TICK_MS : nextMs - nowMs;
    const skipMs = Math.min(...this.#skipped.values(), ...this.#busy.values()) - nowMs;
    return Math.min(TICK_MS, Math.max(1, Math.min(left, skipMs)));
  }
}
