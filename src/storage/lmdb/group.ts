// What one commit saves: everything that was decided while the commit before was under way.

import type { NewEvent, StoredEvent } from "../store.ts";
import type { CachedSession } from "./cache.ts";
import { encodeEvent, encodeHead } from "./codec.ts";
import { eventKey, headKey, REVISION_EVENTS_MAX, u64 } from "./keys.ts";
import type { Memtable } from "./memtable.ts";
import { sealLog } from "./slab.ts";

/** A record on its way into a table. */
export interface Put {
  readonly key: string;
  readonly value: Uint8Array;
}

/** Somebody who waits for a group. */
export interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A group of changes that are saved in one transaction. */
export class Group {
  readonly firstMessageNo: number;
  /** The wire forms of new messages, by number from `firstMessageNo` on. */
  readonly messages: Uint8Array[] = [];
  readonly messagePuts: Put[] = [];
  /** Numbers of messages that are erased. */
  readonly erased = new Set<number>();
  readonly eventPuts: Put[] = [];
  readonly events: StoredEvent[] = [];
  /** Events dropped by retention. */
  readonly eventRemovals: string[] = [];
  /** Index keys of dead logs, which are removed without the journal. */
  readonly indexRemovals: string[] = [];
  /** Sessions that have another state after the group. */
  readonly sessions: CachedSession[] = [];
  readonly waiters: Waiter[] = [];
  /** The hooks of tasks that are new or changed and may be taken at some time. */
  readonly taskHooks = new Set<string>();
  /** What the group does, for the failpoints. */
  trimmed = false;
  purging = false;
  copying = false;
  bytes = 0;
  /** The newest commit number of the group; 0 when it has no events. */
  commitNo = 0;

  constructor(firstMessageNo: number) {
    this.firstMessageNo = firstMessageNo;
  }

  /** How many records the group writes or removes outside the index. */
  get operations(): number {
    return (
      this.messagePuts.length +
      this.erased.size +
      this.eventPuts.length +
      this.eventRemovals.length +
      this.indexRemovals.length
    );
  }

  /** The wire form of a message of this group. */
  message(messageNo: number): Uint8Array | undefined {
    return this.messages[messageNo - this.firstMessageNo];
  }

  addMessage(messageNo: number, bytes: Uint8Array): void {
    const key = u64(messageNo);
    this.messages.push(bytes);
    this.messagePuts.push({ key, value: sealLog(key, bytes) });
    this.bytes += bytes.length;
  }

  /** Adds the heads of the sessions, whose newest states are on their way from here on. */
  sealSessions(memtable: Memtable): void {
    for (const cached of this.sessions) {
      const state = cached.forming;
      if (state !== undefined && state !== null) {
        const key = headKey(state.sessionNo);
        memtable.set(key, encodeHead(key, state.logNo, state.session.head));
      }
      cached.inFlight = state;
      cached.forming = undefined;
    }
  }

  /** Adds the events of a change: a commit number, and the revision of its namespace. */
  addEvents(commitNo: number, revision: number, events: readonly NewEvent[]): void {
    if (events.length === 0 || events.length > REVISION_EVENTS_MAX) {
      throw new Error("A saved change must have events, and not too many.");
    }
    this.commitNo = commitNo;
    let index = 0;
    for (const event of events) {
      const key = eventKey(commitNo, index, index === events.length - 1);
      this.eventPuts.push({ key, value: encodeEvent(key, revision, event) });
      this.bytes += event.body.length;
      const { type, namespace, sessionId, userId, createMs, body } = event;
      this.events.push({
        revision,
        index,
        type,
        namespace,
        sessionId,
        userId,
        createMs,
        body,
      });
      index++;
    }
  }
}
