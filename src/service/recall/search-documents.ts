// SearchDocuments: documents of one collection, by words and vectors, by one vector, or by TF-IDF.

import { LIMITS } from "../../domain/limits.ts";
import {
  embedderOff,
  embedderUnavailable,
  embeddingMismatch,
  type VectorKind,
} from "../../domain/recall/errors.ts";
import type { RecallFilter } from "../../domain/recall/filter.ts";
import { TRUE_MEMORIES } from "../../domain/recall/memory-test.ts";
import { POOL_PER_LEG } from "../../domain/recall/rank/weights.ts";
import type { IndexAnswer, RecallIndex } from "../../recall/port.ts";
import type { StoredDocument } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { SearchDocumentsInput } from "../recall-api.ts";
import type { RecallParts } from "./parts.ts";
import { looksAtRecords, passes } from "./passes.ts";
import { documentSize } from "./read-documents.ts";
import { collectionScope } from "./scope.ts";

/** How often a search is made again because a document was deleted in between. */
const TRIES_MAX = 3;
/** Documents that are looked at for the name of a collection's own vectors. */
const GIVEN_LOOK_MAX = 100;

/** A document that fits. */
export interface DocumentMatch {
  readonly document: StoredDocument;
  readonly score: number;
}

/** How the index is asked. */
type Ask = (index: RecallIndex) => Promise<IndexAnswer>;

/** Finds documents of one collection. */
export async function searchDocuments(
  parts: RecallParts,
  call: Call,
  input: SearchDocumentsInput,
): Promise<readonly DocumentMatch[]> {
  checkLive(call.signal);
  const { namespace, collectionId, scoring, limit, embedding } = input;
  const isBlank = input.query.trim() === "" && embedding === undefined;
  if (limit === 0 || isBlank) return [];
  const ask = await askOf(parts, call, input);
  const terms = {
    ...{ namespace, scope: collectionScope(collectionId), allowPartial: false },
    ...{ signal: call.signal },
    ...(scoring === "tf-idf" ? { tfIdf: collectionId } : {}),
  };
  for (let tries = 1; ; tries += 1) {
    const found = await parts.keeper.search(terms, async (index) => {
      const answer = await ask(index);
      return await readMatches(parts, input, answer);
    });
    // What was deleted meanwhile made room for others.
    if (!found.isShort || tries === TRIES_MAX) return found.matches;
  }
}

async function askOf(parts: RecallParts, call: Call, input: SearchDocumentsInput): Promise<Ask> {
  switch (input.scoring) {
    case "recall":
      return await askRecall(parts, call, input);
    case "cosine":
      return await askCosine(parts, call, input);
    case "tf-idf": {
      const { namespace, collectionId, query: text, minScore, limit } = input;
      const query = { collectionId, text, filter: filterOf(input), minScore, limit };
      return (index) => index.searchTfIdf(namespace, query);
    }
  }
}

async function askRecall(
  parts: RecallParts,
  call: Call,
  input: SearchDocumentsInput,
): Promise<Ask> {
  const { embedder, context } = parts;
  const { namespace, query: text, minScore, limit, embedding } = input;
  const { id, dimensions } = embedder.model;
  if (
    embedding !== undefined &&
    (embedding.model !== id || embedding.values.length !== dimensions)
  ) {
    // A vector of another model can be compared with those that were given with documents.
    return await askCosine(parts, call, input);
  }
  let vector = embedding?.values;
  let isDown = false;
  if (vector === undefined && !embedder.isOff) {
    try {
      vector = await embedder.queryVector({ namespace, signal: call.signal }, text);
    } catch {
      checkLive(call.signal);
      isDown = true;
    }
  }
  const nowMs = context.world.nowMs();
  const query = {
    ...({ text, filter: filterOf(input), fusion: "scores", weights: {} } as const),
    ...(vector === undefined ? {} : { vector }),
    mode: isDown ? ("lexical" as const) : ("hybrid" as const),
    ...{ minScore, minRelevance: 0, diversity: 0, hitsPerGroup: undefined, offset: 0, limit },
    isWide: limit > POOL_PER_LEG,
    ...{ nowMs, referenceMs: nowMs },
  };
  return (index) => index.search(namespace, query);
}

async function askCosine(
  parts: RecallParts,
  call: Call,
  input: SearchDocumentsInput,
): Promise<Ask> {
  const { embedder, context } = parts;
  const { namespace, query: text, minScore, limit, embedding } = input;
  const { id, dimensions, isLocal } = embedder.model;
  if (embedding === undefined && embedder.isOff) throw embedderOff();
  const made =
    embedding === undefined && !isLocal
      ? await embedder.queryVector({ namespace, signal: call.signal }, text)
      : undefined;
  if (embedding === undefined && !isLocal && made === undefined) throw embedderUnavailable();
  const vector = embedding ?? (made === undefined ? undefined : { model: id, values: made });
  const query = {
    ...{ text, filter: filterOf(input), minScore, limit, nowMs: context.world.nowMs() },
    ...(vector === undefined ? {} : { vector }),
  };
  return async (index) => {
    const answer = await index.searchCosine(namespace, query);
    const isOwn =
      embedding === undefined ||
      (embedding.model === id && embedding.values.length === dimensions && id !== "");
    if (!answer.denseUsed && !isOwn) {
      throw embeddingMismatch({ model: id, dimensions }, await givenKind(parts, input));
    }
    return answer;
  };
}

/** What the first vector is that a caller gave with one of the first documents, if one did. */
async function givenKind(
  { context }: RecallParts,
  { namespace, collectionId }: SearchDocumentsInput,
): Promise<VectorKind | undefined> {
  const query = { namespace, collectionId, after: 0, limit: GIVEN_LOOK_MAX };
  const { documents } = await context.store.listDocuments(query);
  const given = documents.find(({ embedding }) => embedding !== undefined)?.embedding;
  return given && { model: given.model, dimensions: given.values.length };
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The filter of one collection. */
function filterOf({ collectionId, filter }: SearchDocumentsInput): RecallFilter {
  const { labels, metadata, sourceDocumentId } = filter;
  return {
    ...{ kinds: new Set(["document"] as const), sessionIds: [], excludeSessionIds: [] },
    ...{ userId: "", agentId: "", sessionLabels: NO_NAMES, roles: new Set<never>() },
    ...{ collectionIds: [collectionId], labels, metadata, sourceDocumentId },
    ...{ fromMs: undefined, beforeMs: undefined, minTrust: undefined, ...TRUE_MEMORIES },
  };
}

async function readMatches(
  { context, codec }: RecallParts,
  input: SearchDocumentsInput,
  answer: IndexAnswer,
): Promise<{ matches: readonly DocumentMatch[]; isShort: boolean }> {
  const { namespace, collectionId, withEmbeddings, filter } = input;
  const isFiltered = looksAtRecords(filter);
  const fits = ({ bytes }: StoredDocument): boolean =>
    !isFiltered || passes(codec.readDocument(bytes), filter);
  const matches: DocumentMatch[] = [];
  let bytes = 0;
  let isShort = false;
  for (const { position, score } of answer.hits) {
    const query = { namespace, collectionId, after: position - 1, last: position, limit: 1 };
    const [document] = (await context.store.listDocuments(query)).documents;
    if (document === undefined || !fits(document)) {
      isShort = true;
      continue;
    }
    bytes += documentSize(document, withEmbeddings);
    if (matches.length > 0 && bytes > LIMITS.pageBytes) return { matches, isShort: false };
    matches.push({ document, score });
  }
  return { matches, isShort };
}
