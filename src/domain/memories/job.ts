// Durable work on memories for a session: what waits for a hook or for the rules.

import { memoryTaskNo, type TaskFailure } from "../tasks/task.ts";
import type { SeqRange } from "../window/types.ts";
import { BUILTIN_EXTRACTOR, type MemoryPolicy } from "./policy.ts";

export type MemoryJobType = "extract" | "score";

/** Attempts after which a job is dead. */
export const MEMORY_JOB_ATTEMPTS = 5;

/**
 * What waits for a session. Written with the change that asks for it; what comes meanwhile is
 * added. A result is applied only while `generation` is the one it was made from, and takes its
 * messages out of `ranges`.
 */
export interface MemoryJob {
  readonly type: MemoryJobType;
  /** The session's policy when the newest messages came. */
  readonly policy: MemoryPolicy;
  /** The messages that wait, by rising seq. Never empty. */
  readonly ranges: readonly SeqRange[];
  readonly state: "ready" | "dead";
  /** When it may be tried next; 0 when it is dead. */
  readonly dueMs: number;
  readonly failedAttempts: number;
  /** How many times its hook was called. */
  readonly callCount: number;
  readonly lastFailure: TaskFailure | undefined;
  readonly createMs: number;
  /** The revision that made it. */
  readonly createRevision: number;
  /**
   * The rules did what the hook did not, up to this seq: the hook may still do it. Only of jobs to
   * find facts; unset before the first failure.
   */
  readonly ruledSeq?: number;
  /** Goes up whenever messages are taken out, or the job is given up: not when some are added. */
  readonly generation: number;
}

/** The hook that does a job; `builtin` for the rules. */
export function hookOfJob({ type, policy }: MemoryJob): string {
  const name =
    type === "score" ? (policy.promotion?.scoreHook ?? "") : (policy.extraction?.hook ?? "");
  return name === "" ? BUILTIN_EXTRACTOR : name;
}

/** Whether messages wait that neither the hook nor the rules have looked at. */
export function isUnruled({ type, ranges, ruledSeq = 0 }: MemoryJob): boolean {
  return type === "score" || (ranges.at(-1)?.last ?? 0) > ruledSeq;
}

/** The number of a job among the tasks of its namespace. */
export function taskNoOfJob({ createRevision, type }: MemoryJob): number {
  return memoryTaskNo(createRevision, type);
}
