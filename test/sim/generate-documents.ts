// Draws operations of documents, vectors and recalls at random.

import type { SessionRef } from "../../src/session/rules/session.ts";
import type { VectorPlace } from "../../src/store/store.ts";
import type { Random } from "../support/kit/random.ts";
import type {
  DocumentAction,
  DocumentDraft,
  OtherAction,
  VectorAction,
} from "../support/store/documents.ts";
import type { Draw } from "./draw.ts";
import type { DocumentRefresh, ReadOperation } from "./operations.ts";

/** The collections of the simulation; one is the start of another. */
export const COLLECTION_IDS: readonly string[] = ["c", "c.", "c/1", "c/1/x"];
const SOURCE_IDS = ["", "", "s", "s2", "\u00e9"];
const DOCUMENT_IDS = 24;
const TTLS = [0, 0, 30, 400, 4_000];
const MODELS = ["m", "m2", ""];

function several<T>(random: Random, max: number, draw: () => T): readonly T[] {
  return Array.from({ length: random.int(0, max) }, draw);
}

function drawDocumentId({ random }: Draw): string {
  return random.chance(0.1) ? "\u{1f600}" : `d${random.int(0, DOCUMENT_IDS)}`;
}

function drawDraft(draw: Draw): DocumentDraft {
  const { random, nowMs } = draw;
  const sourceId = random.pick(SOURCE_IDS);
  const size = random.chance(0.02) ? 60_000 : random.int(0, 40);
  return {
    documentId: drawDocumentId(draw),
    text: `text ${nowMs} ${"+".repeat(size)}`,
    ...(sourceId === "" ? {} : { sourceId }),
    ...(random.chance(0.3) ? { dimensions: random.int(1, 9) } : {}),
    ttlMs: random.pick(TTLS),
    ...(random.chance(0.2) ? { payload: `{"at":${nowMs}}` } : {}),
  };
}

/** A change of the documents of a collection. */
export function drawDocuments(
  draw: Draw,
): Omit<DocumentAction, "namespace" | "nowMs" | "requestId"> {
  const { random } = draw;
  const drafts = several(random, random.chance(0.1) ? 30 : 4, () => drawDraft(draw));
  const byId = new Map(drafts.map((draft) => [draft.documentId, draft]));
  return {
    kind: "documents",
    sessionId: random.pick(COLLECTION_IDS),
    put: [...byId.values()],
    remove: several(random, 3, () => drawDocumentId(draw)),
    removeChunks: random.chance(0.2) ? [random.pick(SOURCE_IDS)].filter((id) => id !== "") : [],
    clear: random.chance(0.06),
    also: random.chance(0.15) ? [drawOther(draw)] : [],
  };
}

function drawOther(draw: Draw): OtherAction {
  const { random } = draw;
  const remove = several(random, 3, () => drawDocumentId(draw));
  return { collectionId: random.pick(COLLECTION_IDS), remove, clear: random.chance(0.3) };
}

function drawIds(draw: Draw): readonly string[] {
  const { random } = draw;
  return several(random, 6, () =>
    random.chance(0.3) ? random.pick(SOURCE_IDS.slice(2)) : drawDocumentId(draw),
  );
}

/** A refresh of some documents. */
export function drawDocumentRefresh(draw: Draw, namespace: string): DocumentRefresh {
  const { random, nowMs } = draw;
  const collectionId = random.pick(COLLECTION_IDS);
  // A source lets its chunks live on, a chunk the others of its source.
  const documentIds = random.chance(0.5) ? [random.pick(SOURCE_IDS.slice(2))] : drawIds(draw);
  return { kind: "refresh-documents", namespace, collectionId, documentIds, nowMs };
}

/** Places of messages and documents: mostly of some that are there. */
async function drawPlaces(draw: Draw, ref: SessionRef): Promise<readonly VectorPlace[]> {
  const { random, store } = draw;
  const { namespace, sessionId } = ref;
  const collectionId = random.pick(COLLECTION_IDS);
  const last = (await store.readSession(ref))?.head.lastSeq ?? 0;
  const { documents } = await store.listDocuments({ namespace, collectionId, after: 0, limit: 50 });
  const newest = documents.at(-1)?.documentNo ?? 0;
  return several(random, 6, () =>
    random.chance(0.3)
      ? { kind: "memory", namespace, memoryNo: random.int(1, 60) }
      : random.chance(0.5)
        ? { kind: "message", namespace, sessionId, seq: random.int(0, last + 1) }
        : { kind: "document", namespace, collectionId, documentNo: random.int(0, newest + 1) },
  );
}

/** Vectors for some records; now and then made from another text. */
export async function drawVectors(draw: Draw, ref: SessionRef): Promise<VectorAction> {
  const { random } = draw;
  const drafts = (await drawPlaces(draw, ref)).map((place) => ({
    place,
    model: random.pick(MODELS),
    count: random.int(0, 3),
    stale: random.chance(0.1),
  }));
  return { kind: "vectors", drafts };
}

/** A read of documents, vectors or recalls. */
export async function drawDocumentRead(draw: Draw, ref: SessionRef): Promise<ReadOperation> {
  const { random } = draw;
  const base = { namespace: ref.namespace, sessionId: random.pick(COLLECTION_IDS) };
  const limit = random.pick([1, 2, 7, 1_000]);
  const kind = random.pick([
    "list-collections",
    "list-documents",
    "read-document",
    "read-vectors",
    "recalled",
    "document-lives",
    "expired-documents",
  ] as const);
  switch (kind) {
    case "read-document":
      return { ...base, kind, documentId: drawDocumentId(draw) };
    case "read-vectors":
      return { ...base, kind, places: await drawPlaces(draw, ref) };
    case "document-lives":
      return { ...base, kind, documentIds: drawIds(draw) };
    case "expired-documents":
      return { ...base, kind, nowMs: draw.nowMs };
    case "list-collections": {
      const parent = random.pick(["", "c", "c", "c/1"]);
      return { ...base, kind, limit, parent, maxDepth: random.pick([0, 0, 1, 2]) };
    }
    default:
      return { ...base, kind, limit };
  }
}
