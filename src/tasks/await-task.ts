// Notifies calls that wait for a task of changes in its session that may have ended it. Holds only
// the callbacks of the waiting calls.

import type { ServiceContext } from "../core/context.ts";
import { currentVersions } from "../core/summary-records.ts";
import { EVENT_TYPE, type EventType } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import { later } from "../kit/world.ts";
import type { SessionRef } from "../session/rules/session.ts";
import type { Store } from "../store/store.ts";
import type { CompactSessionResult, ListedSummary } from "./api.ts";
import { isLive, type Task, taskIdOf } from "./rules/task.ts";

/** The events with which tasks end. */
const ENDS: ReadonlySet<EventType> = new Set([
  EVENT_TYPE.summarySet,
  EVENT_TYPE.summarySuperseded,
  EVENT_TYPE.taskDead,
  EVENT_TYPE.sessionDeleted,
  EVENT_TYPE.sessionReset,
  EVENT_TYPE.sessionImported,
]);

/** The ends of tasks, by session. */
export class SessionNews {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stopListening: () => void;
  #closed = false;

  constructor(store: Store) {
    this.#stopListening = store.onCommit(({ events }) => {
      if (this.#listeners.size === 0) return;
      for (const event of events) {
        if (!ENDS.has(event.type)) continue;
        for (const listener of this.#listeners.get(keyOf(event)) ?? []) listener();
      }
    });
  }

  /** Whether notifications have ended. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Calls back after changes that may have ended a session's task. Returns an unsubscriber. */
  on(ref: SessionRef, listener: () => void): () => void {
    const key = keyOf(ref);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) {
        this.#listeners.delete(key);
      }
    };
  }

  /** Ends notifications and wakes every waiting call. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    const all = [...this.#listeners.values()].flatMap((listeners) => [...listeners]);
    this.#listeners.clear();
    for (const listener of all) listener();
  }
}

/** Key of a session: a namespace never contains a line break. */
function keyOf({ namespace, sessionId }: SessionRef): string {
  return `${namespace}\n${sessionId}`;
}

// Waiting for the end of a task, whichever process does it.

/** Number of newest summaries that are searched for that of a task. */
const NEWEST = 100;

/** Dependencies of waiting. */
export interface TaskWaiting {
  readonly context: ServiceContext;
  readonly news: SessionNews;
}

/** Outcome of waiting for a task. */
export interface TaskEnd {
  /** Its last known state. */
  readonly task: Task;
  readonly outcome: Exclude<CompactSessionResult["outcome"], "nothing">;
  readonly summary: ListedSummary | undefined;
}

/** Waits until a task ends, the timeout passes, the caller is gone, or the server stops. */
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
  // The timer decides when the time is over, not the clock: a timer may fire slightly before the
  // clock reaches the time, and nothing would wake this wait again.
  let isOver = leftMs <= 0;
  const onTimer = (): void => {
    isOver = true;
    wake();
  };
  const cancel = later(world, onTimer, leftMs);
  limit.signal.addEventListener("abort", onNews, { once: true });
  try {
    for (;;) {
      // Created before the task is read, so no change in between is missed.
      const happened = Promise.withResolvers<void>();
      wake = happened.resolve;
      const end = await endOf(context, task);
      if (end.outcome !== "pending") return end;
      if (isOver || limit.signal.aborted || news.isClosed) return end;
      await happened.promise;
    }
  } finally {
    stop();
    cancel();
    limit.signal.removeEventListener("abort", onNews);
  }
}

/** Current state of a task. */
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
