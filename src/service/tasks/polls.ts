// The calls of PollTasks that wait for a task. A task wakes one of them: the one that waits longest
// for its namespace and hook. It then takes the task like anybody else, and waits on when somebody
// was faster.

import { AppError, pollLimitReached } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import { taskKeyOf } from "../../domain/tasks/task.ts";
import type { DueTask } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import { isPassing } from "./call-hook.ts";
import type { DirectTasks } from "./direct-tasks.ts";
import { later } from "./later.ts";

/** The longest that a hook is left alone while calls wait for its tasks. */
const TICK_MS = 30_000;
const SKIPPED_MAX = 1_000;

/** A call that waits. */
interface Waiter {
  readonly namespace: string;
  readonly hooks: readonly string[];
  /** Wakes the call for a task: one that is durable by its number, another one by its id. */
  readonly wake: (task: string) => void;
}

/** What calls wait for at one hook. */
interface Queue {
  /** Those that wait longest come first. */
  readonly waiters: Set<Waiter>;
  /** The namespaces that are still to be looked at. */
  readonly asked: Set<string>;
  isLooking: boolean;
  cancelTimer: () => void;
}

/** A place among the calls that wait. */
export interface PollPlace {
  /**
   * Waits until a task may be there; true then. False when the time is over or the caller is gone.
   * Throws SHUTTING_DOWN when the server stops. A task that came before is not missed.
   */
  next(untilMs: number, signal: AbortSignal): Promise<boolean>;
  /** Must be called in the end. */
  leave(): void;
}

/** Every call that waits for a task. */
export class Polls {
  readonly #context: ServiceContext;
  readonly #direct: DirectTasks;
  readonly #onError: (error: unknown) => void;
  readonly #queues = new Map<string, Queue>();
  readonly #ends = new Set<() => void>();
  /** The tasks that a call was woken for and is about to take: they wake no other. */
  readonly #claimed = new Set<string>();
  /** Until when tasks are left alone, by task key. */
  readonly #skipped = new Map<string, number>();
  readonly #stopListening: () => void;
  #count = 0;
  #closed = false;

  constructor(context: ServiceContext, direct: DirectTasks, onError: (error: unknown) => void) {
    this.#context = context;
    this.#direct = direct;
    this.#onError = onError;
    this.#stopListening = context.store.onTasks((hooks) => {
      for (const hook of hooks) this.#lookForAll(hook);
    });
  }

  /** How many calls wait. */
  get size(): number {
    return this.#count;
  }

  /** Takes a place. Throws POLL_LIMIT_REACHED when all are taken. */
  enter(namespace: string, hooks: readonly string[]): PollPlace {
    if (this.#closed) throw stopping();
    if (this.#count >= LIMITS.polls) throw pollLimitReached(LIMITS.polls);
    this.#count += 1;
    let claim: string | undefined;
    let end = (): void => {};
    const waiter: Waiter = {
      namespace,
      hooks,
      wake: (task) => {
        claim = task;
        this.#claimed.add(task);
        this.#unlist(waiter);
        end();
      },
    };
    const unclaim = (): void => {
      if (claim !== undefined) this.#claimed.delete(claim);
      claim = undefined;
    };
    return {
      next: async (untilMs, signal) => {
        unclaim();
        const ended = new Promise<void>((resolve) => {
          end = resolve;
        });
        this.#list(waiter);
        await this.#over(ended, untilMs, signal);
        this.#unlist(waiter);
        if (this.#closed) throw stopping();
        return claim !== undefined && !signal.aborted;
      },
      leave: () => {
        this.#count -= 1;
        unclaim();
        // What it was woken for, and did not take, is for the next one.
        this.#lookFor(waiter);
      },
    };
  }

  /** Wakes a call for each task of a hook that somebody waits for in a namespace. */
  wake(hook: string, namespace: string): void {
    const queue = this.#queues.get(hook);
    if (queue === undefined || this.#closed) return;
    const ids = this.#direct.ready([hook], namespace);
    const open = ids.filter((id) => !this.#claimed.has(id));
    const waiters = [...queue.waiters].filter((waiter) => waiter.namespace === namespace);
    for (const [index, waiter] of waiters.entries()) {
      const id = open[index];
      if (id === undefined) return;
      waiter.wake(id);
    }
  }

  /** The tasks of a hook that are due in a namespace, without those that could not be taken. */
  async due(hook: string, namespace: string, count: number): Promise<readonly DueTask[]> {
    const nowMs = this.#context.world.nowMs();
    for (const [key, untilMs] of this.#skipped) {
      if (untilMs <= nowMs) this.#skipped.delete(key);
    }
    const limit = count + this.#skipped.size;
    const query = { hook, namespace, nowMs, limit, perNamespace: limit };
    const due = await this.#context.store.dueTasks(query);
    return due.filter((task) => !this.#skipped.has(taskKeyOf(task))).slice(0, count);
  }

  /** Leaves a task alone for a time: it is said to be due, and could not be taken. */
  skip(task: DueTask, ms: number): void {
    const [oldest] = this.#skipped.keys();
    if (this.#skipped.size >= SKIPPED_MAX && oldest !== undefined) this.#skipped.delete(oldest);
    this.#skipped.set(taskKeyOf(task), this.#context.world.nowMs() + ms);
  }

  /** Ends every wait with SHUTTING_DOWN. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    for (const queue of this.#queues.values()) queue.cancelTimer();
    for (const end of [...this.#ends]) end();
  }

  /** Waits until it is ended, or the time is over, or the caller is gone, or the server stops. */
  async #over(ended: Promise<void>, untilMs: number, signal: AbortSignal): Promise<void> {
    const leftMs = untilMs - this.#context.world.nowMs();
    if (leftMs <= 0 || signal.aborted || this.#closed) return;
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const cancel = later(this.#context.world, stop, leftMs);
    signal.addEventListener("abort", stop, { once: true });
    this.#ends.add(stop);
    await Promise.race([ended, stopped]);
    cancel();
    signal.removeEventListener("abort", stop);
    this.#ends.delete(stop);
  }

  #list(waiter: Waiter): void {
    for (const hook of waiter.hooks) {
      const queue = this.#queues.get(hook) ?? {
        waiters: new Set(),
        asked: new Set(),
        isLooking: false,
        cancelTimer: () => {},
      };
      this.#queues.set(hook, queue);
      queue.waiters.add(waiter);
    }
    this.#lookFor(waiter);
  }

  #unlist(waiter: Waiter): void {
    for (const hook of waiter.hooks) {
      const queue = this.#queues.get(hook);
      queue?.waiters.delete(waiter);
      if (queue !== undefined && queue.waiters.size === 0) queue.cancelTimer();
      if (queue?.waiters.size === 0 && !queue.isLooking) this.#queues.delete(hook);
    }
  }

  /** Looks for what a call waits for. */
  #lookFor({ namespace, hooks }: Waiter): void {
    for (const hook of hooks) {
      this.wake(hook, namespace);
      const queue = this.#queues.get(hook);
      if (queue !== undefined) this.#look(hook, queue, [namespace]);
    }
  }

  /** Looks for what every call waits for that waits for a hook. */
  #lookForAll(hook: string): void {
    const queue = this.#queues.get(hook);
    if (queue === undefined) return;
    const namespaces = new Set([...queue.waiters].map(({ namespace }) => namespace));
    this.#look(hook, queue, namespaces);
  }

  #look(hook: string, queue: Queue, namespaces: Iterable<string>): void {
    for (const namespace of namespaces) queue.asked.add(namespace);
    if (queue.isLooking || this.#closed) return;
    queue.isLooking = true;
    void this.#lookAll(hook, queue);
  }

  async #lookAll(hook: string, queue: Queue): Promise<void> {
    const { store, world } = this.#context;
    queue.cancelTimer();
    const nowMs = world.nowMs();
    let restMs = TICK_MS;
    try {
      for (const namespace of queue.asked) {
        queue.asked.delete(namespace);
        await this.#wakeFor(hook, queue, namespace);
      }
      const dueMs = queue.waiters.size === 0 ? undefined : await store.nextDueMs(hook, nowMs);
      const nextMs = Math.min(dueMs ?? Number.POSITIVE_INFINITY, ...this.#skipped.values());
      restMs = Math.min(TICK_MS, Math.max(1, nextMs - world.nowMs()));
    } catch (error) {
      // All are looked at again after the rest, however often it fails.
      queue.asked.clear();
      if (!isPassing(error)) this.#onError(error);
    }
    queue.isLooking = false;
    if (this.#closed) return;
    if (queue.waiters.size === 0) this.#queues.delete(hook);
    else if (queue.asked.size > 0) this.#look(hook, queue, []);
    else queue.cancelTimer = later(world, () => this.#lookForAll(hook), restMs);
  }

  /** Wakes one call for each task that is due, those that wait longest. */
  async #wakeFor(hook: string, queue: Queue, namespace: string): Promise<void> {
    const isMeant = (waiter: Waiter): boolean => waiter.namespace === namespace;
    const count = [...queue.waiters].filter(isMeant).length;
    if (count === 0) return;
    const due = await this.due(hook, namespace, count + this.#claimed.size);
    const open = due.filter((task) => !this.#claimed.has(taskKeyOf(task)));
    for (const [index, waiter] of [...queue.waiters].filter(isMeant).entries()) {
      const task = open[index];
      if (task === undefined) return;
      waiter.wake(taskKeyOf(task));
    }
  }
}

function stopping(): AppError {
  return new AppError("SHUTTING_DOWN", "The server is stopping. Poll again.", {
    retryDelayMs: 1_000,
  });
}
