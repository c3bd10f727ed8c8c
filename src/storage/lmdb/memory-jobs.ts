// Jobs on memories. Those of a session stand in one record under its id, and those that are ready
// in the order in which they are due. They go with the session, and with its log.

import type { MemoryJob, MemoryJobType } from "../../domain/memories/job.ts";
import type { SessionRef } from "../../domain/session.ts";
import { memoryJobsFault } from "../memory-faults.ts";
import type { MemoryJobPlan, StoredMemoryJob } from "../store.ts";
import { encodeText } from "./codec.ts";
import { type Core, decodeRecord, firstOf, rangeIndex, readIndex } from "./core.ts";
import { afterPrefix, readSized, readText, readU64, TABLE } from "./keys.ts";
import { decodeJobs, encodeJobs, type JobsRow } from "./memory-codec.ts";
import { memoryDueKey, memoryJobsKey, memoryJobsPrefix } from "./memory-keys.ts";
import type { Visibility } from "./memtable.ts";
import { unsound } from "./plan-check.ts";

const TYPES: readonly MemoryJobType[] = ["extract", "score"];

/** The number of a type in keys. */
function typeNo(type: MemoryJobType): number {
  return TYPES.indexOf(type) + 1;
}

/** The record of the jobs of a session; undefined when it has none. */
export function readJobsRow(
  core: Core,
  ref: SessionRef,
  visibility: Visibility,
): JobsRow | undefined {
  const key = memoryJobsKey(ref.namespace, ref.sessionId);
  return readIndex(core, key, visibility, decodeJobs);
}

/** The keys of jobs that are ready in the order in which they are due. */
export function jobDueKeys({ jobs, sessionNo }: JobsRow): readonly string[] {
  return jobs
    .filter(({ state }) => state === "ready")
    .map(({ dueMs, type }) => memoryDueKey(dueMs, sessionNo, typeNo(type)));
}

/** What becomes of the jobs of a session. */
export interface JobSteps {
  readonly before: JobsRow | undefined;
  readonly after: readonly MemoryJob[];
}

/** Reads what a plan for jobs needs, and checks it. Throws an Error that names the fault. */
export function jobSteps(
  core: Core,
  ref: SessionRef,
  plan: MemoryJobPlan | undefined,
  goes: boolean,
): JobSteps | undefined {
  const fault = plan && memoryJobsFault(plan);
  if (fault !== undefined) {
    throw unsound(fault);
  }
  if (plan === undefined && !goes) {
    return undefined;
  }
  const before = readJobsRow(core, ref, "pending");
  const jobs = new Map(goes ? [] : before?.jobs.map((job) => [job.type, job]));
  for (const { job, type } of plan?.put ?? []) {
    if (job === undefined) {
      jobs.delete(type);
    } else {
      jobs.set(type, job);
    }
  }
  return { before, after: [...jobs.values()].sort((a, b) => typeNo(a.type) - typeNo(b.type)) };
}

/** Applies what becomes of jobs. */
export function saveJobs(
  core: Core,
  of: SessionRef & { readonly sessionNo: number },
  steps: JobSteps | undefined,
): void {
  if (steps === undefined || (steps.before === undefined && steps.after.length === 0)) {
    return;
  }
  const { memtable } = core;
  const key = memoryJobsKey(of.namespace, of.sessionId);
  const row = { sessionNo: of.sessionNo, jobs: steps.after };
  memtable.set(key, row.jobs.length === 0 ? null : encodeJobs(key, row));
  const old = new Set(steps.before === undefined ? [] : jobDueKeys(steps.before));
  for (const due of jobDueKeys(row)) {
    if (!old.delete(due)) {
      memtable.set(due, encodeText(due, key));
    }
  }
  for (const due of old) {
    memtable.set(due, null);
  }
}

/** The key of jobs that a row of those due names. */
export function jobsKeyOf(payload: Uint8Array): string {
  return Buffer.from(payload).toString("utf8");
}

/** The session that the key of a record of jobs names. */
export function refOfJobs(key: string): SessionRef {
  const { end, text } = readSized(key, 1);
  return { namespace: text, sessionId: readText(key.slice(end)) };
}

/** Jobs that are due, the longest due first. */
export function dueJobs(core: Core, nowMs: number, limit: number): readonly StoredMemoryJob[] {
  const found: StoredMemoryJob[] = [];
  if (limit <= 0) {
    return found;
  }
  const range = { start: memoryDueKey(0, 0, 0), end: memoryDueKey(Math.max(0, nowMs) + 1, 0, 0) };
  for (const { key, payload } of rangeIndex(core, "committed", { ...range, page: limit + 3 })) {
    const jobsKey = jobsKeyOf(payload);
    const row = readIndex(core, jobsKey, "committed", decodeJobs);
    const type = TYPES[key.charCodeAt(key.length - 1) - 1];
    const job = row?.jobs.find((of) => of.type === type);
    if (job !== undefined && job.dueMs === readU64(key, 1)) {
      found.push({ ref: refOfJobs(jobsKey), job });
    }
    if (found.length >= limit) {
      break;
    }
  }
  return found;
}

/** When the next job is due that is not due now; undefined when there is none. */
export function nextJobMs(core: Core, nowMs: number): number | undefined {
  const start = memoryDueKey(Math.max(0, nowMs + 1), 0, 0);
  const row = firstOf(core, "committed", { start, end: afterPrefix(TABLE.memoryDue) });
  return row && readU64(row.key, 1);
}

/** The jobs of a namespace by session; those of one session are not split. */
export function listJobs(
  core: Core,
  namespace: string,
  after: string,
  limit: number,
): readonly StoredMemoryJob[] {
  const prefix = memoryJobsPrefix(namespace);
  const range = { start: memoryJobsKey(namespace, after), end: afterPrefix(prefix) };
  const found: StoredMemoryJob[] = [];
  for (const { key, payload } of rangeIndex(core, "committed", { ...range, page: limit + 3 })) {
    if (found.length >= limit) {
      break;
    }
    const ref = refOfJobs(key);
    if (after === "" || ref.sessionId !== after) {
      const { jobs } = decodeRecord("memory jobs", payload, decodeJobs);
      found.push(...jobs.map((job) => ({ ref, job })));
    }
  }
  return found;
}
