// Tasks, what hooks took, and the history of summaries, in the memory engine.

import { mark } from "../../src/erase/rules/erasure.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import type {
  DueQuery,
  DueTask,
  SummaryPage,
  SummaryPlan,
  SummaryQuery,
  TaskChange,
  TaskDecision,
  TaskPage,
  TaskPlan,
  TaskQuery,
  TaskView,
} from "../../src/store/store.ts";
import {
  summaryPlanFault,
  taskFault,
  taskPlanFault,
  usageFault,
} from "../../src/store/task-faults.ts";
import type { SummaryRecord } from "../../src/summary/rules/summary.ts";
import { NO_USAGE, type Task, type TaskUsage } from "../../src/tasks/rules/task.ts";
import {
  type MemoryState,
  marked,
  namespaceOf,
  nextRevision,
  rememberReply,
  replyOf,
  type SessionState,
  sessionOf,
} from "./state.ts";

type Hooks = ReadonlySet<string>;
const NO_HOOKS: Hooks = new Set();

function must(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(`The plan is faulty: ${fault}.`);
}

function usageId(namespace: string, hook: string, hour: number): string {
  return JSON.stringify([hour, namespace, hook]);
}

/** The usage of a hook in an hour for a namespace. */
export function usageOf(
  state: MemoryState,
  of: { readonly namespace: string; readonly hook: string; readonly hour: number },
): TaskUsage {
  return state.usage.get(usageId(of.namespace, of.hook, of.hour)) ?? NO_USAGE;
}

/** The tasks of a session by rising number. */
export function tasksOf(state: MemoryState, ref: SessionRef): readonly Task[] {
  return tasksIn(state, ref.namespace).filter(({ sessionId }) => sessionId === ref.sessionId);
}

function tasksIn(state: MemoryState, namespace: string): readonly Task[] {
  return [...namespaceOf(state, namespace).tasks.values()].sort((a, b) => a.taskNo - b.taskNo);
}

function allTasks(state: MemoryState): readonly Task[] {
  return [...state.namespaces.values()].flatMap(({ tasks }) => [...tasks.values()]);
}

/** Checks what a plan does to tasks. Throws an Error that names the fault. */
export function checkTasks(state: MemoryState, ref: SessionRef, plan: TaskPlan | undefined): void {
  if (plan === undefined) return;
  const { tasks } = namespaceOf(state, ref.namespace);
  const known = (taskNo: number) => tasks.get(taskNo);
  must(taskPlanFault(plan, { ref, revision: nextRevision(state, ref.namespace), known }));
}

/** Does what a plan does to tasks; gives the hooks that have something to do. */
export function saveTasks(
  state: MemoryState,
  namespace: string,
  plan: TaskPlan | undefined,
): Hooks {
  if (plan === undefined) return NO_HOOKS;
  const { tasks } = namespaceOf(state, namespace);
  for (const task of plan.put ?? []) tasks.set(task.taskNo, structuredClone(task));
  for (const taskNo of plan.remove ?? []) tasks.delete(taskNo);
  const { usage } = plan;
  if (usage !== undefined) {
    state.usage.set(usageId(namespace, usage.hook, usage.hour), { ...usage.usage });
  }
  return new Set((plan.put ?? []).filter(isDueOnce).map(({ hook }) => hook));
}

/** Deletes the tasks of a session that goes. */
export function dropTasks(state: MemoryState, ref: SessionRef): void {
  const { tasks } = namespaceOf(state, ref.namespace);
  for (const { taskNo } of tasksOf(state, ref)) tasks.delete(taskNo);
}

function isDueOnce({ state }: Task): boolean {
  return state === "ready" || state === "leased";
}

/** Changes one task; gives the hooks that have something to do. */
export function changeTask<T>(
  state: MemoryState,
  change: TaskChange,
  decide: (view: TaskView) => TaskDecision<T>,
): { readonly result: T; readonly hooks: Hooks } {
  const { hour, namespace, requestId, taskNo } = change;
  const task = namespaceOf(state, namespace).tasks.get(taskNo);
  const usage =
    task === undefined ? NO_USAGE : usageOf(state, { namespace, hook: task.hook, hour });
  const decision = decide({ task, usage, reply: replyOf(state, namespace, requestId) });
  if (decision.kind === "answer") return { result: decision.result, hooks: NO_HOOKS };
  const after = decision.task;
  if (after !== undefined) {
    must(taskFault(after));
    const isSame = after.taskNo === task?.taskNo && after.sessionId === task.sessionId;
    must(isSame && after.namespace === namespace ? undefined : "it is another task");
  }
  if (decision.usage !== undefined) {
    must(task === undefined ? "there is no task" : usageFault(hour, decision.usage));
  }
  const about = task === undefined ? [] : [mark.session(task.sessionId)];
  rememberReply(state, namespace, requestId, marked(decision.reply, about));
  if (task === undefined) return { result: decision.result, hooks: NO_HOOKS };
  const taken = decision.usage;
  const hooks = saveTasks(state, namespace, {
    ...(after === undefined ? { remove: [taskNo] } : { put: [after] }),
    ...(taken === undefined ? {} : { usage: { hook: task.hook, hour, usage: taken } }),
  });
  return { result: decision.result, hooks };
}

/** A page of tasks by rising number. */
export function listTasks(state: MemoryState, query: TaskQuery): TaskPage {
  const { namespace, sessionId, hook, limit, after = 0 } = query;
  const found = tasksIn(state, namespace).filter(
    (task) =>
      task.taskNo > after &&
      (sessionId === undefined || task.sessionId === sessionId) &&
      (hook === undefined || task.hook === hook) &&
      (query.state === undefined || task.state === query.state),
  );
  const tasks = found.slice(0, limit);
  return { tasks, next: found.length > limit ? (tasks.at(-1)?.taskNo ?? query.after) : undefined };
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The tasks of a hook that are due. */
export function dueTasks(state: MemoryState, query: DueQuery): readonly DueTask[] {
  const { hook, namespace, afterNamespace = "", nowMs, limit, perNamespace } = query;
  const due = allTasks(state)
    .filter((task) => task.hook === hook && isDueOnce(task) && task.dueMs <= nowMs)
    .sort((a, b) => a.dueMs - b.dueMs || a.taskNo - b.taskNo);
  const all = [...new Set(due.map((task) => task.namespace))].sort(byBytes);
  const turn = [
    ...all.filter((name) => byBytes(name, afterNamespace) > 0),
    ...all.filter((name) => byBytes(name, afterNamespace) <= 0),
  ];
  return (namespace === undefined ? turn : [namespace])
    .flatMap((name) => due.filter((task) => task.namespace === name).slice(0, perNamespace))
    .slice(0, limit)
    .map((task) => ({ taskNo: task.taskNo, namespace: task.namespace, dueMs: task.dueMs }));
}

/** When the next task of a hook is due that is not due now; undefined when there is none. */
export function nextDueMs(state: MemoryState, hook: string, nowMs: number): number | undefined {
  const later = allTasks(state)
    .filter((task) => task.hook === hook && isDueOnce(task) && task.dueMs > nowMs)
    .map(({ dueMs }) => dueMs);
  return later.length === 0 ? undefined : Math.min(...later);
}

/** The hooks that have tasks to be done, at any time. */
export function taskHooks(state: MemoryState): readonly string[] {
  return [
    ...new Set(
      allTasks(state)
        .filter(isDueOnce)
        .map(({ hook }) => hook),
    ),
  ];
}

/** Drops what hooks took in old hours. */
export function dropUsage(state: MemoryState, hourMin: number): void {
  for (const id of state.usage.keys()) {
    const [hour] = JSON.parse(id) as [number];
    if (hour < hourMin) state.usage.delete(id);
  }
}

/** The summaries after a change. Throws an Error that names a fault of the plan. */
export function summariesAfter(
  before: ReadonlyMap<number, SummaryRecord>,
  plan: SummaryPlan | undefined,
  newest: number,
): Map<number, SummaryRecord> {
  const after = new Map(before);
  if (plan === undefined) return after;
  must(summaryPlanFault(plan, { newest, has: (version) => before.has(version) }));
  for (const version of plan.remove ?? []) after.delete(version);
  const { put, replace } = plan;
  for (const summary of replace === undefined ? put : [replace, ...put])
    after.set(summary.version, structuredClone(summary));
  return after;
}

/** A page of the summaries of a session; undefined when there is no session. */
export function listSummaries(
  state: MemoryState,
  ref: SessionRef,
  query: SummaryQuery,
): SummaryPage | undefined {
  const session: SessionState | undefined = sessionOf(state, ref);
  if (session === undefined) return undefined;
  const { after, limit, maxBytes, order } = query;
  const down = order === "desc";
  const rest = [...session.summaries.values()]
    .filter(({ version }) => after === undefined || (down ? version < after : version > after))
    .sort((a, b) => (down ? b.version - a.version : a.version - b.version));
  const summaries: SummaryRecord[] = [];
  let bytes = 0;
  for (const summary of rest) {
    bytes += Buffer.byteLength(summary.text) + summary.ranges.length + summary.added.length;
    if (summaries.length >= limit || (summaries.length > 0 && bytes > maxBytes)) break;
    summaries.push(summary);
  }
  const isMore = summaries.length < rest.length;
  return { summaries, next: isMore ? summaries.at(-1)?.version : undefined };
}
