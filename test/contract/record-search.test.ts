// Goal: records that searches find through the contract: by documents of their own, which come,
// live and go with them, and which nothing else writes or deletes.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Document } from "../../src/gen/memorysidecar/v1/document.ts";
import type { RecallHit } from "../../src/gen/memorysidecar/v1/recall.ts";
import type { NamedRecord, RecordOperation } from "../../src/gen/memorysidecar/v1/record.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { times, x } from "../support/contract/limits.ts";
import { deleteOf, named, nameOf, recordScene } from "../support/contract/record-scene.ts";
import {
  document,
  documentFilter,
  EVERYONE,
  embedding,
  exactly,
  memoryScope,
  message,
  recallFilter,
  recordRange,
} from "../support/contract/samples.ts";
import { eventually } from "../support/process/summary-reader.ts";

let server: TestServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const scene = () => recordScene(server, `f${++namespaces}`);

/** Documents with these texts, for `search`. */
function search(...texts: readonly (string | Partial<Document>)[]): NamedRecord["search"] {
  const documents = texts.map((one) => document(typeof one === "string" ? { text: one } : one));
  return { collectionId: "c", documents, documentCount: 0 };
}

const putOf = (name: string, fields: Partial<NamedRecord>): RecordOperation => ({
  operation: { $case: "put", value: { record: named(name, fields), precondition: undefined } },
});

async function documents(namespace: string, collectionId = "c"): Promise<readonly Document[]> {
  const filter = documentFilter({ scope: EVERYONE });
  const request = { namespace, collectionId, filter };
  return (await server.client.call("listDocuments", request)).documents;
}

const textsIn = async (namespace: string, collectionId = "c") =>
  (await documents(namespace, collectionId)).map(({ text }) => text);

async function recall(namespace: string, query: string, fields: object = {}) {
  const filter = recallFilter({ collectionIds: ["c"] });
  return await server.client.call("recall", { namespace, query, filter, ...fields });
}

function documentOf({ record }: RecallHit): Document | undefined {
  return record?.$case === "document" ? record.value : undefined;
}

/** The hits in words: the record, the place of the document, and the value that came along. */
function shown(hits: readonly RecallHit[]): readonly string[] {
  return hits.map((hit) => {
    const { record } = documentOf(hit) ?? {};
    const name = record === undefined ? "" : [...record.path, record.key].join("/");
    const value = hit.foundRecord?.record?.value.toString() ?? "-";
    return `${name}#${record?.index} ${value}`;
  });
}

describe("a record with documents", () => {
  test("is found by them, and its answers count them", async () => {
    const { get, namespace, put } = scene();
    await put("p/q/otter", { search: search("Otters hold hands while they sleep.", "Rivers") });
    await put("p/none");
    expect((await get("p/q/otter"))?.search).toEqual({
      ...{ collectionId: "c", documents: [], documentCount: 2 },
    });
    expect((await get("p/none"))?.search).toBeUndefined();
    const range = recordRange({ path: ["p"], recursive: true });
    const { records } = await server.client.call("listRecords", { namespace, range });
    expect(records.map((one) => one.search?.documentCount)).toEqual([undefined, 2]);
    const { hits } = await recall(namespace, "which animals hold hands?", { includeRecords: true });
    expect(shown(hits)[0]).toBe("p/q/otter#0 p/q/otter");
    expect(hits[0]?.foundRecord?.record).toMatchObject({ key: "otter", version: 1n });
  });

  test("gives its documents its owner, its life, and ids of the server", async () => {
    const { namespace, put } = scene();
    const owner = memoryScope({ userId: "ann" });
    const { outcome } = await put("p/a", {
      ...{ owner, ttl: { seconds: 90n, nanos: 0 } },
      search: search({ text: "one", labels: new Map([["kind", "fact"]]), author: "bob" }),
    });
    expect(await documents(namespace)).toEqual([
      document({
        ...{ collectionId: "c", text: "one", author: "bob", scope: owner, writer: "local" },
        documentId: expect.stringMatching(/^record:[0-9a-f]{64}:0$/) as string,
        ...{ labels: new Map([["kind", "fact"]]), trust: 2, etag: outcome?.etag ?? "" },
        ...{ ttl: { seconds: 90n, nanos: 0 }, expireTime: outcome?.expireTime },
        ...{ createTime: outcome?.createTime, updateTime: outcome?.updateTime },
        record: { path: ["p"], key: "a", index: 0 },
      }),
    ]);
    const found = async (filter: object) =>
      (await recall(namespace, "one", { filter: recallFilter(filter) })).hits.length;
    expect(await found({})).toBe(0);
    expect(await found({ scope: exactly({ userId: "ann" }) })).toBe(1);
    expect(await found({ scope: exactly({ userId: "eve" }) })).toBe(0);
  });

  test("takes them along as it is put again, in a transaction, and with an append", async () => {
    const { namespace, put, write } = scene();
    const first = await put("p/a", { search: search("one", "two") });
    await put("p/a", { search: search("uno") }, { requestId: "r" });
    await put("p/a", { search: search("uno") }, { requestId: "r" });
    expect(await textsIn(namespace)).toEqual(["uno"]);
    const [{ createTime, etag } = document()] = await documents(namespace);
    expect([createTime, etag !== first.outcome?.etag]).toEqual([first.outcome?.createTime, true]);
    await put("p/a", { search: { ...search("eins"), collectionId: "d" } as never });
    expect([await textsIn(namespace), await textsIn(namespace, "d")]).toEqual([[], ["eins"]]);
    await write([putOf("p/a", {}), putOf("p/b", { search: search("bee") }), deleteOf("p/x")]);
    expect([await textsIn(namespace), await textsIn(namespace, "d")]).toEqual([["bee"], []]);
    const append = { namespace, sessionId: "s", messages: [message({ text: "hi" })] };
    await server.client.call("appendMessages", {
      ...{ ...append, createSession: true },
      recordOperations: [putOf("p/a", { search: search("sea") }), deleteOf("p/b")],
    });
    expect(await textsIn(namespace)).toEqual(["sea"]);
    const failing = [
      putOf("p/a", { search: search("never") }),
      putOf("p/b", { etag: "x", search: search("never") }),
    ];
    await server.client.fail("writeRecords", { namespace, operations: failing });
    expect(await textsIn(namespace)).toEqual(["sea"]);
  });

  test("takes them away as it is deleted, alone or with a range", async () => {
    const { namespace, put } = scene();
    for (const key of ["a", "b", "c"]) await put(`p/${key}`, { search: search(key) });
    await server.client.call("deleteRecord", { namespace, ...nameOf("p/b") });
    expect(await textsIn(namespace)).toEqual(["a", "c"]);
    const range = recordRange({ path: ["p"] });
    await server.client.call("deleteRecords", { namespace, range });
    expect(await textsIn(namespace)).toEqual([]);
    expect((await recall(namespace, "a b c")).hits).toEqual([]);
  });

  test("tells of them in the revision of the change", async () => {
    const { events, put } = scene();
    await put("p/a", { search: search("one", "two") });
    await put("p/a", { search: search("uno") });
    await put("p/a");
    const told = (await events()).map(({ detail, revision }) => {
      const ids = detail?.$case.startsWith("documents")
        ? (detail.value as { documentIds: string[] }).documentIds.length
        : "";
      return `${revision} ${detail?.$case} ${ids}`.trim();
    });
    expect(told).toEqual([
      "1 recordsWritten",
      "1 documentsUpserted 2",
      "2 recordsWritten",
      "2 documentsUpserted 1",
      "2 documentsDeleted 1",
      "3 recordsWritten",
      "3 documentsDeleted 1",
    ]);
  });

  test("lets them live on as a read lets it", async () => {
    const { get, namespace, put } = scene();
    await put("p/a", { ttl: { seconds: 4n, nanos: 0 }, search: search("one") });
    const endOf = async () => (await documents(namespace))[0]?.expireTime;
    const first = await endOf();
    await new Promise((done) => setTimeout(done, 200));
    const kept = await get("p/a", { refreshTtl: true });
    expect(await endOf()).toEqual(kept?.expireTime);
    expect(await endOf()).not.toEqual(first);
    const [{ documentId } = document()] = await documents(namespace);
    const refresh = { namespace, collectionId: "c", documentIds: [documentId] };
    const { documents: refreshed } = await server.client.call("refreshDocuments", refresh);
    expect(refreshed).toEqual([{ documentId, expireTime: kept?.expireTime }]);
    await eventually("the end of both", 30_000, async () => {
      const { length } = await documents(namespace);
      return length === 0 || undefined;
    });
    expect((await recall(namespace, "one")).hits).toEqual([]);
    await eventually("the events of both", 10_000, async () => {
      const { events } = await server.client.call("listEvents", { namespace });
      const kinds = events.map(({ detail }) => detail?.$case);
      return (kinds.includes("recordsDeleted") && kinds.includes("documentsDeleted")) || undefined;
    });
  });
});

describe("a recall of records", () => {
  async function filled() {
    const found = scene();
    await found.put("p/a", { search: search("otter river", "otter river bank", "otter") });
    await found.put("p/b", { search: search("otter river sea") });
    await server.client.call("upsertDocuments", {
      ...{ namespace: found.namespace, collectionId: "c" },
      documents: [document({ documentId: "own", text: "otter river" })],
    });
    return found;
  }

  test("gives the best document of each record only, when that is asked for", async () => {
    const { namespace } = await filled();
    const all = (await recall(namespace, "otter river")).hits;
    expect(all.length).toBe(5);
    const best = (await recall(namespace, "otter river", { bestOfRecord: true })).hits;
    const firstOf = new Map(
      all.toReversed().map((hit) => [documentOf(hit)?.record?.key ?? "own", documentOf(hit)]),
    );
    expect(best.map(documentOf)).toEqual(
      all.map(documentOf).filter((one) => firstOf.get(one?.record?.key ?? "own") === one),
    );
    expect(best.length).toBe(3);
  });

  test.each([
    ["the default scoring", {}],
    ["cosine", { scoring: "cosine" }],
    ["tf_idf", { scoring: "tf_idf" }],
  ])("goes on over pages without a record twice, by %s", async (_, by) => {
    const { namespace } = await filled();
    const keys: string[] = [];
    let pageToken = "";
    for (let pages = 0; pages < 9; pages += 1) {
      const ask = { ...by, pageSize: 1, pageToken, bestOfRecord: true };
      const page = await recall(namespace, "otter river", ask);
      keys.push(...page.hits.map((hit) => documentOf(hit)?.record?.key ?? "own"));
      pageToken = page.nextPageToken;
      if (pageToken === "") break;
    }
    expect(keys.toSorted()).toEqual(["a", "b", "own"]);
  });

  test("gives the record with the first of its hits", async () => {
    const { namespace } = await filled();
    for (const by of [{}, { scoring: "tf_idf" }]) {
      const { hits } = await recall(namespace, "otter river", { ...by, includeRecords: true });
      const first = new Set<string>();
      for (const hit of hits) {
        const key = documentOf(hit)?.record?.key ?? "";
        const isFirst = key !== "" && !first.has(key);
        first.add(key);
        expect(hit.foundRecord?.record?.value.toString()).toBe(isFirst ? `p/${key}` : undefined);
      }
    }
    const { hits } = await recall(namespace, "otter river");
    expect(hits.every(({ foundRecord }) => foundRecord === undefined)).toBe(true);
  });

  test("leaves out values that the answer has no room for", async () => {
    const { namespace, put } = scene();
    const value = Buffer.alloc(LIMITS.recordValueBytes, 1);
    await put("p/a", { value, search: search("otter") });
    await put("p/b", { value: Buffer.from("b"), search: search("otter bank") });
    const { hits } = await recall(namespace, "otter", { includeRecords: true });
    const found = new Map(hits.map(({ foundRecord: one }) => [one?.record?.key, one]));
    expect(found.get("a")).toMatchObject({ valueOmitted: true, record: { valueSize: 4_128_768n } });
    expect(found.get("b")).toMatchObject({ valueOmitted: false });
  });

  test("gives a payload that has no room on the page whole on the next one", async () => {
    const { namespace, put } = scene();
    await put("p/a", { search: search("otter otter", "otter otter bank") });
    const payload = { data: Buffer.alloc(1_700_000, 1), mediaType: "" };
    for (const documentId of ["x", "y"]) {
      const long = document({ documentId, text: `otter ${"river ".repeat(40)}`, payload });
      const request = { namespace, collectionId: "c", documents: [long] };
      await server.client.call("upsertDocuments", request);
    }
    const fields = { bestOfRecord: true, includePayloads: true, pageSize: 100 };
    const first = await recall(namespace, "otter", fields);
    const { nextPageToken: pageToken } = first;
    const second = await recall(namespace, "otter", { ...fields, pageToken });
    const sizes = ({ hits }: typeof first) =>
      hits.map((hit) => documentOf(hit)?.payload?.data.length ?? 0);
    expect([sizes(first), sizes(second)]).toEqual([[0, 1_700_000], [1_700_000]]);
  });

  test("goes by vectors that the caller gave", async () => {
    const { namespace, put } = scene();
    const near = embedding({ model: "m", values: [1, 0] });
    const far = embedding({ model: "m", values: [0, 1] });
    await put("p/a", { search: search({ embedding: far }, { embedding: near }) });
    await put("p/b", { search: search({ embedding: far }) });
    const ask = { scoring: "cosine", embedding: near, bestOfRecord: true, includeRecords: true };
    const { hits } = await recall(namespace, "", ask);
    expect(shown(hits)).toEqual(["p/a#1 p/a", "p/b#0 p/b"]);
    expect(hits.map(({ score }) => Math.round(score * 1_000))).toEqual([1_000, 0]);
  });
});

describe("nothing else writes or deletes the documents of a record", () => {
  async function kept() {
    const found = scene();
    await found.put("p/a", { search: search("one") });
    const [{ documentId } = document()] = await documents(found.namespace);
    return { ...found, documentId, at: { namespace: found.namespace, collectionId: "c" } };
  }

  test("no upsert, no deletion, and no clear", async () => {
    const { at, documentId, namespace } = await kept();
    const error = { code: "FAILED_PRECONDITION", reason: "DOCUMENT_OF_RECORD" };
    const put = { ...at, documents: [document({ documentId, text: "own" })] };
    expect(await server.client.fail("upsertDocuments", put)).toMatchObject({
      ...{ ...error, metadata: { document_id: documentId } },
    });
    const remove = { ...at, documentIds: [documentId], allowMissing: true };
    expect(await server.client.fail("deleteDocuments", remove)).toMatchObject(error);
    expect(await server.client.fail("clearCollection", at)).toMatchObject({
      ...{ ...error, metadata: { collection_id: "c", documents: "1" } },
    });
    expect(await textsIn(namespace)).toEqual(["one"]);
    await server.client.call("deleteRecord", { namespace, ...nameOf("p/a") });
    await server.client.call("clearCollection", at);
  });

  test("a purge passes them over", async () => {
    const { at, namespace } = await kept();
    const own = document({ documentId: "own", text: "own" });
    await server.client.call("upsertDocuments", { ...at, documents: [own] });
    const request = { ...at, filter: documentFilter({ scope: EVERYONE }) };
    const dry = await server.client.call("purgeDocuments", request);
    expect(dry).toMatchObject({ documentCount: 1, sampleDocumentIds: ["own"] });
    await server.client.call("purgeDocuments", { ...request, force: true });
    expect(await textsIn(namespace)).toEqual(["one"]);
  });

  test("what a caller says of the record of a document is ignored", async () => {
    const { at, namespace } = await kept();
    const given = { documentId: "own", text: "own", record: { path: ["p"], key: "a", index: 7 } };
    await server.client.call("upsertDocuments", { ...at, documents: [document(given)] });
    const own = (await documents(namespace)).find(({ documentId }) => documentId === "own");
    expect(own?.record).toBeUndefined();
    await server.client.call("deleteDocuments", { ...at, documentIds: ["own"] });
  });
});

test.each<[string, string, NamedRecord["search"]]>([
  ["no documents", "search.documents", search()],
  ["too many", "search.documents", search(...times(257, () => "x"))],
  ["an id", "search.documents[1].document_id", search("x", { text: "x", documentId: "d" })],
  ["a collection", "search.documents[0].collection_id", search({ text: "x", collectionId: "c" })],
  ["an etag", "search.documents[0].etag", search({ text: "x", etag: "e" })],
  ["a scope", "search.documents[0].scope", search({ text: "x", scope: memoryScope({}) })],
  ["a ttl", "search.documents[0].ttl", search({ text: "x", ttl: { seconds: 9n, nanos: 0 } })],
  [
    "a payload",
    "search.documents[0].payload",
    search({ text: "x", payload: { data: Buffer.from("x"), mediaType: "" } }),
  ],
  ["nothing to find", "search.documents[0].text", search({})],
  ["high trust", "search.documents[0].trust", search({ text: "x", trust: 3 })],
  ["a large one", "search.documents[0]", search(x(LIMITS.documentBytes))],
  ["a bad collection", "search.collection_id", { ...search("x"), collectionId: "a//b" } as never],
  [
    "a long collection",
    "search.collection_id",
    { ...search("x"), collectionId: "c".repeat(513) } as never,
  ],
])("a put with %s is refused, and nothing is written", async (_, path, wrong) => {
  const { fail, namespace } = scene();
  const record = named("p/a", { search: wrong });
  const one = await server.client.fail("putRecord", { namespace, record });
  expect(one).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
  expect(one.fields).toContain(`record.${path}`);
  const operations = [putOf("p/b", {}), putOf("p/a", { search: wrong })];
  const several = await server.client.fail("writeRecords", { namespace, operations });
  expect(several.fields).toContain(`operations[1].put.record.${path}`);
  expect((await fail("p/b")).reason).toBe("RECORD_NOT_FOUND");
});

test("a call writes at most 1,000 documents of records", async () => {
  const { namespace, write } = scene();
  const operations = times(4, (at) =>
    putOf(`p/${at}`, { search: search(...times(250, () => "x")) }),
  );
  await write(operations);
  const more = [...operations, putOf("p/more", { search: search("x") })];
  const failure = await server.client.fail("writeRecords", { namespace, operations: more });
  expect(failure.fields).toEqual(["operations"]);
  const page = { namespace, collectionId: "c", pageSize: 1_000 };
  expect((await server.client.call("listDocuments", page)).documents.length).toBe(1_000);
});

test.each([
  ["best_of_record", { bestOfRecord: true, groupBySession: { hitsPerSession: 1 } }],
  ["best_of_record", { bestOfRecord: true, filter: recallFilter({ kinds: [3] }) }],
  ["include_records", { includeRecords: true, filter: recallFilter({ kinds: [3] }) }],
  ["best_of_record", { bestOfRecord: true, scoring: "overlap", filter: undefined }],
  ["include_records", { includeRecords: true, scoring: "overlap", filter: undefined }],
])("a recall refuses %s where it has no effect", async (path, fields) => {
  const filter = recallFilter();
  const failure = await server.client.fail("recall", { query: "x", filter, ...fields });
  expect(failure.fields).toContain(path);
});
