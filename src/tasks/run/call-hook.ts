// One call of a hook for a task, from reading its input to applying its output. Never throws: in
// the end the task is done, failed or returned, or its lease ends.

import type { ServiceContext } from "../../core/context.ts";
import {
  asHookFailure,
  GUARD_MS,
  type HookState,
  inTime,
  isPassing,
} from "../../hooks/hook-state.ts";
import { HookFailure, type SummarizeInput } from "../../hooks/port.ts";
import { serverCall } from "../../kit/call.ts";
import { AppError, type TaskFailureReason } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { pause } from "../../kit/world.ts";
import { readInputs } from "../../summary/read-inputs.ts";
import type { SummaryOutput } from "../../summary/rules/summary.ts";
import { dropTask } from "../delete-task.ts";
import type { CallPass } from "../rules/breaker.ts";
import { taskIdOf } from "../rules/task.ts";
import { giveBack, leaseRefOf, type TakenTask } from "../take-task.ts";
import { applyResult } from "./complete-task.ts";
import { dropStale } from "./drop-stale.ts";
import { applyFailure } from "./fail-task.ts";

/** Time for which an answer is kept while the store refuses it, for example because it is full. */
const HOLD_MS = 60_000;
const RETRY_MS = 1_000;

/** Length of the server's lease of a task: the call, and the time an answer is kept. */
export function serverLeaseMs(timeoutMs: number): number {
  return timeoutMs + GUARD_MS + HOLD_MS + GUARD_MS;
}

/** Dependencies of a call. */
export interface HookRun {
  readonly context: ServiceContext;
  readonly state: HookState;
  /** Aborted when the server stops. */
  readonly stop: AbortSignal;
  /** Called for faults of the server, never of the hook. */
  readonly onError: (error: unknown) => void;
}

/** Runs a task that was taken for the server. */
export async function callHook(run: HookRun, task: TakenTask, pass: CallPass): Promise<void> {
  const { state } = run;
  state.begin(pass);
  let input: SummarizeInput | undefined;
  try {
    if (await dropStale(run.context, serverCall(), task)) return state.abandoned(pass);
    input = await readInputs(run.context, task, state.hook.settings.inputTokensMax);
  } catch (error) {
    state.abandoned(pass);
    run.onError(error);
    const message = "The messages of the task cannot be read.";
    return await fail(run, task, new HookFailure("hook-error", message), true);
  }
  if (input === undefined) {
    state.abandoned(pass);
    await settle(run, task, () => dropTask(run.context, serverCall(), task));
    return;
  }
  let output: SummaryOutput;
  try {
    output = await guarded(run, task, input);
  } catch (error) {
    if (run.stop.aborted) {
      state.abandoned(pass);
      await settle(run, task, () => giveBack(run.context, task, false));
      return;
    }
    const failure = asHookFailure(error);
    state.callFailed(pass, failure);
    return await fail(run, task, failure, pass !== "trial" && isOwnFault(failure.reason));
  }
  state.answered(pass);
  await complete(run, task, output);
}

/** The call of the hook. Ends when the server stops or the hook overruns its timeout. */
async function guarded(
  run: HookRun,
  task: TakenTask,
  input: SummarizeInput,
): Promise<SummaryOutput> {
  const { context, state, stop: signal } = run;
  const { summarize, settings } = state.hook;
  if (summarize === undefined) throw new Error("A hook is called that has no function.");
  const { namespace, sessionId, taskNo, callCount: attempt } = task;
  const call = { taskId: taskIdOf(taskNo), namespace, sessionId, attempt, signal };
  const limit = { world: context.world, timeoutMs: settings.timeoutMs + GUARD_MS };
  return await inTime(call, limit, (timed) => summarize(timed, input));
}

/** Whether a failure may be the fault of the task, so that it uses up an attempt. */
function isOwnFault(reason: TaskFailureReason): boolean {
  return reason !== "unreachable" && reason !== "busy" && reason !== "no-hook";
}

async function complete(run: HookRun, task: TakenTask, output: SummaryOutput): Promise<void> {
  const isSettled = await settle(run, task, async () => {
    const result = await applyResult(run.context, serverCall(), leaseRefOf(task), output);
    if (result.kind === "failed") run.state.failed(result.reason);
  });
  if (isSettled) return;
  // A fault of the server counts as well: otherwise the hook would be called for it forever.
  run.state.failed("hook-error");
  await fail(run, task, new HookFailure("hook-error", "The result cannot be applied."), true);
}

async function fail(
  run: HookRun,
  task: TakenTask,
  { reason, message, retryDelayMs }: HookFailure,
  counts: boolean,
): Promise<void> {
  await settle(run, task, async () => {
    await applyFailure(run.context, serverCall(), leaseRefOf(task), {
      reason,
      message: Buffer.from(message).subarray(0, LIMITS.taskFailureBytes).toString(),
      retryDelayMs,
      counts,
      permanent: reason === "refused",
    });
  });
}

/**
 * Saves the outcome of a call. While the store is full or overloaded, retries for a minute. Does
 * nothing for a task that is gone or leased to another. False after a fault that a retry does not
 * help.
 */
async function settle(run: HookRun, task: TakenTask, apply: () => Promise<void>): Promise<boolean> {
  const { context, stop } = run;
  const endMs = context.world.nowMs() + HOLD_MS;
  for (;;) {
    try {
      await apply();
      return true;
    } catch (error) {
      if (isOver(error)) return true;
      if (!isPassing(error)) {
        run.onError(error);
        return false;
      }
      const isLate = context.world.nowMs() >= endMs;
      if (!isLate && (await pause(context.world, RETRY_MS, stop))) continue;
      await giveBack(context, task, false).catch(() => {});
      return true;
    }
  }
}

/** Whether a failure means that the result is no longer wanted. */
function isOver(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { reason } = error;
  return (
    reason === "TASK_NOT_FOUND" ||
    reason === "LEASE_LOST" ||
    reason === "TASK_SUPERSEDED" ||
    reason === "SESSION_NOT_FOUND"
  );
}
