// What the storage interface says of tasks and of the history of summaries.

import type { SummaryRecord } from "../domain/summaries/summary.ts";
import type { Task, TaskState, TaskUsage } from "../domain/tasks/task.ts";
import type { StoredReply } from "./stored.ts";

/** What a plan does to the tasks of its session. */
export interface TaskPlan {
  /** New and changed tasks. */
  readonly put?: readonly Task[];
  /** The numbers of tasks to delete. */
  readonly remove?: readonly number[];
  /** What a hook has taken now in an hour, for the namespace of the session. */
  readonly usage?: { readonly hook: string; readonly hour: number; readonly usage: TaskUsage };
}

/** What a plan does to the summaries of its session. */
export interface SummaryPlan {
  /** New summaries by rising version. */
  readonly put: readonly SummaryRecord[];
  /** Takes the place of the record of its version. */
  readonly replace?: SummaryRecord;
  /** Versions to delete. */
  readonly remove?: readonly number[];
}

export interface TaskQuery {
  readonly namespace: string;
  readonly sessionId?: string;
  readonly hook?: string;
  readonly state?: TaskState;
  /** Goes on after the task with this number. */
  readonly after?: number;
  readonly limit: number;
}

export interface TaskPage {
  /** By rising number. */
  readonly tasks: readonly Task[];
  /** The number to go on after; undefined at the end. */
  readonly next: number | undefined;
}

/** Asks for the tasks of a hook that are due: ready ones, and leases that have ended. */
export interface DueQuery {
  readonly hook: string;
  /** Undefined means every namespace, see `afterNamespace`. */
  readonly namespace?: string;
  /**
   * With every namespace: begins behind this one, in the order of their bytes, and goes on from the
   * start, so that each gets its turn. Default: begins with the first.
   */
  readonly afterNamespace?: string;
  readonly nowMs: number;
  /** Of each namespace at most `perNamespace`, the longest due first. */
  readonly limit: number;
  readonly perNamespace: number;
}

export interface DueTask {
  readonly taskNo: number;
  readonly namespace: string;
  readonly dueMs: number;
}

/** Asks for a change of one task, apart from its session. */
export interface TaskChange {
  readonly namespace: string;
  readonly taskNo: number;
  /** The hour whose usage decide gets to see. */
  readonly hour: number;
  readonly requestId?: string;
  readonly allowWhenFull?: boolean;
}

/** What the decide function of a task change gets to see. */
export interface TaskView {
  /** Undefined as well when the task is of another namespace. */
  readonly task: Task | undefined;
  /** What the hook of the task took in the hour for its namespace. */
  readonly usage: TaskUsage;
  readonly reply: StoredReply | undefined;
}

export type TaskDecision<T> =
  | { readonly kind: "answer"; readonly result: T }
  | {
      readonly kind: "save";
      readonly result: T;
      /** Undefined deletes the task. */
      readonly task: Task | undefined;
      readonly usage?: TaskUsage;
      readonly reply?: StoredReply;
    };

export interface SummaryQuery {
  /** `asc` gives the oldest first. */
  readonly order: "asc" | "desc";
  /** Goes on after the summary of this version, in the order of the query. */
  readonly after?: number;
  readonly limit: number;
  /** Ends the page once this many bytes of texts and runs are on it; at least one is given. */
  readonly maxBytes: number;
}

export interface SummaryPage {
  readonly summaries: readonly SummaryRecord[];
  /** The version to go on after; undefined at the end. */
  readonly next: number | undefined;
}
