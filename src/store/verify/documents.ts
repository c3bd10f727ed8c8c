// Checks collections against their documents, both ways, and vectors against the records that they
// were made from.

import { recordDocumentIds, recordNameOf } from "../../records/rules/record.ts";
import type { CollectionRef } from "../document-records.ts";
import { unseal } from "../engine/envelope.ts";
import type { Environment } from "../engine/environment.ts";
import { u64 } from "../engine/keys.ts";
import type { Problems } from "../engine/problems.ts";
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
  decodeVectorBody,
  documentEnd,
  EMPTIED,
  PAYLOAD,
  RECALLED,
  VECTOR,
} from "../tables/document-tables.ts";
import { MEMORY } from "../tables/memory-tables.ts";
import { RECORD } from "../tables/records.ts";
import { ENTRY, PURGE } from "../tables/session-tables.ts";
import type { IndexView, NumberSet } from "./view.ts";

export interface DocumentCheck {
  readonly env: Environment;
  readonly view: IndexView;
  readonly problems: Problems;
  /** Numbers of logs that are in use; those of collections are added. */
  readonly logs: NumberSet;
  readonly nextLogNo: number;
  /** Gives the newest revision of a namespace. */
  readonly newestRevision: (namespace: string) => number;
  /** Numbers of message records that something names. */
  readonly referenced: NumberSet;
}

/** Checks everything about documents; gives the number of documents. */
export function checkDocuments(check: DocumentCheck): number {
  const { problems, view } = check;
  const found = { documents: 0, expiring: 0 };
  const counts = new Map<string, number>();
  for (const { parts, record: collection } of view.rows(COLLECTION)) {
    if (collection === undefined) continue;
    const { logNo } = collection;
    const isOwn = check.logs.add(logNo) && logNo < check.nextLogNo;
    problems.check(isOwn, "a log belongs to two collections", `log ${logNo}`);
    const [namespace] = parts;
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    const { documents, expiring } = checkCollection(check, parts, collection);
    found.documents += documents;
    found.expiring += expiring;
    const isHeld = view.read(EMPTIED, ...parts) === undefined;
    problems.check(isHeld, "a collection counts as emptied", `log ${logNo}`);
  }
  // Every end of a document was looked up: the same number means that none is too many.
  const isListed = checkEnds(check) === found.expiring;
  problems.check(isListed, "the ends of documents are wrong", "documents");
  checkCounts(check, counts);
  view.count(EMPTIED.id);
  view.count(RECALLED.id);
  return found.documents;
}

/** Compares the number of collections of each namespace. Up to format 8 there are no numbers. */
function checkCounts({ problems, view }: DocumentCheck, counts: ReadonlyMap<string, number>): void {
  for (const { parts, record: count } of view.rows(COLLECTION_COUNT)) {
    const [namespace] = parts;
    const isRight = count === undefined || count === (counts.get(namespace) ?? 0);
    problems.check(isRight, "the collections of a namespace are counted wrongly", "collections");
  }
}

/** Counts the ends of documents; those of a collection that was cleared wait to be erased. */
function checkEnds({ problems, view }: DocumentCheck): number {
  let count = 0;
  for (const { parts, record: ref } of view.rows(DOCUMENT_END)) {
    if (ref === undefined) continue;
    const [, logNo] = parts;
    if (view.read(COLLECTION, ref.namespace, ref.collectionId)?.logNo === logNo) count++;
    else {
      const isDead = view.has(PURGE.key(logNo));
      problems.check(isDead, "the end of a document belongs to no collection", `log ${logNo}`);
    }
  }
  return count;
}

function checkCollection(
  check: DocumentCheck,
  [namespace, collectionId]: readonly [namespace: string, collectionId: string],
  { logNo, ...collection }: CollectionRow,
): { readonly documents: number; readonly expiring: number } {
  const { problems, view } = check;
  const place = `log ${logNo}`;
  let count = 0;
  let chunks = 0;
  let expiring = 0;
  let payloads = 0;
  let ofRecords = 0;
  for (const { parts, record: found } of view.rows(DOCUMENT, logNo)) {
    count++;
    const [, documentNo] = parts;
    const isPast = documentNo > 0 && documentNo < collection.nextDocumentNo;
    problems.check(isPast, "a document has a number that was not given", `${place}, ${documentNo}`);
    if (found !== undefined) {
      chunks += found.sourceId === "" ? 0 : 1;
      payloads += found.payloadBytes === 0 ? 0 : 1;
      expiring += documentEnd(logNo, documentNo, found) === undefined ? 0 : 1;
      ofRecords += found.recordId === "" ? 0 : 1;
      checkDocument(check, { namespace, collectionId, logNo, documentNo }, found);
    }
  }
  const isCounted = count === collection.documentCount && count > 0;
  problems.check(isCounted, "the documents of a collection are counted wrongly", place);
  const isOfRecords = ofRecords === collection.recordDocumentCount;
  problems.check(isOfRecords, "the documents of records are counted wrongly", place);
  // Every id, chunk and payload was looked up above: the same number means that none is too many.
  const ids = view.count(DOCUMENT_ID.prefix(logNo));
  problems.check(ids === count, "the ids of a collection are wrong", place);
  const listed = view.count(CHUNK.prefix(logNo));
  problems.check(listed === chunks, "the chunks of a collection are wrong", place);
  const kept = view.count(PAYLOAD.prefix(logNo));
  problems.check(kept === payloads, "the payloads of a collection are wrong", place);
  return { documents: count, expiring };
}

interface Place extends CollectionRef {
  readonly logNo: number;
  readonly documentNo: number;
}

function checkDocument(check: DocumentCheck, at: Place, row: DocumentRow): void {
  const { problems, view } = check;
  const { logNo, documentNo } = at;
  const newest = check.newestRevision(at.namespace);
  const { byteCount, documentId, etagRevision, sourceId } = row;
  const place = `log ${logNo}, document ${documentNo}`;
  const named = view.read(DOCUMENT_ID, logNo, documentId);
  problems.check(named === documentNo, "a document is not found by its id", place);
  const isListed = sourceId === "" || view.has(CHUNK.key(logNo, sourceId, documentNo));
  problems.check(isListed, "a chunk is not found by its source", place);
  problems.check(etagRevision <= newest, "a document is of a later revision", place);
  const end = documentEnd(logNo, documentNo, row);
  const isEnding = end === undefined || view.has(end);
  problems.check(isEnding, "a document would never expire", place);
  const isKept = row.recordId === "" || isOfRecord(view, at, row);
  problems.check(isKept, "a document belongs to no record", place);
  const body = bodyOf(check, row.bodyNo, { what: "document", place }, decodeDocumentBody);
  if (body !== undefined) {
    const isSame = body.documentId === documentId && body.bytes.length === byteCount;
    problems.check(isSame, "a document and its row differ", place);
  }
  if (row.payloadBytes > 0) checkPayload(check, at, row);
}

function checkPayload(
  check: DocumentCheck,
  { logNo, documentNo }: Place,
  { documentId, payloadBytes }: DocumentRow,
): void {
  const { problems, view } = check;
  const place = `log ${logNo}, document ${documentNo}`;
  const bodyNo = view.read(PAYLOAD, logNo, documentNo);
  if (bodyNo === undefined) {
    problems.add("the payload of a document is missing", place);
    return;
  }
  const body = bodyOf(check, bodyNo, { what: "payload", place }, decodePayloadBody);
  if (body === undefined) return;
  const isSame = body.documentId === documentId && body.data.length === payloadBytes;
  problems.check(isSame, "a payload and its document differ", place);
}

/** Whether the record of a document has it, and ends with it. */
function isOfRecord(
  view: IndexView,
  { namespace, collectionId }: Place,
  row: DocumentRow,
): boolean {
  const { documentId, expireMs, recordId } = row;
  const name = recordNameOf(recordId);
  const record = view.read(RECORD, namespace, recordId);
  if (name === undefined || record?.search?.collectionId !== collectionId) return false;
  return (
    record.expireMs === expireMs && recordDocumentIds({ ...name, ...record }).includes(documentId)
  );
}

/** A body that stands among the messages; undefined, and a problem, when it is damaged. */
export function bodyOf<T>(
  { env, problems, referenced }: DocumentCheck,
  bodyNo: number,
  { what, place }: { readonly what: string; readonly place: string },
  decode: (payload: Uint8Array) => T,
): T | undefined {
  problems.check(referenced.add(bodyNo), "two records name one body", place);
  const key = u64(bodyNo);
  const record = env.message.get(key);
  if (record === undefined) {
    problems.add(`the body of a ${what} is missing`, place);
    return undefined;
  }
  try {
    return decode(unseal(key, record, what));
  } catch {
    problems.add(`the body of a ${what} is damaged`, place);
    return undefined;
  }
}

/** Checks all vectors of logs that are in use; gives how many records have some. */
export function checkVectors(check: DocumentCheck): number {
  const { logs, problems, view } = check;
  let count = 0;
  for (const row of view.under(VECTOR.id)) {
    const [logNo, at] = VECTOR.parts(row.key);
    const place = `log ${logNo}, number ${at}`;
    const found = logs.has(logNo) ? view.decode(row, VECTOR.decode) : undefined;
    if (found === undefined) continue;
    count++;
    const ofNo =
      view.read(ENTRY, logNo, at)?.messageNo ??
      view.read(DOCUMENT, logNo, at)?.bodyNo ??
      view.read(MEMORY, logNo, at)?.textNo;
    problems.check(ofNo === found.ofNo, "vectors belong to no record", place);
    bodyOf(check, found.bodyNo, { what: "vector", place }, decodeVectorBody);
  }
  return count;
}
