// UpsertDocuments: writes documents, long ones as chunks. One transaction holds the documents, what
// they take the place of, their events, and the answer for the request id.

import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import type { Call } from "../../kit/call.ts";
import { etagMismatch, requestInvalid } from "../../kit/errors.ts";
import type { Etags } from "../../kit/etag.ts";
import { makeSessionId } from "../../kit/ids.ts";
import { isOver, lifeFrom } from "../../kit/life.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { DocumentView, StoredDocument } from "../../store/store.ts";
import type { DocumentDraft, UpsertDocumentsInput, UpsertedDocument } from "../api.ts";
import type { RecallParts } from "../parts.ts";
import { collectionLimitReached, documentOfRecord } from "../rules/errors.ts";
import { piecesOf, type TextPiece } from "../rules/splitter.ts";
import {
  changeDocuments,
  type DocumentOutcome,
  type DocumentWork,
  documentWork,
  idOf,
  liveView,
} from "./change-documents.ts";

const RANDOM_BYTES = 10;
/** Bytes of the wire form of an embedding beside its values and its model. */
const EMBEDDING_FRAME_BYTES = 16;
const VALUE_BYTES = 4;
/** Bytes of the wire form of a payload beside its data and its media type. */
const PAYLOAD_FRAME_BYTES = 16;

/** A document of the request with what it is stored as. */
interface Source {
  readonly draft: DocumentDraft;
  readonly documentId: string;
  readonly pieces: readonly TextPiece[];
  readonly isSplit: boolean;
}

interface Upsert extends DocumentWork {
  readonly input: UpsertDocumentsInput;
  readonly sources: readonly Source[];
}

/** Writes documents. */
export async function upsertDocuments(
  parts: RecallParts,
  call: Call,
  input: UpsertDocumentsInput,
): Promise<Uint8Array> {
  const { namespace, collectionId } = input;
  const { world } = parts.context;
  const work = documentWork(parts, call);
  const { nowMs } = work;
  const sources = input.documents.map((draft): Source => {
    const made = draft.documentId === "" ? makeSessionId(nowMs, world.random(RANDOM_BYTES)) : "";
    return sourceOf(draft, made === "" ? draft.documentId : made, input.splitter);
  });
  checkPieces(sources);
  const upsert: Upsert = { ...work, input, sources };
  const given = sources.filter(({ draft }) => draft.documentId !== "");
  const sourceIds = given.map(({ documentId }) => documentId);
  const pieceIds = sources.flatMap(({ pieces }) => pieces.map(({ documentId }) => documentId));
  const documentIds = [...new Set([...pieceIds, ...sourceIds])];
  const change = { namespace, collectionId, documentIds, sourceIds };
  return await changeDocuments(work, change, (stored) =>
    decideUpsert(upsert, stored, liveView(stored, nowMs)),
  );
}

function sourceOf(
  draft: DocumentDraft,
  documentId: string,
  splitter: UpsertDocumentsInput["splitter"],
): Source {
  // A vector is that of the whole text.
  const pieces = piecesOf(documentId, draft.text, draft.embedding ? undefined : splitter);
  return { draft, documentId, pieces, isSplit: pieces[0]?.chunk !== undefined };
}

/**
 * Refuses more documents and chunks than one call may write, ids that have no room, and texts that
 * are too long for a document, which chunks make again.
 */
function checkPieces(sources: readonly Source[]): void {
  const count = sources.reduce((sum, { pieces }) => sum + pieces.length, 0);
  if (count > LIMITS.writeDocuments) {
    const limit = `at most ${LIMITS.writeDocuments} documents and chunks in one call`;
    throw requestInvalid([{ field: "documents", description: `make ${count}, ${limit}` }]);
  }
  const violations = sources.flatMap(({ pieces, draft }, index) => {
    const bytes = Buffer.byteLength(draft.text);
    if (bytes > LIMITS.documentBytes) return [tooLarge(index, bytes)];
    const last = pieces.at(-1)?.documentId ?? "";
    if (Buffer.byteLength(last) <= LIMITS.documentIdBytes) return [];
    const limit = `at most ${LIMITS.documentIdBytes} bytes with the number of a chunk`;
    return [{ field: `documents[${index}].document_id`, description: `must have ${limit}` }];
  });
  if (violations.length > 0) throw requestInvalid(violations);
}

/**
 * Decides an upsert.
 *
 * @param stored - The view with documents that have expired: they keep their numbers.
 * @param view - The view without them.
 */
function decideUpsert(upsert: Upsert, stored: DocumentView, view: DocumentView): DocumentOutcome {
  const { parts, input, sources, nowMs } = upsert;
  const { etags } = parts.context;
  const ofRecord = [...stored.documents.values()].find(({ recordId }) => recordId !== undefined);
  if (ofRecord !== undefined) throw documentOfRecord(ofRecord.documentId);
  checkEtags(upsert, view);
  if (view.collection === undefined && view.collectionCount >= LIMITS.collections) {
    throw collectionLimitReached();
  }
  const put = encodeAll(upsert, stored, view);
  const putIds = new Set(put.map(({ documentId }) => documentId));
  const replaced = replacedBy(sources, stored);
  const removed = replaced.filter(({ documentId }) => !putIds.has(documentId));
  const createdCount = put.filter(({ documentId }) => !view.documents.has(documentId)).length;
  const { collectionId } = input;
  const isGone = (document: StoredDocument): boolean => isOver(document, nowMs);
  const expired = [...stored.documents.values(), ...replaced].filter(isGone).map(idOf);
  const dropped = removed.filter((document) => !isGone(document)).map(idOf);
  const deleted = { type: EVENT_TYPE.documentsDeleted, collectionId };
  const details: EventDetail[] = [
    { type: EVENT_TYPE.documentsUpserted, collectionId, documentIds: [...putIds], createdCount },
  ];
  if (expired.length > 0) {
    details.unshift({ ...deleted, documentIds: [...new Set(expired)], expired: true });
  }
  if (dropped.length > 0) details.push({ ...deleted, documentIds: dropped });
  const documents = sources.map((source) => upsertedOf(source, view, etags));
  return {
    plan: { put, remove: removed.map(idOf) },
    details,
    answer: (revision) => input.encode({ documents, revision }),
  };
}

/** The document of an id, or a chunk of it: all chunks have the etag of their document. */
export function storedOf(view: DocumentView, documentId: string): StoredDocument | undefined {
  return view.documents.get(documentId) ?? view.chunks.get(documentId)?.[0];
}

function checkEtags({ parts, sources }: Upsert, view: DocumentView): void {
  for (const { draft, documentId } of sources) {
    if (draft.etag === "") continue;
    const stored = storedOf(view, documentId);
    if (stored === undefined || draft.etag !== parts.codec.readEtag(stored.bytes)) {
      throw etagMismatch();
    }
  }
}

/** The stored documents that a request replaces: earlier chunks, and whole documents. */
function replacedBy(sources: readonly Source[], view: DocumentView): readonly StoredDocument[] {
  const replaced = new Map<string, StoredDocument>();
  for (const { documentId, isSplit } of sources) {
    for (const chunk of view.chunks.get(documentId) ?? []) replaced.set(chunk.documentId, chunk);
    const whole = view.documents.get(documentId);
    if (isSplit && whole !== undefined) replaced.set(documentId, whole);
  }
  return [...replaced.values()];
}

function encodeAll(
  upsert: Upsert,
  stored: DocumentView,
  view: DocumentView,
): readonly StoredDocument[] {
  let nextNo = view.nextDocumentNo;
  return upsert.sources.flatMap(({ draft, pieces }, index) => {
    const documents = pieces.map((piece) => {
      const { documentId } = piece;
      const before = view.documents.get(documentId);
      const document = encodePiece(upsert, { draft, piece, before, revision: view.revision });
      checkSize(document, index);
      const documentNo = stored.documents.get(documentId)?.documentNo ?? nextNo++;
      return { ...document, documentNo };
    });
    checkWithPayload(draft, documents, index);
    return documents;
  });
}

function encodePiece(
  { parts, call, input, nowMs }: Upsert,
  of: {
    readonly draft: DocumentDraft;
    readonly piece: TextPiece;
    readonly before: StoredDocument | undefined;
    readonly revision: number;
  },
): StoredDocument {
  const { draft, piece, before, revision } = of;
  const { documentId, text, chunk } = piece;
  const { payload } = draft;
  const createMs = before?.createMs ?? nowMs;
  const bytes = parts.codec.encodeDocument(draft, {
    ...{ documentId, collectionId: input.collectionId, text, chunk, writer: call.writer },
    ...{ createMs, updateMs: nowMs, etag: parts.context.etags.of(revision) },
    payloadBytes: payload?.data.length ?? 0,
  });
  // The first chunk keeps the payload for all of them.
  const kept = chunk === undefined || chunk.index === 0 ? payload : undefined;
  const { embedding } = draft;
  const sourceId = chunk?.sourceId ?? "";
  return {
    documentId,
    documentNo: 0,
    sourceId,
    bytes,
    embedding,
    createMs,
    etagRevision: revision,
    ...lifeFrom(nowMs, draft.ttlMs),
    payloadBytes: kept?.data.length ?? 0,
    payload: kept,
  };
}

function checkSize(document: StoredDocument, index: number): void {
  const size = sizeOf(document);
  if (size > LIMITS.documentBytes) throw requestInvalid([tooLarge(index, size)]);
}

function sizeOf({ bytes, embedding }: StoredDocument): number {
  if (embedding === undefined) return bytes.length;
  const { model, values } = embedding;
  return (
    bytes.length + EMBEDDING_FRAME_BYTES + values.length * VALUE_BYTES + Buffer.byteLength(model)
  );
}

/** An answer may hold the whole document, made of its chunks again, with its payload. */
function checkWithPayload(
  { payload, text }: DocumentDraft,
  documents: readonly StoredDocument[],
  index: number,
): void {
  const [first] = documents;
  if (payload === undefined || first === undefined) return;
  const own = sizeOf(first) + (documents.length === 1 ? 0 : Buffer.byteLength(text));
  const { data, mediaType } = payload;
  const size = own + PAYLOAD_FRAME_BYTES + data.length + Buffer.byteLength(mediaType);
  const limit = LIMITS.documentWithPayloadBytes;
  if (size <= limit) return;
  const description = `takes ${size} bytes with its payload, and may take at most ${limit}`;
  throw requestInvalid([{ field: `documents[${index}]`, description }]);
}

function tooLarge(index: number, size: number): { field: string; description: string } {
  const description = `takes ${size} bytes, and may take at most ${LIMITS.documentBytes}`;
  return { field: `documents[${index}]`, description };
}

function upsertedOf(
  { documentId, pieces, isSplit }: Source,
  view: DocumentView,
  etags: Etags,
): UpsertedDocument {
  return {
    documentId,
    created: storedOf(view, documentId) === undefined,
    etag: etags.of(view.revision),
    chunkIds: isSplit ? pieces.map((piece) => piece.documentId) : [],
  };
}
