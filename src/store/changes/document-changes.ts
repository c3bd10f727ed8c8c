// Changes of documents: what decide gets to see, and what a plan does to the pending state. A plan
// is read for and checked as a whole before any of it is applied.

import { recordCorrupt } from "../../kit/errors.ts";
import { collectionsFault, documentPlanFault } from "../document-faults.ts";
import type { RecordDocuments } from "../kept-records.ts";
import type {
  ChangedDocuments,
  CollectionRef,
  DocumentChange,
  DocumentPlan,
  DocumentView,
  OtherChange,
  OtherView,
  StoredDocument,
} from "../store.ts";
import type { Core, LogAt } from "../tables/core.ts";
import {
  CHUNK,
  COLLECTION,
  COLLECTION_COUNT,
  type CollectionRow,
  DOCUMENT,
  DOCUMENT_END,
  DOCUMENT_ID,
  type DocumentRow,
  documentEnd,
  EMPTIED,
  encodeDocumentBody,
  encodePayloadBody,
  PAYLOAD,
} from "../tables/document-tables.ts";
import {
  chunkNosOf,
  chunksOf,
  collectionOf,
  countCollections,
  documentLog,
  documentNoOf,
  findDocument,
  needRow,
  payloadNoOf,
  readCollection,
  readDocumentRow,
} from "../tables/documents.ts";
import { unsound } from "../tables/plan-check.ts";
import { finishChange, nextRevision, pendingReply } from "../tables/replies.ts";
import { PURGE } from "../tables/session-tables.ts";
import { dropVectors, readVectorRow } from "../tables/vectors.ts";

/** The collection before a change. */
interface DocumentsBase {
  /** Undefined while it holds nothing. */
  readonly row: CollectionRow | undefined;
  readonly nextDocumentNo: number;
}

/** The view of documents for decide, and the collection before the change. */
export function documentsView(
  core: Core,
  change: DocumentChange,
): { readonly view: DocumentView; readonly base: DocumentsBase } {
  const { collectionId, documentIds, namespace, sourceIds } = change;
  const base = baseOf(core, change);
  const { row, nextDocumentNo } = base;
  const chunks = new Map<string, readonly StoredDocument[]>();
  for (const sourceId of sourceIds) {
    const found = row === undefined ? [] : chunksOf(pendingAt(core, row), sourceId);
    if (found.length > 0) chunks.set(sourceId, found);
  }
  const also = new Map(
    (change.also ?? []).map((other) => [other.collectionId, otherView(core, change, other)]),
  );
  const view = {
    also,
    revision: nextRevision(core, namespace),
    collection: row === undefined ? undefined : collectionOf(collectionId, row),
    collectionCount: countCollections(core, namespace),
    documents: documentsIn(core, row, documentIds),
    chunks,
    nextDocumentNo,
    reply: pendingReply(core, namespace, change.requestId),
  };
  return { view, base };
}

function pendingAt(core: Core, { logNo }: CollectionRow): LogAt {
  return { core, logNo, visibility: "pending" };
}

function baseOf(core: Core, change: DocumentChange): DocumentsBase {
  const row = readCollection(core, change, "pending");
  return { row, nextDocumentNo: row?.nextDocumentNo ?? nextAfterEmptied(core, change) };
}

function otherView(
  core: Core,
  { namespace }: DocumentChange,
  { collectionId, documentIds }: OtherChange,
): OtherView {
  const row = readCollection(core, { namespace, collectionId }, "pending");
  const documents = documentsIn(core, row, documentIds);
  return { collection: row && collectionOf(collectionId, row), documents };
}

/** Those of some documents that a collection has, by id. */
function documentsIn(
  core: Core,
  row: CollectionRow | undefined,
  documentIds: readonly string[],
): ReadonlyMap<string, StoredDocument> {
  const documents = new Map<string, StoredDocument>();
  for (const documentId of documentIds) {
    const found = row && findDocument(pendingAt(core, row), documentId);
    if (found !== undefined) documents.set(documentId, found);
  }
  return documents;
}

function nextAfterEmptied(core: Core, { namespace, collectionId }: DocumentChange): number {
  return EMPTIED.get(core, EMPTIED.key(namespace, collectionId), "pending") ?? 1;
}

/** A document that is replaced or removed. */
interface OldDocument extends DocumentRow {
  readonly documentNo: number;
  /** The body of its vectors; undefined when there are none. */
  readonly vectorsNo: number | undefined;
  /** The body of its payload; undefined when there is none. */
  readonly payloadNo: number | undefined;
}

/** A change of documents with the collection before it. */
interface Changing {
  readonly change: DocumentChange;
  readonly base: DocumentsBase;
}

/** The steps of a plan for documents, read and checked, so that none of them can fail. */
export interface DocumentSteps extends Changing {
  readonly plan: DocumentPlan;
  readonly old: ReadonlyMap<string, OldDocument>;
  /** Those in other collections. */
  readonly others: readonly DocumentSteps[];
}

/** Applies a plan to the pending state. Throws an Error that names a fault of it. */
export function applyDocuments(
  core: Core,
  change: DocumentChange,
  base: DocumentsBase,
  plan: DocumentPlan,
): void {
  const steps = documentSteps(core, change, base, plan);
  core.writer.whole(() => {
    saveDocuments(core, steps);
    // Answers about documents hold ids alone.
    finishChange(core, change, plan, []);
  });
}

/** Reads what a plan for documents needs, and checks it. Throws an Error that names the fault. */
export function documentSteps(
  core: Core,
  change: DocumentChange & {
    /** The documents belong to records that the change writes or deletes. Default false. */
    readonly isOfRecords?: boolean;
  },
  base: DocumentsBase,
  plan: DocumentPlan,
): DocumentSteps {
  const { row, nextDocumentNo } = base;
  const old = new Map<string, OldDocument>();
  for (const id of [
    ...(plan.put ?? []).map(({ documentId }) => documentId),
    ...(plan.remove ?? []),
  ]) {
    const log = row && pendingAt(core, row);
    const documentNo = log && documentNoOf(log, id);
    if (log !== undefined && documentNo !== undefined) old.set(id, oldDocument(log, documentNo));
  }
  const fault =
    collectionsFault(change, plan) ??
    documentPlanFault(plan, {
      revision: nextRevision(core, change.namespace),
      nextDocumentNo,
      known: (documentId) => old.get(documentId),
      recordDocumentCount: row?.recordDocumentCount ?? 0,
      isOfRecords: change.isOfRecords ?? false,
    });
  if (fault !== undefined) throw unsound(fault);
  const others = (plan.also ?? []).map(({ collectionId, ...own }) => {
    const { namespace } = change;
    const other = { namespace, collectionId, documentIds: [], sourceIds: [] };
    const { nowMs, events } = plan;
    return documentSteps(core, other, baseOf(core, other), { ...own, nowMs, events });
  });
  return { change, base, plan, old, others };
}

/** The steps that a change of records takes in one collection. */
export function recordDocumentSteps(
  core: Core,
  { namespace, collectionId, put, remove }: RecordDocuments,
  { events, nowMs }: Pick<DocumentPlan, "events" | "nowMs">,
): DocumentSteps {
  const ref = { namespace, collectionId };
  const change = { ...ref, documentIds: [], sourceIds: [], isOfRecords: true };
  const { base } = documentsView(core, change);
  let next = base.nextDocumentNo;
  const numbered = put.map((document) => {
    const { documentId } = document;
    const known = base.row && documentNoOf(pendingAt(core, base.row), documentId);
    return { ...document, documentNo: known ?? next++ };
  });
  return documentSteps(core, change, base, { put: numbered, remove, nowMs, events });
}

/** Applies what a plan does to documents. */
export function saveDocuments(core: Core, steps: DocumentSteps): void {
  const { namespace } = steps.change;
  const key = COLLECTION_COUNT.key(namespace);
  const known = COLLECTION_COUNT.get(core, key, "pending");
  const others = (known ?? countCollections(core, namespace)) - (steps.base.row ? 1 : 0);
  const count = others + saveCollection(core, steps);
  if (count !== known) COLLECTION_COUNT.put(core, key, count);
  core.writer.report.documents.push(changedBy(steps));
  for (const other of steps.others) saveDocuments(core, other);
}

function changedBy({ change, old, plan }: DocumentSteps): ChangedDocuments {
  const { collectionId, namespace } = change;
  const put = (plan.put ?? []).map(({ documentNo }) => documentNo);
  const removed = (plan.remove ?? []).flatMap((id) => old.get(id)?.documentNo ?? []);
  return { namespace, collectionId, numbers: plan.clear === true ? "all" : [...put, ...removed] };
}

function oldDocument(log: LogAt, documentNo: number): OldDocument {
  const { core, logNo } = log;
  const row = readDocumentRow(log, documentNo);
  if (row === undefined) {
    throw unsound(`document ${documentNo} of log ${logNo} is listed but missing`);
  }
  const vectorsNo = readVectorRow(core, logNo, documentNo, "pending")?.bodyNo;
  const payloadNo = row.payloadBytes === 0 ? undefined : payloadNoOf(log, documentNo);
  return { ...row, documentNo, vectorsNo, payloadNo };
}

/** Writes what a plan says; gives 1 when the collection holds documents then, else 0. */
function saveCollection(core: Core, { base, change, old, plan }: DocumentSteps): number {
  const { namespace, collectionId } = change;
  const { put = [], remove = [] } = plan;
  // Only other collections change.
  if (base.row === undefined && put.length === 0) return 0;
  const logNo = base.row?.logNo ?? core.writer.nextLogNo++;
  for (const document of put) {
    putDocument(core, { ...change, logNo }, document, old.get(document.documentId));
  }
  for (const documentId of remove) {
    removeDocument(core, logNo, old.get(documentId));
  }
  const added = put.filter(({ documentId }) => !old.has(documentId)).length;
  const before = base.row?.documentCount ?? 0;
  const documentCount = plan.clear === true ? 0 : before + added - remove.length;
  const ofRecords = (all: readonly { readonly recordId?: string }[]): number =>
    all.filter(({ recordId = "" }) => recordId !== "").length;
  const recordDocumentCount =
    (base.row?.recordDocumentCount ?? 0) + ofRecords(put) - ofRecords([...old.values()]);
  const nextDocumentNo = base.nextDocumentNo + added;
  const key = COLLECTION.key(namespace, collectionId);
  const emptied = EMPTIED.key(namespace, collectionId);
  if (documentCount > 0) {
    const createMs = base.row?.createMs ?? plan.nowMs;
    const counts = { nextDocumentNo, documentCount, recordDocumentCount };
    COLLECTION.put(core, key, { logNo, ...counts, createMs, updateMs: plan.nowMs });
    if (base.row === undefined && base.nextDocumentNo > 1) core.memtable.set(emptied, null);
    return 1;
  }
  if (base.row !== undefined) {
    core.memtable.set(key, null);
    EMPTIED.put(core, emptied, nextDocumentNo);
  }
  if (plan.clear === true && before > 0) {
    PURGE.put(core, PURGE.key(logNo), { nextSeq: 1, lastSeq: nextDocumentNo - 1 });
  }
  return 0;
}

/** A collection and the log number under which its documents stand. */
type CollectionLog = CollectionRef & { readonly logNo: number };

function putDocument(
  core: Core,
  log: CollectionLog,
  document: StoredDocument,
  old: OldDocument | undefined,
): void {
  const { logNo } = log;
  const { memtable, writer } = core;
  const { bytes, documentNo, embedding: _, payload, recordId = "", ...facts } = document;
  const { documentId, sourceId } = facts;
  if (old === undefined) {
    DOCUMENT_ID.put({ memtable }, DOCUMENT_ID.key(logNo, documentId), documentNo);
  } else {
    eraseBodies(core, logNo, old);
    dropEnd(core, logNo, documentNo, old);
  }
  if (old !== undefined && old.sourceId !== "" && old.sourceId !== sourceId) {
    memtable.set(CHUNK.key(logNo, old.sourceId, documentNo), null);
  }
  if (sourceId !== "" && old?.sourceId !== sourceId) {
    CHUNK.put({ memtable }, CHUNK.key(logNo, sourceId, documentNo), true);
  }
  const bodyNo = writer.putMessage(encodeDocumentBody(document));
  putRow(core, log, documentNo, { ...facts, recordId, bodyNo, byteCount: bytes.length });
  if (payload === undefined) return;
  const payloadNo = writer.putMessage(encodePayloadBody({ documentId, ...payload }));
  PAYLOAD.put({ memtable }, PAYLOAD.key(logNo, documentNo), payloadNo);
}

function putRow(
  core: Core,
  { namespace, collectionId, logNo }: CollectionLog,
  documentNo: number,
  row: DocumentRow,
): void {
  DOCUMENT.put(core, DOCUMENT.key(logNo, documentNo), row);
  const end = documentEnd(logNo, documentNo, row);
  if (end !== undefined) DOCUMENT_END.put(core, end, { namespace, collectionId });
}

function dropEnd(core: Core, logNo: number, documentNo: number, row: DocumentRow): void {
  const end = documentEnd(logNo, documentNo, row);
  if (end !== undefined) core.memtable.set(end, null);
}

/** Lets documents live on from now for their ttl, those that have one and have not expired. */
export async function refreshDocuments(
  core: Core,
  ref: CollectionRef,
  documentIds: readonly string[],
  nowMs: number,
): Promise<void> {
  core.writer.assertOpen();
  const log = documentLog(core, ref, "pending");
  if (log === undefined) return;
  const { logNo } = log;
  const numbers = new Set(documentIds.flatMap((id) => livingTogether(log, id)));
  const rows = [...numbers].map((no) => [no, needRow(log, no)] as const);
  core.writer.whole(() => {
    for (const [documentNo, row] of rows) {
      const expireMs = nowMs + row.ttlMs;
      if (row.expireMs <= nowMs || row.expireMs >= expireMs) continue;
      dropEnd(core, logNo, documentNo, row);
      putRow(core, { ...ref, logNo }, documentNo, { ...row, expireMs });
    }
  });
  await core.writer.whenDurable();
}

/** Documents of a record with when these end: rows to write, read before any of them is. */
export type DocumentEnds = CollectionLog & {
  readonly rows: readonly (readonly [documentNo: number, row: DocumentRow])[];
};

/** Reads the documents of a record that lives on until then. */
export function recordDocumentEnds(
  core: Core,
  ref: CollectionRef,
  documentIds: readonly string[],
  expireMs: number,
): DocumentEnds {
  const log = documentLog(core, ref, "pending");
  const logNo = log?.logNo ?? 0;
  const rows = documentIds.map((documentId) => {
    const documentNo = log && documentNoOf(log, documentId);
    if (log === undefined || documentNo === undefined) {
      throw recordCorrupt(`a document of a record is missing in log ${logNo}`);
    }
    return [documentNo, { ...needRow(log, documentNo), expireMs }] as const;
  });
  return { ...ref, logNo, rows };
}

/** Lets documents of a record live on. */
export function saveDocumentEnds(core: Core, { rows, ...log }: DocumentEnds): void {
  for (const [documentNo, row] of rows) putRow(core, log, documentNo, row);
}

/** The numbers of a document, or of all chunks of its source. */
function livingTogether(log: LogAt, documentId: string): readonly number[] {
  const documentNo = documentNoOf(log, documentId);
  if (documentNo === undefined) return chunkNosOf(log, documentId);
  const { sourceId } = needRow(log, documentNo);
  return sourceId === "" ? [documentNo] : chunkNosOf(log, sourceId);
}

function removeDocument(core: Core, logNo: number, old: OldDocument | undefined): void {
  if (old === undefined) return;
  const { memtable } = core;
  const { documentId, documentNo, sourceId } = old;
  eraseBodies(core, logNo, old);
  dropEnd(core, logNo, documentNo, old);
  memtable.set(DOCUMENT.key(logNo, documentNo), null);
  memtable.set(DOCUMENT_ID.key(logNo, documentId), null);
  if (sourceId !== "") memtable.set(CHUNK.key(logNo, sourceId, documentNo), null);
}

function eraseBodies(core: Core, logNo: number, old: OldDocument): void {
  const { bodyNo, documentNo, payloadNo, vectorsNo } = old;
  core.writer.eraseMessage(bodyNo);
  dropVectors(core, logNo, documentNo, vectorsNo);
  if (payloadNo === undefined) return;
  core.writer.eraseMessage(payloadNo);
  core.memtable.set(PAYLOAD.key(logNo, documentNo), null);
}
