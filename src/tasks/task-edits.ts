// What changes of a session by callers do to its tasks: what a task was made from may be gone or
// different, or nobody may want its summary any more.

import { EVENT_TYPE, type EventDetail, type SupersedeReason } from "../domain/event.ts";
import type { Policy } from "../domain/policy.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../domain/summaries/spec.ts";
import { isLive, type Task, taskIdOf } from "../domain/tasks/task.ts";
import { containsSeq } from "../domain/window/ranges.ts";
import { removeSeqs } from "../domain/window/remove-seqs.ts";
import type { TaskPlan } from "../storage/store.ts";

/** What becomes of tasks, and who is told. */
export interface TaskEdit {
  /** Undefined for nothing. */
  readonly plan: TaskPlan | undefined;
  readonly events: readonly EventDetail[];
}

/** The part of a change of the window that tells what happened to tasks before. */
export function planPart({ plan }: TaskEdit): { readonly taskPlan?: TaskPlan } {
  return plan === undefined ? {} : { taskPlan: plan };
}

/** Nothing becomes of tasks. */
export const NO_EDIT: TaskEdit = { plan: undefined, events: [] };

/** A message of the log that is changed or deleted. */
export interface MessageEdit {
  readonly seq: number;
  readonly oldTokens: number;
  /** Undefined when the message is deleted. */
  readonly newTokens: number | undefined;
}

/** The event of a task that is not wanted any more. */
export function supersededEvent(task: Task, reason: SupersedeReason): EventDetail {
  const { taskNo, stage, hook } = task;
  return { type: EVENT_TYPE.summarySuperseded, taskId: taskIdOf(taskNo), stage, hook, reason };
}

/**
 * Takes tasks away that are not wanted any more. The next of a stage that waited behind one of them
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

/** What a session that is emptied does to its tasks: none is left. */
export function afterReset(tasks: readonly Task[], nowMs: number): TaskEdit {
  return supersede(tasks, new Set(tasks), "session-reset", nowMs);
}

/**
 * What a new policy does to tasks: those go whose stage is gone or asks for something else. Tasks
 * of messages that have left are done all the same: nobody would ask for their summary again.
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
    // Not that of the task: a caller may have asked for something else in the name of the stage.
    const old = before.get(stage);
    return spec === undefined || old === undefined || !isSameSpec(old, spec);
  });
  return supersede(tasks, new Set(gone), "policy-changed", nowMs);
}

/** How the stages of a policy have their messages summarized, by name. */
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
 * What the change of a message does to tasks that were made from it. One whose messages wait in the
 * window goes: its stage makes another. One whose messages have left goes on, with what is there
 * now; a result that is under way for what was there is stale.
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
  // One that was changed may be the next of its stage as well.
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
    // A chain of density begins anew.
    summarize: { ...summarize, ranges, sources, loop: 1, draft: undefined },
  };
}
