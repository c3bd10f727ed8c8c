// Checks collections against their documents, both ways, and vectors against the records that they
// were made from.

import { decodeEntry, decodeNumber } from "./codec.ts";
import {
  type CollectionRow,
  type DocumentRow,
  decodeCollection,
  decodeDocument,
  decodeDocumentBody,
  decodeVector,
  decodeVectorBody,
} from "./document-codec.ts";
import { unseal } from "./envelope.ts";
import type { Environment } from "./environment.ts";
import {
  chunkKey,
  chunksPrefix,
  documentIdKey,
  documentIdPrefix,
  documentKey,
  documentPrefix,
  entryKey,
  readSized,
  readU64,
  TABLE,
  u64,
} from "./keys.ts";
import { decodeMemory } from "./memory-codec.ts";
import { memoryKey } from "./memory-keys.ts";
import type { IndexView, NumberSet, Problems } from "./verify-view.ts";

/** What the check works with. */
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
  let count = 0;
  for (const row of view.under(TABLE.collection)) {
    const found = view.decode(row, decodeCollection);
    if (found !== undefined) {
      const isOwn = check.logs.add(found.logNo) && found.logNo < check.nextLogNo;
      problems.check(isOwn, "a log belongs to two collections", `log ${found.logNo}`);
      count += checkCollection(check, readSized(row.key, 1).text, found);
      const emptied = TABLE.emptied + row.key.slice(1);
      const isHeld = view.find(emptied, decodeNumber) === undefined;
      problems.check(isHeld, "a collection counts as emptied", `log ${found.logNo}`);
    }
  }
  for (const table of [TABLE.emptied, TABLE.recalled]) {
    for (const row of view.under(table)) {
      view.decode(row, decodeNumber);
    }
  }
  return count;
}

function checkCollection(
  check: DocumentCheck,
  namespace: string,
  { logNo, ...collection }: CollectionRow,
): number {
  const { problems, view } = check;
  const place = `log ${logNo}`;
  let count = 0;
  let chunks = 0;
  for (const row of view.under(documentPrefix(logNo))) {
    count++;
    const documentNo = readU64(row.key, 9);
    const isPast = documentNo > 0 && documentNo < collection.nextDocumentNo;
    problems.check(isPast, "a document has a number that was not given", `${place}, ${documentNo}`);
    const found = view.decode(row, decodeDocument);
    if (found !== undefined) {
      chunks += found.sourceId === "" ? 0 : 1;
      checkDocument(check, { namespace, logNo, documentNo }, found);
    }
  }
  const isCounted = count === collection.documentCount && count > 0;
  problems.check(isCounted, "the documents of a collection are counted wrongly", place);
  // Every id and every chunk was looked up above: the same number means that none is too many.
  const ids = countRows(view, documentIdPrefix(logNo), decodeNumber);
  problems.check(ids === count, "the ids of a collection are wrong", place);
  const listed = countRows(view, chunksPrefix(logNo), () => true);
  problems.check(listed === chunks, "the chunks of a collection are wrong", place);
  return count;
}

function countRows(view: IndexView, prefix: string, decode: (payload: Uint8Array) => unknown) {
  let count = 0;
  for (const row of view.under(prefix)) {
    view.decode(row, decode);
    count++;
  }
  return count;
}

interface Place {
  readonly namespace: string;
  readonly logNo: number;
  readonly documentNo: number;
}

function checkDocument(check: DocumentCheck, at: Place, row: DocumentRow): void {
  const { problems, view } = check;
  const { logNo, documentNo } = at;
  const newest = check.newestRevision(at.namespace);
  const { byteCount, documentId, etagRevision, sourceId } = row;
  const place = `log ${logNo}, document ${documentNo}`;
  const named = view.find(documentIdKey(logNo, documentId), decodeNumber);
  problems.check(named === documentNo, "a document is not found by its id", place);
  const isListed =
    sourceId === "" || view.find(chunkKey(logNo, sourceId, documentNo), () => true) === true;
  problems.check(isListed, "a chunk is not found by its source", place);
  problems.check(etagRevision <= newest, "a document is of a later revision", place);
  const body = bodyOf(check, row.bodyNo, { what: "document", place }, decodeDocumentBody);
  if (body !== undefined) {
    const isSame = body.documentId === documentId && body.bytes.length === byteCount;
    problems.check(isSame, "a document and its row differ", place);
  }
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
  for (const row of view.under(TABLE.vector)) {
    const logNo = readU64(row.key, 1);
    const at = readU64(row.key, 9);
    const place = `log ${logNo}, number ${at}`;
    const found = logs.has(logNo) ? view.decode(row, decodeVector) : undefined;
    if (found === undefined) {
      continue;
    }
    count++;
    const ofNo =
      view.find(entryKey(logNo, at), decodeEntry)?.messageNo ??
      view.find(documentKey(logNo, at), decodeDocument)?.bodyNo ??
      view.find(memoryKey(logNo, at), decodeMemory)?.textNo;
    problems.check(ofNo === found.ofNo, "vectors belong to no record", place);
    bodyOf(check, found.bodyNo, { what: "vector", place }, decodeVectorBody);
  }
  return count;
}
