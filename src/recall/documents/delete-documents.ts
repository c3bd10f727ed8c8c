// DeleteDocuments, PurgeDocuments and ClearCollection.

import { EVENT_TYPE } from "../../events/rules/event.ts";
import type { Call } from "../../kit/call.ts";
import { etagMismatch, requestInvalid } from "../../kit/errors.ts";
import { isOver } from "../../kit/life.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { DocumentView, StoredDocument } from "../../store/store.ts";
import type {
  ClearCollectionInput,
  DeleteDocumentsInput,
  DocumentName,
  PurgeDocumentsInput,
  PurgeDocumentsResult,
} from "../api.ts";
import type { RecallCodec, RecallParts } from "../parts.ts";
import { collectionOfRecords, documentNotFound, documentOfRecord } from "../rules/errors.ts";
import {
  changeDocuments,
  type DocumentOutcome,
  type DocumentWork,
  documentWork,
  idOf,
  liveView,
} from "./change-documents.ts";
import { documentPieces, fits } from "./read-documents.ts";
import { storedOf } from "./upsert-documents.ts";

/** Deletes documents. The id of one that was split stands for its chunks. */
export async function deleteDocuments(
  parts: RecallParts,
  call: Call,
  input: DeleteDocumentsInput,
): Promise<Uint8Array> {
  const { namespace, collectionId, documentIds } = input;
  const ref = { namespace, collectionId };
  const change = { ...ref, documentIds, sourceIds: documentIds, allowWhenFull: true };
  const work = documentWork(parts, call);
  return await changeDocuments(work, change, (stored) => {
    const view = liveView(stored, work.nowMs);
    checkFound(input, view);
    checkEtag(parts.codec, input, view);
    const removed = removedBy(input, view);
    const ofRecord = removed.find(({ recordId }) => recordId !== undefined);
    if (ofRecord !== undefined) throw documentOfRecord(ofRecord.documentId);
    const answer = (revision: number) => input.encode({ deletedCount: removed.length, revision });
    if (removed.length === 0) return { answer };
    const remove = removed.map(idOf);
    const { documentsDeleted: type } = EVENT_TYPE;
    return { plan: { remove }, details: [{ type, collectionId, documentIds: remove }], answer };
  });
}

function checkFound(
  { allowMissing, documentIds }: DeleteDocumentsInput,
  { documents, chunks }: DocumentView,
): void {
  if (allowMissing) return;
  const missing = documentIds.find((id) => !documents.has(id) && !chunks.get(id)?.length);
  if (missing !== undefined) throw documentNotFound(missing);
}

function checkEtag(
  codec: Pick<RecallCodec, "readEtag">,
  { etag, documentIds }: DeleteDocumentsInput,
  view: DocumentView,
): void {
  if (etag === "") return;
  const stored = storedOf(view, documentIds[0] ?? "");
  if (stored !== undefined && etag !== codec.readEtag(stored.bytes)) throw etagMismatch();
}

function removedBy(
  { documentIds }: DeleteDocumentsInput,
  view: DocumentView,
): readonly StoredDocument[] {
  const removed = new Map<string, StoredDocument>();
  for (const documentId of documentIds) {
    const document = view.documents.get(documentId);
    if (document !== undefined) removed.set(documentId, document);
    for (const chunk of view.chunks.get(documentId) ?? []) removed.set(chunk.documentId, chunk);
  }
  const limit = LIMITS.deleteDocuments;
  if (removed.size > limit) {
    const description = `stand for ${removed.size} chunks, at most ${limit} at one time`;
    throw requestInvalid([{ field: "document_ids", description }]);
  }
  return [...removed.values()];
}

/** Counts all documents of a filter, or deletes as many of them as fit in one transaction. */
export async function purgeDocuments(
  parts: RecallParts,
  call: Call,
  input: PurgeDocumentsInput,
): Promise<Uint8Array> {
  const { encode, namespace, collectionId } = input;
  const count = { limit: LIMITS.purgeCount, samplesMax: LIMITS.purgeSample };
  if (!input.force) {
    const bounds = { ...count, bytesMax: Infinity, collectionsMax: Infinity };
    return encode({ ...(await counted(parts, call, input, bounds)), revision: 0 });
  }
  const limit = LIMITS.purgeDocuments;
  const found = await counted(parts, call, input, {
    ...{ limit, samplesMax: limit, bytesMax: LIMITS.purgeDocumentBytes },
    collectionsMax: LIMITS.changeCollections,
  });
  const idsOf = Map.groupBy(found.samples, (one) => one.collectionId);
  const all = [...idsOf].map(([id, names]) => {
    return { collectionId: id, documentIds: names.map(({ documentId }) => documentId) };
  });
  const documentIds = all.find((one) => one.collectionId === collectionId)?.documentIds ?? [];
  const also = all.filter((one) => one.collectionId !== collectionId);
  const change = { namespace, collectionId, documentIds, sourceIds: [], also, allowWhenFull: true };
  const work = documentWork(parts, call);
  const { more } = found;
  return await changeDocuments(work, change, (view) => decidePurge(work, { input, more }, view));
}

/** Whether a purge deletes a document: those of records go with these. */
function isPurged(
  parts: RecallParts,
  document: StoredDocument,
  filter: PurgeDocumentsInput["filter"],
): boolean {
  return document.recordId === undefined && fits(parts, document, filter);
}

function decidePurge(
  { parts, nowMs }: DocumentWork,
  { input, more }: { readonly input: PurgeDocumentsInput; readonly more: boolean },
  view: DocumentView,
): DocumentOutcome {
  const { collectionId, encode, filter } = input;
  // A document that was replaced meanwhile may no longer match the filter.
  const meant = (documents: DocumentView["documents"]): readonly string[] =>
    [...documents.values()]
      .filter((document) => !isOver(document, nowMs) && isPurged(parts, document, filter))
      .map(idOf);
  const others = [...view.also].map(([id, { documents }]) => {
    return { collectionId: id, remove: meant(documents) };
  });
  const also = others.filter(({ remove }) => remove.length > 0);
  const remove = meant(view.documents);
  const removed = [...(remove.length === 0 ? [] : [{ collectionId, remove }]), ...also];
  const documentCount = removed.reduce((sum, one) => sum + one.remove.length, 0);
  const answer = (revision: number) => encode({ documentCount, samples: [], more, revision });
  if (documentCount === 0) return { answer };
  const { documentsDeleted: type } = EVENT_TYPE;
  const details = removed.map(({ collectionId: id, remove: documentIds }) => {
    return { type, collectionId: id, documentIds };
  });
  return { plan: { remove, also }, details, answer };
}

/** Counts the matches of a filter up to a bound, with the names of the first ones. */
async function counted(
  parts: RecallParts,
  call: Call,
  purge: PurgeDocumentsInput,
  bounds: {
    readonly limit: number;
    readonly samplesMax: number;
    readonly bytesMax: number;
    readonly collectionsMax: number;
  },
): Promise<Omit<PurgeDocumentsResult, "revision">> {
  const { limit, samplesMax, bytesMax, collectionsMax } = bounds;
  const nowMs = parts.context.world.nowMs();
  const samples: DocumentName[] = [];
  const collections = new Set<string>();
  let documentCount = 0;
  let bytes = 0;
  for await (const { collectionId, documents } of documentPieces(parts, call, purge)) {
    for (const document of documents) {
      if (isOver(document, nowMs) || !isPurged(parts, document, purge.filter)) continue;
      bytes += document.bytes.length;
      collections.add(collectionId);
      const isFull = documentCount === limit || (documentCount > 0 && bytes > bytesMax);
      if (isFull || collections.size > collectionsMax)
        return { documentCount, samples, more: true };
      documentCount += 1;
      const { documentId } = document;
      if (samples.length < samplesMax) samples.push({ collectionId, documentId });
    }
  }
  return { documentCount, samples, more: false };
}

/** Deletes every document of a collection, and on request of some below it. */
export async function clearCollection(
  parts: RecallParts,
  call: Call,
  input: ClearCollectionInput,
): Promise<Uint8Array> {
  const { namespace, collectionId, isRecursive = false } = input;
  const query = { namespace, parent: collectionId, after: "", limit: LIMITS.changeCollections };
  const below = isRecursive ? await parts.context.store.listCollections(query) : [];
  const others = below.slice(0, LIMITS.changeCollections - 1);
  const also = others.map((other) => ({ collectionId: other.collectionId, documentIds: [] }));
  const change = { namespace, collectionId, documentIds: [], sourceIds: [], also };
  const more = below.length > others.length;
  const work = documentWork(parts, call);
  return await changeDocuments(work, { ...change, allowWhenFull: true }, (view) =>
    decideClear(input, more, view),
  );
}

function decideClear(
  input: ClearCollectionInput,
  more: boolean,
  view: DocumentView,
): DocumentOutcome {
  const { encode, isRecursive = false } = input;
  const others = [...view.also.values()].map(({ collection }) => collection);
  const held = [view.collection, ...others].filter((one) => one !== undefined);
  for (const { collectionId, recordDocumentCount } of held) {
    if (recordDocumentCount > 0) throw collectionOfRecords(collectionId, recordDocumentCount);
  }
  const deletedCount = held.reduce((sum, { documentCount }) => sum + documentCount, 0);
  const collectionCount = isRecursive ? held.length : 0;
  const answer = (revision: number) => encode({ deletedCount, revision, collectionCount, more });
  if (held.length === 0) return { answer };
  const details = held.map(({ collectionId, documentCount }) => {
    return { type: EVENT_TYPE.collectionCleared, collectionId, documentCount };
  });
  const also = held
    .filter(({ collectionId }) => collectionId !== input.collectionId)
    .map(({ collectionId }) => ({ collectionId, clear: true }));
  return { plan: { clear: view.collection !== undefined, also }, details, answer };
}
