// Tasks and the summaries that they make, between the domain and the wire.

import { MEMORY_JOB_ATTEMPTS, taskNoOfJob } from "../../domain/memories/job.ts";
import type { SummaryRecord } from "../../domain/summaries/summary.ts";
import {
  TASK_FAILURES,
  type Task,
  type TaskFailure,
  type TaskFailureReason,
  type TaskState,
  taskIdOf,
} from "../../domain/tasks/task.ts";
import {
  type Summary,
  type SummaryOrigin,
  SummaryPlacement,
} from "../../gen/memorysidecar/v1/summary.ts";
import * as wire from "../../gen/memorysidecar/v1/task.ts";
import type {
  DirectTaskInfo,
  DurableTaskInfo,
  ListedSummary,
  MemoryTaskInfo,
  TaskInfo,
  TaskType,
} from "../../service/tasks-api.ts";
import { toSummarize } from "./policy-summary.ts";
import { toDuration, toTimestamp } from "./time.ts";
import { toSeqRange, toTotals, toTriggerHit } from "./window.ts";

export { toSummarize };

/** The reasons of failures by their public numbers; the first stands for none. */
const FAILURE_NUMBERS = {
  unreachable: wire.TaskFailureReason.UNREACHABLE,
  timeout: wire.TaskFailureReason.TIMEOUT,
  busy: wire.TaskFailureReason.BUSY,
  "hook-error": wire.TaskFailureReason.HOOK_ERROR,
  refused: wire.TaskFailureReason.REFUSED,
  "invalid-output": wire.TaskFailureReason.INVALID_OUTPUT,
  "empty-output": wire.TaskFailureReason.EMPTY_OUTPUT,
  "output-too-long": wire.TaskFailureReason.OUTPUT_TOO_LONG,
  worker: wire.TaskFailureReason.WORKER,
  "no-hook": wire.TaskFailureReason.NO_HOOK,
} as const satisfies Readonly<Record<TaskFailureReason, wire.TaskFailureReason>>;

const STATE_NUMBERS = {
  ready: wire.TaskState.READY,
  leased: wire.TaskState.LEASED,
  waiting: wire.TaskState.WAITING,
  dead: wire.TaskState.DEAD,
} as const satisfies Readonly<Record<TaskState, wire.TaskState>>;

const STATES = Object.keys(STATE_NUMBERS) as readonly TaskState[];

const TYPE_NUMBERS = {
  summarize: wire.TaskType.SUMMARIZE,
  embed: wire.TaskType.EMBED,
  rerank: wire.TaskType.RERANK,
  extract: wire.TaskType.EXTRACT,
  score: wire.TaskType.SCORE,
  resolve: wire.TaskType.RESOLVE,
} as const satisfies Readonly<Record<TaskType, wire.TaskType>>;

const TYPES = Object.keys(TYPE_NUMBERS) as readonly TaskType[];

const PLACEMENTS = {
  session: SummaryPlacement.SESSION,
  "in-place": SummaryPlacement.IN_PLACE,
} as const;

/** The reasons of failures in the order of their public numbers. */
export const FAILURE_REASONS: readonly TaskFailureReason[] = [...TASK_FAILURES].sort(
  (a, b) => FAILURE_NUMBERS[a] - FAILURE_NUMBERS[b],
);

/** The public number of the reason of a failure. */
export function toFailureReason(reason: TaskFailureReason): wire.TaskFailureReason {
  return FAILURE_NUMBERS[reason];
}

/** The public number of the state of a task. */
export function toTaskState(state: TaskState): wire.TaskState {
  return STATE_NUMBERS[state];
}

/** The state that a number stands for; undefined for none, which is any. */
export function fromTaskState(state: wire.TaskState): TaskState | undefined {
  return STATES.find((known) => STATE_NUMBERS[known] === state);
}

/** The public number of what a hook does. */
export function toTaskType(type: TaskType): wire.TaskType {
  return TYPE_NUMBERS[type];
}

/** The type that a number stands for; undefined for none, which is any. */
export function fromTaskType(type: wire.TaskType): TaskType | undefined {
  return TYPES.find((known) => TYPE_NUMBERS[known] === type);
}

/** Turns a durable task into its public form. */
export function toTask(info: DurableTaskInfo): wire.HookTask {
  return "task" in info ? toSummaryTask(info) : toMemoryTask(info);
}

function toMemoryTask({ ref, job, state, hook, worker }: MemoryTaskInfo): wire.HookTask {
  const { lastFailure } = job;
  return {
    ...{ namespace: ref.namespace, sessionId: ref.sessionId, hook, stage: "" },
    taskId: taskIdOf(taskNoOfJob(job)),
    type: toTaskType(job.type),
    state: toTaskState(state),
    failedAttempts: job.failedAttempts,
    maxAttempts: MEMORY_JOB_ATTEMPTS,
    callCount: job.callCount,
    readyTime: state === "ready" ? toTimestamp(job.dueMs) : undefined,
    leaseExpireTime: undefined,
    workerId: worker,
    lastFailure: lastFailure === undefined ? undefined : toFailure(lastFailure),
    work: { $case: "memory", value: { seqRanges: job.ranges.map(toSeqRange) } },
    createTime: toTimestamp(job.createMs),
  };
}

function toSummaryTask({ task, maxAttempts }: TaskInfo): wire.HookTask {
  const { state, dueMs, lease, lastFailure } = task;
  const isLeased = state === "leased";
  return {
    namespace: task.namespace,
    taskId: taskIdOf(task.taskNo),
    type: wire.TaskType.SUMMARIZE,
    sessionId: task.sessionId,
    hook: task.hook,
    stage: task.stage,
    state: toTaskState(state),
    failedAttempts: task.failedAttempts,
    maxAttempts,
    callCount: task.callCount,
    readyTime: state === "ready" ? toTimestamp(dueMs) : undefined,
    leaseExpireTime: isLeased ? toTimestamp(dueMs) : undefined,
    workerId: isLeased ? (lease?.worker ?? "") : "",
    lastFailure: lastFailure === undefined ? undefined : toFailure(lastFailure),
    work: { $case: "summarize", value: toWork(task) },
    createTime: toTimestamp(task.createMs),
  };
}

/** Turns a task that is not durable, and that a worker has, into its public form. */
export function toDirectTask(task: DirectTaskInfo): wire.HookTask {
  const { lastFailure } = task;
  return {
    ...{ namespace: task.namespace, taskId: task.taskId, hook: task.hook },
    ...{ type: toTaskType(task.input.kind), sessionId: "", stage: "", work: undefined },
    state: wire.TaskState.LEASED,
    failedAttempts: task.failedAttempts,
    maxAttempts: task.maxAttempts,
    callCount: task.callCount,
    readyTime: undefined,
    leaseExpireTime: toTimestamp(task.leaseEndMs),
    workerId: task.workerId,
    lastFailure: lastFailure === undefined ? undefined : toFailure(lastFailure),
    createTime: toTimestamp(task.createMs),
  };
}

/** Turns a failed attempt into its public form. */
export function toFailure({ reason, message, atMs }: TaskFailure): wire.TaskFailure {
  return { reason: toFailureReason(reason), message, createTime: toTimestamp(atMs) };
}

function toWork({ summarize }: Task): wire.SummarizeWork {
  return {
    seqRanges: summarize.ranges.map(toSeqRange),
    madeMessageIds: summarize.made.map(({ messageId }) => messageId),
    sourceTotals: toTotals(summarize.sources),
    options: toSummarize(summarize.spec),
    loop: summarize.loop,
    level: summarize.level,
    triggers: summarize.triggers.map(toTriggerHit),
  };
}

/** Turns a summary that a session has had into its public form, with its origin. */
export function toListedSummary({ record, current }: ListedSummary): Summary {
  return {
    text: record.text,
    tokenCount: Math.floor(record.tokenCount),
    version: BigInt(record.version),
    createTime: toTimestamp(record.createMs),
    seqRanges: record.ranges.map(toSeqRange),
    hook: record.hook,
    trust: record.trust,
    placement: PLACEMENTS[record.placement],
    placedMessageId: record.placedMessageId,
    firstMessageTime: undefined,
    level: record.level,
    stage: record.stage,
    current,
    origin: toOrigin(record),
  };
}

function toOrigin(record: SummaryRecord): SummaryOrigin {
  return {
    addedSeqRanges: record.added.map(toSeqRange),
    sourceTotals: toTotals(record.sources),
    sourceVersions: record.sourceVersions.map(BigInt),
    taskId: record.taskId,
    model: record.model,
    inputTokens: BigInt(record.inputTokens),
    outputTokens: BigInt(record.outputTokens),
    callCount: record.callCount,
    duration: record.taskId === "" ? undefined : toDuration(record.durationMs),
    placeholder: record.placeholder,
  };
}
