// Durable work on memories for a session, done by a hook or by the rules.

import { LIMITS } from "../../kit/limits.ts";
import type { Owner } from "../../session/rules/session.ts";
import { memoryTaskNo, type TaskFailure } from "../../tasks/rules/task.ts";
import { BUILTIN_EXTRACTOR, type MemoryPolicy } from "../../window/policy/memory-policy.ts";
import { joinOldest, mergeRanges, withoutRanges } from "../../window/rules/ranges.ts";
import type { SeqRange } from "../../window/rules/types.ts";

export type MemoryJobType = "extract" | "score";

/** Attempts after which a job is dead. */
export const MEMORY_JOB_ATTEMPTS = 5;

/**
 * Work that waits for a session. Written with the change that asks for it; later messages are
 * added. A result is applied only while `generation` is the one it was made from, and takes its
 * messages out of `ranges`.
 */
export interface MemoryJob {
  readonly type: MemoryJobType;
  /** The session's policy when the newest messages came. */
  readonly policy: MemoryPolicy;
  /**
   * The owner of the session when they came: what they say is of nobody else. Unset in jobs from
   * before this was kept.
   */
  readonly owner?: Owner;
  /** The messages that wait, by rising seq. Never empty. */
  readonly ranges: readonly SeqRange[];
  readonly state: "ready" | "dead";
  /** When it may be tried next; 0 when it is dead. */
  readonly dueMs: number;
  readonly failedAttempts: number;
  /** Number of calls of its hook. */
  readonly callCount: number;
  readonly lastFailure: TaskFailure | undefined;
  readonly createMs: number;
  /** The revision that made it. */
  readonly createRevision: number;
  /**
   * The rules have read the messages up to this seq in place of the hook, which may still read
   * them. Only for extraction jobs; unset before the first failure.
   */
  readonly ruledSeq?: number;
  /** Rises when messages are taken out or the job is given up, not when messages are added. */
  readonly generation: number;
}

/** The hook that does a job; `builtin` for the rules. */
export function hookOfJob({ type, policy }: MemoryJob): string {
  const name =
    type === "score" ? (policy.promotion?.scoreHook ?? "") : (policy.extraction?.hook ?? "");
  return name === "" ? BUILTIN_EXTRACTOR : name;
}

/** Whether messages wait that neither the hook nor the rules have read. */
export function isUnruled({ type, ranges, ruledSeq = 0 }: MemoryJob): boolean {
  return type === "score" || (ranges.at(-1)?.last ?? 0) > ruledSeq;
}

/** The number of a job among the tasks of its namespace. */
export function taskNoOfJob({ createRevision, type }: MemoryJob): number {
  return memoryTaskNo(createRevision, type);
}

// Changes of jobs on memories: messages are added, a turn ends, and done messages are removed.

/** When a job is due that waits for the end of a turn: never by itself. The end of 9999. */
export const TURN_END_MS = 253_402_300_799_000;

/** Messages that a change adds to a job. */
export interface JobAddition {
  readonly type: MemoryJobType;
  readonly policy: MemoryPolicy;
  readonly owner: Owner;
  /** By rising seq; may be empty when a turn ends. */
  readonly ranges: readonly SeqRange[];
  /** They wait until their turn ends. */
  readonly isHeld: boolean;
  readonly nowMs: number;
  readonly revision: number;
}

/** A job with more messages; undefined when there is nothing to do. */
export function addToJob(job: MemoryJob | undefined, addition: JobAddition): MemoryJob | undefined {
  const { type, isHeld, nowMs, revision } = addition;
  // Without new messages a job keeps the policy and the owner that its messages came under.
  const isSame = job !== undefined && addition.ranges.length === 0;
  const { policy, owner } = isSame ? job : addition;
  // Messages of another owner wait no longer.
  const waiting = isSame || isOfOwner(job, addition.owner) ? (job?.ranges ?? []) : [];
  const merged = mergeRanges(waiting, addition.ranges);
  const ranges = joinOldest(merged, LIMITS.memoryJobRanges);
  if (ranges.length === 0) return undefined;
  const under = { policy, ...(owner === undefined ? {} : { owner }), ranges };
  if (job?.state === "ready") {
    return { ...job, ...under, dueMs: isHeld ? job.dueMs : dueSoon(job, nowMs) };
  }
  return {
    type,
    ...under,
    state: "ready",
    dueMs: isHeld ? TURN_END_MS : nowMs,
    failedAttempts: 0,
    callCount: job?.callCount ?? 0,
    lastFailure: job?.lastFailure,
    createMs: job?.createMs ?? nowMs,
    createRevision: job?.createRevision ?? revision,
    // Two jobs of a session never share a generation.
    generation: job?.generation ?? revision,
  };
}

/** Whether the messages of a job, if it knows whose they are, are of an owner. */
export function isOfOwner(
  job: Pick<MemoryJob, "owner"> | undefined,
  { userId, agentId }: Owner,
): boolean {
  const owner = job?.owner;
  return owner === undefined || (owner.userId === userId && owner.agentId === agentId);
}

/**
 * The earliest due time: now, even during a rest after a failure, as the rules replace a failed
 * hook. It always differs from the last one, which shows a running job that a turn ended meanwhile.
 */
function dueSoon({ dueMs }: MemoryJob, nowMs: number): number {
  return dueMs > nowMs ? nowMs : Math.max(nowMs, dueMs + 1);
}

/** The ranges up to a seq. */
export function rangesTo(ranges: readonly SeqRange[], lastSeq: number): readonly SeqRange[] {
  return ranges
    .filter(({ first }) => first <= lastSeq)
    .map(({ first, last }) => ({ first, last: Math.min(last, lastSeq) }));
}

/** A job without messages that were done; undefined when none is left. */
export function takeFromJob(
  job: MemoryJob,
  done: {
    /** The job as it was when it was begun. */
    readonly taken: MemoryJob;
    readonly ranges: readonly SeqRange[];
    readonly nowMs: number;
    readonly revision: number;
  },
): MemoryJob | undefined {
  const { taken, nowMs, revision } = done;
  const left = withoutRanges(job.ranges, done.ranges);
  if (left.length === 0) return undefined;
  return {
    ...job,
    ranges: left,
    state: "ready",
    dueMs: isOfOpenTurn(job, taken, left) ? TURN_END_MS : nowMs,
    failedAttempts: 0,
    callCount: job.callCount + 1,
    lastFailure: undefined,
    generation: revision,
  };
}

/** Whether all that is left came since the job was begun, and no turn has ended since. */
function isOfOpenTurn(job: MemoryJob, taken: MemoryJob, left: readonly SeqRange[]): boolean {
  const { type, policy, dueMs } = job;
  if (type !== "extract" || policy.extraction?.on !== "turn-end") return false;
  const lastTaken = taken.ranges.at(-1)?.last ?? 0;
  return dueMs === taken.dueMs && (left[0]?.first ?? 0) > lastTaken;
}
