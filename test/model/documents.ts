// Documents, vectors, and which namespaces were recalled, in the memory engine.

import { isOver, type Life } from "../../src/kit/life.ts";
import {
  collectionsFault,
  documentPlanFault,
  forgottenOf,
  numberAt,
  vectorsFault,
} from "../../src/store/document-faults.ts";
import type {
  ChangedDocuments,
  CollectionQuery,
  CollectionRef,
  DocumentChange,
  DocumentDecision,
  DocumentPage,
  DocumentPlan,
  DocumentQuery,
  DocumentRef,
  DocumentView,
  ListedCollection,
  NewEvent,
  NewVectors,
  OtherChange,
  OtherPlan,
  OtherView,
  PayloadHolder,
  RecordDocuments,
  StoredCollection,
  StoredDocument,
  VectorPlace,
  VectorRecord,
} from "../../src/store/store.ts";
import { saveErasure } from "./erasures.ts";
import { memoriesOf } from "./memories.ts";
import {
  type CollectionState,
  type MemoryState,
  marked,
  namespaceOf,
  nextRevision,
  rememberReply,
  replyOf,
  sessionOf,
} from "./state.ts";

function stateOf(state: MemoryState, { namespace, collectionId }: CollectionRef): CollectionState {
  const known = namespaceOf(state, namespace).collections.get(collectionId);
  return known ?? { nextDocumentNo: 1, createMs: 0, updateMs: 0, documents: new Map() };
}

function listOf({ documents }: CollectionState): readonly StoredDocument[] {
  return [...documents.values()].sort((a, b) => a.documentNo - b.documentNo);
}

/** Changes documents; gives what was saved. */
export function changeDocuments<T>(
  state: MemoryState,
  change: DocumentChange,
  decide: (view: DocumentView) => DocumentDecision<T>,
): {
  readonly result: T;
  readonly events: readonly NewEvent[];
  readonly changed: readonly ChangedDocuments[];
} {
  const { namespace, requestId } = change;
  const decision = decide(documentsView(state, change));
  if (decision.kind === "save") {
    checkDocuments(state, change, decision.plan);
    const changed = [change, ...(decision.plan.also ?? [])].map((one, at) =>
      saveDocuments(
        state,
        refOf(change, one),
        at === 0 ? decision.plan : planOf(decision.plan, one),
      ),
    );
    rememberReply(state, namespace, requestId, marked(decision.plan.reply, []));
    saveErasure(state, namespace, decision.plan.erasure);
    return { result: decision.result, events: decision.plan.events, changed };
  }
  rememberReply(state, namespace, requestId, marked(decision.reply, []));
  return { result: decision.result, events: [], changed: [] };
}

function refOf({ namespace }: CollectionRef, { collectionId }: OtherPlan): DocumentChange {
  return { namespace, collectionId, documentIds: [], sourceIds: [] };
}

function planOf({ nowMs }: DocumentPlan, { remove = [], clear = false }: OtherPlan) {
  return { remove, clear, nowMs };
}

/** The view of documents for decide. */
export function documentsView(state: MemoryState, change: DocumentChange): DocumentView {
  const { collectionId, namespace, requestId } = change;
  const collection = stateOf(state, change);
  const documents = new Map<string, StoredDocument>();
  for (const documentId of change.documentIds) {
    const found = collection.documents.get(documentId);
    if (found !== undefined) documents.set(documentId, found);
  }
  const chunks = new Map<string, readonly StoredDocument[]>();
  for (const sourceId of change.sourceIds) {
    const found = listOf(collection).filter((document) => document.sourceId === sourceId);
    if (found.length > 0) chunks.set(sourceId, found);
  }
  return {
    revision: nextRevision(state, namespace),
    collection: collection.documents.size === 0 ? undefined : shown(collectionId, collection),
    collectionCount: held(state, namespace).length,
    documents,
    chunks,
    nextDocumentNo: collection.nextDocumentNo,
    also: new Map(
      (change.also ?? []).map((one) => [one.collectionId, otherView(state, change, one)]),
    ),
    reply: replyOf(state, namespace, requestId),
  };
}

function otherView(
  state: MemoryState,
  { namespace }: DocumentChange,
  { collectionId, documentIds }: OtherChange,
): OtherView {
  const { collection, documents } = documentsView(state, {
    ...{ namespace, collectionId, documentIds, sourceIds: [] },
  });
  return { collection, documents };
}

function shown(collectionId: string, collection: CollectionState): StoredCollection {
  const { createMs, documents, updateMs } = collection;
  const ofRecords = [...documents.values()].filter(({ recordId }) => recordId !== undefined);
  const counts = { documentCount: documents.size, recordDocumentCount: ofRecords.length };
  return { collectionId, ...counts, createMs, updateMs };
}

function held(state: MemoryState, namespace: string): readonly StoredCollection[] {
  return [...namespaceOf(state, namespace).collections]
    .filter(([, { documents }]) => documents.size > 0)
    .map(([collectionId, collection]) => shown(collectionId, collection))
    .sort((a, b) => bySegments(a.collectionId, b.collectionId));
}

function bySegments(a: string, b: string): number {
  const [segments, others] = [a.split("/"), b.split("/")];
  for (const [at, segment] of segments.entries()) {
    const order = Buffer.compare(Buffer.from(segment), Buffer.from(others[at] ?? ""));
    if (order !== 0) return order;
  }
  return segments.length - others.length;
}

/** The change of the documents of one collection that a change of records brings along. */
export function recordPlan(
  state: MemoryState,
  { put, remove, ...ref }: RecordDocuments,
  { events, nowMs }: Pick<DocumentPlan, "events" | "nowMs">,
): { readonly change: DocumentChange; readonly plan: DocumentPlan } {
  const { documents, nextDocumentNo } = stateOf(state, ref);
  let next = nextDocumentNo;
  const numbered = put.map((document) => {
    const known = documents.get(document.documentId)?.documentNo;
    return { ...document, documentNo: known ?? next++ };
  });
  const change = { ...ref, documentIds: [], sourceIds: [] };
  return { change, plan: { put: numbered, remove, nowMs, events } };
}

/** Number of collections of a namespace that hold documents, with some others. */
export function collectionCountWith(
  state: MemoryState,
  namespace: string,
  collectionIds: Iterable<string>,
): number {
  const own = held(state, namespace).map(({ collectionId }) => collectionId);
  return new Set([...own, ...collectionIds]).size;
}

/** Lets a document of a record live on. */
export function liveOn(
  state: MemoryState,
  ref: CollectionRef,
  documentId: string,
  expireMs: number,
) {
  const document = stateOf(state, ref).documents.get(documentId);
  if (document === undefined) throw new Error("A record lacks a document.");
  // Vectors are kept for the object: it stays the same one.
  Object.assign(document, { expireMs });
}

/** Checks what a plan does to documents. Throws an Error that names the fault. */
export function checkDocuments(
  state: MemoryState,
  change: DocumentChange,
  plan: DocumentPlan,
  isOfRecords = false,
): void {
  const { documents, nextDocumentNo } = stateOf(state, change);
  const ofRecords = [...documents.values()].filter(({ recordId }) => recordId !== undefined);
  const fault =
    collectionsFault(change, plan) ??
    documentPlanFault(plan, {
      ...{ revision: nextRevision(state, change.namespace), nextDocumentNo, isOfRecords },
      known: (documentId) => documents.get(documentId),
      recordDocumentCount: ofRecords.length,
    });
  for (const other of plan.also ?? []) {
    const { events } = plan;
    checkDocuments(state, refOf(change, other), { ...planOf(plan, other), events });
  }
  if (fault !== undefined) throw new Error(`The plan is faulty: ${fault}.`);
}

/** Does what a plan does to the documents of a collection. */
export function saveDocuments(
  state: MemoryState,
  change: DocumentChange,
  plan: Omit<DocumentPlan, "events" | "reply">,
): ChangedDocuments {
  const collection = stateOf(state, change);
  const { documents } = collection;
  const put = (plan.put ?? []).map(({ documentNo }) => documentNo);
  const removed = (plan.remove ?? []).flatMap((id) => documents.get(id)?.documentNo ?? []);
  const wasEmpty = documents.size === 0;
  for (const document of plan.put ?? []) {
    const { payload, ...rest } = document;
    const kept = structuredClone(rest);
    documents.set(document.documentId, kept);
    if (payload !== undefined) state.payloads.set(kept, structuredClone(payload));
    collection.nextDocumentNo = Math.max(collection.nextDocumentNo, document.documentNo + 1);
  }
  for (const documentId of plan.remove ?? []) documents.delete(documentId);
  if (plan.clear === true) documents.clear();
  if (wasEmpty) collection.createMs = plan.nowMs;
  collection.updateMs = plan.nowMs;
  const { namespace, collectionId } = change;
  namespaceOf(state, namespace).collections.set(collectionId, collection);
  return { namespace, collectionId, numbers: plan.clear === true ? "all" : [...put, ...removed] };
}

/** A document by its id. */
export function readDocument(
  state: MemoryState,
  ref: CollectionRef,
  documentId: string,
): StoredDocument | undefined {
  return stateOf(state, ref).documents.get(documentId);
}

/** A document with nothing but its payload. */
export function readPayload(
  state: MemoryState,
  ref: CollectionRef,
  documentId: string,
): PayloadHolder | undefined {
  const found = readDocument(state, ref, documentId);
  if (found === undefined) return undefined;
  const { etagRevision, sourceId } = found;
  return { sourceId, etagRevision, payload: state.payloads.get(found) };
}

/** The documents of an id: itself, or all chunks of a source. */
function livingTogether(collection: CollectionState, documentId: string): StoredDocument[] {
  const found = collection.documents.get(documentId);
  const sourceId = found?.sourceId ?? documentId;
  if (found !== undefined && sourceId === "") return [found];
  return listOf(collection).filter((document) => document.sourceId === sourceId);
}

/** The lives of documents by id; that of a source is that of its first chunk. */
export function readDocumentLives(
  state: MemoryState,
  ref: CollectionRef,
  documentIds: readonly string[],
): ReadonlyMap<string, Life> {
  const collection = stateOf(state, ref);
  return new Map(
    documentIds.flatMap((documentId) => {
      const own = collection.documents.get(documentId);
      const one = own ?? livingTogether(collection, documentId)[0];
      if (one === undefined) return [];
      return [[documentId, { ttlMs: one.ttlMs, expireMs: one.expireMs }] as const];
    }),
  );
}

/** Lets documents live on from now for their ttl. */
export function refreshDocuments(
  state: MemoryState,
  ref: CollectionRef,
  documentIds: readonly string[],
  nowMs: number,
): void {
  const collection = stateOf(state, ref);
  for (const one of documentIds.flatMap((id) => livingTogether(collection, id))) {
    const expireMs = nowMs + one.ttlMs;
    if (one.expireMs <= nowMs || one.expireMs >= expireMs) continue;
    // Vectors are kept for the object: it stays the same one.
    Object.assign(one, { expireMs });
  }
}

/** Documents whose time has run out, the earliest first. */
export function expiredDocuments(state: MemoryState, nowMs: number, limit: number): DocumentRef[] {
  return [...state.namespaces]
    .flatMap(([namespace, { collections }]) =>
      [...collections].flatMap(([collectionId, { documents }]) =>
        [...documents.values()].map((document) => ({ namespace, collectionId, ...document })),
      ),
    )
    .filter((document) => document.recordId === undefined && isOver(document, nowMs))
    .sort((a, b) => a.expireMs - b.expireMs)
    .slice(0, limit)
    .map(({ namespace, collectionId, documentId }) => ({ namespace, collectionId, documentId }));
}

/** A page of documents by rising number. */
export function listDocuments(state: MemoryState, query: DocumentQuery): DocumentPage {
  const { after, last = Number.MAX_SAFE_INTEGER, limit } = query;
  const found = listOf(stateOf(state, query)).filter(
    ({ documentNo }) => documentNo > after && documentNo <= last,
  );
  const documents = found.slice(0, limit);
  return { documents, next: found.length > limit ? documents.at(-1)?.documentNo : undefined };
}

/** Collections in the order of their segments. */
export function listCollections(
  state: MemoryState,
  { namespace, after, limit, maxDepth = 0, parent = "" }: CollectionQuery,
): readonly ListedCollection[] {
  const all = held(state, namespace);
  const below = (id: string) => all.filter((one) => one.collectionId.startsWith(`${id}/`));
  const depth = parent === "" ? 0 : parent.split("/").length;
  const cut = ({ collectionId }: StoredCollection): string =>
    maxDepth === 0
      ? collectionId
      : collectionId
          .split("/")
          .slice(0, depth + maxDepth)
          .join("/");
  return [...new Set((parent === "" ? all : below(parent)).map(cut))]
    .sort(bySegments)
    .filter((id) => after === "" || bySegments(id, after) > 0)
    .slice(0, limit)
    .map((collectionId) => {
      const counts = { documentCount: 0, recordDocumentCount: 0 };
      const none = { collectionId, ...counts, createMs: 0, updateMs: 0 };
      const own = all.find((one) => one.collectionId === collectionId);
      return { ...(own ?? none), hasBelow: below(collectionId).length > 0 };
    });
}

/** The owner of the vectors of a place: another object whenever the record changes. */
function recordAt(
  state: MemoryState,
  place: VectorPlace,
): { readonly bytes: Uint8Array } | undefined {
  if (place.kind === "message") return sessionOf(state, place)?.log.get(place.seq);
  if (place.kind === "memory") {
    const found = memoriesOf(state, place.namespace);
    return found.find(({ memory }) => memory.memoryNo === place.memoryNo)?.text;
  }
  return listOf(stateOf(state, place)).find(({ documentNo }) => documentNo === place.documentNo);
}

function idOf(place: VectorPlace): string {
  const { kind, namespace } = place;
  const name = kind === "memory" ? "" : kind === "message" ? place.sessionId : place.collectionId;
  return JSON.stringify([kind, namespace, name, numberAt(place)]);
}

/** Keeps vectors of records that are as they were; gives how many. */
export function saveVectors(state: MemoryState, all: readonly NewVectors[]): number {
  const fault = vectorsFault(all);
  if (fault !== undefined) throw new Error(`Vectors cannot be kept: ${fault}.`);
  let kept = 0;
  for (const { place, bytes, record } of all) {
    const of = recordAt(state, place);
    if (of === undefined || Buffer.compare(of.bytes, bytes) !== 0) continue;
    state.vectors.set(idOf(place), { of, record: structuredClone(record) });
    kept += 1;
  }
  return kept;
}

/** The vectors of some records; those of records that are gone or changed are gone. */
export function readVectors(
  state: MemoryState,
  places: readonly VectorPlace[],
): readonly (VectorRecord | undefined)[] {
  return places.map((place) => {
    const found = state.vectors.get(idOf(place));
    return found !== undefined && found.of === recordAt(state, place) ? found.record : undefined;
  });
}

/** Remembers that a namespace was recalled, and forgets those of long ago. */
export function noteRecalled(state: MemoryState, namespace: string, ms: number): void {
  state.recalled.set(namespace, ms);
  for (const forgotten of forgottenOf(state.recalled)) state.recalled.delete(forgotten);
}
