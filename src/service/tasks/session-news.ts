// Tells calls that wait for a task when something happened in its session that may have ended it.
// Holds nothing but the callbacks of those who wait.

import { EVENT_TYPE, type EventType } from "../../domain/event.ts";
import type { SessionRef } from "../../domain/session.ts";
import type { Store } from "../../storage/store.ts";

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
    this.#stopListening = store.onEvents((events) => {
      if (this.#listeners.size === 0) return;
      for (const event of events) {
        if (!ENDS.has(event.type)) continue;
        for (const listener of this.#listeners.get(keyOf(event)) ?? []) listener();
      }
    });
  }

  /** Whether nothing more is told. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Calls back after every change that may have ended a task of a session. Gives how to stop. */
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

  /** Tells of nothing more, and wakes everybody who waits. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    const all = [...this.#listeners.values()].flatMap((listeners) => [...listeners]);
    this.#listeners.clear();
    for (const listener of all) listener();
  }
}

/** A namespace holds no line break. */
function keyOf({ namespace, sessionId }: SessionRef): string {
  return `${namespace}\n${sessionId}`;
}
