// The parts of an open store that its tables and changes share.

import type { Index } from "../engine/reads.ts";
import type { Writer } from "../engine/writer.ts";
import type {
  ChangedDocuments,
  ChangedMemory,
  Commit,
  ReadFacts,
  StoredEvent,
  StreamPositions,
} from "../store.ts";
import type { SessionCache } from "./cache.ts";

export interface Core extends Index {
  readonly writer: Writer<CommitReport>;
  readonly cache: SessionCache;
  readonly readFacts: ReadFacts;
  /** Starts of the revisions of every namespace (replies.ts). */
  readonly base: StreamPositions;
  /** Number of records of some tables in a namespace. */
  readonly counts: Readonly<Record<"collections" | "consumers" | "recalled", Counts>>;
}

/** Counts of records by namespace. */
interface Counts {
  of(core: Core, namespace: string): number;
  add(namespace: string, difference: number): void;
}

/** The changes of a group, for the listeners. */
export class CommitReport implements Commit {
  readonly events: StoredEvent[] = [];
  readonly taskHooks = new Set<string>();
  readonly documents: ChangedDocuments[] = [];
  readonly memories: ChangedMemory[] = [];
  memoryJobsDue = false;

  /** Documents, memories and jobs change only with events. */
  get isEmpty(): boolean {
    return this.events.length === 0 && this.taskHooks.size === 0;
  }
}
