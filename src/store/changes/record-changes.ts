// Changes of records that callers keep by name: what decide gets to see, and what a plan does to
// the pending state. A plan is read for and checked as a whole before any of it is applied.

import { LIMITS } from "../../kit/limits.ts";
import { type RecordName, recordDocumentIds, recordId } from "../../records/rules/record.ts";
import { recordDocuments, recordPlanFault, uploadFault } from "../kept-records.ts";
import type {
  RecordChange,
  RecordPlan,
  RecordView,
  UploadDecision,
  UploadRef,
  UploadView,
} from "../store.ts";
import type { Core } from "../tables/core.ts";
import { countCollections, readCollection } from "../tables/documents.ts";
import { unsound } from "../tables/plan-check.ts";
import {
  encodeRecordBody,
  partId,
  RECORD,
  RECORD_END,
  RECORD_UPLOAD,
  type RecordRow,
  readRows,
  recordOf,
  UPLOAD_END,
  type UploadRow,
  VALUE_PART,
} from "../tables/records.ts";
import { finishChange, nextRevision, pendingReply } from "../tables/replies.ts";
import { PURGE } from "../tables/session-tables.ts";
import {
  type DocumentSteps,
  recordDocumentEnds,
  recordDocumentSteps,
  saveDocumentEnds,
  saveDocuments,
} from "./document-changes.ts";

const NO_BYTES = new Uint8Array(0);

/** The rows of the records before a change, by id. */
type OldRows = ReadonlyMap<string, RecordRow & RecordName>;

/** The state before a change of records. */
interface Seen {
  readonly view: RecordView;
  readonly old: OldRows;
  readonly uploads: ReadonlyMap<string, UploadRow>;
}

/** The view of records for decide, and their rows before the change. */
export function recordsView(
  core: Core,
  { namespace, names, requestId, uploadIds = [] }: RecordChange,
): Seen {
  const old = readRows(core, namespace, names, "pending");
  const uploads = new Map<string, UploadRow>();
  for (const id of uploadIds) {
    const row = RECORD_UPLOAD.get(core, RECORD_UPLOAD.key(namespace, id), "pending");
    if (row !== undefined) uploads.set(id, row);
  }
  const isNew = (collectionId: string): boolean =>
    readCollection(core, { namespace, collectionId }, "pending") === undefined;
  const view: RecordView = {
    revision: nextRevision(core, namespace),
    collectionCountWith: (ids) =>
      countCollections(core, namespace) + [...new Set(ids)].filter(isNew).length,
    records: new Map([...old].map(([id, row]) => [id, recordOf(row)])),
    uploads,
    reply: pendingReply(core, namespace, requestId),
  };
  return { view, old, uploads };
}

/** Applies a plan to the pending state. Throws an Error that names a fault of it. */
export function applyRecords(core: Core, change: RecordChange, seen: Seen, plan: RecordPlan): void {
  const steps = recordSteps(core, change, seen, plan);
  core.writer.whole(() => {
    saveRecords(core, steps);
    // Answers about records hold no names and no values.
    finishChange(core, change, plan, []);
  });
}

/** A change of records that was checked, so that no step of it can fail. */
export interface RecordSteps {
  readonly namespace: string;
  readonly seen: Pick<Seen, "old" | "uploads">;
  readonly plan: Pick<RecordPlan, "put" | "remove">;
  /** Of the documents of records, by collection. */
  readonly documents: readonly DocumentSteps[];
}

/** Checks a change of records. Throws an Error that names a fault of it. */
export function recordSteps(
  core: Core,
  change: RecordChange,
  seen: Seen,
  plan: RecordPlan,
): RecordSteps {
  const fault = recordPlanFault(plan, change, seen.view);
  if (fault !== undefined) throw unsound(fault);
  const { namespace } = change;
  const documents = recordDocuments(namespace, plan, seen.view.records).map((changed) =>
    recordDocumentSteps(core, changed, plan),
  );
  return { namespace, seen, plan, documents };
}

/** Saves a change of records. */
export function saveRecords(
  core: Core,
  { documents, namespace, seen: { old, uploads }, plan }: RecordSteps,
): void {
  for (const { path, key, value, uploadId, documents: _, ...row } of plan.put ?? []) {
    const id = recordId({ path, key });
    eraseOld(core, namespace, id, old.get(id));
    const upload = uploads.get(uploadId);
    if (upload === undefined) {
      const bodyNo = core.writer.putMessage(encodeRecordBody({ id, value }));
      putRow(core, namespace, id, { ...row, bodyNo, partsNo: 0 });
    } else {
      removeUpload(core, { namespace, uploadId }, upload);
      putRow(core, namespace, id, { ...row, bodyNo: 0, partsNo: upload.partsNo });
    }
  }
  for (const name of plan.remove ?? []) {
    const id = recordId(name);
    eraseOld(core, namespace, id, old.get(id));
    core.memtable.set(RECORD.key(namespace, id), null);
  }
  for (const steps of documents) saveDocuments(core, steps);
}

function putRow(core: Core, namespace: string, id: string, row: RecordRow): void {
  RECORD.put(core, RECORD.key(namespace, id), row);
  if (row.expireMs > 0) RECORD_END.put(core, RECORD_END.key(row.expireMs, namespace, id), true);
}

function eraseOld(core: Core, namespace: string, id: string, old: RecordRow | undefined): void {
  if (old === undefined) return;
  if (old.partsNo === 0) core.writer.eraseMessage(old.bodyNo);
  else eraseParts(core, old.partsNo);
  if (old.expireMs > 0) core.memtable.set(RECORD_END.key(old.expireMs, namespace, id), null);
}

// A value may have too many parts for one change: upkeep erases them as it erases a log.
function eraseParts(core: Core, partsNo: number): void {
  PURGE.put(core, PURGE.key(partsNo), { nextSeq: 1, lastSeq: LIMITS.recordParts });
}

function removeUpload(
  core: Core,
  { namespace, uploadId }: UploadRef,
  { expireMs }: UploadRow,
): void {
  core.memtable.set(RECORD_UPLOAD.key(namespace, uploadId), null);
  core.memtable.set(UPLOAD_END.key(expireMs, namespace, uploadId), null);
  core.counts.uploads.add(namespace, -1);
}

/** The view of an upload for decide, and its row. */
export function uploadView(
  core: Core,
  { namespace, uploadId }: UploadRef,
): { readonly view: UploadView; readonly row: UploadRow | undefined } {
  const row = RECORD_UPLOAD.get(core, RECORD_UPLOAD.key(namespace, uploadId), "pending");
  return { view: { upload: row, count: core.counts.uploads.of(core, namespace) }, row };
}

/** Applies a decision about an upload. Throws an Error that names a fault of it. */
export function applyUpload(
  core: Core,
  ref: UploadRef,
  row: UploadRow | undefined,
  decision: UploadDecision<unknown> & { readonly kind: "save" },
): void {
  const fault = uploadFault(decision, row);
  if (fault !== undefined) throw unsound(fault);
  const { part = NO_BYTES, upload } = decision;
  const { namespace, uploadId } = ref;
  core.writer.whole(() => {
    if (row !== undefined) removeUpload(core, ref, row);
    if (upload === undefined) {
      if (row !== undefined) eraseParts(core, row.partsNo);
      return;
    }
    const partsNo = row?.partsNo ?? core.writer.nextLogNo++;
    const offset = row?.byteCount ?? 0;
    const body = { id: partId(partsNo, offset), value: part };
    const bodyNo = core.writer.putMessage(encodeRecordBody(body));
    const place = VALUE_PART.key(partsNo, offset);
    VALUE_PART.put(core, place, { bodyNo, byteCount: part.length });
    RECORD_UPLOAD.put(core, RECORD_UPLOAD.key(namespace, uploadId), { ...upload, partsNo });
    UPLOAD_END.put(core, UPLOAD_END.key(upload.expireMs, namespace, uploadId), true);
    core.counts.uploads.add(namespace, 1);
  });
}

/** Lets records live on from now for their ttl, those that have one and have not expired. */
export async function refreshRecords(
  core: Core,
  namespace: string,
  names: readonly RecordName[],
  nowMs: number,
): Promise<void> {
  core.writer.assertOpen();
  const due = [...readRows(core, namespace, names, "pending")].flatMap(([id, found]) => {
    const { path: _path, key: _key, ...row } = found;
    const { collectionId } = row.search ?? {};
    const expireMs = nowMs + row.ttlMs;
    if (row.expireMs <= nowMs || row.expireMs >= expireMs) return [];
    const documents =
      collectionId === undefined
        ? undefined
        : recordDocumentEnds(
            ...([core, { namespace, collectionId }, recordDocumentIds(found), expireMs] as const),
          );
    return { id, row, expireMs, documents };
  });
  core.writer.whole(() => {
    for (const { id, row, expireMs, documents } of due) {
      core.memtable.set(RECORD_END.key(row.expireMs, namespace, id), null);
      putRow(core, namespace, id, { ...row, expireMs });
      if (documents !== undefined) saveDocumentEnds(core, documents);
    }
  });
  await core.writer.whenDurable();
}
