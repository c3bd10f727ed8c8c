// How many records of a kind a namespace has.

import { type Core, rangeIndex } from "./core.ts";
import { afterPrefix } from "./keys.ts";

/** Counts by namespace; what was counted once is kept up to date. */
export class RecordCounts {
  private readonly prefixOf: (namespace: string) => string;
  private readonly counts = new Map<string, number>();
  private readonly namespacesMax = 10_000;

  /** `prefixOf` gives the start of the keys of a namespace, which share a bucket. */
  constructor(prefixOf: (namespace: string) => string) {
    this.prefixOf = prefixOf;
  }

  of(core: Core, namespace: string): number {
    let count = this.counts.get(namespace);
    if (count === undefined) {
      const prefix = this.prefixOf(namespace);
      count = 0;
      for (const row of rangeIndex(core, "pending", { start: prefix, end: afterPrefix(prefix) })) {
        count += row.key === "" ? 0 : 1;
      }
      if (this.counts.size >= this.namespacesMax) {
        this.counts.clear();
      }
      this.counts.set(namespace, count);
    }
    return count;
  }

  add(namespace: string, difference: number): void {
    const count = this.counts.get(namespace);
    if (count !== undefined) {
      this.counts.set(namespace, count + difference);
    }
  }
}
