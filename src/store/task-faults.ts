// Rules for plans, and for tasks and summaries of them, for both engines: they say what is wrong,
// so that half a plan never reaches the state.

import { QUARTERS } from "../kit/token-quarters.ts";
import type { SessionRef } from "../session/rules/session.ts";
import { type SummaryRecord, TRUST } from "../summary/rules/summary.ts";
import { REVISION_TASKS_MAX, type Task, type TaskUsage } from "../tasks/rules/task.ts";
import type { SeqRange } from "../window/rules/types.ts";
import type { SummaryPlan, TaskPlan } from "./store.ts";

/** The state before the change, as a check needs it. */
export interface TaskBase {
  readonly ref: SessionRef;
  /** That of the change. */
  readonly revision: number;
  /** The task of this number, of whatever session. */
  readonly known: (taskNo: number) => Pick<Task, "namespace" | "sessionId"> | undefined;
}

/** Whether a number is whole and not negative. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Says what is wrong with the frame of a plan; undefined when nothing is. */
export function frameFault(plan: {
  readonly events: readonly unknown[];
  readonly nowMs: number;
  readonly reply?: { readonly createMs: number };
}): string | undefined {
  if (plan.events.length === 0) return "it has no event";
  return isCount(plan.nowMs) && isCount(plan.reply?.createMs ?? 0)
    ? undefined
    : "a time is not a whole number of milliseconds";
}

/** Tokens come in quarters. */
function isTokens(value: number): boolean {
  return Number.isSafeInteger(value * QUARTERS) && value >= 0;
}

/** Whether runs rise without touching each other's seqs. */
export function areRanges(ranges: readonly SeqRange[]): boolean {
  let last = 0;
  for (const range of ranges) {
    if (range.first <= last || range.last < range.first || !Number.isSafeInteger(range.last)) {
      return false;
    }
    last = range.last;
  }
  return true;
}

/** Says what is wrong with a task; undefined when nothing is. */
export function taskFault(task: Task): string | undefined {
  const { taskNo, hook, namespace, state, dueMs, deadMs, lease } = task;
  if (!Number.isSafeInteger(taskNo) || taskNo < 1) return `a task has the number ${taskNo}`;
  if (hook === "" || hook.includes("\0") || namespace.includes("\0")) {
    return `task ${taskNo} has no hook, or one that no key can hold`;
  }
  const isDue = state === "ready" || state === "leased";
  if (!isCount(dueMs) || (!isDue && dueMs !== 0)) {
    return `task ${taskNo}, which is ${state}, is due at ${dueMs}`;
  }
  if ((state === "leased") !== (lease !== undefined)) {
    return `task ${taskNo}, which is ${state}, has a lease or lacks one`;
  }
  if (!isCount(deadMs) || (state !== "dead" && deadMs !== 0)) {
    return `task ${taskNo}, which is ${state}, died at ${deadMs}`;
  }
  const { generation, failedAttempts, callCount, createMs } = task;
  if (![generation, failedAttempts, callCount, createMs].every(isCount)) {
    return `a count of task ${taskNo} is not a whole number`;
  }
  return areRanges(task.summarize.ranges)
    ? undefined
    : `the ranges of task ${taskNo} are out of order`;
}

/** Says what is wrong with what a hook took; undefined when nothing is. */
export function usageFault(hour: number, { calls, tokens }: TaskUsage): string | undefined {
  return [hour, calls, tokens].every(isCount)
    ? undefined
    : `the usage of hour ${hour} is ${calls} calls and ${tokens} tokens`;
}

/** Says what is wrong with what a plan does to tasks; undefined when nothing is. */
export function taskPlanFault(plan: TaskPlan, base: TaskBase): string | undefined {
  const numbers = new Set<number>();
  for (const task of plan.put ?? []) {
    const fault = taskFault(task) ?? ownFault(task, base);
    if (fault !== undefined || numbers.has(task.taskNo)) {
      return fault ?? `task ${task.taskNo} is put twice`;
    }
    numbers.add(task.taskNo);
  }
  for (const taskNo of plan.remove ?? []) {
    const known = base.known(taskNo);
    if (known === undefined || !isOf(known, base.ref) || numbers.has(taskNo)) {
      return `task ${taskNo} is removed, which is not there or not of the session`;
    }
    numbers.add(taskNo);
  }
  return plan.usage === undefined ? undefined : usageFault(plan.usage.hour, plan.usage.usage);
}

function isOf(task: Pick<Task, "namespace" | "sessionId">, ref: SessionRef): boolean {
  return task.namespace === ref.namespace && task.sessionId === ref.sessionId;
}

// A new task has a number of its revision, so that no number comes twice.
function ownFault(task: Task, { ref, revision, known }: TaskBase): string | undefined {
  const before = known(task.taskNo);
  const isNew = Math.floor(task.taskNo / REVISION_TASKS_MAX) === revision;
  if (!isOf(task, ref) || (before !== undefined && !isOf(before, ref))) {
    return `task ${task.taskNo} is not of the session`;
  }
  return before === undefined && !isNew
    ? `task ${task.taskNo} is neither known nor one of revision ${revision}`
    : undefined;
}

/** The state that a check of summaries needs. */
export interface SummaryBase {
  /** The version of the newest summary, after the change. */
  readonly newest: number;
  /** Whether the log has a summary of this version already. */
  readonly has: (version: number) => boolean;
}

/** Says what is wrong with what a plan does to summaries; undefined when nothing is. */
export function summaryPlanFault(plan: SummaryPlan, base: SummaryBase): string | undefined {
  const removed = new Set(plan.remove);
  if (![...removed].every(isCount)) {
    return "a summary is removed whose version is not a whole number";
  }
  let last = 0;
  for (const summary of plan.put) {
    const { version } = summary;
    if (!Number.isSafeInteger(version) || version <= last || version > base.newest) {
      return `summary ${version} follows ${last}, and the newest is ${base.newest}`;
    }
    if (removed.has(version) || base.has(version)) {
      return `summary ${version} is there already, or is removed as well`;
    }
    const fault = summaryFault(summary);
    if (fault !== undefined) return fault;
    last = version;
  }
  const { replace } = plan;
  if (replace === undefined) return undefined;
  return base.has(replace.version) && !removed.has(replace.version)
    ? summaryFault(replace)
    : `summary ${replace.version} is replaced, which is not there or is removed`;
}

function summaryFault(summary: SummaryRecord): string | undefined {
  const { version, sources, tokenCount, trust, ranges, added, sourceVersions, level } = summary;
  const { inputTokens, outputTokens, callCount, durationMs, createMs } = summary;
  const counts = [sources.messageCount, level, inputTokens, outputTokens, callCount, durationMs];
  if (![...counts, createMs, ...sourceVersions].every(isCount)) {
    return `a count of summary ${version} is not a whole number`;
  }
  if (!isTokens(tokenCount) || !isTokens(sources.tokenCount)) {
    return `a token count of summary ${version} is not one`;
  }
  if (!Object.values(TRUST).includes(trust)) {
    return `the trust of summary ${version} is ${trust}`;
  }
  return areRanges(ranges) && areRanges(added)
    ? undefined
    : `the ranges of summary ${version} are out of order`;
}
