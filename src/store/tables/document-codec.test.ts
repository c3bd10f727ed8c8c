// The records of documents and vectors written by hand, held against the generated code.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CollectionRecord,
  DocumentBodyRecord,
  DocumentRecord,
  VectorBodyRecord,
  VectorRecord,
} from "../../gen/memorysidecar/storage/v1/document_records.ts";
import { floatBytes } from "../../kit/bytes.ts";
import { unseal } from "../engine/envelope.ts";
import {
  COLLECTION,
  DOCUMENT,
  decodeDocumentBody,
  decodeVectorBody,
  encodeDocumentBody,
  encodeVectorBody,
  VECTOR,
} from "./document-tables.ts";

const payloadOf = (record: Uint8Array) => unseal("k", record, "record");
const number = fc.maxSafeNat();
const text = fc.string({ unit: "grapheme" });
const vector = fc
  .array(fc.float({ noNaN: true }), { minLength: 1, maxLength: 9 })
  .map((values) => Float32Array.from(values));

test("a collection comes back", () => {
  const row = fc.record({
    logNo: number,
    nextDocumentNo: number,
    documentCount: number,
    createMs: number,
    updateMs: number,
    recordDocumentCount: number,
  });
  fc.assert(
    fc.property(row, (one) => {
      const payload = payloadOf(COLLECTION.encode("k", one));
      expect(COLLECTION.decode(payload)).toEqual(one);
      const { logNo, nextDocumentNo, documentCount, createMs, updateMs } = one;
      const { recordDocumentCount } = one;
      expect(CollectionRecord.decode(payload)).toEqual({
        logNo: BigInt(logNo),
        nextDocumentNo: BigInt(nextDocumentNo),
        documentCount: BigInt(documentCount),
        createMs: BigInt(createMs),
        updateMs: BigInt(updateMs),
        recordDocumentCount: BigInt(recordDocumentCount),
      });
    }),
  );
});

test("a row of a document comes back", () => {
  const row = fc.record({
    bodyNo: number,
    byteCount: number,
    documentId: text,
    sourceId: text,
    createMs: number,
    etagRevision: number,
    ttlMs: number,
    expireMs: number,
    payloadBytes: number,
    recordId: text,
  });
  fc.assert(
    fc.property(row, (one) => {
      const payload = payloadOf(DOCUMENT.encode("k", one));
      expect(DOCUMENT.decode(payload)).toEqual(one);
      const { bodyNo, byteCount, documentId, sourceId, createMs, etagRevision, ...life } = one;
      const { recordId } = one;
      expect(DocumentRecord.decode(payload)).toEqual({
        bodyNo: BigInt(bodyNo),
        byteCount: BigInt(byteCount),
        documentId,
        sourceId,
        createMs: BigInt(createMs),
        etagRevision: BigInt(etagRevision),
        ttlMs: BigInt(life.ttlMs),
        expireMs: BigInt(life.expireMs),
        payloadBytes: BigInt(life.payloadBytes),
        recordId,
      });
    }),
  );
});

test("the body of a document comes back, bit for bit", () => {
  const embedding = fc.option(fc.record({ model: text, values: vector }), { nil: undefined });
  const body = fc.record({ documentId: text, bytes: fc.uint8Array(), embedding });
  fc.assert(
    fc.property(body, (one) => {
      const payload = encodeDocumentBody(one);
      const found = decodeDocumentBody(payload);
      expect({ ...found, bytes: Uint8Array.from(found.bytes) }).toEqual(one);
      const record = DocumentBodyRecord.decode(payload);
      expect(record.documentId).toBe(one.documentId);
      expect(Buffer.compare(record.document, one.bytes)).toBe(0);
      const values = one.embedding === undefined ? [] : [one.embedding.values];
      expect(Buffer.compare(record.values, floatBytes(values))).toBe(0);
      expect(record.model).toBe(one.embedding?.model ?? "");
    }),
  );
});

test("vectors and their row come back, bit for bit", () => {
  const vectors = fc
    .array(fc.float({ noNaN: true }), { minLength: 2, maxLength: 2 })
    .map((values) => Float32Array.from(values));
  const record = fc.record({ model: text, vectors: fc.array(vectors, { maxLength: 4 }) });
  fc.assert(
    fc.property(record, number, number, (one, ofNo, bodyNo) => {
      const payload = encodeVectorBody(one);
      expect(decodeVectorBody(payload)).toEqual(one);
      const found = VectorBodyRecord.decode(payload);
      expect([found.model, Number(found.count)]).toEqual([one.model, one.vectors.length]);
      const row = payloadOf(VECTOR.encode("k", { ofNo, bodyNo }));
      expect(VECTOR.decode(row)).toEqual({ ofNo, bodyNo });
      expect(VectorRecord.decode(row)).toEqual({ ofNo: BigInt(ofNo), bodyNo: BigInt(bodyNo) });
    }),
  );
});

test("what is not well formed is refused", () => {
  const of = (count: number, values: Buffer) =>
    Buffer.from(VectorBodyRecord.encode({ model: "m", count: BigInt(count), values }).finish());
  const bytes = floatBytes([Float32Array.of(1, 2, 3)]);
  expect(() => decodeVectorBody(of(2, bytes))).toThrow("several lengths");
  expect(() => decodeVectorBody(of(0, bytes))).toThrow("several lengths");
  expect(() => decodeVectorBody(of(2, bytes.subarray(0, 0)))).toThrow("empty");
  expect(() => decodeVectorBody(of(1, bytes.subarray(1)))).toThrow("middle of a number");
  expect(() => VECTOR.decode(Buffer.from([0x18, 1]))).toThrow("unknown field 3");
  expect(() => decodeDocumentBody(Buffer.from([0x2a, 0]))).toThrow("unknown field 5");
  expect(() => COLLECTION.decode(Buffer.from([0x08]))).toThrow("middle of a number");
});
