// The scorings of documents of one collection by one vector, or by TF-IDF.

import { type Call, checkLive } from "../../kit/call.ts";
import { isOver } from "../../kit/life.ts";
import { LIMITS } from "../../kit/limits.ts";
import { meansScope } from "../../memory/rules/scopes.ts";
import type { StoredDocument } from "../../store/store.ts";
import type { DocumentMatches, SearchDocumentsInput } from "../api.ts";
import { HitRecords } from "../collect.ts";
import { collectionScope } from "../feed/prepare.ts";
import type { IndexAnswer, RecallIndex } from "../index/port.ts";
import type { RecallParts } from "../parts.ts";
import { PayloadReader } from "../payloads.ts";
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

/** Asks the index for so many entries more than the page needs. */
type Ask = (index: RecallIndex, extra: number) => Promise<IndexAnswer>;

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
  let extra = 0;
  for (let tries = 1; ; tries += 1) {
    const found = await parts.keeper.search(terms, async (index) => {
      const answer = await ask(index, extra);
      return await readMatches(parts, input, answer);
    });
    // Documents that were deleted meanwhile, or have expired, make room for others.
    if (found.missing === 0 || tries === TRIES_MAX) return found;
    extra += found.missing;
  }
}

async function askOf(parts: RecallParts, call: Call, input: SearchDocumentsInput): Promise<Ask> {
  switch (input.scoring) {
    case "cosine":
      return await askCosine(parts, call, input);
    case "tf_idf": {
      const { namespace, collectionId, query: text, filter, minScore } = input;
      const query = { collectionId, text, filter, minScore };
      return (index, extra) =>
        index.searchTfIdf(namespace, { ...query, limit: endOf(input) + extra });
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
    ...{ text, filter, minScore, nowMs: context.world.nowMs() },
    ...(vector === undefined ? {} : { vector }),
  };
  return async (index, extra) => {
    const limit = endOf(input) + extra;
    const answer = await index.searchCosine(namespace, { ...query, limit });
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
): Promise<DocumentMatches & { readonly missing: number }> {
  const { namespace, collectionId, withEmbeddings, filter, limit, offset } = input;
  const payloads = input.withPayloads === true ? new PayloadReader({ context }) : undefined;
  const { bestOfRecord = false } = input;
  const nowMs = context.world.nowMs();
  const isFiltered = filtersRecords(filter);
  const fits = (document: StoredDocument): boolean =>
    !isOver(document, nowMs) &&
    meansScope(codec.readDocumentHead(document.bytes).scope, filter.scope) &&
    (!isFiltered || passes(codec.readDocument(document.bytes), filter));
  const matches: DocumentMatches["matches"][number][] = [];
  const records = new HitRecords();
  let bytes = 0;
  for (const [at, { position, score }] of answer.hits.entries()) {
    if (at < offset && !bestOfRecord) continue;
    const query = { namespace, collectionId, after: position - 1, last: position, limit: 1 };
    const [found] = (await context.store.listDocuments(query)).documents;
    if (found === undefined || !fits(found)) continue;
    const recordId = bestOfRecord ? found.recordId : undefined;
    const isFirst = !records.has(recordId);
    records.add(recordId);
    if (at < offset || !isFirst) continue;
    const document = payloads ? await payloads.complete(input, found, fits) : found;
    if (document === undefined) continue;
    bytes += documentSize(document, withEmbeddings);
    const isFull = matches.length === limit || (matches.length > 0 && bytes > LIMITS.pageBytes);
    if (isFull) return { matches, next: at, missing: 0 };
    matches.push({ document, score });
  }
  const next = answer.more ? answer.hits.length : undefined;
  return { matches, next, missing: answer.more ? limit - matches.length : 0 };
}
