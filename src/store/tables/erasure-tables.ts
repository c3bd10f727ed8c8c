// The tables of erasures.

import { type Erasure, isDone } from "../../erase/rules/erasure.ts";
import {
  aText,
  bucket,
  defineTable,
  field,
  lastText,
  mapped,
  NOTHING,
  record,
} from "../engine/table.ts";
import type { ErasureProgress } from "../store.ts";
import type { Core } from "./core.ts";

/** JSON leaves out the work of an erasure whose steps are done. */
type StoredErasure = Omit<Erasure, "work"> & Partial<Pick<Erasure, "work">>;

function loaded(stored: StoredErasure): Erasure {
  return { ...stored, work: stored.work };
}

/** By namespace and id. Until its steps are done the row names the subject. */
export const ERASURE = defineTable(0x35, "erasure", [aText, lastText], {
  erasedWith: "erasure",
  record: mapped(
    record({ text: field.text(1) }),
    (erasure: Erasure) => ({ text: JSON.stringify(erasure) }),
    ({ text }) => loaded(JSON.parse(text) as StoredErasure),
  ),
  bucket: bucket.firstText,
});

/** Erasures that are under way, by namespace and id. */
export const ERASURE_RUNNING = defineTable(0x36, "running erasure", [aText, lastText], {
  erasedWith: "nothing",
  record: NOTHING,
  bucket: bucket.table,
});

/** The marks of an erasure under way: its id, the mark. */
export const ERASURE_MARK = defineTable(0x37, "mark of an erasure", [aText, lastText], {
  erasedWith: "erasure",
  record: NOTHING,
  bucket: bucket.firstText,
});

/** Writes the state of an erasure with the transaction that made it so. */
export function saveErasure(
  core: Core,
  namespace: string,
  { erasure, marks = [] }: ErasureProgress,
): void {
  const { erasureId } = erasure;
  ERASURE.put(core, ERASURE.key(namespace, erasureId), erasure);
  const running = ERASURE_RUNNING.key(namespace, erasureId);
  if (isDone(erasure)) core.memtable.set(running, null);
  else ERASURE_RUNNING.put(core, running, true);
  for (const mark of marks) ERASURE_MARK.put(core, ERASURE_MARK.key(erasureId, mark), true);
}
