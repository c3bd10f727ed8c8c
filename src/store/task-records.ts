// Tasks and the history of summaries in the storage interface.

import type { SummaryRecord } from "../summary/rules/summary.ts";
import type { Task, TaskState, TaskUsage } from "../tasks/rules/task.ts";
import type { StoredReply } from "./stored.ts";

/** Changes of the tasks of a session, as part of its plan. */
export interface TaskPlan {
  /** New and changed tasks. */
  readonly put?: readonly Task[];
  /** The numbers of tasks to delete. */
  readonly remove?: readonly number[];
  /** The new usage of a hook in an hour, for the namespace of the session. */
  readonly usage?: { readonly hook: string; readonly hour: number; readonly usage: TaskUsage };
}

/** Changes of the summaries of a session, as part of its plan. */
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

/** The view for the decide function of a task change. */
export interface TaskView {
  /** Undefined as well when the task is of another namespace. */
  readonly task: Task | undefined;
  /** The usage of the task's hook in the hour for its namespace. */
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
