// Documents through the contract: how they are written, split, replaced, listed and deleted, what
// events tell of it, and what fails.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Document, DocumentFilter } from "../../src/gen/memorysidecar/v1/document.ts";
import { EventType } from "../../src/gen/memorysidecar/v1/event.ts";
import { Trust } from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  document,
  documentFilter,
  EVERYONE,
  embedding,
  memoryScope,
  ownedBy,
  recallFilter,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const page = (documentId: string, text = documentId, fields: Partial<Document> = {}) =>
  document({ documentId, text, ...fields });

async function upsert(collectionId: string, documents: Document[], fields: object = {}) {
  return await server.client.call("upsertDocuments", { collectionId, documents, ...fields });
}

const get = async (collectionId: string, documentId: string, includeEmbedding = false) => {
  const request = { collectionId, documentId, includeEmbedding };
  return (await server.client.call("getDocument", request)).document;
};

async function idsOf(collectionId: string, filter: Partial<DocumentFilter> = {}) {
  const whole = { ...DocumentFilter.decode(new Uint8Array(0)), ...filter };
  const { documents } = await server.client.call("listDocuments", { collectionId, filter: whole });
  return documents.map(({ documentId }) => documentId);
}

describe("UpsertDocuments", () => {
  test("stores what is given, and fills in the rest", async () => {
    const given = page("guide", "Press the button.", {
      author: "Ann",
      metadata: struct({ page: 3, tags: ["a"] }),
      labels: new Map([["kind", "manual"]]),
      documentTime: { seconds: -1n, nanos: 5 },
      importance: 0.25,
      embedding: embedding({ values: [3, 4], model: "mine" }),
      trust: Trust.LOW,
    });
    const { documents, revision } = await upsert("store", [given, document({ text: "no id" })]);
    expect(documents.map(({ created, chunkDocumentIds }) => [created, chunkDocumentIds])).toEqual([
      [true, []],
      [true, []],
    ]);
    expect(revision).toBeGreaterThan(0n);
    const stored = await get("store", "guide", true);
    expect(stored).toEqual({
      ...given,
      ...{ createTime: stored?.createTime, updateTime: stored?.createTime },
      collectionId: "store",
      embedding: { values: [Math.fround(0.6), Math.fround(0.8)], model: "mine" },
      writer: "local",
      etag: documents[0]?.etag,
      chunkCount: 0,
    });
    expect(stored?.createTime).toBeDefined();
    const made = documents[1]?.documentId ?? "";
    expect(made).not.toBe("");
    expect(await get("store", made)).toMatchObject({ text: "no id", trust: Trust.MEDIUM });
  });

  test("replaces a document as a whole, in its place", async () => {
    const first = await upsert("replace", [page("a"), page("b", "old", { author: "Ann" })]);
    const before = await get("replace", "b");
    server.advance(1_000);
    const second = await upsert("replace", [page("c"), page("b", "new"), page("a", "A")]);
    expect(second.documents.map(({ created }) => created)).toEqual([true, false, false]);
    expect(await idsOf("replace")).toEqual(["a", "b", "c"]);
    const after = await get("replace", "b");
    expect(after).toMatchObject({ text: "new", author: "", createTime: before?.createTime });
    expect(after?.etag).not.toBe(before?.etag);
    expect(after?.updateTime).not.toEqual(before?.updateTime);
    expect(first.revision).toBeLessThan(second.revision);
  });

  test("writes all documents or none when an etag is not the newest", async () => {
    const [old] = (await upsert("etags", [page("a")])).documents;
    const [newer] = (await upsert("etags", [page("a", "2", { etag: old?.etag ?? "" })])).documents;
    const documents = [page("b"), page("a", "3", { etag: old?.etag ?? "" })];
    const fields = { collectionId: "etags", documents };
    const failure = await server.client.fail("upsertDocuments", fields);
    expect(failure).toMatchObject({ code: "ABORTED", reason: "ETAG_MISMATCH" });
    expect(await idsOf("etags")).toEqual(["a"]);
    expect((await get("etags", "a"))?.etag).toBe(newer?.etag);
  });

  test("splits long texts into chunks that replace those from before", async () => {
    const text = Array.from({ length: 30 }, (_, at) => `Sentence number ${at} is here.`).join(" ");
    const splitter = { chunkChars: 100, overlapChars: 0 };
    const given = page("guide", text, { author: "Ann", labels: new Map([["k", "v"]]) });
    const { documents } = await upsert("split", [page("short"), given], { splitter });
    expect(documents[0]?.chunkDocumentIds).toEqual([]);
    expect(documents[0]?.etag).not.toBe("");
    const chunkIds = documents[1]?.chunkDocumentIds ?? [];
    expect(chunkIds.length).toBeGreaterThan(6);
    expect(chunkIds).toEqual(chunkIds.map((_, index) => `guide#${index}`));
    expect(documents[1]).toMatchObject({ documentId: "guide", created: true });
    expect(await idsOf("split")).toEqual(["short", ...chunkIds]);
    for (const [index, id] of chunkIds.entries()) {
      const chunk = await get("split", id);
      expect(chunk).toMatchObject({
        ...{ sourceDocumentId: "guide", chunkIndex: index, chunkCount: chunkIds.length },
        ...{ author: "Ann", labels: new Map([["k", "v"]]) },
      });
      const { text: part = "", chunkOffset = 0 } = chunk ?? {};
      expect([...text].slice(chunkOffset, chunkOffset + [...part].length).join("")).toBe(part);
      expect([...part].length).toBeLessThanOrEqual(100);
    }
    expect(await idsOf("split", { sourceDocumentId: "guide" })).toEqual(chunkIds);
    const again = await upsert("split", [page("guide", text.slice(0, 250))], { splitter });
    const fewer = again.documents[0]?.chunkDocumentIds ?? [];
    expect(fewer.length).toBeLessThan(chunkIds.length);
    expect(await idsOf("split", { sourceDocumentId: "guide" })).toEqual(fewer);
    const one = { collectionId: "split", documentIds: ["guide"] };
    expect((await server.client.call("deleteDocuments", one)).deletedCount).toBe(fewer.length);
    expect(await idsOf("split")).toEqual(["short"]);
  });

  test("gives a document that was split as a whole while it has all of its chunks", async () => {
    const text = `\n ${"Sentence by sentence, it goes on.  \n\n".repeat(20)} `;
    const splitter = { chunkChars: 100, overlapChars: 30 };
    const given = page("guide", text, { author: "Ann", labels: new Map([["k", "v"]]) });
    const { documents } = await upsert("whole", [given], { splitter });
    const [{ etag = "", chunkDocumentIds = [] } = {}] = documents;
    expect(etag).not.toBe("");
    const whole = await get("whole", "guide");
    expect(whole).toMatchObject({
      ...{ documentId: "guide", text, author: "Ann", labels: new Map([["k", "v"]]), etag },
      ...{ sourceDocumentId: "", chunkCount: chunkDocumentIds.length, chunkOffset: 0 },
      ...{ spaceBefore: "", spaceAfter: "" },
    });
    const stale = { collectionId: "whole", documentIds: ["guide"], etag: "r0" };
    expect((await server.client.fail("deleteDocuments", stale)).reason).toBe("ETAG_MISMATCH");
    const second = await upsert("whole", [page("guide", text, { etag })], { splitter });
    expect(second.documents[0]).toMatchObject({ created: false });
    const failure = await server.client.fail("upsertDocuments", {
      ...{ collectionId: "whole", documents: [page("guide", text, { etag })], splitter },
    });
    expect(failure.reason).toBe("ETAG_MISMATCH");
    const ids = ["guide#1"];
    await server.client.call("deleteDocuments", { collectionId: "whole", documentIds: ids });
    const missing = await server.client.fail("getDocument", {
      ...{ collectionId: "whole", documentId: "guide" },
    });
    expect(missing.reason).toBe("DOCUMENT_NOT_FOUND");
    expect((await get("whole", "guide#0"))?.sourceDocumentId).toBe("guide");
  });

  test("refuses a document that is too large, also one to be split", async () => {
    const failure = await server.client.fail("upsertDocuments", {
      ...{ collectionId: "large", documents: [page("a", "word ".repeat(210_000))] },
      splitter: { chunkChars: 100_000, overlapChars: 0 },
    });
    expect(failure.reason).toBe("REQUEST_INVALID");
    expect(failure.fields).toEqual(["documents[0]"]);
  });

  test("refuses more than 1,000 documents and chunks in one call", async () => {
    const splitter = { chunkChars: 50, overlapChars: 0 };
    const fields = {
      collectionId: "many",
      documents: [page("a", "word ".repeat(20_000))],
      splitter,
    };
    const failure = await server.client.fail("upsertDocuments", fields);
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(await idsOf("many")).toEqual([]);
  });

  test("refuses a document that is too large with what the server adds", async () => {
    const large = (length: number) => ({
      collectionId: "large",
      documents: [page("ok"), page("a", "x".repeat(length))],
    });
    const failure = await server.client.fail("upsertDocuments", large(LIMITS.documentBytes - 20));
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["documents[1]"] });
    expect(await idsOf("large")).toEqual([]);
    await server.client.call("upsertDocuments", large(LIMITS.documentBytes - 120));
    const values = Array.from({ length: 4_096 }, () => 1);
    const vector = page("b", "x".repeat(LIMITS.documentBytes - 16_000), {
      embedding: embedding({ values }),
    });
    const second = await server.client.fail("upsertDocuments", {
      collectionId: "large",
      documents: [vector],
    });
    expect(second).toMatchObject({ reason: "REQUEST_INVALID", fields: ["documents[0]"] });
  });

  test("answers a repeat under its request id without writing again", async () => {
    const fields = { requestId: "r1" };
    const first = await upsert("repeat", [document({ text: "x" })], fields);
    expect(await upsert("repeat", [document({ text: "x" })], fields)).toEqual(first);
    expect(await idsOf("repeat")).toHaveLength(1);
    const other = { collectionId: "repeat", documents: [document({ text: "y" })], ...fields };
    const failure = await server.client.fail("upsertDocuments", other);
    expect(failure).toMatchObject({ code: "FAILED_PRECONDITION", reason: "REQUEST_ID_REUSED" });
  });
});

describe("ListDocuments", () => {
  test("filters by labels and metadata, and goes through pages in order", async () => {
    const documents = Array.from({ length: 7 }, (_, at) =>
      page(`d${at}`, "x", {
        labels: new Map([["even", String(at % 2 === 0)]]),
        metadata: struct({ order: { nr: at }, tags: ["all", `t${at}`] }),
      }),
    );
    await upsert("list", documents);
    expect(await idsOf("list", { labels: new Map([["even", "true"]]) })).toEqual([
      ...["d0", "d2", "d4", "d6"],
    ]);
    const where = (path: string, test: object) =>
      idsOf("list", { metadata: [{ path, test } as never] });
    expect(await where("order.nr", { $case: "range", value: { min: 2, lessThan: 4 } })).toEqual([
      ...["d2", "d3"],
    ]);
    expect(await where("order.nr", { $case: "range", value: { max: 1 } })).toEqual(["d0", "d1"]);
    expect(await where("order.nr", { $case: "equalTo", value: "2" })).toEqual([]);
    expect(await where("tags", { $case: "equalTo", value: "t5" })).toEqual(["d5"]);
    expect(await where("order.nr", { $case: "oneOf", value: [6, 0, "1"] })).toEqual(["d0", "d6"]);
    expect(await where("order", { $case: "exists", value: false })).toEqual([]);
    expect(await where("order", { $case: "exists", value: true })).toHaveLength(7);
    expect(await where("none", { $case: "exists", value: false })).toHaveLength(7);
    const seen: string[] = [];
    let pageToken = "";
    do {
      const request = { collectionId: "list", pageSize: 3, pageToken };
      const answer = await server.client.call("listDocuments", request);
      seen.push(...answer.documents.map(({ documentId }) => documentId));
      pageToken = answer.nextPageToken;
    } while (pageToken !== "");
    expect(seen).toEqual(["d0", "d1", "d2", "d3", "d4", "d5", "d6"]);
  });

  test("ends a page before it outgrows a stock client", async () => {
    const values = Array.from({ length: 4_096 }, (_, at) => at + 1);
    for (let at = 0; at < 4; at++) {
      const documents = Array.from({ length: 3 }, (_, index) =>
        page(`${at}-${index}`, "x".repeat(1_000_000), { embedding: embedding({ values }) }),
      );
      await upsert("pages", documents);
    }
    const seen: string[] = [];
    let pageToken = "";
    do {
      const request = { collectionId: "pages", includeEmbeddings: true, pageToken };
      const answer = await server.client.call("listDocuments", request);
      expect(answer.documents.length).toBeLessThan(4);
      for (const one of answer.documents) expect(one.embedding?.values).toHaveLength(4_096);
      seen.push(...answer.documents.map(({ documentId }) => documentId));
      pageToken = answer.nextPageToken;
    } while (pageToken !== "");
    expect(seen).toHaveLength(12);
  });

  test("knows nothing of other collections and namespaces", async () => {
    await upsert("here", [page("a")]);
    expect(await idsOf("nowhere")).toEqual([]);
    const other = { namespace: "other", collectionId: "here" };
    expect((await server.client.call("listDocuments", other)).documents).toEqual([]);
    const failure = await server.client.fail("getDocument", { ...other, documentId: "a" });
    expect(failure).toMatchObject({
      ...{ code: "NOT_FOUND", reason: "DOCUMENT_NOT_FOUND" },
      metadata: { document_id: "a" },
    });
  });
});

describe("ListCollections", () => {
  test("gives collections that hold documents, by id", async () => {
    const namespace = "collections";
    for (const id of ["b", "B", "a.1", "a-1", "0"]) {
      await upsert(id, [page("x"), page("y")], { namespace });
    }
    await server.client.call("clearCollection", { namespace, collectionId: "B" });
    const first = await server.client.call("listCollections", { namespace, pageSize: 3 });
    expect(first.collections.map(({ collectionId }) => collectionId)).toEqual(["0", "a-1", "a.1"]);
    expect(first.collections[0]).toMatchObject({ documentCount: 2n });
    const pageToken = first.nextPageToken;
    const second = await server.client.call("listCollections", { namespace, pageToken });
    expect(second.collections.map(({ collectionId }) => collectionId)).toEqual(["b"]);
    expect(second.nextPageToken).toBe("");
  });
});

describe("DeleteDocuments", () => {
  test("deletes those that are there, and all or none with an etag", async () => {
    await upsert("delete", [page("b"), page("c")]);
    const { documents } = await upsert("delete", [page("a")]);
    await upsert("delete", [page("a", "newer")]);
    const refused = await server.client.fail("deleteDocuments", {
      ...{ collectionId: "delete", documentIds: ["a"], etag: documents[0]?.etag ?? "" },
    });
    expect(refused).toMatchObject({ code: "ABORTED", reason: "ETAG_MISMATCH" });
    const missing = { collectionId: "delete", documentIds: ["c", "gone", "a"] };
    expect(await server.client.fail("deleteDocuments", missing)).toMatchObject({
      ...{ code: "NOT_FOUND", reason: "DOCUMENT_NOT_FOUND", metadata: { document_id: "gone" } },
    });
    expect(await idsOf("delete")).toEqual(["b", "c", "a"]);
    const some = { ...missing, allowMissing: true, requestId: "d1" };
    const first = await server.client.call("deleteDocuments", some);
    expect(first).toMatchObject({ deletedCount: 2 });
    expect(await server.client.call("deleteDocuments", some)).toEqual(first);
    expect(await idsOf("delete")).toEqual(["b"]);
    const none = { collectionId: "delete", documentIds: ["gone"], allowMissing: true };
    expect(await server.client.call("deleteDocuments", none)).toEqual({
      deletedCount: 0,
      revision: 0n,
    });
  });
});

describe("PurgeDocuments", () => {
  const collectionId = "purge";
  const scope = ownedBy({ userId: "u" });
  const old = new Map([["state", "old"]]);

  test("counts, then deletes what matches, and tells it", async () => {
    await upsert(collectionId, [
      page("a", "a", { scope: memoryScope({ userId: "u" }) }),
      page("b", "b", { labels: old }),
      page("c", "c", { labels: old, scope: memoryScope({ userId: "u" }) }),
      page("d"),
    ]);
    const request = { collectionId, filter: documentFilter({ scope }) };
    expect(await server.client.call("purgeDocuments", request)).toEqual({
      ...{ documentCount: 2, sampleDocumentIds: ["a", "c"], more: false, revision: 0n },
      sampleDocuments: [],
    });
    const labels = { collectionId, filter: documentFilter({ scope: EVERYONE, labels: old }) };
    const once = { ...labels, force: true, requestId: "purge once" };
    const forced = await server.client.call("purgeDocuments", once);
    expect(forced).toMatchObject({ documentCount: 2, sampleDocumentIds: [], more: false });
    expect(forced.revision).toBeGreaterThan(0n);
    expect(await server.client.call("purgeDocuments", once)).toEqual(forced);
    const filter = {
      ...{ sessionId: undefined, userId: undefined, sessionIds: [], sessionIdPrefixes: [] },
      eventTypes: [EventType.DOCUMENTS_DELETED],
    };
    const { events } = await server.client.call("listEvents", { filter, pageSize: 1_000 });
    const event = events.find(({ revision }) => revision === forced.revision);
    expect(event?.detail).toEqual({
      $case: "documentsDeleted",
      value: { collectionId, documentIds: ["b", "c"], expired: false },
    });
    expect(await server.client.call("purgeDocuments", { ...labels, force: true })).toEqual({
      ...{ documentCount: 0, sampleDocumentIds: [], more: false, revision: 0n },
      sampleDocuments: [],
    });
    const all = { collectionId, filter: documentFilter({ scope: EVERYONE }) };
    expect(await server.client.call("purgeDocuments", { ...all, force: true })).toMatchObject({
      documentCount: 2,
    });
    const none = { ...all, collectionId: "never" };
    expect(await server.client.call("purgeDocuments", none)).toMatchObject({ documentCount: 0 });
  });

  test("deletes 1,000 documents or 16 MiB with one call, and says that there are more", async () => {
    const collectionId = "purge-many";
    const many = Array.from({ length: LIMITS.purgeDocuments }, (_, at) => page(`m${at}`));
    await upsert(collectionId, many);
    await upsert(collectionId, [page("last")]);
    const request = { collectionId, filter: documentFilter({ scope: EVERYONE }), force: true };
    const first = await server.client.call("purgeDocuments", request);
    expect(first).toMatchObject({ documentCount: LIMITS.purgeDocuments, more: true });
    const rest = await server.client.call("purgeDocuments", request);
    expect(rest).toMatchObject({ documentCount: 1, more: false });
    const text = "x".repeat(LIMITS.documentBytes - 1_000);
    for (let at = 0; at < 6; at++) {
      const large = ["a", "b", "c"].map((id) => page(`${id}${at}`, text));
      await upsert(collectionId, large);
    }
    const some = await server.client.call("purgeDocuments", request);
    expect(some).toMatchObject({ documentCount: 16, more: true });
    expect(await server.client.call("purgeDocuments", request)).toMatchObject({
      ...{ documentCount: 2, more: false },
    });
  });
});

describe("ListDocuments", () => {
  test("counts the documents of all pages up to its bound", async () => {
    const collectionId = "totals";
    const labels = new Map([["half", "1"]]);
    const pages = Array.from({ length: 7 }, (_, at) => page(`${at}`, "", at < 3 ? { labels } : {}));
    await upsert(collectionId, pages);
    const ask = { collectionId, pageSize: 2, includeTotal: true };
    const { total, nextPageToken, documents } = await server.client.call("listDocuments", ask);
    expect([total, documents.length]).toEqual([{ count: 7n, atLeast: false }, 2]);
    const second = await server.client.call("listDocuments", { ...ask, pageToken: nextPageToken });
    expect(second.total).toEqual(total);
    const filter = documentFilter({ labels });
    expect(await server.client.call("listDocuments", { ...ask, filter })).toMatchObject({
      total: { count: 3n, atLeast: false },
    });
    const plain = await server.client.call("listDocuments", { collectionId });
    expect(plain.total).toBeUndefined();
  });
});

describe("ClearCollection", () => {
  test("deletes every document, once", async () => {
    await upsert(
      "clear",
      ["a", "b", "c"].map((id) => page(id)),
    );
    const { deletedCount, revision } = await server.client.call("clearCollection", {
      collectionId: "clear",
    });
    expect(deletedCount).toBe(3n);
    expect(revision).toBeGreaterThan(0n);
    expect(await idsOf("clear")).toEqual([]);
    const again = await server.client.call("clearCollection", { collectionId: "clear" });
    const none = { deletedCount: 0n, revision: 0n, collectionCount: 0, more: false };
    expect(again).toEqual(none);
    await upsert("clear", [page("d")]);
    expect(await idsOf("clear")).toEqual(["d"]);
  });
});

describe("events", () => {
  test("tell of documents, one revision a call", async () => {
    const namespace = "events";
    const put = (documents: Document[]) =>
      server.client.call("upsertDocuments", { namespace, collectionId: "c", documents });
    const written = await put([page("a"), page("b")]);
    await put([page("b"), page("c")]);
    const one = { namespace, collectionId: "c", documentIds: ["a"] };
    const deleted = await server.client.call("deleteDocuments", one);
    await server.client.call("clearCollection", { namespace, collectionId: "c" });
    const { events } = await server.client.call("listEvents", { namespace });
    expect(events.map(({ type, sessionId }) => [type, sessionId])).toEqual([
      [EventType.DOCUMENTS_UPSERTED, ""],
      [EventType.DOCUMENTS_UPSERTED, ""],
      [EventType.DOCUMENTS_DELETED, ""],
      [EventType.COLLECTION_CLEARED, ""],
    ]);
    expect(events.map(({ detail }) => detail?.value)).toEqual([
      { collectionId: "c", documentIds: ["a", "b"], createdCount: 2 },
      { collectionId: "c", documentIds: ["b", "c"], createdCount: 1 },
      { collectionId: "c", documentIds: ["a"], expired: false },
      { collectionId: "c", documentCount: 2n },
    ]);
    expect(events[0]?.revision).toBe(written.revision);
    expect(events[2]?.revision).toBe(deleted.revision);
    const types = [EventType.COLLECTION_CLEARED];
    const filter = {
      sessionId: undefined,
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: types,
    };
    const cleared = await server.client.call("listEvents", { namespace, filter });
    expect(cleared.events).toHaveLength(1);
  });

  test("of long lists of ids are split", async () => {
    const namespace = "long";
    const ids = Array.from({ length: 300 }, (_, at) => `${at}`.padStart(256, "x"));
    const documents = ids.map((id) => page(id, ""));
    await server.client.call("upsertDocuments", { namespace, documents });
    const { events } = await server.client.call("listEvents", { namespace });
    expect(events.map(({ continued, index }) => [continued, index])).toEqual([
      [true, events[0]?.index],
      [true, (events[0]?.index ?? 0) + 1],
      [false, (events[0]?.index ?? 0) + 2],
    ]);
    const told = events.flatMap(({ detail }) =>
      detail?.$case === "documentsUpserted" ? detail.value.documentIds : [],
    );
    expect(told).toEqual(ids);
    expect(new Set(events.map(({ revision }) => revision)).size).toBe(1);
  });
});

describe("a document with a ttl", () => {
  const ttl = { seconds: 10n, nanos: 0 };
  const eventsOf = async (collectionId: string) => {
    const { events } = await server.client.call("listEvents", { pageSize: 1_000 });
    return events.flatMap(({ detail }) => {
      const isOf = detail?.$case === "documentsDeleted" || detail?.$case === "documentsUpserted";
      return isOf && detail.value.collectionId === collectionId ? [detail.value] : [];
    });
  };
  const recalled = async (collectionId: string, scoring: string) => {
    const filter = recallFilter({ collectionIds: [collectionId] });
    const floor = scoring === "" ? { minRelevance: 0 } : {};
    const asked = { query: "zebra", filter, scoring, pageSize: 2, ...floor };
    const { hits } = await server.client.call("recall", asked);
    return hits.map(({ record }) =>
      record?.$case === "document" ? record.value.documentId : undefined,
    );
  };
  const toMs = (time?: { readonly seconds: bigint; readonly nanos: number }): number =>
    time === undefined ? Number.NaN : Number(time.seconds) * 1_000 + time.nanos / 1e6;

  test("says when it expires", async () => {
    await upsert("ttl-says", [page("a", "a", { ttl: { seconds: 10n, nanos: 1 } }), page("b")]);
    const [a, b] = [await get("ttl-says", "a"), await get("ttl-says", "b")];
    expect(a?.ttl).toEqual({ seconds: 10n, nanos: 1_000_000 });
    const lifeMs = toMs(a?.expireTime) - toMs(a?.updateTime);
    expect(lifeMs).toBe(10_001);
    expect([b?.ttl, b?.expireTime]).toEqual([undefined, undefined]);
    const { documents } = await server.client.call("listDocuments", { collectionId: "ttl-says" });
    expect(documents[0]).toEqual(a);
  });

  test("is gone from reads, lists and searches at once, and its end is told", async () => {
    const collectionId = "ttl-gone";
    const some = ["z1", "z2", "z3"].map((id) => page(id, `zebra zebra ${id}`, { ttl }));
    await upsert(collectionId, [...some, page("keep", "zebra grass"), page("also", "zebra river")]);
    server.advance(8_000);
    expect(await idsOf(collectionId)).toHaveLength(5);
    server.advance(2_000);
    expect(await idsOf(collectionId)).toEqual(["keep", "also"]);
    const failure = await server.client.fail("getDocument", { collectionId, documentId: "z1" });
    expect(failure.reason).toBe("DOCUMENT_NOT_FOUND");
    const removal = { collectionId, documentIds: ["z1"] };
    expect((await server.client.fail("deleteDocuments", removal)).reason).toBe(
      "DOCUMENT_NOT_FOUND",
    );
    for (const scoring of ["", "tf_idf", "cosine"]) {
      expect((await recalled(collectionId, scoring)).sort()).toEqual(["also", "keep"]);
    }
    await expect
      .poll(async () => (await eventsOf(collectionId)).at(-1), { timeout: 20_000 })
      .toEqual({ collectionId, documentIds: ["z1", "z2", "z3"], expired: true });
    const { collections } = await server.client.call("listCollections", { pageSize: 1_000 });
    const counted = collections.find((one) => one.collectionId === collectionId);
    expect(counted?.documentCount).toBe(2n);
  });

  test("is created anew by an upsert after its time", async () => {
    const collectionId = "ttl-anew";
    const { documents } = await upsert(collectionId, [page("a", "old", { ttl })]);
    const old = await get(collectionId, "a");
    server.advance(10_000);
    const stale = {
      collectionId,
      documents: [page("a", "new", { etag: documents[0]?.etag ?? "" })],
    };
    expect((await server.client.fail("upsertDocuments", stale)).reason).toBe("ETAG_MISMATCH");
    const again = await upsert(collectionId, [page("a", "new")]);
    expect(again.documents[0]?.created).toBe(true);
    const now = await get(collectionId, "a");
    expect(now).toMatchObject({ text: "new", expireTime: undefined });
    expect(toMs(now?.createTime)).toBeGreaterThanOrEqual(toMs(old?.createTime) + 10_000);
    const told = await eventsOf(collectionId);
    expect(told.map((one) => ("expired" in one ? one.expired : one.createdCount))).toEqual(
      expect.arrayContaining([1, true, 1]),
    );
    expect(told.filter((one) => "expired" in one)).toHaveLength(1);
  });

  test("gives its chunks its ttl, and all of them live on together", async () => {
    const collectionId = "ttl-chunks";
    const text = Array.from({ length: 30 }, (_, n) => `Sentence ${n} is here.`).join(" ");
    await upsert(collectionId, [page("guide", text, { ttl })], { splitter: { chunkChars: 100 } });
    server.advance(8_000);
    const documentIds = ["guide#1"];
    const { documents } = await server.client.call("refreshDocuments", {
      collectionId,
      documentIds,
    });
    expect(documents[0]?.documentId).toBe("guide#1");
    server.advance(8_000);
    const whole = await get(collectionId, "guide");
    expect(whole?.text).toBe(text);
    expect(whole?.expireTime).toEqual(documents[0]?.expireTime);
    server.advance(2_000);
    expect(await idsOf(collectionId)).toEqual([]);
  });

  test("lives on when it is refreshed, without an event and with its etag", async () => {
    const collectionId = "ttl-refresh";
    await upsert(collectionId, [page("a", "a", { ttl }), page("b"), page("gone", "gone", { ttl })]);
    const before = await get(collectionId, "a");
    server.advance(5_000);
    const refresh = (...documentIds: string[]) =>
      server.client.call("refreshDocuments", { collectionId, documentIds });
    const { documents } = await refresh("b", "none", "a");
    const expireTime = documents[1]?.expireTime;
    expect(documents).toEqual([
      { documentId: "b", expireTime: undefined },
      { documentId: "a", expireTime },
    ]);
    expect(toMs(expireTime)).toBeGreaterThanOrEqual(toMs(before?.expireTime) + 5_000);
    expect(await get(collectionId, "a")).toEqual({ ...before, expireTime });
    const soon = await refresh("a");
    expect(soon.documents).toEqual([{ documentId: "a", expireTime }]);
    server.advance(6_000);
    expect(await idsOf(collectionId)).toEqual(["a", "b"]);
    expect((await refresh("gone", "a")).documents.map((one) => one.documentId)).toEqual(["a"]);
    const told = await eventsOf(collectionId);
    expect(told.filter((one) => !("expired" in one))).toHaveLength(1);
    const none = { collectionId: "ttl-none", documentIds: ["a"] };
    expect(await server.client.call("refreshDocuments", none)).toEqual({ documents: [] });
    const twice = await server.client.fail("refreshDocuments", { documentIds: ["a", "a"] });
    expect(twice.fields).toEqual(["document_ids[1]"]);
  });
});
