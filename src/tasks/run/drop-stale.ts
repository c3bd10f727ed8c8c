// Finds out when a task is taken that its messages have left the window meanwhile: a hook that is
// asked for them is paid for nothing.

import { AppError } from "../../domain/errors.ts";
import type { SessionHead } from "../../domain/session.ts";
import type { Task } from "../../domain/tasks/task.ts";
import type { Call } from "../api.ts";
import { liveSession } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { saved, settle, usagePart } from "./settle.ts";
import { staleness, superseded } from "./supersede.ts";
import { leaseRefOf, type TakenTask } from "./take-task.ts";

/**
 * Takes a task away whose messages are not all in the window any more, as a result of it would; the
 * stage then asks for what is there. False when the task is to be done, or not to be found stale.
 */
export async function dropStale(
  context: ServiceContext,
  call: Call,
  task: TakenTask,
): Promise<boolean> {
  if (task.summarize.spec.leave !== "with-summary") return false;
  const session = liveSession(context, await context.store.readSession(task));
  if (session === undefined || areThere(session.head, task)) return false;
  const target = { ref: leaseRefOf(task), allowWhenFull: true, needWindow: true };
  try {
    const settled = await settle<boolean>(context, call, target, (settling, held) => {
      const reason = staleness(settling, held);
      if (reason === undefined) return { kind: "answer", result: false };
      const outcome = superseded(settling, held, reason, usagePart(held, "nothing"));
      return saved(settling, held, { ...outcome, result: true, bytes: undefined });
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
