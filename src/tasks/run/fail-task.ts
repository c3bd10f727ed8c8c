// Handles a failed attempt: the task rests and is retried, or it is given up and its messages stay,
// leave or get a placeholder, as its stage says.

import { type Saving, saved } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import type { Call } from "../../kit/call.ts";
import type { TaskFailureReason } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { chance } from "../../kit/world.ts";
import type { SessionDecision, TaskPlan } from "../../store/store.ts";
import {
  applyOutput,
  dropInputs,
  type Effect,
  entriesOf,
  inputsIn,
  keepsInputs,
} from "../../summary/effect.ts";
import { placeholderText } from "../../summary/rules/compose.ts";
import type { SummaryOutput } from "../../summary/rules/summary.ts";
import { nextPart, staleness, superseded } from "../../summary/supersede.ts";
import type { SummaryFailure } from "../../window/policy/summary-spec.ts";
import type { FailTaskInput, LeaseRef } from "../api.ts";
import { backoffMs } from "../rules/breaker.ts";
import { dead, failed, isLastFailure } from "../rules/lifecycle.ts";
import { isLive, type Task, type TaskState, taskIdOf } from "../rules/task.ts";
import { type HeldView, type Settling, settle, usagePart } from "../settle.ts";

/** Attempts of a task whose hook is no longer in the configuration. */
const GONE_HOOK_ATTEMPTS = 5;

/** Failure of an attempt. */
export interface AttemptFailure {
  readonly reason: TaskFailureReason;
  /** Message without content, at most LIMITS.taskFailureBytes. */
  readonly message: string;
  /** Retry delay that the hook asked for. */
  readonly retryDelayMs?: number | undefined;
  /** Whether the attempt counts against the task's limit. */
  readonly counts: boolean;
  /** A retry does not help. */
  readonly permanent: boolean;
  /** At least 0 and below 1: jitter of the wait. */
  readonly random: number;
  /** Tokens of the call, as reported by the hook. Default: unknown. */
  readonly taken?: Pick<SummaryOutput, "inputTokens" | "outputTokens">;
}

/** A failure as it is reported: by default it counts, and a retry may help. */
export type ReportedFailure = Pick<AttemptFailure, "reason" | "message"> & Partial<AttemptFailure>;

/** Outcome of failing a task. */
export type FailResult =
  | {
      readonly kind: "failed";
      /** `dead` as well when an earlier draft became the summary. */
      readonly state: Extract<TaskState, "ready" | "dead">;
      readonly dueMs: number;
      readonly revision: number;
      /** The answer from `encode`. */
      readonly bytes: Uint8Array | undefined;
    }
  | { readonly kind: "replayed"; readonly bytes: Uint8Array };

/** Makes the answer of a call that failed a task. */
type EncodeFail = FailTaskInput["encode"];

/** Changes that a failure makes, and the state of the task afterwards. */
export interface FailedOutcome extends Pick<Saving<never>, "session" | "plan" | "details"> {
  readonly state: "ready" | "dead";
  readonly dueMs: number;
}

/**
 * Ends an attempt as failed. Throws TASK_NOT_FOUND when the task or its session is gone, and
 * LEASE_LOST when another has it.
 */
export async function applyFailure(
  context: ServiceContext,
  call: Call,
  { encode, ...ref }: LeaseRef & { readonly encode?: EncodeFail },
  reported: ReportedFailure,
): Promise<FailResult> {
  const random = chance(context.world);
  const failure: AttemptFailure = { counts: true, permanent: false, random, ...reported };
  // Allowed while the store is full: the store does not grow, and a task must not hang.
  const target = { ref, allowWhenFull: true };
  const settled = await settle<FailResult>(context, call, target, (settling, held) => {
    const outcome = failOutcome(settling, held, failure);
    return decided(settling, held, outcome, encode);
  });
  return settled.kind === "replayed" ? settled : settled.result;
}

function decided(
  settling: Settling,
  held: HeldView,
  outcome: FailedOutcome,
  encode: EncodeFail | undefined,
): SessionDecision<FailResult> {
  const { state, dueMs } = outcome;
  const { revision } = held.view;
  const bytes = encode?.({ state, dueMs });
  const result = { kind: "failed", state, dueMs, revision, bytes } as const;
  return saved<FailResult>(settling, held.view, { ...outcome, result, bytes });
}

/** Outcome of a failure. */
export function failOutcome(
  settling: Settling,
  held: HeldView,
  failure: AttemptFailure,
): FailedOutcome {
  const { nowMs, context } = settling;
  const task = withTokens(held.task, failure);
  const known = { ...held, task };
  const usage = usagePart(held, takenBy(failure));
  const { counts } = failure;
  const maxAttempts =
    context.hooks.byName.get(task.hook)?.settings.maxAttempts ?? GONE_HOOK_ATTEMPTS;
  const isEnd =
    failure.permanent ||
    failure.reason === "refused" ||
    isLastFailure(task, { counts, maxAttempts, nowMs });
  if (!isEnd) return rest(settling, known, failure, usage);
  const { draft } = task.summarize;
  if (draft === undefined) return giveUp(settling, known, failure, usage);
  return takeDraft(settling, known, { draft, failure, usage });
}

type Usage = Pick<TaskPlan, "usage">;

/** Tokens to count in the budget: a hook that could not be asked took nothing. */
function takenBy({ reason, taken }: AttemptFailure): number | "nothing" | "unknown" {
  if (taken !== undefined) return taken.inputTokens + taken.outputTokens;
  const isUnasked = reason === "unreachable" || reason === "busy" || reason === "no-hook";
  return isUnasked ? "nothing" : "unknown";
}

function withTokens<T extends Task>(task: T, { taken }: AttemptFailure): T {
  if (taken === undefined) return task;
  const { summarize } = task;
  const inputTokens = summarize.inputTokens + taken.inputTokens;
  const outputTokens = summarize.outputTokens + taken.outputTokens;
  return { ...task, summarize: { ...summarize, inputTokens, outputTokens } };
}

/** The parts of a plan that changes nothing but tasks: the session was not used. */
function tasksOnly(
  { view, session }: HeldView,
  tasks: TaskPlan,
): Pick<Saving<never>, "session" | "plan"> {
  const head = { ...session.head, revision: view.revision };
  return { session: { ...session, head }, plan: { head, tasks } };
}

/** The task is retried later. */
function rest(
  { nowMs }: Settling,
  held: HeldView,
  failure: AttemptFailure,
  usage: Usage,
): FailedOutcome {
  const { counts, reason, message, random, retryDelayMs } = failure;
  const attempts = held.task.failedAttempts + (counts ? 1 : 0);
  const dueMs = nowMs + backoffMs(attempts, random, retryDelayMs);
  const task = failed(held.task, { reason, message, atMs: nowMs }, { dueMs, counts });
  return {
    ...tasksOnly(held, { put: [task], ...usage }),
    details: [failedEvent(held, task, nowMs, dueMs)],
    state: "ready",
    dueMs,
  };
}

function failedEvent(
  { task: before }: HeldView,
  task: Task,
  nowMs: number,
  retryMs: number | undefined,
): EventDetail {
  const { taskNo, stage, hook, failedAttempts, lastFailure } = task;
  return {
    type: EVENT_TYPE.summaryFailed,
    ...{ taskId: taskIdOf(taskNo), stage, hook, failedAttempts, retryMs },
    reason: lastFailure?.reason ?? "hook-error",
    durationMs: Math.max(0, nowMs - before.lease.startMs),
  };
}

/** A chain of density broke off: its draft so far becomes the summary. */
function takeDraft(
  settling: Settling,
  held: HeldView,
  from: {
    readonly draft: SummaryOutput;
    readonly failure: AttemptFailure;
    readonly usage: Usage;
  },
): FailedOutcome {
  const { draft, failure, usage } = from;
  const { nowMs } = settling;
  const { task } = held;
  const reason = staleness(settling, held);
  const { reason: why, message, counts } = failure;
  const after = dead(task, { reason: why, message, atMs: nowMs }, counts);
  const told = failedEvent(held, after, nowMs, undefined);
  if (reason !== undefined) {
    const { details, ...stale } = superseded(settling, held, reason, usage);
    return { ...stale, details: [told, ...details], state: "dead", dueMs: 0 };
  }
  const plan = { remove: [task.taskNo], put: nextPart(held, nowMs), ...usage };
  const made = { output: draft, isPlaceholder: false };
  const effect = applyOutput(settling, held, made, plan);
  if (typeof effect === "string") return giveUp(settling, held, failure, usage);
  const { session, own, next } = effect;
  return { session, plan: effect.plan, details: [told, ...own, ...next], state: "dead", dueMs: 0 };
}

/** The task is given up. */
function giveUp(
  settling: Settling,
  held: HeldView,
  failure: AttemptFailure,
  usage: Usage,
): FailedOutcome {
  const { nowMs } = settling;
  const { reason, message, counts } = failure;
  const task = dead(held.task, { reason, message, atMs: nowMs }, counts);
  const tasks = { ...deadPlan(held, task, nowMs), ...usage };
  const wanted = effectOf(held);
  const changes = wanted !== "keep" && (keepsInputs(held) || wanted === "placeholder");
  const effect = changes ? effectOn(settling, held, wanted, tasks) : undefined;
  // Without an effect on the window, the messages stay where they are.
  const done = changes && effect === undefined && keepsInputs(held) ? "keep" : wanted;
  const told = failedEvent(held, task, nowMs, undefined);
  const end = deadEvent(task, done, nowMs);
  if (effect === undefined) {
    return { ...tasksOnly(held, tasks), details: [told, end], state: "dead", dueMs: 0 };
  }
  const { session, plan, own, next } = effect;
  return { session, plan, details: [told, ...own, end, ...next], state: "dead", dueMs: 0 };
}

/** Failure action of the stage. Messages that have left cannot be kept. */
function effectOf(held: HeldView): SummaryFailure {
  const { onFailure } = held.task.summarize.spec;
  return onFailure === "keep" && !keepsInputs(held) ? "drop" : onFailure;
}

/** Drops the messages or puts a placeholder in their place; undefined when it has no place. */
function effectOn(
  settling: Settling,
  held: HeldView,
  wanted: "drop" | "placeholder",
  tasks: TaskPlan,
): Effect | undefined {
  if (wanted === "drop") return dropInputs(settling, held, tasks);
  const { spec } = held.task.summarize;
  const output: SummaryOutput = {
    text: placeholderText(spec, replacedCount(settling, held)),
    ...{ missingEntities: [], requestText: "", facts: [], openThreads: [], model: "" },
    ...{ inputTokens: 0, outputTokens: 0 },
  };
  const effect = applyOutput(settling, held, { output, isPlaceholder: true }, tasks);
  return typeof effect === "string" ? undefined : effect;
}

/** Number of messages that the placeholder stands for. */
function replacedCount(settling: Settling, held: HeldView): number {
  if (!keepsInputs(held)) return held.task.summarize.sources.messageCount;
  const requests = new Set(
    held.session.fields.inserts.flatMap(({ kind, messageId }) =>
      kind === "request" ? [messageId] : [],
    ),
  );
  const inputs = inputsIn(entriesOf(settling, held), held);
  return inputs.filter(({ messageId }) => !requests.has(messageId)).length;
}

/** Keeps the dead task; the oldest dead ones beyond the limit go. */
function deadPlan(held: HeldView, task: Task, nowMs: number): TaskPlan {
  const others = held.view.tasks().filter((one) => one.taskNo !== task.taskNo && !isLive(one));
  const oldest = [...others].sort((a, b) => a.deadMs - b.deadMs || a.taskNo - b.taskNo);
  const remove = oldest
    .slice(0, Math.max(0, oldest.length + 1 - LIMITS.deadTasks))
    .map(({ taskNo }) => taskNo);
  return { put: [task, ...nextPart(held, nowMs)], remove };
}

function deadEvent(task: Task, effect: SummaryFailure, nowMs: number): EventDetail {
  const { taskNo, type, stage, hook, lastFailure, failedAttempts, callCount } = task;
  return {
    type: EVENT_TYPE.taskDead,
    ...{ taskId: taskIdOf(taskNo), taskType: type, stage, hook, failedAttempts, callCount },
    reason: lastFailure?.reason ?? "hook-error",
    effect,
    ranges: task.summarize.ranges,
    durationMs: Math.max(0, nowMs - task.createMs),
  };
}
