// Records that callers keep by name, and what operations make of them.

import { AppError } from "../../kit/errors.ts";
import type { Etags } from "../../kit/etag.ts";
import { isOver, type Life } from "../../kit/life.ts";
import { sha256Hex } from "../../kit/text.ts";
import type { MemoryScope } from "../../memory/rules/memory.ts";
import { isUploadExpired, type RecordUpload } from "./upload.ts";

/** Names a record in its namespace. No text is empty or holds a control character. */
export interface RecordName {
  /** At least one segment. */
  readonly path: readonly string[];
  readonly key: string;
}

/** A record without its value. */
export interface KeptRecord extends RecordName, Life {
  readonly valueBytes: number;
  /** Of the value, when it was uploaded. */
  readonly crc32: number | undefined;
  readonly mediaType: string;
  readonly owner: MemoryScope;
  readonly version: number;
  /** The revision that last wrote it; the etag is made of it. */
  readonly etagRevision: number;
  readonly writer: string;
  readonly createMs: number;
  readonly updateMs: number;
  /** The documents by which searches find it; missing when there are none. */
  readonly search?: RecordSearch;
}

/** Names the documents of a record, which are numbered from 0. */
export interface RecordSearch {
  readonly collectionId: string;
  /** At least 1. */
  readonly documentCount: number;
}

/** A record with its value. */
export interface FullRecord extends KeptRecord {
  /** Never changed in place; safe to keep. Empty when an upload holds it. */
  readonly value: Uint8Array;
  /** The upload that holds the value. Empty for none. */
  readonly uploadId: string;
  /** The documents that `search` counts, in order; missing when there are none. */
  readonly documents?: readonly RecordDocument[];
}

/** A document of a record in its stored form. */
export interface RecordDocument {
  /** The wire form of the public Document, without its embedding. */
  readonly bytes: Uint8Array;
  readonly embedding: DocumentVector | undefined;
}

interface DocumentVector {
  readonly model: string;
  readonly values: Float32Array;
}

/** A document of a record as a caller gives it. */
export interface RecordDocumentDraft {
  readonly text: string;
  readonly embedding: DocumentVector | undefined;
  /** The decoded wire document; only the codec looks inside. */
  readonly wire: unknown;
}

/** The id of a document of a record: no other record of the namespace has it. */
export function recordDocumentId(id: string, index: number): string {
  return `record:${sha256Hex(id)}:${index}`;
}

/** The ids of the documents of a record, in order. */
export function recordDocumentIds(record: Pick<KeptRecord, "path" | "key" | "search">): string[] {
  const id = recordId(record);
  const length = record.search?.documentCount ?? 0;
  return Array.from({ length }, (_, index) => recordDocumentId(id, index));
}

/** The records of a path. */
export interface RecordRange {
  readonly path: readonly string[];
  /** Those of all paths below as well; the conditions on keys are then empty. */
  readonly recursive: boolean;
  /** May be empty, like the two below. */
  readonly keyPrefix: string;
  /** Included. */
  readonly startKey: string;
  /** Excluded. */
  readonly endKey: string;
}

/** One text for each name. Compared byte by byte, the texts are in the order of names. */
export function recordId({ path, key }: RecordName): string {
  return `${path.join("\0")}\0\0${key}`;
}

/** The name that an id stands for; undefined when it stands for none. */
export function recordNameOf(id: string): RecordName | undefined {
  const at = id.indexOf("\0\0");
  const path = id.slice(0, Math.max(at, 0)).split("\0");
  const key = id.slice(at + 2);
  return at === -1 || path.includes("") || key === "" || key.includes("\0")
    ? undefined
    : { path, key };
}

// Below every character of a name, and above what separates its parts.
const AFTER = "\u0001";

/** A text between the ids of the records of a path and those of all that come after. */
export function afterPath(path: readonly string[], isRecursive: boolean): string {
  return `${path.join("\0")}${isRecursive ? "" : "\0"}${AFTER}`;
}

/** Asks for the paths that hold records. */
export interface PathChoice {
  /** May be empty, like the next. */
  readonly prefix: readonly string[];
  readonly suffix: readonly string[];
  /** Longer paths are cut; 0 for never. */
  readonly maxDepth: number;
}

/** The part of a path that a list shows: the path itself, its first segments, or nothing. */
export function shownPath(
  path: readonly string[],
  { prefix, suffix, maxDepth }: PathChoice,
): readonly string[] | undefined {
  const isBelow = prefix.every((segment, at) => path[at] === segment);
  const isMeant = suffix.every((segment, at) => path[path.length - suffix.length + at] === segment);
  if (!isBelow || !isMeant) return undefined;
  return maxDepth === 0 ? path : path.slice(0, maxDepth);
}

/** Whether the time of a record has run out. */
export function isRecordExpired(record: KeptRecord, nowMs: number): boolean {
  return isOver(record, nowMs);
}

/** State that a record must have: a version of it, or whether it exists. */
export type RecordCondition = number | boolean | undefined;

/** A record as a caller gives it. */
export type RecordDraft = RecordName &
  Pick<FullRecord, "value" | "uploadId" | "crc32" | "mediaType" | "owner" | "ttlMs"> & {
    readonly etag: string;
    readonly search?: {
      readonly collectionId: string;
      readonly documents: readonly RecordDocumentDraft[];
    };
  };

export type RecordOperation =
  | { readonly kind: "put"; readonly name: RecordDraft; readonly condition: RecordCondition }
  | (Named & { readonly kind: "delete"; readonly allowMissing: boolean })
  | (Named & { readonly kind: "check" });

interface Named {
  readonly name: RecordName & { readonly etag: string };
  readonly condition: RecordCondition;
}

/** Outcome of one operation. */
export interface RecordOutcome {
  readonly created: boolean;
  readonly deleted: boolean;
  /** The record after a put or a check, or the one that was deleted. */
  readonly record: KeptRecord | undefined;
}

/** The author and the moment of a change. */
export interface RecordStamp {
  readonly revision: number;
  readonly nowMs: number;
  readonly writer: string;
  readonly etags: Etags;
}

/** The state before operations. */
export interface RecordsBefore {
  /** By id. */
  readonly records: ReadonlyMap<string, KeptRecord>;
  /** By their ids. */
  readonly uploads: ReadonlyMap<string, RecordUpload>;
}

/** Outcome of several operations, and the changes they ask for. */
export interface DecidedRecords {
  readonly outcomes: readonly RecordOutcome[];
  /** One for each put, in order, without its documents. */
  readonly put: readonly FullRecord[];
  readonly remove: readonly KeptRecord[];
  /** Records that are replaced after their time has run out. */
  readonly expired: readonly KeptRecord[];
}

/**
 * Decides operations on different records. Each sees the records as they were before. Throws
 * RECORD_NOT_FOUND, RECORD_ALREADY_EXISTS, RECORD_VERSION_MISMATCH, ETAG_MISMATCH, UPLOAD_NOT_FOUND
 * and RECORD_CHECKSUM_MISMATCH.
 *
 * @param isSeveral - The error says which operation failed.
 */
export function decideRecords(
  operations: readonly RecordOperation[],
  { records, uploads }: RecordsBefore,
  stamp: RecordStamp,
  isSeveral: boolean,
): DecidedRecords {
  const outcomes: RecordOutcome[] = [];
  const put: FullRecord[] = [];
  const remove: KeptRecord[] = [];
  const expired: KeptRecord[] = [];
  for (const [index, operation] of operations.entries()) {
    const stored = records.get(recordId(operation.name));
    const isGone = stored !== undefined && isRecordExpired(stored, stamp.nowMs);
    const old = isGone ? undefined : stored;
    const at = { stamp, index: isSeveral ? index : undefined };
    checkState(operation, old, at);
    if (operation.kind === "put") {
      const value = contentOf(operation.name, uploads, at);
      const record = recordAfter({ ...operation.name, ...value }, old, stamp);
      put.push(record);
      if (isGone) expired.push(stored);
      outcomes.push({ created: old === undefined, deleted: false, record });
    } else {
      const deleted = operation.kind === "delete" && old !== undefined;
      if (deleted) remove.push(old);
      outcomes.push({ created: false, deleted, record: old });
    }
  }
  return { outcomes, put, remove, expired };
}

/** The place of an operation: the index is undefined when it is the only one. */
interface At {
  readonly stamp: RecordStamp;
  readonly index: number | undefined;
}

/** The size and the checksum of the value that a draft has or has uploaded. */
function contentOf(
  { crc32, uploadId, value }: RecordDraft,
  uploads: RecordsBefore["uploads"],
  { index, stamp }: At,
): Pick<KeptRecord, "valueBytes" | "crc32"> {
  if (uploadId === "") return { valueBytes: value.length, crc32: undefined };
  const upload = uploads.get(uploadId);
  const metadata = { upload_id: uploadId, ...operationOf(index) };
  if (upload === undefined || isUploadExpired(upload, stamp.nowMs)) {
    const text =
      "The upload was never begun, has ended, or was put already. Upload the value again.";
    throw new AppError("UPLOAD_NOT_FOUND", text, { metadata });
  }
  if (crc32 !== undefined && crc32 !== upload.crc32) {
    throw new AppError(
      "RECORD_CHECKSUM_MISMATCH",
      `The ${upload.byteCount} uploaded bytes have the CRC-32 ${upload.crc32}, not ${crc32}. Upload ` +
        "the value again, with another id.",
      { metadata: { ...metadata, expected_crc32: String(crc32), crc32: String(upload.crc32) } },
    );
  }
  return { valueBytes: upload.byteCount, crc32: upload.crc32 };
}

function operationOf(index: number | undefined): { readonly operation?: number } {
  return index === undefined ? {} : { operation: index };
}

function recordAfter(
  { etag: _, search, ...draft }: RecordDraft & Pick<KeptRecord, "valueBytes">,
  old: KeptRecord | undefined,
  { revision, nowMs, writer }: RecordStamp,
): FullRecord {
  const { collectionId = "", documents = [] } = search ?? {};
  return {
    ...draft,
    ...(documents.length === 0
      ? {}
      : { search: { collectionId, documentCount: documents.length } }),
    expireMs: draft.ttlMs === 0 ? 0 : nowMs + draft.ttlMs,
    version: (old?.version ?? 0) + 1,
    etagRevision: revision,
    writer,
    createMs: old?.createMs ?? nowMs,
    updateMs: nowMs,
  };
}

function checkState(
  operation: RecordOperation,
  old: KeptRecord | undefined,
  { stamp, index }: At,
): void {
  const { condition, kind, name } = operation;
  const version = old?.version ?? 0;
  const metadata = { key: name.key, ...operationOf(index) };
  const resource = { type: "Record", name: name.key };
  if (condition === false && old !== undefined) {
    const text = "The record exists already. Put it with its version, or choose another key.";
    const detail = { metadata: { ...metadata, version }, resource };
    throw new AppError("RECORD_ALREADY_EXISTS", text, detail);
  }
  if (typeof condition === "number" && condition !== old?.version) {
    throw new AppError(
      "RECORD_VERSION_MISMATCH",
      `The record has version ${version}, not ${condition}. Get it and try again.`,
      { metadata: { ...metadata, expected_version: condition, version } },
    );
  }
  const isNeeded = condition === true || (kind === "delete" && !operation.allowMissing);
  if (isNeeded && old === undefined) throw recordNotFound(metadata);
  const isMatch =
    old === undefined
      ? name.etag === "" || kind === "delete"
      : stamp.etags.allows(name.etag, old.etagRevision);
  if (!isMatch) throw etagMismatch(metadata);
}

/** The record has another etag. */
export function etagMismatch(metadata: { readonly key: string }): AppError {
  return new AppError(
    "ETAG_MISMATCH",
    "The record changed since the etag was read, or the etag is of another history of the store. " +
      "Get it and try again.",
    { metadata },
  );
}

/** The record does not exist. */
export function recordNotFound(metadata: { readonly key: string }): AppError {
  return new AppError("RECORD_NOT_FOUND", "The record does not exist in this namespace.", {
    metadata,
    resource: { type: "Record", name: metadata.key },
  });
}
