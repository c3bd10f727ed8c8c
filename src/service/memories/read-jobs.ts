// ListMemoryJobs and RetryMemoryJob: what sessions wait for, and trying it again now or giving it
// up.

import { sessionNotFound } from "../../domain/errors.ts";
import { EVENT_TYPE } from "../../domain/event.ts";
import { memoryJobNotFound } from "../../domain/memories/errors.ts";
import type { MemoryJob } from "../../domain/memories/job.ts";
import type { SessionRef } from "../../domain/session.ts";
import type {
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredMemoryJob,
} from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { changeSession, checkLive, replyPart } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import type {
  ListMemoryJobsInput,
  MemoryServiceApi,
  RetryMemoryJobInput,
  ShownMemoryJob,
} from "../memory-api.ts";
import { newEvents } from "../new-events.ts";
import type { MemoryJobs } from "./jobs.ts";
import { hookOfJob } from "./run-job.ts";

/** Jobs of one session at most. */
const TYPES = 2;
/** Jobs that one call looks at, shown or not. */
const LOOKED_MAX = 10_000;
const PAGE = 500;

interface JobParts {
  readonly context: ServiceContext;
  readonly jobs: Pick<MemoryJobs, "isRunning" | "retry">;
}

function shown({ jobs }: JobParts, ref: SessionRef, job: MemoryJob): ShownMemoryJob {
  const isLeased = jobs.isRunning(ref, job.type);
  return { sessionId: ref.sessionId, job, isLeased, hook: hookOfJob(job) };
}

/** Lists the jobs of a namespace by session; those of one session are never parted. */
export async function listMemoryJobs(
  parts: JobParts,
  call: Call,
  input: ListMemoryJobsInput,
): ReturnType<MemoryServiceApi["listMemoryJobs"]> {
  checkLive(call.signal);
  const { namespace, sessionId, limit } = input;
  const { store } = parts.context;
  const isMeant = ({ job, isLeased }: ShownMemoryJob): boolean =>
    input.state === undefined || input.state === (isLeased ? "leased" : job.state);
  if (sessionId !== "") {
    const ref = { namespace, sessionId };
    const own = input.after === "" ? await store.readMemoryJobs(ref) : [];
    return { jobs: own.map((job) => shown(parts, ref, job)).filter(isMeant), next: undefined };
  }
  const found: ShownMemoryJob[] = [];
  let { after } = input;
  for (let looked = 0; looked < LOOKED_MAX; ) {
    const page = wholeSessions(await store.listMemoryJobs(namespace, after, PAGE));
    for (const [index, { ref, job }] of page.jobs.entries()) {
      const isNext = ref.sessionId !== after;
      if (isNext && found.length >= limit) return { jobs: found, next: after };
      after = ref.sessionId;
      const one = shown(parts, page.jobs[index]?.ref ?? ref, job);
      if (isMeant(one)) found.push(one);
    }
    if (page.isEnd) return { jobs: found, next: undefined };
    looked += page.jobs.length;
  }
  return { jobs: found, next: after };
}

/** A page without the session at its end, of which a job may be missing. */
function wholeSessions(jobs: readonly StoredMemoryJob[]): {
  readonly jobs: readonly StoredMemoryJob[];
  readonly isEnd: boolean;
} {
  if (jobs.length < PAGE) return { jobs, isEnd: true };
  const last = jobs.at(-1)?.ref.sessionId;
  const own = jobs.filter(({ ref }) => ref.sessionId === last).length;
  return { jobs: own === TYPES ? jobs : jobs.slice(0, -own), isEnd: false };
}

/** Tries a job of a session again now, or gives it up. */
export async function retryMemoryJob(
  parts: JobParts,
  call: Call,
  input: RetryMemoryJobInput,
): Promise<Uint8Array> {
  const { context, jobs } = parts;
  const { namespace, sessionId, type } = input;
  const nowMs = context.world.nowMs();
  const ref = { namespace, sessionId };
  const bytes = await changeSession<Uint8Array>(context, call, ref, (view) =>
    decide({ parts, call, input, nowMs }, view),
  );
  if (!input.discard) jobs.retry(ref, type);
  return bytes;
}

interface Retrying {
  readonly parts: JobParts;
  readonly call: Call;
  readonly input: RetryMemoryJobInput;
  readonly nowMs: number;
}

function decide(
  { parts, call, input, nowMs }: Retrying,
  view: SessionView,
): SessionDecision<Uint8Array> {
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const job = view.memoryJobs().find(({ type }) => type === input.type);
  if (job === undefined) throw memoryJobNotFound(input.sessionId);
  const next: MemoryJob | undefined = input.discard
    ? undefined
    : { ...job, state: "ready", dueMs: nowMs, failedAttempts: 0 };
  const bytes = input.encode(next && shown(parts, input, next));
  const origin = { session, revision, nowMs, requestId: call.requestId };
  const plan: SessionPlan = {
    // The session was not used: its time to live goes on.
    head: { ...session.head, revision },
    memoryJobs: { put: [{ type: input.type, job: next }] },
    events: newEvents(parts.context, origin, [
      { type: EVENT_TYPE.sessionUpdated, paths: ["memory_jobs"] },
    ]),
    ...replyPart(call, nowMs, bytes),
  };
  return { kind: "save", result: bytes, plan };
}
