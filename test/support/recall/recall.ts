// Asks recall and writes documents in tests of the services, in fewer words.

import type { Services } from "../../../src/edge/services-api.ts";
import { SHARED_SCOPE } from "../../../src/memory/rules/memory.ts";
import { EVERYONE, type ScopeFilter } from "../../../src/memory/rules/scopes.ts";
import type {
  RecallHit,
  RecallInput,
  SearchDocumentsInput,
  UpsertedDocument,
} from "../../../src/recall/api.ts";
import { poolPerLeg } from "../../../src/recall/rank/weights.ts";
import type { RecallFilter } from "../../../src/recall/rules/filter.ts";
import { TRUE_MEMORIES } from "../../../src/recall/rules/item-tests.ts";
import { fromBytes, type StoredJsonMessage, toBytes } from "../services/json-codec.ts";
import type { TestServices } from "../services/services.ts";
import { documentDraft, type JsonDocument, readDocument } from "./json-recall.ts";

/** Lets everything through. */
export const ANY: RecallFilter = {
  ...{ kinds: new Set(), sessionIds: [], excludeSessionIds: [], scope: EVERYONE },
  ...{ sessionLabels: new Map(), roles: new Set(), collectionIds: [], labels: new Map() },
  ...{ metadata: [], fromMs: undefined, beforeMs: undefined, minTrust: undefined },
  ...TRUE_MEMORIES,
  sourceDocumentId: "",
};

/** Means what belongs to a user, whichever agent and session. */
export function ofUser(userId: string): ScopeFilter {
  return { kind: "owned-by", scope: { ...SHARED_SCOPE, userId } };
}

/** A recall of the namespace `default`. */
export function recallInput(query: string, rest: Partial<RecallInput> = {}): RecallInput {
  return {
    ...{ namespace: "default", query, embedding: undefined, filter: ANY, limit: 10, offset: 0 },
    perLeg: poolPerLeg(
      rest.limit ?? 10,
      rest.hitsPerGroup !== undefined || rest.rerank !== undefined,
    ),
    ...{ mode: "hybrid", fusion: "scores", weights: {}, minScore: undefined, minRelevance: 0 },
    ...{ diversity: 0, contextBefore: 0, contextAfter: 0, hitsPerGroup: undefined },
    ...{ rerank: undefined, allowPartial: false, withEmbeddings: false, referenceMs: undefined },
    ...rest,
  };
}

/** The text of a hit. */
export function textOf({ record }: RecallHit): string {
  if (record.kind === "memory") return record.memory.content.text;
  return record.kind === "message"
    ? fromBytes<StoredJsonMessage>(record.message.bytes).text
    : (readDocument(record.document.bytes).text ?? "");
}

/** The texts that a recall finds. */
export async function recallTexts(
  { recall, call }: Pick<TestServices, "recall" | "call">,
  query: string,
  rest: Partial<RecallInput> = {},
): Promise<string[]> {
  const { hits } = await recall.recall(call("Recall"), recallInput(query, rest));
  return hits.map(textOf);
}

/** Answer of an upsert in tests. */
export interface UpsertAnswer {
  readonly documents: readonly UpsertedDocument[];
  readonly revision: number;
}

/** Writes documents into a collection. */
export async function upsert(
  { recall, call }: Pick<TestServices, "recall" | "call">,
  documents: readonly JsonDocument[],
  options: {
    readonly collectionId?: string;
    readonly requestId?: string;
    readonly splitter?: { readonly chunkChars: number; readonly overlapChars: number };
  } = {},
): Promise<UpsertAnswer> {
  const { collectionId = "docs", requestId = "", splitter } = options;
  const bytes = await recall.upsertDocuments(call("UpsertDocuments", requestId), {
    ...{ namespace: "default", collectionId, splitter, encode: toBytes },
    documents: documents.map(documentDraft),
  });
  return fromBytes<UpsertAnswer>(bytes);
}

/** Options of a document search in one collection. */
interface DocumentSearch extends Omit<Partial<SearchDocumentsInput>, "filter" | "scoring"> {
  readonly filter?: Partial<RecallFilter>;
  /** Default: the recipe of recall. */
  readonly scoring?: SearchDocumentsInput["scoring"];
}

/** The ids that a search of documents finds, with their scores. */
export async function searchIds(
  { recall, call }: Pick<TestServices, "recall" | "call">,
  query: string,
  { scoring, filter: given, ...rest }: DocumentSearch = {},
): Promise<{ id: string; score: number }[]> {
  const { collectionId = "docs", ...others } = rest;
  const kinds = new Set(["document"] as const);
  const filter = { ...ANY, ...given, kinds, collectionIds: [collectionId] };
  if (scoring === undefined) {
    const found = await recall.recall(call("Recall"), recallInput(query, { ...others, filter }));
    return found.hits.flatMap(({ record, score }) =>
      record.kind === "document" ? [{ id: record.document.documentId, score }] : [],
    );
  }
  const { matches } = await recall.searchDocuments(call("Recall"), {
    ...{ namespace: "default", collectionId, query, embedding: undefined, scoring, filter },
    ...{ offset: 0, limit: 5, minScore: undefined, withEmbeddings: false },
    ...others,
  });
  return matches.map(({ document, score }) => ({ id: document.documentId, score }));
}

/** Deletes a message. */
export async function deleteMessage(
  { sessions, call }: Pick<Services, "sessions"> & Pick<TestServices, "call">,
  sessionId: string,
  messageId: string,
): Promise<void> {
  await sessions.deleteMessage(call("DeleteMessage"), {
    ...{ namespace: "default", sessionId, messageId, etag: "", allowMissing: false },
    encode: toBytes,
  });
}
