// How tasks move: each function gives a task as it is after one step. Who may take which step, and
// what else happens with it, is decided in service/tasks.

import type { Task, TaskFailure, TaskLease } from "./task.ts";

/** A task is given up when it is not done so long after it was made, or made ready again. */
export const TASK_AGE_MS_MAX = 86_400_000;

/** Somebody takes a task. */
export interface Taking extends Omit<TaskLease, "startMs" | "generation"> {
  readonly nowMs: number;
  readonly leaseMs: number;
}

/** Whether a task may be taken now. */
export function mayTake(task: Task, nowMs: number): boolean {
  return task.state === "ready" && task.dueMs <= nowMs;
}

/** Whether the time of whoever has a task is over. */
export function leaseEnded(task: Task, nowMs: number): boolean {
  return task.state === "leased" && task.dueMs <= nowMs;
}

/**
 * The task for a call that goes on from this version of the session's summary. A chain of density
 * begins anew when its draft goes on from another: what is newer would be written over.
 */
export function goingOnFrom(task: Task, priorVersion: number): Task {
  const { summarize } = task;
  if (summarize.draft === undefined || (summarize.draftPrior ?? 0) === priorVersion) return task;
  return { ...task, summarize: { ...summarize, loop: 1, draft: undefined } };
}

/** The task in the hands of somebody. Throws when it is not ready. */
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

/** The task with its lease until another time. Throws when nobody has it. */
export function extended(task: Task, untilMs: number): Task {
  if (task.state !== "leased") throw new Error("A lease is extended that nobody has.");
  return { ...task, dueMs: untilMs };
}

/** The task ready from a time on, in nobody's hands. What it has behind it stays. */
export function released(task: Task, dueMs: number): Task {
  return { ...task, state: "ready", dueMs, lease: undefined };
}

/** The task as if nobody had taken it: for a lease that was given back before any work was done. */
export function untaken(task: Task, dueMs: number): Task {
  return { ...released(task, dueMs), callCount: Math.max(0, task.callCount - 1) };
}

/** The task after an attempt that failed, to be tried again from a time on. */
export function failed(task: Task, failure: TaskFailure, next: FailedStep): Task {
  return {
    ...released(task, next.dueMs),
    failedAttempts: task.failedAttempts + (next.counts ? 1 : 0),
    lastFailure: failure,
  };
}

/** What follows a failed attempt. */
export interface FailedStep {
  readonly dueMs: number;
  /** The attempt is one of those that a task has. */
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
  // One that waited for its turn for a day has its attempts all the same.
  if (at.counts) return task.failedAttempts + 1 >= at.maxAttempts;
  return at.nowMs - (task.retryMs ?? task.createMs) >= TASK_AGE_MS_MAX;
}

/**
 * The task with all its attempts and its day, ready now or behind another one of its session and
 * stage.
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
 * The oldest of some tasks that waits behind others of a stage, made ready, when none of the stage
 * is under way any more. Undefined when there is nothing to do.
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
