// DeleteDocuments and ClearCollection.

import { replyPart } from "../../core/change.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import type { Call } from "../../kit/call.ts";
import { etagMismatch, requestInvalid } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { DocumentDecision, DocumentView, StoredDocument } from "../../store/store.ts";
import type { ClearCollectionInput, DeleteDocumentsInput } from "../api.ts";
import type { RecallCodec, RecallParts } from "../parts.ts";
import { documentNotFound } from "../rules/errors.ts";
import { changeDocuments, documentEvents, liveView } from "./change-documents.ts";
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
    const { documentCount } = collection;
    const at = { ...input, revision, nowMs, call };
    const events = documentEvents(parts.context, at, [
      { type: EVENT_TYPE.collectionCleared, collectionId, documentCount },
    ]);
    const bytes = input.encode({ deletedCount: documentCount, revision });
    const plan = { clear: true, nowMs, events, ...replyPart(call, nowMs, bytes) };
    return { kind: "save", result: bytes, plan };
  });
}
