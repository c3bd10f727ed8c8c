// Conformance: documents and their collections.

import { describe, expect } from "vitest";
import { consumerNotFound } from "../../../src/kit/errors.ts";
import { LIMITS } from "../../../src/kit/limits.ts";
import type { DocumentPlan, StoredDocument } from "../../../src/store/store.ts";
import { plain } from "../../support/kit/plain.ts";
import {
  allCollections,
  allDocuments,
  changeDocuments,
  type DocumentAction,
  type DocumentDraft,
  dumpDocuments,
  newDocument,
  newVector,
} from "../../support/store/documents.ts";
import { newEvent, newReply, START_MS } from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const REF = { namespace: "default", collectionId: "c" };
const EVENTS = [newEvent({ namespace: "default", sessionId: "" })];
const CHANGE = { ...REF, documentIds: [], sourceIds: [] };

function change(scene: Scene, parts: Partial<DocumentAction> = {}) {
  const nothing = { put: [], remove: [], removeChunks: [], clear: false };
  const base = { namespace: "default", sessionId: "c", nowMs: START_MS };
  return changeDocuments(scene.store, { kind: "documents", ...nothing, ...base, ...parts });
}

function drafts(...ids: readonly string[]): readonly DocumentDraft[] {
  return ids.map((documentId) => ({ documentId, text: `text of ${documentId}` }));
}

async function idsOf(scene: Scene, collectionId = "c"): Promise<readonly string[]> {
  const all = await allDocuments(scene.store, { namespace: "default", collectionId });
  return all.map(({ documentId, documentNo }) => `${documentNo} ${documentId}`);
}

function save(scene: Scene, plan: Partial<DocumentPlan>): Promise<unknown> {
  return scene.store.changeDocuments(CHANGE, () => ({
    kind: "save",
    result: 0,
    plan: { nowMs: START_MS, events: EVENTS, ...plan },
  }));
}

/** Declares the tests of documents. */
export function documentSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a document", () => {
    test("is kept as it is saved", async (scene) => {
      const embedding = { model: "größe/3", values: Float32Array.of(0.1, -2.5, 1e-30, 0) };
      const bytes = Uint8Array.from({ length: 1_000_000 }, (_, at) => at % 251);
      const large: StoredDocument = {
        ...newDocument({ documentId: "\u{1f600}#", documentNo: 1, sourceId: "s\u00e9" }),
        bytes,
        embedding,
        createMs: 4_000_000_000_000,
      };
      const empty = {
        ...newDocument({ documentId: "e", documentNo: 2 }),
        bytes: bytes.slice(0, 0),
      };
      await save(scene, { put: [large, empty] });
      for (let round = 0; round < 2; round += 1) {
        const found = await scene.store.readDocument(REF, "\u{1f600}#");
        expect(plain(found)).toEqual(plain(large));
        expect(found?.embedding?.values).toEqual(embedding.values);
        expect(plain(await scene.store.readDocument(REF, "e"))).toEqual(plain(empty));
        await scene.engine.reopen();
      }
      expect(await scene.store.readDocument(REF, "x")).toBeUndefined();
      expect(await scene.store.readDocument({ ...REF, collectionId: "d" }, "e")).toBeUndefined();
      expect(await scene.store.readDocument({ ...REF, namespace: "x" }, "e")).toBeUndefined();
    });

    test("keeps its number when it is replaced", async (scene) => {
      await change(scene, { put: drafts("a", "b", "c") });
      await change(scene, { put: [{ documentId: "b", text: "new", dimensions: 4 }] });
      expect(await idsOf(scene)).toEqual(["1 a", "2 b", "3 c"]);
      const found = await scene.store.readDocument(REF, "b");
      expect(Buffer.from(found?.bytes ?? []).toString()).toBe("new");
      expect(found?.embedding?.values).toEqual(newVector(2, 4));
      expect(found?.etagRevision).toBe(2);
      await change(scene, { put: drafts("b") });
      expect((await scene.store.readDocument(REF, "b"))?.embedding).toBeUndefined();
      const [collection] = await allCollections(scene.store, "default");
      expect(collection?.documentCount).toBe(3);
    });

    test("never takes a number again", async (scene) => {
      await change(scene, { put: drafts("a", "b", "c") });
      await change(scene, { remove: ["c"] });
      await change(scene, { put: drafts("c") });
      expect(await idsOf(scene)).toEqual(["1 a", "2 b", "4 c"]);
      await change(scene, { remove: ["a", "b", "c"] });
      await scene.engine.reopen();
      await change(scene, { put: drafts("d") });
      await change(scene, { clear: true });
      await settle(scene.store, {});
      await scene.engine.reopen();
      expect((await change(scene, { put: drafts("a") })).nextDocumentNo).toBe(6);
      expect(await idsOf(scene)).toEqual(["6 a"]);
    });

    test("is shown to decide, whether it is durable or not", async (scene) => {
      const results = await Promise.all([
        change(scene, { put: drafts("a", "b") }),
        change(scene, { put: drafts("b", "c") }),
        change(scene, { remove: ["a"] }),
        change(scene, { put: drafts("a") }),
      ]);
      expect(results.map(({ documents }) => documents.map((one) => one.slice(0, 4)))).toEqual([
        [],
        ["b: 2"],
        ["a: 1"],
        [],
      ]);
      expect(results.map(({ nextDocumentNo }) => nextDocumentNo)).toEqual([1, 3, 4, 4]);
      expect(results.map(({ collection }) => collection?.documentCount)).toEqual([
        undefined,
        2,
        3,
        2,
      ]);
      expect(await idsOf(scene)).toEqual(["2 b", "3 c", "4 a"]);
      expect(await revisionOf(scene.store)).toBe(4);
    });

    test("comes with its events, or not at all", async (scene) => {
      await change(scene, { put: drafts("a") });
      const thrown = consumerNotFound("x");
      const failed = scene.store.changeDocuments(CHANGE, () => {
        throw thrown;
      });
      await expect(failed).rejects.toBe(thrown);
      const answer = scene.store.changeDocuments(CHANGE, () => ({ kind: "answer", result: 7 }));
      expect(await answer).toBe(7);
      expect(await revisionOf(scene.store)).toBe(1);
      expect((await scene.events()).length).toBe(1);
    });

    test("is written once for a request id", async (scene) => {
      const put = () => change(scene, { put: drafts("a"), requestId: "r" });
      const results = await Promise.all([put(), put(), put()]);
      expect(results.filter(({ replayed }) => replayed === true).length).toBe(2);
      await scene.engine.reopen();
      expect((await put()).replayed).toBe(true);
      expect(await revisionOf(scene.store)).toBe(1);
      // An answer is remembered as well.
      const none = () =>
        scene.store.changeDocuments({ ...CHANGE, requestId: "n" }, ({ reply }) => ({
          kind: "answer",
          result: reply?.method,
          reply: newReply("none"),
        }));
      expect(await Promise.all([none(), none()])).toEqual([undefined, "Test"]);
      expect(await revisionOf(scene.store)).toBe(1);
    });
  });

  describe("a chunk", () => {
    test("is found by its source, by rising number", async (scene) => {
      const chunk = (n: number, sourceId = "s") => ({ documentId: `s#${n}`, text: "t", sourceId });
      await change(scene, { put: [...drafts("a"), chunk(0), chunk(1), chunk(2, "s2")] });
      const look = async (...sources: readonly string[]) => {
        const answer = await change(scene, { put: [], removeChunks: sources, requestId: "" });
        return answer.chunks;
      };
      const removed = await look("s", "x");
      expect(removed).toEqual(["s: 2|s#0|s|0|t 3|s#1|s|0|t"]);
      expect(await idsOf(scene)).toEqual(["1 a", "4 s#2"]);
      expect(await look("s")).toEqual([]);
      // A chunk may become one of another source, or none.
      await change(scene, { put: [chunk(2, "s3"), chunk(5, "s3")] });
      expect(await look("s2")).toEqual([]);
      await change(scene, { put: [{ documentId: "s#5", text: "t" }] });
      await scene.engine.reopen();
      expect(await look("s3")).toEqual(["s3: 4|s#2|s3|0|t"]);
      expect(await idsOf(scene)).toEqual(["1 a", "5 s#5"]);
    });
  });

  describe("a list of documents", () => {
    test("comes in pages by rising number, between two numbers", async (scene) => {
      const ids = Array.from({ length: 100 }, (_, n) => `d${n}`);
      await change(scene, { put: drafts(...ids) });
      await change(scene, { remove: ids.filter((_, n) => n % 3 === 0) });
      const left = ids.flatMap((id, n) => (n % 3 === 0 ? [] : [`${n + 1} ${id}`]));
      for (const limit of [1, 7, 66, 67, 1_000]) {
        const all = await allDocuments(scene.store, REF, limit);
        expect(all.map(({ documentId, documentNo }) => `${documentNo} ${documentId}`)).toEqual(
          left,
        );
      }
      const numbers = async (after: number, last: number, limit: number) => {
        const page = await scene.store.listDocuments({ ...REF, after, last, limit });
        return [page.documents.map(({ documentNo }) => documentNo), page.next];
      };
      expect(await numbers(3, 8, 10)).toEqual([[5, 6, 8], undefined]);
      expect(await numbers(3, 8, 2)).toEqual([[5, 6], 6]);
      expect(await numbers(6, 8, 1)).toEqual([[8], undefined]);
      expect(await numbers(8, 8, 1)).toEqual([[], undefined]);
      expect(await numbers(8, 4, 1)).toEqual([[], undefined]);
      expect(await numbers(99, Number.MAX_SAFE_INTEGER, 1)).toEqual([[], undefined]);
      const none = { ...REF, collectionId: "x", after: 0, limit: 1 };
      expect(await scene.store.listDocuments(none)).toEqual({ documents: [], next: undefined });
    });

    test("ends a page of many bytes", async (scene) => {
      const text = "x".repeat(LIMITS.documentBytes);
      const count = Math.ceil(LIMITS.pageBytes / LIMITS.documentBytes) + 2;
      for (let n = 0; n < count; n += 1) {
        await change(scene, { put: [{ documentId: `d${n}`, text }] });
      }
      const all = await allDocuments(scene.store, REF, 1_000);
      expect(all.map(({ documentNo }) => documentNo)).toEqual(all.map((_, n) => n + 1));
      expect(all.length).toBe(count);
    });
  });

  describe("a collection", () => {
    test("is there while it holds documents, with its times", async (scene) => {
      await change(scene, { put: drafts("a", "b"), nowMs: START_MS + 1 });
      await change(scene, { remove: ["a"], nowMs: START_MS + 2 });
      const list = () => allCollections(scene.store, "default");
      const counts = { documentCount: 1, recordDocumentCount: 0, hasBelow: false };
      const base = { collectionId: "c", ...counts };
      const times = { createMs: START_MS + 1, updateMs: START_MS + 2 };
      expect(await list()).toEqual([{ ...base, ...times }]);
      await change(scene, { remove: ["b"], nowMs: START_MS + 3 });
      expect(await list()).toEqual([]);
      await change(scene, { put: drafts("b"), nowMs: START_MS + 4 });
      await scene.engine.reopen();
      const again = { createMs: START_MS + 4, updateMs: START_MS + 4 };
      expect(await list()).toEqual([{ ...base, ...again }]);
    });

    test("is empty once it is cleared, and begins anew", async (scene) => {
      await change(scene, { put: drafts("a", "b"), nowMs: START_MS + 1 });
      const [cleared, after] = await Promise.all([
        change(scene, { clear: true, nowMs: START_MS + 2 }),
        change(scene, { put: drafts("b"), nowMs: START_MS + 3 }),
      ]);
      expect(cleared.collection?.documentCount).toBe(2);
      expect(after.collection).toBeUndefined();
      expect(after.collectionCount).toBe(0);
      for (let round = 0; round < 3; round += 1) {
        expect(await idsOf(scene)).toEqual(["3 b"]);
        const [collection] = await allCollections(scene.store, "default");
        expect(collection?.createMs).toBe(START_MS + 3);
        expect(await scene.store.readDocument(REF, "a")).toBeUndefined();
        if (round === 0) await settle(scene.store, {});
        else await scene.engine.reopen();
      }
      expect((await change(scene, { clear: true })).saved).toBe(true);
      expect((await change(scene, { clear: true })).saved).toBe(false);
      expect(await dumpDocuments(scene.store, "default")).toEqual([]);
    });

    test("is counted and listed by id, byte for byte", async (scene) => {
      const sorted = ["A", "a", "a ", "aa", "b", "\u00e9", "\uffee", "\u{1f600}"];
      for (const [n, sessionId] of sorted.toReversed().entries()) {
        const { collectionCount } = await change(scene, { sessionId, put: drafts("d") });
        expect(collectionCount).toBe(n);
      }
      await change(scene, { namespace: "x", put: drafts("d") });
      await change(scene, { sessionId: "aa", clear: true });
      await change(scene, { sessionId: "b", remove: ["d"] });
      await scene.engine.reopen();
      const left = sorted.filter((id) => id !== "aa" && id !== "b");
      const list = async (after: string, limit: number) =>
        (await scene.store.listCollections({ namespace: "default", after, limit })).map(
          (one) => one.collectionId,
        );
      expect(await list("", 100)).toEqual(left);
      expect(await list("a", 2)).toEqual(["a ", "\u00e9"]);
      expect(await list("aab", 1)).toEqual(["\u00e9"]);
      expect(await list("\u{1f601}", 1)).toEqual([]);
      expect((await change(scene, { put: [], remove: ["x"] })).collectionCount).toBe(6);
    });

    test("is one of its namespace", async (scene) => {
      for (const namespace of ["a", "ab", "default"]) {
        await change(scene, { namespace, put: [{ documentId: "d", text: namespace }] });
      }
      await change(scene, { namespace: "a", clear: true });
      await settle(scene.store, {});
      expect(await allCollections(scene.store, "a")).toEqual([]);
      const found = await scene.store.readDocument({ ...REF, namespace: "ab" }, "d");
      expect(Buffer.from(found?.bytes ?? []).toString()).toBe("ab");
    });
  });

  describe("a document with a ttl", () => {
    const ttlMs = 1_000;
    const ends = async (scene: Scene, nowMs = START_MS + 1e9): Promise<readonly string[]> =>
      (await scene.store.expiredDocuments(nowMs, 100)).map(
        ({ namespace, collectionId, documentId }) => `${namespace}/${collectionId}/${documentId}`,
      );
    const lives = async (scene: Scene, ...ids: readonly string[]) =>
      Object.fromEntries(await scene.store.readDocumentLives(REF, ids));
    const withTtl = (documentId: string, parts: Partial<DocumentDraft> = {}): DocumentDraft => ({
      ...{ documentId, text: documentId, ttlMs },
      ...parts,
    });

    test("is listed when its time has run out, the earliest first", async (scene) => {
      await change(scene, { put: [withTtl("late", { ttlMs: 2_000 }), withTtl("early")] });
      await change(scene, { sessionId: "d", put: [withTtl("other", { ttlMs: 1_500 })] });
      await change(scene, { put: drafts("endless") });
      for (let round = 0; round < 2; round += 1) {
        expect(await ends(scene, START_MS + 999)).toEqual([]);
        expect(await ends(scene, START_MS + 1_000)).toEqual(["default/c/early"]);
        const all = ["default/c/early", "default/d/other", "default/c/late"];
        expect(await ends(scene)).toEqual(all);
        expect(await scene.store.expiredDocuments(START_MS + 1e9, 2)).toHaveLength(2);
        await scene.engine.reopen();
      }
      expect(await lives(scene, "early", "endless", "none")).toEqual({
        early: { ttlMs, expireMs: START_MS + ttlMs },
        endless: { ttlMs: 0, expireMs: 0 },
      });
    });

    test("has no end when it is replaced without one, removed or cleared", async (scene) => {
      await change(scene, { put: [withTtl("a"), withTtl("b"), withTtl("c")] });
      await change(scene, { put: drafts("a"), remove: ["b"] });
      expect(await ends(scene)).toEqual(["default/c/c"]);
      await change(scene, { clear: true });
      expect(await ends(scene)).toEqual([]);
      await change(scene, { put: [withTtl("a")] });
      await settle(scene.store, {});
      await scene.engine.reopen();
      expect(await ends(scene)).toEqual(["default/c/a"]);
    });

    test("lives on by a refresh, with all chunks of its source", async (scene) => {
      const chunks = ["s#0", "s#1"].map((id) => withTtl(id, { sourceId: "s" }));
      await change(scene, { put: [withTtl("a"), withTtl("b"), ...chunks, ...drafts("endless")] });
      const revision = await revisionOf(scene.store);
      const nowMs = START_MS + 500;
      await scene.store.refreshDocuments(REF, ["a", "s#1", "endless", "none"], nowMs);
      await scene.engine.reopen();
      const expireMs = nowMs + ttlMs;
      expect(await lives(scene, "a", "b", "s", "s#0", "s#1", "endless")).toEqual({
        a: { ttlMs, expireMs },
        b: { ttlMs, expireMs: START_MS + ttlMs },
        s: { ttlMs, expireMs },
        "s#0": { ttlMs, expireMs },
        "s#1": { ttlMs, expireMs },
        endless: { ttlMs: 0, expireMs: 0 },
      });
      await scene.store.refreshDocuments(REF, ["s"], nowMs + 100);
      expect(await lives(scene, "s#0")).toEqual({ "s#0": { ttlMs, expireMs: expireMs + 100 } });
      expect(await ends(scene)).toHaveLength(4);
      expect(await revisionOf(scene.store)).toBe(revision);
    });

    test("does not come back by a refresh, and none goes back in time", async (scene) => {
      await change(scene, { put: [withTtl("a")] });
      await scene.store.refreshDocuments(REF, ["a"], START_MS + ttlMs);
      await scene.store.refreshDocuments(REF, ["a"], START_MS - 1);
      await scene.store.refreshDocuments({ ...REF, collectionId: "none" }, ["a"], START_MS);
      expect(await lives(scene, "a")).toEqual({ a: { ttlMs, expireMs: START_MS + ttlMs } });
    });
  });

  describe("a plan of documents that is faulty", () => {
    test("changes nothing", async (scene) => {
      await change(scene, { put: drafts("a", "b") });
      const before = plain(await dumpDocuments(scene.store, "default"));
      const one = (parts: Partial<StoredDocument>) => ({
        ...newDocument({ documentId: "c", documentNo: 3 }),
        ...parts,
      });
      const plans: readonly Partial<DocumentPlan>[] = [
        { events: [], put: [one({})] },
        { put: [one({ documentNo: 4 })] },
        { put: [one({ documentId: "a" })] },
        { put: [one({}), one({ documentNo: 4 })] },
        { put: [one({ documentId: "" })] },
        { put: [one({ etagRevision: 3 })] },
        { put: [one({ createMs: -1 })] },
        { put: [one({ ttlMs: 1 })] },
        { put: [one({ ttlMs: 1, expireMs: -1 })] },
        { put: [one({ embedding: { model: "m", values: new Float32Array(0) } })] },
        { put: [one({ documentId: "a", documentNo: 1 })], remove: ["a"] },
        { remove: ["x"] },
        { remove: ["a", "a"] },
        { clear: true, remove: ["a"] },
        { nowMs: 0.5 },
        { reply: newReply("x", -1) },
      ];
      for (const plan of plans) await expect(save(scene, plan)).rejects.toThrow(Error);
      expect(plain(await dumpDocuments(scene.store, "default"))).toEqual(before);
      expect(await revisionOf(scene.store)).toBe(1);
    });
  });
}
