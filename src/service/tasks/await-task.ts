// Waits for the end of a task, whoever does it.

import { LIMITS } from "../../domain/limits.ts";
import { isLive, type Task, taskIdOf } from "../../domain/tasks/task.ts";
import type { ServiceContext } from "../context.ts";
import { currentVersions } from "../summary-records.ts";
import type { CompactSessionResult, ListedSummary } from "../tasks-api.ts";
import { later } from "./later.ts";
import type { SessionNews } from "./session-news.ts";

/** The newest summaries of a session among which that of a task is looked for. */
const NEWEST = 100;

/** What waiting works with. */
export interface TaskWaiting {
  readonly context: ServiceContext;
  readonly news: SessionNews;
}

/** How waiting for a task ended. */
export interface TaskEnd {
  /** As it was seen last. */
  readonly task: Task;
  readonly outcome: Exclude<CompactSessionResult["outcome"], "nothing">;
  readonly summary: ListedSummary | undefined;
}

/** Waits until a task ends, the time is over, the caller is gone, or the server stops. */
export async function waitForTask(
  { context, news }: TaskWaiting,
  task: Task,
  limit: { readonly untilMs: number; readonly signal: AbortSignal },
): Promise<TaskEnd> {
  const { world } = context;
  let wake = (): void => {};
  const onNews = (): void => wake();
  const stop = news.on(task, onNews);
  const leftMs = limit.untilMs - world.nowMs();
  // The timer says when the time is over, not the clock: it may run ahead of the clock by a little,
  // and nothing would wake this wait again.
  let isOver = leftMs <= 0;
  const onTimer = (): void => {
    isOver = true;
    wake();
  };
  const cancel = later(world, onTimer, leftMs);
  limit.signal.addEventListener("abort", onNews, { once: true });
  try {
    for (;;) {
      // Made before it looks, so that what happens meanwhile is not missed.
      const happened = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const end = await endOf(context, task);
      if (end.outcome !== "pending") return end;
      if (isOver || limit.signal.aborted || news.isClosed) return end;
      await happened;
    }
  } finally {
    stop();
    cancel();
    limit.signal.removeEventListener("abort", onNews);
  }
}

/** How far a task is now. */
async function endOf(context: ServiceContext, known: Task): Promise<TaskEnd> {
  const task = await context.store.readTask(known.namespace, known.taskNo);
  if (task !== undefined && isLive(task)) return { task, outcome: "pending", summary: undefined };
  const summary = await summaryOf(context, known);
  if (task !== undefined) return { task, outcome: "failed", summary };
  return { task: known, outcome: summary === undefined ? "superseded" : "done", summary };
}

/** The summary that a task made, if it is among the newest. */
async function summaryOf(
  { store }: ServiceContext,
  task: Task,
): Promise<ListedSummary | undefined> {
  const query = { order: "desc", limit: NEWEST, maxBytes: LIMITS.pageBytes } as const;
  const page = await store.listSummaries(task, query);
  const taskId = taskIdOf(task.taskNo);
  const record = page?.summaries.find((one) => one.taskId === taskId);
  if (record === undefined) return undefined;
  const session = await store.readSession(task);
  const current = session !== undefined && currentVersions(session.fields).has(record.version);
  return { record, current };
}
