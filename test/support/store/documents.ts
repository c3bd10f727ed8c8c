// Changes to documents and vectors in tests of the storage: plain data, decided by pure functions,
// like the actions of actions.ts.

import { EVENT_TYPE } from "../../../src/events/rules/event.ts";
import { ENDLESS, lifeFrom } from "../../../src/kit/life.ts";
import type {
  CollectionQuery,
  CollectionRef,
  DocumentPlan,
  DocumentView,
  ListedCollection,
  NewVectors,
  OtherPlan,
  Store,
  StoredCollection,
  StoredDocument,
  StoredPayload,
  VectorPlace,
} from "../../../src/store/store.ts";
import { type ActionBase, isYoung } from "./action-types.ts";
import { newEvent, newReply, START_MS } from "./plans.ts";

/** Parts of a document; everything but its id and number has a default. */
export type DocumentParts = Partial<Omit<StoredDocument, "bytes">> &
  Pick<StoredDocument, "documentId" | "documentNo"> & { readonly text?: string };

/** A document without an embedding. What its bytes are does not matter to an engine. */
export function newDocument({ text, ...parts }: DocumentParts): StoredDocument {
  const bytes = Uint8Array.from(Buffer.from(text ?? `text of ${parts.documentId}`));
  const rest = { sourceId: "", embedding: undefined, createMs: START_MS, etagRevision: 1 };
  const payloadBytes = parts.payload?.data.length ?? 0;
  return { ...rest, ...ENDLESS, payloadBytes, ...parts, bytes };
}

/** Numbers that `seed` makes, each exact in 32 bits. */
export function newVector(seed: number, dimensions = 3): Float32Array {
  return Float32Array.from({ length: dimensions }, (_, at) => (seed * 7 + at) / 8);
}

/** A document to write. */
export interface DocumentDraft {
  readonly documentId: string;
  readonly text: string;
  readonly sourceId?: string;
  /** Makes an embedding of so many numbers. */
  readonly dimensions?: number;
  readonly ttlMs?: number;
  /** The data of its payload. */
  readonly payload?: string;
}

/** Writes and deletes documents. `sessionId` names the collection. */
export interface DocumentAction extends ActionBase {
  readonly kind: "documents";
  readonly put: readonly DocumentDraft[];
  /** Ids to delete; those that are not there, or are put, are left out. */
  readonly remove: readonly string[];
  /** Sources all of whose chunks are deleted. */
  readonly removeChunks: readonly string[];
  /** Deletes everything instead. */
  readonly clear: boolean;
  /** Deletes in other collections as well. */
  readonly also?: readonly OtherAction[];
}

/** Deletes documents of another collection: some, or all. */
export interface OtherAction {
  readonly collectionId: string;
  readonly remove: readonly string[];
  readonly clear: boolean;
}

/** Observations and effects of a change to documents. */
export interface DocumentResult {
  readonly revision: number;
  readonly saved: boolean;
  readonly collection: StoredCollection | undefined;
  readonly collectionCount: number;
  readonly nextDocumentNo: number;
  /** Documents as the change saw them. */
  readonly documents: readonly string[];
  readonly chunks: readonly string[];
  /** Other collections as the change saw them. */
  readonly also?: readonly unknown[];
  readonly replayed?: true;
}

function shortOf(document: StoredDocument): string {
  const { documentId, documentNo, sourceId, bytes, embedding, payloadBytes } = document;
  const parts = [documentNo, documentId, sourceId, embedding?.values.length ?? 0];
  const size = payloadBytes === 0 ? [] : [payloadBytes];
  return [...parts, ...size, Buffer.from(bytes).toString()].join("|");
}

/** A payload of a text. */
export function newPayload(text: string): StoredPayload {
  return { mediaType: "text/plain", data: Uint8Array.from(Buffer.from(text)) };
}

function resultOf(view: DocumentView, saved: boolean): DocumentResult {
  const { collection, collectionCount, nextDocumentNo, revision } = view;
  const also = [...view.also].map(([id, other]) => [
    ...[id, other.collection, [...other.documents.values()].map(shortOf).sort()],
  ]);
  return {
    ...(also.length === 0 ? {} : { also }),
    revision,
    saved,
    collection,
    collectionCount,
    nextDocumentNo,
    documents: [...view.documents].map(([id, one]) => `${id}: ${shortOf(one)}`).sort(),
    chunks: [...view.chunks].map(([id, all]) => `${id}: ${all.map(shortOf).join(" ")}`).sort(),
  };
}

/** The document of a draft. */
function documentOf(
  view: DocumentView,
  { dimensions, documentId, payload, sourceId = "", text, ttlMs = 0 }: DocumentDraft,
  { documentNo, nowMs }: { readonly documentNo: number; readonly nowMs: number },
): StoredDocument {
  const createMs = view.documents.get(documentId)?.createMs ?? nowMs;
  const values = newVector(documentNo, dimensions ?? 0);
  const embedding = dimensions === undefined ? undefined : { model: "m", values };
  const etagRevision = view.revision;
  const place = { documentId, documentNo, sourceId };
  const life = lifeFrom(nowMs, ttlMs);
  const kept = payload === undefined ? {} : { payload: newPayload(payload) };
  return newDocument({ ...place, ...life, ...kept, text, createMs, etagRevision, embedding });
}

function planOf(action: DocumentAction, view: DocumentView): DocumentPlan {
  const { nowMs } = action;
  const ref = { namespace: action.namespace, sessionId: "" };
  const events = [newEvent(ref, { type: EVENT_TYPE.sessionUpdated, createMs: nowMs })];
  const also = othersOf(action, view);
  // Documents of records stay.
  const isOfRecords = (view.collection?.recordDocumentCount ?? 0) > 0;
  if (action.clear && !isOfRecords) return { clear: true, also, nowMs, events };
  let next = view.nextDocumentNo;
  const put = action.put.map((draft) => {
    const known = view.documents.get(draft.documentId)?.documentNo;
    return documentOf(view, draft, { documentNo: known ?? next++, nowMs });
  });
  const taken = new Set(put.map(({ documentId }) => documentId));
  const chunks = action.removeChunks.flatMap((id) => view.chunks.get(id) ?? []);
  const ids = [...action.remove, ...chunks.map(({ documentId }) => documentId)];
  const known = new Set([...view.documents.keys(), ...chunks.map((chunk) => chunk.documentId)]);
  const remove = [...new Set(ids)].filter((id) => known.has(id) && !taken.has(id));
  return { put, remove, also, nowMs, events };
}

function othersOf({ also = [], sessionId }: DocumentAction, view: DocumentView): OtherPlan[] {
  return also.flatMap(({ collectionId, clear, remove }): OtherPlan[] => {
    const other = view.also.get(collectionId);
    if (collectionId === sessionId || other?.collection === undefined) return [];
    const isOwn = (id: string) => {
      const found = other.documents.get(id);
      return found !== undefined && found.recordId === undefined;
    };
    const known = [...new Set(remove)].filter(isOwn);
    if (clear && other.collection.recordDocumentCount === 0) return [{ collectionId, clear }];
    return known.length === 0 ? [] : [{ collectionId, remove: known }];
  });
}

/** Does an action of documents. Nothing to do is an answer. */
export function changeDocuments(store: Store, action: DocumentAction): Promise<DocumentResult> {
  const { namespace, nowMs, requestId, sessionId: collectionId } = action;
  const change = {
    namespace,
    collectionId,
    documentIds: [...action.put.map(({ documentId }) => documentId), ...action.remove],
    sourceIds: action.removeChunks,
    also: (action.also ?? []).map(({ collectionId: id, remove }) => {
      return { collectionId: id, documentIds: remove };
    }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return store.changeDocuments<DocumentResult>(change, (view) => {
    if (isYoung(view.reply, nowMs)) {
      const result = JSON.parse(Buffer.from(view.reply.bytes).toString()) as DocumentResult;
      return { kind: "answer", result: { ...result, replayed: true } };
    }
    const plan = planOf(action, view);
    const others = plan.also?.length ?? 0;
    const changes = (plan.put?.length ?? 0) + (plan.remove?.length ?? 0) + others;
    const saved = changes > 0 || (plan.clear === true && view.collection !== undefined);
    const result = resultOf(view, saved);
    if (!saved) return { kind: "answer", result };
    const reply = newReply(JSON.stringify(result), nowMs);
    return { kind: "save", result, plan: { ...plan, reply } };
  });
}

/** The bytes of the record at a place; undefined when there is none. */
export async function bytesAt(store: Store, place: VectorPlace): Promise<Uint8Array | undefined> {
  if (place.kind === "document") {
    const { documentNo } = place;
    const query = { ...place, after: documentNo - 1, last: documentNo, limit: 1 };
    return (await store.listDocuments(query)).documents[0]?.bytes;
  }
  if (place.kind === "memory") {
    const { memoryNo, namespace } = place;
    const query = { namespace, order: "asc", after: memoryNo - 1, limit: 1 } as const;
    const memory = (await store.listMemories(query)).memories[0];
    return memory?.memoryNo === memoryNo ? Buffer.from(memory.content.text) : undefined;
  }
  const { seq } = place;
  const query = { firstSeq: seq, lastSeq: seq, order: "asc", limit: 1 } as const;
  return (await store.listMessages(place, query))?.messages[0]?.bytes;
}

/** Vectors to keep: of the record as it is, or of one that it is not. */
export interface VectorDraft {
  readonly place: VectorPlace;
  readonly model: string;
  readonly count: number;
  readonly stale: boolean;
}

/** Keeps vectors. */
export interface VectorAction {
  readonly kind: "vectors";
  readonly drafts: readonly VectorDraft[];
}

/** Does an action of vectors; gives how many were kept. */
export async function saveVectors(store: Store, { drafts }: VectorAction): Promise<number> {
  const vectors: NewVectors[] = [];
  for (const { count, model, place, stale } of drafts) {
    const bytes = stale ? undefined : await bytesAt(store, place);
    const made = Array.from({ length: count }, (_, at) => newVector(at + model.length));
    const record = { model, vectors: made };
    vectors.push({ place, bytes: bytes ?? Uint8Array.of(1, 2, 3), record });
  }
  return await store.saveVectors(vectors);
}

/** All documents of a collection, page by page. */
export async function allDocuments(
  store: Store,
  ref: CollectionRef,
  limit = 7,
): Promise<StoredDocument[]> {
  const all: StoredDocument[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await store.listDocuments({ ...ref, after, limit });
    if (page.documents.length > limit) throw new Error("A page is too long.");
    all.push(...page.documents);
    if (page.next !== undefined && page.next <= after) throw new Error("A page goes backwards.");
    after = page.next;
  }
  return all;
}

/** All collections of a namespace, page by page. */
export async function allCollections(
  store: Store,
  namespace: string,
  limit = 3,
  cut: Pick<CollectionQuery, "parent" | "maxDepth"> = {},
): Promise<ListedCollection[]> {
  const all: ListedCollection[] = [];
  const query = { namespace, ...cut };
  for (;;) {
    const page = await store.listCollections({
      ...query,
      after: all.at(-1)?.collectionId ?? "",
      limit,
    });
    if (page.length > limit) throw new Error("A page is too long.");
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Everything that can be read of the documents of a namespace. */
export async function dumpDocuments(store: Store, namespace: string): Promise<unknown> {
  const dump: unknown[] = [];
  for (const collection of await allCollections(store, namespace)) {
    const ref = { namespace, collectionId: collection.collectionId };
    const documents = await allDocuments(store, ref);
    const places = documents.map(
      ({ documentNo }) => ({ kind: "document", ...ref, documentNo }) as const,
    );
    const found: unknown[] = [];
    for (const { documentId } of documents) {
      const payload = await store.readPayload(ref, documentId);
      found.push([await store.readDocument(ref, documentId), payload]);
    }
    dump.push([collection, documents, found, await store.readVectors(places)]);
  }
  return dump;
}
