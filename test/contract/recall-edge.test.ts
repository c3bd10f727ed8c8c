// Goal: the service of recall is asked for just what a request says, with its defaults, and what it
// answers goes out whole. The service itself is a script here.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Document } from "../../src/gen/memorysidecar/v1/document.ts";
import { Message, Role, Trust } from "../../src/gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  DenseState,
  FusionMethod,
  RecallKind,
  RecallMode,
  RecallWeights,
  RerankState,
  ScoreFeature,
} from "../../src/gen/memorysidecar/v1/recall.ts";
import type { AppError, ErrorReason } from "../../src/kit/errors.ts";
import type {
  CountTokensInput,
  RecallHit,
  RecallInput,
  SearchDocumentsInput,
  UpsertDocumentsInput,
} from "../../src/recall/api.ts";
import { DOCUMENT_FORMS } from "../../src/recall/documents/wire.ts";
import { SCORE_FEATURES } from "../../src/recall/rank/types.ts";
import { WEIGHT_NAMES } from "../../src/recall/rank/weights.ts";
import {
  collectionLimitReached,
  documentNotFound,
  embedderOff,
  embedderUnavailable,
  embeddingMismatch,
} from "../../src/recall/rules/errors.ts";
import type { StoredMessage } from "../../src/store/store.ts";
import { requestBytes, startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  document,
  embedding,
  message,
  ownedBy,
  recallFilter,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";
import {
  documentHit,
  NOTHING_FOUND,
  scriptRecall,
  storedDocument,
} from "../support/recall/scripted-recall.ts";

/** Default message limit of clients of grpc-js, grpc-go and grpc-java. */
const STOCK_MAX = 4_194_304;

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** Recalls and gives what the service was asked for. */
async function asked(fields: Parameters<typeof requestBytes<"recall">>[1]): Promise<RecallInput> {
  const inputs: RecallInput[] = [];
  scriptRecall(server, {
    recall: (input) => {
      inputs.push(input);
      return NOTHING_FOUND;
    },
  });
  await server.client.call("recall", fields);
  const [input] = inputs;
  if (input === undefined) throw new Error("the service was not asked");
  return input;
}

const stored = (text: string, fields: Partial<Message> = {}): StoredMessage => ({
  seq: 1,
  messageId: "m",
  role: 1,
  tokenCount: 1,
  bytes: Message.encode(message({ text, ...fields })).finish(),
});

const messageHit = (
  text: string,
  context: { before?: StoredMessage[]; after?: StoredMessage[] } = {},
): RecallHit => ({
  score: 2.5,
  relevance: 0.75,
  parts: SCORE_FEATURES.map((feature, index) => ({
    ...{ feature, value: index, weight: 0.5, score: index / 2 },
  })),
  record: {
    ...{ kind: "message", sessionId: "s", userId: "u", message: stored(text) },
    ...{ before: context.before ?? [], after: context.after ?? [] },
  },
  passage: "passage",
  rerankScore: undefined,
});

describe("Recall asks for", () => {
  test("everything by default, of users and assistants", async () => {
    expect(await asked({ query: "hello" })).toEqual({
      namespace: "default",
      query: "hello",
      perLeg: 50,
      embedding: undefined,
      filter: {
        kinds: new Set(),
        sessionIds: [],
        excludeSessionIds: [],
        scope: { kind: "visible-to", scope: { userId: "", agentId: "", sessionId: "" } },
        sessionLabels: new Map(),
        roles: new Set([1, 2]),
        collectionIds: [],
        labels: new Map(),
        metadata: [],
        fromMs: undefined,
        beforeMs: undefined,
        minTrust: undefined,
        sourceDocumentId: "",
        memoryKinds: new Set(),
        categories: new Set(),
        validity: "now",
        minConfidence: undefined,
      },
      bestOfRecord: false,
      limit: 10,
      offset: 0,
      mode: "hybrid",
      fusion: "scores",
      weights: {},
      minScore: undefined,
      minRelevance: 0,
      diversity: 0,
      contextBefore: 0,
      contextAfter: 0,
      hitsPerGroup: undefined,
      rerank: undefined,
      allowPartial: false,
      withEmbeddings: false,
      withPayloads: false,
      referenceMs: undefined,
    });
    expect((await asked({ filter: recallFilter() })).filter.roles).toEqual(new Set([1, 2]));
  });

  test("all that a request says", async () => {
    const input = await asked({
      namespace: "n",
      query: "q",
      filter: recallFilter({
        kinds: [RecallKind.MESSAGE, RecallKind.DOCUMENT],
        sessionIds: ["a"],
        excludeSessionIds: ["b"],
        scope: ownedBy({ userId: "u", agentId: "g" }),
        sessionLabels: new Map([["x", "1"]]),
        roles: [Role.TOOL],
        collectionIds: ["c"],
        labels: new Map([["y", "2"]]),
        timeFrom: { seconds: -1n, nanos: 1 },
        timeBefore: { seconds: 1n, nanos: 0 },
        minTrust: Trust.MEDIUM,
      }),
      pageSize: 1_000,
      mode: RecallMode.DENSE,
      fusion: FusionMethod.RECIPROCAL_RANK,
      minScore: -1.5,
      minRelevance: 0.25,
      diversity: 0.5,
      contextBefore: 2,
      contextAfter: 3,
      groupBySession: { hitsPerSession: 0 },
      rerank: { hook: "", candidates: 0 },
      allowPartial: true,
      referenceTime: { seconds: 5n, nanos: 0 },
    });
    expect(input).toMatchObject({
      namespace: "n",
      query: "q",
      filter: {
        kinds: new Set(["message", "document"]),
        sessionIds: ["a"],
        excludeSessionIds: ["b"],
        scope: { kind: "owned-by", scope: { userId: "u", agentId: "g", sessionId: "" } },
        sessionLabels: new Map([["x", "1"]]),
        roles: new Set([4]),
        collectionIds: ["c"],
        labels: new Map([["y", "2"]]),
        fromMs: -999,
        beforeMs: 1_000,
        minTrust: 2,
      },
      ...{ limit: 100, mode: "dense", fusion: "reciprocal-rank", minScore: -1.5 },
      ...{ minRelevance: 0.25, diversity: 0.5, contextBefore: 2, contextAfter: 3 },
      ...{ hitsPerGroup: 3, rerank: { hook: "", candidates: 50 }, allowPartial: true },
      referenceMs: 5_000,
    });
  });

  test("values of metadata with their types", async () => {
    const test = (path: string, test: object) => ({ path, test }) as never;
    const { filter } = await asked({
      filter: recallFilter({
        metadata: [
          test("a", { $case: "equalTo", value: null }),
          test("b.c", { $case: "equalTo", value: "1" }),
          test("d", { $case: "oneOf", value: [1, true, "x", null] }),
          test("e", { $case: "range", value: { min: -1, lessThan: 2.5 } }),
          test("f", { $case: "range", value: { max: 0 } }),
          test("g", { $case: "exists", value: false }),
        ],
      }),
    });
    expect(filter.metadata).toEqual([
      { path: "a", test: { kind: "one-of", values: [null] } },
      { path: "b.c", test: { kind: "one-of", values: ["1"] } },
      { path: "d", test: { kind: "one-of", values: [1, true, "x", null] } },
      { path: "e", test: { kind: "range", min: -1, lessThan: 2.5 } },
      { path: "f", test: { kind: "range", max: 0 } },
      { path: "g", test: { kind: "exists", exists: false } },
    ]);
  });

  test("each weight that is set, and no other", async () => {
    const all = Object.fromEntries(WEIGHT_NAMES.map((name, index) => [name, index / 10 + 0.5]));
    const recencyHalfLife = { seconds: 129_600n, nanos: 0 };
    const asAsked = (await asked({ weights: { ...all, recencyHalfLife } })).weights;
    expect(asAsked).toEqual({ ...all, recencyHalfLife: 1.5 });
    const known = Object.keys(RecallWeights.decode(new Uint8Array(0)));
    expect(known.sort()).toEqual([...WEIGHT_NAMES].sort());
    expect((await asked({ weights: { recencyHalfLife: undefined, dense: 0 } })).weights).toEqual({
      dense: 0,
    });
  });

  test("vectors of length 1, whatever theirs was", async () => {
    for (const values of [
      [3, -4],
      [3e38, -3.4e38],
      [1e-40, 2e-40],
      [0, 5],
    ]) {
      const given = (await asked({ embedding: embedding({ values, model: "é" }) })).embedding;
      expect(given?.model).toBe("é");
      const length = Math.hypot(...(given?.values ?? []));
      expect(length).toBeCloseTo(1, 5);
      const [a = 0, b = 0] = values.map(Math.fround);
      expect(given?.values[0]).toBeCloseTo(a / Math.hypot(a, b), 5);
    }
  });

  test("the next page, which only the same request can ask for", async () => {
    const offsets: number[] = [];
    scriptRecall(server, {
      recall: ({ offset, limit }) => {
        offsets.push(offset);
        return { ...NOTHING_FOUND, next: offset + limit };
      },
      listDocuments: () => ({ documents: [], next: undefined }),
    });
    const filter = (labels: [string, string][]) => recallFilter({ labels: new Map(labels) });
    const first = await server.client.call("recall", {
      query: "q",
      pageSize: 2,
      filter: filter([
        ["a", "1"],
        ["b", "2"],
      ]),
    });
    const again = {
      query: "q",
      pageSize: 5,
      pageToken: first.nextPageToken,
      filter: filter([
        ["b", "2"],
        ["a", "1"],
      ]),
    };
    await server.client.call("recall", again);
    expect(offsets).toEqual([0, 2]);
    const refused = [
      { ...again, query: "other" },
      { ...again, minScore: 0 },
      { ...again, pageToken: `${first.nextPageToken}A` },
      { ...again, pageToken: "x" },
    ];
    for (const fields of refused) {
      const failure = await server.client.fail("recall", fields);
      expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" });
    }
    const elsewhere = await server.client.fail("listDocuments", {
      pageToken: first.nextPageToken,
    });
    expect(elsewhere.reason).toBe("PAGE_TOKEN_INVALID");
  });
});

describe("Recall gives", () => {
  test("messages with what is around them, documents, parts and passages", async () => {
    const around = { before: [stored("b1"), stored("b2")], after: [stored("a1")] };
    const page = storedDocument("d", "text of it", {
      embedding: { model: "m", values: Float32Array.of(1) },
    });
    scriptRecall(server, {
      recall: () => ({
        ...NOTHING_FOUND,
        hits: [messageHit("found", around), documentHit(page, { rerankScore: -0.5 })],
      }),
    });
    const { hits } = await server.client.call("recall", { query: "q" });
    const [first, second] = hits;
    expect(first).toMatchObject({ score: 2.5, relevance: 0.75, passage: "passage" });
    expect(first?.rerankScore).toBeUndefined();
    if (first?.record?.$case !== "message") throw new Error("no message");
    const { value } = first.record;
    expect([value.sessionId, value.userId, value.message?.text]).toEqual(["s", "u", "found"]);
    expect(value.before.map(({ text }) => text)).toEqual(["b1", "b2"]);
    expect(value.after.map(({ text }) => text)).toEqual(["a1"]);
    if (second?.record?.$case !== "document") throw new Error("no document");
    expect(second.record.value).toMatchObject({ documentId: "d", text: "text of it" });
    expect(second.record.value.embedding).toBeUndefined();
    expect(second.rerankScore).toBe(-0.5);
  });

  test("each feature of a score under its own name", async () => {
    scriptRecall(server, { recall: () => ({ ...NOTHING_FOUND, hits: [messageHit("x")] }) });
    const { hits } = await server.client.call("recall", { query: "q" });
    const names = hits[0]?.parts.map(
      ({ feature }) => Object.entries(ScoreFeature).find(([, value]) => value === feature)?.[0],
    );
    const expected = SCORE_FEATURES.map((name) =>
      name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    );
    expect(names).toEqual(expected);
    const known = Object.keys(ScoreFeature).filter((name) => !/UNSPECIFIED|UNREC/.test(name));
    expect([...expected].sort()).toEqual(known.sort());
    expect(hits[0]?.parts[3]).toMatchObject({ value: 3, weight: 0.5, score: 1.5 });
  });

  test("sessions and collections of groups, and what was looked at", async () => {
    scriptRecall(server, {
      recall: () => ({
        ...NOTHING_FOUND,
        groups: [
          { kind: "session", id: "s", score: 3, hitCount: 2 },
          { kind: "collection", id: "c", score: 1, hitCount: 1 },
        ],
        coverage: {
          ...{ complete: false, pendingCount: 7, leftOutCount: 8, dense: "unavailable" },
          ...{ embeddingModel: "static", withoutVectorCount: 9, rerank: "used" },
        },
      }),
    });
    const answer = await server.client.call("recall", { query: "q" });
    expect(answer.sessions).toEqual([
      { sessionId: "s", collectionId: "", score: 3, hitCount: 2 },
      { sessionId: "", collectionId: "c", score: 1, hitCount: 1 },
    ]);
    expect(answer.coverage).toEqual({
      ...{ complete: false, pendingCount: 7n, leftOutCount: 8n, dense: DenseState.UNAVAILABLE },
      ...{ embeddingModel: "static", withoutVectorCount: 9n },
      rerank: RerankState.USED,
    });
  });
});

const FAILURES: readonly (readonly [ErrorReason, string, AppError, object])[] = [
  [
    "DOCUMENT_NOT_FOUND",
    "NOT_FOUND",
    documentNotFound("d"),
    { details: ["ErrorInfo", "ResourceInfo"], metadata: { document_id: "d" } },
  ],
  [
    "COLLECTION_LIMIT_REACHED",
    "RESOURCE_EXHAUSTED",
    collectionLimitReached(),
    { details: ["ErrorInfo", "QuotaFailure"], metadata: { limit: "100000" } },
  ],
  [
    "EMBEDDING_MISMATCH",
    "INVALID_ARGUMENT",
    embeddingMismatch({ model: "m", dimensions: 3 }),
    { metadata: { model: "m", dimensions: "3" } },
  ],
  ["EMBEDDER_UNAVAILABLE", "UNAVAILABLE", embedderUnavailable(), { retryAfterMs: 2_000 }],
  ["EMBEDDER_OFF", "FAILED_PRECONDITION", embedderOff(), {}],
];

describe("a failure of the service", () => {
  test.each(FAILURES)("reaches the caller: %s", async (reason, code, error, more) => {
    const fail = () => {
      throw error;
    };
    scriptRecall(server, { recall: fail, getDocument: fail });
    const failure = await server.client.fail("recall", { query: "q" }, { anyReason: true });
    expect(failure).toMatchObject({ reason, code, domain: "memorysidecar.io", ...more });
    const get = server.client.fail("getDocument", { documentId: "d" }, { anyReason: true });
    expect(await get).toEqual(failure);
  });
});

/** Upserts and gives what the service was asked for. */
async function askedToWrite(
  fields: Parameters<typeof requestBytes<"upsertDocuments">>[1],
): Promise<UpsertDocumentsInput> {
  const inputs: UpsertDocumentsInput[] = [];
  scriptRecall(server, {
    upsertDocuments: (input) => {
      inputs.push(input);
      const one = { documentId: "d", created: true, etag: "e", chunkIds: ["d#0", "d#1"] };
      return input.encode({ documents: [one], revision: 5 });
    },
  });
  expect(await server.client.call("upsertDocuments", fields)).toEqual({
    documents: [{ documentId: "d", created: true, etag: "e", chunkDocumentIds: ["d#0", "d#1"] }],
    revision: 5n,
  });
  const [input] = inputs;
  if (input === undefined) throw new Error("the service was not asked");
  return input;
}

describe("UpsertDocuments", () => {
  test("keeps what the caller may say and fills in what the server says", async () => {
    const given = document({
      collectionId: "c",
      documentId: "d",
      text: "all of it",
      author: "Ann",
      metadata: struct({ a: 1 }),
      labels: new Map([["k", "v"]]),
      documentTime: { seconds: 9n, nanos: 0 },
      importance: 0,
      embedding: embedding({ values: [0, 2] }),
      trust: Trust.LOW,
      sourceDocumentId: "forged",
      chunkIndex: 7,
      chunkCount: 8,
      chunkOffset: 9,
      spaceBefore: "forged",
      spaceAfter: "forged",
      writer: "forged",
      createTime: { seconds: 1n, nanos: 0 },
      etag: "e0",
    });
    const input = await askedToWrite({ collectionId: "c", documents: [given] });
    expect(input).toMatchObject({ namespace: "default", collectionId: "c", splitter: undefined });
    const [draft] = input.documents;
    expect(draft).toMatchObject({ documentId: "d", etag: "e0", text: "all of it" });
    expect(draft?.embedding).toEqual({ model: "m", values: Float32Array.of(0, 1) });
    if (draft === undefined) throw new Error("no draft");
    const stamp = {
      ...{ documentId: "d#1", collectionId: "c", text: "of it", writer: "me", etag: "e1" },
      ...{ createMs: 1_000, updateMs: 2_000 },
      chunk: { sourceId: "d", index: 1, count: 2, offset: 4, spaceBefore: " ", spaceAfter: "" },
    };
    const written = Document.decode(DOCUMENT_FORMS.encodeDocument(draft, stamp));
    expect(written).toEqual({
      ...given,
      documentId: "d#1",
      text: "of it",
      embedding: undefined,
      ...{ sourceDocumentId: "d", chunkIndex: 1, chunkCount: 2, chunkOffset: 4 },
      ...{ spaceBefore: " ", spaceAfter: "" },
      ...{ writer: "me", etag: "e1" },
      createTime: { seconds: 1n, nanos: 0 },
      updateTime: { seconds: 2n, nanos: 0 },
    });
    // The draft is as it was: the next chunk is made from it.
    const whole = { ...stamp, documentId: "d", text: "all of it", chunk: undefined };
    const second = Document.decode(DOCUMENT_FORMS.encodeDocument(draft, whole));
    expect(second).toMatchObject({
      ...{
        text: "all of it",
        chunkCount: 0,
        sourceDocumentId: "",
        spaceBefore: "",
        spaceAfter: "",
      },
    });
  });

  test("trusts a document as the conversation unless the caller says less", async () => {
    const { documents } = await askedToWrite({ documents: [document()] });
    const [draft] = documents;
    if (draft === undefined) throw new Error("no draft");
    const stamp = {
      ...{ documentId: "d", collectionId: "c", text: "", writer: "me", etag: "e1" },
      ...{ createMs: 1_000, updateMs: 1_000, chunk: undefined },
    };
    const { trust } = Document.decode(DOCUMENT_FORMS.encodeDocument(draft, stamp));
    expect(trust).toBe(Trust.MEDIUM);
  });

  test("writes out how texts are split", async () => {
    const documents = [document()];
    const split = async (splitter: object) =>
      (await askedToWrite({ documents, splitter: { chunkChars: 0, ...splitter } })).splitter;
    expect(await split({})).toEqual({ chunkChars: 1_000, overlapChars: 100 });
    expect(await split({ chunkChars: 59 })).toEqual({ chunkChars: 59, overlapChars: 5 });
    expect(await split({ chunkChars: 59, overlapChars: 0 })).toEqual({
      chunkChars: 59,
      overlapChars: 0,
    });
  });
});

describe("documents", () => {
  const vector = Float32Array.of(0.5, -0.25);
  const page = storedDocument("d", "text", { embedding: { model: "m", values: vector } });

  test("come with their embedding where it is asked for", async () => {
    scriptRecall(server, {
      getDocument: () => page,
      listDocuments: () => ({
        ...{ documents: [page, page], next: { collectionId: "default", documentNo: 7 } },
      }),
      recall: () => ({ ...NOTHING_FOUND, hits: [documentHit(page, { score: 0.25 })] }),
      searchDocuments: () => ({ matches: [{ document: page, score: 0.25 }], next: undefined }),
    });
    const without = await server.client.call("getDocument", { documentId: "d" });
    expect(without.document?.embedding).toBeUndefined();
    const request = { documentId: "d", includeEmbedding: true };
    const { document: got } = await server.client.call("getDocument", request);
    const expected = { values: [0.5, -0.25], model: "m" };
    expect(got).toMatchObject({ documentId: "d", text: "text", embedding: expected });
    const list = await server.client.call("listDocuments", { includeEmbeddings: true });
    expect(list.documents.map((one) => one.embedding)).toEqual([expected, expected]);
    const bare = await server.client.call("listDocuments", {});
    expect(bare.documents.map((one) => one.embedding)).toEqual([undefined, undefined]);
    const filter = recallFilter({ collectionIds: ["default"] });
    for (const ask of [{}, { filter, scoring: "cosine" }, { filter, scoring: "tf_idf" }]) {
      const { hits } = await server.client.call("recall", { ...ask, includeEmbeddings: true });
      expect(hits).toMatchObject([{ score: 0.25, record: { $case: "document", value: got } }]);
      const plain = (await server.client.call("recall", ask)).hits[0]?.record;
      expect(plain).toMatchObject({ value: { documentId: "d", embedding: undefined } });
    }
  });

  test("are listed from where the page before ended", async () => {
    const inputs: object[] = [];
    scriptRecall(server, {
      listDocuments: (input) => {
        inputs.push(input);
        return { documents: [], next: { collectionId: "c/d", documentNo: 7 } };
      },
      listCollections: (input) => {
        inputs.push(input);
        return { collections: [], next: "é" };
      },
    });
    const { nextPageToken } = await server.client.call("listDocuments", { pageSize: 9_999 });
    await server.client.call("listDocuments", { pageToken: nextPageToken });
    expect(inputs.splice(0)).toMatchObject([
      { collectionId: "default", after: 0, limit: 1_000, withEmbeddings: false },
      { after: 7, limit: 100 },
    ]);
    const deep = { collectionId: "c", recursive: true };
    const token = (await server.client.call("listDocuments", deep)).nextPageToken;
    await server.client.call("listDocuments", { ...deep, pageToken: token });
    expect(inputs.splice(0)).toMatchObject([
      { collectionId: "c", isRecursive: true, after: 0 },
      { collectionId: "c", isRecursive: true, after: 7, startIn: "c/d" },
    ]);
    const collections = await server.client.call("listCollections", {});
    await server.client.call("listCollections", { pageToken: collections.nextPageToken });
    expect(inputs).toMatchObject([{ after: "", limit: 100 }, { after: "é" }]);
  });

  test("are searched as the request says", async () => {
    const inputs: SearchDocumentsInput[] = [];
    scriptRecall(server, {
      searchDocuments: (input) => {
        inputs.push(input);
        return { matches: [], next: input.offset + 7 };
      },
    });
    const filter = recallFilter({ collectionIds: ["c"], sourceDocumentId: "s" });
    const ask = { filter, scoring: "cosine", minScore: -1 };
    const { nextPageToken } = await server.client.call("recall", ask);
    await server.client.call("recall", { ...ask, pageSize: 1_000, pageToken: nextPageToken });
    await server.client.call("recall", { filter, scoring: "tf_idf", pageSize: 3 });
    expect(inputs).toMatchObject([
      { scoring: "cosine", limit: 10, offset: 0, minScore: -1, collectionId: "c" },
      { scoring: "cosine", limit: 993, offset: 7, filter: { sourceDocumentId: "s" } },
      { scoring: "tf_idf", limit: 3, minScore: undefined },
    ]);
  });
});

describe("Embed", () => {
  test("gives the vectors as they are, and says what made them", async () => {
    scriptRecall(server, {
      embed: ({ purpose, texts }) => ({
        model: `m-${purpose}`,
        vectors: texts.map(() => Float32Array.of(0.1, 0)),
      }),
    });
    const { embeddings } = await server.client.call("embed", { texts: ["a", ""] });
    const one = { values: [Math.fround(0.1), 0], model: "m-passage" };
    expect(embeddings).toEqual([one, one]);
    const query = await server.client.call("embed", { texts: ["a"], purpose: 2 });
    expect(query.embeddings[0]?.model).toBe("m-query");
  });
});

describe("CountTokens", () => {
  test("adds quarters of tokens up before it rounds, and names the rule", async () => {
    const inputs: CountTokensInput[] = [];
    scriptRecall(server, {
      countTokens: (input) => {
        inputs.push(input);
        return { texts: [1.75, 0.25], messages: [2.5], rule: "chars-sum-4" };
      },
    });
    const messages = [message({ text: "x" })];
    const answer = await server.client.call("countTokens", { texts: ["a"], messages });
    expect(answer).toEqual({
      textTokenCounts: [1, 0],
      messageTokenCounts: [2],
      totalTokenCount: 4n,
      tokenRule: TokenRule.PRESET,
      tokenPreset: "chars_sum_4",
    });
    await server.client.call("countTokens", { tokenRule: 6, model: "gpt-4" });
    expect(inputs.map(({ policy }) => [policy.tokenRule, policy.model])).toEqual([
      ["bytes-div-4", ""],
      ["model", "gpt-4"],
    ]);
  });
});

describe("the largest answers fit a stock client", () => {
  const sizeOf = async (...[method, fields]: Parameters<typeof requestBytes>): Promise<number> => {
    const outcome = await server.client.raw(
      method as Parameters<TestServer["client"]["raw"]>[0],
      requestBytes(method, fields),
    );
    if ("failure" in outcome) throw new Error(outcome.failure.message);
    return outcome.bytes.length;
  };

  test("of 128 vectors of 4,096 values", async () => {
    const model = "m".repeat(127);
    scriptRecall(server, {
      embed: ({ texts }) => ({ model, vectors: texts.map(() => new Float32Array(4_096).fill(1)) }),
    });
    const texts = Array.from({ length: 128 }, () => "a");
    expect(await sizeOf("embed", { texts })).toBeLessThan(STOCK_MAX);
  });

  test("of 3 MiB of messages with every part of a score and the longest passage", async () => {
    const text = "x".repeat(Math.floor(3_145_728 / 100) - 100);
    const hit = { ...messageHit(text), passage: "p".repeat(4_096) };
    const hits = Array.from({ length: 100 }, () => hit);
    scriptRecall(server, { recall: () => ({ ...NOTHING_FOUND, hits }) });
    expect(await sizeOf("recall", { query: "q" })).toBeLessThan(STOCK_MAX);
  });
});
