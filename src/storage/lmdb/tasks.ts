// Tasks: reading them, and what changes of sessions and of single tasks do to them. A task stands
// in its own table, in the lists of its namespace and of its session, and, while it may be taken,
// in the two orders of tasks that are due.

import { recordCorrupt } from "../../domain/errors.ts";
import type { SessionRef } from "../../domain/session.ts";
import { NO_USAGE, type Task, type TaskUsage } from "../../domain/tasks/task.ts";
import type { TaskChange, TaskDecision, TaskPlan, TaskView } from "../store.ts";
import { taskFault, taskPlanFault, usageFault } from "../task-faults.ts";
import { encodeText } from "./codec.ts";
import { type Core, rangeIndex, readIndex } from "./core.ts";
import {
  afterPrefix,
  dueAtKey,
  dueInPrefix,
  readU64,
  taskInPrefix,
  taskKey,
  taskOfPrefix,
  u64,
  usageKey,
} from "./keys.ts";
import type { Visibility } from "./memtable.ts";
import { unsound } from "./plan-check.ts";
import { pendingReply, saveReply } from "./replies.ts";
import { nextRevision } from "./revisions.ts";
import { emptyRecord } from "./sessions.ts";
import { decodeTask, decodeUsage, encodeTask, encodeUsage, type TaskRow } from "./task-codec.ts";

/** Reads a task with the number of its session; undefined when there is none. */
export function readTaskRow(
  core: Core,
  namespace: string,
  taskNo: number,
  visibility: Visibility,
): TaskRow | undefined {
  return Number.isSafeInteger(taskNo) && taskNo > 0
    ? readIndex(core, taskKey(namespace, taskNo), visibility, decodeTask)
    : undefined;
}

/**
 * Finds a task in a namespace; undefined when there is none. Throws RECORD_CORRUPT when it is lost.
 */
export function findTaskRow(
  core: Core,
  namespace: string,
  taskNo: number,
  visibility: Visibility,
): TaskRow | undefined {
  const row = readTaskRow(core, namespace, taskNo, visibility);
  if (row !== undefined) {
    return row;
  }
  const isListed =
    Number.isSafeInteger(taskNo) &&
    taskNo > 0 &&
    readIndex(core, taskInPrefix(namespace) + u64(taskNo), visibility, () => true) === true;
  if (isListed) {
    throw recordCorrupt(`task ${taskNo} is listed but missing`);
  }
  return undefined;
}

/** Reads a task that a list names. Throws RECORD_CORRUPT when it is missing. */
export function needTaskRow(
  core: Core,
  namespace: string,
  taskNo: number,
  visibility: Visibility,
): TaskRow {
  const row = readTaskRow(core, namespace, taskNo, visibility);
  if (row === undefined || row.task.taskNo !== taskNo) {
    throw recordCorrupt(`task ${taskNo} is listed but missing`);
  }
  return row;
}

/** The tasks of a session by rising number. */
export function tasksOf(
  core: Core,
  namespace: string,
  sessionNo: number,
  visibility: Visibility,
): Task[] {
  const prefix = taskOfPrefix(sessionNo);
  const range = { start: prefix + u64(0), end: afterPrefix(prefix) };
  const tasks: Task[] = [];
  for (const { key } of rangeIndex(core, visibility, range)) {
    const taskNo = readU64(key, prefix.length);
    tasks.push(needTaskRow(core, namespace, taskNo, visibility).task);
  }
  return tasks;
}

/** What a hook took in an hour for a namespace. */
export function readUsage(
  core: Core,
  of: { readonly namespace: string; readonly hook: string; readonly hour: number },
  visibility: Visibility,
): TaskUsage {
  const key = usageKey(of.hour, of.namespace, of.hook);
  return readIndex(core, key, visibility, decodeUsage) ?? NO_USAGE;
}

/** What becomes of one task. */
interface TaskStep {
  readonly before: Task | undefined;
  readonly after: Task | undefined;
}

/** What a plan does to tasks, read and checked, so that nothing of it can fail any more. */
export interface TaskSteps {
  readonly steps: readonly TaskStep[];
  readonly usage: TaskPlan["usage"];
}

const NO_STEPS: TaskSteps = { steps: [], usage: undefined };

/** Reads what a plan for tasks needs, and checks it. Throws an Error that names the fault. */
export function taskSteps(core: Core, ref: SessionRef, plan: TaskPlan | undefined): TaskSteps {
  if (plan === undefined) {
    return NO_STEPS;
  }
  const read = new Map<number, Task | undefined>();
  const known = (taskNo: number): Task | undefined => {
    if (!read.has(taskNo)) {
      read.set(taskNo, readTaskRow(core, ref.namespace, taskNo, "pending")?.task);
    }
    return read.get(taskNo);
  };
  const revision = nextRevision(core, ref.namespace);
  const fault = taskPlanFault(plan, { ref, revision, known });
  if (fault !== undefined) {
    throw unsound(fault);
  }
  const put = (plan.put ?? []).map((task) => ({ before: known(task.taskNo), after: task }));
  const removed = (plan.remove ?? []).map((no) => ({ before: known(no), after: undefined }));
  return { steps: [...put, ...removed], usage: plan.usage };
}

/** The end of all tasks of a session that goes. Throws when one of them is damaged. */
export function removalSteps(core: Core, namespace: string, sessionNo: number): TaskSteps {
  const tasks = tasksOf(core, namespace, sessionNo, "pending");
  const steps = tasks.map((before) => ({ before, after: undefined }));
  return { steps, usage: undefined };
}

/** Applies what becomes of tasks. */
export function saveTasks(core: Core, of: SessionAt, { steps, usage }: TaskSteps): void {
  for (const step of steps) {
    saveTask(core, of.sessionNo, step);
  }
  if (usage !== undefined) {
    const key = usageKey(usage.hour, of.namespace, usage.hook);
    core.memtable.set(key, encodeUsage(key, usage.usage));
  }
}

/** A session by its number. */
interface SessionAt {
  readonly sessionNo: number;
  readonly namespace: string;
}

/** The keys of a task in the lists of its namespace and of its session. */
export function listKeys(sessionNo: number, { namespace, taskNo }: Task): readonly string[] {
  return [taskInPrefix(namespace) + u64(taskNo), taskOfPrefix(sessionNo) + u64(taskNo)];
}

/** The keys of a task in the orders of tasks that are due; none for others. */
export function dueKeys({ hook, namespace, state, dueMs, taskNo }: Task): readonly string[] {
  const inNamespace = dueInPrefix(hook, namespace) + u64(dueMs) + u64(taskNo);
  return state === "ready" || state === "leased"
    ? [inNamespace, dueAtKey(hook, dueMs, taskNo, namespace)]
    : [];
}

function saveTask(core: Core, sessionNo: number, { before, after }: TaskStep): void {
  const { memtable, writer } = core;
  const task = after ?? before;
  if (task === undefined) {
    return;
  }
  const key = taskKey(task.namespace, task.taskNo);
  memtable.set(key, after === undefined ? null : encodeTask(key, { sessionNo, task: after }));
  if (before === undefined || after === undefined) {
    for (const listKey of listKeys(sessionNo, task)) {
      memtable.set(listKey, after === undefined ? null : emptyRecord(listKey));
    }
  }
  const old = new Set(before === undefined ? [] : dueKeys(before));
  const [inNamespace, inAll] = after === undefined ? [] : dueKeys(after);
  if (after !== undefined && inNamespace !== undefined && inAll !== undefined) {
    writer.tellTasks(after.hook);
    if (!old.delete(inNamespace)) {
      memtable.set(inNamespace, emptyRecord(inNamespace));
    }
    if (!old.delete(inAll)) {
      memtable.set(inAll, encodeText(inAll, after.namespace));
    }
  }
  for (const oldKey of old) {
    memtable.set(oldKey, null);
  }
}

/** What decide gets to see of a task, and its row. */
export function taskView(
  core: Core,
  change: TaskChange,
): { readonly view: TaskView; readonly row: TaskRow | undefined } {
  const { namespace, hour } = change;
  const row = findTaskRow(core, namespace, change.taskNo, "pending");
  const usage =
    row === undefined
      ? NO_USAGE
      : readUsage(core, { namespace, hook: row.task.hook, hour }, "pending");
  const reply = pendingReply(core, namespace, change.requestId);
  return { view: { task: row?.task, usage, reply }, row };
}

/** Applies a decision to save. Throws an Error that names a fault of it. */
export function applyTask(
  core: Core,
  change: TaskChange,
  row: TaskRow | undefined,
  decision: TaskDecision<unknown> & { readonly kind: "save" },
): void {
  const { task, usage } = decision;
  const fault =
    (task === undefined ? undefined : (taskFault(task) ?? otherFault(task, row))) ??
    (usage === undefined ? undefined : usageFault(change.hour, usage));
  if (fault !== undefined || (row === undefined && usage !== undefined)) {
    throw unsound(fault ?? "it counts what a task took that is not there");
  }
  core.writer.whole(() => {
    if (row !== undefined) {
      const { hook, namespace } = row.task;
      const taken = usage === undefined ? undefined : { hook, hour: change.hour, usage };
      saveTasks(
        core,
        { sessionNo: row.sessionNo, namespace },
        {
          steps: [{ before: row.task, after: task }],
          usage: taken,
        },
      );
    }
    saveReply(core, change, decision.reply);
  });
}

function otherFault(task: Task, row: TaskRow | undefined): string | undefined {
  const before = row?.task;
  const isSame =
    before?.taskNo === task.taskNo &&
    before.namespace === task.namespace &&
    before.sessionId === task.sessionId;
  return isSame ? undefined : `task ${task.taskNo} is not the one that was to be changed`;
}

/** Those who want to hear of hooks that have something to do. */
export class TaskListeners {
  private readonly listeners = new Set<(hooks: ReadonlySet<string>) => void>();

  listen(listener: (hooks: ReadonlySet<string>) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Tells of tasks that are durable. */
  publish(hooks: ReadonlySet<string>): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(hooks);
      } catch (error) {
        // A listener that throws must not stop the writer; the fault still ends the process.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
