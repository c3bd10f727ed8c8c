// The documents by which searches find records: their stored forms, the events that tell of them,
// and how many of them one change may write or remove.

import type { ServiceContext } from "../core/context.ts";
import { EVENT_TYPE, type EventDetail, type RecordDeleteReason } from "../events/rules/event.ts";
import { requestInvalid } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import { collectionLimitReached } from "../recall/rules/errors.ts";
import type { RecordView } from "../store/store.ts";
import {
  type FullRecord,
  type KeptRecord,
  type RecordName,
  type RecordOperation,
  type RecordsBefore,
  recordDocumentIds,
  recordId,
} from "./rules/record.ts";

/** A record that was written, or deleted for a reason. */
export interface ChangedRecord {
  readonly record: KeptRecord;
  readonly reason: RecordDeleteReason | undefined;
  /** The record that a put takes the place of. */
  readonly replaced?: KeptRecord | undefined;
}

/** The state before operations, with the number of collections. */
export type RecordsSeen = RecordsBefore & Pick<RecordView, "collectionCountWith">;

/**
 * Gives the records that operations put their documents. Throws REQUEST_INVALID when one is too
 * large.
 *
 * @param put - One for each put among the operations, in order.
 */
export function withDocuments(
  context: ServiceContext,
  operations: readonly RecordOperation[],
  put: readonly FullRecord[],
  isSeveral: boolean,
): readonly FullRecord[] {
  let at = 0;
  return operations.flatMap((operation, index) => {
    const record = operation.kind === "put" ? put[at++] : undefined;
    if (operation.kind !== "put" || record === undefined) return [];
    const { search } = operation.name;
    if (search === undefined) return [record];
    const field = isSeveral ? `operations[${index}].put.record` : "record";
    const documents = encodeDocuments(context, record, search, field);
    return [{ ...record, documents }];
  });
}

function encodeDocuments(
  { codec, etags }: ServiceContext,
  record: FullRecord,
  { collectionId, documents }: NonNullable<(RecordOperation & { kind: "put" })["name"]["search"]>,
  field: string,
): NonNullable<FullRecord["documents"]> {
  const { createMs, etagRevision, updateMs, writer } = record;
  const ids = recordDocumentIds(record);
  return documents.map((draft, index) => {
    const { embedding, text } = draft;
    const bytes = codec.encodeRecordDocument(
      draft,
      { ...record, index },
      {
        ...{ documentId: ids[index] ?? "", collectionId, text, chunk: undefined, writer },
        ...{ createMs, updateMs, etag: etags.of(etagRevision) },
      },
    );
    const size = bytes.length + vectorBytes(embedding);
    if (size <= LIMITS.documentBytes) return { bytes, embedding };
    const description = `takes ${size} bytes, and may take at most ${LIMITS.documentBytes}`;
    throw requestInvalid([{ field: `${field}.search.documents[${index}]`, description }]);
  });
}

/** Bytes of the wire form of an embedding beside its values and its model. */
const EMBEDDING_FRAME_BYTES = 16;

function vectorBytes(embedding: NonNullable<FullRecord["documents"]>[number]["embedding"]): number {
  if (embedding === undefined) return 0;
  const { model, values } = embedding;
  return EMBEDDING_FRAME_BYTES + values.byteLength + Buffer.byteLength(model);
}

/**
 * Refuses records whose documents need more collections than there may be, or replace more
 * documents than one change may. Throws COLLECTION_LIMIT_REACHED and REQUEST_INVALID.
 */
export function checkDocuments(
  seen: RecordsSeen,
  { put, remove }: { readonly put: readonly FullRecord[]; readonly remove: readonly KeptRecord[] },
): void {
  const collections = new Set(put.flatMap(({ search }) => search?.collectionId ?? []));
  const isFull = collections.size > 0 && seen.collectionCountWith(collections) > LIMITS.collections;
  if (isFull) throw collectionLimitReached();
  const old = [...put.flatMap((record) => seen.records.get(recordId(record)) ?? []), ...remove];
  const count = documentCount(old);
  const limit = LIMITS.deleteDocuments;
  if (count <= limit) return;
  const description = `replace or delete ${count} documents of records, at most ${limit} at one time`;
  throw requestInvalid([{ field: "operations", description }]);
}

function documentCount(records: readonly Pick<KeptRecord, "search">[]): number {
  return records.reduce((sum, { search }) => sum + (search?.documentCount ?? 0), 0);
}

/** The name of a record, and its documents. */
export type NamedDocuments = RecordName & Pick<KeptRecord, "search">;

/** Splits records to remove, so that each step removes as many documents as one change may. */
export function removalSteps<R extends NamedDocuments>(records: readonly R[]): readonly R[][] {
  const steps: R[][] = [];
  let count = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const own = documentCount([record]);
    if (count + own > LIMITS.deleteDocuments) {
      steps.push([]);
      count = 0;
    }
    steps.at(-1)?.push(record);
    count += own;
  }
  return steps;
}

/** Changes of the documents of one collection. */
interface CollectionChange {
  readonly expired: string[];
  readonly upserted: string[];
  readonly deleted: string[];
  createdCount: number;
}

/** The details of the events of documents that changed records bring along, by collection. */
export function documentDetails(changed: readonly ChangedRecord[]): readonly EventDetail[] {
  const found = new Map<string, CollectionChange>();
  const at = ({ collectionId }: NonNullable<KeptRecord["search"]>): CollectionChange => {
    const none = { expired: [], upserted: [], deleted: [], createdCount: 0 };
    const known = found.get(collectionId) ?? none;
    found.set(collectionId, known);
    return known;
  };
  for (const { record, reason, replaced } of changed) {
    const gone = reason === undefined ? replaced : record;
    const kept = reason === undefined ? record : undefined;
    const before = gone === undefined ? [] : recordDocumentIds(gone);
    const after = kept === undefined ? [] : recordDocumentIds(kept);
    const isSame = gone?.search?.collectionId === kept?.search?.collectionId;
    if (gone?.search !== undefined) {
      const { deleted, expired } = at(gone.search);
      const list = reason === "expired" ? expired : deleted;
      list.push(...before.slice(isSame ? after.length : 0));
    }
    if (kept?.search !== undefined) {
      const change = at(kept.search);
      change.upserted.push(...after);
      change.createdCount += Math.max(0, after.length - (isSame ? before.length : 0));
    }
  }
  return [...found].flatMap(([collectionId, change]) => detailsOf(collectionId, change));
}

function detailsOf(
  collectionId: string,
  { createdCount, deleted, expired, upserted }: CollectionChange,
): readonly EventDetail[] {
  const gone = { type: EVENT_TYPE.documentsDeleted, collectionId };
  const written = { type: EVENT_TYPE.documentsUpserted, collectionId, createdCount };
  return [
    ...(expired.length === 0 ? [] : [{ ...gone, documentIds: expired, expired: true }]),
    ...(upserted.length === 0 ? [] : [{ ...written, documentIds: upserted }]),
    ...(deleted.length === 0 ? [] : [{ ...gone, documentIds: deleted }]),
  ];
}
