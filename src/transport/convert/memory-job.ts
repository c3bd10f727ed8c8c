// Work on memories that sessions wait for, between the domain and the wire.

import type { MemoryJobType } from "../../domain/memories/job.ts";
import { TURN_END_MS } from "../../domain/memories/job-changes.ts";
import type * as wire from "../../gen/memorysidecar/v1/task.ts";
import { TaskState, TaskType } from "../../gen/memorysidecar/v1/task.ts";
import type { ListMemoryJobsInput, ShownMemoryJob } from "../../service/memory-api.ts";
import { toJobType } from "./event-memory.ts";
import { toFailure } from "./task.ts";
import { toTimestamp } from "./time.ts";
import { toSeqRange } from "./window.ts";

const STATES: Readonly<Partial<Record<number, ListMemoryJobsInput["state"]>>> = {
  [TaskState.READY]: "ready",
  [TaskState.LEASED]: "leased",
  [TaskState.DEAD]: "dead",
};

/** The state that a number stands for; undefined for none, which is any. */
export function fromJobState(state: TaskState): ListMemoryJobsInput["state"] {
  return STATES[state];
}

/** The job that a checked number stands for. */
export function fromJobType(type: TaskType): MemoryJobType {
  return type === TaskType.SCORE ? "score" : "extract";
}

/** Turns a job into its public form. */
export function toMemoryJob({ sessionId, job, isLeased, hook }: ShownMemoryJob): wire.MemoryJob {
  const { lastFailure } = job;
  const isDead = job.state === "dead";
  const waiting = isLeased ? TaskState.LEASED : TaskState.READY;
  return {
    sessionId,
    type: toJobType(job.type),
    hook,
    seqRanges: job.ranges.map(toSeqRange),
    state: isDead ? TaskState.DEAD : waiting,
    failedAttempts: job.failedAttempts,
    readyTime: isDead || job.dueMs >= TURN_END_MS ? undefined : toTimestamp(job.dueMs),
    lastFailure: lastFailure === undefined ? undefined : toFailure(lastFailure),
    createTime: toTimestamp(job.createMs),
  };
}
