// One attempt of a job on memories: the hook is asked, and what it says is applied in one change of
// the session, unless the job was given up meanwhile or its messages have changed.

import { AppError } from "../../domain/errors.ts";
import { EVENT_TYPE, type EventDetail } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import {
  hookOfJob,
  MEMORY_JOB_ATTEMPTS,
  type MemoryJob,
  taskNoOfJob,
} from "../../domain/memories/job.ts";
import { takeFromJob } from "../../domain/memories/job-changes.ts";
import type { Session, SessionRef } from "../../domain/session.ts";
import { backoffMs } from "../../domain/tasks/backoff.ts";
import { type TaskFailureReason, taskIdOf } from "../../domain/tasks/task.ts";
import type { SessionDecision, SessionPlan } from "../../storage/store.ts";
import { changeSession, liveSession } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { HookFailure } from "../hook-port.ts";
import { newEvents } from "../new-events.ts";
import { chance } from "../tasks/later.ts";
import { serverCall } from "../tasks/server-call.ts";
import { changedSince } from "./extract.ts";
import { type JobBatch, readBatch } from "./job-batch.ts";
import type { JobAt, JobHooks } from "./job-hooks.ts";

/** What an attempt works with. */
export interface JobParts {
  readonly context: ServiceContext;
  readonly hooks: JobHooks;
}

/** A job as it was taken. */
export interface TakenJob {
  readonly ref: SessionRef;
  readonly job: MemoryJob;
}

/**
 * How an attempt ended. `stale`: the job is another one by now. `busy`: the hook could not be
 * asked, which uses up no attempt.
 */
export type JobEnd = "done" | "failed" | "stale" | "busy" | "gone";

/** Makes one attempt. Throws what is no fault of the hook. */
export async function runJob(
  parts: JobParts,
  taken: TakenJob,
  signal: AbortSignal,
): Promise<JobEnd> {
  const { context, hooks } = parts;
  const session = liveSession(context, await context.store.readSession(taken.ref));
  if (session === undefined) return "gone";
  const batch = await readBatch(context, taken.ref, taken.job);
  let found: Found;
  try {
    found = await hooks.ask({ session, job: taken.job, messages: batch.messages, signal });
  } catch (error) {
    if (signal.aborted) return "stale";
    if (!(error instanceof HookFailure)) throw error;
    if (error.reason === "busy") return "busy";
    return await fail(parts, taken, batch, error);
  }
  try {
    return await apply(parts, taken, batch, found);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message = "What the hook gave cannot be applied.";
    return await fail(parts, taken, batch, new HookFailure("invalid-output", message));
  }
}

type Found = Awaited<ReturnType<JobHooks["ask"]>>;

/** What the rules of memories refuse: asking again would not help. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return error.reason.startsWith("MEMORY_") || error.reason === "REQUEST_INVALID";
}

/** What a decision about a job saves. */
interface Outcome {
  readonly plan: Pick<SessionPlan, "memories">;
  readonly next: MemoryJob | undefined;
  readonly events: readonly EventDetail[];
  readonly end: JobEnd;
}

async function apply(
  parts: JobParts,
  taken: TakenJob,
  batch: JobBatch,
  found: Found,
): Promise<JobEnd> {
  return await changeJob(parts, taken, batch, (session, job, at) => {
    const given = found(session, at);
    const next = takeFromJob(job, { taken: taken.job, ranges: batch.ranges, ...at.stamp });
    const { createdCount, rejectedCount } = given;
    const ended = attemptedEvent(taken.job, batch, { createdCount, rejectedCount });
    return { plan: given.plan, next, events: [...given.events, ended], end: "done" };
  });
}

/** An attempt failed: the job rests, is given up, or the rules do what the hook does not. */
async function fail(
  parts: JobParts,
  taken: TakenJob,
  batch: JobBatch,
  failure: HookFailure,
): Promise<JobEnd> {
  const random = chance(parts.context.world);
  return await changeJob(parts, taken, batch, (session, job, at) => {
    const { nowMs } = at.stamp;
    const { reason, retryDelayMs } = failure;
    const failedAttempts = job.failedAttempts + 1;
    const message = Buffer.from(failure.message).subarray(0, LIMITS.taskFailureBytes).toString();
    const lastFailure = { reason, message, atMs: nowMs };
    const isLast = failedAttempts >= MEMORY_JOB_ATTEMPTS || reason === "refused";
    const rules = isLast ? parts.hooks.byRules(taken.job, batch.messages) : undefined;
    if (rules !== undefined) {
      const given = rules(session, at);
      const left = takeFromJob(job, { taken: taken.job, ranges: batch.ranges, ...at.stamp });
      // What is left gets one attempt more each: a hook that is down must not hold it up.
      const next = left && { ...left, failedAttempts: MEMORY_JOB_ATTEMPTS - 1, lastFailure };
      const { createdCount } = given;
      const ended = attemptedEvent(taken.job, batch, { createdCount, reason });
      return { plan: given.plan, next, events: [...given.events, ended], end: "failed" };
    }
    const dueMs = isLast ? 0 : nowMs + backoffMs(failedAttempts, random, retryDelayMs);
    const state = isLast ? "dead" : "ready";
    const callCount = job.callCount + 1;
    const next: MemoryJob = { ...job, state, dueMs, failedAttempts, callCount, lastFailure };
    const attempted = attemptedEvent(taken.job, batch, { reason });
    const events = isLast ? [attempted, deadEvent(next, reason, nowMs)] : [attempted];
    return { plan: {}, next, events, end: "failed" };
  });
}

function attemptedEvent(
  job: MemoryJob,
  { ranges }: JobBatch,
  end: {
    readonly createdCount?: number;
    readonly rejectedCount?: number;
    readonly reason?: TaskFailureReason;
  },
): EventDetail {
  return {
    type: EVENT_TYPE.taskAttempted,
    taskId: taskIdOf(taskNoOfJob(job)),
    taskType: job.type,
    hook: hookOfJob(job),
    ranges,
    createdCount: end.createdCount ?? 0,
    rejectedCount: end.rejectedCount ?? 0,
    failure: end.reason,
  };
}

function deadEvent(job: MemoryJob, reason: TaskFailureReason, nowMs: number): EventDetail {
  const { type, failedAttempts, callCount, ranges, createMs } = job;
  return {
    type: EVENT_TYPE.taskDead,
    ...{ taskId: taskIdOf(taskNoOfJob(job)), taskType: type, stage: "", hook: hookOfJob(job) },
    ...{ reason, failedAttempts, callCount, effect: undefined, ranges },
    durationMs: Math.max(0, nowMs - createMs),
  };
}

/** Changes a session while its job and the messages of the batch are as they were taken. */
async function changeJob(
  { context }: JobParts,
  { ref, job: taken }: TakenJob,
  { messages }: JobBatch,
  decide: (session: Session, job: MemoryJob, at: JobAt) => Outcome,
): Promise<JobEnd> {
  const { namespace, sessionId } = ref;
  const nowMs = context.world.nowMs();
  const seqs = messages.map(({ seq }) => seq);
  const end = await changeSession<JobEnd>(
    context,
    serverCall(),
    { namespace, sessionId, seqs },
    (view): SessionDecision<JobEnd> => {
      const { session, revision } = view;
      const job = view.memoryJobs().find(({ type }) => type === taken.type);
      if (session === undefined || job?.generation !== taken.generation) {
        return { kind: "answer", result: "stale" };
      }
      if (changedSince(messages, view).length > 0) return { kind: "answer", result: "stale" };
      const outcome = decide(session, job, { view, stamp: { revision, nowMs } });
      const origin = { session, revision, nowMs, requestId: "" };
      const plan: SessionPlan = {
        ...outcome.plan,
        // The session was not used: its time to live goes on.
        head: { ...session.head, revision },
        memoryJobs: { put: [{ type: taken.type, job: outcome.next }] },
        events: newEvents(context, origin, outcome.events),
      };
      return { kind: "save", result: outcome.end, plan };
    },
  );
  if (end instanceof Uint8Array) throw new Error("A change without a request id was replayed.");
  return end;
}
