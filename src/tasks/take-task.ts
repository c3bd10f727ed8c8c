// Taking tasks for the server's calls and for workers: writes a lease and reserves the call's
// tokens in the hourly budget. Taking a task whose lease has ended reports that; the attempt then
// fails before the task goes to another worker.

import { liveSession } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type { Hook } from "../hooks/port.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { leaseLost, taskNotFound } from "../kit/errors.ts";
import type { DueTask, TaskDecision, TaskView } from "../store/store.ts";
import type { ExtendLeaseInput, LeaseRef } from "./api.ts";
import {
  budgetOf,
  expectedTokens,
  hourOf,
  nextHourMs,
  refunded,
  reserved,
} from "./rules/budget.ts";
import {
  extended,
  goingOnFrom,
  leased,
  leaseEnded,
  mayTake,
  released,
  untaken,
} from "./rules/lifecycle.ts";
import {
  isServerWorker,
  SERVER_WORKER,
  serverWorkerOf,
  type Task,
  type TaskLease,
  taskIdOf,
  taskNoOf,
} from "./rules/task.ts";

const TOKEN_BYTES = 16;

/** The worker that takes a task, and the length of its lease. */
export interface Taker {
  readonly hook: Hook;
  readonly worker: string;
  readonly leaseMs: number;
}

/** A task with a lease. */
export type TakenTask = Task & { readonly lease: TaskLease };

/** Outcome of taking a task. */
export type TakeResult =
  | { readonly kind: "taken"; readonly task: TakenTask }
  /** The task is leased, gone or not due. */
  | { readonly kind: "none" }
  /** The hour's budget has no room for the task, which is now due later. */
  | { readonly kind: "budget" }
  /** Another worker's lease has ended, and the attempt must be failed. */
  | { readonly kind: "ended"; readonly task: TakenTask };

/** Names the lease of a task. */
export function leaseRefOf(task: TakenTask): LeaseRef {
  const { namespace, taskNo, lease } = task;
  return { namespace, taskId: taskIdOf(taskNo), leaseToken: lease.token };
}

/** Whether the task is leased. */
export function isTaken(task: Task): task is TakenTask {
  return task.state === "leased" && task.lease !== undefined;
}

/** Takes a task if it is due, in one small transaction. */
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
    // Waiting for the budget is no attempt: the day for retries starts when the wait ends.
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

/** The version of the summary that a task continues; 0 for none. */
async function priorVersionOf(context: ServiceContext, task: Task): Promise<number> {
  if (task.summarize.spec.keep !== "replace") return 0;
  const session = liveSession(context, await context.store.readSession(task));
  return session?.fields.summary?.version ?? 0;
}

/**
 * Returns a lease without a failure: the task is ready again. With `isUntouched` no work has begun,
 * and the call does not count against the budget. Does nothing when the lease is lost.
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

// ExtendLease: a worker extends the lease of its task.

/** Sets a lease to end a time from now, maybe earlier than before. Returns the end. */
export async function extendLease(
  { store, world }: ServiceContext,
  call: Call,
  input: ExtendLeaseInput,
): Promise<number> {
  checkLive(call.signal);
  const { namespace, taskId, leaseToken, leaseMs } = input;
  const taskNo = taskNoOf(taskId);
  if (taskNo === undefined) throw taskNotFound(taskId);
  const nowMs = world.nowMs();
  const untilMs = nowMs + leaseMs;
  // Allowed while the disk is full: the worker would lose its lease and its work.
  const change = { namespace, taskNo, hour: hourOf(nowMs), allowWhenFull: true };
  return await store.changeTask<number>(change, ({ task }) => {
    if (task === undefined) throw taskNotFound(taskId);
    const isHeld = task.lease?.token === leaseToken && !isServerLease(task);
    if (!isHeld || leaseEnded(task, nowMs)) throw leaseLost(taskId);
    return { kind: "save", result: untilMs, task: extended(task, untilMs) };
  });
}
