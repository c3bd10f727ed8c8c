// Number of records of a kind in a namespace.

import { forgottenOf, newestRecalled, RECALLED_MAX } from "../document-faults.ts";
import { afterPrefix, readText } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { rangeIndex } from "../engine/reads.ts";
import type { Core } from "./core.ts";
import { RECALLED } from "./document-tables.ts";

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

// Recalled namespaces, and the times of their last recall.

// There is one table for all namespaces.
const ALL = "";

function readRecalled(core: Core, visibility: Visibility): Map<string, number> {
  const start = RECALLED.id;
  const recalled = new Map<string, number>();
  for (const { key, payload } of rangeIndex(core, visibility, { start, end: afterPrefix(start) })) {
    recalled.set(readText(key.slice(start.length)), RECALLED.of(payload));
  }
  return recalled;
}

/** The namespaces that were recalled, the newest first. */
export function recalledNamespaces(core: Core): ReturnType<typeof newestRecalled> {
  return newestRecalled(readRecalled(core, "committed"));
}

/** Remembers that a namespace was recalled, and forgets those of long ago. */
export function noteRecalled(core: Core, namespace: string, ms: number): Promise<void> {
  const counts = core.counts.recalled;
  core.writer.assertOpen();
  const key = RECALLED.key(namespace);
  const isNew = RECALLED.get(core, key, "pending") === undefined;
  const count = counts.of(core, ALL) + (isNew ? 1 : 0);
  const forgotten =
    count <= RECALLED_MAX ? [] : forgottenOf(readRecalled(core, "pending").set(namespace, ms));
  RECALLED.put(core, key, ms);
  for (const other of forgotten) {
    core.memtable.set(RECALLED.key(other), null);
  }
  counts.add(ALL, Number(isNew) - forgotten.length);
  return core.writer.whenFormingDurable(undefined);
}
