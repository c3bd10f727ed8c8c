// RetryTask: makes a task ready now, with all its attempts.
//
// A dead task is made ready only while its inputs are still there: when its messages were dropped
// or replaced by a placeholder, a summary of them has no place in the window. Such a task goes
// and is reported as superseded. A task whose messages left the window at once is always retried,
// since its summary goes beside the window.

import { type Changing, changeSession, replayOf, replyPart, saved } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { canSummarize } from "../../hooks/port.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { hookNotConfigured, taskNotFound, taskSuperseded } from "../../kit/errors.ts";
import type { Session } from "../../session/rules/session.ts";
import type { SessionDecision, SessionView, TaskDecision } from "../../store/store.ts";
import { requestedEvent } from "../../summary/making.ts";
import { containsSeq } from "../../window/rules/ranges.ts";
import type { RetryTaskInput } from "../api.ts";
import { withoutTask } from "../delete-task.ts";
import { taskInfo } from "../list-tasks.ts";
import { type MemoryTaskParts, retryMemoryTask } from "../memory-tasks.ts";
import { hourOf } from "../rules/budget.ts";
import { readyAgain } from "../rules/lifecycle.ts";
import { isLive, isMemoryTaskNo, type Task, taskNoOf } from "../rules/task.ts";

/** The state of the task needs the other kind of change. */
const OTHER = Symbol("other");
/** The inputs of the task are gone. */
const GONE = Symbol("gone");

interface Retrying extends Changing {
  readonly input: RetryTaskInput;
  readonly taskNo: number;
}

/** Makes a task ready now. */
export async function retryTask(
  parts: MemoryTaskParts,
  call: Call,
  input: RetryTaskInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { context } = parts;
  const { namespace, taskId } = input;
  const taskNo = taskNoOf(taskId);
  if (taskNo === undefined) throw taskNotFound(taskId);
  if (isMemoryTaskNo(taskNo)) return await retryMemoryTask(parts, call, input, taskNo);
  const retrying = { context, call, input, taskNo, nowMs: context.world.nowMs() };
  for (;;) {
    const bytes = await retryLive(retrying);
    if (bytes !== OTHER) return bytes;
    const known = await context.store.readTask(namespace, taskNo);
    if (known === undefined) throw taskNotFound(taskId);
    const target = { namespace, sessionId: known.sessionId };
    const result = await changeSession<Uint8Array | typeof OTHER | typeof GONE>(
      context,
      call,
      target,
      (view) => decideDead(retrying, view),
    );
    if (result === GONE)
      throw taskSuperseded(taskId, "The work of the task is already done or obsolete.");
    if (result !== OTHER) return result;
  }
}

/** Makes a resting task ready now. A leased or waiting task is left unchanged. */
async function retryLive(retrying: Retrying): Promise<Uint8Array | typeof OTHER> {
  const { context, call, input, taskNo, nowMs } = retrying;
  const { namespace, taskId } = input;
  const change = { namespace, taskNo, hour: hourOf(nowMs), requestId: call.requestId };
  return await context.store.changeTask<Uint8Array | typeof OTHER>(
    change,
    ({ task, reply }): TaskDecision<Uint8Array | typeof OTHER> => {
      const replay = replayOf(context, call, reply);
      if (replay !== undefined) return { kind: "answer", result: replay };
      if (task === undefined) throw taskNotFound(taskId);
      if (!isLive(task)) return { kind: "answer", result: OTHER };
      checkHook(context, task);
      const next = task.state === "ready" ? readyAgain(task, nowMs) : task;
      const bytes = input.encode(taskInfo(context, next));
      return { kind: "save", result: bytes, task: next, ...replyPart(call, nowMs, bytes) };
    },
  );
}

function decideDead(
  retrying: Retrying,
  view: SessionView,
): SessionDecision<Uint8Array | typeof OTHER | typeof GONE> {
  const { context, input, taskNo, nowMs } = retrying;
  const { session, revision } = view;
  const tasks = view.tasks();
  const task = tasks.find((one) => one.taskNo === taskNo);
  if (session === undefined || task === undefined) throw taskNotFound(input.taskId);
  if (isLive(task)) return { kind: "answer", result: OTHER };
  checkHook(context, task);
  if (task.summarize.spec.leave === "with-summary" && !inWindow(session, task)) {
    const leaving = withoutTask(view, { session, task, nowMs }, "messages-changed");
    return saved(retrying, view, { ...leaving, result: GONE, bytes: undefined });
  }
  const isBehind = tasks.some((one) => one.stage === task.stage && isLive(one));
  const next = readyAgain(task, nowMs, isBehind);
  const bytes = input.encode(taskInfo(context, next));
  const plan = { head: { ...session.head, revision }, tasks: { put: [next] } };
  const details = [requestedEvent(next)];
  return saved(retrying, view, { result: bytes, session, plan, details, bytes });
}

function checkHook({ hooks }: ServiceContext, { hook }: Task): void {
  if (!canSummarize(hooks, hook)) throw hookNotConfigured(hook);
}

/** Whether all inputs of a task are in the window. */
function inWindow({ head, fields }: Session, { summarize }: Task): boolean {
  const ids = new Set(fields.inserts.map(({ messageId }) => messageId));
  if (!summarize.made.every(({ messageId }) => ids.has(messageId))) return false;
  for (const { first, last } of summarize.ranges) {
    for (let seq = first; seq <= last; seq++) {
      if (!containsSeq(head.windowRanges, seq)) return false;
    }
  }
  return true;
}
