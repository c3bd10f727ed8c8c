// Conformance: payloads, which are kept with documents and read on their own.

import { describe, expect } from "vitest";
import { plain } from "../../support/kit/plain.ts";
import {
  allDocuments,
  changeDocuments,
  type DocumentAction,
  type DocumentDraft,
  newDocument,
} from "../../support/store/documents.ts";
import { newEvent, START_MS } from "../../support/store/plans.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const REF = { namespace: "default", collectionId: "c" };

function change(scene: Scene, parts: Partial<DocumentAction> = {}) {
  const nothing = { put: [], remove: [], removeChunks: [], clear: false };
  const base = { namespace: "default", sessionId: "c", nowMs: START_MS };
  return changeDocuments(scene.store, { kind: "documents", ...nothing, ...base, ...parts });
}

function draft(documentId: string, payload?: string): DocumentDraft {
  return { documentId, text: documentId, ...(payload === undefined ? {} : { payload }) };
}

async function payloadOf(scene: Scene, documentId: string): Promise<string | undefined> {
  const holder = await scene.store.readPayload(REF, documentId);
  return holder?.payload && Buffer.from(holder.payload.data).toString();
}

/** Declares the tests of payloads. */
export function payloadSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a payload", () => {
    test("is kept as it is saved, and read on its own", async (scene) => {
      const data = Uint8Array.from({ length: 4_128_768 }, (_, at) => at % 251);
      const payload = { mediaType: "gr\u00f6\u00dfe/\u{1f600}", data };
      const document = newDocument({ documentId: "d", documentNo: 1, sourceId: "s", payload });
      await scene.store.changeDocuments({ ...REF, documentIds: [], sourceIds: [] }, () => ({
        kind: "save",
        result: 0,
        plan: {
          put: [document],
          nowMs: START_MS,
          events: [newEvent({ namespace: "default", sessionId: "" })],
        },
      }));
      const { payload: _, ...rest } = document;
      for (let round = 0; round < 2; round += 1) {
        const holder = await scene.store.readPayload(REF, "d");
        expect(holder).toMatchObject({ sourceId: "s", etagRevision: document.etagRevision });
        expect(holder?.payload?.mediaType).toBe(payload.mediaType);
        expect(Buffer.compare(holder?.payload?.data ?? Buffer.alloc(0), data)).toBe(0);
        expect(plain(await scene.store.readDocument(REF, "d"))).toEqual(plain(rest));
        expect(plain(await allDocuments(scene.store, REF))).toEqual(plain([rest]));
        await scene.engine.reopen();
      }
    });

    test("is none where there is none, and nothing where there is no document", async (scene) => {
      await change(scene, { put: [draft("a")] });
      const holder = await scene.store.readPayload(REF, "a");
      expect(holder).toEqual({ sourceId: "", etagRevision: 1, payload: undefined });
      expect(await scene.store.readPayload(REF, "b")).toBeUndefined();
      expect(await scene.store.readPayload({ ...REF, collectionId: "x" }, "a")).toBeUndefined();
      expect(await scene.store.readPayload({ ...REF, namespace: "x" }, "a")).toBeUndefined();
    });

    test("goes with each upsert of its document", async (scene) => {
      await change(scene, { put: [draft("a", "one"), draft("b", "other")] });
      await change(scene, { put: [draft("a", "two")] });
      expect(await payloadOf(scene, "a")).toBe("two");
      await scene.engine.reopen();
      await change(scene, { put: [draft("a")] });
      expect((await scene.store.readPayload(REF, "a"))?.payload).toBeUndefined();
      expect(await payloadOf(scene, "b")).toBe("other");
      await change(scene, { put: [draft("a", "three")] });
      expect(await payloadOf(scene, "a")).toBe("three");
    });

    test("stays while its document is refreshed", async (scene) => {
      await change(scene, { put: [{ ...draft("a", "one"), ttlMs: 1_000 }] });
      await scene.store.refreshDocuments(REF, ["a"], START_MS + 500);
      expect(await payloadOf(scene, "a")).toBe("one");
      expect((await scene.store.readDocument(REF, "a"))?.payloadBytes).toBe(3);
    });

    test("goes with its document and with its collection", async (scene) => {
      await change(scene, { put: [draft("a", "one"), draft("b", "two"), draft("c", "three")] });
      await change(scene, { remove: ["a"] });
      expect(await scene.store.readPayload(REF, "a")).toBeUndefined();
      await change(scene, { put: [draft("a")] });
      expect((await scene.store.readPayload(REF, "a"))?.payload).toBeUndefined();
      await change(scene, { clear: true });
      await settle(scene.store, {});
      await scene.engine.reopen();
      expect(await scene.store.readPayload(REF, "b")).toBeUndefined();
      await change(scene, { put: [draft("b")] });
      expect((await scene.store.readPayload(REF, "b"))?.payload).toBeUndefined();
    });

    test("is not saved when it is empty or of another size", async (scene) => {
      const data = Uint8Array.of(1, 2);
      for (const wrong of [
        { payload: { mediaType: "", data: data.subarray(0, 0) }, payloadBytes: 0 },
        { payload: { mediaType: "", data }, payloadBytes: 3 },
        { payloadBytes: 2 },
      ]) {
        const put = [newDocument({ documentId: "d", documentNo: 1, ...wrong })];
        const events = [newEvent({ namespace: "default", sessionId: "" })];
        const plan = { put, nowMs: START_MS, events };
        const saved = scene.store.changeDocuments(
          { ...REF, documentIds: [], sourceIds: [] },
          () => ({ kind: "save", result: 0, plan }),
        );
        await expect(saved).rejects.toThrow("payload of document number 1");
      }
      expect(await allDocuments(scene.store, REF)).toEqual([]);
    });
  });
}
