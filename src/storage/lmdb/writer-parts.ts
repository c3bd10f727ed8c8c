// What the writer is made of and whom it tells.

import type { StoredEvent } from "../store.ts";
import type { SessionCache } from "./cache.ts";
import type { Environment } from "./environment.ts";
import type { JournalStart } from "./journal.ts";
import type { Memtable } from "./memtable.ts";

/** What the writer works with. */
export interface WriterParts {
  readonly env: Environment;
  readonly memtable: Memtable;
  readonly cache: SessionCache;
  readonly start: JournalStart;
  /** Called with the events of a group once they are durable. */
  readonly publish: (events: readonly StoredEvent[]) => void;
  /** Called with the hooks that have new or changed tasks once these are durable. */
  readonly publishTasks: (hooks: ReadonlySet<string>) => void;
  /** Called once, with the cause, when a commit failed. */
  readonly onFatal: (error: unknown) => void;
  /** Counts bytes that go to the disk. */
  readonly wrote: (bytes: number) => void;
}
