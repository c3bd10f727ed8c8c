// What one commit saves: everything that was decided while the commit before was under way.

import type { StoredEvent } from "../store.ts";
import type { CachedSession } from "./cache.ts";

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
  readonly sessions: CachedSession[] = [];
  readonly waiters: Waiter[] = [];
  /** A change of the group took messages out of a window. */
  trimmed = false;
  purging = false;
  copying = false;
  bytes = 0;
  revision = 0;

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
}
