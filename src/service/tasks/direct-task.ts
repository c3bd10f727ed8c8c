// A task that somebody waits for: to embed texts, to put them in order, or what long-term memory
// asks for. It lives in memory only.

import type { TaskFailureReason } from "../../domain/tasks/task.ts";
import { HookFailure } from "../hook-port.ts";
import { checkedExtracted, checkedImportance, checkedResolution } from "../memory-answers.ts";
import type { DirectInput, DirectOutput, DirectResult, DirectTaskInfo } from "../tasks-api.ts";
import { checkedScores, checkedVectors } from "../vector-answers.ts";

/** What a task takes beside its texts, in bytes. */
const TASK_BYTES = 1_024;
const TEXT_BYTES = 16;
const TIME_DIGITS = 9;
const COUNT_DIGITS = 8;
const DIRECT_ID = /^call-[0-9a-z]+$/;

/** A worker has the task. */
export interface DirectLease {
  readonly token: string;
  readonly worker: string;
  endMs: number;
}

/** A task, as the exchange keeps it. */
export interface DirectTask {
  readonly id: string;
  readonly hook: string;
  readonly namespace: string;
  readonly input: DirectInput;
  readonly bytes: number;
  /** Lower ones go first: somebody waits for a query right now. */
  readonly rank: number;
  readonly maxAttempts: number;
  readonly createMs: number;
  /** When it may be taken, while nobody has it. */
  readyMs: number;
  lease: DirectLease | undefined;
  failedAttempts: number;
  callCount: number;
  lastFailure: DirectTaskInfo["lastFailure"];
  cancelTimer: () => void;
  readonly resolve: (result: DirectResult) => void;
  readonly reject: (failure: HookFailure) => void;
}

/** The id of the count-th task that is not durable. Sorts by time. */
export function directIdOf(nowMs: number, count: number): string {
  const time = nowMs.toString(36).padStart(TIME_DIGITS, "0");
  return `call-${time}${count.toString(36).padStart(COUNT_DIGITS, "0")}`;
}

/** Whether an id is one of a task that is not durable. */
export function isDirectId(taskId: string): boolean {
  return DIRECT_ID.test(taskId);
}

/** The rank of what is asked for: searches come first, then vectors in the background. */
export function rankOf(input: DirectInput): number {
  if (input.kind === "rerank") return 0;
  if (input.kind === "embed") return input.purpose === "passage" ? 1 : 0;
  return 2;
}

/** About how large a task is in wire form. */
export function directBytes(input: DirectInput): number {
  let bytes = TASK_BYTES;
  for (const text of textsOf(input)) bytes += Buffer.byteLength(text) + TEXT_BYTES;
  const messages = input.kind === "extract" ? input.input.messages : [];
  for (const message of messages) bytes += message.length + TEXT_BYTES;
  return bytes;
}

function textsOf(input: DirectInput): readonly string[] {
  if (input.kind === "rerank") return [input.query, ...input.texts];
  if (input.kind === "resolve") return [input.input.text, input.input.key, ...input.input.known];
  if (input.kind !== "extract") return input.texts;
  const { text, transcript, instructions, known } = input.input;
  return [text, transcript, instructions, ...known];
}

/** Checks what a worker brought. Throws HookFailure `invalid-output`. */
export function resultOf(input: DirectInput, output: DirectOutput | undefined): DirectResult {
  if (input.kind === "embed" && output?.kind === "embed") {
    const { texts, dimensions } = input;
    return { kind: "embed", vectors: checkedVectors(output.vectors, texts.length, dimensions) };
  }
  if (input.kind === "rerank" && output?.kind === "rerank") {
    return { kind: "rerank", scores: checkedScores(output.scores, input.texts.length) };
  }
  if (input.kind === "score" && output?.kind === "score") {
    return { kind: "score", scores: checkedImportance(output.scores, input.texts.length) };
  }
  if (input.kind === "extract" && output?.kind === "extract") {
    return { kind: "extract", extracted: checkedExtracted(output.answer, input.input) };
  }
  if (input.kind === "resolve" && output?.kind === "resolve") {
    return { kind: "resolve", resolution: checkedResolution(output.answer) };
  }
  throw new HookFailure("invalid-output", "The result is not of the type of the task.");
}

/** How a task that is over failed, as whoever waited for it hears it. */
export function failureOf(reason: TaskFailureReason, retryDelayMs?: number): HookFailure {
  const message = reason === "timeout" ? "The lease of a worker ended." : "A worker failed.";
  return new HookFailure(reason, message, retryDelayMs === undefined ? {} : { retryDelayMs });
}

/** A task as a worker sees it that has just taken it. */
export function directInfo(task: DirectTask & { readonly lease: DirectLease }): DirectTaskInfo {
  const { id, hook, namespace, input, lease, maxAttempts, createMs } = task;
  const { failedAttempts, callCount, lastFailure } = task;
  return {
    ...{ taskId: id, hook, namespace, input, maxAttempts, createMs },
    ...{ failedAttempts, callCount, lastFailure },
    workerId: lease.worker,
    leaseEndMs: lease.endMs,
  };
}
