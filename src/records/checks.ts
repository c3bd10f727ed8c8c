// Rules that relate the fields of requests about records.

import type { Document } from "../gen/memorysidecar/v1/document.ts";
import type {
  NamedRecord,
  RecordOperation,
  RecordPrecondition,
  RecordRange,
} from "../gen/memorysidecar/v1/record.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { checkDocumentContent } from "../recall/documents/wire.ts";
import { type RecordName, recordId } from "./rules/record.ts";

/** Checks the size of a name whose parts were checked one by one. */
export function checkName(v: Violations, { path, key }: RecordName): void {
  const limit = LIMITS.recordNameBytes;
  const bytes = path.reduce((sum, segment) => sum + Buffer.byteLength(segment) + 1, 0);
  if (bytes + Buffer.byteLength(key) > limit) {
    v.add("key", `must take at most ${limit} bytes with the path, a byte for each segment`, limit);
  }
}

/** Checks what a put says of the value of its record. Adds the upload to those before. */
export function checkUpload(
  v: Violations,
  { uploadId, value, valueCrc32 }: NamedRecord,
  uploads = new Set<string>(),
): void {
  if (uploads.has(uploadId)) v.add("upload_id", "names an upload that this request uses twice");
  if (uploadId !== "") uploads.add(uploadId);
  if (uploadId === "" && valueCrc32 !== undefined) {
    v.add("value_crc32", "must be unset without upload_id: it is that of the uploaded bytes");
  }
  if (uploadId !== "" && value.length > 0) {
    v.add("value", "must be empty with upload_id: the upload holds the value");
  }
}

// The record gives these fields to its documents.
const OF_THE_RECORD = [
  ...([
    ["collectionId", "collection_id"],
    ["documentId", "document_id"],
  ] as const),
  ...([
    ["etag", "etag"],
    ["payload", "payload"],
    ["scope", "scope"],
    ["ttl", "ttl"],
  ] as const),
] satisfies readonly (readonly [keyof Document, string])[];

/** Checks the documents of a record in a put; gives their number. */
export function checkSearch(v: Violations, { search }: NamedRecord): number {
  if (search === undefined) return 0;
  v.enter("search");
  for (const [index, document] of search.documents.entries()) {
    if (v.full) break;
    v.enterItem("documents", index);
    for (const [name, field] of OF_THE_RECORD) {
      const isSet = document[name] !== undefined && document[name] !== "";
      if (isSet) v.add(field, "must be empty: it follows from the record");
    }
    checkDocumentContent(v, document);
    if (document.text === "" && document.embedding === undefined) {
      v.add("text", "is required without an embedding");
    }
    v.leaveItem();
  }
  v.leave();
  return search.documents.length;
}

/** Checks the size of a part of a path whose segments were checked one by one. */
export function checkPath(v: Violations, field: string, path: readonly string[]): void {
  const limit = LIMITS.recordNameBytes;
  const bytes = path.reduce((sum, segment) => sum + Buffer.byteLength(segment) + 1, 0);
  if (bytes > limit) v.add(field, `must take at most ${limit} bytes, one for each segment`, limit);
}

/** Checks what a request says of the records of a path. */
export function checkRecordRange(v: Violations, range: RecordRange | undefined): void {
  if (range === undefined) return;
  v.enter("range");
  for (const [field, key] of [
    ["key_prefix", range.keyPrefix],
    ["start_key", range.startKey],
    ["end_key", range.endKey],
  ] as const) {
    if (range.recursive && key !== "") v.add(field, "must be empty when recursive is set");
  }
  checkName(v, { path: range.path, key: "" });
  v.leave();
}

/** Checks the precondition of a deletion. */
export function checkDeletion(v: Violations, precondition: RecordPrecondition | undefined): void {
  const condition = precondition?.condition;
  if (condition?.$case === "exists" && !condition.value) {
    v.add("precondition.exists", "must be true: a record that does not exist cannot be deleted");
  }
}

/** Checks the operations of a transaction, in a field of this name. */
export function checkOperations(
  v: Violations,
  operations: readonly RecordOperation[],
  field = "operations",
): void {
  const seen = new Set<string>();
  const uploads = new Set<string>();
  let documents = 0;
  for (const [index, { operation }] of operations.entries()) {
    if (v.full) return;
    if (operation?.value.record === undefined) continue;
    const { record } = operation.value;
    v.enterItem(field, index);
    v.enter(operation.$case);
    v.enter("record");
    checkName(v, record);
    const id = recordId(record);
    if (seen.has(id)) v.add("key", "names a record that this request uses twice");
    seen.add(id);
    if (operation.$case === "put") {
      checkUpload(v, operation.value.record, uploads);
      documents += checkSearch(v, operation.value.record);
    }
    v.leave();
    if (operation.$case === "deletion") checkDeletion(v, operation.value.precondition);
    if (operation.$case === "check") {
      const { etag, precondition } = operation.value;
      if (etag === "" && precondition === undefined) v.add("precondition", "is required");
    }
    v.leave();
    v.leaveItem();
  }
  const limit = LIMITS.writeDocuments;
  if (documents <= limit) return;
  v.add(field, `write ${documents} documents of records; at most ${limit} are allowed`, limit);
}
