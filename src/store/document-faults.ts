// Rules for changes of documents and new vectors, for both engines: they say what is wrong, so
// that half a plan never reaches the state.

import type {
  DocumentChange,
  DocumentPlan,
  NewVectors,
  StoredDocument,
  VectorPlace,
} from "./document-records.ts";
import { frameFault, isCount } from "./task-faults.ts";

/** The most records of one `saveVectors`. */
export const SAVE_VECTORS_MAX = 1_024;

/** The most bytes of the vectors of one `saveVectors`. */
export const SAVE_VECTORS_BYTES_MAX = 33_554_432;

/** Number of remembered recalled namespaces: the most recently recalled. */
export const RECALLED_MAX = 4_096;

/** The state before the change, as a check needs it. */
export interface DocumentBase {
  /** That of the change. */
  readonly revision: number;
  readonly nextDocumentNo: number;
  /** The document with an id; undefined when there is none. */
  readonly known: (documentId: string) => KnownDocument | undefined;
  /** Number of documents of the collection that belong to records. */
  readonly recordDocumentCount: number;
  /** The change is one of records: it alone writes and removes documents of these. */
  readonly isOfRecords: boolean;
}

type KnownDocument = Pick<StoredDocument, "documentNo" | "recordId">;

/** Says what is wrong with a change of documents; undefined when nothing is. */
export function documentPlanFault(plan: DocumentPlan, base: DocumentBase): string | undefined {
  const { put = [], remove = [], clear = false } = plan;
  const frame = frameFault(plan);
  if (frame !== undefined) return frame;
  if (clear && put.length + remove.length > 0) return "it clears a collection and does more to it";
  if (clear && base.recordDocumentCount > 0) return "it clears a collection of records";
  const ids = new Set<string>();
  let next = base.nextDocumentNo;
  for (const document of put) {
    const { documentId, documentNo } = document;
    const known = base.known(documentId);
    if (ids.has(documentId) || documentNo !== (known?.documentNo ?? next)) {
      return `document number ${documentNo} is put twice or has another number`;
    }
    next += known === undefined ? 1 : 0;
    ids.add(documentId);
    const isForeign = !base.isOfRecords && isOfRecord(known);
    if (isForeign || isOfRecord(document) !== base.isOfRecords) {
      return `document number ${documentNo} belongs to a record, or should`;
    }
    const fault = documentFault(document, base.revision);
    if (fault !== undefined) return fault;
  }
  for (const documentId of remove) {
    const known = base.known(documentId);
    if (ids.has(documentId) || known === undefined || isOfRecord(known) !== base.isOfRecords) {
      return "it removes a document that is missing or not its own, or that it writes as well";
    }
    ids.add(documentId);
  }
  return undefined;
}

function isOfRecord(document: Pick<StoredDocument, "recordId"> | undefined): boolean {
  return (document?.recordId ?? "") !== "";
}

function documentFault(document: StoredDocument, revision: number): string | undefined {
  const { createMs, documentId, documentNo, embedding, etagRevision, expireMs, ttlMs } = document;
  // A document of a record ends when the record does.
  const isAlive = ttlMs > 0 === expireMs > 0 || (isOfRecord(document) && ttlMs === 0);
  if (documentId === "") return `document number ${documentNo} has no id`;
  if (!isCount(createMs) || !isCount(etagRevision) || etagRevision > revision) {
    return `document number ${documentNo} is of revision ${etagRevision}, made at ${createMs}`;
  }
  if (!isCount(ttlMs) || !isCount(expireMs) || !isAlive) {
    return `document number ${documentNo} lives for ${ttlMs} ms, until ${expireMs}`;
  }
  const { payload, payloadBytes } = document;
  if ((payload?.data.length ?? 0) !== payloadBytes || payload?.data.length === 0) {
    return `the payload of document number ${documentNo} is not of ${payloadBytes} bytes, or empty`;
  }
  return embedding?.values.length === 0
    ? `the embedding of document number ${documentNo} is empty`
    : undefined;
}

/** Says what is wrong with the collections that a change names; undefined when nothing is. */
export function collectionsFault(change: DocumentChange, plan: DocumentPlan): string | undefined {
  const asked = new Set((change.also ?? []).map(({ collectionId }) => collectionId));
  const named = [change.collectionId];
  for (const { collectionId } of plan.also ?? []) {
    if (named.includes(collectionId)) return "it changes a collection twice";
    if (!asked.has(collectionId)) return "it changes a collection that was not asked for";
    named.push(collectionId);
  }
  return undefined;
}

/** Says what is wrong with new vectors; undefined when nothing is. */
export function vectorsFault(all: readonly NewVectors[]): string | undefined {
  if (all.length > SAVE_VECTORS_MAX) {
    return `vectors of ${all.length} records are saved at once, more than ${SAVE_VECTORS_MAX}`;
  }
  let bytes = 0;
  for (const { record } of all) {
    const dimensions = record.vectors[0]?.length ?? 1;
    if (dimensions === 0 || record.vectors.some(({ length }) => length !== dimensions)) {
      return "the vectors of a record are empty or of several lengths";
    }
    bytes += record.vectors.length * dimensions * 4;
  }
  return bytes > SAVE_VECTORS_BYTES_MAX
    ? `vectors of ${bytes} bytes are saved at once, more than ${SAVE_VECTORS_BYTES_MAX}`
    : undefined;
}

/** The seq of a message or the number of a document or memory. */
export function numberAt(place: VectorPlace): number {
  if (place.kind === "message") return place.seq;
  return place.kind === "document" ? place.documentNo : place.memoryNo;
}

/** When namespaces were recalled, the newest first. */
export function newestRecalled(
  recalled: ReadonlyMap<string, number>,
): readonly { readonly namespace: string; readonly ms: number }[] {
  return [...recalled]
    .map(([namespace, ms]) => ({ namespace, ms }))
    .sort((a, b) => b.ms - a.ms || (a.namespace < b.namespace ? -1 : 1));
}

/** The namespaces recalled longest ago that are too many. */
export function forgottenOf(recalled: ReadonlyMap<string, number>): readonly string[] {
  return recalled.size <= RECALLED_MAX
    ? []
    : newestRecalled(recalled)
        .slice(RECALLED_MAX)
        .map(({ namespace }) => namespace);
}
