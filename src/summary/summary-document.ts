// A summary stored as a document of a collection as well: searches still find it after the session
// is gone.

import { createHash } from "node:crypto";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import { ENDLESS } from "../kit/life.ts";
import { LIMITS } from "../kit/limits.ts";
import { SERVER_WRITER, SHARED_SCOPE } from "../memory/rules/memory.ts";
import { piecesOf } from "../recall/rules/splitter.ts";
import type { DocumentView, SessionPlan, StoredDocument } from "../store/store.ts";
import type { HeldView, Settling } from "../tasks/settle.ts";
import { type SummaryRecord, TRUST } from "./rules/summary.ts";

const HASH_DIGITS = 32;
const LABEL_BYTES_MAX = 255;
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
  const id = `summary:${sessionId}:${version}`;
  const fits = Buffer.byteLength(id) <= LIMITS.splitDocumentIdBytes && !id.includes("#");
  if (fits) return id;
  const hash = createHash("sha256").update(sessionId).digest("hex").slice(0, HASH_DIGITS);
  return `summary:${hash}:${version}`;
}

/** The session in the id of the document of a summary, or its hash; empty for other ids. */
export function sessionOfSummary(documentId: string): string {
  return /^summary:(.+):\d+$/s.exec(documentId)?.[1] ?? "";
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
  const sourceId = summaryDocumentId(sessionId, record.version);
  const pieces = piecesOf(sourceId, record.text, SPLIT);
  const documentIds = [...new Set([...pieces.map(({ documentId }) => documentId), sourceId])];
  const change = { namespace, collectionId, documentIds, sourceIds: [sourceId] };
  const seen = view.documents(change);
  if (seen.collection === undefined && seen.collectionCount >= LIMITS.collections) {
    return NO_DOCUMENT;
  }
  const trust = record.trust === TRUST.low ? TRUST.low : TRUST.medium;
  const labels = labelsOf(sessionId, record);
  // The text of a user is visible to that user alone, as the messages of the session are.
  const scope = { ...SHARED_SCOPE, userId: session.fields.userId };
  let nextNo = seen.nextDocumentNo;
  const put = pieces.map(({ documentId, text, chunk }): StoredDocument => {
    const before = seen.documents.get(documentId);
    const createMs = before?.createMs ?? nowMs;
    const bytes = context.codec.encodeSummaryDocument(
      { trust, labels, scope },
      {
        ...{ documentId, collectionId, text, chunk, writer: SERVER_WRITER },
        ...{ createMs, updateMs: nowMs, etag: context.etags.of(view.revision) },
      },
    );
    const documentNo = before?.documentNo ?? nextNo++;
    const etagRevision = view.revision;
    const own = { documentId, documentNo, sourceId: chunk?.sourceId ?? "", bytes, createMs };
    return { ...own, ...ENDLESS, embedding: undefined, etagRevision, payloadBytes: 0 };
  });
  const remove = replaced(seen, sourceId, put);
  const documents = { ...change, plan: { put, remove, nowMs } };
  return { plan: { documents }, events: eventsOf(seen, { collectionId, put, remove }) };
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

/** Ids of documents left by an earlier session of the same id that are not rewritten. */
function replaced(
  seen: DocumentView,
  sourceId: string,
  put: readonly StoredDocument[],
): readonly string[] {
  const whole = seen.documents.get(sourceId);
  const old = [...(seen.chunks.get(sourceId) ?? []), ...(whole === undefined ? [] : [whole])];
  const ids = new Set(put.map(({ documentId }) => documentId));
  return old.map(({ documentId }) => documentId).filter((id) => !ids.has(id));
}

function eventsOf(
  seen: DocumentView,
  change: {
    readonly collectionId: string;
    readonly put: readonly StoredDocument[];
    readonly remove: readonly string[];
  },
): readonly EventDetail[] {
  const { collectionId, put, remove } = change;
  const documentIds = put.map(({ documentId }) => documentId);
  const createdCount = documentIds.filter((id) => !seen.documents.has(id)).length;
  const upserted = {
    ...{ type: EVENT_TYPE.documentsUpserted, collectionId, documentIds, createdCount },
  };
  if (remove.length === 0) return [upserted];
  return [upserted, { type: EVENT_TYPE.documentsDeleted, collectionId, documentIds: remove }];
}
