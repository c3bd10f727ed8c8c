// Documents between the wire and the service. A stored document is its public wire form with the
// fields of the server filled in and without its embedding, so that answers hold it as it is.

import type { Codec } from "../../core/codec.ts";
import { fromMemoryScope, toMemoryScope } from "../../core/wire.ts";
import { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import * as wire from "../../gen/memorysidecar/v1/document.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import { encodeWire } from "../../grpc/fast-writer.ts";
import { spliceField, spliceFields } from "../../grpc/splice.ts";
import { fromOptionalSpan, toDuration, toTimestamp } from "../../grpc/time.ts";
import type { Violations } from "../../grpc/violations.ts";
import { floatBytes } from "../../kit/bytes.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { RecordDocumentDraft } from "../../records/rules/record.ts";
import type {
  ListedCollection,
  StoredDocument,
  StoredPayload,
  StoredVector,
} from "../../store/store.ts";
import type { DocumentDraft, DocumentForms, DocumentStamp } from "../api.ts";
import { readDocumentHead } from "../indexed-wire.ts";
import { joinChunks } from "../rules/splitter.ts";

/** The collection that an empty one stands for. */
const DEFAULT_COLLECTION = "default";

// The fields of Document that are spliced in, as in document.proto.
const EMBEDDING_FIELD = 9;
const EXPIRE_TIME_FIELD = 23;
const PAYLOAD_FIELD = 24;
// The field of DocumentPayload that is spliced in.
const DATA_FIELD = 1;

/** Chunks share a tenth unless the caller says otherwise. */
const OVERLAP_DIVISOR = 10;

const NO_BYTES = new Uint8Array(0);

/** Gives the collection that a request names. */
export function fromCollection(collectionId: string): string {
  return collectionId === "" ? DEFAULT_COLLECTION : collectionId;
}

/** Gives a checked document of a request to the service. */
export function toDocumentDraft(document: wire.Document): DocumentDraft {
  const { documentId, etag, text } = document;
  const embedding = fromEmbedding(document.embedding);
  const ttlMs = fromOptionalSpan(document.ttl, 0);
  const { payload } = document;
  return { documentId, etag, text, embedding, ttlMs, payload, wire: document };
}

function encodeDocument(
  draft: Pick<DocumentDraft, "ttlMs" | "wire">,
  stamp: DocumentStamp,
  record?: wire.DocumentRecord,
): Uint8Array {
  const given = draft.wire as wire.Document;
  const { chunk } = stamp;
  const createTime = toTimestamp(stamp.createMs);
  return encodeWire(wire.Document, {
    ...given,
    collectionId: stamp.collectionId,
    documentId: stamp.documentId,
    scope: toMemoryScope(fromMemoryScope(given.scope)),
    text: stamp.text,
    embedding: undefined,
    ttl: draft.ttlMs === 0 ? undefined : toDuration(draft.ttlMs),
    expireTime: undefined,
    payload: undefined,
    payloadSize: BigInt(stamp.payloadBytes ?? 0),
    trust: given.trust === Trust.LOW ? Trust.LOW : Trust.MEDIUM,
    sourceDocumentId: chunk?.sourceId ?? "",
    chunkIndex: chunk?.index ?? 0,
    chunkCount: chunk?.count ?? 0,
    chunkOffset: chunk?.offset ?? 0,
    spaceBefore: chunk?.spaceBefore ?? "",
    spaceAfter: chunk?.spaceAfter ?? "",
    writer: stamp.writer,
    createTime,
    updateTime: stamp.updateMs === stamp.createMs ? createTime : toTimestamp(stamp.updateMs),
    etag: stamp.etag,
    record,
  });
}

/** The wire form of a document of a record. */
export function encodeRecordDocument(
  draft: RecordDocumentDraft,
  { index, key, owner, path, ttlMs }: Parameters<Codec["encodeRecordDocument"]>[1],
  stamp: DocumentStamp,
): Uint8Array {
  const given = { ...(draft.wire as wire.Document), scope: toMemoryScope(owner) };
  return encodeDocument({ ttlMs, wire: given }, stamp, { path: [...path], key, index });
}

/** The wire form of the document that these chunks were cut from. */
function joinWire(bytes: readonly Uint8Array[]): Uint8Array {
  const chunks = bytes.map((one) => wire.Document.decode(one));
  const pieces = chunks.map(({ text, chunkOffset, spaceBefore, spaceAfter }) => {
    return { text, offset: chunkOffset, spaceBefore, spaceAfter };
  });
  const first = chunks[0] ?? wire.Document.decode(NO_BYTES);
  return encodeWire(wire.Document, {
    ...first,
    ...{ documentId: first.sourceDocumentId, text: joinChunks(pieces), sourceDocumentId: "" },
    ...{ chunkIndex: 0, chunkOffset: 0, spaceBefore: "", spaceAfter: "" },
  });
}

/** The wire form of a document that holds a summary, or of a chunk of one. */
export function encodeSummaryDocument(
  { trust, labels, scope }: Parameters<Codec["encodeSummaryDocument"]>[0],
  stamp: DocumentStamp,
): Uint8Array {
  const made = { ...wire.Document.decode(NO_BYTES), trust, labels: new Map(labels), scope };
  return encodeDocument(toDocumentDraft(made), stamp);
}

/** Writes and reads the wire forms of documents that are stored. */
export const DOCUMENT_FORMS: DocumentForms = {
  encodeDocument,
  readDocumentHead,
  joinChunks: joinWire,
  readEtag: (bytes) => wire.Document.decode(bytes).etag,
};

/** Gives how texts are split, in code points; undefined when they are not. */
export function fromSplitter(
  splitter: wire.TextSplitter | undefined,
): { readonly chunkChars: number; readonly overlapChars: number } | undefined {
  if (splitter === undefined) return undefined;
  const chunkChars = splitter.chunkChars === 0 ? LIMITS.chunkCharsDefault : splitter.chunkChars;
  const overlapChars = splitter.overlapChars ?? Math.floor(chunkChars / OVERLAP_DIVISOR);
  return { chunkChars, overlapChars };
}

/**
 * Gives the wire form of a stored document, with its embedding where it is asked for, and with a
 * payload that was read for it. A refresh moves when it expires and leaves its bytes.
 */
export function documentBytes(document: StoredDocument, withEmbedding: boolean): Uint8Array {
  const { bytes, embedding, expireMs, payload } = document;
  const items = {
    embedding: withEmbedding && embedding !== undefined ? [encodeEmbedding(embedding)] : [],
    expireTime: expireMs === 0 ? [] : [encodeWire(Timestamp, toTimestamp(expireMs))],
    payload: payload === undefined ? [] : [encodePayload(payload)],
  };
  if (Object.values(items).every(({ length }) => length === 0)) return bytes;
  return spliceFields(
    [
      { field: EMBEDDING_FIELD, items: items.embedding },
      { field: EXPIRE_TIME_FIELD, items: items.expireTime },
      { field: PAYLOAD_FIELD, items: items.payload },
    ],
    bytes,
  );
}

function encodePayload({ data, mediaType }: StoredPayload): Uint8Array {
  const rest = encodeWire(wire.DocumentPayload, { data: Buffer.alloc(0), mediaType });
  return spliceField(DATA_FIELD, [data], rest);
}

/** Turns a collection into its public form. One that holds nothing stands for those below it. */
export function toCollection(collection: ListedCollection): wire.DocumentCollection {
  const { collectionId, documentCount, createMs, updateMs, hasBelow } = collection;
  const isEmpty = documentCount === 0;
  return {
    collectionId,
    documentCount: BigInt(documentCount),
    createTime: isEmpty ? undefined : toTimestamp(createMs),
    updateTime: isEmpty ? undefined : toTimestamp(updateMs),
    hasCollectionsBelow: hasBelow,
  };
}

/** Checks what every document of a request has to be. */
export function checkDocumentContent(
  v: Violations,
  { embedding, trust }: Pick<wire.Document, "embedding" | "trust">,
): void {
  checkEmbedding(v, embedding);
  if (trust === Trust.HIGH) {
    v.add("trust", "must be TRUST_MEDIUM or TRUST_LOW: TRUST_HIGH is for the operator");
  }
}

/** Checks a vector in the field `embedding`, if there is one. */
export function checkEmbedding(v: Violations, embedding: wire.Embedding | undefined): void {
  if (embedding === undefined) return;
  // A list without entries is a fault of its own.
  const { values } = embedding;
  if (values.length > 0 && values.every((value) => value === 0)) {
    v.add("embedding.values", "must not be all zero");
  }
}

// The field of Embedding that is spliced in, as in document.proto.
const VALUES_FIELD = 1;

/** Gives a checked vector at length 1; undefined when there is none. */
export function fromEmbedding(embedding: wire.Embedding | undefined): StoredVector | undefined {
  if (embedding === undefined) return undefined;
  let sum = 0;
  for (const value of embedding.values) sum += value * value;
  const length = Math.sqrt(sum);
  const values = Float32Array.from(embedding.values, (value) => value / length);
  return { model: embedding.model, values };
}

/** Gives the wire form of a vector. */
export function encodeEmbedding({ model, values }: StoredVector): Uint8Array {
  const rest = encodeWire(wire.Embedding, { values: [], model });
  return spliceField(VALUES_FIELD, [floatBytes([values])], rest);
}
