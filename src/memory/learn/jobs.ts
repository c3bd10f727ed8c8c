// Does the jobs on memories that are due. Sleeps until a change asks for one, until the next one is
// due, or for half a minute. Jobs are simply due: nothing is to be recovered after a crash, and one
// that is done twice changes nothing the second time.

import { isPassing } from "../../hooks/hook-state.ts";
import { later, waitAtMost } from "../../kit/world.ts";
import type { SessionRef } from "../../session/rules/session.ts";
import type { StoredMemoryJob } from "../../store/store.ts";
import type { HookParts } from "../parts.ts";
import { hookOfJob, isUnruled, type MemoryJobType } from "../rules/job.ts";
import { runJob } from "./attempt.ts";

/** Concurrent jobs, in all and of one hook: a hook that hangs leaves room for the others. */
const RUNNING_MAX = 16;
const RUNNING_OF_HOOK = 4;
const TICK_MS = 30_000;
/** Rest of a job whose hook could not be called. */
const JOBS_BUSY_MS = 5_000;
/** The same for a job that failed by a fault of the server. */
const FAULT_MS = 30_000;
const SKIPPED_MAX = 1_000;
/** Due jobs to read, at first and at most: others may be queued behind jobs that wait. */
const LOOK = { first: 64, most: 1_024, times: 4 };
/** With this many jobs waiting for hooks, the next search for due jobs is delayed. */
const CROWD = 128;
const CROWD_MS = 250;
/** Time that a shutdown waits for running jobs. */
const STOP_MS = 5_000;

function keyOf({ namespace, sessionId }: SessionRef, type: MemoryJobType): string {
  return JSON.stringify([namespace, sessionId, type]);
}

/** Key of the jobs of one hook in a namespace: an unavailable hook blocks all of them. */
function hookKeyOf({ ref, job }: StoredMemoryJob): string {
  return JSON.stringify([ref.namespace, hookOfJob(job)]);
}

/** Does jobs from its start to `stop`. */
export class MemoryJobs {
  readonly #parts: HookParts;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, { readonly hook: string; readonly done: Promise<void> }>();
  /** End of the rest of jobs. */
  readonly #skipped = new Map<string, number>();
  /** End of the rest of hooks. */
  readonly #busy = new Map<string, number>();
  #isCrowded = false;
  #isResting = false;
  #pumping: Promise<void> | undefined;
  #isAsked = false;
  #cancelTimer: () => void = () => {};
  readonly #stopListening: () => void;

  constructor(parts: HookParts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onError = onError;
    this.#stopListening = parts.context.store.onCommit(({ memoryJobsDue }) => {
      if (memoryJobsDue) this.wake();
    });
    this.wake();
  }

  /** Searches for due jobs. */
  wake(): void {
    this.#isAsked = true;
    if (this.#pumping !== undefined || this.#isResting || this.#stop.signal.aborted) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#isAsked) this.wake();
    });
  }

  /** Searches for due jobs, including those that rest. */
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
    this.#stopListening();
    this.#stop.abort();
    this.#cancelTimer();
    await waitAtMost(this.#parts.context.world, STOP_MS, this.#settled());
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
      if (end === "gone") skip(JOBS_BUSY_MS);
      if (end === "busy" && !isHookBusy) {
        this.#busy.set(hookKeyOf(due), this.#parts.context.world.nowMs() + JOBS_BUSY_MS);
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
