// CompleteTask, FailTask and ExtendLease for tasks that somebody waits for. Their answers are
// remembered in memory, so that a repeat gets the one that was given.

import { taskResultInvalid } from "../../domain/errors.ts";
import type { StoredReply } from "../../storage/store.ts";
import type { Call } from "../api.ts";
import { replayOf, replyPart } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { HookFailure } from "../hook-port.ts";
import type { CompleteTaskInput, FailTaskInput, LeaseRef } from "../tasks-api.ts";
import type { DirectTasks } from "./direct-tasks.ts";
import type { HookState } from "./hook-state.ts";

/** Answers that are remembered. */
const REPLIES_MAX = 10_000;
const NO_MESSAGE = "The worker gave the task back.";

/** What results go through. */
interface Parts {
  readonly context: ServiceContext;
  readonly direct: DirectTasks;
  readonly states: ReadonlyMap<string, HookState>;
}

/** What workers bring for tasks that somebody waits for. */
export class DirectResults {
  readonly #parts: Parts;
  readonly #replies = new Map<string, StoredReply>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Brings a result. Throws TASK_RESULT_INVALID when it is of no use. */
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

  /** Gives a task back as failed. */
  fail(call: Call, input: FailTaskInput): Uint8Array {
    const { namespace, taskId, leaseToken, permanent, retryDelayMs, encode } = input;
    const ref = { namespace, taskId, leaseToken };
    return this.#once(call, ref, (hook) => {
      const message = input.message === "" ? NO_MESSAGE : input.message;
      const failure = { reason: "worker", message, permanent, retryDelayMs } as const;
      const dueMs = this.#parts.direct.fail(ref, failure);
      hook?.failed(failure.reason);
      return encode({ state: dueMs === undefined ? "dead" : "ready", dueMs: dueMs ?? 0 });
    });
  }

  /** Gives the answer of an earlier call with the same request id, or makes it. */
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
