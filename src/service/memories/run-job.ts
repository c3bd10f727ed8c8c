// One attempt of a job on memories: the hook is asked, and what it says is applied in one change of
// the session, unless the job was given up meanwhile or its messages have changed. When the hook
// fails, the rules do at once what it did not: scores are then given, facts may still come of a
// later attempt.

import { AppError } from "../../domain/errors.ts";
import { EVENT_TYPE, type EventDetail } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import {
  hookOfJob,
  isUnruled,
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
  /** Its hook was busy a moment ago: it is not asked, only the rules are. */
  readonly isHookBusy: boolean;
}

/** The least that a job rests whose hook could not be asked. */
const BUSY_MS = 5_000;

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
    if (taken.isHookBusy) throw new HookFailure("busy", "The hook is left alone for a while.");
    found = await hooks.ask({ session, job: taken.job, messages: batch.messages, signal });
  } catch (error) {
    if (signal.aborted) return "stale";
    if (!(error instanceof HookFailure)) throw error;
    const { messages } = batch;
    const isOpen = messages.length > 0 && isUnruled(taken.job);
    if (!isOpen && error.reason === "busy") return "busy";
    const asked = { session, job: taken.job, messages, signal };
    return await fail(parts, taken, batch, {
      failure: error,
      rules: isOpen ? await hooks.byRules(asked) : undefined,
    });
  }
  try {
    return await apply(parts, taken, batch, found);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message = "What the hook gave cannot be applied.";
    const failure = new HookFailure("invalid-output", message);
    return await fail(parts, taken, batch, { failure, rules: undefined });
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

/** A failure of a hook, and what the rules do instead. */
interface Failed {
  readonly failure: HookFailure;
  /** Undefined when they have done it already. */
  readonly rules: Found | undefined;
}

/** An attempt failed: what the rules find is applied, and the job is over, rests or is given up. */
async function fail(
  parts: JobParts,
  taken: TakenJob,
  batch: JobBatch,
  { failure, rules }: Failed,
): Promise<JobEnd> {
  const random = chance(parts.context.world);
  return await changeJob(parts, taken, batch, (session, job, at) => {
    const { nowMs } = at.stamp;
    const { reason } = failure;
    const given = rules?.(session, at);
    const createdCount = given?.createdCount ?? 0;
    const attempted = attemptedEvent(taken.job, batch, { createdCount, reason });
    const events = [...(given?.events ?? []), attempted];
    const plan = given?.plan ?? {};
    const end = reason === "busy" ? "busy" : "failed";
    if (job.type === "score" && rules !== undefined) {
      const next = takeFromJob(job, { taken: taken.job, ranges: batch.ranges, ...at.stamp });
      return { plan, next, events, end: "failed" };
    }
    const next = restedJob(job, { failure, nowMs, random, batch });
    const dead = next.state === "dead" ? [deadEvent(next, reason, nowMs)] : [];
    return { plan, next, events: [...events, ...dead], end };
  });
}

/** A job whose hook failed: it rests, or is given up. */
function restedJob(
  job: MemoryJob,
  {
    failure,
    nowMs,
    random,
    batch,
  }: {
    readonly failure: HookFailure;
    readonly nowMs: number;
    readonly random: number;
    readonly batch: JobBatch;
  },
): MemoryJob {
  const { reason, retryDelayMs = 0 } = failure;
  const isBusy = reason === "busy";
  const failedAttempts = job.failedAttempts + (isBusy ? 0 : 1);
  const message = Buffer.from(failure.message).subarray(0, LIMITS.taskFailureBytes).toString();
  const isLast = !isBusy && (failedAttempts >= MEMORY_JOB_ATTEMPTS || reason === "refused");
  const restMs = backoffMs(failedAttempts, random, Math.max(retryDelayMs, isBusy ? BUSY_MS : 0));
  return {
    ...job,
    state: isLast ? "dead" : "ready",
    dueMs: isLast ? 0 : nowMs + restMs,
    failedAttempts,
    callCount: job.callCount + (isBusy ? 0 : 1),
    lastFailure: { reason, message, atMs: nowMs },
    ruledSeq: Math.max(job.ruledSeq ?? 0, batch.ranges.at(-1)?.last ?? 0),
  };
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
