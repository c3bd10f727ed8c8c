import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readDocument } from "../../test/support/recall/json-recall.ts";
import { searchIds, upsert } from "../../test/support/recall/recall.ts";
import { fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import { SHARED_RECORDS } from "../memory/rules/scopes.ts";
import type { Store } from "../store/store.ts";
import type { DocumentFilter } from "./api.ts";

const REF = { namespace: "default", collectionId: "docs" };
const ALL: DocumentFilter = {
  ...{ scope: SHARED_RECORDS, labels: new Map(), metadata: [], sourceDocumentId: "" },
};

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
});

async function listIds(filter: Partial<DocumentFilter> = {}): Promise<string[]> {
  const page = await services.recall.listDocuments(services.call("ListDocuments"), {
    ...{ ...REF, after: 0, limit: 1_000, withEmbeddings: false },
    filter: { ...ALL, ...filter },
  });
  return page.documents.map(({ documentId }) => documentId);
}

async function remove(
  documentIds: readonly string[],
  { etag = "", requestId = "" } = {},
): Promise<{ deletedCount: number; revision: number }> {
  const call = services.call("DeleteDocuments", requestId);
  const input = { ...REF, documentIds, etag, allowMissing: true, encode: toBytes };
  return fromBytes(await services.recall.deleteDocuments(call, input));
}

describe("upsert", () => {
  test("creates, then replaces as a whole and keeps the place", async () => {
    const first = await upsert(services, [
      { documentId: "a", text: "one" },
      { documentId: "b", text: "two" },
      { text: "no id" },
    ]);
    expect(first.documents.map(({ created }) => created)).toEqual([true, true, true]);
    const made = first.documents[2]?.documentId ?? "";
    expect(made).toMatch(/^[0-9a-z]{26}$/);
    services.advance(1_000);
    const second = await upsert(services, [{ documentId: "a", text: "new" }]);
    expect(second.documents[0]?.created).toBe(false);
    expect(await listIds()).toEqual(["a", "b", made]);
    const ref = { ...REF, documentId: "a" };
    const stored = await services.recall.getDocument(services.call("GetDocument"), ref);
    const { stamp, text } = readDocument(stored.bytes);
    expect(text).toBe("new");
    expect(stamp.updateMs - stamp.createMs).toBe(1_000);
    expect(stamp.etag).toBe(second.documents[0]?.etag);
  });

  test("an etag must be that of the document", async () => {
    const { documents } = await upsert(services, [{ documentId: "a", text: "one" }]);
    const etag = documents[0]?.etag ?? "";
    await upsert(services, [{ documentId: "a", text: "two", etag }]);
    await expect(
      upsert(services, [{ documentId: "a", text: "three", etag }]),
    ).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });
    const asked = upsert(services, [{ documentId: "gone", etag }]);
    await expect(asked).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });
  });

  test("a repeat with the same request id answers the same and writes nothing", async () => {
    const first = await upsert(services, [{ text: "one" }], { requestId: "r" });
    expect(await upsert(services, [{ text: "one" }], { requestId: "r" })).toEqual(first);
    expect(await listIds()).toHaveLength(1);
  });

  test("events tell of ids, and of what is new", async () => {
    await upsert(services, [{ documentId: "a" }, { documentId: "b" }]);
    await upsert(services, [{ documentId: "b" }, { documentId: "c" }]);
    await remove(["a"]);
    const details = (await services.allEvents()).map(({ detail }) => detail);
    expect(details).toEqual([
      expect.objectContaining({ documentIds: ["a", "b"], createdCount: 2 }),
      expect.objectContaining({ documentIds: ["b", "c"], createdCount: 1 }),
      { type: EVENT_TYPE.documentsDeleted, collectionId: "docs", documentIds: ["a"] },
    ]);
  });

  test("a document that is too large with its embedding is refused", async () => {
    const embedding = { model: "m", values: new Float32Array(4_096).fill(1 / 64) };
    const text = "x".repeat(LIMITS.documentBytes - 10_000);
    await expect(upsert(services, [{ documentId: "a", text, embedding }])).rejects.toMatchObject({
      reason: "REQUEST_INVALID",
    });
    await upsert(services, [{ documentId: "a", text }]);
  });
});

describe("split documents", () => {
  const splitter = { chunkChars: 50, overlapChars: 0 };
  const long = (words: number): string => "word ".repeat(words);

  test("chunks take the place of the document and of the chunks of before", async () => {
    await upsert(services, [{ documentId: "guide", text: "short" }]);
    const { documents } = await upsert(services, [{ documentId: "guide", text: long(25) }], {
      splitter,
    });
    expect(documents).toEqual([
      {
        documentId: "guide",
        created: false,
        etag: expect.stringMatching(/^r2\./),
        chunkIds: ["guide#0", "guide#1", "guide#2"],
      },
    ]);
    expect(await listIds()).toEqual(["guide#0", "guide#1", "guide#2"]);
    await upsert(services, [{ documentId: "guide", text: long(15) }], { splitter });
    expect(await listIds()).toEqual(["guide#0", "guide#1"]);
    expect(await listIds({ sourceDocumentId: "guide" })).toHaveLength(2);
    await upsert(services, [{ documentId: "guide", text: "short" }], { splitter });
    expect(await listIds()).toEqual(["guide"]);
    const deleted = (await services.allEvents()).filter(
      ({ detail }) => detail.type === EVENT_TYPE.documentsDeleted,
    );
    expect(deleted.map(({ detail }) => "documentIds" in detail && detail.documentIds)).toEqual([
      ["guide"],
      ["guide#2"],
      ["guide#0", "guide#1"],
    ]);
  });

  test("chunks say where they are from; one with an embedding is not split", async () => {
    const embedding = { model: "m", values: Float32Array.of(1) };
    await upsert(
      services,
      [
        { documentId: "guide", text: long(15) },
        { documentId: "whole", text: long(15), embedding },
      ],
      { splitter },
    );
    const ref = { ...REF, documentId: "guide#1" };
    const chunk = await services.recall.getDocument(services.call("GetDocument"), ref);
    expect(readDocument(chunk.bytes).stamp.chunk).toEqual({
      ...{ sourceId: "guide", index: 1, count: 2, offset: 50, spaceBefore: " " },
      spaceAfter: " ",
    });
    expect(await listIds()).toEqual(["guide#0", "guide#1", "whole"]);
  });

  test("deleting the source deletes its chunks", async () => {
    await upsert(services, [{ documentId: "guide", text: long(15) }], { splitter });
    await upsert(services, [{ documentId: "other", text: "x" }]);
    expect(await remove(["guide", "nothing"])).toMatchObject({ deletedCount: 2 });
    expect(await listIds()).toEqual(["other"]);
    expect(await remove(["guide"])).toEqual({ deletedCount: 0, revision: 0 });
  });

  test("more than a thousand documents and chunks are refused", async () => {
    const documents = [{ documentId: "a", text: "x".repeat(50 * 1_001) }];
    await expect(upsert(services, documents, { splitter })).rejects.toMatchObject({
      reason: "REQUEST_INVALID",
    });
  });
});

describe("delete, clear and lists", () => {
  test("as many chunks go with one call as the contract says, and no more", async () => {
    const splitter = { chunkChars: 50, overlapChars: 0 };
    const text = "All work and no play makes Jack a dull boy today. ".repeat(999);
    const sources = Array.from({ length: 11 }, (_, at) => `guide-${at}`);
    let written = 0;
    for (const documentId of sources) {
      const done = await upsert(services, [{ documentId, text }], { splitter });
      written += done.documents[0]?.chunkIds.length ?? 0;
    }
    expect(written).toBeGreaterThan(LIMITS.deleteDocuments);
    await expect(remove(sources)).rejects.toMatchObject({
      reason: "REQUEST_INVALID",
      message: expect.stringContaining("document_ids"),
    });
    expect((await remove(sources.slice(0, 10))).deletedCount).toBeLessThan(written);
  });

  test("an etag guards a deletion", async () => {
    const { documents } = await upsert(services, [{ documentId: "a" }]);
    await expect(remove(["a"], { etag: "r0" })).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });
    expect(await remove(["a"], { etag: documents[0]?.etag ?? "" })).toMatchObject({
      deletedCount: 1,
    });
  });

  test("a cleared collection is gone from lists and searches at once", async () => {
    await upsert(services, [
      { documentId: "a", text: "zebra" },
      { documentId: "b", text: "zebra" },
    ]);
    expect(await searchIds(services, "zebra")).toHaveLength(2);
    const clear = async (): Promise<object> => {
      const call = services.call("ClearCollection");
      return fromBytes(await services.recall.clearCollection(call, { ...REF, encode: toBytes }));
    };
    expect(await clear()).toMatchObject({ deletedCount: 2 });
    expect(await clear()).toMatchObject({ deletedCount: 0, revision: 0, more: false });
    expect(await searchIds(services, "zebra")).toEqual([]);
    expect(await listIds()).toEqual([]);
    const list = { namespace: "default", after: "", limit: 10 };
    const { collections } = await services.recall.listCollections(services.call("List"), list);
    expect(collections).toEqual([]);
    await upsert(services, [{ documentId: "a", text: "zebra" }]);
    expect(await searchIds(services, "zebra")).toHaveLength(1);
  });

  test("a new collection is refused where the namespace has as many as it may", async () => {
    await upsert(services, [{ documentId: "a", text: "old" }]);
    await services.stop();
    const full = (store: Store): Store =>
      storeWith(store, {
        changeDocuments: (change, decide) =>
          store.changeDocuments(change, (view) =>
            decide({ ...view, collectionCount: LIMITS.collections }),
          ),
      });
    services = await startTestServices({}, { wrapStore: full });
    const added = upsert(services, [{ documentId: "a" }], { collectionId: "new" });
    await expect(added).rejects.toMatchObject({ reason: "COLLECTION_LIMIT_REACHED" });
  });

  test("pages of collections", async () => {
    for (const id of ["b", "a", "c"]) {
      await upsert(services, [{ documentId: "x" }], { collectionId: id });
    }
    const ask = (after: string) =>
      services.recall.listCollections(services.call("ListCollections"), {
        ...{ namespace: "default", after, limit: 2 },
      });
    const first = await ask("");
    expect(first.collections.map(({ collectionId }) => collectionId)).toEqual(["a", "b"]);
    const second = await ask(first.next ?? "");
    expect(second.collections.map(({ collectionId }) => collectionId)).toEqual(["c"]);
    expect(second.next).toBeUndefined();
  });

  test("lists are filtered, and their pages follow one another", async () => {
    await upsert(
      services,
      Array.from({ length: 50 }, (_, at) => ({
        documentId: `d${at}`,
        labels: { even: String(at % 2 === 0) },
        metadata: { at },
      })),
    );
    const even = new Map([["even", "true"]]);
    const before = { path: "at", test: { kind: "range", lessThan: 10 } } as const;
    expect(await listIds({ labels: even, metadata: [before] })).toEqual([
      ...["d0", "d2", "d4", "d6", "d8"],
    ]);
    const ids: string[] = [];
    let after: number | undefined = 0;
    while (after !== undefined) {
      const input = { ...REF, filter: ALL, limit: 7, withEmbeddings: false, after };
      const page: Awaited<ReturnType<typeof services.recall.listDocuments>> =
        await services.recall.listDocuments(services.call("ListDocuments"), input);
      ids.push(...page.documents.map(({ documentId }) => documentId));
      after = page.next?.documentNo;
    }
    expect(ids).toEqual(Array.from({ length: 50 }, (_, at) => `d${at}`));
  });
});

describe("search", () => {
  test("by words, with a filter", async () => {
    await upsert(services, [
      { documentId: "a", text: "zebra stripes", labels: { kind: "animal" } },
      { documentId: "b", text: "zebra crossing", labels: { kind: "road" } },
    ]);
    await upsert(services, [{ documentId: "c", text: "zebra" }], { collectionId: "else" });
    const filter = { ...ALL, labels: new Map([["kind", "road"]]) };
    expect((await searchIds(services, "zebra", { filter })).map(({ id }) => id)).toEqual(["b"]);
    expect(await searchIds(services, "zebra", { limit: 0 })).toEqual([]);
    expect(await searchIds(services, "zebra", { collectionId: "missing" })).toEqual([]);
  });

  test("by the cosine of given embeddings", async () => {
    const vector = (...values: number[]) => ({ model: "mine", values: Float32Array.from(values) });
    await upsert(services, [
      { documentId: "x", embedding: vector(1, 0) },
      { documentId: "y", embedding: vector(0, 1) },
      { documentId: "plain", text: "no vector" },
    ]);
    const cosine = { scoring: "cosine", embedding: vector(0.6, 0.8) } as const;
    const found = await searchIds(services, "", cosine);
    expect(found.map(({ id }) => id)).toEqual(["y", "x"]);
    expect(found[0]?.score).toBeCloseTo(0.8, 2);
    const other = { ...cosine, embedding: { ...vector(1, 0), model: "other" } };
    await expect(searchIds(services, "", other)).rejects.toMatchObject({
      reason: "EMBEDDING_MISMATCH",
      message: expect.stringMatching(/collection's own, such as "mine" with 2 values\.$/),
    });
    await expect(
      searchIds(services, "", { ...other, collectionId: "without" }),
    ).rejects.toMatchObject({
      reason: "EMBEDDING_MISMATCH",
      message: expect.stringMatching(/than "[^"]*" with \d+ values\.$/),
    });
    await expect(searchIds(services, "x", { scoring: "cosine" })).rejects.toMatchObject({
      reason: "EMBEDDER_OFF",
    });
  });

  test("by TF-IDF, also over what was there before and what changes after", async () => {
    await upsert(services, [
      { documentId: "a", text: "zebra horse" },
      { documentId: "b", text: "cow" },
      { documentId: "c", text: "dog" },
    ]);
    await searchIds(services, "zebra");
    const tfIdf = { scoring: "tf_idf" } as const;
    const first = await searchIds(services, "zebra", tfIdf);
    expect(first.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(first[1]?.score).toBe(0);
    expect(await searchIds(services, " ", tfIdf)).toEqual([]);
    await upsert(services, [{ documentId: "b", text: "zebra zebra" }]);
    expect((await searchIds(services, "zebra", tfIdf))[0]?.id).toBe("b");
    await remove(["b"]);
    expect((await searchIds(services, "zebra", tfIdf)).map(({ id }) => id)).toEqual(["a", "c"]);
  });
});

test("tokens are counted as an append counts them", async () => {
  const counted = await services.recall.countTokens(services.call("CountTokens"), {
    ...{ texts: ["12345678", ""], drafts: [] },
    policy: {
      ...{ tokenRule: "bytes-div-4", model: "", customTokenRule: undefined, imageTokenCount: 0 },
    },
  });
  const appended = await services.append("s", [{ text: "12345678" }]);
  expect(counted.texts[0]).toBe(appended.messages[0]?.tokenCount);
  expect(counted.texts).toHaveLength(2);
});
