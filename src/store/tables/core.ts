// The parts of an open store that its tables and changes share.

import type { HighestKeys } from "../engine/highest-keys.ts";
import { afterPrefix } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { type Index, rangeIndex, takeRows } from "../engine/reads.ts";
import type { Table } from "../engine/table.ts";
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
  readonly highestReplies: HighestKeys;
  /** Number of records of some tables in a namespace. */
  readonly counts: Readonly<Record<"consumers" | "recalled" | "uploads", Counts>>;
}

/** A log number, and the state in which rows under it are read. */
export interface LogAt {
  readonly core: Core;
  readonly visibility: Visibility;
  readonly logNo: number;
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

/** Counts by namespace; what was counted once is kept up to date. */
export class RecordCounts {
  readonly #prefixOf: (namespace: string) => string;
  readonly #counts = new Map<string, number>();
  readonly #namespacesMax = 10_000;

  /** `prefixOf` gives the start of the keys of a namespace, which share a bucket. */
  constructor(prefixOf: (namespace: string) => string) {
    this.#prefixOf = prefixOf;
  }

  of(core: Core, namespace: string): number {
    let count = this.#counts.get(namespace);
    if (count === undefined) {
      const prefix = this.#prefixOf(namespace);
      count = 0;
      for (const row of rangeIndex(core, "pending", { start: prefix, end: afterPrefix(prefix) })) {
        count += row.key === "" ? 0 : 1;
      }
      if (this.#counts.size >= this.#namespacesMax) this.#counts.clear();
      this.#counts.set(namespace, count);
    }
    return count;
  }

  add(namespace: string, difference: number): void {
    const count = this.#counts.get(namespace);
    if (count !== undefined) this.#counts.set(namespace, count + difference);
  }
}

const OLD_STEP = 64;

/**
 * Brings the rows that older versions wrote up to date when a store is opened, a few in each
 * commit: what is left when the process is killed is done at the next start.
 */
export async function updateOldRows<R>(
  core: Core,
  table: Pick<Table<readonly unknown[], R>, "id" | "decode">,
  update: (key: string, row: R) => void,
): Promise<void> {
  for (let start: string | undefined = table.id; start !== undefined; ) {
    const range = { start, end: afterPrefix(table.id) };
    const rows = takeRows(core, "committed", range, OLD_STEP);
    for (const { key, payload } of rows) {
      let row: R;
      try {
        row = table.decode(payload);
      } catch {
        // Damage in one row does not keep the store from opening; verify reports it.
        continue;
      }
      update(key, row);
    }
    await core.writer.whenDurable();
    const last = rows[OLD_STEP - 1];
    start = last && `${last.key}\0`;
  }
}
