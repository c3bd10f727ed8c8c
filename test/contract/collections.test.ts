// Collections in trees through the contract: ids of several segments, lists below one, and calls
// that take a collection with all below it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType } from "../../src/gen/memorysidecar/v1/event.ts";
import { ContextSection, ContextSectionKind } from "../../src/gen/memorysidecar/v1/recall.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { document, documentFilter, EVERYONE, recallFilter } from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const IDS = ["a", "a/b", "a/b/c", "a!", "a b/\u00e9/\u{1f600}", "ab"];

/** One document for each collection, whose id is that of its collection. */
async function fill(namespace: string, ids: readonly string[] = IDS): Promise<void> {
  for (const collectionId of ids) {
    const documentId = collectionId.slice(0, 200);
    const documents = [document({ documentId, text: `zebra in ${documentId}` })];
    await server.client.call("upsertDocuments", { namespace, collectionId, documents });
  }
}

async function collectionsOf(namespace: string, fields: object = {}): Promise<readonly string[]> {
  const found: string[] = [];
  let pageToken = "";
  do {
    const ask = { namespace, pageSize: 2, pageToken, ...fields };
    const page = await server.client.call("listCollections", ask);
    for (const one of page.collections) {
      const isEmpty = one.documentCount === 0n;
      expect(one.createTime === undefined).toBe(isEmpty);
      const below = one.hasCollectionsBelow ? " +" : "";
      found.push(`${one.collectionId}${isEmpty ? " (none)" : ""}${below}`);
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return found;
}

async function documentsOf(namespace: string, fields: object = {}): Promise<readonly string[]> {
  const found: string[] = [];
  let pageToken = "";
  do {
    const ask = { namespace, pageToken, ...fields };
    const page = await server.client.call("listDocuments", ask);
    found.push(...page.documents.map((one) => `${one.collectionId}: ${one.documentId}`));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return found;
}

describe("the id of a collection", () => {
  test("has up to 32 segments of any text, and 512 bytes", async () => {
    const namespace = "ids";
    const ids = [
      ...["user notes/\u00e9t\u00e9", " ", ".", "..", "a/./b", "%2F", "A-z_0.9"],
      ...[Array.from({ length: 32 }, () => "x").join("/"), "y".repeat(512)],
    ];
    await fill(namespace, ids);
    expect([...(await collectionsOf(namespace))].sort()).toEqual([...ids].sort());
    for (const collectionId of ids) {
      expect(await documentsOf(namespace, { collectionId })).toHaveLength(1);
    }
  });

  test.each([
    ...["/", "a/", "/a", "a//b", "a\n", "a/\u0000", "\u007f"],
    ...[Array.from({ length: 33 }, () => "x").join("/"), "y".repeat(513)],
  ])("is refused as %j", async (collectionId) => {
    const documents = [document({ documentId: "x" })];
    for (const [rpc, request] of [
      ["upsertDocuments", { collectionId, documents }],
      ["listDocuments", { collectionId, recursive: true }],
      ["clearCollection", { collectionId, recursive: true }],
    ] as const) {
      const failure = await server.client.fail(rpc, request);
      expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["collection_id"] });
    }
    const failure = await server.client.fail("listCollections", { parent: collectionId });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["parent"] });
  });
});

describe("ListCollections", () => {
  test("goes by segments, and tells what has others below it", async () => {
    await fill("tree");
    expect(await collectionsOf("tree")).toEqual([
      ...["a +", "a/b +", "a/b/c", "a b/\u00e9/\u{1f600}", "a!", "ab"],
    ]);
    expect(await collectionsOf("tree", { parent: "a" })).toEqual(["a/b +", "a/b/c"]);
    expect(await collectionsOf("tree", { parent: "a b" })).toEqual(["a b/\u00e9/\u{1f600}"]);
    expect(await collectionsOf("tree", { parent: "ab" })).toEqual([]);
  });

  test("cuts to a depth", async () => {
    await fill("depth");
    expect(await collectionsOf("depth", { maxDepth: 1 })).toEqual([
      ...["a +", "a b (none) +", "a!", "ab"],
    ]);
    expect(await collectionsOf("depth", { parent: "a b", maxDepth: 1 })).toEqual([
      "a b/\u00e9 (none) +",
    ]);
  });

  test("refuses a parent that is empty, and depths beyond its bounds", async () => {
    expect(await server.client.fail("listCollections", { parent: "" })).toMatchObject({
      fields: ["parent"],
    });
    for (const maxDepth of [-1, 33]) {
      const failure = await server.client.fail("listCollections", { maxDepth });
      expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["max_depth"] });
    }
  });
});

describe("recursive", () => {
  test("lists documents of a collection and all below it, page by page", async () => {
    await fill("deep");
    const own = { collectionId: "a" };
    const expected = ["a: a", "a/b: a/b", "a/b/c: a/b/c"];
    expect(await documentsOf("deep", own)).toEqual(["a: a"]);
    expect(await documentsOf("deep", { ...own, recursive: true })).toEqual(expected);
    for (const pageSize of [1, 2]) {
      const ask = { ...own, recursive: true, pageSize };
      expect(await documentsOf("deep", ask)).toEqual(expected);
    }
    const ask = { namespace: "deep", collectionId: "a", recursive: true, includeTotal: true };
    const { total } = await server.client.call("listDocuments", ask);
    expect(total).toEqual({ count: 3n, atLeast: false });
    const below = { collectionId: "a b", recursive: true };
    expect(await documentsOf("deep", below)).toHaveLength(1);
  });

  test("purges below, after a dry run that names the collections", async () => {
    await fill("purged");
    const filter = documentFilter({ scope: EVERYONE });
    const ask = { namespace: "purged", collectionId: "a", filter, recursive: true };
    const dry = await server.client.call("purgeDocuments", ask);
    expect(dry).toMatchObject({ documentCount: 3, more: false, revision: 0n });
    expect(dry.sampleDocuments).toEqual(
      ["a", "a/b", "a/b/c"].map((id) => ({ collectionId: id, documentId: id })),
    );
    const forced = await server.client.call("purgeDocuments", { ...ask, force: true });
    expect(forced).toMatchObject({ documentCount: 3, more: false, sampleDocuments: [] });
    expect(await collectionsOf("purged")).toEqual(["a b/\u00e9/\u{1f600}", "a!", "ab"]);
    const { events } = await server.client.call("listEvents", { namespace: "purged" });
    const told = events.filter(({ type }) => type === EventType.DOCUMENTS_DELETED);
    expect(told.map(({ revision }) => revision)).toEqual(told.map(() => forced.revision));
    expect(told).toHaveLength(3);
  });

  test("clears below, 100 collections with one call, once for a request id", async () => {
    const ids = Array.from({ length: 120 }, (_, at) => `root/${at}`);
    await fill("cleared", ["root", ...ids, "root2"]);
    const ask = { namespace: "cleared", collectionId: "root", recursive: true, requestId: "one" };
    const first = await server.client.call("clearCollection", ask);
    expect(first).toMatchObject({ deletedCount: 100n, collectionCount: 100, more: true });
    expect(await server.client.call("clearCollection", ask)).toEqual(first);
    const next = await server.client.call("clearCollection", { ...ask, requestId: "two" });
    expect(next).toMatchObject({ deletedCount: 21n, collectionCount: 21, more: false });
    const none = await server.client.call("clearCollection", { ...ask, requestId: "three" });
    expect(none).toMatchObject({ deletedCount: 0n, collectionCount: 0, more: false, revision: 0n });
    expect(await collectionsOf("cleared")).toEqual(["root2"]);
  });

  test("is what Recall takes for the collections of a filter", async () => {
    await fill("recalled");
    const recalled = async (fields: object, namespace = "recalled") => {
      const filter = recallFilter(fields);
      const ask = { namespace, query: "zebra", filter, pageSize: 100 };
      const { hits } = await server.client.call("recall", ask);
      return hits
        .map(({ record }) => (record?.$case === "document" ? record.value.documentId : ""))
        .sort();
    };
    const deep = { collectionIds: ["a"], recursiveCollections: true };
    const expected = ["a", "a/b", "a/b/c"];
    expect(await recalled(deep)).toEqual(expected);
    expect(await recalled({ collectionIds: ["a"] })).toEqual(["a"]);
    await fill("recalled", ["a/new", "a!/no"]);
    expect(await recalled(deep)).toEqual([...expected, "a/new"]);
    const two = { collectionIds: ["a/b", "a b"], recursiveCollections: true };
    expect(await recalled(two)).toEqual(["a b/\u00e9/\u{1f600}", "a/b", "a/b/c"]);
    await server.client.call("clearCollection", {
      ...{ namespace: "recalled", collectionId: "a/b", recursive: true },
    });
    expect(await recalled(deep)).toEqual(["a", "a/new"]);
  });

  test("is refused without collections, and with a scoring of one collection", async () => {
    const filter = recallFilter({ recursiveCollections: true });
    expect(await server.client.fail("recall", { query: "x", filter })).toMatchObject({
      ...{ reason: "REQUEST_INVALID", fields: ["filter.recursive_collections"] },
    });
    const one = recallFilter({ collectionIds: ["a"], recursiveCollections: true });
    const scored = { query: "x", filter: one, scoring: "tf_idf" };
    expect(await server.client.fail("recall", scored)).toMatchObject({
      ...{ reason: "REQUEST_INVALID", fields: ["filter.recursive_collections"] },
    });
  });

  test("is how a context takes its collections", async () => {
    await fill("context");
    const kind = ContextSectionKind.DOCUMENTS;
    const sections = [{ ...ContextSection.decode(new Uint8Array(0)), kind, limit: 20 }];
    const ask = { namespace: "context", scope: {}, query: "zebra", sections, minRelevance: 0 };
    const itemsOf = async (collectionIds: readonly string[]) => {
      const request = { ...ask, minBestRelevance: 0, collectionIds: [...collectionIds] };
      const { parts } = await server.client.call("assembleContext", request);
      return parts
        .flatMap(({ items }) => items)
        .map(({ ref }) => (ref?.ref?.$case === "document" ? ref.ref.value.documentId : ""))
        .sort();
    };
    expect(await itemsOf(["a"])).toEqual(["a", "a/b", "a/b/c"]);
    expect(await itemsOf([])).toContain("ab");
    const conversation = [{ ...sections[0], kind: ContextSectionKind.LONG_TERM }] as never;
    const failure = await server.client.fail("assembleContext", {
      ...{ ...ask, minRelevance: undefined, sections: conversation, collectionIds: ["a"] },
    });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["collection_ids"] });
  });
});
