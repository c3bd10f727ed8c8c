// Damages single records of documents and vectors: verify must report every one, and a read must
// not give another answer.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  DamagedCopies,
  flip,
  OPTIONS,
  thirdKey,
} from "../../../test/support/store/damaged-copies.ts";
import {
  changeDocuments,
  type DocumentAction,
  newVector,
  saveVectors,
} from "../../../test/support/store/documents.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { START_MS } from "../../../test/support/store/plans.ts";
import { seal, unseal } from "../engine/envelope.ts";
import { type Environment, openEnvironment, type Table } from "../engine/environment.ts";
import { afterPrefix, readU64, u64 } from "../engine/keys.ts";
import { NOTHING, ONE_NUMBER } from "../engine/table.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import type { Store, VectorPlace } from "../store.ts";
import {
  CHUNK,
  COLLECTION,
  COLLECTION_COUNT,
  DOCUMENT,
  DOCUMENT_END,
  DOCUMENT_ID,
  EMPTIED,
  encodeDocumentBody,
  encodePayloadBody,
  encodeVectorBody,
  PAYLOAD,
  RECALLED,
  VECTOR,
} from "../tables/document-tables.ts";
import { PURGE } from "../tables/session-tables.ts";
import { verifyDirectory } from "./verify.ts";

const ref = { namespace: "default", sessionId: "s" };
const collection = { namespace: "default", collectionId: "c" };

let copies: DamagedCopies;

function change(store: Store, parts: Partial<DocumentAction>) {
  const nothing = { put: [], remove: [], removeChunks: [], clear: false };
  const base = { namespace: "default", sessionId: "c", nowMs: START_MS };
  return changeDocuments(store, { kind: "documents", ...nothing, ...base, ...parts });
}

async function append(store: Store): Promise<void> {
  await store.changeSession(ref, (view) => {
    return { kind: "save", result: undefined, plan: appendPlan(ref, view, "text") };
  });
}

async function fill(store: Store): Promise<void> {
  const put = Array.from({ length: 20 }, (_, n) => ({
    documentId: `d${n}`,
    text: `text ${n}`,
    ...(n % 2 === 0 ? { sourceId: "s" } : {}),
    ...(n % 3 === 0 ? { dimensions: 5 } : {}),
    ...(n % 4 === 0 ? { ttlMs: 2_000 - n } : {}),
    ...(n % 5 === 0 ? { payload: `payload ${n}` } : {}),
  }));
  await change(store, { put });
  await change(store, { remove: ["d3"] });
  await change(store, { put: put.slice(0, 2) });
  for (const sessionId of ["e", "f", "g", "h"]) {
    await change(store, { sessionId, put: put.slice(0, 3) });
    await change(store, { sessionId, clear: true });
    await store.noteRecalled(sessionId, START_MS);
  }
  for (const sessionId of ["i", "j", "k"]) await change(store, { sessionId, put: put.slice(0, 3) });
  for (let n = 0; n < 6; n += 1) await append(store);
  const places: VectorPlace[] = [1, 2, 3, 5, 6].map((seq) => ({ kind: "message", ...ref, seq }));
  for (const documentNo of [1, 2, 3]) places.push({ kind: "document", ...collection, documentNo });
  const drafts = places.map((place) => ({ place, model: "m", count: 2, stale: false }));
  expect(await saveVectors(store, { kind: "vectors", drafts })).toBe(8);
}

beforeAll(async () => {
  copies = await DamagedCopies.of(fill, append);
});

afterAll(async () => {
  await copies.dispose();
});

function payload(index: Table, key: string): Uint8Array {
  return unseal(key, index.get(key) ?? Buffer.alloc(0), "record");
}

/** The log number of the collection. */
function logOf(index: Table): number {
  const [key = ""] = index.getKeys({ start: DOCUMENT.id, end: afterPrefix(DOCUMENT.id) });
  return readU64(key, 1);
}

const held = COLLECTION.id;
const emptied = EMPTIED.id;
const document = DOCUMENT.id;
const documentId = DOCUMENT_ID.id;
const chunk = CHUNK.id;
const vector = VECTOR.id;
const recalled = RECALLED.id;
const end = DOCUMENT_END.id;
const kept = PAYLOAD.id;
const TABLES = {
  ...{ collection: held, emptied, document, documentId, end, chunk, vector, recalled },
  payload: kept,
};

describe("verify", () => {
  test("counts documents and vectors, and finds nothing where nothing is damaged", async () => {
    const { problems, totals } = await verifyDirectory(copies.whole);
    expect(problems).toEqual([]);
    expect(totals.documents).toBe(28);
    expect(totals.vectors).toBe(8);
  });

  test.each(Object.entries(TABLES))("finds a damaged record of %s", async (_, table) => {
    const kinds = await copies.found(({ index }) => flip(index, thirdKey(index, table)));
    expect(kinds).toContain("a record of the index is damaged");
  });

  test.each([
    ["collection", COLLECTION.id, "a record belongs to no log"],
    ["document", DOCUMENT.id, "the documents of a collection are counted wrongly"],
    ["documentId", DOCUMENT_ID.id, "a document is not found by its id"],
    ["chunk", CHUNK.id, "a chunk is not found by its source"],
    ["end", DOCUMENT_END.id, "a document would never expire"],
    ["payload", PAYLOAD.id, "the payload of a document is missing"],
    ["vector", VECTOR.id, "a message belongs to no log"],
  ])("finds a lost record of %s", async (_, table, kind) => {
    expect(await copies.found(({ index }) => index.remove(thirdKey(index, table)))).toContain(kind);
  });

  test.each([
    ["document", DOCUMENT],
    ["vector", VECTOR],
    ["payload", PAYLOAD],
  ] as const)("finds a lost, a damaged and a torn body of a %s", async (what, table) => {
    const bodyKey = ({ index }: Environment) => {
      const key = thirdKey(index, table.id);
      return u64(table.bodyNo?.(payload(index, key)) ?? 0);
    };
    const lost = await copies.found((env) => env.message.remove(bodyKey(env)));
    expect(lost).toEqual([`the body of a ${what} is missing`]);
    const damaged = await copies.found((env) => flip(env.message, bodyKey(env), 9));
    expect(damaged).toContain(`the body of a ${what} is damaged`);
    const torn = await copies.found((env) => {
      const key = bodyKey(env);
      return env.message.put(key, seal(key, payload(env.message, key).subarray(0, -1)));
    });
    expect(torn).toEqual([`the body of a ${what} is damaged`]);
  });

  test("finds a document that is another one", async () => {
    const kinds = await copies.found(async ({ index, message }) => {
      const { bodyNo } = DOCUMENT.decode(payload(index, thirdKey(index, DOCUMENT.id)));
      const key = u64(bodyNo);
      const body = { documentId: "x", bytes: Uint8Array.of(1), embedding: undefined };
      await message.put(key, seal(key, encodeDocumentBody(body)));
    });
    expect(kinds).toEqual(["a document and its row differ"]);
  });

  test("finds a payload that is another one, and one of no document", async () => {
    const kinds = await copies.found(async ({ index, message }) => {
      const bodyNo = PAYLOAD.decode(payload(index, thirdKey(index, PAYLOAD.id)));
      const key = u64(bodyNo);
      const body = { documentId: "x", mediaType: "", data: Uint8Array.of(1) };
      await message.put(key, seal(key, encodePayloadBody(body)));
      const stray = PAYLOAD.key(logOf(index), 2);
      await index.put(stray, PAYLOAD.encode(stray, bodyNo));
    });
    expect(kinds).toEqual([
      "a payload and its document differ",
      "the payloads of a collection are wrong",
    ]);
  });

  test("finds a wrong number of collections", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const key = COLLECTION_COUNT.key("default");
      await index.put(key, COLLECTION_COUNT.encode(key, 9));
    });
    expect(kinds).toEqual(["the collections of a namespace are counted wrongly"]);
  });

  test("finds rows that are not sound", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const logNo = logOf(index);
      const key = DOCUMENT.key(logNo, 5);
      const row = DOCUMENT.decode(payload(index, key));
      const wrong = { ...row, bodyNo: row.bodyNo + 1, etagRevision: 1_000_000 };
      await index.put(key, DOCUMENT.encode(key, wrong));
      const late = DOCUMENT.key(logNo, 999);
      await index.put(late, DOCUMENT.encode(late, row));
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        "a document has a number that was not given",
        "a document is not found by its id",
        "a document is of a later revision",
        "a document and its row differ",
        "two records name one body",
        "the documents of a collection are counted wrongly",
      ]),
    );
  });

  test("finds an id and a chunk of no document", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const idKey = DOCUMENT_ID.key(logOf(index), "x");
      await index.put(idKey, ONE_NUMBER.encode(idKey, 1) as Buffer);
      const chunk = CHUNK.key(logOf(index), "x", 1);
      await index.put(chunk, NOTHING.encode(chunk, true) as Buffer);
    });
    const expected = ["the ids of a collection are wrong", "the chunks of a collection are wrong"];
    expect(kinds).toEqual(expected);
  });

  test("finds ends of no document and of no collection", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const wrong = DOCUMENT_END.key(7, logOf(index), 2);
      await index.put(wrong, DOCUMENT_END.encode(wrong, collection));
      const stray = DOCUMENT_END.key(7, 999, 2);
      await index.put(stray, DOCUMENT_END.encode(stray, collection));
    });
    expect(kinds.toSorted()).toEqual([
      "the end of a document belongs to no collection",
      "the ends of documents are wrong",
    ]);
  });

  test("finds collections that share a log, or are held and emptied", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const key = COLLECTION.key("x", "c");
      const times = { createMs: 1, updateMs: 1 };
      const counts = { nextDocumentNo: 99, documentCount: 19, recordDocumentCount: 0 };
      const row = { logNo: logOf(index), ...counts, ...times };
      await index.put(key, COLLECTION.encode(key, row));
      const emptied = EMPTIED.key("default", "c");
      await index.put(emptied, ONE_NUMBER.encode(emptied, 7) as Buffer);
      const purge = PURGE.key(logOf(index));
      await index.put(purge, NOTHING.encode(purge, true) as Buffer);
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        "a log belongs to two collections",
        "a collection counts as emptied",
        "a log is in use and being erased",
      ]),
    );
  });

  test("finds vectors of no record, of no log, and of several lengths", async () => {
    const kinds = await copies.found(async ({ index, message }) => {
      const key = thirdKey(index, VECTOR.id);
      const row = VECTOR.decode(payload(index, key));
      await index.put(key, VECTOR.encode(key, { ...row, ofNo: row.ofNo + 1 }));
      const stray = VECTOR.key(77, 1);
      await index.put(stray, VECTOR.encode(stray, { ofNo: 1, bodyNo: 1 }));
      const body = u64(row.bodyNo);
      const vectors = [newVector(1, 3), newVector(1, 4)];
      await message.put(body, seal(body, encodeVectorBody({ model: "m", vectors })));
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        "vectors belong to no record",
        "a record belongs to no log",
        "the body of a vector is damaged",
      ]),
    );
  });
});

describe("a server", () => {
  test("says that a document is lost instead of going on without it", async () => {
    const directory = await copies.changed(({ index }) =>
      index.remove(DOCUMENT.key(logOf(index), 1)),
    );
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const corrupt = { reason: "RECORD_CORRUPT" };
    await expect(store.readDocument(collection, "d0")).rejects.toMatchObject(corrupt);
    await expect(change(store, { remove: ["d0"] })).rejects.toMatchObject(corrupt);
    await expect(change(store, { removeChunks: ["s"] })).rejects.toMatchObject(corrupt);
    await store.close();
  });

  test("gives no vectors that were made from another record", async () => {
    const directory = await copies.changed(async ({ index }) => {
      const key = thirdKey(index, VECTOR.id);
      const row = VECTOR.decode(payload(index, key));
      await index.put(key, VECTOR.encode(key, { ...row, ofNo: row.ofNo + 1 }));
    });
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const places: VectorPlace[] = [1, 2, 3, 5, 6].map((seq) => ({ kind: "message", ...ref, seq }));
    for (const documentNo of [1, 2, 3]) {
      places.push({ kind: "document", ...collection, documentNo });
    }
    const vectors = await store.readVectors(places);
    expect(vectors.filter((record) => record === undefined).length).toBe(1);
    await store.close();
  });

  test("leaves nothing of what was cleared, replaced or removed", async () => {
    const directory = await copies.changed(async () => undefined);
    const store = await openLmdbStore({ directory, ...OPTIONS });
    await change(store, { put: [{ documentId: "d1", text: "new" }], remove: ["d2"] });
    await change(store, { clear: true });
    for (const sessionId of ["i", "j", "k"]) await change(store, { sessionId, clear: true });
    await store.changeSession(ref, () => {
      const events = [
        { ...ref, type: 2, userId: "", createMs: 1, body: Uint8Array.of(1) },
      ] as const;
      return { kind: "save", result: undefined, plan: { remove: true, events } };
    });
    const limits = {
      eventAgeMsMax: 1e15,
      eventCountMax: 1e9,
      replyAgeMsMax: 1e15,
      usageHourMin: 0,
    };
    while (await store.maintain({ nowMs: START_MS, ...limits })) {
      // Until everything is erased.
    }
    await store.close();
    const env = openEnvironment({ directory });
    const all = { start: u64(0), end: "\xff".repeat(9) };
    expect([...env.message.getKeys(all)]).toEqual([]);
    for (const { id: start } of [COLLECTION, DOCUMENT, DOCUMENT_ID, CHUNK, VECTOR]) {
      expect([...env.index.getKeys({ start, end: afterPrefix(start) })]).toEqual([]);
    }
    await env.root.close();
    expect((await verifyDirectory(directory)).problems).toEqual([]);
  });
});
