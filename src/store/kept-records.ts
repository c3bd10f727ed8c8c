// Records that callers keep by name, in the storage interface.

import { checksum } from "../kit/checksum.ts";
import {
  type FullRecord,
  type KeptRecord,
  type PathChoice,
  type RecordName,
  type RecordRange,
  type RecordSearch,
  type RecordsBefore,
  recordDocumentIds,
  recordId,
  recordNameOf,
} from "../records/rules/record.ts";
import type { RecordUpload } from "../records/rules/upload.ts";
import type { CollectionRef, StoredDocument } from "./document-records.ts";
import type { ErasureProgress } from "./erasure-records.ts";
import type { NewEvent, StoredReply } from "./stored.ts";

/** A record as it is read. */
export interface ReadRecord extends KeptRecord {
  /**
   * Undefined when the value was left out; a part of it when that was asked for. Never changed in
   * place; safe to keep.
   */
  readonly value: Uint8Array | undefined;
}

/** A change of records, and those that it needs to see. */
export interface RecordChange {
  readonly namespace: string;
  readonly names: readonly RecordName[];
  /** The uploads whose values it puts. Default none. */
  readonly uploadIds?: readonly string[];
  readonly requestId?: string;
  /** Lets the change through when the disk is below its floor, because it frees space. */
  readonly allowWhenFull?: boolean;
}

/**
 * The view for the decide function of such a change: those of the records and uploads asked for
 * that are stored, expired or not.
 */
export interface RecordView extends RecordsBefore {
  /** The revision the change will have if it is saved. */
  readonly revision: number;
  /** Number of collections that the namespace would have with these as well. */
  readonly collectionCountWith: (collectionIds: Iterable<string>) => number;
  readonly reply: StoredReply | undefined;
}

/** The decision. Saved in one transaction or not at all. */
export type RecordDecision<T> =
  | { readonly kind: "answer"; readonly result: T; readonly reply?: StoredReply }
  | { readonly kind: "save"; readonly result: T; readonly plan: RecordPlan };

export interface RecordPlan {
  /**
   * New and replaced records, among those asked for. An upload that one names ends. Documents of
   * records follow these: new ones are written, those of before and of removed records deleted.
   */
  readonly put?: readonly FullRecord[];
  /** Records to delete, among those in the view and not among `put`. */
  readonly remove?: readonly RecordName[];
  readonly nowMs: number;
  /** At least one, in order. */
  readonly events: readonly NewEvent[];
  readonly reply?: StoredReply;
  readonly erasure?: ErasureProgress;
}

/** Names an upload of a value. */
export interface UploadRef {
  readonly namespace: string;
  readonly uploadId: string;
}

/** The view for the decide function of a change of an upload. */
export interface UploadView {
  /** Undefined when it has no part yet. */
  readonly upload: RecordUpload | undefined;
  /** Number of uploads of the namespace. */
  readonly count: number;
}

/** The decision. Saved in one transaction or not at all. */
export type UploadDecision<T> =
  | { readonly kind: "answer"; readonly result: T }
  | {
      readonly kind: "save";
      readonly result: T;
      /** The upload with one more part; undefined deletes it with its parts. */
      readonly upload: RecordUpload | undefined;
      /** The new part. Missing when the upload is deleted. */
      readonly part?: Uint8Array;
    };

/** A piece of a value: so many bytes from an offset on. */
export interface ValueRange {
  readonly offset: number;
  readonly limit: number;
}

/** Asks for a page of records by name. */
export interface RecordQuery {
  readonly namespace: string;
  /** Default: the whole namespace. */
  readonly range?: RecordRange;
  readonly order: "asc" | "desc";
  /** Goes on after the record with this id, in the order of the query. */
  readonly after?: string;
  readonly limit: number;
  readonly withValues: boolean;
  /** Leaves out records whose time has run out. Default: they are listed as well. */
  readonly nowMs?: number;
}

export interface RecordPage {
  readonly records: readonly ReadRecord[];
  /** The id of the record that the next page goes on after; undefined at the end. */
  readonly next: string | undefined;
}

/** Asks for a page of the paths that hold records, by rising path. */
export interface RecordPathQuery extends PathChoice {
  readonly namespace: string;
  /** `next` of an earlier page. */
  readonly start?: string;
  readonly limit: number;
  /** Records whose time has run out do not count. */
  readonly nowMs: number;
}

export interface RecordPathPage {
  readonly paths: readonly (readonly string[])[];
  /** Start of the next page; undefined at the end. */
  readonly next: string | undefined;
}

/** A record whose time has run out. */
export type ExpiredRecord = RecordName &
  Pick<KeptRecord, "search"> & { readonly namespace: string };

/** The calls on records; part of Store. */
export interface RecordStore {
  /**
   * Those of the records that are stored, expired or not, by id; all of one moment. Values come
   * along as long as they take at most so many bytes together.
   */
  readRecords(
    namespace: string,
    names: readonly RecordName[],
    valuesMax: number,
  ): Promise<ReadonlyMap<string, ReadRecord>>;
  /** One that is stored, expired or not, with a piece of its value unless the limit is 0. */
  readRecordRange(
    namespace: string,
    name: RecordName,
    range: ValueRange,
  ): Promise<ReadRecord | undefined>;
  /** Ends a page before its limit when it has many bytes, or looked at many expired records. */
  listRecords(query: RecordQuery): Promise<RecordPage>;
  /** Ends a page before its limit when it looked at many paths or expired records. */
  listRecordPaths(query: RecordPathQuery): Promise<RecordPathPage>;
  /** Records whose time has run out; at most `limit`. */
  expiredRecords(nowMs: number, limit: number): Promise<readonly ExpiredRecord[]>;
  changeRecords<T>(
    change: RecordChange,
    decide: (view: RecordView) => RecordDecision<T>,
  ): Promise<T>;
  /** Uploads whose time has run out; at most `limit`. */
  expiredUploads(nowMs: number, limit: number): Promise<readonly UploadRef[]>;
  /** Changes an upload of a value, which no other read shows. No revision. */
  changeUpload<T>(
    change: UploadRef & { readonly allowWhenFull?: boolean },
    decide: (view: UploadView) => UploadDecision<T>,
  ): Promise<T>;
  /** Lets records with a ttl that have not expired live on for it. No revision. */
  refreshRecords(namespace: string, names: readonly RecordName[], nowMs: number): Promise<void>;
}

/** Documents of one collection that a change of records writes and removes. */
export interface RecordDocuments extends CollectionRef {
  /** The number of one that is there stays; others get new ones, in this order. */
  readonly put: readonly Omit<StoredDocument, "documentNo">[];
  readonly remove: readonly string[];
}

/**
 * The changes of documents that a plan of records brings along, by collection.
 *
 * @param old - The records before the change, by id.
 */
export function recordDocuments(
  namespace: string,
  { put = [], remove = [] }: Pick<RecordPlan, "put" | "remove">,
  old: ReadonlyMap<string, KeptRecord>,
): readonly RecordDocuments[] {
  const found = new Map<string, { put: RecordDocuments["put"][number][]; remove: Set<string> }>();
  const at = ({ collectionId }: RecordSearch) => {
    const known = found.get(collectionId) ?? { put: [], remove: new Set() };
    found.set(collectionId, known);
    return known;
  };
  for (const name of [...put, ...remove]) {
    const before = old.get(recordId(name));
    if (before?.search === undefined) continue;
    const { remove: gone } = at(before.search);
    for (const documentId of recordDocumentIds(before)) gone.add(documentId);
  }
  for (const record of put) {
    if (record.search === undefined) continue;
    const { put: written, remove: gone } = at(record.search);
    for (const document of documentsOf(record)) {
      gone.delete(document.documentId);
      written.push(document);
    }
  }
  return [...found].map(([collectionId, changed]) => {
    return { namespace, collectionId, put: changed.put, remove: [...changed.remove] };
  });
}

function documentsOf(record: FullRecord): RecordDocuments["put"] {
  const { createMs, documents = [], etagRevision, expireMs } = record;
  const of = { recordId: recordId(record), sourceId: "", payloadBytes: 0, createMs, etagRevision };
  return recordDocumentIds(record).flatMap((documentId, index) => {
    const document = documents[index];
    return document === undefined ? [] : { ...document, ...of, documentId, ttlMs: 0, expireMs };
  });
}

/** The records that a plan of a session changes, as a change of its own. */
export function besideRecords(
  namespace: string,
  { put = [], remove = [] }: Pick<RecordPlan, "put" | "remove">,
): RecordChange {
  const uploadIds = put.map(({ uploadId }) => uploadId).filter((id) => id !== "");
  return { namespace, names: [...put, ...remove], uploadIds };
}

/** Says what is wrong with a change of records; undefined when nothing is. */
export function recordPlanFault(
  plan: RecordPlan,
  change: RecordChange,
  view: RecordView,
): string | undefined {
  const { put = [], remove = [], events, nowMs } = plan;
  if (events.length === 0) return "it has no event";
  if (!Number.isSafeInteger(nowMs)) return "its time is not a whole number of milliseconds";
  const asked = new Set(change.names.map(recordId));
  const ids = new Set<string>();
  const uploads = new Map(view.uploads);
  for (const record of put) {
    const id = recordId(record);
    if (ids.has(id) || !asked.has(id)) return "it puts a record twice, or without asking for it";
    ids.add(id);
    if (recordNameOf(id) === undefined) return "it puts a record without a name";
    const numbers = [record.createMs, record.updateMs, record.ttlMs, record.expireMs];
    const isSound =
      numbers.every((value) => Number.isSafeInteger(value) && value >= 0) &&
      Number.isSafeInteger(record.version) &&
      record.version >= 1 &&
      isSearchSound(record) &&
      isValueSound(record, uploads.get(record.uploadId)) &&
      record.etagRevision === view.revision;
    if (!isSound) return "a record has a wrong time, version, value or revision";
    uploads.delete(record.uploadId);
  }
  for (const name of remove) {
    const id = recordId(name);
    if (ids.has(id) || !view.records.has(id)) {
      return "it removes a record that is not there, or that it puts or removes as well";
    }
    ids.add(id);
  }
  return undefined;
}

function isSearchSound({ documents = [], search }: FullRecord): boolean {
  const { collectionId, documentCount } = search ?? { collectionId: "", documentCount: 0 };
  return (collectionId === "") === (documentCount === 0) && documents.length === documentCount;
}

function isValueSound(
  { crc32, uploadId, value, valueBytes }: FullRecord,
  upload: RecordUpload | undefined,
): boolean {
  if (uploadId === "") return valueBytes === value.length && crc32 === undefined;
  return value.length === 0 && valueBytes === upload?.byteCount && crc32 === upload.crc32;
}

/** Says what is wrong with a change of an upload; undefined when nothing is. */
export function uploadFault(
  { part, upload }: UploadDecision<unknown> & { readonly kind: "save" },
  old: RecordUpload | undefined,
): string | undefined {
  if (upload === undefined) {
    return old === undefined || part !== undefined ? "it deletes no upload" : undefined;
  }
  const { byteCount, crc32, expireMs, partCount } = upload;
  const isSound =
    part !== undefined &&
    part.length > 0 &&
    byteCount === (old?.byteCount ?? 0) + part.length &&
    partCount === (old?.partCount ?? 0) + 1 &&
    crc32 === checksum(part, old?.crc32) &&
    Number.isSafeInteger(expireMs) &&
    expireMs > 0;
  return isSound ? undefined : "its parts, its size, its checksum or its time are wrong";
}
