// CompleteTask and FailTask: what workers bring. Also counts it for ListHooks.

import { taskResultInvalid, taskSuperseded } from "../../domain/errors.ts";
import { type TaskFailureReason, taskNoOf } from "../../domain/tasks/task.ts";
import type { Call } from "../api.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import type { CompleteTaskInput, FailTaskInput, LeaseRef } from "../tasks-api.ts";
import { applyResult } from "./complete-task.ts";
import type { DirectResults } from "./direct-results.ts";
import { isDirectId } from "./direct-task.ts";
import { applyFailure } from "./fail-task.ts";
import type { HookState } from "./hook-state.ts";
import { chance } from "./later.ts";
import type { LeaseWatch } from "./lease-watch.ts";

const NO_MESSAGE = "The worker gave the task back.";

/** What results of workers go through. */
export interface ResultParts {
  readonly context: ServiceContext;
  readonly states: ReadonlyMap<string, HookState>;
  readonly watch: LeaseWatch;
  readonly direct: DirectResults;
}

/** Brings a result. Throws TASK_SUPERSEDED or TASK_RESULT_INVALID when it is of no use. */
export async function completeTask(
  parts: ResultParts,
  call: Call,
  input: CompleteTaskInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { encode, output, ...ref } = input;
  if (isDirectId(ref.taskId)) return parts.direct.complete(call, input);
  if ("kind" in output) return await refuseType(parts, call, ref, output.kind);
  const hook = await hookOf(parts, ref);
  const result = await applyResult(parts.context, call, { ...ref, encode }, output);
  if (result.kind === "replayed") return result.bytes;
  parts.watch.forget(ref.namespace, taskNoOf(ref.taskId) ?? 0);
  if (result.kind === "superseded") throw taskSuperseded(ref.taskId);
  if (result.kind === "failed") {
    const { reason, message: description } = result;
    hook?.failed(reason);
    throw taskResultInvalid(ref.taskId, reason, { field: "summarize", description });
  }
  return bytesOf(result.bytes);
}

/** Gives a task back as failed. */
export async function failTask(
  parts: ResultParts,
  call: Call,
  input: FailTaskInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { encode, permanent, retryDelayMs, message } = input;
  const { namespace, taskId, leaseToken } = input;
  if (isDirectId(taskId)) return parts.direct.fail(call, input);
  const ref = { namespace, taskId, leaseToken };
  const reason: TaskFailureReason = "worker";
  const hook = await hookOf(parts, ref);
  const failure = {
    reason,
    message: message === "" ? NO_MESSAGE : message,
    ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
    counts: true,
    permanent,
    random: chance(parts.context.world),
  };
  const result = await applyFailure(parts.context, call, { ...ref, encode }, failure);
  if (result.kind === "replayed") return result.bytes;
  parts.watch.forget(namespace, taskNoOf(taskId) ?? 0);
  hook?.failed(reason);
  return bytesOf(result.bytes);
}

/** A result of another type than the task is a failed attempt. */
async function refuseType(
  parts: ResultParts,
  call: Call,
  ref: LeaseRef,
  field: string,
): Promise<never> {
  const reason: TaskFailureReason = "invalid-output";
  const description = "The result is not of the type of the task.";
  const hook = await hookOf(parts, ref);
  const random = chance(parts.context.world);
  const failure = { reason, message: description, counts: true, permanent: false, random };
  await applyFailure(parts.context, call, ref, failure);
  parts.watch.forget(ref.namespace, taskNoOf(ref.taskId) ?? 0);
  hook?.failed(reason);
  throw taskResultInvalid(ref.taskId, reason, { field, description });
}

/** The hook of a task, for counting; undefined when the task is gone. */
async function hookOf(
  { context, states }: ResultParts,
  { namespace, taskId }: LeaseRef,
): Promise<HookState | undefined> {
  const taskNo = taskNoOf(taskId);
  const task = taskNo === undefined ? undefined : await context.store.readTask(namespace, taskNo);
  return task === undefined ? undefined : states.get(task.hook);
}

function bytesOf(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error("The answer of a worker's call was not made.");
  return bytes;
}
