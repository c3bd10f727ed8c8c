// One call of a hook for a task, from reading what it gets to applying what it gave. Never throws:
// whatever happens, the task is done, failed, given back, or its lease ends.

import { AppError } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { SummaryOutput } from "../../domain/summaries/summary.ts";
import type { CallPass } from "../../domain/tasks/breaker.ts";
import type { TaskFailureReason } from "../../domain/tasks/task.ts";
import { taskIdOf } from "../../domain/tasks/task.ts";
import type { ServiceContext } from "../context.ts";
import { HookFailure, type SummarizeInput } from "../hook-port.ts";
import { applyResult } from "./complete-task.ts";
import { dropTask } from "./delete-task.ts";
import { dropStale } from "./drop-stale.ts";
import { applyFailure } from "./fail-task.ts";
import type { HookState } from "./hook-state.ts";
import { chance, later, pause } from "./later.ts";
import { readInputs } from "./read-inputs.ts";
import { serverCall } from "./server-call.ts";
import { giveBack, leaseRefOf, type TakenTask } from "./take-task.ts";

/** How long an answer is kept that the store does not take, for example because it is full. */
const HOLD_MS = 60_000;
const RETRY_MS = 1_000;
/** How much longer than its own timeout a hook may take before its call is given up. */
const GUARD_MS = 5_000;

/** How long the server's own lease of a task lasts: the call, and the time an answer is kept. */
export function serverLeaseMs(timeoutMs: number): number {
  return timeoutMs + GUARD_MS + HOLD_MS + GUARD_MS;
}

/** What a call works with. */
export interface HookRun {
  readonly context: ServiceContext;
  readonly state: HookState;
  /** Aborted when the server stops. */
  readonly stop: AbortSignal;
  /** Hears of faults of the server, never of the hook. */
  readonly onError: (error: unknown) => void;
}

/** The server stops: the call is given up and its task given back. */
class Stopped extends Error {
  override readonly name = "Stopped";
}

/** Does a task that was taken for the server. */
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
    if (error instanceof Stopped) {
      state.abandoned(pass);
      await settle(run, task, () => giveBack(run.context, task, false));
      return;
    }
    const failure = failureOf(error);
    state.callFailed(pass, failure);
    return await fail(run, task, failure, pass !== "trial" && isOwnFault(failure.reason));
  }
  state.answered(pass);
  await complete(run, task, output);
}

/** The call of the hook, which ends when the server stops or the hook forgets its own timeout. */
async function guarded(
  run: HookRun,
  task: TakenTask,
  input: SummarizeInput,
): Promise<SummaryOutput> {
  const { context, state, stop } = run;
  const { summarize, settings } = state.hook;
  if (summarize === undefined) throw new Error("A hook is called that has no function.");
  if (stop.aborted) throw new Stopped();
  const call = new AbortController();
  const { namespace, sessionId, taskNo, callCount } = task;
  const ref = { taskId: taskIdOf(taskNo), namespace, sessionId, attempt: callCount };
  let release = (): void => {};
  const over = new Promise<never>((_, reject) => {
    const onStop = (): void => reject(new Stopped());
    const onLate = (): void => reject(new HookFailure("timeout", "The hook took too long."));
    const cancel = later(context.world, onLate, settings.timeoutMs + GUARD_MS);
    stop.addEventListener("abort", onStop, { once: true });
    release = () => {
      cancel();
      stop.removeEventListener("abort", onStop);
    };
  });
  const answer = async (): Promise<SummaryOutput> =>
    await summarize({ ...ref, signal: call.signal }, input);
  try {
    return await Promise.race([answer(), over]);
  } finally {
    release();
    call.abort();
  }
}

/** What a hook threw, as a failure. What else it says is not kept: it may be content. */
function failureOf(error: unknown): HookFailure {
  if (error instanceof HookFailure) return error;
  return new HookFailure("hook-error", "The hook failed.");
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
  // A fault of the server's own counts as well: else the hook would be called for it for ever.
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
      ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
      counts,
      permanent: reason === "refused",
      random: chance(run.context.world),
    });
  });
}

/**
 * Brings what came of a call into the store. While the store is full or overloaded it is tried
 * again for a minute. A task that is gone or in other hands wants nothing any more. False when it
 * failed by a fault that trying again does not help.
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

/** Whether a failure says that nobody wants the result any more. */
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

/** Whether trying again may help. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { reason } = error;
  return reason === "STORE_FULL" || reason === "SHUTTING_DOWN" || reason === "OVERLOADED";
}
