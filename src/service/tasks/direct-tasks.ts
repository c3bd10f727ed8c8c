// The exchange between calls that somebody waits for and workers that poll: a search asks for the
// vector of its query, a worker takes the task, and brings the result. Nothing of it is stored: a
// task is gone when nobody waits any more.

import { leaseLost, taskNotFound } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import { backoffMs } from "../../domain/tasks/backoff.ts";
import type { TaskFailureReason } from "../../domain/tasks/task.ts";
import type { World } from "../api.ts";
import { type DirectCall, type Hook, HookFailure } from "../hook-port.ts";
import type {
  DirectInput,
  DirectOutput,
  DirectResult,
  DirectTaskInfo,
  LeaseRef,
} from "../tasks-api.ts";
import { Attendance } from "./attendance.ts";
import {
  type DirectLease,
  type DirectTask,
  directBytes,
  directIdOf,
  directInfo,
  failureOf,
  rankOf,
  resultOf,
} from "./direct-task.ts";
import { chance, later } from "./later.ts";

/** How long a task waits for a worker. */
const UNTAKEN_MS = 60_000;
/** The same when no worker has polled lately. */
const UNATTENDED_MS = 1_000;
const BUSY_RETRY_MS = 1_000;
const TOKEN_BYTES = 16;

/** Hears of tasks. */
export interface DirectListener {
  /** A task may be taken. */
  readonly ready: (hook: string, namespace: string) => void;
  /** An attempt failed without a call that says so: its lease ended. */
  readonly failed: (hook: string, reason: TaskFailureReason) => void;
}

/** A task that a worker has taken. */
export interface TakenDirect {
  readonly info: DirectTaskInfo;
  readonly leaseToken: string;
}

/** How a worker gives a task back. */
export interface DirectFailure {
  readonly reason: TaskFailureReason;
  /** At most LIMITS.taskFailureBytes. */
  readonly message: string;
  readonly permanent: boolean;
  readonly retryDelayMs: number | undefined;
}

/** Every task that somebody waits for. */
export class DirectTasks {
  readonly attendance: Attendance;
  readonly #world: World;
  /** By id, the oldest first. */
  readonly #tasks = new Map<string, DirectTask>();
  #listener: DirectListener = { ready: () => {}, failed: () => {} };
  #bytes = 0;
  #count = 0;
  #closed = false;

  constructor(world: World) {
    this.#world = world;
    this.attendance = new Attendance(world);
  }

  /** How many tasks there are. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Says who hears of tasks. */
  listen(listener: DirectListener): void {
    this.#listener = listener;
  }

  /** Has workers of a hook do something, and waits for it. Throws HookFailure. */
  async ask(hook: Hook, call: DirectCall, input: DirectInput): Promise<DirectResult> {
    const { namespace, signal } = call;
    if (this.#closed) throw stopping();
    if (signal.aborted) throw unwanted();
    if (this.attendance.isAway(hook.name, namespace)) throw untaken();
    const bytes = directBytes(input);
    const isFull = this.#tasks.size >= LIMITS.directTasks;
    if (isFull || this.#bytes + bytes > LIMITS.directTaskBytes) {
      throw new HookFailure("busy", "Too many calls wait for workers.", {
        retryDelayMs: BUSY_RETRY_MS,
      });
    }
    const over = Promise.withResolvers<DirectResult>();
    const task = this.#newTask(hook, namespace, { input, bytes, ...over });
    const onAbort = (): void => this.#end(task, unwanted());
    signal.addEventListener("abort", onAbort, { once: true });
    this.#offer(task, 0);
    try {
      return await over.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** The ids of the tasks that may be taken, in the order in which they should be. */
  ready(hooks: Iterable<string>, namespace: string): readonly string[] {
    const asked = new Set(hooks);
    const nowMs = this.#world.nowMs();
    return [...this.#tasks.values()]
      .filter(
        (task) =>
          asked.has(task.hook) &&
          task.namespace === namespace &&
          task.lease === undefined &&
          task.readyMs <= nowMs,
      )
      .sort((a, b) => a.rank - b.rank)
      .map(({ id }) => id);
  }

  /** About how large a task is in wire form; 0 when it is gone. */
  bytesOf(id: string): number {
    return this.#tasks.get(id)?.bytes ?? 0;
  }

  /** Takes a task; undefined when it is gone or somebody else has it. */
  take(id: string, by: { readonly worker: string; leaseMs: number }): TakenDirect | undefined {
    const task = this.#tasks.get(id);
    if (task === undefined || task.lease !== undefined) return undefined;
    const token = Buffer.from(this.#world.random(TOKEN_BYTES)).toString("base64url");
    const lease = { token, worker: by.worker, endMs: 0 };
    task.lease = lease;
    task.callCount += 1;
    this.#keep(task, lease, by.leaseMs);
    return { info: directInfo({ ...task, lease }), leaseToken: token };
  }

  /** Gives a task back that nobody has begun. Does nothing when the lease is lost. */
  giveBack(id: string, token: string): void {
    const task = this.#tasks.get(id);
    if (task?.lease?.token !== token) return;
    task.callCount -= 1;
    this.#offer(task, 0);
  }

  /** The hook of a task that a worker has. Throws TASK_NOT_FOUND or LEASE_LOST. */
  hookOf(ref: LeaseRef): string {
    return this.#held(ref).hook;
  }

  /**
   * Brings a result. Throws TASK_NOT_FOUND or LEASE_LOST, and HookFailure for a result that is
   * refused, which is a failed attempt.
   */
  complete(ref: LeaseRef, output: DirectOutput | undefined): void {
    const task = this.#held(ref);
    let result: DirectResult;
    try {
      result = resultOf(task.input, output);
    } catch (error) {
      if (error instanceof HookFailure) {
        const { reason, message } = error;
        this.#fail(task, { reason, message, permanent: false, retryDelayMs: undefined });
      }
      throw error;
    }
    this.#remove(task);
    task.resolve(result);
  }

  /** Ends an attempt as failed. Gives when it is offered again; undefined when it is not. */
  fail(ref: LeaseRef, failure: DirectFailure): number | undefined {
    return this.#fail(this.#held(ref), failure);
  }

  /** Makes a lease last from now on for a time; gives when it ends. */
  extend(ref: LeaseRef, leaseMs: number): number {
    const task = this.#held(ref);
    return this.#keep(task, task.lease, leaseMs);
  }

  /** Fails every task, and those to come. */
  close(): void {
    this.#closed = true;
    for (const task of [...this.#tasks.values()]) this.#end(task, stopping());
  }

  #newTask(
    { name, settings }: Hook,
    namespace: string,
    fields: Pick<DirectTask, "input" | "bytes" | "resolve" | "reject">,
  ): DirectTask {
    const nowMs = this.#world.nowMs();
    this.#count += 1;
    const task: DirectTask = {
      ...fields,
      ...{ hook: name, namespace, rank: rankOf(fields.input), maxAttempts: settings.maxAttempts },
      ...{ id: directIdOf(nowMs, this.#count), createMs: nowMs, readyMs: nowMs },
      ...{ lease: undefined, failedAttempts: 0, callCount: 0, lastFailure: undefined },
      cancelTimer: () => {},
    };
    this.#tasks.set(task.id, task);
    this.#bytes += task.bytes;
    return task;
  }

  #held({ namespace, taskId, leaseToken }: LeaseRef): DirectTask & { lease: DirectLease } {
    const task = this.#tasks.get(taskId);
    if (task === undefined || task.namespace !== namespace) throw taskNotFound(taskId);
    const { lease } = task;
    if (lease?.token !== leaseToken || lease.endMs <= this.#world.nowMs()) throw leaseLost(taskId);
    return task as DirectTask & { lease: DirectLease };
  }

  /** A task may be taken after a time. */
  #offer(task: DirectTask, delayMs: number): void {
    task.lease = undefined;
    task.readyMs = this.#world.nowMs() + delayMs;
    if (delayMs > 0) this.#timer(task, delayMs, () => this.#offer(task, 0));
    else {
      this.#await(task);
      this.#listener.ready(task.hook, task.namespace);
    }
  }

  /** Gives up a task in time that nobody takes. */
  #await(task: DirectTask): void {
    const waitedMs = this.#world.nowMs() - task.readyMs;
    const limitMs = this.#isAttended(task) ? UNTAKEN_MS : UNATTENDED_MS;
    if (waitedMs < limitMs) {
      // Whether workers are there is looked at again while it waits.
      const nextMs = Math.min(limitMs - waitedMs, UNATTENDED_MS);
      this.#timer(task, nextMs, () => this.#await(task));
      return;
    }
    if (!this.#isAttended(task)) this.attendance.missed(task.hook, task.namespace);
    this.#end(task, untaken());
  }

  #isAttended({ hook, namespace }: DirectTask): boolean {
    if (this.attendance.isLately(hook, namespace)) return true;
    for (const other of this.#tasks.values()) {
      const isHere = other.hook === hook && other.namespace === namespace;
      if (isHere && other.lease !== undefined) return true;
    }
    return false;
  }

  #keep(task: DirectTask, lease: DirectLease | undefined, leaseMs: number): number {
    const endMs = this.#world.nowMs() + leaseMs;
    if (lease !== undefined) lease.endMs = endMs;
    this.#timer(task, leaseMs, () => this.#endLease(task));
    return endMs;
  }

  #endLease(task: DirectTask): void {
    const message = "The lease ended before there was a result.";
    this.#listener.failed(task.hook, "timeout");
    const failure = { reason: "timeout", message, permanent: false, retryDelayMs: 0 } as const;
    // Another worker gets it at once: somebody waits.
    this.#fail(task, failure, 0);
  }

  #fail(task: DirectTask, failure: DirectFailure, delayMs?: number): number | undefined {
    const { reason, message, permanent, retryDelayMs } = failure;
    const nowMs = this.#world.nowMs();
    task.failedAttempts += 1;
    task.lastFailure = { reason, message, atMs: nowMs };
    if (permanent || task.failedAttempts >= task.maxAttempts) {
      this.#end(task, failureOf(permanent ? "refused" : reason, retryDelayMs));
      return undefined;
    }
    const restMs = backoffMs(task.failedAttempts, chance(this.#world), retryDelayMs ?? 0);
    this.#offer(task, delayMs ?? restMs);
    return task.readyMs;
  }

  #end(task: DirectTask, failure: HookFailure): void {
    if (!this.#tasks.has(task.id)) return;
    this.#remove(task);
    task.reject(failure);
  }

  #remove(task: DirectTask): void {
    task.cancelTimer();
    if (this.#tasks.delete(task.id)) this.#bytes -= task.bytes;
  }

  #timer(task: DirectTask, ms: number, callback: () => void): void {
    task.cancelTimer();
    task.cancelTimer = later(this.#world, callback, ms);
  }
}

function stopping(): HookFailure {
  return new HookFailure("unreachable", "The server is stopping.");
}

function unwanted(): HookFailure {
  return new HookFailure("timeout", "Nobody waits for the result any more.");
}

function untaken(): HookFailure {
  return new HookFailure("unreachable", "No worker took the task.");
}
