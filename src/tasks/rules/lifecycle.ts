// State transitions of tasks: each function returns a task after one step. Callers decide which
// step is allowed and what else it changes.

import type { Task, TaskFailure, TaskLease } from "./task.ts";

/** A task is given up this long after it was made or last made ready. */
export const TASK_AGE_MS_MAX = 86_400_000;

/** Lease to take a task with. */
export interface Taking extends Omit<TaskLease, "startMs" | "generation"> {
  readonly nowMs: number;
  readonly leaseMs: number;
}

/** Whether a task may be taken now. */
export function mayTake(task: Task, nowMs: number): boolean {
  return task.state === "ready" && task.dueMs <= nowMs;
}

/** Whether the lease of a task has ended. */
export function leaseEnded(task: Task, nowMs: number): boolean {
  return task.state === "leased" && task.dueMs <= nowMs;
}

/**
 * The task for a call that continues this version of the session's summary. A chain of density
 * restarts when its draft continues another version: it would overwrite the newer one.
 */
export function goingOnFrom(task: Task, priorVersion: number): Task {
  const { summarize } = task;
  if (summarize.draft === undefined || (summarize.draftPrior ?? 0) === priorVersion) return task;
  return { ...task, summarize: { ...summarize, loop: 1, draft: undefined } };
}

/** The task with a lease. Throws when it is not ready. */
export function leased(task: Task, taking: Taking): Task {
  if (task.state !== "ready") throw new Error(`A task is taken that is ${task.state}.`);
  const { nowMs, leaseMs, ...lease } = taking;
  return {
    ...task,
    state: "leased",
    dueMs: nowMs + leaseMs,
    callCount: task.callCount + 1,
    lease: { ...lease, startMs: nowMs, generation: task.generation },
  };
}

/** The task with its lease until another time. Throws when it is not leased. */
export function extended(task: Task, untilMs: number): Task {
  if (task.state !== "leased") throw new Error("A lease is extended that nobody has.");
  return { ...task, dueMs: untilMs };
}

/** The task without a lease, ready from a time on. Its attempts stay counted. */
export function released(task: Task, dueMs: number): Task {
  return { ...task, state: "ready", dueMs, lease: undefined };
}

/** The task as before its lease, which was given back before any work was done. */
export function untaken(task: Task, dueMs: number): Task {
  return { ...released(task, dueMs), callCount: Math.max(0, task.callCount - 1) };
}

/** The task after a failed attempt, to be retried from a time on. */
export function failed(task: Task, failure: TaskFailure, next: FailedStep): Task {
  return {
    ...released(task, next.dueMs),
    failedAttempts: task.failedAttempts + (next.counts ? 1 : 0),
    lastFailure: failure,
  };
}

/** Step after a failed attempt. */
export interface FailedStep {
  readonly dueMs: number;
  /** Whether the attempt counts against the task's limit. */
  readonly counts: boolean;
}

/** The task given up for this failure. */
export function dead(task: Task, failure: TaskFailure, counts: boolean): Task {
  return {
    ...task,
    state: "dead",
    dueMs: 0,
    deadMs: failure.atMs,
    lease: undefined,
    failedAttempts: task.failedAttempts + (counts ? 1 : 0),
    lastFailure: failure,
  };
}

/**
 * Whether one more failed attempt is the end: all attempts are used up, or, for attempts that do
 * not count, the task has been tried for a day.
 */
export function isLastFailure(
  task: Task,
  at: { readonly counts: boolean; readonly maxAttempts: number; readonly nowMs: number },
): boolean {
  // A task that waited a day for its turn still has all its attempts.
  if (at.counts) return task.failedAttempts + 1 >= at.maxAttempts;
  return at.nowMs - (task.retryMs ?? task.createMs) >= TASK_AGE_MS_MAX;
}

/**
 * The task with fresh attempts and a fresh day, ready now or waiting behind another one of its
 * session and stage.
 */
export function readyAgain(task: Task, nowMs: number, isBehind = false): Task {
  return {
    ...task,
    state: isBehind ? "waiting" : "ready",
    dueMs: isBehind ? 0 : nowMs,
    deadMs: 0,
    failedAttempts: 0,
    retryMs: nowMs,
    lease: undefined,
  };
}

/**
 * The oldest waiting task of a stage, made ready. Undefined when none waits, or when a task of the
 * stage is ready or leased.
 */
export function nextOf(tasks: readonly Task[], stage: string, nowMs: number): Task | undefined {
  let next: Task | undefined;
  for (const task of tasks) {
    if (task.stage !== stage || task.state === "dead") continue;
    if (task.state !== "waiting") return undefined;
    if (next === undefined || task.taskNo < next.taskNo) next = task;
  }
  return next === undefined ? undefined : { ...next, state: "ready", dueMs: nowMs };
}
