// One attempt of a job on memories: the hook is called, and its answer is applied in one change of
// the session, unless the job was given up meanwhile or its messages have changed. When the hook
// fails, the rules take over at once: their scores are final, while a later attempt may still find
// facts.

import { changeSession, liveSession } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { newEvents } from "../../core/new-events.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import { HookFailure } from "../../hooks/port.ts";
import { serverCall } from "../../kit/call.ts";
import { AppError, type TaskFailureReason } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { chance } from "../../kit/world.ts";
import { ownerOf, type Session, type SessionRef } from "../../session/rules/session.ts";
import type {
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredMessage,
} from "../../store/store.ts";
import { backoffMs } from "../../tasks/rules/breaker.ts";
import { taskIdOf } from "../../tasks/rules/task.ts";
import { BUILTIN_EXTRACTOR, type ExtractionPolicy } from "../../window/policy/memory-policy.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import { rememberDetails } from "../change-memories.ts";
import type { HookParts } from "../parts.ts";
import {
  hookOfJob,
  isOfOwner,
  isUnruled,
  MEMORY_JOB_ATTEMPTS,
  type MemoryJob,
  rangesTo,
  takeFromJob,
  taskNoOfJob,
} from "../rules/job.ts";
import { planRemember } from "../rules/remember.ts";
import {
  changedSince,
  extractBatch,
  extractionRules,
  extractorOf,
  newMemoriesOf,
  withoutForgotten,
} from "./extract.ts";
import { giveToMemory, scopeOf, stampOf } from "./give.ts";
import { promotableOf, scoresOfHook, speechOf } from "./promotable.ts";

const PAGE = 100;

/** The messages of one call. */
interface JobBatch {
  /** Those that still exist and say something to the hook, by rising seq. */
  readonly messages: readonly StoredMessage[];
  /** The ranges that the call completes. Never empty. */
  readonly ranges: readonly SeqRange[];
}

/** The oldest messages of a job, as many as one call takes. */
async function readBatch(
  context: ServiceContext,
  ref: SessionRef,
  job: MemoryJob,
): Promise<JobBatch> {
  const isScore = job.type === "score";
  const selection = isScore ? job.policy.promotion?.selection : undefined;
  const saysSomething = (message: StoredMessage): boolean =>
    selection === undefined
      ? speechOf(context, message) !== ""
      : promotableOf(context, message, selection) !== undefined;
  const max = isScore ? LIMITS.scoreHookTexts : LIMITS.extractMessages;
  const bytesMax = isScore ? LIMITS.scoreBytes : LIMITS.taskInputBytes;
  const messages: StoredMessage[] = [];
  let bytes = 0;
  for await (const message of messagesOf(context, ref, job.ranges)) {
    if (!saysSomething(message)) continue;
    bytes += message.bytes.length;
    const isFull = messages.length >= max || (bytes > bytesMax && messages.length > 0);
    if (isFull) return { messages, ranges: rangesTo(job.ranges, message.seq - 1) };
    messages.push(message);
  }
  return { messages, ranges: job.ranges };
}

async function* messagesOf(
  { store }: ServiceContext,
  ref: SessionRef,
  ranges: readonly SeqRange[],
): AsyncGenerator<StoredMessage> {
  for (const { first, last } of ranges) {
    for (let next: number | undefined = first; next !== undefined && next <= last; ) {
      const query = { firstSeq: next, lastSeq: last, order: "asc", limit: PAGE } as const;
      const page = await store.listMessages(ref, query);
      yield* page?.messages ?? [];
      next = page?.next;
    }
  }
}

/** A taken job, in its state at that time. */
interface TakenJob {
  readonly ref: SessionRef;
  readonly job: MemoryJob;
  /** Its hook was just busy: only the rules are applied. */
  readonly isHookBusy: boolean;
}

/** Shortest rest of a job whose hook could not be called. */
const BUSY_MS = 5_000;

/**
 * Outcome of an attempt. `stale`: the job has changed meanwhile. `busy`: the hook could not be
 * called, which does not count as an attempt.
 */
type JobEnd = "done" | "failed" | "stale" | "busy" | "gone";

/** Makes one attempt. Throws errors that are not faults of the hook. */
export async function runJob(
  parts: HookParts,
  asked: TakenJob,
  signal: AbortSignal,
): Promise<JobEnd> {
  const { context } = parts;
  const session = liveSession(context, await context.store.readSession(asked.ref));
  if (session === undefined) return "gone";
  // A job that does not know is of whoever the session is of before its messages are read.
  const taken = { ...asked, job: { owner: ownerOf(session), ...asked.job } };
  const batch = await readBatch(context, taken.ref, taken.job);
  let found: JobDecision;
  try {
    if (taken.isHookBusy)
      throw new HookFailure("busy", "The hook is paused after repeated failures.");
    found = await askHook(parts, { session, job: taken.job, messages: batch.messages, signal });
  } catch (error) {
    if (signal.aborted) return "stale";
    if (!(error instanceof HookFailure)) throw error;
    const { messages } = batch;
    const isOpen = messages.length > 0 && isUnruled(taken.job);
    if (!isOpen && error.reason === "busy") return "busy";
    const open = { session, job: taken.job, messages, signal };
    return await fail(parts, taken, batch, {
      failure: error,
      rules: isOpen ? await byRules(parts, open) : undefined,
    });
  }
  try {
    return await apply(parts, taken, batch, found);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message = "The output of the hook cannot be applied.";
    const failure = new HookFailure("invalid-output", message);
    return await fail(parts, taken, batch, { failure, rules: undefined });
  }
}

/** Whether the rules of memories refuse a result: asking again would not help. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return error.reason.startsWith("MEMORY_") || error.reason === "REQUEST_INVALID";
}

/** The outcome of a decision about a job. */
interface Outcome {
  readonly plan: Pick<SessionPlan, "memories">;
  readonly next: MemoryJob | undefined;
  readonly events: readonly EventDetail[];
  readonly end: JobEnd;
}

async function apply(
  parts: HookParts,
  taken: TakenJob,
  batch: JobBatch,
  found: JobDecision,
): Promise<JobEnd> {
  return await changeJob(parts, taken, batch, (session, job, at) => {
    const given = isOfOwner(taken.job, ownerOf(session)) ? found(session, at) : NOTHING;
    const next = takeFromJob(job, { taken: taken.job, ranges: batch.ranges, ...at.stamp });
    const { createdCount, rejectedCount } = given;
    const ended = attemptedEvent(taken.job, batch, { createdCount, rejectedCount });
    return { plan: given.plan, next, events: [...given.events, ended], end: "done" };
  });
}

/** A failure of a hook, and the decision of the rules instead. */
interface Failed {
  readonly failure: HookFailure;
  /** Undefined when they have done it already. */
  readonly rules: JobDecision | undefined;
}

/** A failed attempt: applies the results of the rules, then ends, rests or gives up the job. */
async function fail(
  parts: HookParts,
  taken: TakenJob,
  batch: JobBatch,
  { failure, rules }: Failed,
): Promise<JobEnd> {
  const random = chance(parts.context.world);
  return await changeJob(parts, taken, batch, (session, job, at) => {
    const { nowMs } = at.stamp;
    const { reason } = failure;
    const given = isOfOwner(taken.job, ownerOf(session)) ? rules?.(session, at) : undefined;
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
  { context }: HookParts,
  { ref, job: taken }: TakenJob,
  { messages }: JobBatch,
  decide: (session: Session, job: MemoryJob, at: JobAt) => Outcome,
): Promise<JobEnd> {
  const { namespace, sessionId } = ref;
  const nowMs = context.world.nowMs();
  const end = await changeSession<JobEnd>(
    context,
    serverCall(),
    { namespace, sessionId },
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

/** The memories that a job produces. */
interface JobGiven {
  readonly plan: Pick<SessionPlan, "memories">;
  readonly events: readonly EventDetail[];
  readonly createdCount: number;
  readonly rejectedCount: number;
}

/** Context of a decision. */
interface JobAt {
  readonly view: SessionView;
  readonly stamp: { readonly revision: number; readonly nowMs: number };
}

/** Decides inside a change. Pure, and may be called again. */
type JobDecision = (session: Session, at: JobAt) => JobGiven;

/** A batch that a hook is asked about. */
interface JobAsk {
  readonly session: Session;
  readonly job: MemoryJob;
  readonly messages: readonly StoredMessage[];
  readonly signal: AbortSignal;
}

/** A hook that is no longer configured counts as failed. */
function asFailure(error: unknown): never {
  if (error instanceof AppError && error.reason === "HOOK_NOT_CONFIGURED") {
    throw new HookFailure("no-hook", "The server has no extraction hook of this name.");
  }
  throw error;
}

const NOTHING: JobGiven = { plan: {}, events: [], createdCount: 0, rejectedCount: 0 };

/** Asks the hook of a job. Throws HookFailure. */
async function askHook(parts: HookParts, asked: JobAsk): Promise<JobDecision> {
  const { session, job, messages, signal } = asked;
  if (messages.length === 0 || !isOfOwner(job, ownerOf(session))) return () => NOTHING;
  const { namespace } = session;
  const { policy } = job;
  if (job.type === "extract") {
    const { extraction } = policy;
    if (extraction === undefined) return () => NOTHING;
    return await extractJob(parts, asked, extraction);
  }
  const { promotion } = policy;
  if (promotion === undefined) return () => NOTHING;
  const { selection, scoreHook } = promotion;
  const texts = messages.map((one) => promotableOf(parts.context, one, selection)?.text ?? "");
  const call = { namespace, signal, sessionId: session.sessionId };
  const scores = await scoresOfHook(parts, scoreHook, call, texts);
  const byId = new Map(messages.map(({ messageId }, index) => [messageId, scores[index] ?? 0]));
  return scored(parts, job, messages, byId);
}

/** The work of the rules in place of a hook, on messages that they have not read. */
async function byRules(parts: HookParts, asked: JobAsk): Promise<JobDecision> {
  const { job, messages } = asked;
  const { extraction } = job.policy;
  if (job.type === "score") return scored(parts, job, messages, new Map());
  if (extraction === undefined) return () => NOTHING;
  const open = messages.filter(({ seq }) => seq > (job.ruledSeq ?? 0));
  const rules = { ...extraction, hook: BUILTIN_EXTRACTOR };
  return await extractJob(parts, { ...asked, messages: open }, rules);
}

async function extractJob(
  parts: HookParts,
  { session, job, messages, signal }: JobAsk,
  extraction: ExtractionPolicy,
): Promise<JobDecision> {
  const policy = { ...job.policy, extraction };
  const { namespace, sessionId } = session;
  const scope = scopeOf(session, policy);
  const batch = { namespace, sessionId, messages, text: "", scope, policy: extraction, signal };
  const found = await extractBatch(parts, batch).catch(asFailure);
  const messageIds = messages.map(({ messageId }) => messageId);
  const hook = extractorOf(extraction);
  return (now, { view, stamp }) => {
    const from = { scope: scopeOf(now, policy), session: now, messageIds, hook };
    const news = withoutForgotten(newMemoriesOf(found, from), found, view.memories);
    const rules = extractionRules(policy);
    const plan = planRemember(view.memories, news, rules, stampOf(parts.context, stamp));
    const { put, remove, createdIds } = plan;
    const { rejectedCount } = found;
    if (put.length === 0 && remove.length === 0) return { ...NOTHING, rejectedCount };
    const details = rememberDetails(plan, view.memories, "extraction");
    return {
      plan: { memories: { put, remove } },
      events: details.map(({ detail }) => detail),
      createdCount: createdIds.length,
      rejectedCount,
    };
  };
}

function scored(
  { context }: HookParts,
  { policy: asked }: MemoryJob,
  messages: readonly StoredMessage[],
  scores: ReadonlyMap<string, number>,
): JobDecision {
  const left = messages.map((message) => ({
    ...{ message, isErased: false, isMarked: true },
  }));
  const policy = { ...asked, extraction: undefined };
  return (session, { view, stamp }) => {
    const given = giveToMemory(context, {
      ...{ session, policy, stamp, left, scores },
      side: view,
    });
    const { plan, events, promotedIds } = given;
    const part = plan.memories === undefined ? {} : { memories: plan.memories };
    return { plan: part, events, createdCount: promotedIds.length, rejectedCount: 0 };
  };
}
