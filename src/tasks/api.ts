// The inputs and results of the use cases about tasks, hooks and summaries, in domain terms.

import type { ListSummaryInputsInput } from "../core/window-api.ts";
import type { DirectInput, DirectWork, Hook, SummarizeInput } from "../hooks/port.ts";
import type { TaskFailureReason } from "../kit/errors.ts";
import type { MemoryJob } from "../memory/rules/job.ts";
import type { SessionRef } from "../session/rules/session.ts";
import type { SummaryOutput, SummaryRecord } from "../summary/rules/summary.ts";
import type { SummarySpec } from "../window/policy/summary-spec.ts";
import type { Task, TaskFailure, TaskState, TaskUsage } from "./rules/task.ts";

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
  /** The hook that does the job; `builtin` for the rules. */
  readonly hook: string;
  /** The worker that holds the job; empty unless it is leased. */
  readonly worker: string;
}

/** A durable task of any type. */
export type DurableTaskInfo = TaskInfo | MemoryTaskInfo;

/** A durable task that a worker has taken. */
export interface LeasedSummary extends TaskInfo {
  readonly leaseToken: string;
  readonly input: SummarizeInput;
}

/** The answer of a worker for a task that is not stored, in the form that its work checks. */
export interface DirectOutput {
  readonly kind: DirectWork;
  readonly answer: unknown;
}

/** A direct task: a caller waits for it, and it is never stored. */
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

/** A direct task that a worker has taken. */
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

/** Kind of work that a task asks of a hook. */
export type TaskType = "summarize" | DirectWork;

/** Tasks by rising number. */
export interface DurableTaskPage {
  readonly tasks: readonly DurableTaskInfo[];
  /** The number to continue after; undefined at the end. */
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
  /** Default: as the stage says, else the default spec. */
  readonly spec: SummarySpec | undefined;
  readonly waitMs: number;
  /** Encodes the answer to remember, and the answer after waiting. */
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
  /** Starts after this seq. Default: at the first. */
  readonly after?: number;
  readonly limit: number;
}
