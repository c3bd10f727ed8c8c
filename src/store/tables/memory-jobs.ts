// Jobs on memories. Those of a session stand in one record under its id; a list of the namespace
// names them by their numbers, and those that are ready stand in the order in which they are due.
// They go with the session, and with its log.

import { recordCorrupt } from "../../kit/errors.ts";
import { type MemoryJob, type MemoryJobType, taskNoOfJob } from "../../memory/rules/job.ts";
import type { SessionRef } from "../../session/rules/session.ts";
import { lastNumber, numbersUnder, readU64, timesUnder, u64 } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { firstOf, rangeIndex, readIndex, takeRows } from "../engine/reads.ts";
import { ONE_TEXT } from "../engine/table.ts";
import { hasDueJobs } from "../memory-facts.ts";
import { memoryJobsFault } from "../memory-faults.ts";
import type { MemoryJobPlan, StoredMemoryJob } from "../store.ts";
import { type Core, updateOldRows } from "./core.ts";
import { type JobsRow, MEMORY_DUE, MEMORY_JOBS, MEMORY_TASK } from "./memory-tables.ts";
import { unsound } from "./plan-check.ts";
import { nextRevision } from "./replies.ts";

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
  const key = MEMORY_JOBS.key(ref.namespace, ref.sessionId);
  return MEMORY_JOBS.get(core, key, visibility);
}

/** The keys of jobs that are ready in the order in which they are due. */
export function jobDueKeys({ jobs, sessionNo }: JobsRow): readonly string[] {
  return jobs
    .filter(({ state }) => state === "ready")
    .map(({ dueMs, type }) => MEMORY_DUE.key(dueMs, sessionNo, typeNo(type)));
}

/** The keys of jobs in the list of their namespace. */
export function jobListKeys(namespace: string, { jobs }: JobsRow): readonly string[] {
  return jobs.map((job) => MEMORY_TASK.prefix(namespace) + u64(taskNoOfJob(job)));
}

/** The jobs of a session before and after a change. */
export interface JobSteps {
  readonly before: JobsRow | undefined;
  readonly after: readonly MemoryJob[];
  /** One was made or changed that does not wait for the end of a turn. */
  readonly isDue: boolean;
}

/** Reads what a plan for jobs needs, and checks it. Throws an Error that names the fault. */
export function jobSteps(
  core: Core,
  ref: SessionRef,
  plan: MemoryJobPlan | undefined,
  goes: boolean,
): JobSteps | undefined {
  if (plan === undefined && !goes) return undefined;
  const before = readJobsRow(core, ref, "pending");
  const revision = nextRevision(core, ref.namespace);
  const known = goes ? [] : (before?.jobs ?? []);
  const fault = plan && memoryJobsFault(plan, { known, revision });
  if (fault !== undefined) throw unsound(fault);
  const jobs = new Map(known.map((job) => [job.type, job]));
  for (const { job, type } of plan?.put ?? []) {
    if (job === undefined) {
      jobs.delete(type);
    } else {
      jobs.set(type, job);
    }
  }
  return {
    before,
    after: [...jobs.values()].sort((a, b) => typeNo(a.type) - typeNo(b.type)),
    isDue: hasDueJobs(plan),
  };
}

/** Applies what becomes of jobs. */
export function saveJobs(
  core: Core,
  of: SessionRef & { readonly sessionNo: number },
  steps: JobSteps | undefined,
): void {
  if (steps === undefined || (steps.before === undefined && steps.after.length === 0)) return;
  const { memtable, writer } = core;
  if (steps.isDue) writer.report.memoryJobsDue = true;
  const key = MEMORY_JOBS.key(of.namespace, of.sessionId);
  const row = { sessionNo: of.sessionNo, jobs: steps.after };
  memtable.set(key, row.jobs.length === 0 ? null : MEMORY_JOBS.encode(key, row));
  const namingKeys = (jobs: JobsRow) => [...jobDueKeys(jobs), ...jobListKeys(of.namespace, jobs)];
  const old = new Set(steps.before === undefined ? [] : namingKeys(steps.before));
  for (const naming of namingKeys(row)) {
    if (!old.delete(naming)) memtable.set(naming, ONE_TEXT.encode(naming, key));
  }
  for (const naming of old) {
    memtable.set(naming, null);
  }
}

/** The key of jobs that a row of a list or of those due names. */
export function jobsKeyOf(payload: Uint8Array): string {
  return Buffer.from(payload).toString("utf8");
}

/** The session that the key of a record of jobs names. */
function refOfJobs(key: string): SessionRef {
  const [namespace, sessionId] = MEMORY_JOBS.parts(key);
  return { namespace, sessionId };
}

/** Jobs that are due, the longest due first. */
export function dueJobs(core: Core, nowMs: number, limit: number): readonly StoredMemoryJob[] {
  const found: StoredMemoryJob[] = [];
  if (limit <= 0) return found;
  const range = { ...timesUnder(MEMORY_DUE.id, nowMs), page: limit + 3 };
  for (const { key, payload } of rangeIndex(core, "committed", range)) {
    const jobsKey = jobsKeyOf(payload);
    const row = MEMORY_JOBS.get(core, jobsKey, "committed");
    const type = TYPES[key.charCodeAt(key.length - 1) - 1];
    const job = row?.jobs.find((of) => of.type === type);
    if (job !== undefined && job.dueMs === readU64(key, 1)) {
      found.push({ ref: refOfJobs(jobsKey), job });
    }
    if (found.length >= limit) break;
  }
  return found;
}

/** When the next job is due that is not due now; undefined when there is none. */
export function nextJobMs(core: Core, nowMs: number): number | undefined {
  const later = numbersUnder(MEMORY_DUE.id, { after: Math.max(-1, nowMs) });
  const row = firstOf(core, "committed", later);
  return row && readU64(row.key, 1);
}

/** The jobs of a namespace by rising number. */
export function listJobs(
  core: Core,
  namespace: string,
  after: number,
  limit: number,
): readonly StoredMemoryJob[] {
  const range = numbersUnder(MEMORY_TASK.prefix(namespace), { after });
  return takeRows(core, "committed", range, limit).map(({ key, payload }) =>
    listedJob(core, jobsKeyOf(payload), lastNumber(key)),
  );
}

/** A job by its number; undefined when there is none. */
export function readJob(
  core: Core,
  namespace: string,
  taskNo: number,
): StoredMemoryJob | undefined {
  const key = MEMORY_TASK.prefix(namespace) + u64(taskNo);
  const jobsKey = readIndex(core, key, "committed", jobsKeyOf);
  return jobsKey === undefined ? undefined : listedJob(core, jobsKey, taskNo);
}

/** A job that the list of its namespace names. Throws RECORD_CORRUPT when it is missing. */
function listedJob(core: Core, jobsKey: string, taskNo: number): StoredMemoryJob {
  const row = MEMORY_JOBS.get(core, jobsKey, "committed");
  const job = row?.jobs.find((one) => taskNoOfJob(one) === taskNo);
  if (job === undefined) throw recordCorrupt(`task ${taskNo} is listed but missing`);
  return { ref: refOfJobs(jobsKey), job };
}

/** Lists the jobs that were written before they had numbers. */
export function listOldJobs(core: Core): Promise<void> {
  return updateOldRows(core, MEMORY_JOBS, (key, row) => {
    if (row.isUnnumbered !== true) return;
    const { jobs, sessionNo } = row;
    const steps = { before: { ...row, jobs: [] }, after: jobs, isDue: false };
    saveJobs(core, { ...refOfJobs(key), sessionNo }, steps);
  });
}
