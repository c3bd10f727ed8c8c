// DeleteDocuments, PurgeDocuments and ClearCollection.

import { replyPart } from "../../core/change.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import type { Call } from "../../kit/call.ts";
import { etagMismatch, requestInvalid } from "../../kit/errors.ts";
import { isOver } from "../../kit/life.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { DocumentDecision, DocumentView, StoredDocument } from "../../store/store.ts";
import type {
  ClearCollectionInput,
  DeleteDocumentsInput,
  PurgeDocumentsInput,
  PurgeDocumentsResult,
} from "../api.ts";
import type { RecallCodec, RecallParts } from "../parts.ts";
import { collectionOfRecords, documentNotFound, documentOfRecord } from "../rules/errors.ts";
import { changeDocuments, documentEvents, liveView } from "./change-documents.ts";
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
  const nowMs = parts.context.world.nowMs();
  return await changeDocuments(parts, call, change, (view) =>
    decideDelete({ parts, call, input, nowMs }, liveView(view, nowMs)),
  );
}

function decideDelete(
  deletion: {
    readonly parts: RecallParts;
    readonly call: Call;
    readonly input: DeleteDocumentsInput;
    readonly nowMs: number;
  },
  view: DocumentView,
): DocumentDecision<Uint8Array> {
  const { parts, call, input, nowMs } = deletion;
  const { collectionId } = input;
  checkFound(input, view);
  checkEtag(parts.codec, input, view);
  const removed = removedBy(input, view);
  const ofRecord = removed.find(({ recordId }) => recordId !== undefined);
  if (ofRecord !== undefined) throw documentOfRecord(ofRecord.documentId);
  if (removed.length === 0) {
    const bytes = input.encode({ deletedCount: 0, revision: 0 });
    return {
      kind: "answer",
      result: bytes,
      ...replyPart(call, nowMs, bytes),
    };
  }
  const documentIds = removed.map(({ documentId }) => documentId);
  const at = { ...input, revision: view.revision, nowMs, call };
  const events = documentEvents(parts.context, at, [
    { type: EVENT_TYPE.documentsDeleted, collectionId, documentIds },
  ]);
  const bytes = input.encode({ deletedCount: removed.length, revision: view.revision });
  return {
    kind: "save",
    result: bytes,
    plan: { remove: documentIds, nowMs, events, ...replyPart(call, nowMs, bytes) },
  };
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
  const { namespace, collectionId, filter, encode } = input;
  if (!input.force) {
    const most = { limit: LIMITS.purgeCount, idsMax: LIMITS.purgeSample, bytesMax: Infinity };
    return encode({ ...(await counted(parts, call, { ...input, ...most })), revision: 0 });
  }
  const limit = LIMITS.purgeDocuments;
  const most = { limit, idsMax: limit, bytesMax: LIMITS.purgeDocumentBytes };
  const found = await counted(parts, call, { ...input, ...most });
  const { sampleIds: documentIds, more } = found;
  const change = { namespace, collectionId, documentIds, sourceIds: [], allowWhenFull: true };
  const nowMs = parts.context.world.nowMs();
  return await changeDocuments(parts, call, change, (view): DocumentDecision<Uint8Array> => {
    // A document that was replaced meanwhile may no longer match the filter.
    const { documents } = liveView(view, nowMs);
    const removed = documentIds.filter((documentId) => {
      const document = documents.get(documentId);
      return document !== undefined && isPurged(parts, document, filter);
    });
    const answer = (revision: number): Uint8Array =>
      encode({ documentCount: removed.length, sampleIds: [], more, revision });
    if (removed.length === 0) {
      const bytes = answer(0);
      return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
    }
    const at = { namespace, collectionId, revision: view.revision, nowMs, call };
    const events = documentEvents(parts.context, at, [
      { type: EVENT_TYPE.documentsDeleted, collectionId, documentIds: removed },
    ]);
    const bytes = answer(view.revision);
    const plan = { remove: removed, nowMs, events, ...replyPart(call, nowMs, bytes) };
    return { kind: "save", result: bytes, plan };
  });
}

/** Whether a purge deletes a document: those of records go with these. */
function isPurged(
  parts: RecallParts,
  document: StoredDocument,
  filter: PurgeDocumentsInput["filter"],
): boolean {
  return document.recordId === undefined && fits(parts, document, filter);
}

/** Counts the matches of a filter up to a limit, with the ids of the first ones. */
async function counted(
  parts: RecallParts,
  call: Call,
  purge: PurgeDocumentsInput & {
    readonly limit: number;
    readonly idsMax: number;
    readonly bytesMax: number;
  },
): Promise<Omit<PurgeDocumentsResult, "revision">> {
  const { namespace, collectionId, filter, limit, idsMax, bytesMax } = purge;
  const nowMs = parts.context.world.nowMs();
  const sampleIds: string[] = [];
  let documentCount = 0;
  let bytes = 0;
  for await (const documents of documentPieces(parts, call, { namespace, collectionId })) {
    for (const document of documents) {
      if (isOver(document, nowMs) || !isPurged(parts, document, filter)) continue;
      bytes += document.bytes.length;
      const isFull = documentCount === limit || (documentCount > 0 && bytes > bytesMax);
      if (isFull) return { documentCount, sampleIds, more: true };
      documentCount += 1;
      if (sampleIds.length < idsMax) sampleIds.push(document.documentId);
    }
  }
  return { documentCount, sampleIds, more: false };
}

/** Deletes every document of a collection. */
export async function clearCollection(
  parts: RecallParts,
  call: Call,
  input: ClearCollectionInput,
): Promise<Uint8Array> {
  const { namespace, collectionId } = input;
  const change = { namespace, collectionId, documentIds: [], sourceIds: [], allowWhenFull: true };
  const nowMs = parts.context.world.nowMs();
  return await changeDocuments(parts, call, change, (view): DocumentDecision<Uint8Array> => {
    const { collection, revision } = view;
    if (collection === undefined) {
      const bytes = input.encode({ deletedCount: 0, revision: 0 });
      const reply = replyPart(call, nowMs, bytes);
      return { kind: "answer", result: bytes, ...reply };
    }
    const { documentCount, recordDocumentCount } = collection;
    if (recordDocumentCount > 0) throw collectionOfRecords(collectionId, recordDocumentCount);
    const at = { ...input, revision, nowMs, call };
    const events = documentEvents(parts.context, at, [
      { type: EVENT_TYPE.collectionCleared, collectionId, documentCount },
    ]);
    const bytes = input.encode({ deletedCount: documentCount, revision });
    const plan = { clear: true, nowMs, events, ...replyPart(call, nowMs, bytes) };
    return { kind: "save", result: bytes, plan };
  });
}
