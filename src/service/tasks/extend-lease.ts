// ExtendLease: a worker keeps its task for longer.

import { leaseLost, taskNotFound } from "../../domain/errors.ts";
import { hourOf } from "../../domain/tasks/budget.ts";
import { extended, leaseEnded } from "../../domain/tasks/lifecycle.ts";
import { taskNoOf } from "../../domain/tasks/task.ts";
import type { Call } from "../api.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import type { ExtendLeaseInput } from "../tasks-api.ts";
import { isServerLease } from "./take-task.ts";

/** Makes a lease last from now on for a time, and gives when it ends. It may end earlier then. */
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
  // A worker that cannot keep its task while the disk is full would do it in vain.
  const change = { namespace, taskNo, hour: hourOf(nowMs), allowWhenFull: true };
  return await store.changeTask<number>(change, ({ task }) => {
    if (task === undefined) throw taskNotFound(taskId);
    const isHeld = task.lease?.token === leaseToken && !isServerLease(task);
    if (!isHeld || leaseEnded(task, nowMs)) throw leaseLost(taskId);
    return { kind: "save", result: untilMs, task: extended(task, untilMs) };
  });
}
