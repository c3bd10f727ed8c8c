// Builds the requests of recall and documents.

import { choice, conditions, fieldsOf, onlyFields } from "./choice.ts";
import {
  Document,
  type DocumentFilter,
  type DocumentPayload,
  Embedding,
} from "./gen/memorysidecar/v1/document.ts";
import {
  ListDocumentsRequest,
  UpsertDocumentsRequest,
} from "./gen/memorysidecar/v1/memory_service.ts";
import { type DeepPartial, Trust } from "./gen/memorysidecar/v1/message.ts";
import { CustomTokenRule, TokenRule } from "./gen/memorysidecar/v1/policy.ts";
import {
  FusionMethod,
  type RecallFilter,
  RecallMode,
  RecallWeights,
} from "./gen/memorysidecar/v1/recall.ts";
import {
  CountItemsRequest,
  ItemGroupOrder,
  RecallRequest,
} from "./gen/memorysidecar/v1/recall_service.ts";
import { CountTokensRequest } from "./gen/memorysidecar/v1/session_service.ts";
import { MEMORY_KINDS } from "./memory-kinds.ts";
import { toMessage, toRole } from "./message.ts";
import { toCondition } from "./metadata.ts";
import type * as options from "./recall-options.ts";
import {
  DOCUMENT_FILTER,
  FUSIONS,
  GROUP_ORDERS,
  RECALL_FILTER,
  RECALL_KINDS,
  RECALL_MODES,
  TRUSTS,
} from "./recall-options.ts";
import { type ScopeInput, type ScopeMatch, scopeFilterOf, toScope } from "./scope-filter.ts";
import { toDate, toDuration } from "./time.ts";

function time(date: Date | undefined) {
  return date && toDate(date);
}

function toVector(input: options.VectorInput | undefined): DeepPartial<Embedding> | undefined {
  if (input === undefined) return undefined;
  if (!isNamed(input)) return { values: [...input] };
  onlyFields("embedding", input, fieldsOf(Embedding.fromPartial({})));
  return { values: [...input.values], model: input.model ?? "" };
}

function isNamed(input: options.VectorInput): input is options.NamedVector {
  return !Array.isArray(input) && !(input instanceof Float32Array);
}

function toFilter(input: options.RecallFilterInput): DeepPartial<RecallFilter> {
  onlyFields("filter", input, RECALL_FILTER);
  const { kinds = [], roles = [], metadata = [], timeFrom, timeBefore, minTrust } = input;
  const { sessionIds = [], excludeSessionIds = [], collectionIds = [] } = input;
  const { userId, agentId, sessionId, everyone, scope, sessionLabels = {}, labels = {} } = input;
  const { memoryKinds = [], categories = [], validAtTime, minConfidence = 0 } = input;
  const { includeSuperseded = false, sessionIdPrefix, sourceDocumentId } = input;
  const { recursiveCollections = false } = input;
  return {
    ...{ includeSuperseded, minConfidence, ...conditions({ sessionIdPrefix, sourceDocumentId }) },
    scope: scopeFilterOf({ userId, agentId, sessionId, everyone }, scope, "visible-to"),
    memoryKinds: memoryKinds.map((kind) => choice("kind", MEMORY_KINDS, kind)),
    categories: [...categories],
    validAtTime: time(validAtTime),
    sessionIds: [...sessionIds],
    excludeSessionIds: [...excludeSessionIds],
    collectionIds: [...collectionIds],
    recursiveCollections,
    sessionLabels: { ...sessionLabels },
    labels: { ...labels },
    minTrust: minTrust === undefined ? Trust.UNSPECIFIED : choice("trust", TRUSTS, minTrust),
    kinds: kinds.map((kind) => choice("kind", RECALL_KINDS, kind)),
    roles: roles.map(toRole),
    metadata: metadata.map(toCondition),
    timeFrom: time(timeFrom),
    timeBefore: time(timeBefore),
  };
}

/** Refuses a filter that names no user: it may be one that the program has lost. */
export function checkBound(
  input:
    | { readonly userId?: string | undefined; readonly everyone?: boolean | undefined }
    | undefined,
): void {
  if (!input?.userId && input?.everyone !== true) {
    throw new TypeError("the filter has no userId: name the user, or say everyone: true");
  }
}

/** Makes a filter of documents. */
export function toDocumentFilter(
  input: options.DocumentFilterInput,
  usual: ScopeMatch = "visible-to",
): DeepPartial<DocumentFilter> {
  onlyFields("filter", input, DOCUMENT_FILTER);
  const { labels = {}, metadata = [], sourceDocumentId, scope } = input;
  const { userId, agentId, sessionId, everyone } = input;
  return {
    ...{ labels: { ...labels }, metadata: metadata.map(toCondition) },
    ...conditions({ sourceDocumentId }),
    scope: scopeFilterOf({ userId, agentId, sessionId, everyone }, scope, usual),
  };
}

const { recencyHalfLife: _, ...WEIGHTS } = fieldsOf(RecallWeights.fromPartial({}));

/** Makes the weights of a recall. */
export function toWeights(input: options.WeightsInput | undefined) {
  if (input === undefined) return undefined;
  onlyFields("set of weights", input, { ...WEIGHTS, recencyHalfLifeMs: true });
  const { recencyHalfLifeMs, ...weights } = input;
  const halfLife = recencyHalfLifeMs === undefined ? undefined : toDuration(recencyHalfLifeMs);
  return { ...weights, recencyHalfLife: halfLife };
}

function toGroup(group: boolean | number | undefined) {
  if (group === undefined || group === false) return undefined;
  return { hitsPerSession: group === true ? 0 : group };
}

function toRerank(rerank: options.RecallOptions["rerank"]) {
  if (rerank === undefined || rerank === false) return undefined;
  if (rerank === true) return {};
  if (typeof rerank === "string") return { hook: rerank };
  onlyFields("rerank option", rerank, { hook: true, candidates: true });
  return rerank;
}

/** The filter of a recall: whose records are found is said beside the filter, or in it. */
function recallFilter(
  opts: ScopeInput & Pick<options.RecallOptions, "filter">,
): options.RecallFilterInput | undefined {
  const { userId, agentId, sessionId, filter } = opts;
  const viewer = { userId, agentId, sessionId };
  if (Object.values(viewer).every((member) => member === undefined)) return filter;
  const names = ["userId", "agentId", "sessionId", "scope", "everyone"] as const;
  if (names.some((name) => filter?.[name] !== undefined)) {
    throw new TypeError("say whose records in the filter or beside it, not in both");
  }
  return { ...filter, ...viewer };
}

export function recallRequest(
  namespace: string,
  query: string,
  opts: options.RecallOptions,
): RecallRequest {
  const { mode, fusion, embedding, rerank, referenceTime } = opts;
  const filter = recallFilter(opts);
  return RecallRequest.fromPartial({
    namespace,
    query,
    embedding: toVector(embedding),
    filter: filter && toFilter(filter),
    pageSize: opts.pageSize ?? 0,
    pageToken: opts.pageToken ?? "",
    // A scoring of another name takes neither.
    mode: mode === undefined ? RecallMode.UNSPECIFIED : choice("mode", RECALL_MODES, mode),
    fusion: fusion === undefined ? FusionMethod.UNSPECIFIED : choice("fusion", FUSIONS, fusion),
    weights: toWeights(opts.weights),
    minScore: opts.minScore,
    minRelevance: opts.minRelevance,
    diversity: opts.diversity ?? 0,
    contextBefore: opts.contextBefore ?? 0,
    contextAfter: opts.contextAfter ?? 0,
    groupBySession: toGroup(opts.groupBySession),
    rerank: toRerank(rerank),
    allowPartial: opts.allowPartial ?? false,
    referenceTime: time(referenceTime),
    scoring: opts.scoring ?? "",
    includeEmbeddings: opts.includeEmbeddings ?? false,
    includePayloads: opts.includePayloads ?? false,
    includeRecords: opts.includeRecords ?? false,
    bestOfRecord: opts.bestOfRecord ?? false,
  });
}

export function countItemsRequest(
  namespace: string,
  opts: options.CountItemsOptions,
): CountItemsRequest {
  const { metadataPath, labelKey, order, referenceTime } = opts;
  if (metadataPath !== undefined && labelKey !== undefined) {
    throw new TypeError("group by metadataPath or by labelKey, not by both");
  }
  const filter = recallFilter(opts);
  return CountItemsRequest.fromPartial({
    namespace,
    filter: filter && toFilter(filter),
    groupBy: groupBy(metadataPath, labelKey),
    order: order === undefined ? ItemGroupOrder.UNSPECIFIED : choice("order", GROUP_ORDERS, order),
    maxGroups: opts.maxGroups ?? 0,
    allowPartial: opts.allowPartial ?? false,
    referenceTime: time(referenceTime),
  });
}

function groupBy(
  path: string | undefined,
  label: string | undefined,
): CountItemsRequest["groupBy"] {
  if (path !== undefined) return { $case: "metadataPath", value: path };
  return label === undefined ? undefined : { $case: "labelKey", value: label };
}

// A document that the server gave may be given back, but for a ttl in seconds.
const { ttl: __, ...DOCUMENT_FIELDS } = fieldsOf(Document.fromPartial({}));

/** Makes a document; one that names no scope gets the one given. */
export function toDocument(
  input: options.DocumentInput,
  usual: ScopeInput | undefined,
): DeepPartial<Document> {
  if (typeof input === "string") return toDocument({ text: input }, usual);
  onlyFields("document", input, { ...DOCUMENT_FIELDS, ttlMs: true });
  const { documentTime, embedding, labels = {}, trust, importance, metadata, ttlMs } = input;
  const scope = input.scope ?? usual;
  const { documentId = "", text = "", author = "", etag = "" } = input;
  return {
    ...{ documentId, text, author, etag, importance, metadata },
    labels: { ...labels },
    scope: toScope(scope),
    trust: trust === undefined ? Trust.UNSPECIFIED : TRUSTS[trust],
    documentTime: time(documentTime),
    embedding: toVector(embedding),
    ttl: ttlMs === undefined ? undefined : toDuration(ttlMs),
    payload: toPayload(input.payload),
  };
}

function toPayload(
  payload: options.DocumentFields["payload"],
): DeepPartial<DocumentPayload> | undefined {
  if (payload === undefined) return undefined;
  if (typeof payload === "string") {
    return { data: Buffer.from(payload), mediaType: "application/json" };
  }
  onlyFields("payload", payload, { data: true, mediaType: true });
  return { data: Buffer.from(payload.data), mediaType: payload.mediaType ?? "" };
}

export function upsertRequest(
  change: { readonly namespace: string; readonly requestId: string },
  documents: readonly options.DocumentInput[],
  opts: options.UpsertOptions,
): UpsertDocumentsRequest {
  const { collectionId = "", chunkChars = 0, overlapChars } = opts;
  const split = opts.chunkChars !== undefined || overlapChars !== undefined;
  return UpsertDocumentsRequest.fromPartial({
    ...change,
    collectionId,
    documents: documents.map((document) => toDocument(document, opts.scope)),
    splitter: split ? { chunkChars, overlapChars } : undefined,
  });
}

export function listDocumentsRequest(
  namespace: string,
  opts: options.ListDocumentsOptions,
  pageToken: string,
): ListDocumentsRequest {
  const { collectionId = "", filter, pageSize = 0 } = opts;
  return ListDocumentsRequest.fromPartial({
    namespace,
    collectionId,
    filter: filter && toDocumentFilter(filter),
    includeEmbeddings: opts.includeEmbeddings ?? false,
    includePayloads: opts.includePayloads ?? false,
    recursive: opts.recursive ?? false,
    pageSize,
    pageToken,
  });
}

const TOKEN_RULE_FIELDS = fieldsOf(CustomTokenRule.fromPartial({}));

/** Refuses a token rule with fields that there are not. */
export function checkTokenRule(rule: DeepPartial<CustomTokenRule>): void {
  onlyFields("token rule", rule, TOKEN_RULE_FIELDS);
}

export function countTokensRequest(
  namespace: string,
  texts: readonly string[],
  opts: options.CountTokensOptions,
): CountTokensRequest {
  const { messages = [], tokenPreset = "", model = "", customTokenRule, imageTokenCount } = opts;
  if (customTokenRule !== undefined) checkTokenRule(customTokenRule);
  const ruleOfName = tokenPreset === "" ? TokenRule.UNSPECIFIED : TokenRule.PRESET;
  return CountTokensRequest.fromPartial({
    namespace,
    texts: [...texts],
    messages: messages.map(toMessage),
    tokenRule: opts.tokenRule ?? ruleOfName,
    tokenPreset,
    model,
    customTokenRule,
    imageTokenCount,
  });
}
