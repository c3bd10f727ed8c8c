// Effect of one change of a session on its tasks. Several parts contribute to it; later parts see
// the results of earlier ones.

import { EVENT_TYPE, type EventDetail, type SupersedeReason } from "../events/rules/event.ts";
import type { TaskPlan } from "../store/store.ts";
import type { Policy } from "../window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../window/policy/summary-spec.ts";
import { containsSeq, removeSeqs } from "../window/rules/ranges.ts";
import { isLive, type Task, taskIdOf, taskNoAt } from "./rules/task.ts";

/** The tasks after a plan, by rising number. Without a plan, the same list object. */
export function tasksAfter(tasks: readonly Task[], plan: TaskPlan | undefined): readonly Task[] {
  if (plan === undefined) return tasks;
  const gone = new Set(plan.remove);
  const byNo = new Map(tasks.map((task) => [task.taskNo, task]));
  for (const task of plan.put ?? []) byNo.set(task.taskNo, task);
  return [...byNo.values()]
    .filter(({ taskNo }) => !gone.has(taskNo))
    .sort((a, b) => a.taskNo - b.taskNo);
}

/** Merges two plans, the second of which builds on the first. */
export function mergeTaskPlans(
  first: TaskPlan | undefined,
  second: TaskPlan | undefined,
  revision: number,
): TaskPlan | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const put = new Map(first.put?.map((task) => [task.taskNo, task]));
  const remove = new Set(first.remove);
  for (const taskNo of second.remove ?? []) {
    put.delete(taskNo);
    // A task that this same revision made was never stored.
    if (taskNo < taskNoAt(revision, 0)) remove.add(taskNo);
  }
  for (const task of second.put ?? []) {
    put.set(task.taskNo, task);
    remove.delete(task.taskNo);
  }
  const usage = second.usage ?? first.usage;
  return {
    put: [...put.values()],
    remove: [...remove],
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Number of tasks that a plan has made in a revision: the index of the next one. */
export function madeTasks(plan: TaskPlan | undefined, revision: number): number {
  const first = taskNoAt(revision, 0);
  return plan?.put?.filter(({ taskNo }) => taskNo >= first).length ?? 0;
}

// Effects of callers' changes of a session on its tasks: the inputs of a task may be gone or
// different, or its summary may no longer be wanted.

/** Changes of tasks and the events that report them. */
export interface TaskEdit {
  /** Undefined without changes. */
  readonly plan: TaskPlan | undefined;
  readonly events: readonly EventDetail[];
}

/** The task changes of an edit, as a part of a window change. */
export function planPart({ plan }: TaskEdit): { readonly taskPlan?: TaskPlan } {
  return plan === undefined ? {} : { taskPlan: plan };
}

/** No change of tasks. */
export const NO_EDIT: TaskEdit = { plan: undefined, events: [] };

/** A message of the log that is changed or deleted. */
export interface MessageEdit {
  readonly seq: number;
  readonly oldTokens: number;
  /** Undefined when the message is deleted. */
  readonly newTokens: number | undefined;
}

/** The event of a superseded task. */
export function supersededEvent(task: Task, reason: SupersedeReason): EventDetail {
  const { taskNo, stage, hook } = task;
  return { type: EVENT_TYPE.summarySuperseded, taskId: taskIdOf(taskNo), stage, hook, reason };
}

/**
 * Removes tasks that are no longer wanted. The next task of a stage that waited behind one of them
 * becomes ready.
 */
export function supersede(
  tasks: readonly Task[],
  gone: ReadonlySet<Task>,
  reason: SupersedeReason,
  nowMs: number,
): TaskEdit {
  if (gone.size === 0) return NO_EDIT;
  const left = tasks.filter((task) => !gone.has(task) && isLive(task));
  const put: Task[] = [];
  for (const stage of new Set([...gone].map((task) => task.stage))) {
    const [first] = left.filter((task) => task.stage === stage);
    const isBlocked = left.some((task) => task.stage === stage && task.state !== "waiting");
    if (first !== undefined && !isBlocked) put.push({ ...first, state: "ready", dueMs: nowMs });
  }
  return {
    plan: { put, remove: [...gone].map(({ taskNo }) => taskNo) },
    events: [...gone].filter(isLive).map((task) => supersededEvent(task, reason)),
  };
}

/** Effect of a session reset on its tasks: none is left. */
export function afterReset(tasks: readonly Task[], nowMs: number): TaskEdit {
  return supersede(tasks, new Set(tasks), "session-reset", nowMs);
}

/**
 * Effect of a new policy on tasks: a task goes when its stage is gone or asks for something else.
 * Tasks for messages that have left stay: no other task would summarize them.
 */
export function afterPolicy(
  tasks: readonly Task[],
  policy: { readonly old: Policy; readonly new: Policy },
  nowMs: number,
): TaskEdit {
  const before = specsOf(policy.old);
  const after = specsOf(policy.new);
  const gone = tasks.filter((task) => {
    const { stage, summarize } = task;
    if (!isLive(task) || stage === "" || summarize.spec.leave === "at-once") return false;
    const spec = after.get(stage);
    // Not the task's spec: a caller may have requested another one under the stage's name.
    const old = before.get(stage);
    return spec === undefined || old === undefined || !isSameSpec(old, spec);
  });
  return supersede(tasks, new Set(gone), "policy-changed", nowMs);
}

/** Summary specs of a policy's stages, by name. */
function specsOf({ stages }: Policy): ReadonlyMap<string, SummarySpec> {
  return new Map(
    stages.flatMap(({ name, summarize, effect }) =>
      summarize === undefined || effect !== "store" ? [] : [[name, summarize] as const],
    ),
  );
}

function isSameSpec(a: SummarySpec, b: SummarySpec): boolean {
  const keys = Object.keys(DEFAULT_SUMMARY_SPEC) as (keyof SummarySpec)[];
  return keys.every((key) => a[key] === b[key]);
}

/**
 * Effect of a changed message on the tasks made from it. A task whose messages wait in the window
 * goes: its stage makes another. A task whose messages have left continues with the new content; a
 * result in progress for the old content is stale.
 */
export function afterMessage(tasks: readonly Task[], edit: MessageEdit, nowMs: number): TaskEdit {
  const gone = new Set<Task>();
  const put: Task[] = [];
  for (const task of tasks) {
    if (!isLive(task) || !containsSeq(task.summarize.ranges, edit.seq)) continue;
    const next = task.summarize.spec.leave === "at-once" ? withEdit(task, edit) : undefined;
    if (next === undefined) gone.add(task);
    else put.push(next);
  }
  const { plan, events } = supersede(tasks, gone, "messages-changed", nowMs);
  if (put.length === 0) return { plan, events };
  // A changed task may also be the next one of its stage.
  const ready = new Set(plan?.put?.map(({ taskNo }) => taskNo));
  const changed = put.map(
    (task): Task => (ready.has(task.taskNo) ? { ...task, state: "ready", dueMs: nowMs } : task),
  );
  const numbers = new Set(changed.map(({ taskNo }) => taskNo));
  const others = plan?.put?.filter(({ taskNo }) => !numbers.has(taskNo)) ?? [];
  return { plan: { ...plan, put: [...others, ...changed] }, events };
}

/** The task after one of its messages changed; undefined when nothing is left to summarize. */
function withEdit(task: Task, { seq, oldTokens, newTokens }: MessageEdit): Task | undefined {
  const { summarize } = task;
  const isDeleted = newTokens === undefined;
  const ranges = isDeleted ? removeSeqs(summarize.ranges, [seq]) : summarize.ranges;
  if (ranges.length === 0 && summarize.made.length === 0) return undefined;
  const { messageCount, tokenCount } = summarize.sources;
  const sources = {
    messageCount: messageCount - (isDeleted ? 1 : 0),
    tokenCount: tokenCount - oldTokens + (newTokens ?? 0),
  };
  return {
    ...task,
    generation: task.generation + 1,
    // A chain of density restarts.
    summarize: { ...summarize, ranges, sources, loop: 1, draft: undefined },
  };
}
