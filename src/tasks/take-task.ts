// Takes tasks, for the server's own calls and for workers: a lease is written, with what the budget
// of the hour reserves for the call. Whoever finds a lease that has ended says so; the task is then
// failed before it is given to anybody else.

import {
  budgetOf,
  expectedTokens,
  hourOf,
  nextHourMs,
  refunded,
  reserved,
} from "../../domain/tasks/budget.ts";
import {
  goingOnFrom,
  leased,
  leaseEnded,
  mayTake,
  released,
  untaken,
} from "../../domain/tasks/lifecycle.ts";
import {
  isServerWorker,
  SERVER_WORKER,
  serverWorkerOf,
  type Task,
  type TaskLease,
  taskIdOf,
} from "../../domain/tasks/task.ts";
import type { DueTask, TaskDecision, TaskView } from "../../storage/store.ts";
import { liveSession } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import type { Hook } from "../hook-port.ts";
import type { LeaseRef } from "../tasks-api.ts";

const TOKEN_BYTES = 16;

/** Who takes a task, and for how long. */
export interface Taker {
  readonly hook: Hook;
  readonly worker: string;
  readonly leaseMs: number;
}

/** A task in somebody's hands. */
export type TakenTask = Task & { readonly lease: TaskLease };

/** What came of taking a task. */
export type TakeResult =
  | { readonly kind: "taken"; readonly task: TakenTask }
  /** Somebody else has it, or it is gone or not due. */
  | { readonly kind: "none" }
  /** The hour has no room for it; it is due later now. */
  | { readonly kind: "budget" }
  /** The lease of somebody else has ended, and the task must be failed. */
  | { readonly kind: "ended"; readonly task: TakenTask };

/** Names the lease of a task. */
export function leaseRefOf(task: TakenTask): LeaseRef {
  const { namespace, taskNo, lease } = task;
  return { namespace, taskId: taskIdOf(taskNo), leaseToken: lease.token };
}

/** Whether somebody has the task. */
export function isTaken(task: Task): task is TakenTask {
  return task.state === "leased" && task.lease !== undefined;
}

/** Takes a task if it is due. Does no more than one small transaction. */
export async function takeTask(
  context: ServiceContext,
  due: Pick<DueTask, "namespace" | "taskNo">,
  taker: Taker,
): Promise<TakeResult> {
  const { namespace, taskNo } = due;
  const known = await context.store.readTask(namespace, taskNo);
  if (known === undefined || known.hook !== taker.hook.name) return { kind: "none" };
  // Messages may join the task until it is taken; they are not waited for, and not refused. A
  // summary that is replaced after this makes the result stale, as one that is replaced later.
  const priorVersion = await priorVersionOf(context, known);
  const nowMs = context.world.nowMs();
  const token = Buffer.from(context.world.random(TOKEN_BYTES)).toString("base64url");
  const change = { namespace, taskNo, hour: hourOf(nowMs) };
  return await context.store.changeTask<TakeResult>(change, (view) =>
    decideTake({ taker, priorVersion, nowMs, token }, view),
  );
}

interface Attempt {
  readonly taker: Taker;
  readonly priorVersion: number;
  readonly nowMs: number;
  readonly token: string;
}

function decideTake(attempt: Attempt, { task, usage }: TaskView): TaskDecision<TakeResult> {
  const { taker, priorVersion, nowMs, token } = attempt;
  if (task === undefined) return { kind: "answer", result: { kind: "none" } };
  if (leaseEnded(task, nowMs) && isTaken(task)) {
    return { kind: "answer", result: { kind: "ended", task } };
  }
  if (!mayTake(task, nowMs)) return { kind: "answer", result: { kind: "none" } };
  const { settings } = taker.hook;
  const reservedTokens = expectedTokens(task.summarize, settings.inputTokensMax);
  if (budgetOf(settings, usage, reservedTokens) === "wait") {
    const dueMs = nextHourMs(nowMs, task.taskNo);
    // What waits for its budget is not tried: its day begins when it is.
    const later = { ...released(task, dueMs), retryMs: dueMs };
    return { kind: "save", result: { kind: "budget" }, task: later };
  }
  const { worker, leaseMs } = taker;
  const hour = hourOf(nowMs);
  const taken = leased(goingOnFrom(task, priorVersion), {
    token,
    worker,
    nowMs,
    leaseMs,
    priorVersion,
    reservedTokens,
    hour,
  });
  if (!isTaken(taken)) throw new Error("A task that was taken has no lease.");
  return {
    kind: "save",
    result: { kind: "taken", task: taken },
    task: taken,
    usage: reserved(usage, reservedTokens),
  };
}

/** The version of the summary that a task goes on from; 0 when it goes on from none. */
async function priorVersionOf(context: ServiceContext, task: Task): Promise<number> {
  if (task.summarize.spec.keep !== "replace") return 0;
  const session = liveSession(context, await context.store.readSession(task));
  return session?.fields.summary?.version ?? 0;
}

/**
 * Gives a lease back, without a failure: the task is ready again. With `isUntouched` nobody has
 * begun, and the call is not counted against the budget either. Does nothing when the lease is
 * lost.
 */
export async function giveBack(
  context: ServiceContext,
  task: TakenTask,
  isUntouched: boolean,
): Promise<void> {
  const { namespace, taskNo, lease } = task;
  const nowMs = context.world.nowMs();
  const change = { namespace, taskNo, hour: lease.hour, allowWhenFull: true };
  await context.store.changeTask<void>(change, (view) => {
    if (view.task?.lease?.token !== lease.token) return { kind: "answer", result: undefined };
    if (!isUntouched) return { kind: "save", result: undefined, task: released(view.task, nowMs) };
    return {
      kind: "save",
      result: undefined,
      task: untaken(view.task, nowMs),
      usage: refunded(view.usage, lease.reservedTokens),
    };
  });
}

/** Whether a lease is one of the server, of whatever instance and run of it. */
export function isServerLease({ lease }: Task): boolean {
  return lease !== undefined && isServerWorker(lease.worker);
}

/** Whether a lease is one of this instance of the server, of whatever run of it. */
export function isOwnLease({ store }: Pick<ServiceContext, "store">, { lease }: Task): boolean {
  return lease?.worker === SERVER_WORKER || lease?.worker === serverWorkerOf(store.instanceId);
}
