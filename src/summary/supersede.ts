// Checks whether a result is stale, and replaces its task then: newer text is never overwritten,
// and summaries that are still wanted are requested again.

import { planOf, windowBase } from "../core/window-change.ts";
import type { EventDetail, SupersedeReason } from "../events/rules/event.ts";
import type { Session } from "../session/rules/session.ts";
import type { SessionPlan, TaskPlan } from "../store/store.ts";
import { nextOf } from "../tasks/rules/lifecycle.ts";
import { type Task, taskNoAt } from "../tasks/rules/task.ts";
import type { HeldView, Settling } from "../tasks/settle.ts";
import { supersededEvent } from "../tasks/task-edits.ts";
import { changeAndTrim, entriesOf, inputCount, inputsIn, keepsInputs } from "./effect.ts";
import { NOT_CALLED, newTask, requestedEvent } from "./making.ts";

/** Changes to a session when one of its tasks is no longer wanted. */
export interface Superseded {
  readonly session: Session;
  readonly plan: Omit<SessionPlan, "events" | "reply">;
  readonly details: readonly EventDetail[];
}

/** Reason why a result is stale; undefined while its inputs are unchanged. */
export function staleness(settling: Settling, held: HeldView): SupersedeReason | undefined {
  const { session, task } = held;
  if (task.lease.generation !== task.generation) return "messages-changed";
  if (keepsInputs(held)) {
    const there = inputsIn(entriesOf(settling, held), held);
    if (there.length < inputCount(held)) return "messages-changed";
  }
  if (task.summarize.spec.keep !== "replace") return undefined;
  const version = session.fields.summary?.version ?? 0;
  return version === task.lease.priorVersion ? undefined : "summary-changed";
}

/** The live tasks of a session without one. */
function othersOf({ view, task }: HeldView): readonly Task[] {
  return view.tasks().filter(({ taskNo }) => taskNo !== task.taskNo);
}

/** The next task of the stage of one that goes, made ready; none when there is none. */
export function nextPart(held: HeldView, nowMs: number): readonly Task[] {
  const next = nextOf(othersOf(held), held.task.stage, nowMs);
  return next === undefined ? [] : [next];
}

/**
 * Removes a stale task. Messages that left the window get a new task with their present content;
 * messages that wait in the window are left to the policy.
 */
export function superseded(
  settling: Settling,
  held: HeldView,
  reason: SupersedeReason,
  usage: Pick<TaskPlan, "usage">,
): Superseded {
  const { task, session, view } = held;
  const { nowMs } = settling;
  const event = supersededEvent(task, reason);
  const remove = [task.taskNo];
  if (keepsInputs(held)) {
    const taskPlan = { remove, put: nextPart(held, nowMs), ...usage };
    return trimmed(settling, held, taskPlan, event);
  }
  const fresh = anew(held, nowMs);
  const put = fresh === undefined ? nextPart(held, nowMs) : [fresh];
  const head = { ...session.head, revision: view.revision };
  return {
    session: { ...session, head },
    plan: { head, tasks: { remove, put, ...usage } },
    details: fresh === undefined ? [event] : [event, requestedEvent(fresh)],
  };
}

/** A new task with the same messages; undefined when none are left. */
function anew({ task, view }: HeldView, nowMs: number): Task | undefined {
  const { namespace, sessionId, hook, stage, summarize } = task;
  if (summarize.ranges.length === 0 && summarize.made.length === 0) return undefined;
  const taskNo = taskNoAt(view.revision, 0);
  const start = { taskNo, namespace, sessionId, hook, stage };
  return newTask(start, { isBehind: false, nowMs }, { ...summarize, ...NOT_CALLED });
}

function trimmed(
  settling: Settling,
  { session, view }: HeldView,
  taskPlan: TaskPlan,
  event: EventDetail,
): Superseded {
  const change = changeAndTrim(settling, {
    ...windowBase(view, session, settling.nowMs),
    taskPlan,
  });
  const plan = planOf(session, change);
  // While only tasks change, the time to live of the session goes on.
  const isQuiet = change.trims.length === 0 && change.fields === session.fields;
  const head = isQuiet ? { ...change.head, updateMs: session.head.updateMs } : change.head;
  return {
    session: { ...session, fields: change.fields, head },
    plan: { ...plan, head },
    details: [event, ...change.events],
  };
}
