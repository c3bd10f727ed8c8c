// The rules of a recall by a scoring besides the default one: which fields it takes.

import { Message } from "../gen/memorysidecar/v1/message.ts";
import {
  FusionMethod,
  type RecallFilter,
  RecallMode,
  type RecallWeights,
  RecallKind as WireKind,
} from "../gen/memorysidecar/v1/recall.ts";
import type {
  CountItemsRequest,
  EmbedRequest,
  RecallRequest,
} from "../gen/memorysidecar/v1/recall_service.ts";
import type { CountTokensRequest } from "../gen/memorysidecar/v1/session_service.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { checkText } from "../grpc/fields.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { publicName } from "../kit/text.ts";
import { checkNewMessage } from "../session/message-checks.ts";
import { searchTerms } from "../session/search.ts";
import { checkCounting } from "../window/policy-checks.ts";
import { checkEmbedding } from "./documents/wire.ts";
import { checkRecallFilter, kindsOf } from "./filter-wire.ts";
import type { RecallKind } from "./rules/filter.ts";
import { RECALL_SCORINGS, scoredKind } from "./rules/scoring.ts";

const KINDS = numbersByWord(WireKind);

/** The fields of the default recipe. */
const RECIPE = [
  ...(["mode", "fusion", "weights", "minRelevance", "diversity", "contextBefore"] as const),
  ...(["contextAfter", "rerank", "allowPartial"] as const),
] satisfies readonly (keyof RecallRequest)[];

/** The fields that say what comes with documents, and which of them. */
const OF_FOUND_DOCUMENTS = [
  ...(["includeEmbeddings", "includePayloads", "includeRecords", "bestOfRecord"] as const),
] as const;

const OF_MESSAGES = [
  ...(["sessionIds", "excludeSessionIds", "sessionIdPrefix", "sessionLabels"] as const),
];
const OF_OWNERS = ["scope"] as const;
const OF_MEMORIES = [
  ...(["memoryKinds", "validAtTime", "includeSuperseded", "categories"] as const),
  "minConfidence" as const,
];
const OF_DOCUMENTS = ["collectionIds", "sourceDocumentId"] as const;
const OF_RECORDS = ["labels", "metadata", "timeFrom", "timeBefore", "minTrust"] as const;

/** The fields of a filter that concern the records of a scoring, `kinds` aside. */
const FILTER_FIELDS: Readonly<Record<RecallKind, readonly (keyof RecallFilter)[]>> = {
  message: [...OF_MESSAGES, ...OF_OWNERS],
  document: [...OF_OWNERS, ...OF_DOCUMENTS, ...OF_RECORDS],
  memory: [...OF_OWNERS, ...OF_MEMORIES, ...OF_RECORDS],
};

/** Checks the field `scoring` of a recall, and what goes with it. */
export function checkScoring(request: RecallRequest, v: Violations): void {
  const { scoring, filter } = request;
  if (scoring === "") return;
  const kind = scoredKind(scoring);
  if (kind === undefined) {
    v.add("scoring", `must be empty or one of ${RECALL_SCORINGS.join(", ")}`);
    return;
  }
  const without = `must be unset with the scoring ${scoring}`;
  for (const name of RECIPE) if (isSet(request[name])) v.add(publicName(name), without);
  if (scoring !== "cosine" && isSet(request.embedding)) v.add("embedding", without);
  checkFilterOf(v, filter, { kind, without });
  if (kind === "document" && filter?.collectionIds.length !== 1) {
    v.add("filter.collection_ids", `must name one collection with the scoring ${scoring}`);
  }
  for (const name of ["includeRecords", "bestOfRecord"] as const) {
    if (kind !== "document" && request[name]) v.add(publicName(name), without);
  }
  const isGrouped = request.groupBySession !== undefined;
  if (kind === "message" && !isGrouped) {
    v.add("group_by_session", `is required with the scoring ${scoring}`);
  }
  if (kind !== "message" && isGrouped) v.add("group_by_session", without);
  if (kind === "message") checkWords(v, request.query);
}

function checkFilterOf(
  v: Violations,
  filter: RecallFilter | undefined,
  { kind, without }: { readonly kind: RecallKind; readonly without: string },
): void {
  if (filter === undefined) return;
  v.enter("filter");
  if (filter.kinds.some((one) => one !== KINDS[kind])) v.add("kinds", without);
  const taken = new Set<string>([...FILTER_FIELDS[kind], "kinds"]);
  for (const [name, value] of Object.entries(filter)) {
    if (!taken.has(name) && isSet(value)) v.add(publicName(name), without);
  }
  v.leave();
}

function checkWords(v: Violations, query: string): void {
  checkText(v, "query", query, LIMITS.searchQueryBytes);
  if (query.length > LIMITS.searchQueryBytes) return;
  const count = searchTerms(query).size;
  if (count <= LIMITS.searchTerms) return;
  const description = `has ${count} different words; at most ${LIMITS.searchTerms} are allowed`;
  v.add("query", description, LIMITS.searchTerms);
}

/** Whether a field is more than its default. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return value !== undefined && value !== "" && value !== 0 && value !== false;
}

// The rules of the requests that recall, embed and count, one function each.

export function checkRecall(request: RecallRequest, v: Violations): void {
  checkEmbedding(v, request.embedding);
  if (request.mode === RecallMode.LEXICAL && request.embedding !== undefined) {
    v.add("embedding", "must be unset with RECALL_MODE_LEXICAL");
  }
  checkRecallFilter(v, request.filter);
  checkWeights(v, request.weights, request);
  checkKinds(request, v);
  if (request.bestOfRecord && request.groupBySession !== undefined) {
    v.add("best_of_record", "must be unset with group_by_session");
  }
  checkScoring(request, v);
}

/** Checks that options for one kind of record come with that kind. */
function checkKinds(request: RecallRequest, v: Violations): void {
  const kinds = request.filter === undefined ? new Set() : kindsOf(request.filter);
  if (kinds.size === 0) return;
  const without = (kind: string) => `has no effect on a recall without ${kind}: leave it out`;
  if (!kinds.has("message")) {
    if (request.contextBefore > 0) v.add("context_before", without("messages"));
    if (request.contextAfter > 0) v.add("context_after", without("messages"));
  }
  for (const name of OF_FOUND_DOCUMENTS) {
    if (!kinds.has("document") && request[name]) v.add(publicName(name), without("documents"));
  }
}

/** The weights of features that a mode does not compute, by their names in the contract. */
const UNUSED_WEIGHTS: Readonly<Partial<Record<RecallMode, Record<string, keyof RecallWeights>>>> = {
  [RecallMode.LEXICAL]: { dense: "dense", near_words: "nearWords" },
  [RecallMode.DENSE]: {
    ...{ neighbors: "neighbors", coverage: "coverage" },
    ...{ near_words: "nearWords", identifier: "identifier" },
  },
};

/** Checks the weights of recall. */
export function checkWeights(
  v: Violations,
  weights: RecallWeights | undefined,
  { mode, fusion }: Pick<RecallRequest, "mode" | "fusion">,
): void {
  if (weights === undefined) return;
  if (fusion === FusionMethod.RECIPROCAL_RANK) {
    v.add("weights", "must be unset with FUSION_METHOD_RECIPROCAL_RANK");
    return;
  }
  v.enter("weights");
  for (const [field, key] of Object.entries(UNUSED_WEIGHTS[mode] ?? {})) {
    if ((weights[key] ?? 0) === 0) continue;
    const name = mode === RecallMode.LEXICAL ? "RECALL_MODE_LEXICAL" : "RECALL_MODE_DENSE";
    v.add(field, `has no effect with ${name}: leave it out, or set mode`);
  }
  if (weights.recencyHalfLife !== undefined && (weights.recency ?? 0) === 0) {
    v.add("recency_half_life", "has no effect without a weight for recency: set recency as well");
  }
  v.leave();
}

export function checkCountItems(request: CountItemsRequest, v: Violations): void {
  checkRecallFilter(v, request.filter);
  if (request.groupBy !== undefined) return;
  const description = "has no effect without metadata_path or label_key: leave it out";
  if (request.order !== 0) v.add("order", description);
  if (request.maxGroups !== 0) v.add("max_groups", description);
}

export function checkEmbed(request: EmbedRequest, v: Violations): void {
  const { texts } = request;
  checkTotal(v, "texts", bytesOf(texts), LIMITS.embedBytes);
}

export function checkCountTokens(request: CountTokensRequest, v: Violations): void {
  const { texts, messages } = request;
  const textBytes = bytesOf(texts);
  checkTotal(v, "texts", textBytes, LIMITS.countTokensBytes);
  let bytes = textBytes;
  for (const [index, message] of messages.entries()) {
    if (v.full) return;
    v.enterItem("messages", index);
    checkNewMessage(v, message);
    v.leaveItem();
    bytes += encodeWire(Message, message).length;
  }
  if (textBytes <= LIMITS.countTokensBytes) {
    checkTotal(v, "messages", bytes, LIMITS.countTokensBytes);
  }
  checkCounting(v, request);
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function checkTotal(v: Violations, field: string, bytes: number, max: number): void {
  if (bytes > max) v.add(field, `take ${bytes} bytes together; at most ${max} are allowed`, max);
}
