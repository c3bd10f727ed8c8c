// Records of collections, documents and vectors, to bytes and back. Bodies have no envelope here:
// they stand among the messages, which put them into one.

import { floatBytes, floatsOf } from "../../lib/floats.ts";
import type { StoredDocument, VectorRecord } from "../store.ts";
import { ENVELOPE_BYTES, writeEnvelope } from "./envelope.ts";
import { indexSlab } from "./slab.ts";
import { WireReader, WireWriter } from "./wire.ts";

const writer = new WireWriter();

function finish(key: string): Buffer {
  writeEnvelope(key, writer.buffer, writer.position);
  const record = indexSlab.take(writer.position);
  writer.buffer.copy(record, 0, 0, writer.position);
  return record;
}

function body(): Buffer {
  const copy = Buffer.allocUnsafe(writer.position);
  writer.buffer.copy(copy, 0, 0, writer.position);
  return copy;
}

/** A collection that holds documents. */
export interface CollectionRow {
  /** The number under which its documents stand. */
  readonly logNo: number;
  readonly nextDocumentNo: number;
  readonly documentCount: number;
  readonly createMs: number;
  readonly updateMs: number;
}

export function encodeCollection(key: string, row: CollectionRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, row.logNo);
  writer.number(2, row.nextDocumentNo);
  writer.number(3, row.documentCount);
  writer.number(4, row.createMs);
  writer.number(5, row.updateMs);
  return finish(key);
}

// The numbers of a record whose other fields are texts or bytes, both by field.
function fieldsOf(payload: Uint8Array, numbers: number, others: number) {
  const reader = new WireReader(payload);
  const number = new Array<number>(numbers + 1).fill(0);
  const parts = new Map<number, Uint8Array>();
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    const field = tag >>> 3;
    if ((tag & 7) === 0 && field <= numbers) {
      number[field] = reader.varint();
    } else if ((tag & 7) === 2 && field <= others) {
      parts.set(field, reader.bytes());
    } else {
      reader.unknown(tag);
    }
  }
  const bytes = (field: number): Uint8Array => parts.get(field) ?? new Uint8Array(0);
  return {
    number: (field: number): number => number[field] ?? 0,
    bytes,
    text: (field: number): string => {
      const part = bytes(field);
      return Buffer.from(part.buffer, part.byteOffset, part.length).toString("utf8");
    },
  };
}

export function decodeCollection(payload: Uint8Array): CollectionRow {
  const { number } = fieldsOf(payload, 5, 0);
  return {
    logNo: number(1),
    nextDocumentNo: number(2),
    documentCount: number(3),
    createMs: number(4),
    updateMs: number(5),
  };
}

/** Where a document is, and what lists need to know of it. */
export interface DocumentRow {
  readonly bodyNo: number;
  /** Of the wire form, without the embedding. */
  readonly byteCount: number;
  readonly documentId: string;
  readonly sourceId: string;
  readonly createMs: number;
  readonly etagRevision: number;
}

export function encodeDocument(key: string, row: DocumentRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, row.bodyNo);
  writer.number(2, row.byteCount);
  writer.string(3, row.documentId);
  writer.string(4, row.sourceId);
  writer.number(5, row.createMs);
  writer.number(6, row.etagRevision);
  return finish(key);
}

export function decodeDocument(payload: Uint8Array): DocumentRow {
  const { number, text } = fieldsOf(payload, 6, 4);
  return {
    bodyNo: number(1),
    byteCount: number(2),
    documentId: text(3),
    sourceId: text(4),
    createMs: number(5),
    etagRevision: number(6),
  };
}

/** What a document holds. */
export type DocumentBody = Pick<StoredDocument, "documentId" | "bytes" | "embedding">;

export function encodeDocumentBody({ documentId, bytes, embedding }: DocumentBody): Buffer {
  writer.reset(0);
  writer.string(1, documentId);
  writer.bytes(2, bytes);
  if (embedding !== undefined) {
    writer.string(3, embedding.model);
    writer.bytes(4, floatBytes([embedding.values]));
  }
  return body();
}

export function decodeDocumentBody(payload: Uint8Array): DocumentBody {
  const { bytes, text } = fieldsOf(payload, 0, 4);
  const values = bytes(4);
  const embedding = { model: text(3), values: floatsOf(values) };
  return {
    documentId: text(1),
    bytes: bytes(2),
    embedding: values.length === 0 ? undefined : embedding,
  };
}

/** Where the vectors of a message or a document are. */
export interface VectorRow {
  /** The number of the record that they were made from. */
  readonly ofNo: number;
  readonly bodyNo: number;
}

export function encodeVector(key: string, row: VectorRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, row.ofNo);
  writer.number(2, row.bodyNo);
  return finish(key);
}

export function decodeVector(payload: Uint8Array): VectorRow {
  const { number } = fieldsOf(payload, 2, 0);
  return { ofNo: number(1), bodyNo: number(2) };
}

export function encodeVectorBody({ model, vectors }: VectorRecord): Buffer {
  writer.reset(0);
  writer.string(1, model);
  writer.number(2, vectors.length);
  writer.bytes(3, floatBytes(vectors));
  return body();
}

export function decodeVectorBody(payload: Uint8Array): VectorRecord {
  const { number, bytes, text } = fieldsOf(payload, 2, 3);
  const count = number(2);
  const values = floatsOf(bytes(3));
  const dimensions = count === 0 ? 0 : values.length / count;
  if (!Number.isInteger(dimensions) || count * dimensions !== values.length) {
    throw new Error("Vectors of a record have several lengths.");
  }
  if (count > 0 && dimensions === 0) {
    throw new Error("A vector of a record is empty.");
  }
  const vectors = Array.from({ length: count }, (_, at) =>
    values.slice(at * dimensions, (at + 1) * dimensions),
  );
  return { model: text(1), vectors };
}
