// Ends the leases of workers in time, also when nobody polls: a task whose worker died fails with
// `timeout` and is ready again for others. Holds one timer for each lease that this process knows.

import { leaseEnded } from "../../domain/tasks/lifecycle.ts";
import { taskKeyOf } from "../../domain/tasks/task.ts";
import type { ServiceContext } from "../context.ts";
import { isPassing } from "./call-hook.ts";
import { applyFailure } from "./fail-task.ts";
import { chance, later } from "./later.ts";
import { serverCall } from "./server-call.ts";
import { isTaken, leaseRefOf, type TakenTask } from "./take-task.ts";

/** When a lease is looked at again that could not be ended, for example while the disk is full. */
const RETRY_MS = 5_000;

/** Fails a task whose lease has ended, for whoever finds it. */
export async function endLease(context: ServiceContext, task: TakenTask): Promise<void> {
  await applyFailure(context, serverCall(), leaseRefOf(task), {
    reason: "timeout",
    message: "The lease ended before there was a result.",
    counts: true,
    permanent: false,
    random: chance(context.world),
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

  /** `onTimeout` hears of each lease that this watch ended. */
  constructor(
    context: ServiceContext,
    on: { readonly error: (error: unknown) => void; readonly timeout: (hook: string) => void },
  ) {
    this.#context = context;
    this.#onError = on.error;
    this.#onTimeout = on.timeout;
  }

  /** How many leases are watched. */
  get size(): number {
    return this.#timers.size;
  }

  /** Looks at a task again when its lease should have ended. */
  watch(namespace: string, taskNo: number, endMs: number): void {
    if (this.#stopped) return;
    const key = taskKeyOf({ namespace, taskNo });
    this.#timers.get(key)?.();
    const ms = endMs - this.#context.world.nowMs();
    const cancel = later(this.#context.world, () => this.#begin(namespace, taskNo), ms);
    this.#timers.set(key, cancel);
  }

  /** Forgets a task: it is done, or in nobody's hands. */
  forget(namespace: string, taskNo: number): void {
    const key = taskKeyOf({ namespace, taskNo });
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  /** Stops after what is under way. */
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
