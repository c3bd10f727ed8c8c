// What a change asks of hooks, as jobs of its session.

import type { MemoryJob, MemoryJobType } from "../../domain/memories/job.ts";
import { addToJob } from "../../domain/memories/job-changes.ts";
import type { MemoryPolicy } from "../../domain/memories/policy.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { MemoryJobPlan, SessionView } from "../../storage/store.ts";

/** What becomes of jobs when a session gets another memory policy; undefined for nothing. */
export function jobsUnder(
  policy: MemoryPolicy | undefined,
  { memoryJobs }: Pick<SessionView, "memoryJobs">,
): MemoryJobPlan | undefined {
  if (policy?.extraction !== undefined) return undefined;
  const isAsked = memoryJobs().some(({ type }) => type === "extract");
  return isAsked ? { put: [{ type: "extract", job: undefined }] } : undefined;
}

/** A reset ends all jobs: what they are about is gone. Undefined for nothing. */
export function jobsAfterReset({
  memoryJobs,
}: Pick<SessionView, "memoryJobs">): MemoryJobPlan | undefined {
  const jobs = memoryJobs();
  if (jobs.length === 0) return undefined;
  return { put: jobs.map(({ type }) => ({ type, job: undefined })) };
}

/** Both, of which no job is in both. */
export function mergeJobPlans(
  a: MemoryJobPlan | undefined,
  b: MemoryJobPlan | undefined,
): MemoryJobPlan | undefined {
  return a === undefined || b === undefined ? (a ?? b) : { put: [...a.put, ...b.put] };
}

/** Messages that wait for hooks after a change. */
export interface JobWork {
  readonly policy: MemoryPolicy;
  readonly stamp: { readonly revision: number; readonly nowMs: number };
  readonly score: readonly SeqRange[];
  readonly extract: { readonly ranges: readonly SeqRange[]; readonly isHeld: boolean };
  /** What waited for the end of its turn need not wait any more. */
  readonly isTurnEnd: boolean;
}

/** What becomes of the jobs; undefined for nothing. Reads them only when there is something. */
export function planJobs(
  { memoryJobs }: Pick<SessionView, "memoryJobs">,
  { policy, stamp, score, extract, isTurnEnd }: JobWork,
): MemoryJobPlan | undefined {
  const put: { type: MemoryJobType; job: MemoryJob | undefined }[] = [];
  const add = (type: MemoryJobType, ranges: readonly SeqRange[], isHeld: boolean): void => {
    const before = memoryJobs().find((job) => job.type === type);
    const job = addToJob(before, { type, policy, ranges, isHeld, ...stamp });
    if (job !== undefined) put.push({ type, job });
  };
  if (score.length > 0) add("score", score, false);
  const { ranges, isHeld } = extract;
  if (policy.extraction !== undefined && (ranges.length > 0 || isTurnEnd)) {
    add("extract", ranges, isHeld);
  }
  return put.length === 0 ? undefined : { put };
}
