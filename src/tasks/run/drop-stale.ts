// Check for stale tasks when they are taken: if their messages have left the window meanwhile, a
// hook call would be wasted.

import { liveSession, saved } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import type { Call } from "../../kit/call.ts";
import { AppError } from "../../kit/errors.ts";
import type { SessionHead } from "../../session/rules/session.ts";
import { staleness, superseded } from "../../summary/supersede.ts";
import type { Task } from "../rules/task.ts";
import { settle, usagePart } from "../settle.ts";
import { leaseRefOf, type TakenTask } from "../take-task.ts";

/**
 * Removes a task whose messages are no longer all in the window, as its result would; the stage
 * then requests a summary of the current ones. False when the task is not found stale.
 */
export async function dropStale(
  context: ServiceContext,
  call: Call,
  task: TakenTask,
): Promise<boolean> {
  if (task.summarize.spec.leave !== "with-summary") return false;
  const session = liveSession(context, await context.store.readSession(task));
  if (session === undefined || areThere(session.head, task)) return false;
  const target = { ref: leaseRefOf(task), allowWhenFull: true };
  try {
    const settled = await settle<boolean>(context, call, target, (settling, held) => {
      const reason = staleness(settling, held);
      if (reason === undefined) return { kind: "answer", result: false };
      const outcome = superseded(settling, held, reason, usagePart(held, "nothing"));
      return saved(settling, held.view, { ...outcome, result: true, bytes: undefined });
    });
    return settled.kind === "decided" && settled.result;
  } catch (error) {
    const reason = error instanceof AppError ? error.reason : undefined;
    if (reason !== "TASK_NOT_FOUND" && reason !== "LEASE_LOST") throw error;
    return true;
  }
}

/** Whether the messages of the log that a task was made from are in the window. */
function areThere({ windowRanges }: SessionHead, { summarize }: Task): boolean {
  return summarize.ranges.every(({ first, last }) =>
    windowRanges.some((range) => range.first <= first && range.last >= last),
  );
}
