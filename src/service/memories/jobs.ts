// Does the jobs on memories that are due. Sleeps until a change asks for one, until the next one is
// due, or for half a minute. Jobs are simply due: nothing is to be recovered after a crash, and one
// that is done twice changes nothing the second time.

import type { MemoryJobType } from "../../domain/memories/job.ts";
import type { SessionRef } from "../../domain/session.ts";
import type { StoredMemoryJob } from "../../storage/store.ts";
import { isPassing } from "../tasks/call-hook.ts";
import { later } from "../tasks/later.ts";
import { type JobParts, runJob } from "./run-job.ts";

/** Jobs at one time. */
const RUNNING_MAX = 4;
const TICK_MS = 30_000;
/** How long a job is left alone whose hook could not be asked. */
const BUSY_MS = 5_000;
/** The same for one that could not be done by a fault of the server. */
const FAULT_MS = 30_000;
const SKIPPED_MAX = 1_000;
/** How long a stop waits for what is under way. */
const STOP_MS = 5_000;

function keyOf({ namespace, sessionId }: SessionRef, type: MemoryJobType): string {
  return JSON.stringify([namespace, sessionId, type]);
}

/** Does jobs from its start to `stop`. */
export class MemoryJobs {
  readonly #parts: JobParts;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** Until when jobs are left alone. */
  readonly #skipped = new Map<string, number>();
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
    if (this.#pumping !== undefined || this.#stop.signal.aborted) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#isAsked) this.wake();
    });
  }

  /** Tries the job of a session again though it was left alone. */
  retry(ref: SessionRef, type: MemoryJobType): void {
    this.#skipped.delete(keyOf(ref, type));
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
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #pump(): Promise<void> {
    this.#cancelTimer();
    let restMs = TICK_MS;
    while (this.#isAsked && !this.#stop.signal.aborted) {
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
    this.#cancelTimer = later(this.#parts.context.world, () => this.wake(), restMs);
  }

  async #fill(): Promise<void> {
    const { store, world } = this.#parts.context;
    const nowMs = world.nowMs();
    for (const [key, untilMs] of this.#skipped) {
      if (untilMs <= nowMs) this.#skipped.delete(key);
    }
    const free = RUNNING_MAX - this.#running.size;
    if (free <= 0 || this.#skipped.size >= SKIPPED_MAX) return;
    const limit = RUNNING_MAX + this.#skipped.size;
    for (const due of await store.dueMemoryJobs(nowMs, limit)) {
      const key = keyOf(due.ref, due.job.type);
      if (this.#running.size >= RUNNING_MAX || this.#stop.signal.aborted) return;
      if (!this.#running.has(key) && !this.#skipped.has(key)) this.#begin(key, due);
    }
  }

  #begin(key: string, due: StoredMemoryJob): void {
    const done = this.#run(key, due).finally(() => {
      this.#running.delete(key);
      this.wake();
    });
    this.#running.set(key, done);
  }

  async #run(key: string, due: StoredMemoryJob): Promise<void> {
    const skip = (ms: number): void => {
      this.#skipped.set(key, this.#parts.context.world.nowMs() + ms);
    };
    try {
      const end = await runJob(this.#parts, due, this.#stop.signal);
      if (end === "busy" || end === "gone") skip(BUSY_MS);
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
    const skipMs = Math.min(...this.#skipped.values()) - nowMs;
    return Math.min(TICK_MS, Math.max(1, Math.min(left, skipMs)));
  }
}
