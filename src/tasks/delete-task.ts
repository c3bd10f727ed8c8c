// DeleteTask: a task is not wanted any more. Its messages stay where they are.

import { taskNotFound } from "../../domain/errors.ts";
import type { SupersedeReason } from "../../domain/event.ts";
import type { Session } from "../../domain/session.ts";
import { hourOf } from "../../domain/tasks/budget.ts";
import { isLive, isMemoryTaskNo, type Task, taskNoOf } from "../../domain/tasks/task.ts";
import type { SessionPlan, SessionView } from "../../storage/store.ts";
import type { Call } from "../api.ts";
import { changeSession, checkLive, replayOf, replyPart } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { newEvents } from "../new-events.ts";
import { supersede, supersededEvent } from "../task-edits.ts";
import type { DeleteTaskInput } from "../tasks-api.ts";
import { deleteMemoryTask, type MemoryTaskParts } from "./memory-tasks.ts";
import type { TakenTask } from "./take-task.ts";

/** Deletes a task without doing it. */
export async function deleteTask(
  parts: MemoryTaskParts,
  call: Call,
  input: DeleteTaskInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const taskNo = taskNoOf(input.taskId) ?? 0;
  const deleted = isMemoryTaskNo(taskNo)
    ? await deleteMemoryTask(parts, call, input, taskNo)
    : await deleteSummaryTask(parts.context, call, input, taskNo);
  return deleted ?? (await answerMissing(parts.context, call, input, taskNo));
}

/** Deletes a task to summarize; undefined when there is none. */
async function deleteSummaryTask(
  context: ServiceContext,
  call: Call,
  input: DeleteTaskInput,
  taskNo: number,
): Promise<Uint8Array | undefined> {
  const { namespace } = input;
  const known = await context.store.readTask(namespace, taskNo);
  if (known === undefined) return undefined;
  const { sessionId } = known;
  const nowMs = context.world.nowMs();
  const target = { namespace, sessionId, allowWhenFull: true };
  return await changeSession<Uint8Array | undefined>(context, call, target, (view) => {
    const task = view.tasks().find((one) => one.taskNo === taskNo);
    const { session } = view;
    // Without a session it went meanwhile, as did one that another call deleted.
    if (session === undefined || task === undefined) return { kind: "answer", result: undefined };
    const bytes = input.encode();
    const without = planWithout(context, { session, view, task, nowMs, call }, "deleted");
    const plan = { ...without, ...replyPart(call, nowMs, bytes) };
    return { kind: "save", result: bytes, plan };
  });
}

/** Answers a call for a task that is not there, maybe because the call is a repeat. */
async function answerMissing(
  context: ServiceContext,
  call: Call,
  input: DeleteTaskInput,
  taskNo: number,
): Promise<Uint8Array> {
  const { namespace, taskId, allowMissing } = input;
  const nowMs = context.world.nowMs();
  const { requestId } = call;
  const change = { namespace, taskNo, hour: hourOf(nowMs), requestId, allowWhenFull: true };
  return await context.store.changeTask<Uint8Array>(change, (view) => {
    const replay = replayOf(context, call, view.reply);
    if (replay !== undefined) return { kind: "answer", result: replay };
    if (!allowMissing) throw taskNotFound(taskId);
    const bytes = input.encode();
    const reply = replyPart(call, nowMs, bytes);
    return { kind: "save", result: bytes, task: undefined, ...reply };
  });
}

/** A task that goes from its session. */
export interface Leaving {
  readonly session: Session;
  readonly view: SessionView;
  readonly task: Task;
  readonly nowMs: number;
  readonly call: Call;
}

/** The plan that takes a task away; the next one of its stage, if one waits, is ready then. */
export function planWithout(
  context: ServiceContext,
  { session, view, task, nowMs, call }: Leaving,
  reason: SupersedeReason,
): SessionPlan {
  const { revision } = view;
  const edit = supersede(view.tasks(), new Set([task]), reason, nowMs);
  // A dead one was told of when it died; that it is gone is told all the same.
  const told = isLive(task) ? edit.events : [supersededEvent(task, reason)];
  const origin = { session, revision, nowMs, requestId: call.requestId };
  return {
    // The session was not used: its time to live goes on.
    head: { ...session.head, revision },
    events: newEvents(context, origin, told),
    ...(edit.plan === undefined ? {} : { tasks: edit.plan }),
  };
}

/** Takes a task away whose messages are gone. Does nothing when the lease is lost. */
export async function dropTask(
  context: ServiceContext,
  call: Call,
  taken: TakenTask,
): Promise<void> {
  const { namespace, sessionId, taskNo, lease } = taken;
  const nowMs = context.world.nowMs();
  const target = { namespace, sessionId, allowWhenFull: true };
  await changeSession<void>(context, call, target, (view) => {
    const task = view.tasks().find((one) => one.taskNo === taskNo);
    const { session } = view;
    if (session === undefined || task?.lease?.token !== lease.token) {
      return { kind: "answer", result: undefined };
    }
    const plan = planWithout(context, { session, view, task, nowMs, call }, "messages-changed");
    return { kind: "save", result: undefined, plan };
  });
}
