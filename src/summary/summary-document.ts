// A summary stored as a document of a collection as well: searches still find it after the session
// is gone.

import { createHash } from "node:crypto";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import { ENDLESS } from "../kit/life.ts";
import { LIMITS } from "../kit/limits.ts";
import { SERVER_WRITER, SHARED_SCOPE } from "../memory/rules/memory.ts";
import { piecesOf } from "../recall/rules/splitter.ts";
import type { Session } from "../session/rules/session.ts";
import type { SessionPlan, StoredDocument } from "../store/store.ts";
import type { HeldView, Settling } from "../tasks/settle.ts";
import { type SummaryRecord, TRUST } from "./rules/summary.ts";

const HASH_DIGITS = 32;
const LABEL_BYTES_MAX = 255;
const DOCUMENT_ID = /^summary:(.+):(\d+)(?:-([0-9a-z]+)(?:-\d+)?)?$/s;
/** Long summaries are cut as the splitter of a caller that says nothing else cuts. */
const SPLIT = {
  chunkChars: LIMITS.chunkCharsDefault,
  overlapChars: Math.floor(LIMITS.chunkCharsDefault / 10),
};

/** Contribution of a document to a plan, and its events. */
export interface DocumentPart {
  readonly plan: Pick<SessionPlan, "documents">;
  readonly events: readonly EventDetail[];
}

export const NO_DOCUMENT: DocumentPart = { plan: {}, events: [] };

/** The id of the document of a summary; a session id that has no room in it is hashed. */
export function summaryDocumentId(sessionId: string, version: number): string {
  return idWith(sessionId, String(version));
}

function idWith(sessionId: string, end: string): string {
  const id = `summary:${sessionId}:${end}`;
  const fits = Buffer.byteLength(id) <= LIMITS.splitDocumentIdBytes && !id.includes("#");
  return fits ? id : `summary:${hashOf(sessionId)}:${end}`;
}

function hashOf(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex").slice(0, HASH_DIGITS);
}

/**
 * The id for the document of a new summary. Each version of a session is written once, so one that
 * is taken is of an earlier session with the id, and stays: the time of the session tells the new
 * one apart.
 */
function newDocumentId(
  { sessionId, fields }: Session,
  version: number,
  isTaken: (documentId: string) => boolean,
): string {
  let id = summaryDocumentId(sessionId, version);
  for (let count = 1; isTaken(id); count++) {
    const end = count === 1 ? "" : `-${count}`;
    id = idWith(sessionId, `${version}-${lifeOf(fields.createMs)}${end}`);
  }
  return id;
}

function lifeOf(createMs: number): string {
  return createMs.toString(36);
}

/** The parts of the id of the document of a summary. */
export interface NamedSummary {
  /** The session, or its hash. */
  readonly session: string;
  readonly version: number;
  /** Names the session among those that had its id; empty when no other one had a document. */
  readonly life: string;
}

/** Reads the id of the document of a summary; undefined for other ids. */
export function readSummaryId(documentId: string): NamedSummary | undefined {
  const [, session = "", version, life = ""] = DOCUMENT_ID.exec(documentId) ?? [];
  return version === undefined ? undefined : { session, version: Number(version), life };
}

/** The names that the documents of the summaries of a session may have for it. */
export function namesInDocuments(sessionId: string): readonly string[] {
  return [sessionId, hashOf(sessionId)];
}

/**
 * Whether the document of a summary may be that of a session, and not of an earlier one with its
 * id. Clocks step back: its age alone does not tell.
 */
export function maybeOfSession(
  { fields }: Pick<Session, "fields">,
  document: { readonly life: string; readonly createMs: number; readonly userId: string },
): boolean {
  if (document.life !== "") return document.life === lifeOf(fields.createMs);
  return document.createMs >= fields.createMs || document.userId === fields.userId;
}

/** Writes a summary to a collection; nothing where the namespace has no room for one more. */
export function summaryDocument(
  { context, nowMs }: Pick<Settling, "context" | "nowMs">,
  { view, session }: Pick<HeldView, "view" | "session">,
  collectionId: string,
  record: SummaryRecord,
): DocumentPart {
  if (collectionId === "" || record.text === "") return NO_DOCUMENT;
  const { namespace, sessionId } = session;
  const see = (id: string) => {
    const made = piecesOf(id, record.text, SPLIT);
    const documentIds = [...new Set([...made.map(({ documentId }) => documentId), id])];
    const asked = { namespace, collectionId, documentIds, sourceIds: [id] };
    return { pieces: made, change: asked, seen: view.documents(asked) };
  };
  const newId = newDocumentId(session, record.version, (id) => {
    const { seen } = see(id);
    return seen.documents.size > 0 || (seen.chunks.get(id) ?? []).length > 0;
  });
  const { pieces, change, seen } = see(newId);
  if (seen.collection === undefined && seen.collectionCount >= LIMITS.collections) {
    return NO_DOCUMENT;
  }
  const trust = record.trust === TRUST.low ? TRUST.low : TRUST.medium;
  const labels = labelsOf(sessionId, record);
  // The text of a user is visible to that user alone, as the messages of the session are.
  const scope = { ...SHARED_SCOPE, userId: session.fields.userId };
  let nextNo = seen.nextDocumentNo;
  const put = pieces.map(({ documentId, text, chunk }): StoredDocument => {
    const bytes = context.codec.encodeSummaryDocument(
      { trust, labels, scope },
      {
        ...{ documentId, collectionId, text, chunk, writer: SERVER_WRITER },
        ...{ createMs: nowMs, updateMs: nowMs, etag: context.etags.of(view.revision) },
      },
    );
    const etagRevision = view.revision;
    const sourceId = chunk?.sourceId ?? "";
    const own = { documentId, documentNo: nextNo++, sourceId, bytes, createMs: nowMs };
    return { ...own, ...ENDLESS, embedding: undefined, etagRevision, payloadBytes: 0 };
  });
  const documents = { ...change, plan: { put, remove: [], nowMs } };
  const type = EVENT_TYPE.documentsUpserted;
  const written = put.map(({ documentId }) => documentId);
  const upserted = { type, collectionId, documentIds: written, createdCount: written.length };
  return { plan: { documents }, events: [upserted] };
}

function labelsOf(sessionId: string, { stage }: SummaryRecord): ReadonlyMap<string, string> {
  const all = [
    ["session", sessionId],
    ["stage", stage],
  ] as const;
  return new Map(
    all.filter(([, value]) => value !== "" && Buffer.byteLength(value) <= LABEL_BYTES_MAX),
  );
}
