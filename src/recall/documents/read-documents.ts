// GetDocument, ListDocuments and ListCollections.

import { type Call, checkLive } from "../../kit/call.ts";
import { undefinedFor } from "../../kit/errors.ts";
import { isOver, isRefreshDue } from "../../kit/life.ts";
import { LIMITS } from "../../kit/limits.ts";
import { meansScope } from "../../memory/rules/scopes.ts";
import type {
  CollectionQuery,
  CollectionRef,
  DocumentPage,
  DocumentRef,
  ListedCollection,
  ListTotal,
  StoredDocument,
} from "../../store/store.ts";
import type {
  CollectionTreeRef,
  DocumentFilter,
  DocumentPlace,
  GetDocumentInput,
  ListDocumentsInput,
  RefreshDocumentsInput,
  RefreshedDocument,
} from "../api.ts";
import type { RecallParts } from "../parts.ts";
import { PayloadReader } from "../payloads.ts";
import { documentSize } from "../read-hits.ts";
import { documentNotFound } from "../rules/errors.ts";
import { hasLabels, passesAll } from "../rules/item-tests.ts";
import { chunkId } from "../rules/splitter.ts";

/** The most documents that one list reads. */
const LOOKED_MAX = 10_000;
/** Documents read at one time: of the largest there are 16 MiB. */
const READ = 16;
/** Collections read at one time. */
const COLLECTIONS_READ = 100;
/** Number of times that chunks replaced during a read are read again. */
const TRIES_MAX = 3;

/** Gives a document. One that was split is made of its chunks. */
export async function getDocument(
  parts: RecallParts,
  call: Call,
  input: GetDocumentInput,
): Promise<StoredDocument> {
  const { withPayload = false, ...ref } = input;
  const { world } = parts.context;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    checkLive(call.signal);
    const found = await liveDocument(parts, ref, ref.documentId);
    const isLive = (document: StoredDocument): boolean => !isOver(document, world.nowMs());
    const complete = async (document: StoredDocument): Promise<StoredDocument | undefined> =>
      withPayload ? await new PayloadReader(parts).complete(ref, document, isLive) : document;
    const given = found === undefined ? await joined(parts, ref, complete) : await complete(found);
    if (given !== undefined) return given;
  }
  throw documentNotFound(ref.documentId);
}

/** A document that has not expired. */
async function liveDocument(
  { context }: RecallParts,
  ref: CollectionRef,
  documentId: string,
): Promise<StoredDocument | undefined> {
  const document = await context.store.readDocument(ref, documentId);
  return document === undefined || isOver(document, context.world.nowMs()) ? undefined : document;
}

/**
 * The document that was split into chunks; undefined when some of them are not there, or were
 * written by different calls.
 */
async function joined(
  parts: RecallParts,
  ref: DocumentRef,
  complete: (document: StoredDocument) => Promise<StoredDocument | undefined>,
): Promise<StoredDocument | undefined> {
  const { documentId } = ref;
  const { codec } = parts;
  const read = async (index: number): Promise<StoredDocument | undefined> => {
    const chunk = await liveDocument(parts, ref, chunkId(documentId, index));
    return chunk?.sourceId === documentId ? chunk : undefined;
  };
  const found = await read(0);
  const first = found && (await complete(found));
  if (first === undefined) return undefined;
  const chunks = [first];
  const { chunkCount } = codec.readDocumentHead(first.bytes);
  while (chunks.length < chunkCount) {
    const chunk = await read(chunks.length);
    if (chunk === undefined || chunk.etagRevision !== first.etagRevision) return undefined;
    chunks.push(chunk);
  }
  const bytes = codec.joinChunks(chunks.map((chunk) => chunk.bytes));
  return { ...first, documentId, sourceId: "", bytes };
}

/** A page of documents. */
interface DocumentsPage {
  readonly documents: readonly StoredDocument[];
  /** Start of the next page; undefined at the end. */
  readonly next: DocumentPlace | undefined;
  /** Set with `includeTotal`. */
  readonly total?: ListTotal | undefined;
}

/** Lists documents in the order in which they were first stored, one collection after the other. */
export async function listDocuments(
  parts: RecallParts,
  call: Call,
  input: ListDocumentsInput,
): Promise<DocumentsPage> {
  const page = await readPage(parts, call, input);
  const total = input.includeTotal ? await countDocuments(parts, call, input) : undefined;
  return { ...page, total };
}

async function readPage(
  parts: RecallParts,
  call: Call,
  input: ListDocumentsInput,
): Promise<DocumentsPage> {
  const {
    after,
    filter,
    isRecursive = false,
    limit,
    namespace,
    startIn = input.collectionId,
  } = input;
  const nowMs = parts.context.world.nowMs();
  const payloads = new PayloadReader(parts);
  const isMeant = (document: StoredDocument): boolean =>
    !isOver(document, nowMs) && fits(parts, document, filter);
  const documents: StoredDocument[] = [];
  let next: DocumentPlace = { collectionId: startIn, documentNo: after };
  let bytes = 0;
  let looked = 0;
  for await (const { collectionId, isStart, ...piece } of documentPieces(
    parts,
    call,
    input,
    next,
  )) {
    if (isRecursive && isStart) looked += 1;
    for (const found of piece.documents) {
      if (documents.length >= limit || looked >= LOOKED_MAX) return { documents, next };
      looked += 1;
      let document = isMeant(found) ? found : undefined;
      if (document !== undefined && input.withPayloads === true) {
        document = await payloads.complete({ namespace, collectionId }, document, isMeant);
      }
      if (document !== undefined) {
        const size = documentSize(document, input.withEmbeddings);
        if (documents.length > 0 && bytes + size > LIMITS.pageBytes) return { documents, next };
        bytes += size;
        documents.push(document);
      }
      next = { collectionId, documentNo: found.documentNo };
    }
  }
  return { documents, next: undefined };
}

/**
 * A collection, and with `isRecursive` all below it that hold documents, in their order.
 *
 * @param from - The collection to begin with.
 */
async function* collectionsWithin(
  { context, keeper }: RecallParts,
  call: Call,
  { namespace, collectionId, isRecursive = false }: CollectionTreeRef,
  from: string,
): AsyncGenerator<string> {
  yield from;
  if (!isRecursive) return;
  let after: string | undefined = from === collectionId ? "" : from;
  while (after !== undefined) {
    checkLive(call.signal);
    const query = { namespace, parent: collectionId, after, limit: COLLECTIONS_READ };
    const page = await context.store.listCollections(query);
    for (const below of page) yield below.collectionId;
    after = page.length < COLLECTIONS_READ ? undefined : page.at(-1)?.collectionId;
    if (after !== undefined) await keeper.pace.turn(true);
  }
}

/** Counts the documents of a list, as far as one page would examine it. */
async function countDocuments(
  parts: RecallParts,
  call: Call,
  { namespace, collectionId, filter, isRecursive = false }: ListDocumentsInput,
): Promise<ListTotal> {
  const nowMs = parts.context.world.nowMs();
  let count = 0;
  let looked = 0;
  const tree = { namespace, collectionId, isRecursive };
  for await (const { documents, isStart } of documentPieces(parts, call, tree)) {
    if (isRecursive && isStart) looked += 1;
    for (const document of documents) {
      if (looked >= LOOKED_MAX) return { count, isAtLeast: true };
      looked += 1;
      if (!isOver(document, nowMs) && fits(parts, document, filter)) count += 1;
    }
    if (looked >= LOOKED_MAX && isRecursive) return { count, isAtLeast: true };
  }
  return { count, isAtLeast: false };
}

/** Some documents of a collection. */
interface DocumentPiece {
  readonly collectionId: string;
  readonly documents: readonly StoredDocument[];
  /** They are the first ones that are read of their collection. */
  readonly isStart: boolean;
}

/**
 * All documents of collections, piece by piece, with turns of the event loop in between.
 *
 * @param from - Leaves out this document and all before it. Default: leaves out none.
 */
export async function* documentPieces(
  parts: RecallParts,
  call: Call,
  tree: CollectionTreeRef,
  from: DocumentPlace = { collectionId: tree.collectionId, documentNo: 0 },
): AsyncGenerator<DocumentPiece> {
  const { context, keeper } = parts;
  const { namespace } = tree;
  for await (const collectionId of collectionsWithin(parts, call, tree, from.collectionId)) {
    const start = collectionId === from.collectionId ? from.documentNo : 0;
    let after: number | undefined = start;
    while (after !== undefined) {
      checkLive(call.signal);
      const query = { namespace, collectionId, after, limit: READ };
      const page: DocumentPage = await context.store.listDocuments(query);
      yield { collectionId, documents: page.documents, isStart: after === start };
      after = page.next;
      if (after !== undefined) await keeper.pace.turn(true);
    }
  }
}

/** Whether a document passes a filter. */
export function fits(
  { codec }: RecallParts,
  document: StoredDocument,
  filter: DocumentFilter,
): boolean {
  const { scope, labels, metadata, sourceDocumentId } = filter;
  if (sourceDocumentId !== "") {
    const { documentId, sourceId } = document;
    if (documentId !== sourceDocumentId && sourceId !== sourceDocumentId) return false;
  }
  if (!meansScope(codec.readDocumentHead(document.bytes).scope, scope)) return false;
  if (labels.size === 0 && metadata.length === 0) return true;
  const record = codec.readDocument(document.bytes);
  return hasLabels(record.labels, labels) && passesAll(record, metadata);
}

/** Lets documents live on; gives those that exist, with when they expire. */
export async function refreshDocuments(
  { context }: RecallParts,
  call: Call,
  { documentIds, ...ref }: RefreshDocumentsInput,
): Promise<readonly RefreshedDocument[]> {
  checkLive(call.signal);
  const { store, world } = context;
  const nowMs = world.nowMs();
  const lives = await store.readDocumentLives(ref, documentIds);
  const live = documentIds.flatMap((documentId) => {
    const life = lives.get(documentId);
    return life === undefined || isOver(life, nowMs) ? [] : [{ documentId, ...life }];
  });
  const due = new Set(live.filter((one) => isRefreshDue(one, nowMs)));
  const dueIds = [...due].map(({ documentId }) => documentId);
  const save = () => store.refreshDocuments(ref, dueIds, nowMs).then(() => true);
  // Using a document still works on a full disk. It just does not extend the document's life.
  const isSaved = due.size > 0 && (await save().catch(undefinedFor("STORE_FULL")));
  return live.map((one) => {
    const { documentId, ttlMs } = one;
    return { documentId, expireMs: isSaved && due.has(one) ? nowMs + ttlMs : one.expireMs };
  });
}

/** Lists the collections that hold documents, in the order of their segments. */
export async function listCollections(
  { context }: RecallParts,
  call: Call,
  input: CollectionQuery,
): Promise<{ collections: readonly ListedCollection[]; next: string | undefined }> {
  checkLive(call.signal);
  const { limit } = input;
  const found = await context.store.listCollections({ ...input, limit: limit + 1 });
  const collections = found.slice(0, limit);
  const next = found.length > limit ? collections.at(-1)?.collectionId : undefined;
  return { collections, next };
}
