// The scorings of documents of one collection by one vector, or by TF-IDF.

import { type Call, checkLive } from "../../kit/call.ts";
import { LIMITS } from "../../kit/limits.ts";
import { meansScope } from "../../memory/rules/scopes.ts";
import type { StoredDocument } from "../../store/store.ts";
import type { DocumentMatches, SearchDocumentsInput } from "../api.ts";
import { collectionScope } from "../feed/prepare.ts";
import type { IndexAnswer, RecallIndex } from "../index/port.ts";
import type { RecallParts } from "../parts.ts";
import { documentSize, filtersRecords, passes } from "../read-hits.ts";
import {
  embedderOff,
  embedderUnavailable,
  embeddingMismatch,
  type VectorKind,
} from "../rules/errors.ts";

/** Number of times that a search is repeated because a document was deleted in between. */
const TRIES_MAX = 3;
/** Documents that are read to name a collection's own vectors. */
const GIVEN_LOOK_MAX = 100;

/** Arguments for the index. */
type Ask = (index: RecallIndex) => Promise<IndexAnswer>;

/** Finds documents of one collection. */
export async function searchDocuments(
  parts: RecallParts,
  call: Call,
  input: SearchDocumentsInput,
): Promise<DocumentMatches> {
  checkLive(call.signal);
  const { namespace, collectionId, scoring, limit, embedding } = input;
  const isBlank = input.query.trim() === "" && embedding === undefined;
  if (limit === 0 || isBlank) return { matches: [], next: undefined };
  const ask = await askOf(parts, call, input);
  const terms = {
    ...{ namespace, scope: collectionScope(collectionId), allowPartial: false },
    ...{ signal: call.signal },
    ...(scoring === "tf_idf" ? { tfIdf: collectionId } : {}),
  };
  for (let tries = 1; ; tries += 1) {
    const found = await parts.keeper.search(terms, async (index) => {
      const answer = await ask(index);
      return await readMatches(parts, input, answer);
    });
    // A document that was deleted meanwhile made room for others.
    if (!found.isShort || tries === TRIES_MAX) return found;
  }
}

async function askOf(parts: RecallParts, call: Call, input: SearchDocumentsInput): Promise<Ask> {
  switch (input.scoring) {
    case "cosine":
      return await askCosine(parts, call, input);
    case "tf_idf": {
      const { namespace, collectionId, query: text, filter, minScore } = input;
      const query = { collectionId, text, filter, minScore, limit: endOf(input) };
      return (index) => index.searchTfIdf(namespace, query);
    }
  }
}

async function askCosine(
  parts: RecallParts,
  call: Call,
  input: SearchDocumentsInput,
): Promise<Ask> {
  const { embedder, context } = parts;
  const { namespace, query: text, filter, minScore, embedding } = input;
  const { id, dimensions, isLocal } = embedder.model;
  if (embedding === undefined && embedder.isOff) throw embedderOff();
  const made =
    embedding === undefined && !isLocal
      ? await embedder.queryVector({ namespace, signal: call.signal }, text)
      : undefined;
  if (embedding === undefined && !isLocal && made === undefined) throw embedderUnavailable();
  const vector = embedding ?? (made === undefined ? undefined : { model: id, values: made });
  const query = {
    ...{ text, filter, minScore, limit: endOf(input), nowMs: context.world.nowMs() },
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

/** The kind of the first vector that a caller gave with one of the first documents. */
async function givenKind(
  { context }: RecallParts,
  { namespace, collectionId }: SearchDocumentsInput,
): Promise<VectorKind | undefined> {
  const query = { namespace, collectionId, after: 0, limit: GIVEN_LOOK_MAX };
  const { documents } = await context.store.listDocuments(query);
  const given = documents.find(({ embedding }) => embedding !== undefined)?.embedding;
  return given && { model: given.model, dimensions: given.values.length };
}

/** Number of list entries up to the end of the page. */
function endOf({ offset, limit }: SearchDocumentsInput): number {
  return offset + limit;
}

async function readMatches(
  { context, codec }: RecallParts,
  input: SearchDocumentsInput,
  answer: IndexAnswer,
): Promise<DocumentMatches & { readonly isShort: boolean }> {
  const { namespace, collectionId, withEmbeddings, filter, offset } = input;
  const isFiltered = filtersRecords(filter);
  const fits = ({ bytes }: StoredDocument): boolean =>
    meansScope(codec.readDocumentHead(bytes).scope, filter.scope) &&
    (!isFiltered || passes(codec.readDocument(bytes), filter));
  const matches: DocumentMatches["matches"][number][] = [];
  let bytes = 0;
  let isShort = false;
  for (const [at, { position, score }] of answer.hits.slice(offset).entries()) {
    const query = { namespace, collectionId, after: position - 1, last: position, limit: 1 };
    const [document] = (await context.store.listDocuments(query)).documents;
    if (document === undefined || !fits(document)) {
      isShort = true;
      continue;
    }
    bytes += documentSize(document, withEmbeddings);
    if (matches.length > 0 && bytes > LIMITS.pageBytes) {
      return { matches, next: offset + at, isShort: false };
    }
    matches.push({ document, score });
  }
  return { matches, next: answer.more ? endOf(input) : undefined, isShort };
}
