// Options of the methods for summaries and tasks.

import { CALL_OPTIONS, type CallOptions, MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import { choice } from "./choice.ts";
import type { DeepPartial } from "./gen/memorysidecar/v1/message.ts";
import type { Summarize } from "./gen/memorysidecar/v1/policy.ts";
import {
  ExtractOutput,
  type LeasedTask,
  ResolveAction,
  type ResolveOutput,
  SummarizeOutput,
  TaskState,
  TaskType,
} from "./gen/memorysidecar/v1/task.ts";
import type { CompleteTaskRequest } from "./gen/memorysidecar/v1/task_service.ts";
import { LIST_OPTIONS, type ListOptions, type OrderInput } from "./options.ts";

/** Options of every list here. */
export type PageOptions = ListOptions;

/** Options of a compaction. */
export interface CompactOptions extends MutationOptions {
  /** Summary options. Default: those of the stage, or the server's defaults. */
  readonly summarize?: DeepPartial<Summarize> | undefined;
  /** Time to wait for the summary, in milliseconds. Default: no wait. */
  readonly waitMs?: number | undefined;
}

export const COMPACT_OPTIONS = { ...MUTATION_OPTIONS, summarize: true, waitMs: true } as const;

/** Options of a list of summaries. */
export interface ListSummariesOptions extends ListOptions {
  /** Only those in use now. Default false. */
  readonly currentOnly?: boolean | undefined;
  /** Default `newest-first`. */
  readonly order?: OrderInput | undefined;
}

export const LIST_SUMMARIES_OPTIONS = { ...LIST_OPTIONS, currentOnly: true, order: true } as const;

/** Options of a poll. */
export interface PollOptions extends CallOptions {
  /** The most tasks to take. Default 1. */
  readonly maxTasks?: number | undefined;
  /** Time to wait for the first task, in milliseconds, up to 60,000. Default: no wait. */
  readonly waitMs?: number | undefined;
  /** Lease, in milliseconds, during which no other worker gets the task. Default 60,000. */
  readonly leaseMs?: number | undefined;
  /** The worker's name for itself, which `listTasks` shows. */
  readonly workerId?: string | undefined;
}

export const POLL_OPTIONS = {
  ...{ ...CALL_OPTIONS, maxTasks: true, waitMs: true, leaseMs: true, workerId: true },
} as const;

/** Options of giving a task back. */
export interface FailOptions extends MutationOptions {
  /** Reason, shown to operators. Must not hold content of messages. */
  readonly message?: string | undefined;
  /** Trying again does not help: the task is dead. Default false. */
  readonly permanent?: boolean | undefined;
  /** When to try again at the earliest, in milliseconds. Default: the server's choice. */
  readonly retryDelayMs?: number | undefined;
}

export const FAIL_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, message: true, permanent: true, retryDelayMs: true },
} as const;

export const TASK_STATES = {
  ready: TaskState.READY,
  leased: TaskState.LEASED,
  waiting: TaskState.WAITING,
  dead: TaskState.DEAD,
} as const;
/** State of a task. */
export type TaskStateName = keyof typeof TASK_STATES;

export const TASK_TYPES = {
  summarize: TaskType.SUMMARIZE,
  extract: TaskType.EXTRACT,
  score: TaskType.SCORE,
} as const;
/** Type of a durable task. */
export type TaskTypeName = keyof typeof TASK_TYPES;

/** Options of a list of tasks. */
export interface ListTasksOptions extends ListOptions {
  readonly sessionId?: string | undefined;
  readonly hook?: string | undefined;
  readonly type?: TaskTypeName | undefined;
  readonly state?: TaskStateName | undefined;
}

export const LIST_TASKS_OPTIONS = {
  ...{ ...LIST_OPTIONS, sessionId: true, hook: true, type: true, state: true },
} as const;

/** The result of a task: a text, or all that is known of it. */
export type OutputInput = string | DeepPartial<SummarizeOutput>;

/** Makes a result. */
export function toOutput(output: OutputInput): DeepPartial<SummarizeOutput> {
  return typeof output === "string" ? { text: output } : output;
}

/** The vectors of texts to embed, one for each. */
export type VectorsInput = readonly ArrayLike<number>[];

/** Findings in messages. */
export type FoundInput = DeepPartial<ExtractOutput>;

export const RESOLUTIONS = {
  "keep-both": ResolveAction.KEEP_BOTH,
  supersede: ResolveAction.SUPERSEDE,
  drop: ResolveAction.DROP,
} as const;
/** Resolution of memories that contradict a new one: a name, or the text of all in one. */
export type ResolutionInput = keyof typeof RESOLUTIONS | { readonly text: string };

/**
 * The result of a task: of a summary, a vector for each text, a score for each text, what was
 * found, or what becomes of memories.
 */
export type ResultInput =
  | OutputInput
  | VectorsInput
  | readonly number[]
  | FoundInput
  | ResolutionInput;

function toFound(result: FoundInput): ExtractOutput {
  // Anything else would pass for nothing found.
  if (typeof result !== "object") throw new TypeError("what was found is an object of lists");
  return ExtractOutput.fromPartial(result);
}

function toResolution(result: ResolutionInput): ResolveOutput {
  if (typeof result !== "string") return { action: ResolveAction.MERGE, text: result.text };
  return { action: choice("resolution", RESOLUTIONS, result), text: "" };
}

/** Makes a result, which is of the type of the task. */
export function toResult(
  { input }: LeasedTask,
  result: ResultInput,
): NonNullable<CompleteTaskRequest["output"]> {
  if (input?.$case === "extract") return { $case: "extract", value: toFound(result as FoundInput) };
  if (input?.$case === "score") {
    return { $case: "score", value: { scores: [...(result as readonly number[])] } };
  }
  if (input?.$case === "resolve") {
    return { $case: "resolve", value: toResolution(result as ResolutionInput) };
  }
  if (!Array.isArray(result)) {
    const value = SummarizeOutput.fromPartial(toOutput(result as OutputInput));
    return { $case: "summarize", value };
  }
  if (input?.$case === "rerank") {
    return { $case: "rerank", value: { scores: [...(result as readonly number[])] } };
  }
  const vectors = (result as VectorsInput).map((vector) => ({ values: Array.from(vector) }));
  return { $case: "embed", value: { vectors } };
}

const ROOM_MS = 30_000;

/** Gives a call that waits the time for it, unless it has a timeout of its own. */
export function waitingFor<T extends CallOptions>(waitMs: number, opts: T): T {
  if (waitMs === 0 || opts.timeoutMs !== undefined) return opts;
  return { ...opts, timeoutMs: waitMs + ROOM_MS };
}
