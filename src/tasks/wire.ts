// Conversion of tasks and their summaries between the domain and the wire.

import * as adminServiceWire from "../gen/memorysidecar/v1/admin_service.ts";
import {
  type Summary,
  type SummaryOrigin,
  SummaryPlacement,
} from "../gen/memorysidecar/v1/summary.ts";
import * as wire from "../gen/memorysidecar/v1/task.ts";
import { LeasedTask as LeasedTaskCodec } from "../gen/memorysidecar/v1/task.ts";
import type { CompleteTaskRequest } from "../gen/memorysidecar/v1/task_service.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { spliceField } from "../grpc/splice.ts";
import { toDuration, toTimestamp } from "../grpc/time.ts";
import { type DirectWork, type Hook, summarizesByWorkers } from "../hooks/port.ts";
import {
  DIRECT_WORKS,
  encodeSummarizeInput,
  fromSummarizeOutput,
  isDoneBy,
  workRow,
} from "../hooks/works.ts";
import { MEMORY_JOB_ATTEMPTS, taskNoOfJob } from "../memory/rules/job.ts";
import type { SummaryOutput, SummaryRecord } from "../summary/rules/summary.ts";
import { toSummarize } from "../window/policy-wire.ts";
import { toSeqRange, toTotals, toTriggerHit } from "../window/wire.ts";
import type {
  DirectOutput,
  DirectTaskInfo,
  DurableTaskInfo,
  HookInfo,
  LeasedDirect,
  LeasedTask,
  ListedSummary,
  MemoryTaskInfo,
  TaskInfo,
} from "./api.ts";
import { type Task, type TaskFailure, taskIdOf } from "./rules/task.ts";

/** The public numbers of the reasons of failures, in their order. */
export const FAILURE_REASONS = numbersByWord(wire.TaskFailureReason);
/** The public numbers of the states of tasks. */
export const TASK_STATES = numbersByWord(wire.TaskState);
/** The public numbers of the types of tasks. */
export const TASK_TYPES = numbersByWord(wire.TaskType);

const PLACEMENTS = numbersByWord(SummaryPlacement);

/** Turns a durable task into its public form. */
export function toTask(info: DurableTaskInfo): wire.HookTask {
  return "task" in info ? toSummaryTask(info) : toMemoryTask(info);
}

function toMemoryTask({ ref, job, state, hook, worker }: MemoryTaskInfo): wire.HookTask {
  const { lastFailure } = job;
  return {
    ...{ namespace: ref.namespace, sessionId: ref.sessionId, hook, stage: "" },
    taskId: taskIdOf(taskNoOfJob(job)),
    type: TASK_TYPES[job.type],
    state: TASK_STATES[state],
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
    state: TASK_STATES[state],
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

/** Turns a direct task that a worker has taken into its public form. */
export function toDirectTask(task: DirectTaskInfo): wire.HookTask {
  const { lastFailure } = task;
  return {
    ...{ namespace: task.namespace, taskId: task.taskId, hook: task.hook },
    ...{ type: TASK_TYPES[task.input.kind], sessionId: "", stage: "", work: undefined },
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
  return { reason: FAILURE_REASONS[reason], message, createTime: toTimestamp(atMs) };
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

// Conversion of hooks, their inputs and outputs between the domain and the wire.

// The field that is spliced in, as in task.proto.
const SUMMARIZE_FIELD = 3;
const NOTHING = new Uint8Array(0);

const KINDS = numbersByWord(adminServiceWire.HookKind);
const BREAKERS = numbersByWord(adminServiceWire.BreakerState);

function taskTypesOf(hook: Hook): wire.TaskType[] {
  const summarizes = hook.summarize !== undefined || summarizesByWorkers(hook);
  const works = DIRECT_WORKS.filter((work) => isDoneBy(hook, work));
  return [...(summarizes ? (["summarize"] as const) : []), ...works].map(
    (type) => TASK_TYPES[type],
  );
}

/** Turns a hook into its public form. */
export function toHook(info: HookInfo): adminServiceWire.Hook {
  const { hook, breaker, retryMs, usage } = info;
  const { settings } = hook;
  const isPolled = hook.kind === "poll";
  return {
    name: hook.name,
    kind: KINDS[hook.kind],
    taskTypes: taskTypesOf(hook),
    isDefault: info.isDefault,
    breaker: breaker === undefined ? adminServiceWire.BreakerState.UNSPECIFIED : BREAKERS[breaker],
    retryTime: retryMs === undefined ? undefined : toTimestamp(retryMs),
    runningCalls: isPolled ? 0 : info.runningCalls,
    maxRunningCalls: isPolled ? 0 : settings.concurrency,
    callCount: BigInt(info.callCount),
    failures: [...info.failures]
      .filter(([, count]) => count > 0)
      .map(([reason, count]) => ({ reason: FAILURE_REASONS[reason], count: BigInt(count) }))
      .sort((a, b) => a.reason - b.reason),
    timeout: isPolled ? undefined : toDuration(settings.timeoutMs),
    callsPerHour: BigInt(settings.callsPerHour),
    tokensPerHour: BigInt(settings.tokensPerHour),
    usedCalls: BigInt(usage.calls),
    usedTokens: BigInt(usage.tokens),
  };
}

/** Returns the wire form of a task that a worker has taken. */
export function encodeLeasedTask(leased: LeasedTask): Uint8Array {
  if ("direct" in leased) return encodeDirect(leased);
  const { leaseToken, input } = leased;
  const rest = encodeWire(LeasedTaskCodec, { task: toTask(leased), leaseToken, input: undefined });
  return spliceField(SUMMARIZE_FIELD, [encodeSummarizeInput(input)], rest);
}

function encodeDirect({ direct, leaseToken }: LeasedDirect): Uint8Array {
  const task = toDirectTask(direct);
  const rest = encodeWire(LeasedTaskCodec, { task, leaseToken, input: undefined });
  const { kind } = direct.input;
  const { taskField, encode } = workRow<DirectWork>(kind);
  const input = spliceField(taskField, [encode(direct.input)], NOTHING);
  // Messages come first on the wire, as in every answer into which stored messages are spliced.
  return Buffer.concat(kind === "extract" ? [input, rest] : [rest, input]);
}

/** Returns a worker's result unchecked: the service checks it. */
export function fromTaskOutput(
  output: NonNullable<CompleteTaskRequest["output"]>,
): SummaryOutput | DirectOutput {
  if (output.$case === "summarize") return fromSummarizeOutput(output.value);
  const { decode } = workRow<DirectWork>(output.$case);
  return { kind: output.$case, answer: decode(output.value) };
}
