// The tables of collections, documents and vectors. Bodies have no envelope here: they stand among
// the messages, which put them into one.

import { floatBytes, floatsOf } from "../../kit/bytes.ts";
import type { Life } from "../../kit/life.ts";
import {
  aNumber,
  aText,
  bodyBytes,
  bucket,
  defineTable,
  field,
  lastPath,
  lastText,
  NOTHING,
  ONE_NUMBER,
  record,
} from "../engine/table.ts";
import type { CollectionRef, StoredDocument, StoredPayload, VectorRecord } from "../store.ts";

const NO_BYTES = new Uint8Array(0);

/** A collection that holds documents. */
export interface CollectionRow {
  /** The number under which its documents stand. */
  readonly logNo: number;
  readonly nextDocumentNo: number;
  readonly documentCount: number;
  readonly createMs: number;
  readonly updateMs: number;
  /** Of the documents, those that belong to records. */
  readonly recordDocumentCount: number;
}

/** Collections that hold documents. A collection has a log number, under which these stand. */
export const COLLECTION = defineTable(0x18, "collection", [aText, lastPath], {
  erasedWith: "nothing",
  record: record<CollectionRow>({
    logNo: field.number(1),
    nextDocumentNo: field.number(2),
    documentCount: field.number(3),
    createMs: field.number(4),
    updateMs: field.number(5),
    recordDocumentCount: field.number(6),
  }),
  bucket: bucket.firstText,
});

/** Number of collections of a namespace. Up to format 8 they are counted. */
export const COLLECTION_COUNT = defineTable(0x43, "count of collections", [lastText], {
  erasedWith: "nothing",
  record: ONE_NUMBER,
});

/** The number of the next new document of a collection that once held some. */
export const EMPTIED = defineTable(0x19, "emptied collection", [aText, lastPath], {
  erasedWith: "nothing",
  record: ONE_NUMBER,
});

/** Location of a document, and its facts for lists. */
export interface DocumentRow extends Life {
  readonly bodyNo: number;
  /** Of the wire form, without the embedding. */
  readonly byteCount: number;
  readonly documentId: string;
  readonly sourceId: string;
  readonly createMs: number;
  readonly etagRevision: number;
  /** 0 without one. */
  readonly payloadBytes: number;
  /** The id of the record that it belongs to; empty for none. */
  readonly recordId: string;
}

/** By log number and document number. */
export const DOCUMENT = defineTable(0x1a, "document", [aNumber, aNumber], {
  record: record<DocumentRow>({
    bodyNo: field.number(1),
    byteCount: field.number(2),
    documentId: field.text(3),
    sourceId: field.text(4),
    createMs: field.number(5),
    etagRevision: field.number(6),
    ttlMs: field.number(7),
    expireMs: field.number(8),
    payloadBytes: field.number(9),
    recordId: field.text(10),
  }),
  bucket: bucket.allButLast,
  under: "log",
  bodyNo: ({ bodyNo }) => bodyNo,
  companion: ([logNo, documentNo], row) => documentEnd(logNo, documentNo, row),
});

/** The key of the end of a document; undefined when it has none, or ends with its record. */
export function documentEnd(
  logNo: number,
  documentNo: number,
  { expireMs, recordId }: Pick<DocumentRow, "expireMs" | "recordId">,
): string | undefined {
  const isListed = expireMs > 0 && recordId === "";
  return isListed ? DOCUMENT_END.key(expireMs, logNo, documentNo) : undefined;
}

/** Documents that expire: when, the log number and the document number. */
export const DOCUMENT_END = defineTable(0x3b, "end of a document", [aNumber, aNumber, aNumber], {
  erasedWith: "log",
  record: record<CollectionRef>({ namespace: field.text(1), collectionId: field.text(2) }),
  bucket: bucket.table,
});

export const DOCUMENT_ID = defineTable(0x1b, "document id", [aNumber, lastText], {
  record: ONE_NUMBER,
  under: "log",
});

/** The chunks of a source: log number, source id, document number. */
export const CHUNK = defineTable(0x1c, "chunk", [aNumber, aText, aNumber], {
  record: NOTHING,
  bucket: bucket.allButLast,
  under: "log",
});

/** The payloads of documents, by log number and document number: the numbers of their bodies. */
export const PAYLOAD = defineTable(0x42, "payload", [aNumber, aNumber], {
  record: ONE_NUMBER,
  under: "log",
  bodyNo: (bodyNo) => bodyNo,
});

/** The body of a payload. */
export interface PayloadBody extends StoredPayload {
  readonly documentId: string;
}

const payloadBody = record<PayloadBody>({
  documentId: field.text(1),
  mediaType: field.text(2),
  data: field.bytes(3),
});

export function encodePayloadBody(body: PayloadBody): Uint8Array {
  return bodyBytes(payloadBody, body);
}

export const decodePayloadBody: (payload: Uint8Array) => PayloadBody = payloadBody.decode;

/** The body of a document. */
export type DocumentBody = Pick<StoredDocument, "documentId" | "bytes" | "embedding">;

const documentBody = record<{
  readonly documentId: string;
  readonly bytes: Uint8Array;
  readonly model: string;
  readonly values: Uint8Array;
}>({
  documentId: field.text(1),
  bytes: field.bytes(2),
  model: field.text(3),
  values: field.bytes(4),
});

export function encodeDocumentBody({ documentId, bytes, embedding }: DocumentBody): Uint8Array {
  const model = embedding?.model ?? "";
  const values = embedding === undefined ? NO_BYTES : floatBytes([embedding.values]);
  return bodyBytes(documentBody, { documentId, bytes, model, values });
}

export function decodeDocumentBody(payload: Uint8Array): DocumentBody {
  const { documentId, bytes, model, values } = documentBody.decode(payload);
  const embedding = values.length === 0 ? undefined : { model, values: floatsOf(values) };
  return { documentId, bytes, embedding };
}

/** Location of the vectors of a message or a document. */
export interface VectorRow {
  /** The number of the record that they were made from. */
  readonly ofNo: number;
  readonly bodyNo: number;
}

/** By log number, and seq or number of a document or memory. */
export const VECTOR = defineTable(0x1d, "vectors", [aNumber, aNumber], {
  record: record<VectorRow>({ ofNo: field.number(1), bodyNo: field.number(2) }),
  under: "log",
  bodyNo: ({ bodyNo }) => bodyNo,
});

const vectorBody = record<{
  readonly model: string;
  readonly count: number;
  readonly values: Uint8Array;
}>({
  model: field.text(1),
  count: field.number(2),
  values: field.bytes(3),
});

export function encodeVectorBody({ model, vectors }: VectorRecord): Uint8Array {
  const values = floatBytes(vectors);
  return bodyBytes(vectorBody, { model, count: vectors.length, values });
}

export function decodeVectorBody(payload: Uint8Array): VectorRecord {
  const { model, count, values: bytes } = vectorBody.decode(payload);
  const values = floatsOf(bytes);
  const dimensions = count === 0 ? 0 : values.length / count;
  if (!Number.isInteger(dimensions) || count * dimensions !== values.length) {
    throw new Error("Vectors of a record have several lengths.");
  }
  if (count > 0 && dimensions === 0) throw new Error("A vector of a record is empty.");
  const vectors = Array.from({ length: count }, (_, at) =>
    values.slice(at * dimensions, (at + 1) * dimensions),
  );
  return { model, vectors };
}

/** When a namespace was last recalled. */
export const RECALLED = defineTable(0x1e, "recall", [lastText], {
  erasedWith: "nothing",
  record: ONE_NUMBER,
  bucket: bucket.table,
});
