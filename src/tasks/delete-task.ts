// DeleteTask: removes a task that is no longer wanted. Its messages stay where they are.

import { changeSession, replayOf, replyPart, type Saving, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type { SupersedeReason } from "../events/rules/event.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { taskNotFound } from "../kit/errors.ts";
import type { Session } from "../session/rules/session.ts";
import type { SessionView } from "../store/store.ts";
import type { DeleteTaskInput } from "./api.ts";
import { deleteMemoryTask, type MemoryTaskParts } from "./memory-tasks.ts";
import { hourOf } from "./rules/budget.ts";
import { isLive, isMemoryTaskNo, type Task, taskNoOf } from "./rules/task.ts";
import type { TakenTask } from "./take-task.ts";
import { supersede, supersededEvent } from "./task-edits.ts";

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
    // The task went with its session meanwhile, or another call deleted it.
    if (session === undefined || task === undefined) return { kind: "answer", result: undefined };
    const bytes = input.encode();
    const leaving = withoutTask(view, { session, task, nowMs }, "deleted");
    return saved({ context, call, nowMs }, view, { ...leaving, result: bytes, bytes });
  });
}

/** Answers a call for a missing task; the call may be a repeat. */
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

/** Removes a task from its session; the next waiting task of its stage becomes ready. */
export function withoutTask(
  view: SessionView,
  leaving: { readonly session: Session; readonly task: Task; readonly nowMs: number },
  reason: SupersedeReason,
): Pick<Saving<never>, "session" | "plan" | "details"> {
  const { session, task, nowMs } = leaving;
  const { events, plan } = supersede(view.tasks(), new Set([task]), reason, nowMs);
  // The session was not used: its time to live is not renewed.
  const head = { ...session.head, revision: view.revision };
  return {
    session,
    plan: plan === undefined ? { head } : { head, tasks: plan },
    // The death of a dead task has its event already; its removal gets one too.
    details: isLive(task) ? events : [supersededEvent(task, reason)],
  };
}

/** Removes a task whose messages are gone. Does nothing when the lease is lost. */
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
    const leaving = withoutTask(view, { session, task, nowMs }, "messages-changed");
    const saving = { ...leaving, result: undefined, bytes: undefined };
    return saved({ context, call, nowMs }, view, saving);
  });
}
