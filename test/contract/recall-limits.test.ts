// Goal: every limit of recall and documents holds exactly, and what else is wrong with a request is
// told by the very field.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Document, DocumentFilter } from "../../src/gen/memorysidecar/v1/document.ts";
import type { LabelCondition, MetadataCondition } from "../../src/gen/memorysidecar/v1/filter.ts";
import { Role, Trust } from "../../src/gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import type { RecallFilter, RecallWeights } from "../../src/gen/memorysidecar/v1/recall.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import { expectLimit, type LimitRow, limitRow, times, x } from "../support/contract/limits.ts";
import {
  deepStruct,
  document,
  embedding,
  message,
  ownedBy,
  recallFilter,
  structOfSize,
  visibleTo,
} from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const labels = (count: number) => new Map(times(count, (index) => [`key-${index}`, "v"] as const));
const label = (size: number) => new Map([["k", x(size)]]);
const condition = (test: MetadataCondition["test"], path = "a"): MetadataCondition => ({
  path,
  test,
});
const anyOf = (...conditions: MetadataCondition[]): MetadataCondition["test"] => {
  return { $case: "anyOf", value: { conditions } };
};
const tests = (count: number): MetadataCondition[] =>
  Array.from({ length: count }, () => condition({ $case: "exists", value: true }));
/** A condition so many levels deep. */
const nested = (levels: number): MetadataCondition =>
  levels === 1
    ? condition({ $case: "exists", value: true })
    : condition(anyOf(nested(levels - 1)), "");
const equals = (value: unknown) => condition({ $case: "equalTo", value });
const documentFilter = (fields: Partial<DocumentFilter>): DocumentFilter => ({
  ...DocumentFilter.decode(new Uint8Array(0)),
  ...fields,
});

const filtered = (field: string, max: number, make: (size: number) => Partial<RecallFilter>) =>
  limitRow("recall", `filter.${field}`, max, (size) => ({ filter: recallFilter(make(size)) }));
const upsert = (field: string, max: number, make: (size: number) => Partial<Document>) =>
  limitRow("upsertDocuments", `documents[0].${field}`, max, (size) => ({
    collectionId: "limits",
    documents: [document(make(size))],
  }));
const weight = (field: string, make: (size: number) => Partial<RecallWeights>) =>
  limitRow("recall", `weights.${field}`, LIMITS.recallWeight, (size) => ({
    weights: { recencyHalfLife: undefined, ...make(size) },
  }));

/** A span of days. */
const days = (count: number) => ({ seconds: BigInt(Math.floor(count)) * 86_400n, nanos: 0 });

const TF_IDF = { scoring: "tf_idf", filter: recallFilter({ collectionIds: ["a"] }) };
const GROUPED = { groupBySession: { hitsPerSession: 0 } };
const WORDS = { scoring: "occurrences", ...GROUPED };

const ROWS: readonly LimitRow[] = [
  limitRow("recall", "query", LIMITS.recallQueryBytes, (size) => ({ query: x(size) })),
  limitRow("recall", "embedding.values", LIMITS.embeddingValues, (size) => ({
    embedding: embedding({ values: times(size, () => 1) }),
  })),
  limitRow("recall", "embedding.model", LIMITS.embeddingModelBytes, (size) => ({
    embedding: embedding({ model: x(size) }),
  })),
  filtered("kinds", LIMITS.recallKinds, (size) => ({ kinds: times(size, () => 1) })),
  filtered("session_ids", LIMITS.recallSessionIds, (size) => ({
    sessionIds: times(size, (index) => `s${index}`),
  })),
  filtered("session_ids[0]", LIMITS.sessionIdBytes, (size) => ({ sessionIds: [x(size)] })),
  filtered("exclude_session_ids", LIMITS.recallSessionIds, (size) => ({
    excludeSessionIds: times(size, (index) => `s${index}`),
  })),
  filtered("scope.visible_to.user_id", LIMITS.userIdBytes, (size) => ({
    scope: visibleTo({ userId: x(size) }),
  })),
  filtered("scope.visible_to.agent_id", LIMITS.agentIdBytes, (size) => ({
    scope: visibleTo({ agentId: x(size) }),
  })),
  filtered("session_labels", LIMITS.labels, (size) => ({ sessionLabels: labels(size) })),
  filtered('session_labels["k"]', LIMITS.labelValueBytes, (size) => ({
    sessionLabels: label(size),
  })),
  filtered("roles", LIMITS.filterRoles, (size) => ({ roles: times(size, () => Role.TOOL) })),
  filtered("collection_ids", LIMITS.recallCollectionIds, (size) => ({
    collectionIds: times(size, (index) => `c${index}`),
  })),
  filtered("collection_ids[0]", LIMITS.collectionIdBytes, (size) => ({ collectionIds: [x(size)] })),
  filtered("labels", LIMITS.labels, (size) => ({ labels: labels(size) })),
  filtered("metadata", LIMITS.metadataConditions, (size) => ({
    metadata: times(size, () => condition({ $case: "exists", value: true })),
  })),
  filtered("metadata[0].path", LIMITS.metadataPathBytes, (size) => ({
    metadata: [condition({ $case: "exists", value: true }, x(size))],
  })),
  filtered("metadata[0].one_of", LIMITS.metadataValues, (size) => ({
    metadata: [condition({ $case: "oneOf", value: times(size, (index) => index) })],
  })),
  filtered("memory_kinds", LIMITS.memoryFilterKinds, (size) => ({
    memoryKinds: times(size, () => 1),
  })),
  filtered("categories", LIMITS.memoryFilterCategories, (size) => ({
    categories: times(size, (index) => `c${index}`),
  })),
  filtered("categories[0]", LIMITS.memoryCategoryBytes, (size) => ({ categories: [x(size)] })),
  filtered("min_confidence", 1, (size) => ({ minConfidence: size })),
  limitRow("recall", "page_token", LIMITS.pageTokenBytes, (size) => ({ pageToken: x(size) })),
  limitRow("recall", "context_before", LIMITS.recallContext, (size) => ({ contextBefore: size })),
  limitRow("recall", "context_after", LIMITS.recallContext, (size) => ({ contextAfter: size })),
  limitRow("recall", "group_by_session.hits_per_session", LIMITS.recallGroupHits, (size) => ({
    groupBySession: { hitsPerSession: size },
  })),
  limitRow("recall", "rerank.candidates", LIMITS.rerankCandidates, (size) => ({
    rerank: { hook: "none", candidates: size },
  })),
  limitRow("recall", "rerank.hook", LIMITS.hookNameChars, (size) => ({
    rerank: { hook: x(size), candidates: 0 },
  })),
  weight("words", (words) => ({ words })),
  weight("neighbors", (neighbors) => ({ neighbors })),
  weight("dense", (dense) => ({ dense })),
  weight("coverage", (coverage) => ({ coverage })),
  weight("near_words", (nearWords) => ({ nearWords })),
  weight("identifier", (identifier) => ({ identifier })),
  weight("author", (author) => ({ author })),
  weight("user_role", (userRole) => ({ userRole })),
  weight("length", (length) => ({ length })),
  weight("question", (question) => ({ question })),
  weight("date", (date) => ({ date })),
  weight("recency", (recency) => ({ recency })),
  weight("importance", (importance) => ({ importance })),
  weight("trust", (trust) => ({ trust })),
  weight("session", (session) => ({ session })),
  weight("confidence", (confidence) => ({ confidence })),
  weight("facts", (facts) => ({ facts })),
  weight("entities", (entities) => ({ entities })),
  limitRow("recall", "weights.recency_half_life", LIMITS.recallHalfLifeDays * 86_400_000, (ms) => ({
    weights: {
      recency: 1,
      recencyHalfLife: {
        seconds: BigInt(Math.floor(ms / 1_000)),
        nanos: (ms % 1_000) * 1_000_000,
      },
    },
  })),
  limitRow("upsertDocuments", "collection_id", LIMITS.collectionIdBytes, (size) => ({
    collectionId: x(size),
    documents: [document()],
  })),
  limitRow("upsertDocuments", "request_id", LIMITS.requestIdBytes, (size) => ({
    requestId: x(size),
    documents: [document()],
  })),
  limitRow("upsertDocuments", "documents", LIMITS.writeDocuments, (size) => ({
    documents: times(size, () => document()),
  })),
  upsert("document_id", LIMITS.documentIdBytes, (size) => ({ documentId: x(size) })),
  limitRow("upsertDocuments", "documents[0].document_id", LIMITS.splitDocumentIdBytes, (size) => ({
    documents: [document({ documentId: x(size) })],
    splitter: { chunkChars: 0 },
  })),
  upsert("author", LIMITS.nameBytes, (size) => ({ author: x(size) })),
  upsert("metadata", LIMITS.metadataBytes, (size) => ({ metadata: structOfSize(size) })),
  upsert("metadata", LIMITS.structDepth, (size) => ({ metadata: deepStruct(size) })),
  upsert("labels", LIMITS.labels, (size) => ({ labels: labels(size) })),
  upsert('labels["k"]', LIMITS.labelValueBytes, (size) => ({ labels: label(size) })),
  upsert("embedding.values", LIMITS.embeddingValues, (size) => ({
    embedding: embedding({ values: times(size, () => 1) }),
  })),
  limitRow("upsertDocuments", "splitter.chunk_chars", LIMITS.chunkCharsMax, (size) => ({
    documents: [document()],
    splitter: { chunkChars: size },
  })),
  limitRow("getDocument", "document_id", LIMITS.documentIdBytes, (size) => ({
    documentId: x(size),
  })),
  limitRow("listDocuments", "filter.source_document_id", LIMITS.documentIdBytes, (size) => ({
    filter: documentFilter({ sourceDocumentId: x(size) }),
  })),
  limitRow("listDocuments", "filter.labels", LIMITS.labels, (size) => ({
    filter: documentFilter({ labels: labels(size) }),
  })),
  limitRow("listDocuments", "filter.metadata", LIMITS.metadataConditions, (size) => ({
    filter: documentFilter({ metadata: times(size, () => equals(1)) }),
  })),
  limitRow("listDocuments", "page_token", LIMITS.pageTokenBytes, (size) => ({
    pageToken: x(size),
  })),
  limitRow("listCollections", "page_token", LIMITS.pageTokenBytes, (size) => ({
    pageToken: x(size),
  })),
  filtered("session_id_prefix", LIMITS.sessionIdBytes, (size) => ({ sessionIdPrefix: x(size) })),
  filtered("source_document_id", LIMITS.documentIdBytes, (size) => ({ sourceDocumentId: x(size) })),
  limitRow("recall", "query", LIMITS.searchQueryBytes, (size) => ({ ...WORDS, query: x(size) })),
  limitRow("recall", "query", LIMITS.searchTerms, (size) => ({
    ...{ ...WORDS, query: times(size, (index) => `w${index}`).join(" ") },
  })),
  limitRow("deleteDocuments", "document_ids", LIMITS.writeDocuments, (size) => ({
    documentIds: times(size, (index) => `d${index}`),
  })),
  limitRow("deleteDocuments", "document_ids[0]", LIMITS.documentIdBytes, (size) => ({
    documentIds: [x(size)],
  })),
  limitRow("deleteDocuments", "request_id", LIMITS.requestIdBytes, (size) => ({
    documentIds: ["d"],
    requestId: x(size),
  })),
  limitRow("clearCollection", "request_id", LIMITS.requestIdBytes, (size) => ({
    collectionId: "none",
    requestId: x(size),
  })),
  limitRow("embed", "texts", LIMITS.embedTexts, (size) => ({ texts: times(size, () => "a") })),
  limitRow("embed", "texts[0]", LIMITS.embedTextBytes, (size) => ({ texts: [x(size)] })),
  limitRow("embed", "texts", LIMITS.embedBytes, (size) => ({
    texts: [...times(8, () => x(131_071)), x(size - 8 * 131_071)],
  })),
  limitRow("countTokens", "texts", LIMITS.countTokensTexts, (size) => ({
    texts: times(size, () => "a"),
  })),
  limitRow("countTokens", "messages", LIMITS.countTokensTexts, (size) => ({
    messages: times(size, () => message()),
  })),
  limitRow("countTokens", "texts", LIMITS.countTokensBytes, (size) => ({ texts: [x(size)] })),
  // A message with a text takes 6 bytes more here.
  limitRow("countTokens", "messages", LIMITS.countTokensBytes, (size) => ({
    texts: [x(500_000)],
    messages: [message({ text: x(size - 500_000 - 6) })],
  })),
  limitRow("countTokens", "model", LIMITS.modelBytes, (size) => ({
    tokenRule: TokenRule.MODEL,
    model: x(size),
  })),
];

describe("a limit", () => {
  test.each(ROWS)("of $max holds for $method $field", async (entry) => {
    await expectLimit(server, entry);
  });
});

interface Fault {
  readonly method: UnaryName;
  readonly field: string;
  readonly what: string;
  readonly bytes: Buffer;
}

function fault<M extends UnaryName>(
  method: M,
  field: string,
  what: string,
  fields: Partial<RequestOf<M>>,
): Fault {
  return { method, field, what, bytes: requestBytes(method, fields) };
}

const withCondition = (field: string, what: string, test: MetadataCondition["test"]) =>
  fault("recall", `filter.metadata[0].${field}`, what, {
    filter: recallFilter({ metadata: [condition(test)] }),
  });
const inFilter = (field: string, what: string, fields: Partial<RecallFilter>) =>
  fault("recall", `filter.${field}`, what, { filter: recallFilter(fields) });
const inLabel = (
  field: string,
  what: string,
  { path = "", key = "k", test }: Partial<LabelCondition> & { readonly path?: string },
) =>
  inFilter(`metadata[0].${field}`, what, {
    metadata: [{ path, test: { $case: "label", value: { key, test } } }],
  });
const inDocument = (field: string, what: string, fields: Partial<Document>) =>
  fault("upsertDocuments", `documents[0].${field}`, what, { documents: [document(fields)] });
const vector = (field: string, what: string, values: number[]) =>
  fault("recall", `embedding.${field}`, what, { embedding: embedding({ values }) });
const year10000 = { seconds: 253_402_300_800n, nanos: 0 };

const FAULTS: readonly Fault[] = [
  vector("values", "no number", []),
  vector("values[1]", "NaN", [1, Number.NaN]),
  vector("values[0]", "an infinity", [Number.NEGATIVE_INFINITY, 1]),
  vector("values", "only zeros", [0, -0, 0]),
  inFilter("kinds[1]", "no kind", { kinds: [1, 0] }),
  inFilter("kinds[0]", "an unknown kind", { kinds: [4 as 1] }),
  inFilter("roles[0]", "no role", { roles: [0] }),
  inFilter("roles[0]", "an unknown role", { roles: [5 as 1] }),
  inFilter("session_ids[0]", "an empty id", { sessionIds: [""] }),
  inFilter("exclude_session_ids[1]", "a control character", { excludeSessionIds: ["a", "\n"] }),
  inFilter("collection_ids[0]", "an empty id", { collectionIds: [""] }),
  inFilter("collection_ids[0]", "an id that is none", { collectionIds: ["a//b"] }),
  inFilter('labels["no key"]', "a key with a space", { labels: new Map([["no key", ""]]) }),
  inFilter("time_from", "the year 10000", { timeFrom: year10000 }),
  inFilter("time_before", "too many nanos", { timeBefore: { seconds: 0n, nanos: 1_000_000_000 } }),
  inFilter("time_before", "equal to time_from", {
    timeFrom: { seconds: 5n, nanos: 7 },
    timeBefore: { seconds: 5n, nanos: 7 },
  }),
  inFilter("time_before", "before time_from", {
    timeFrom: { seconds: 5n, nanos: 0 },
    timeBefore: { seconds: 4n, nanos: 9 },
  }),
  inFilter("min_trust", "an unknown trust", { minTrust: 4 as 1 }),
  inFilter("memory_kinds[0]", "an unknown kind", { memoryKinds: [8 as 1] }),
  inFilter("memory_kinds[0]", "no kind", { memoryKinds: [0] }),
  inFilter("categories[0]", "empty", { categories: [""] }),
  inFilter("min_confidence", "below 0", { minConfidence: -0.1 }),
  inFilter("min_confidence", "no number", { minConfidence: Number.NaN }),
  inFilter("include_superseded", "set with valid_at_time", {
    includeSuperseded: true,
    validAtTime: { seconds: 0n, nanos: 0 },
  }),
  inFilter("metadata[0].path", "a path with a tree", {
    metadata: [condition(anyOf(condition({ $case: "exists", value: true })), "p")],
  }),
  inFilter("metadata[0].any_of.conditions", "an empty tree", {
    metadata: [condition(anyOf(), "")],
  }),
  inFilter("metadata[0].any_of.conditions[0].path", "no path in a tree", {
    metadata: [condition(anyOf(condition({ $case: "exists", value: true }, "")), "")],
  }),
  inFilter("metadata[0].any_of.conditions", "too many in one place", {
    metadata: [condition(anyOf(...tests(LIMITS.metadataConditions + 1)), "")],
  }),
  inFilter("metadata", "too many altogether", {
    metadata: Array.from({ length: 5 }, () => condition(anyOf(...tests(12)), "")),
  }),
  inFilter(`metadata[0]${".any_of.conditions[0]".repeat(3)}.any_of.conditions`, "too deep", {
    metadata: [nested(LIMITS.metadataTreeLevels + 1)],
  }),
  inFilter("metadata[0].path", "no path", {
    metadata: [condition({ $case: "exists", value: true }, "")],
  }),
  inLabel("path", "a path with a label", { path: "p", test: { $case: "exists", value: true } }),
  inLabel("label.key", "no key", { key: "", test: { $case: "exists", value: true } }),
  inLabel("label.key", "a key with a space", {
    key: "no key",
    test: { $case: "exists", value: true },
  }),
  inLabel("label.test", "no test of a label", { test: undefined }),
  inLabel("label.starts_with", "an empty beginning", {
    test: { $case: "startsWith", value: "" },
  }),
  inLabel("label.one_of.values", "no values", { test: { $case: "oneOf", value: { values: [] } } }),
  inLabel("label.text_range.less_than", "a range that ends before it starts", {
    test: { $case: "textRange", value: { min: "b", lessThan: "a", max: undefined } },
  }),
  withCondition("test", "no test", undefined),
  withCondition("equal_to", "an object", { $case: "equalTo", value: { a: 1 } }),
  withCondition("equal_to", "a list", { $case: "equalTo", value: [1] }),
  withCondition("equal_to", "NaN", { $case: "equalTo", value: Number.NaN }),
  withCondition("one_of.values[1]", "a list", { $case: "oneOf", value: [1, []] }),
  withCondition("range.min", "no end", { $case: "range", value: {} }),
  withCondition("range.min", "NaN", { $case: "range", value: { min: Number.NaN } }),
  withCondition("range.max", "below min", { $case: "range", value: { min: 2, max: 1 } }),
  withCondition("range.less_than", "equal to min", {
    $case: "range",
    value: { min: 1, lessThan: 1 },
  }),
  withCondition("range.less_than", "below min", { $case: "range", value: { min: 1, lessThan: 0 } }),
  withCondition("range.max", "two upper ends", { $case: "range", value: { lessThan: 1, max: 1 } }),
  fault("recall", "page_size", "below 0", { pageSize: -1 }),
  fault("recall", "mode", "unknown", { mode: 4 as 1 }),
  fault("recall", "fusion", "unknown", { fusion: 3 as 1 }),
  fault("recall", "weights", "with ranks", {
    fusion: 2,
    weights: { recencyHalfLife: undefined, words: 1 },
  }),
  fault("recall", "weights.words", "below 0", {
    weights: { recencyHalfLife: undefined, words: -0.1 },
  }),
  fault("recall", "weights.dense", "NaN", {
    weights: { recencyHalfLife: undefined, dense: Number.NaN },
  }),
  fault("recall", "weights.recency_half_life", "0", { weights: { recencyHalfLife: days(0) } }),
  fault("recall", "min_score", "NaN", { minScore: Number.NaN }),
  fault("recall", "min_relevance", "above 1", { minRelevance: 1.1 }),
  fault("recall", "min_relevance", "below 0", { minRelevance: -0.1 }),
  fault("recall", "diversity", "NaN", { diversity: Number.NaN }),
  fault("recall", "diversity", "above 1", { diversity: 2 }),
  fault("recall", "context_before", "below 0", { contextBefore: -1 }),
  fault("recall", "rerank.hook", "no name", { rerank: { hook: "A b", candidates: 0 } }),
  fault("recall", "reference_time", "the year 10000", { referenceTime: year10000 }),
  fault("upsertDocuments", "documents", "none", {}),
  fault("upsertDocuments", "collection_id", "a line break", {
    collectionId: "a\nb",
    documents: [document()],
  }),
  inDocument("collection_id", "another collection", { collectionId: "other" }),
  inDocument("document_id", "a control character", { documentId: "a\u0000" }),
  inDocument("document_time", "the year 10000", { documentTime: year10000 }),
  inDocument("importance", "above 1", { importance: 1.5 }),
  inDocument("importance", "NaN", { importance: Number.NaN }),
  inDocument("trust", "high", { trust: Trust.HIGH }),
  inDocument("trust", "unknown", { trust: 4 as 1 }),
  inDocument("embedding.values", "only zeros", { embedding: embedding({ values: [0] }) }),
  fault("upsertDocuments", "documents[2].document_id", "twice the same", {
    documents: [document({ documentId: "a" }), document(), document({ documentId: "a" })],
  }),
  fault("upsertDocuments", "documents[0].document_id", "a # with a splitter", {
    documents: [document({ documentId: "a#0" })],
    splitter: { chunkChars: 0 },
  }),
  fault("upsertDocuments", "splitter.chunk_chars", "below 50", {
    documents: [document()],
    splitter: { chunkChars: 49 },
  }),
  fault("upsertDocuments", "splitter.overlap_chars", "half of a chunk", {
    documents: [document()],
    splitter: { chunkChars: 50, overlapChars: 25 },
  }),
  fault("upsertDocuments", "splitter.overlap_chars", "half of the default", {
    documents: [document()],
    splitter: { chunkChars: 0, overlapChars: 500 },
  }),
  fault("upsertDocuments", "splitter.overlap_chars", "below 0", {
    documents: [document()],
    splitter: { chunkChars: 50, overlapChars: -1 },
  }),
  fault("getDocument", "document_id", "none", {}),
  fault("listDocuments", "collection_id", "not an id", { collectionId: "/é" }),
  fault("listDocuments", "page_size", "below 0", { pageSize: -1 }),
  fault("listCollections", "page_size", "below 0", { pageSize: -1 }),
  fault("deleteDocuments", "document_ids", "none", {}),
  fault("deleteDocuments", "document_ids[1]", "twice the same", { documentIds: ["a", "a"] }),
  fault("deleteDocuments", "document_ids[0]", "an empty id", { documentIds: [""] }),
  fault("deleteDocuments", "etag", "for two", { documentIds: ["a", "b"], etag: "x" }),
  fault("recall", "scoring", "unknown", { scoring: "constructor" }),
  fault("recall", "embedding", "with TF-IDF", { ...TF_IDF, embedding: embedding() }),
  fault("recall", "filter.collection_ids", "no collection", { scoring: "cosine" }),
  fault("recall", "filter.collection_ids", "two collections", {
    ...{ scoring: "tf_idf", filter: recallFilter({ collectionIds: ["a", "b"] }) },
  }),
  fault("recall", "filter.scope.owned_by", "nobody's", {
    filter: recallFilter({ scope: ownedBy({}) }),
  }),
  fault("recall", "filter.scope.owned_by", "documents of nobody", {
    ...{ ...TF_IDF, filter: recallFilter({ collectionIds: ["a"], scope: ownedBy({}) }) },
  }),
  fault("recall", "filter.kinds", "another kind", {
    ...{ scoring: "overlap", filter: recallFilter({ kinds: [1] }) },
  }),
  fault("recall", "mode", "with a scoring", { ...TF_IDF, mode: 1 }),
  fault("recall", "weights", "with a scoring", {
    ...TF_IDF,
    weights: { recencyHalfLife: undefined },
  }),
  fault("recall", "diversity", "with a scoring", { ...TF_IDF, diversity: 0.5 }),
  fault("recall", "context_before", "with a scoring", { ...TF_IDF, contextBefore: 1 }),
  fault("recall", "rerank", "with a scoring", { ...TF_IDF, rerank: { hook: "", candidates: 0 } }),
  fault("recall", "group_by_session", "with TF-IDF", { ...TF_IDF, ...GROUPED }),
  fault("recall", "group_by_session", "none", { query: "x", scoring: "occurrences" }),
  fault("recall", "filter.labels", "of messages", {
    ...{ ...WORDS, filter: recallFilter({ labels: new Map([["a", "b"]]) }) },
  }),
  fault("recall", "min_score", "an infinity", { minScore: Number.POSITIVE_INFINITY }),
  fault("embed", "texts", "none", {}),
  fault("embed", "purpose", "unknown", { texts: ["a"], purpose: 3 as 1 }),
  fault("countTokens", "token_rule", "given", { tokenRule: 5 }),
  fault("countTokens", "token_rule", "unknown", { tokenRule: 999 as 1 }),
  fault("countTokens", "token_preset", "none with the rule", { tokenRule: 13 }),
  fault("countTokens", "custom_token_rule", "none with the rule", { tokenRule: 11 }),
  fault("countTokens", "messages[0].role", "none", { messages: [message({ role: 0 })] }),
];

describe("a fault", () => {
  test.each(FAULTS)("of $method $field is named: $what", async ({ method, field, bytes }) => {
    const before = await revisionOf(server.store);
    const outcome = await server.client.raw(method, bytes);
    if (!("failure" in outcome)) throw new Error("it was taken");
    expect(outcome.failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(outcome.failure.fields).toEqual([field]);
    expect(await revisionOf(server.store)).toBe(before);
  });

  test("of a value nested without end is refused before it is read", async () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 60; depth++) value = [value];
    const filter = recallFilter({ metadata: [equals(value)] });
    const failure = await server.client.fail("recall", { filter });
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_MALFORMED" });
  });
});
