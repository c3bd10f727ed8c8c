// Changes of records that callers keep by name: what decide gets to see, and what a plan does to
// the pending state. A plan is read for and checked as a whole before any of it is applied.

import { type FullRecord, type RecordName, recordId } from "../../records/rules/record.ts";
import { recordPlanFault } from "../kept-records.ts";
import type { RecordChange, RecordPlan, RecordView } from "../store.ts";
import type { Core } from "../tables/core.ts";
import { unsound } from "../tables/plan-check.ts";
import {
  encodeRecordBody,
  RECORD,
  RECORD_END,
  type RecordRow,
  readRows,
  recordOf,
} from "../tables/records.ts";
import { finishChange, nextRevision, pendingReply } from "../tables/replies.ts";

/** The rows of the records before a change, by id. */
type OldRows = ReadonlyMap<string, RecordRow & RecordName>;

/** The view of records for decide, and their rows before the change. */
export function recordsView(
  core: Core,
  { namespace, names, requestId }: RecordChange,
): { readonly view: RecordView; readonly old: OldRows } {
  const old = readRows(core, namespace, names, "pending");
  const view = {
    revision: nextRevision(core, namespace),
    records: new Map([...old].map(([id, row]) => [id, recordOf(row)])),
    reply: pendingReply(core, namespace, requestId),
  };
  return { view, old };
}

/** Applies a plan to the pending state. Throws an Error that names a fault of it. */
export function applyRecords(
  core: Core,
  change: RecordChange,
  seen: { readonly view: RecordView; readonly old: OldRows },
  plan: RecordPlan,
): void {
  const steps = recordSteps(change, seen, plan);
  core.writer.whole(() => {
    saveRecords(core, steps);
    // Answers about records hold no names and no values.
    finishChange(core, change, plan, []);
  });
}

/** A change of records that was checked, so that no step of it can fail. */
export interface RecordSteps {
  readonly namespace: string;
  readonly old: OldRows;
  readonly plan: Pick<RecordPlan, "put" | "remove">;
}

/** Checks a change of records. Throws an Error that names a fault of it. */
export function recordSteps(
  change: RecordChange,
  { view, old }: { readonly view: RecordView; readonly old: OldRows },
  plan: RecordPlan,
): RecordSteps {
  const fault = recordPlanFault(plan, change, view);
  if (fault !== undefined) throw unsound(fault);
  return { namespace: change.namespace, old, plan };
}

/** Saves a change of records. */
export function saveRecords(core: Core, { namespace, old, plan }: RecordSteps): void {
  for (const record of plan.put ?? []) {
    const id = recordId(record);
    eraseOld(core, namespace, id, old.get(id));
    const bodyNo = core.writer.putMessage(encodeRecordBody({ id, value: record.value }));
    putRow(core, namespace, id, { ...rowOf(record), bodyNo });
  }
  for (const name of plan.remove ?? []) {
    const id = recordId(name);
    eraseOld(core, namespace, id, old.get(id));
    core.memtable.set(RECORD.key(namespace, id), null);
  }
}

function rowOf({ path: _path, key: _key, value: _value, ...row }: FullRecord) {
  return row;
}

function putRow(core: Core, namespace: string, id: string, row: RecordRow): void {
  RECORD.put(core, RECORD.key(namespace, id), row);
  if (row.expireMs > 0) RECORD_END.put(core, RECORD_END.key(row.expireMs, namespace, id), true);
}

function eraseOld(core: Core, namespace: string, id: string, old: RecordRow | undefined): void {
  if (old === undefined) return;
  core.writer.eraseMessage(old.bodyNo);
  if (old.expireMs > 0) core.memtable.set(RECORD_END.key(old.expireMs, namespace, id), null);
}

/** Lets records live on from now for their ttl, those that have one and have not expired. */
export async function refreshRecords(
  core: Core,
  namespace: string,
  names: readonly RecordName[],
  nowMs: number,
): Promise<void> {
  core.writer.assertOpen();
  const rows = readRows(core, namespace, names, "pending");
  core.writer.whole(() => {
    for (const [id, { path: _path, key: _key, ...row }] of rows) {
      const expireMs = nowMs + row.ttlMs;
      if (row.expireMs <= nowMs || row.expireMs >= expireMs) continue;
      core.memtable.set(RECORD_END.key(row.expireMs, namespace, id), null);
      putRow(core, namespace, id, { ...row, expireMs });
    }
  });
  await core.writer.whenDurable();
}
