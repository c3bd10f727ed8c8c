// Collections and their documents. A collection that holds documents has a log number, under which
// its rows stand; the bodies stand among the messages. A collection that is cleared loses the
// number, and what stands under it is erased by upkeep as a dead log is.

import { recordCorrupt } from "../../kit/errors.ts";
import type { Life } from "../../kit/life.ts";
import { LIMITS } from "../../kit/limits.ts";
import { depthOf, firstSegments } from "../../recall/rules/collection-path.ts";
import { forgottenOf, newestRecalled, RECALLED_MAX } from "../document-faults.ts";
import { afterPrefix, lastNumber, numbersUnder, readText, timesUnder } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { decodeRecord, firstOf, rangeIndex, unlessDamaged } from "../engine/reads.ts";
import type {
  CollectionQuery,
  CollectionRef,
  DocumentPage,
  DocumentQuery,
  DocumentRef,
  ListedCollection,
  PayloadHolder,
  StoredCollection,
  StoredDocument,
} from "../store.ts";
import type { Core, LogAt } from "./core.ts";
import {
  CHUNK,
  COLLECTION,
  COLLECTION_COUNT,
  type CollectionRow,
  DOCUMENT,
  DOCUMENT_END,
  DOCUMENT_ID,
  type DocumentRow,
  decodeDocumentBody,
  decodePayloadBody,
  PAYLOAD,
  RECALLED,
} from "./document-tables.ts";
import { readMessage } from "./messages.ts";

// Rows of a page read at a time.
const PAGE = 64;

/** The row of a collection; undefined while it holds nothing. */
export function readCollection(
  core: Core,
  { namespace, collectionId }: CollectionRef,
  visibility: Visibility,
): CollectionRow | undefined {
  const key = COLLECTION.key(namespace, collectionId);
  return COLLECTION.get(core, key, visibility);
}

/** A collection as the layers above see it. */
export function collectionOf(
  collectionId: string,
  row: Omit<StoredCollection, "collectionId">,
): StoredCollection {
  const { documentCount, recordDocumentCount, createMs, updateMs } = row;
  return { collectionId, documentCount, recordDocumentCount, createMs, updateMs };
}

/** Location of the documents of a collection; undefined while it holds nothing. */
export function documentLog(
  core: Core,
  ref: CollectionRef,
  visibility: Visibility,
): LogAt | undefined {
  const logNo = readCollection(core, ref, visibility)?.logNo;
  return logNo === undefined ? undefined : { core, logNo, visibility };
}

/** The row of a document; undefined when there is none. */
export function readDocumentRow(log: LogAt, documentNo: number): DocumentRow | undefined {
  return Number.isSafeInteger(documentNo) && documentNo > 0
    ? DOCUMENT.get(log.core, DOCUMENT.key(log.logNo, documentNo), log.visibility)
    : undefined;
}

/** The number of a document by its id; undefined when there is none. */
export function documentNoOf(log: LogAt, documentId: string): number | undefined {
  return DOCUMENT_ID.get(log.core, DOCUMENT_ID.key(log.logNo, documentId), log.visibility);
}

/** The document of a row. Throws RECORD_CORRUPT when its body is missing or another one. */
function documentOf(log: LogAt, documentNo: number, row: DocumentRow): StoredDocument {
  const { bodyNo, byteCount, recordId, ...facts } = row;
  const payload = readMessage(log.core, bodyNo, log.visibility);
  const body = decodeRecord("document", payload, decodeDocumentBody);
  if (body.documentId !== facts.documentId || body.bytes.length !== byteCount) {
    throw recordCorrupt(`message ${bodyNo} is not the document that its row names`);
  }
  const { bytes, embedding } = body;
  const of = recordId === "" ? {} : { recordId };
  return { ...facts, ...of, documentNo, bytes, embedding };
}

/** A document that a list names. Throws RECORD_CORRUPT when it is missing. */
function needDocument(log: LogAt, documentNo: number): StoredDocument {
  return documentOf(log, documentNo, needRow(log, documentNo));
}

/** The row of a document that a list names. Throws RECORD_CORRUPT when it is missing. */
export function needRow(log: LogAt, documentNo: number): DocumentRow {
  const row = readDocumentRow(log, documentNo);
  if (row === undefined) {
    throw recordCorrupt(`document ${documentNo} of log ${log.logNo} is listed but missing`);
  }
  return row;
}

/** Finds a document by its id; undefined when there is none. */
export function findDocument(log: LogAt, documentId: string): StoredDocument | undefined {
  const documentNo = documentNoOf(log, documentId);
  if (documentNo === undefined) return undefined;
  const document = needDocument(log, documentNo);
  if (document.documentId !== documentId) {
    throw recordCorrupt(`a document id of log ${log.logNo} leads to another document`);
  }
  return document;
}

/** The numbers of the chunks of a source, rising. */
export function chunkNosOf({ core, logNo, visibility }: LogAt, sourceId: string): number[] {
  const rows = rangeIndex(core, visibility, numbersUnder(CHUNK.prefix(logNo, sourceId)));
  return Array.from(rows, ({ key }) => lastNumber(key));
}

/** The chunks of a source by rising number. */
export function chunksOf(log: LogAt, sourceId: string): StoredDocument[] {
  return chunkNosOf(log, sourceId).map((documentNo) => needDocument(log, documentNo));
}

/** A document with nothing but its payload; undefined when there is none of this id. */
export function readPayload(
  core: Core,
  ref: CollectionRef,
  documentId: string,
): PayloadHolder | undefined {
  const log = documentLog(core, ref, "committed");
  const documentNo = log && documentNoOf(log, documentId);
  if (log === undefined || documentNo === undefined) return undefined;
  const { sourceId, etagRevision, payloadBytes } = needRow(log, documentNo);
  const holder = { sourceId, etagRevision, payload: undefined };
  if (payloadBytes === 0) return holder;
  const bodyNo = payloadNoOf(log, documentNo);
  const body = readMessage(core, bodyNo, "committed");
  const { mediaType, data, ...of } = decodeRecord("payload", body, decodePayloadBody);
  if (of.documentId !== documentId || data.length !== payloadBytes) {
    throw recordCorrupt(`message ${bodyNo} is not the payload that its row names`);
  }
  return { ...holder, payload: { mediaType, data } };
}

/** The number of the body of a payload. Throws RECORD_CORRUPT when its row is missing. */
export function payloadNoOf({ core, logNo, visibility }: LogAt, documentNo: number): number {
  const bodyNo = PAYLOAD.get(core, PAYLOAD.key(logNo, documentNo), visibility);
  if (bodyNo === undefined) {
    throw recordCorrupt(`the payload of document ${documentNo} of log ${logNo} is missing`);
  }
  return bodyNo;
}

/** The lives of documents by id; that of a source is that of its first chunk. */
export function readDocumentLives(
  core: Core,
  ref: CollectionRef,
  documentIds: readonly string[],
): Map<string, Life> {
  const lives = new Map<string, Life>();
  const log = documentLog(core, ref, "committed");
  if (log === undefined) return lives;
  for (const documentId of documentIds) {
    const documentNo = documentNoOf(log, documentId) ?? firstChunkNo(log, documentId);
    if (documentNo === undefined) continue;
    const { ttlMs, expireMs } = needRow(log, documentNo);
    lives.set(documentId, { ttlMs, expireMs });
  }
  return lives;
}

function firstChunkNo({ core, logNo, visibility }: LogAt, sourceId: string): number | undefined {
  const first = firstOf(core, visibility, numbersUnder(CHUNK.prefix(logNo, sourceId)));
  return first && lastNumber(first.key);
}

/** Documents whose time has run out, the earliest first. */
export function expiredDocuments(core: Core, nowMs: number, limit: number): DocumentRef[] {
  const range = { ...timesUnder(DOCUMENT_END.id, nowMs), page: limit };
  const found: DocumentRef[] = [];
  let looks = 0;
  for (const { key, payload } of rangeIndex(core, "committed", range)) {
    if (found.length >= limit || looks++ >= LIMITS.pageScan) break;
    const [endMs, logNo, documentNo] = DOCUMENT_END.parts(key);
    const ref = DOCUMENT_END.of(payload);
    // Those of a collection that was cleared are erased with it.
    if (readCollection(core, ref, "committed")?.logNo !== logNo) continue;
    const row = readDocumentRow({ core, logNo, visibility: "committed" }, documentNo);
    if (row?.expireMs !== endMs) {
      throw recordCorrupt("the end of a document is listed, and the document is missing");
    }
    found.push({ ...ref, documentId: row.documentId });
  }
  return found;
}

/** A page of the documents of a collection: a bounded number of bytes. */
export function listDocuments(core: Core, query: DocumentQuery): DocumentPage {
  const log = documentLog(core, query, "committed");
  const { after, limit, last = Number.MAX_SAFE_INTEGER - 1 } = query;
  const documents: StoredDocument[] = [];
  if (log === undefined || after >= last) return { documents, next: undefined };
  const numbers = numbersUnder(DOCUMENT.prefix(log.logNo), { after, below: last + 1 });
  const range = { ...numbers, page: Math.min(PAGE, limit + 1) };
  let bytes = 0;
  for (const { key, payload } of rangeIndex(core, "committed", range)) {
    const found = DOCUMENT.of(payload);
    bytes += found.byteCount;
    const isFull = documents.length > 0 && bytes > LIMITS.pageBytes;
    if (isFull || documents.length >= limit) {
      return { documents, next: documents.at(-1)?.documentNo ?? after };
    }
    const documentNo = lastNumber(key);
    const document = unlessDamaged(core, () => documentOf(log, documentNo, found));
    if (document !== undefined) documents.push(document);
  }
  return { documents, next: undefined };
}

/** Number of collections of a namespace that hold documents. */
export function countCollections(core: Core, namespace: string): number {
  const known = COLLECTION_COUNT.get(core, COLLECTION_COUNT.key(namespace), "pending");
  if (known !== undefined) return known;
  // A store of an older format holds few.
  const start = COLLECTION.prefix(namespace);
  return [...rangeIndex(core, "pending", { start, end: afterPrefix(start) })].length;
}

/** The key of everything below a collection begins with this. */
function belowOf(namespace: string, collectionId: string): string {
  return `${COLLECTION.key(namespace, collectionId)}\0`;
}

/** Collections in the order of their segments. Each costs a bounded number of descents. */
export function listCollections(core: Core, query: CollectionQuery): ListedCollection[] {
  const { namespace, after, limit, maxDepth = 0, parent = "" } = query;
  const whole = parent === "" ? COLLECTION.prefix(namespace) : belowOf(namespace, parent);
  const end = afterPrefix(whole);
  const segmentsMax = maxDepth === 0 ? Number.POSITIVE_INFINITY : depthOf(parent) + maxDepth;
  const first = (start: string, before: string) =>
    firstOf(core, "committed", { start: start > whole ? start : whole, end: before });
  const isCut = (collectionId: string): boolean => depthOf(collectionId) >= segmentsMax;
  const nextOf = (collectionId: string): string => {
    const below = belowOf(namespace, collectionId);
    return isCut(collectionId) ? afterPrefix(below) : below;
  };
  const collections: ListedCollection[] = [];
  let start = after === "" ? whole : nextOf(after);
  while (collections.length < limit) {
    const found = start < end ? first(start, end) : undefined;
    if (found === undefined) break;
    const [, id] = COLLECTION.parts(found.key);
    const isAbove = depthOf(id) > segmentsMax;
    const collectionId = isAbove ? firstSegments(id, segmentsMax) : id;
    const below = belowOf(namespace, collectionId);
    const hasBelow = isAbove || first(below, afterPrefix(below)) !== undefined;
    const row = isAbove ? NO_DOCUMENTS : COLLECTION.of(found.payload);
    collections.push({ ...collectionOf(collectionId, row), hasBelow });
    start = nextOf(collectionId);
  }
  return collections;
}

/** Stands for the collections below it. */
const NO_DOCUMENTS = { documentCount: 0, recordDocumentCount: 0, createMs: 0, updateMs: 0 };

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
