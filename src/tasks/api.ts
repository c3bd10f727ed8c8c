// The inputs and results of the use cases about tasks, hooks and summaries, in domain terms.

import type {
  Extracted,
  ExtractInput,
  Resolution,
  ResolveInput,
} from "../domain/memories/extracted.ts";
import type { MemoryJob } from "../domain/memories/job.ts";
import type { SessionRef } from "../domain/session.ts";
import type { SummarySpec } from "../domain/summaries/spec.ts";
import type { SummaryOutput, SummaryRecord } from "../domain/summaries/summary.ts";
import type {
  Task,
  TaskFailure,
  TaskFailureReason,
  TaskState,
  TaskUsage,
} from "../domain/tasks/task.ts";
import type { SummaryPage } from "../storage/store.ts";
import type { Call } from "./call.ts";
import type { Hook, SummarizeInput } from "./hook-port.ts";
import type { ListSummaryInputsInput } from "./window-api.ts";

/** A task with the number of attempts that its hook allows. */
export interface TaskInfo {
  readonly task: Task;
  /** 0 when the hook is gone. */
  readonly maxAttempts: number;
}

/** A job on memories as a task. */
export interface MemoryTaskInfo {
  readonly ref: SessionRef;
  readonly job: MemoryJob;
  readonly state: TaskState;
  /** The hook that does it; `builtin` for the rules. */
  readonly hook: string;
  /** Who does it now; empty unless it is leased. */
  readonly worker: string;
}

/** A durable task of any type. */
export type DurableTaskInfo = TaskInfo | MemoryTaskInfo;

/** A durable task that a worker has taken. */
export interface LeasedSummary extends TaskInfo {
  readonly leaseToken: string;
  readonly input: SummarizeInput;
}

/** What a task that is not durable asks for. */
export type DirectInput =
  | {
      readonly kind: "embed";
      readonly texts: readonly string[];
      readonly purpose: "query" | "passage";
      readonly dimensions: number;
    }
  | { readonly kind: "rerank"; readonly query: string; readonly texts: readonly string[] }
  | { readonly kind: "extract"; readonly input: ExtractInput }
  | { readonly kind: "score"; readonly texts: readonly string[] }
  | { readonly kind: "resolve"; readonly input: ResolveInput };

/** What a worker brings for it, unchecked. */
export type DirectOutput =
  | { readonly kind: "embed"; readonly vectors: readonly (readonly number[])[] }
  | { readonly kind: "rerank" | "score"; readonly scores: readonly number[] }
  /** In the form that checkExtracted or checkResolution reads. */
  | { readonly kind: "extract" | "resolve"; readonly answer: unknown };

/** The same, checked; vectors have length 1. */
export type DirectResult =
  | { readonly kind: "embed"; readonly vectors: readonly Float32Array[] }
  | { readonly kind: "rerank" | "score"; readonly scores: readonly number[] }
  | { readonly kind: "extract"; readonly extracted: Extracted }
  | { readonly kind: "resolve"; readonly resolution: Resolution };

/** A task that somebody waits for; it is never stored. */
export interface DirectTaskInfo {
  readonly taskId: string;
  readonly namespace: string;
  readonly hook: string;
  readonly input: DirectInput;
  readonly failedAttempts: number;
  readonly maxAttempts: number;
  readonly callCount: number;
  readonly workerId: string;
  readonly leaseEndMs: number;
  readonly lastFailure: TaskFailure | undefined;
  readonly createMs: number;
}

/** A task that is not durable, taken by a worker. */
export interface LeasedDirect {
  readonly direct: DirectTaskInfo;
  readonly leaseToken: string;
}

/** A task that a worker has taken. */
export type LeasedTask = LeasedSummary | LeasedDirect;

export interface PollTasksInput {
  readonly namespace: string;
  readonly hooks: readonly string[];
  readonly maxTasks: number;
  readonly waitMs: number;
  readonly leaseMs: number;
  readonly workerId: string;
}

/** Names a task that a worker has. */
export interface LeaseRef {
  readonly namespace: string;
  readonly taskId: string;
  readonly leaseToken: string;
}

export interface CompleteTaskInput extends LeaseRef {
  readonly output: SummaryOutput | DirectOutput;
  readonly encode: (result: {
    readonly revision: number;
    readonly summaryVersion: number;
    readonly continues: boolean;
  }) => Uint8Array;
}

export interface FailTaskInput extends LeaseRef {
  readonly message: string;
  readonly permanent: boolean;
  readonly retryDelayMs: number | undefined;
  readonly encode: (result: { readonly state: TaskState; readonly dueMs: number }) => Uint8Array;
}

export interface ExtendLeaseInput extends LeaseRef {
  readonly leaseMs: number;
}

export interface ListHooksInput {
  readonly namespace: string;
  /** The name of the last hook of the page before; empty for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Hooks by name. */
export interface HookPage {
  readonly hooks: readonly HookInfo[];
  /** The position of the next page; undefined at the end. */
  readonly next: string | undefined;
}

export interface ListTasksInput {
  readonly namespace: string;
  readonly sessionId?: string;
  readonly hook?: string;
  /** Only `summarize`, `extract` and `score` are durable. */
  readonly type?: TaskType;
  readonly state?: TaskState;
  readonly after?: number;
  readonly limit: number;
}

/** What a hook does. */
export type TaskType = "summarize" | DirectInput["kind"];

/** Tasks by rising number. */
export interface DurableTaskPage {
  readonly tasks: readonly DurableTaskInfo[];
  /** The number to go on after; undefined at the end. */
  readonly next: number | undefined;
}

export interface TaskRef {
  readonly namespace: string;
  readonly taskId: string;
}

export interface RetryTaskInput extends TaskRef {
  readonly encode: (info: DurableTaskInfo) => Uint8Array;
}

export interface DeleteTaskInput extends TaskRef {
  readonly allowMissing: boolean;
  readonly encode: () => Uint8Array;
}

/** A hook as operators see it. */
export interface HookInfo {
  readonly hook: Hook;
  readonly isDefault: boolean;
  /** Undefined for `poll`. */
  readonly breaker: "closed" | "open" | "half-open" | undefined;
  /** Undefined unless the breaker is open. */
  readonly retryMs: number | undefined;
  readonly runningCalls: number;
  readonly callCount: number;
  readonly failures: ReadonlyMap<TaskFailureReason, number>;
  readonly usage: TaskUsage;
}

export interface CompactSessionInput extends SessionRef {
  readonly choice: ListSummaryInputsInput["choice"];
  /** Undefined means as the stage says, or the defaults. */
  readonly spec: SummarySpec | undefined;
  readonly waitMs: number;
  /** Makes the answer that is remembered, and the one that is given when waiting ended. */
  readonly encode: (result: CompactSessionResult) => Uint8Array;
}

export interface CompactSessionResult {
  readonly revision: number;
  readonly task: TaskInfo | undefined;
  readonly outcome: "nothing" | "pending" | "done" | "failed" | "superseded";
  readonly summary: ListedSummary | undefined;
}

/** A summary and whether it is in use. */
export interface ListedSummary {
  readonly record: SummaryRecord;
  readonly current: boolean;
}

export interface ListSummariesInput extends SessionRef {
  readonly currentOnly: boolean;
  readonly order: "asc" | "desc";
  readonly after?: number;
  readonly limit: number;
}

export interface ListSummarySourcesInput extends SessionRef {
  readonly version: number;
  /** Goes on after this seq. Default: from the first. */
  readonly after?: number;
  readonly limit: number;
}

/** Tasks and hooks. */
export interface HookServiceApi {
  pollTasks(call: Call, input: PollTasksInput): Promise<readonly LeasedTask[]>;
  completeTask(call: Call, input: CompleteTaskInput): Promise<Uint8Array>;
  failTask(call: Call, input: FailTaskInput): Promise<Uint8Array>;
  /** Gives when the lease ends. */
  extendLease(call: Call, input: ExtendLeaseInput): Promise<number>;
  listTasks(call: Call, input: ListTasksInput): Promise<DurableTaskPage>;
  getTask(call: Call, ref: TaskRef): Promise<DurableTaskInfo>;
  retryTask(call: Call, input: RetryTaskInput): Promise<Uint8Array>;
  deleteTask(call: Call, input: DeleteTaskInput): Promise<Uint8Array>;
  listHooks(call: Call, input: ListHooksInput): Promise<HookPage>;
}

/** Summaries of a session. */
export interface SummaryServiceApi {
  compactSession(call: Call, input: CompactSessionInput): Promise<Uint8Array>;
  listSummaries(
    call: Call,
    input: ListSummariesInput,
  ): Promise<Omit<SummaryPage, "summaries"> & { readonly summaries: readonly ListedSummary[] }>;
  listSummarySources(
    call: Call,
    input: ListSummarySourcesInput,
  ): Promise<{
    /** The wire forms, oldest first. */
    readonly messages: readonly Uint8Array[];
    /** The seq to go on after; undefined at the end. */
    readonly next: number | undefined;
  }>;
}
