// What the process before this one left: its own calls are over, and workers go on with theirs.

import { LIMITS } from "../../domain/limits.ts";
import type { ServiceContext } from "../context.ts";
import { isPassing, serverLeaseMs } from "./call-hook.ts";
import type { LeaseWatch } from "./lease-watch.ts";
import { giveBack, isOwnLease, isTaken } from "./take-task.ts";

/** Tasks of one hook that are looked at. More leases than this are found when they end. */
const SCAN_MAX = 10_000;

/**
 * Frees the tasks of calls that the last run of this instance of the server had under way, without
 * a failure, and watches over those that workers and other instances have. What cannot be read is
 * left to those who find it later.
 */
export async function recoverLeases(
  context: ServiceContext,
  watch: LeaseWatch,
  onError: (error: unknown) => void,
): Promise<void> {
  for (const hook of context.hooks.byName.values()) {
    const longestMs =
      hook.summarize === undefined ? LIMITS.leaseMsMax : serverLeaseMs(hook.settings.timeoutMs);
    const due = await context.store.dueTasks({
      hook: hook.name,
      nowMs: context.world.nowMs() + longestMs,
      limit: SCAN_MAX,
      perNamespace: SCAN_MAX,
    });
    for (const { namespace, taskNo } of due) {
      try {
        const task = await context.store.readTask(namespace, taskNo);
        if (task === undefined || !isTaken(task)) continue;
        if (isOwnLease(context, task)) await giveBack(context, task, false);
        else watch.watch(namespace, taskNo, task.dueMs);
      } catch (error) {
        if (!isPassing(error)) onError(error);
      }
    }
  }
}
