// Which namespaces were recalled, and when.

import { forgottenOf, newestRecalled, RECALLED_MAX } from "../document-faults.ts";
import { decodeNumber, encodeNumber } from "./codec.ts";
import { type Core, decodeRecord, rangeIndex, readIndex } from "./core.ts";
import type { RecordCounts } from "./counts.ts";
import { afterPrefix, readText, recalledKey } from "./keys.ts";
import type { Visibility } from "./memtable.ts";

// There is one table for all namespaces.
const ALL = "";

function readRecalled(core: Core, visibility: Visibility): Map<string, number> {
  const start = recalledKey("");
  const recalled = new Map<string, number>();
  for (const { key, payload } of rangeIndex(core, visibility, { start, end: afterPrefix(start) })) {
    recalled.set(readText(key.slice(start.length)), decodeRecord("recall", payload, decodeNumber));
  }
  return recalled;
}

/** The namespaces that were recalled, the newest first. */
export function recalledNamespaces(core: Core): ReturnType<typeof newestRecalled> {
  return newestRecalled(readRecalled(core, "committed"));
}

/** Remembers that a namespace was recalled, and forgets those of long ago. */
export function noteRecalled(
  core: Core,
  counts: RecordCounts,
  namespace: string,
  ms: number,
): Promise<void> {
  core.writer.assertOpen();
  const key = recalledKey(namespace);
  const isNew = readIndex(core, key, "pending", decodeNumber) === undefined;
  const count = counts.of(core, ALL) + (isNew ? 1 : 0);
  const forgotten =
    count <= RECALLED_MAX ? [] : forgottenOf(readRecalled(core, "pending").set(namespace, ms));
  core.memtable.set(key, encodeNumber(key, ms));
  for (const other of forgotten) {
    core.memtable.set(recalledKey(other), null);
  }
  counts.add(ALL, Number(isNew) - forgotten.length);
  return core.writer.whenFormingDurable(undefined);
}
