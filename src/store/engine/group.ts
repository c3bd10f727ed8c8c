// A group: everything that was decided while the commit before was under way.

import { sealLog } from "./envelope.ts";
import { u64 } from "./keys.ts";
import type { Memtable } from "./memtable.ts";

/** A record on its way into a table. */
export interface Put {
  readonly key: string;
  readonly value: Uint8Array;
}

/** A caller that waits for a group. */
export interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** State outside the index that changes with a group, such as a session in a cache. */
export interface Staged {
  /** The group is complete: writes the records that the newest state needs. */
  seal(memtable: Memtable): void;
  /** The group is durable. */
  commit(): void;
}

/** The changes of a group, for listeners. */
export interface Report {
  readonly isEmpty: boolean;
}

/** A group of changes that are saved in one transaction. */
export class Group<R extends Report> {
  readonly firstMessageNo: number;
  /** The wire forms of new messages, by number from `firstMessageNo` on. */
  readonly messages: Uint8Array[] = [];
  readonly messagePuts: Put[] = [];
  /** Numbers of messages that are erased. */
  readonly erased = new Set<number>();
  readonly eventPuts: Put[] = [];
  /** Events dropped by retention. */
  readonly eventRemovals: string[] = [];
  /** Index keys of dead logs, which are removed without the journal. */
  readonly indexRemovals: string[] = [];
  readonly staged: Staged[] = [];
  readonly report: R;
  readonly waiters: Waiter[] = [];
  /** The group trims or copies, for the failpoints. */
  trimmed = false;
  copying = false;
  /** The group purges: it needs a transaction of its own, and has failpoints. */
  purging = false;
  bytes = 0;
  /** The newest commit number of the group; 0 when it has no events. */
  commitNo = 0;

  constructor(firstMessageNo: number, report: R) {
    this.firstMessageNo = firstMessageNo;
    this.report = report;
  }

  /** Number of records that the group writes or removes outside the index. */
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

  addEvent(key: string, record: Uint8Array, bytes: number): void {
    this.eventPuts.push({ key, value: record });
    this.bytes += bytes;
  }
}
