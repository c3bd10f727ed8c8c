// Ends the leases of workers in time, even without polls: a task whose worker died fails with
// `timeout` and is ready again for others. Holds one timer for each lease that this process knows.

import type { ServiceContext } from "../../core/context.ts";
import { isPassing } from "../../hooks/hook-state.ts";
import { serverCall } from "../../kit/call.ts";
import { LIMITS } from "../../kit/limits.ts";
import { later } from "../../kit/world.ts";
import { leaseEnded } from "../rules/lifecycle.ts";
import { taskKeyOf } from "../rules/task.ts";
import { giveBack, isOwnLease, isTaken, leaseRefOf, type TakenTask } from "../take-task.ts";
import { serverLeaseMs } from "./call-hook.ts";
import { applyFailure } from "./fail-task.ts";

/** Retry interval for a lease that could not be ended, for example while the disk is full. */
const RETRY_MS = 5_000;

/** Fails a task whose lease has ended. */
export async function endLease(context: ServiceContext, task: TakenTask): Promise<void> {
  await applyFailure(context, serverCall(), leaseRefOf(task), {
    reason: "timeout",
    message: "The lease expired before there was a result.",
  });
}

/** Watches over the leases of workers. */
export class LeaseWatch {
  readonly #context: ServiceContext;
  readonly #onError: (error: unknown) => void;
  readonly #onTimeout: (hook: string) => void;
  /** By task key. */
  readonly #timers = new Map<string, () => void>();
  readonly #looking = new Set<Promise<void>>();
  #stopped = false;

  /** `onTimeout` is called for each lease that this watch ended. */
  constructor(
    context: ServiceContext,
    on: { readonly error: (error: unknown) => void; readonly timeout: (hook: string) => void },
  ) {
    this.#context = context;
    this.#onError = on.error;
    this.#onTimeout = on.timeout;
  }

  /** Number of watched leases. */
  get size(): number {
    return this.#timers.size;
  }

  /** Checks a task again when its lease should have ended. */
  watch(namespace: string, taskNo: number, endMs: number): void {
    if (this.#stopped) return;
    const key = taskKeyOf({ namespace, taskNo });
    this.#timers.get(key)?.();
    const ms = endMs - this.#context.world.nowMs();
    const cancel = later(this.#context.world, () => this.#begin(namespace, taskNo), ms);
    this.#timers.set(key, cancel);
  }

  /** Forgets a task that is done or no longer leased. */
  forget(namespace: string, taskNo: number): void {
    const key = taskKeyOf({ namespace, taskNo });
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  /** Stops after the work in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await Promise.all(this.#looking);
  }

  #begin(namespace: string, taskNo: number): void {
    this.#timers.delete(taskKeyOf({ namespace, taskNo }));
    const looking = this.#look(namespace, taskNo).catch((error: unknown) => {
      if (!isPassing(error)) this.#onError(error);
      this.watch(namespace, taskNo, this.#context.world.nowMs() + RETRY_MS);
    });
    this.#looking.add(looking);
    void looking.then(() => this.#looking.delete(looking));
  }

  async #look(namespace: string, taskNo: number): Promise<void> {
    const { store, world } = this.#context;
    const task = await store.readTask(namespace, taskNo);
    if (task === undefined || !isTaken(task)) return;
    if (!leaseEnded(task, world.nowMs())) return this.watch(namespace, taskNo, task.dueMs);
    await endLease(this.#context, task);
    this.#onTimeout(task.hook);
  }
}

// Leases left by the previous process: its own calls are over, and workers continue theirs.

/** Most tasks of one hook that are scanned. Further leases are found when they end. */
const SCAN_MAX = 10_000;

/**
 * Releases, without a failure, the tasks whose calls this server instance had in progress in its
 * last run, and watches the leases of workers and other instances. Unreadable tasks are skipped:
 * later calls find them.
 */
export async function recoverLeases(
  context: ServiceContext,
  watch: LeaseWatch,
  onError: (error: unknown) => void,
): Promise<void> {
  for (const hook of context.hooks.byName.values()) {
    const longestMs =
      hook.summarize === undefined ? LIMITS.leaseMsMax : serverLeaseMs(hook.settings.timeoutMs);
    const due = await context.store.dueTasks({
      hook: hook.name,
      nowMs: context.world.nowMs() + longestMs,
      limit: SCAN_MAX,
      perNamespace: SCAN_MAX,
    });
    for (const { namespace, taskNo } of due) {
      try {
        const task = await context.store.readTask(namespace, taskNo);
        if (task === undefined || !isTaken(task)) continue;
        if (isOwnLease(context, task)) await giveBack(context, task, false);
        else watch.watch(namespace, taskNo, task.dueMs);
      } catch (error) {
        if (!isPassing(error)) onError(error);
      }
    }
  }
}
