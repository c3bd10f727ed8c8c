// Tasks: durable work for hooks.

import type { TaskFailureReason } from "../../kit/errors.ts";
import type { SummaryOutput } from "../../summary/rules/summary.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";
import type { SeqRange, Totals, TriggerHit } from "../../window/rules/types.ts";

/** Failure of an attempt. Holds no text from a hook or a model. */
export interface TaskFailure {
  readonly reason: TaskFailureReason;
  readonly message: string;
  readonly atMs: number;
}

/**
 * State of a task. `ready`: may be taken from dueMs on. `leased`: held by a worker until dueMs.
 * `waiting`: behind another task of its session and stage. `dead`: given up.
 */
export type TaskState = "ready" | "leased" | "waiting" | "dead";

/** Lease of a task. */
export interface TaskLease {
  /** Random; proves ownership of the lease. */
  readonly token: string;
  /** Name of the worker or of an instance of the server. */
  readonly worker: string;
  readonly startMs: number;
  /** The generation of the task that was taken: a result for another one is stale. */
  readonly generation: number;
  /** The version of the session's summary that was given as prior; 0 for none. */
  readonly priorVersion: number;
  /** Tokens reserved in the budget until the real number is known. */
  readonly reservedTokens: number;
  /** The hour of the budget: ms since 1970 / 3,600,000, rounded down. */
  readonly hour: number;
}

/** The worker of leases that the server itself holds. */
export const SERVER_WORKER = "server";

/** The name under which an instance of the server holds leases. */
export function serverWorkerOf(instanceId: string): string {
  return `${SERVER_WORKER}:${instanceId}`;
}

/** Whether a worker is the server, of whatever instance. Leases of older versions name none. */
export function isServerWorker(worker: string): boolean {
  return worker === SERVER_WORKER || worker.startsWith(`${SERVER_WORKER}:`);
}

/** Content to summarize, and how. */
export interface SummarizeWork {
  readonly spec: SummarySpec;
  /** Messages of the log, exact. */
  readonly ranges: readonly SeqRange[];
  /** Inserts of the window among them, with the version of a placed summary, else 0. */
  readonly made: readonly { readonly messageId: string; readonly version: number }[];
  readonly sources: Totals;
  readonly triggers: readonly TriggerHit[];
  /** The next call of a chain of density: 1 for the first. */
  readonly loop: number;
  /** The text so far of a chain of density. */
  readonly draft: SummaryOutput | undefined;
  /** The version of the session's summary that the draft continues; 0 or undefined for none. */
  readonly draftPrior?: number;
  /** The level of the summary that it makes. */
  readonly level: number;
  /** Tokens that hooks reported for the calls so far. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A task. */
export interface Task {
  /** Rising in the order in which tasks were made; see taskNoAt. */
  readonly taskNo: number;
  readonly namespace: string;
  readonly sessionId: string;
  readonly type: "summarize";
  /** The name of a hook; never empty and never MANUAL_HOOK. */
  readonly hook: string;
  /** Empty for CompactSession. */
  readonly stage: string;
  readonly state: TaskState;
  /** See TaskState; 0 for waiting and dead. */
  readonly dueMs: number;
  /** Rises when the content to summarize changes. */
  readonly generation: number;
  /** Failed attempts that count. */
  readonly failedAttempts: number;
  /** All calls, failed ones included. */
  readonly callCount: number;
  readonly lease: TaskLease | undefined;
  readonly lastFailure: TaskFailure | undefined;
  readonly createMs: number;
  /** When it was made ready again, or had waited for its budget; undefined when it never was. */
  readonly retryMs?: number;
  /** When it died; 0 while it lives. */
  readonly deadMs: number;
  readonly summarize: SummarizeWork;
}

/** Calls and tokens in one hour. */
export interface TaskUsage {
  readonly calls: number;
  readonly tokens: number;
}

/** Nothing was taken. */
export const NO_USAGE: TaskUsage = { calls: 0, tokens: 0 };

/** Maximum number of tasks made by one revision. */
export const REVISION_TASKS_MAX = 256;

/** The last numbers of a revision are those of its jobs on memories; see memoryTaskNo. */
export const STAGE_TASKS_MAX = 254;

/** The number of the index-th task of a stage that a revision makes. */
export function taskNoAt(revision: number, index: number): number {
  if (index >= STAGE_TASKS_MAX) throw new RangeError("A revision makes too many tasks.");
  return revision * REVISION_TASKS_MAX + index;
}

const MEMORY_TASK_TYPES = ["score", "extract"] as const;

/** The number of the job on memories of a type that a revision makes: it has one at most. */
export function memoryTaskNo(revision: number, type: "score" | "extract"): number {
  return revision * REVISION_TASKS_MAX + STAGE_TASKS_MAX + MEMORY_TASK_TYPES.indexOf(type);
}

/** Whether a number is that of a job on memories. */
export function isMemoryTaskNo(taskNo: number): boolean {
  return taskNo % REVISION_TASKS_MAX >= STAGE_TASKS_MAX;
}

/** Whether a task is still open. */
export function isLive(task: Task): boolean {
  return task.state !== "dead";
}

/** Key of a task across namespaces: its number is unique only within its namespace. */
export function taskKeyOf({ namespace, taskNo }: Pick<Task, "namespace" | "taskNo">): string {
  return `${taskNo} ${namespace}`;
}

const ID_DIGITS = 11;

/** The id of a task: `task-` and its number in base 36, so that ids sort like numbers. */
export function taskIdOf(taskNo: number): string {
  return `task-${taskNo.toString(36).padStart(ID_DIGITS, "0")}`;
}

const TASK_ID = /^task-([0-9a-z]{11})$/;

/** The number in the id of a task; undefined for an invalid id. */
export function taskNoOf(taskId: string): number | undefined {
  const digits = TASK_ID.exec(taskId)?.[1];
  if (digits === undefined) return undefined;
  const taskNo = Number.parseInt(digits, 36);
  return Number.isSafeInteger(taskNo) && taskNo > 0 ? taskNo : undefined;
}
