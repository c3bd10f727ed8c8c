// Makes the records of tasks.

import { EVENT_TYPE, type EventDetail } from "../../domain/event.ts";
import type { SessionRef, WindowInsert } from "../../domain/session.ts";
import type { SummarySpec } from "../../domain/summaries/spec.ts";
import { type SummarizeWork, type Task, taskIdOf } from "../../domain/tasks/task.ts";
import { rangesOf } from "../../domain/window/ranges.ts";
import type { SeqRange, Totals, TriggerHit, WindowEntry } from "../../domain/window/types.ts";
import { isInLog } from "../window-view.ts";

/** What is to be summarized, as entries of a window. */
export interface WorkSource {
  readonly spec: SummarySpec;
  /** By rising position. */
  readonly entries: readonly WindowEntry[];
  /** The inserts of the session that may be among them, by position. */
  readonly inserts: ReadonlyMap<number, WindowInsert>;
  readonly triggers: readonly TriggerHit[];
}

/** Whose task it is. */
export interface TaskStart extends SessionRef {
  readonly taskNo: number;
  readonly hook: string;
  /** Empty for CompactSession. */
  readonly stage: string;
  /** It stands behind another of its stage. */
  readonly isBehind: boolean;
  readonly nowMs: number;
}

/** Inserts by their positions. */
export function insertsByPosition(
  inserts: readonly WindowInsert[],
): ReadonlyMap<number, WindowInsert> {
  return new Map(inserts.map((insert) => [insert.position, insert]));
}

/** What is asked of a hook, for the first time. */
export function workOf(source: WorkSource): SummarizeWork {
  const { spec, entries, inserts, triggers } = source;
  return {
    spec,
    triggers,
    ...contentOf(entries, inserts),
    loop: 1,
    draft: undefined,
    inputTokens: 0,
    outputTokens: 0,
  };
}

/** What entries come to: their runs, the inserts among them, how much it is, and the level. */
export function contentOf(
  entries: readonly WindowEntry[],
  inserts: ReadonlyMap<number, WindowInsert>,
): Pick<SummarizeWork, "ranges" | "made" | "sources" | "level"> {
  const made: { messageId: string; version: number }[] = [];
  let level = 0;
  let messageCount = 0;
  let tokenCount = 0;
  for (const entry of entries) {
    const insert = isInLog(entry) ? undefined : inserts.get(entry.seq);
    const isSummary = insert?.kind === "summary";
    if (!isInLog(entry)) {
      made.push({ messageId: entry.messageId, version: isSummary ? insert.version : 0 });
    }
    if (isSummary) level = Math.max(level, insert.level);
    // What the server made besides says nothing of its own.
    if (!isInLog(entry) && !isSummary) continue;
    messageCount++;
    tokenCount += entry.tokenCount;
  }
  return {
    ranges: rangesOf(entries.filter(isInLog)),
    made,
    sources: { messageCount, tokenCount },
    level: level + 1,
  };
}

/** A task that nobody has begun. */
export function newTask(start: TaskStart, work: SummarizeWork): Task {
  const { taskNo, namespace, sessionId, hook, stage, isBehind, nowMs } = start;
  return {
    taskNo,
    namespace,
    sessionId,
    type: "summarize",
    hook,
    stage,
    state: isBehind ? "waiting" : "ready",
    dueMs: isBehind ? 0 : nowMs,
    generation: 1,
    failedAttempts: 0,
    callCount: 0,
    lease: undefined,
    lastFailure: undefined,
    createMs: nowMs,
    deadMs: 0,
    summarize: work,
  };
}

/** The event of a task that was made. */
export function requestedEvent(task: Task): EventDetail {
  const { ranges, sources, triggers } = task.summarize;
  return requested(task, { ranges, sources, triggers, joined: false });
}

/** The event of messages that were added to a task. */
export function joinedEvent(
  task: Task,
  added: {
    readonly ranges: readonly SeqRange[];
    readonly sources: Totals;
    readonly triggers: readonly TriggerHit[];
  },
): EventDetail {
  return requested(task, { ...added, joined: true });
}

function requested(
  { taskNo, stage, hook }: Task,
  what: {
    readonly ranges: readonly SeqRange[];
    readonly sources: Totals;
    readonly triggers: readonly TriggerHit[];
    readonly joined: boolean;
  },
): EventDetail {
  return { type: EVENT_TYPE.summaryRequested, taskId: taskIdOf(taskNo), stage, hook, ...what };
}
