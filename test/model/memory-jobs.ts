// Jobs on memories in the memory engine. They stand beside the sessions that wait for them.

import { type MemoryJob, taskNoOfJob } from "../../src/memory/rules/job.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import { memoryJobsFault } from "../../src/store/memory-faults.ts";
import type { MemoryJobPlan, StoredMemoryJob } from "../../src/store/store.ts";
import { type MemoryState, namespaceOf, nextRevision } from "./state.ts";

/** The jobs of a session by type. */
export function jobsOf(state: MemoryState, ref: SessionRef): readonly MemoryJob[] {
  const jobs = state.namespaces.get(ref.namespace)?.memoryJobs.get(ref.sessionId);
  return [...(jobs?.values() ?? [])].sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** Checks what a plan does to jobs. Throws an Error that names the fault. */
export function checkJobs(
  state: MemoryState,
  ref: SessionRef,
  plan: MemoryJobPlan | undefined,
  goes = false,
): void {
  const base = {
    known: goes ? [] : jobsOf(state, ref),
    revision: nextRevision(state, ref.namespace),
  };
  const fault = plan && memoryJobsFault(plan, base);
  if (fault !== undefined) throw new Error(`The plan is faulty: ${fault}.`);
}

/** Does what a plan does to the jobs of a session. */
export function saveJobs(
  state: MemoryState,
  ref: SessionRef,
  plan: MemoryJobPlan | undefined,
): void {
  const { memoryJobs } = namespaceOf(state, ref.namespace);
  const jobs = memoryJobs.get(ref.sessionId) ?? new Map();
  for (const { job, type } of plan?.put ?? []) {
    if (job === undefined) jobs.delete(type);
    else jobs.set(type, structuredClone(job));
  }
  if (jobs.size === 0) memoryJobs.delete(ref.sessionId);
  else memoryJobs.set(ref.sessionId, jobs);
}

/** Removes the jobs of a session whose log goes. */
export function dropJobs(state: MemoryState, ref: SessionRef): void {
  namespaceOf(state, ref.namespace).memoryJobs.delete(ref.sessionId);
}

function allJobs(state: MemoryState): readonly StoredMemoryJob[] {
  const refs = [...state.namespaces].flatMap(([namespace, { sessions }]) =>
    [...sessions].map(([sessionId, { sessionNo }]) => ({ namespace, sessionId, sessionNo })),
  );
  return refs
    .sort((a, b) => a.sessionNo - b.sessionNo)
    .flatMap(({ sessionNo: _no, ...ref }) => jobsOf(state, ref).map((job) => ({ ref, job })));
}

/** Jobs that are due, the longest due first. */
export function dueJobs(
  state: MemoryState,
  nowMs: number,
  limit: number,
): readonly StoredMemoryJob[] {
  return allJobs(state)
    .filter(({ job }) => job.state === "ready" && job.dueMs <= nowMs)
    .sort((a, b) => a.job.dueMs - b.job.dueMs)
    .slice(0, limit);
}

/** When the next job is due that is not due now. */
export function nextJobMs(state: MemoryState, nowMs: number): number | undefined {
  const later = allJobs(state).flatMap(({ job }) =>
    job.state === "ready" && job.dueMs > nowMs ? job.dueMs : [],
  );
  return later.length === 0 ? undefined : Math.min(...later);
}

function jobsIn(state: MemoryState, namespace: string): readonly StoredMemoryJob[] {
  const ids = [...(state.namespaces.get(namespace)?.memoryJobs.keys() ?? [])];
  return ids
    .map((sessionId) => ({ namespace, sessionId }))
    .flatMap((ref) => jobsOf(state, ref).map((job) => ({ ref, job })));
}

/** The jobs of a namespace by rising number. */
export function listJobs(
  state: MemoryState,
  namespace: string,
  after: number,
  limit: number,
): readonly StoredMemoryJob[] {
  return jobsIn(state, namespace)
    .filter(({ job }) => taskNoOfJob(job) > after)
    .sort((a, b) => taskNoOfJob(a.job) - taskNoOfJob(b.job))
    .slice(0, limit);
}

/** A job by its number; undefined when there is none. */
export function readJob(
  state: MemoryState,
  namespace: string,
  taskNo: number,
): StoredMemoryJob | undefined {
  return jobsIn(state, namespace).find(({ job }) => taskNoOfJob(job) === taskNo);
}
