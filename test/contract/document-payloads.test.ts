// Payloads of documents through the contract: exact data beside the text, returned on request.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Document } from "../../src/gen/memorysidecar/v1/document.ts";
import { RecallKind } from "../../src/gen/memorysidecar/v1/recall.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  document,
  documentFilter,
  EVERYONE,
  embedding,
  recallFilter,
} from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** JSON that no object of a program would give again. */
const EXACT = '{ "z": 9007199254740993, "a": 1.0, "z": [\t1e2 ], "\\u00e9": "é"}\n';
const json = (text = EXACT) => ({ data: Buffer.from(text), mediaType: "application/json" });
const held = (documentId: string, text: string, payload = json()) =>
  document({ documentId, text, payload });
const LONG = Array.from({ length: 30 }, (_, at) => `Sentence ${at} of the zebra.`).join(" ");
const splitter = { chunkChars: 100, overlapChars: 0 };

async function upsert(collectionId: string, documents: Document[], fields: object = {}) {
  return await server.client.call("upsertDocuments", { collectionId, documents, ...fields });
}

const get = async (collectionId: string, documentId: string, includePayload = true) => {
  const request = { collectionId, documentId, includePayload };
  return (await server.client.call("getDocument", request)).document;
};

const list = async (collectionId: string, fields: object = {}) =>
  await server.client.call("listDocuments", { collectionId, includePayloads: true, ...fields });

async function recalled(collectionId: string, fields: object = {}): Promise<Document[]> {
  const filter = recallFilter({ collectionIds: [collectionId] });
  const ask = { query: "zebra", filter, pageSize: 100, includePayloads: true, ...fields };
  const { hits } = await server.client.call("recall", ask);
  return hits.flatMap(({ record }) => (record?.$case === "document" ? [record.value] : []));
}

const sizesOf = (documents: readonly Document[]) =>
  documents.map(({ documentId, payload, payloadSize }) => [
    documentId,
    Number(payloadSize),
    payload?.data.length,
  ]);

describe("a payload", () => {
  test("comes back byte for byte, and only where it is asked for", async () => {
    await upsert("exact", [held("a", "zebra"), document({ documentId: "b", text: "zebra b" })]);
    const size = BigInt(Buffer.byteLength(EXACT));
    const bare = await get("exact", "a", false);
    expect(bare).toMatchObject({ payload: undefined, payloadSize: size });
    const whole = await get("exact", "a");
    expect(whole).toEqual({ ...bare, payload: json() });
    expect(whole?.payload?.data.toString()).toBe(EXACT);
    expect(await get("exact", "b")).toMatchObject({ payload: undefined, payloadSize: 0n });
    const { documents } = await list("exact");
    expect(documents).toEqual([whole, await get("exact", "b")]);
    const plain = await list("exact", { includePayloads: false });
    expect(plain.documents[0]).toEqual(bare);
  });

  test("comes with the hits of every scoring", async () => {
    const vector = embedding({ values: [1, 0], model: "mine" });
    await upsert("hits", [{ ...held("a", "zebra"), embedding: vector }]);
    const expected = [["a", Buffer.byteLength(EXACT), Buffer.byteLength(EXACT)]];
    expect(sizesOf(await recalled("hits"))).toEqual(expected);
    const near = { query: "", scoring: "cosine", embedding: vector };
    expect(sizesOf(await recalled("hits", near))).toEqual(expected);
    await upsert("hits", [held("a", "zebra")]);
    expect(sizesOf(await recalled("hits", { scoring: "tf_idf" }))).toEqual(expected);
    const group = { groupBySession: { hitsPerSession: 3 } };
    expect(sizesOf(await recalled("hits", group))).toEqual(expected);
    const bare = await recalled("hits", { includePayloads: false });
    expect(sizesOf(bare)).toEqual([["a", Buffer.byteLength(EXACT), undefined]]);
  });

  test("is replaced or removed by an upsert, and a refused one leaves it", async () => {
    const [first] = (await upsert("replaced", [held("a", "one")])).documents;
    const second = held("a", "two", { data: Buffer.from([0, 255]), mediaType: "" });
    await upsert("replaced", [second]);
    expect((await get("replaced", "a"))?.payload).toEqual(second.payload);
    const stale = [document({ documentId: "a", etag: first?.etag ?? "" })];
    const fields = { collectionId: "replaced", documents: stale };
    expect(await server.client.fail("upsertDocuments", fields)).toMatchObject({
      reason: "ETAG_MISMATCH",
    });
    expect((await get("replaced", "a"))?.payload).toEqual(second.payload);
    await upsert("replaced", [document({ documentId: "a", text: "three" })]);
    expect(await get("replaced", "a")).toMatchObject({ payload: undefined, payloadSize: 0n });
  });

  test("goes with its document, however that goes", async () => {
    const fill = () => upsert("gone", [held("a", "x"), held("b", "y")]);
    const bare = () => upsert("gone", [document({ documentId: "a", text: "x" })]);
    await fill();
    await server.client.call("deleteDocuments", { collectionId: "gone", documentIds: ["a"] });
    await bare();
    expect((await get("gone", "a"))?.payload).toBeUndefined();
    await fill();
    const all = { collectionId: "gone", filter: documentFilter({ scope: EVERYONE }) };
    await server.client.call("purgeDocuments", { ...all, force: true });
    await bare();
    expect((await get("gone", "a"))?.payload).toBeUndefined();
    await fill();
    await server.client.call("clearCollection", { collectionId: "gone" });
    await bare();
    expect((await get("gone", "a"))?.payload).toBeUndefined();
  });

  test("is not searched", async () => {
    await upsert("hidden", [held("a", "zebra", json('"okapi"'))]);
    expect(await recalled("hidden", { query: "okapi", minRelevance: 0.1 })).toEqual([]);
    expect(sizesOf(await recalled("hidden"))).toEqual([["a", 7, 7]]);
  });
});

describe("the payload of a split document", () => {
  test("is one for all of its chunks, and the first on a page has it", async () => {
    const size = Buffer.byteLength(EXACT);
    const { documents } = await upsert("split", [held("guide", LONG)], { splitter });
    const ids = documents[0]?.chunkDocumentIds ?? [];
    expect(ids.length).toBeGreaterThan(5);
    expect(await get("split", "guide")).toMatchObject({ text: LONG, payload: json() });
    expect(await get("split", "guide", false)).toMatchObject({ payloadSize: BigInt(size) });
    for (const id of [ids[0], ids.at(-1)]) {
      expect(await get("split", id ?? "")).toMatchObject({
        ...{ sourceDocumentId: "guide", payloadSize: BigInt(size), payload: json() },
      });
    }
    const page = await list("split");
    expect(sizesOf(page.documents)).toEqual(
      ids.map((id, at) => [id, size, at === 0 ? size : undefined]),
    );
    const next = await list("split", { pageSize: 2 });
    const { pageToken = next.nextPageToken } = {};
    const later = await list("split", { pageSize: 2, pageToken });
    expect(sizesOf(later.documents)).toEqual([
      [ids[2], size, size],
      [ids[3], size, undefined],
    ]);
    const hits = sizesOf(await recalled("split"));
    expect(hits.length).toBeGreaterThan(3);
    expect(hits.map(([, , got]) => got)).toEqual(
      hits.map((_, at) => (at === 0 ? size : undefined)),
    );
  });

  test("is replaced with the document, and deleted with its first chunk", async () => {
    await upsert("resplit", [held("guide", LONG)], { splitter });
    await upsert("resplit", [held("guide", LONG, json("2"))], { splitter });
    expect((await get("resplit", "guide#3"))?.payload).toEqual(json("2"));
    await server.client.call("deleteDocuments", {
      ...{ collectionId: "resplit", documentIds: ["guide#0"] },
    });
    expect((await get("resplit", "guide#3"))?.payload).toBeUndefined();
    await upsert("resplit", [document({ documentId: "guide", text: LONG })], { splitter });
    expect(await get("resplit", "guide")).toMatchObject({ payload: undefined, payloadSize: 0n });
  });
});

describe("the size of a payload", () => {
  const bytes = (length: number) => ({ data: Buffer.alloc(length, 7), mediaType: "" });

  test("may be such that a call with one document fills 4 MiB, and so may its answers", async () => {
    const data = bytes(4_128_768);
    await upsert("large", [held("a", `zebra ${"y".repeat(20_000)}`, data)]);
    const whole = await get("large", "a");
    expect(whole?.payload?.data.equals(data.data)).toBe(true);
    expect(sizesOf((await list("large")).documents)).toEqual([["a", 4_128_768, 4_128_768]]);
    expect(sizesOf(await recalled("large"))).toEqual([["a", 4_128_768, 4_128_768]]);
    const text = Array.from({ length: 2_000 }, (_, at) => `Line ${at} of the text.`).join(" ");
    const both = [held("b", text, bytes(4_100_000))];
    await upsert("large", both, { splitter: { chunkChars: 1_000, overlapChars: 0 } });
    expect((await get("large", "b"))?.text).toBe(text);
  });

  test("is bounded, alone and with the document, split or not", async () => {
    const refusal = async (one: Document, fields: object = {}) => {
      const request = { collectionId: "bounds", documents: [one], ...fields };
      const failure = await server.client.fail("upsertDocuments", request);
      expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
      return failure;
    };
    const data = ["documents[0].payload.data"];
    expect((await refusal(held("a", "x", bytes(0)))).fields).toEqual(data);
    expect((await refusal(held("a", "x", bytes(4_128_769)))).fields).toEqual(data);
    const text = "y".repeat(40_000);
    const both = {
      fields: ["documents[0]"],
      message: expect.stringContaining("with its payload, and may take at most 4161536"),
    };
    expect(await refusal(held("a", text, bytes(4_128_768)))).toMatchObject(both);
    const whole = held("a", LONG.repeat(60), bytes(4_128_768));
    expect(await refusal(whole, { splitter })).toMatchObject(both);
    expect((await list("bounds")).documents).toEqual([]);
  });

  test("ends a page after 3 MiB", async () => {
    for (const id of ["a", "b", "c", "d"]) {
      await upsert("pages", [held(id, `zebra ${id}`, bytes(1_500_000))]);
    }
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await list("pages", { pageToken });
      expect(page.documents.length).toBeLessThanOrEqual(2);
      seen.push(...page.documents.map(({ documentId }) => documentId));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(seen).toEqual(["a", "b", "c", "d"]);
    expect(await recalled("pages")).toHaveLength(2);
    expect(await recalled("pages", { scoring: "tf_idf" })).toHaveLength(2);
    expect(await recalled("pages", { includePayloads: false })).toHaveLength(4);
    expect(LIMITS.pageBytes).toBe(3_145_728);
  });
});

test("a recall without documents takes no request for payloads", async () => {
  const filter = recallFilter({ kinds: [RecallKind.MESSAGE] });
  const request = { query: "x", filter, includePayloads: true };
  const failure = await server.client.fail("recall", request);
  expect(failure).toMatchObject({ reason: "REQUEST_INVALID" });
  expect(failure.fields).toEqual(["include_payloads"]);
});
