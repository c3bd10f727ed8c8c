// The scorings of documents of one collection by one vector, or by TF-IDF.

import { LIMITS } from "../../domain/limits.ts";
import { meansScope } from "../../domain/memories/scopes.ts";
import {
  embedderOff,
  embedderUnavailable,
  embeddingMismatch,
  type VectorKind,
} from "../../domain/recall/errors.ts";
import type { IndexAnswer, RecallIndex } from "../../recall/port.ts";
import type { StoredDocument } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { DocumentMatches, SearchDocumentsInput } from "../recall-api.ts";
import type { RecallParts } from "./parts.ts";
import { looksAtRecords, passes } from "./passes.ts";
import { documentSize } from "./read-documents.ts";
import { collectionScope } from "./scope.ts";

/** How often a search is made again because a document was deleted in between. */
const TRIES_MAX = 3;
/** Documents that are looked at for the name of a collection's own vectors. */
const GIVEN_LOOK_MAX = 100;

/** How the index is asked. */
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
    // What was deleted meanwhile made room for others.
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

/** How far the list goes that a page ends. */
function endOf({ offset, limit }: SearchDocumentsInput): number {
  return offset + limit;
}

async function readMatches(
  { context, codec }: RecallParts,
  input: SearchDocumentsInput,
  answer: IndexAnswer,
): Promise<DocumentMatches & { readonly isShort: boolean }> {
  const { namespace, collectionId, withEmbeddings, filter, offset } = input;
  const isFiltered = looksAtRecords(filter);
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
