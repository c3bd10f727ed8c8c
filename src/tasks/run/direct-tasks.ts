// Presence of polling workers, by hook and namespace, so no caller waits long for absent workers.

import {
  type DirectCall,
  type DirectInput,
  type DirectWork,
  type Hook,
  HookFailure,
  type WorkTypes,
} from "../../hooks/port.ts";
import { workRow } from "../../hooks/works.ts";
import { leaseLost, type TaskFailureReason, taskNotFound } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { Shares } from "../../kit/shares.ts";
import { chance, later, type World } from "../../kit/world.ts";
import type {
  DirectOutput,
  DirectTaskInfo,
  FailTaskInput,
  LeasedDirect,
  LeaseRef,
} from "../api.ts";
import { backoffMs } from "../rules/breaker.ts";

/** A worker is present this long after a poll: a poll waits up to a minute. */
const LATELY_MS = 90_000;
/** Most pairs of hook and namespace that are remembered. */
const PLACES_MAX = 10_000;

type DirectResult = WorkTypes[DirectWork]["result"];
type Listener = (namespace: string) => void;

/** Recent polls of workers, and calls that no worker took. */
export class Attendance {
  readonly #world: World;
  readonly #seenMs = new Map<string, number>();
  readonly #away = new Set<string>();
  readonly #listeners = new Map<string, Listener[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A worker polls a hook. */
  saw(hook: string, namespace: string): void {
    const place = placeOf(hook, namespace);
    this.#seenMs.delete(place);
    this.#seenMs.set(place, this.#world.nowMs());
    forgetOldest(this.#seenMs);
    if (!this.#away.delete(place)) return;
    for (const listener of this.#listeners.get(hook) ?? []) listener(namespace);
  }

  /** Whether a worker polled recently. */
  isLately(hook: string, namespace: string): boolean {
    const seenMs = this.#seenMs.get(placeOf(hook, namespace));
    return seenMs !== undefined && this.#world.nowMs() - seenMs < LATELY_MS;
  }

  /** No worker took a call: until one polls, calls need not wait for workers. */
  missed(hook: string, namespace: string): void {
    this.#away.add(placeOf(hook, namespace));
    forgetOldest(this.#away);
  }

  /** Whether no worker took the last call, and none has polled since. */
  isAway(hook: string, namespace: string): boolean {
    return this.#away.has(placeOf(hook, namespace));
  }

  /** Calls back when absent workers of a hook return. */
  onBack(hook: string, listener: Listener): void {
    this.#listeners.set(hook, [...(this.#listeners.get(hook) ?? []), listener]);
  }
}

/** Key of a hook in a namespace: names of hooks contain no space. */
function placeOf(hook: string, namespace: string): string {
  return `${hook} ${namespace}`;
}

function forgetOldest(places: Map<string, unknown> | Set<string>): void {
  const [oldest] = places.keys();
  if (places.size > PLACES_MAX && oldest !== undefined) places.delete(oldest);
}

// Direct tasks, which a caller waits for: to embed or rerank texts, or for long-term memory. They
// live in memory only.

/** Bytes of a task beside its texts. */
const TASK_BYTES = 1_024;
const TEXT_BYTES = 16;
const TIME_DIGITS = 9;
const COUNT_DIGITS = 8;
const DIRECT_ID = /^call-[0-9a-z]+$/;

/** Lease of a worker. */
interface DirectLease {
  readonly token: string;
  endMs: number;
}

/** A task, as the exchange keeps it. */
interface DirectTask extends Omit<DirectTaskInfo, "workerId" | "leaseEndMs"> {
  failedAttempts: number;
  callCount: number;
  lastFailure: DirectTaskInfo["lastFailure"];
  readonly bytes: number;
  /** Lower ranks go first: a caller waits for a query. */
  readonly rank: number;
  /** When the task may be taken while it is not leased. */
  readyMs: number;
  lease: DirectLease | undefined;
  cancelTimer: () => void;
  readonly resolve: (result: DirectResult) => void;
  readonly reject: (failure: HookFailure) => void;
}

/** The id of the count-th direct task. Sorts by time. */
function directIdOf(nowMs: number, count: number): string {
  const time = nowMs.toString(36).padStart(TIME_DIGITS, "0");
  return `call-${time}${count.toString(36).padStart(COUNT_DIGITS, "0")}`;
}

/** Whether an id is that of a direct task. */
export function isDirectId(taskId: string): boolean {
  return DIRECT_ID.test(taskId);
}

/** Approximate size of a task in wire form. */
function directBytes(input: DirectInput): number {
  let bytes = TASK_BYTES;
  for (const text of workRow<DirectWork>(input.kind).textsIn(input)) {
    bytes += Buffer.byteLength(text) + TEXT_BYTES;
  }
  const messages = input.kind === "extract" ? input.messages : [];
  for (const message of messages) bytes += message.length + TEXT_BYTES;
  return bytes;
}

/** Checks the answer of a worker. Throws HookFailure `invalid-output`. */
function resultOf(input: DirectInput, output: DirectOutput | undefined): DirectResult {
  if (output?.kind !== input.kind) {
    throw new HookFailure("invalid-output", "The result has a different type than the task.");
  }
  return workRow<DirectWork>(input.kind).check(output.answer, input);
}

/** Failure of a task, for the caller that waited for it. */
function failureOf(reason: TaskFailureReason, retryDelayMs?: number): HookFailure {
  const message = reason === "timeout" ? "The lease of a worker expired." : "A worker failed.";
  return new HookFailure(reason, message, retryDelayMs);
}

// Exchange between waiting callers and polling workers: a search requests the vector of its query,
// a worker takes the task and returns the result. Nothing is stored: a task is gone when its caller
// is.

/** Longest wait of a task for a worker. */
const UNTAKEN_MS = 60_000;
/** The same when no worker has polled recently. */
const UNATTENDED_MS = 1_000;
const BUSY_RETRY_MS = 1_000;
const TOKEN_BYTES = 16;

/** Listener for tasks. */
interface DirectListener {
  /** A task may be taken. */
  readonly ready: (hook: string, namespace: string) => void;
  /** An attempt failed without a call, because its lease ended. */
  readonly failed: (hook: string, reason: TaskFailureReason) => void;
}

/** Failure that a worker reports for a task. */
export interface DirectFailure
  extends Pick<FailTaskInput, "message" | "permanent" | "retryDelayMs"> {
  readonly reason: TaskFailureReason;
}

/** All direct tasks. */
export class DirectTasks {
  readonly attendance: Attendance;
  readonly #world: World;
  /** By id, the oldest first. */
  readonly #tasks = new Map<string, DirectTask>();
  #listener: DirectListener = { ready: () => {}, failed: () => {} };
  readonly #places = new Shares({ limit: LIMITS.directTasks });
  readonly #bytes = new Shares({
    limit: LIMITS.directTaskBytes,
    kept: LIMITS.directTaskBytes - LIMITS.namespaceDirectTaskBytes,
    few: LIMITS.namespaceDirectTaskBytes,
  });
  #count = 0;
  #closed = false;

  constructor(world: World) {
    this.#world = world;
    this.attendance = new Attendance(world);
  }

  /** Number of tasks. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Sets the listener. */
  listen(listener: DirectListener): void {
    this.#listener = listener;
  }

  /** Submits work to a hook's workers and awaits the result. Throws HookFailure. */
  async ask(hook: Hook, call: DirectCall, input: DirectInput): Promise<DirectResult> {
    const { namespace, signal } = call;
    if (this.#closed) throw stopping();
    if (signal.aborted) throw unwanted();
    if (this.attendance.isAway(hook.name, namespace)) throw untaken();
    const bytes = directBytes(input);
    this.#take(namespace, bytes);
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

  /** The ids of the tasks that may be taken, first to take first. */
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
      .map(({ taskId }) => taskId);
  }

  /** Approximate size of a task in wire form; 0 when it is gone. */
  bytesOf(id: string): number {
    return this.#tasks.get(id)?.bytes ?? 0;
  }

  /** Takes a task; undefined when it is gone or another worker has it. */
  take(id: string, by: { readonly worker: string; leaseMs: number }): LeasedDirect | undefined {
    const task = this.#tasks.get(id);
    if (task === undefined || task.lease !== undefined) return undefined;
    const token = Buffer.from(this.#world.random(TOKEN_BYTES)).toString("base64url");
    const { worker: workerId } = by;
    const lease = { token, endMs: 0 };
    task.lease = lease;
    task.callCount += 1;
    const leaseEndMs = this.#keep(task, lease, by.leaseMs);
    return { direct: { ...task, workerId, leaseEndMs }, leaseToken: token };
  }

  /** Returns a task that was not begun. Does nothing when the lease is lost. */
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
   * Accepts a result. Throws TASK_NOT_FOUND or LEASE_LOST, and HookFailure for a refused result,
   * which is a failed attempt.
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

  /** Ends an attempt as failed. Returns the time of the next offer, if there is one. */
  fail(ref: LeaseRef, failure: DirectFailure): number | undefined {
    return this.#fail(this.#held(ref), failure);
  }

  /** Sets a lease to end a time from now; returns the end. */
  extend(ref: LeaseRef, leaseMs: number): number {
    const task = this.#held(ref);
    return this.#keep(task, task.lease, leaseMs);
  }

  /** Fails every current and future task. */
  close(): void {
    this.#closed = true;
    for (const task of [...this.#tasks.values()]) this.#end(task, stopping());
  }

  /** Takes the share of a task. Throws HookFailure `busy`. */
  #take(namespace: string, bytes: number): void {
    if (this.#places.take(namespace) === undefined) {
      if (this.#bytes.take(namespace, bytes) === undefined) return;
      this.#places.give(namespace);
    }
    throw new HookFailure("busy", "Too many calls wait for workers.", BUSY_RETRY_MS);
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
      ...{ hook: name, namespace, maxAttempts: settings.maxAttempts },
      rank: workRow<DirectWork>(fields.input.kind).rank(fields.input),
      ...{ taskId: directIdOf(nowMs, this.#count), createMs: nowMs, readyMs: nowMs },
      ...{ lease: undefined, failedAttempts: 0, callCount: 0, lastFailure: undefined },
      cancelTimer: () => {},
    };
    this.#tasks.set(task.taskId, task);
    return task;
  }

  #held({ namespace, taskId, leaseToken }: LeaseRef): DirectTask & { lease: DirectLease } {
    const task = this.#tasks.get(taskId);
    if (task === undefined || task.namespace !== namespace) throw taskNotFound(taskId);
    const { lease } = task;
    if (lease?.token !== leaseToken || lease.endMs <= this.#world.nowMs()) throw leaseLost(taskId);
    return task as DirectTask & { lease: DirectLease };
  }

  /** Offers a task after a time. */
  #offer(task: DirectTask, delayMs: number): void {
    task.lease = undefined;
    task.readyMs = this.#world.nowMs() + delayMs;
    if (delayMs > 0) this.#timer(task, delayMs, () => this.#offer(task, 0));
    else {
      this.#await(task);
      this.#listener.ready(task.hook, task.namespace);
    }
  }

  /** Gives up a task that no worker takes in time. */
  #await(task: DirectTask): void {
    const waitedMs = this.#world.nowMs() - task.readyMs;
    const limitMs = this.#isAttended(task) ? UNTAKEN_MS : UNATTENDED_MS;
    if (waitedMs < limitMs) {
      // The presence of workers is checked again while the task waits.
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
    const message = "The lease expired before there was a result.";
    this.#listener.failed(task.hook, "timeout");
    const failure = { reason: "timeout", message, permanent: false, retryDelayMs: 0 } as const;
    // Another worker gets it at once: a caller waits.
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
    if (!this.#tasks.has(task.taskId)) return;
    this.#remove(task);
    task.reject(failure);
  }

  #remove(task: DirectTask): void {
    task.cancelTimer();
    if (!this.#tasks.delete(task.taskId)) return;
    this.#places.give(task.namespace);
    this.#bytes.give(task.namespace, task.bytes);
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
  return new HookFailure("timeout", "No caller waits for the result anymore.");
}

function untaken(): HookFailure {
  return new HookFailure("unreachable", "No worker took the task.");
}
