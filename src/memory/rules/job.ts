// How jobs on memories change: messages come, a turn ends, and what was done goes out.

import { LIMITS } from "../limits.ts";
import { joinOldest, mergeRanges } from "../window/merge-ranges.ts";
import { outsideRanges } from "../window/ranges.ts";
import type { SeqRange } from "../window/types.ts";
import type { MemoryJob, MemoryJobType } from "./job.ts";
import type { MemoryPolicy } from "./policy.ts";

/** When a job is due that waits for the end of a turn: never by itself. The end of 9999. */
export const TURN_END_MS = 253_402_300_799_000;

/** Messages that a change adds to a job. */
export interface JobAddition {
  readonly type: MemoryJobType;
  readonly policy: MemoryPolicy;
  /** By rising seq; may be empty when a turn ends. */
  readonly ranges: readonly SeqRange[];
  /** They wait until their turn ends. */
  readonly isHeld: boolean;
  readonly nowMs: number;
  readonly revision: number;
}

/** A job with more messages; undefined when there is nothing to do. */
export function addToJob(job: MemoryJob | undefined, addition: JobAddition): MemoryJob | undefined {
  const { type, policy, isHeld, nowMs, revision } = addition;
  const merged = mergeRanges(job?.ranges ?? [], addition.ranges);
  const ranges = joinOldest(merged, LIMITS.memoryJobRanges);
  if (ranges.length === 0) return undefined;
  if (job?.state === "ready") {
    // What no message was added to keeps the policy that its messages came under.
    const under = addition.ranges.length === 0 ? job.policy : policy;
    return { ...job, policy: under, ranges, dueMs: isHeld ? job.dueMs : dueSoon(job, nowMs) };
  }
  return {
    type,
    policy: job !== undefined && addition.ranges.length === 0 ? job.policy : policy,
    ranges,
    state: "ready",
    dueMs: isHeld ? TURN_END_MS : nowMs,
    failedAttempts: 0,
    callCount: job?.callCount ?? 0,
    lastFailure: job?.lastFailure,
    createMs: job?.createMs ?? nowMs,
    createRevision: job?.createRevision ?? revision,
    // Of two jobs of a session none has the generation of the other.
    generation: job?.generation ?? revision,
  };
}

/**
 * As soon as may be: now, also during a rest after a failure, as the rules do what a hook does not.
 * Always another time than before, so that who does the job sees that a turn ended meanwhile.
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
  const left = job.ranges.flatMap(({ first, last }) => outsideRanges(done.ranges, first, last));
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
