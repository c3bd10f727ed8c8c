// CompleteTask, FailTask and ExtendLease for direct tasks. Their answers are kept in memory, so a
// repeated call gets the same answer.

import { replayOf, replyPart } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import type { HookState } from "../../hooks/hook-state.ts";
import { HookFailure } from "../../hooks/port.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { type TaskFailureReason, taskResultInvalid, taskSuperseded } from "../../kit/errors.ts";
import type { StoredReply } from "../../store/store.ts";
import type { CompleteTaskInput, FailTaskInput, LeaseRef } from "../api.ts";
import { taskNoOf } from "../rules/task.ts";
import { applyResult } from "./complete-task.ts";
import { type DirectTasks, isDirectId } from "./direct-tasks.ts";
import { applyFailure } from "./fail-task.ts";
import type { LeaseWatch } from "./lease-watch.ts";

/** Most answers that are kept. */
const REPLIES_MAX = 10_000;
const NO_MESSAGE = "The worker returned the task.";

/** Dependencies of the results of direct tasks. */
interface Parts {
  readonly context: ServiceContext;
  readonly direct: DirectTasks;
  readonly states: ReadonlyMap<string, HookState>;
}

/** Results of workers for direct tasks, which a caller waits for. */
export class DirectResults {
  readonly #parts: Parts;
  readonly #replies = new Map<string, StoredReply>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Accepts a result. Throws TASK_RESULT_INVALID when it is invalid. */
  complete(call: Call, { output, encode, ...ref }: CompleteTaskInput): Uint8Array {
    return this.#once(call, ref, (hook) => {
      try {
        this.#parts.direct.complete(ref, "kind" in output ? output : undefined);
      } catch (error) {
        if (!(error instanceof HookFailure)) throw error;
        hook?.failed(error.reason);
        const field = "kind" in output ? output.kind : "summarize";
        throw taskResultInvalid(ref.taskId, error.reason, { field, description: error.message });
      }
      return encode({ revision: 0, summaryVersion: 0, continues: false });
    });
  }

  /** Fails a task. */
  fail(call: Call, input: FailTaskInput): Uint8Array {
    const { namespace, taskId, leaseToken, permanent, retryDelayMs, encode } = input;
    const ref = { namespace, taskId, leaseToken };
    return this.#once(call, ref, (hook) => {
      const message = input.message || NO_MESSAGE;
      const failure = { reason: "worker", message, permanent, retryDelayMs } as const;
      const dueMs = this.#parts.direct.fail(ref, failure);
      hook?.failed(failure.reason);
      return encode({ state: dueMs === undefined ? "dead" : "ready", dueMs: dueMs ?? 0 });
    });
  }

  /** Returns the answer of an earlier call with the same request id, or makes it. */
  #once(call: Call, ref: LeaseRef, make: (hook: HookState | undefined) => Uint8Array): Uint8Array {
    const { context, direct, states } = this.#parts;
    const key = `${ref.namespace} ${call.requestId}`;
    const replay = replayOf(context, call, this.#replies.get(key));
    if (replay !== undefined) return replay;
    const bytes = make(states.get(direct.hookOf(ref)));
    const { reply } = replyPart(call, context.world.nowMs(), bytes);
    if (reply !== undefined) this.#remember(key, reply);
    return bytes;
  }

  #remember(key: string, reply: StoredReply): void {
    this.#replies.delete(key);
    const [oldest] = this.#replies.keys();
    if (this.#replies.size >= REPLIES_MAX && oldest !== undefined) this.#replies.delete(oldest);
    this.#replies.set(key, reply);
  }
}

// CompleteTask and FailTask: results of workers, also counted for ListHooks.

/** Dependencies of the results of workers. */
export interface ResultParts {
  readonly context: ServiceContext;
  readonly states: ReadonlyMap<string, HookState>;
  readonly watch: LeaseWatch;
  readonly direct: DirectResults;
}

/** Accepts a result. Throws TASK_SUPERSEDED or TASK_RESULT_INVALID when it is unusable. */
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

/** Fails a task. */
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
  const failure = { reason, message: message || NO_MESSAGE, retryDelayMs, permanent };
  const result = await applyFailure(parts.context, call, { ...ref, encode }, failure);
  if (result.kind === "replayed") return result.bytes;
  parts.watch.forget(namespace, taskNoOf(taskId) ?? 0);
  hook?.failed(reason);
  return bytesOf(result.bytes);
}

/** Fails the attempt when the result has another type than the task. */
async function refuseType(
  parts: ResultParts,
  call: Call,
  ref: LeaseRef,
  field: string,
): Promise<never> {
  const reason: TaskFailureReason = "invalid-output";
  const description = "The result has a different type than the task.";
  const hook = await hookOf(parts, ref);
  await applyFailure(parts.context, call, ref, { reason, message: description });
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
