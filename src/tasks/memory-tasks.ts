// Memory jobs as tasks: listed, shown, retried and deleted like other tasks. Only the server runs
// them, by calling their hooks, so no worker is stored.

import {
  type ChangeOptions,
  type Changing,
  changeSession,
  replayOf,
  saved,
} from "../core/change.ts";
import { checkJobHook } from "../core/check-hooks.ts";
import type { ServiceContext } from "../core/context.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import { taskNotFound } from "../kit/errors.ts";
import {
  hookOfJob,
  type MemoryJob,
  type MemoryJobType,
  TURN_END_MS,
  taskNoOfJob,
} from "../memory/rules/job.ts";
import type { SessionRef } from "../session/rules/session.ts";
import type { SessionDecision, StoredMemoryJob } from "../store/store.ts";
import type {
  DeleteTaskInput,
  DurableTaskPage,
  ListTasksInput,
  MemoryTaskInfo,
  RetryTaskInput,
  TaskRef,
} from "./api.ts";
import { hourOf } from "./rules/budget.ts";
import { serverWorkerOf } from "./rules/task.ts";

/** Most jobs that one call reads, listed or not. */
const LOOKED_MAX = 10_000;
const PAGE = 500;

/** Runner of jobs. */
interface JobDoer {
  isRunning(ref: SessionRef, type: MemoryJobType): boolean;
  /** Checks the resting jobs too. */
  retry(): void;
}

/** Dependencies for showing and changing jobs. */
export interface MemoryTaskParts {
  readonly context: ServiceContext;
  readonly memoryJobs: JobDoer;
}

function infoOf(parts: MemoryTaskParts, { ref, job }: StoredMemoryJob): MemoryTaskInfo {
  const state = stateOf(parts, ref, job);
  const { instanceId } = parts.context.store;
  const worker = state === "leased" ? serverWorkerOf(instanceId) : "";
  return { ref, job, state, worker, hook: hookOfJob(job) };
}

function stateOf({ memoryJobs }: MemoryTaskParts, ref: SessionRef, job: MemoryJob) {
  if (job.state === "dead") return "dead";
  if (memoryJobs.isRunning(ref, job.type)) return "leased";
  return job.dueMs >= TURN_END_MS ? "waiting" : "ready";
}

/** Lists jobs by rising number. */
export async function listMemoryTasks(
  parts: MemoryTaskParts,
  call: Call,
  input: ListTasksInput,
): Promise<DurableTaskPage> {
  const { namespace, sessionId, type, hook, state, limit } = input;
  if (type !== undefined && type !== "extract" && type !== "score") {
    return { tasks: [], next: undefined };
  }
  const isMeant = (info: MemoryTaskInfo): boolean =>
    (type === undefined || info.job.type === type) &&
    (hook === undefined || info.hook === hook) &&
    (state === undefined || info.state === state);
  if (sessionId !== undefined) return await listOfSession(parts, input, isMeant);
  const tasks: MemoryTaskInfo[] = [];
  let after = input.after ?? 0;
  for (let looked = 0; looked < LOOKED_MAX; looked += PAGE) {
    if (call.signal.aborted) break;
    const page = await parts.context.store.listMemoryJobs(namespace, after, PAGE);
    for (const one of page) {
      if (tasks.length >= limit) return { tasks, next: after };
      after = taskNoOfJob(one.job);
      const info = infoOf(parts, one);
      if (isMeant(info)) tasks.push(info);
    }
    if (page.length < PAGE) return { tasks, next: undefined };
  }
  return { tasks, next: after };
}

/** Lists the jobs of one session, which has at most one of each type. */
async function listOfSession(
  parts: MemoryTaskParts,
  { namespace, sessionId = "", after = 0 }: ListTasksInput,
  isMeant: (info: MemoryTaskInfo) => boolean,
): Promise<DurableTaskPage> {
  const ref = { namespace, sessionId };
  const jobs = await parts.context.store.readMemoryJobs(ref);
  const left = jobs.filter((job) => taskNoOfJob(job) > after);
  const tasks = left.map((job) => infoOf(parts, { ref, job })).filter(isMeant);
  return { tasks, next: undefined };
}

/** Gives a job. */
export async function getMemoryTask(
  parts: MemoryTaskParts,
  { namespace, taskId }: TaskRef,
  taskNo: number,
): Promise<MemoryTaskInfo> {
  const stored = await parts.context.store.readMemoryJob(namespace, taskNo);
  if (stored === undefined) throw taskNotFound(taskId);
  return infoOf(parts, stored);
}

/** Makes a job ready now, with all its attempts. A running job is left unchanged. */
export async function retryMemoryTask(
  parts: MemoryTaskParts,
  call: Call,
  input: RetryTaskInput,
  taskNo: number,
): Promise<Uint8Array> {
  const { context, memoryJobs } = parts;
  const changing: JobChange = { context, call, input, taskNo, nowMs: context.world.nowMs() };
  const bytes = await changeJob(changing, {}, ({ ref, job }) => {
    checkJobHook(context, job);
    const isRunning = memoryJobs.isRunning(ref, job.type);
    const again: MemoryJob = { ...job, state: "ready", dueMs: changing.nowMs, failedAttempts: 0 };
    const next = isRunning ? job : again;
    return { next, bytes: input.encode(infoOf(parts, { ref, job: next })) };
  });
  if (bytes === undefined) throw taskNotFound(input.taskId);
  memoryJobs.retry();
  return bytes;
}

/** Gives up a job: its messages are skipped. Undefined when there is none. */
export async function deleteMemoryTask(
  { context }: MemoryTaskParts,
  call: Call,
  input: DeleteTaskInput,
  taskNo: number,
): Promise<Uint8Array | undefined> {
  const changing: JobChange = { context, call, input, taskNo, nowMs: context.world.nowMs() };
  return await changeJob(changing, { allowWhenFull: true }, () => ({
    next: undefined,
    bytes: input.encode(),
  }));
}

interface JobChange extends Changing {
  readonly input: TaskRef;
  readonly taskNo: number;
}

/** Next state of a job, and the answer. */
interface Changed {
  readonly next: MemoryJob | undefined;
  readonly bytes: Uint8Array;
}

/** Changes a job with its session; undefined when there is none. */
async function changeJob(
  changing: JobChange,
  options: ChangeOptions,
  decide: (stored: StoredMemoryJob) => Changed,
): Promise<Uint8Array | undefined> {
  const { context, call, input, taskNo } = changing;
  const known = await context.store.readMemoryJob(input.namespace, taskNo);
  if (known === undefined) return await replayWithout(changing);
  const { ref } = known;
  return await changeSession<Uint8Array | undefined>(
    context,
    call,
    { ...ref, ...options },
    (view): SessionDecision<Uint8Array | undefined> => {
      const { session, revision } = view;
      const job = view.memoryJobs().find((one) => taskNoOfJob(one) === taskNo);
      // The job went with its session meanwhile, or it was done.
      if (session === undefined || job === undefined) return { kind: "answer", result: undefined };
      const { next, bytes } = decide({ ref, job });
      // The session was not used: its time to live is not renewed.
      const head = { ...session.head, revision };
      const plan = { head, memoryJobs: { put: [{ type: job.type, job: next }] } };
      const details = [{ type: EVENT_TYPE.sessionUpdated, paths: ["memory_tasks"] }];
      return saved(changing, view, { result: bytes, session, plan, details, bytes });
    },
  );
}

/** The answer to a repeated call whose job is gone. */
async function replayWithout({
  context,
  call,
  input: { namespace },
  taskNo,
  nowMs,
}: JobChange): Promise<Uint8Array | undefined> {
  const change = { namespace, taskNo, hour: hourOf(nowMs), requestId: call.requestId };
  return await context.store.changeTask<Uint8Array | undefined>(change, ({ reply }) => ({
    kind: "answer",
    result: replayOf(context, call, reply),
  }));
}
