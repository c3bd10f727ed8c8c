// GetDocument, ListDocuments and ListCollections.

import { LIMITS } from "../../domain/limits.ts";
import { meansScope } from "../../domain/memories/scopes.ts";
import { documentNotFound } from "../../domain/recall/errors.ts";
import { hasLabels, passesTest } from "../../domain/recall/metadata-test.ts";
import type { CollectionRef, StoredCollection, StoredDocument } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { DocumentFilter, ListDocumentsInput } from "../recall-api.ts";
import type { RecallParts } from "./parts.ts";

/** Documents that one list looks at. */
const LOOKED_MAX = 10_000;
/** Documents read at one time: of the largest there are 16 MiB. */
const READ = 16;
const VALUE_BYTES = 4;

/** Gives a document. */
export async function getDocument(
  { context }: RecallParts,
  call: Call,
  ref: CollectionRef & { readonly documentId: string },
): Promise<StoredDocument> {
  checkLive(call.signal);
  const document = await context.store.readDocument(ref, ref.documentId);
  if (document === undefined) throw documentNotFound(ref.documentId);
  return document;
}

/** Lists documents in the order in which they were first stored. */
export async function listDocuments(
  parts: RecallParts,
  call: Call,
  input: ListDocumentsInput,
): Promise<{ documents: readonly StoredDocument[]; next: number | undefined }> {
  const { namespace, collectionId, filter, limit } = input;
  const documents: StoredDocument[] = [];
  let bytes = 0;
  let looked = 0;
  let { after } = input;
  for (;;) {
    checkLive(call.signal);
    const query = { namespace, collectionId, after, limit: READ };
    const page = await parts.context.store.listDocuments(query);
    for (const document of page.documents) {
      if (documents.length >= limit || looked >= LOOKED_MAX) return { documents, next: after };
      looked += 1;
      if (fits(parts, document, filter)) {
        const size = documentSize(document, input.withEmbeddings);
        if (documents.length > 0 && bytes + size > LIMITS.pageBytes) {
          return { documents, next: after };
        }
        bytes += size;
        documents.push(document);
      }
      after = document.documentNo;
    }
    if (page.next === undefined) return { documents, next: undefined };
    await parts.keeper.pace.turn(true);
  }
}

/** What a document takes in an answer. */
export function documentSize({ bytes, embedding }: StoredDocument, withEmbedding: boolean): number {
  if (!withEmbedding || embedding === undefined) return bytes.length;
  return bytes.length + embedding.values.length * VALUE_BYTES + embedding.model.length;
}

/** Whether a document passes a filter. */
function fits({ codec }: RecallParts, document: StoredDocument, filter: DocumentFilter): boolean {
  const { scope, labels, metadata, sourceDocumentId } = filter;
  if (sourceDocumentId !== "") {
    const { documentId, sourceId } = document;
    if (documentId !== sourceDocumentId && sourceId !== sourceDocumentId) return false;
  }
  if (!meansScope(codec.readDocumentHead(document.bytes).scope, scope)) return false;
  if (labels.size === 0 && metadata.length === 0) return true;
  const record = codec.readDocument(document.bytes);
  return (
    hasLabels(record.labels, labels) && metadata.every((test) => passesTest(record.metadata, test))
  );
}

/** Lists the collections that hold documents, by id. */
export async function listCollections(
  { context }: RecallParts,
  call: Call,
  input: { readonly namespace: string; readonly after: string; readonly limit: number },
): Promise<{ collections: readonly StoredCollection[]; next: string | undefined }> {
  checkLive(call.signal);
  const { namespace, after, limit } = input;
  const found = await context.store.listCollections(namespace, after, limit + 1);
  const collections = found.slice(0, limit);
  const next = found.length > limit ? collections.at(-1)?.collectionId : undefined;
  return { collections, next };
}
