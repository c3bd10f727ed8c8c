// Conformance: vectors of messages and documents, and which namespaces were recalled.

import { describe, expect } from "vitest";
import { RECALLED_MAX, SAVE_VECTORS_MAX } from "../../../src/store/document-faults.ts";
import type { NewVectors, VectorPlace } from "../../../src/store/store.ts";
import {
  bytesAt,
  changeDocuments,
  type DocumentAction,
  newVector,
  saveVectors,
} from "../../support/store/documents.ts";
import { START_MS } from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const message = (seq: number, sessionId = "s"): VectorPlace => ({
  kind: "message",
  namespace: "default",
  sessionId,
  seq,
});
const document = (documentNo: number, collectionId = "c"): VectorPlace => ({
  kind: "document",
  namespace: "default",
  collectionId,
  documentNo,
});

function keep(scene: Scene, ...places: readonly VectorPlace[]): Promise<number> {
  const drafts = places.map((place) => ({ place, model: "m", count: 2, stale: false }));
  return saveVectors(scene.store, { kind: "vectors", drafts });
}

async function modelsAt(scene: Scene, ...places: readonly VectorPlace[]): Promise<unknown> {
  return (await scene.store.readVectors(places)).map((record) => record?.model ?? "-").join("");
}

function change(scene: Scene, parts: Partial<DocumentAction>) {
  const nothing = { put: [], remove: [], removeChunks: [], clear: false };
  const base = { namespace: "default", sessionId: "c", nowMs: START_MS };
  return changeDocuments(scene.store, { kind: "documents", ...nothing, ...base, ...parts });
}

function put(scene: Scene, ...ids: readonly string[]) {
  return change(scene, { put: ids.map((documentId) => ({ documentId, text: documentId })) });
}

/** Declares the tests of vectors. */
export function vectorSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a vector", () => {
    test("is kept as it is saved, of messages and documents", async (scene) => {
      await scene.append("s", 2);
      await put(scene, "a", "b");
      const places = [message(2), document(1), message(1)];
      const records = [
        { model: "größe", vectors: [newVector(1), newVector(2), newVector(3)] },
        { model: "", vectors: [Float32Array.of(1e-38, -0.1, 0, 3e38)] },
        { model: "none", vectors: [] },
      ];
      const vectors: NewVectors[] = [];
      for (const [at, place] of places.entries()) {
        const bytes = (await bytesAt(scene.store, place)) ?? new Uint8Array(0);
        vectors.push({ place, bytes, record: records[at] ?? { model: "", vectors: [] } });
      }
      expect(await scene.store.saveVectors(vectors)).toBe(3);
      for (let round = 0; round < 3; round += 1) {
        expect(await scene.store.readVectors(places)).toEqual(records);
        expect(await modelsAt(scene, document(2), message(3), document(9))).toBe("---");
        if (round === 0) await settle(scene.store, {});
        else await scene.engine.reopen();
      }
      expect(await revisionOf(scene.store)).toBe(2);
    });

    test("is dropped when its record is not the one it was made from", async (scene) => {
      await scene.append("s", 2);
      await put(scene, "a");
      const places = [message(1), document(1), message(9), document(9), message(0)];
      const drafts = places.map((place) => ({ place, model: "m", count: 1, stale: true }));
      expect(await saveVectors(scene.store, { kind: "vectors", drafts })).toBe(0);
      expect(await modelsAt(scene, ...places)).toBe("-----");
      expect(await keep(scene, message(1, "x"), document(1, "x"))).toBe(0);
    });

    test("takes the place of the one before", async (scene) => {
      await scene.append("s", 1);
      await keep(scene, message(1));
      const drafts = ["n", "o"].map((model) => ({
        place: message(1),
        model,
        count: 1,
        stale: false,
      }));
      expect(await saveVectors(scene.store, { kind: "vectors", drafts })).toBe(2);
      expect(await modelsAt(scene, message(1))).toBe("o");
    });

    test("goes with its message", async (scene) => {
      await scene.append(
        "s",
        [..."abcd"].map((messageId) => ({ messageId })),
      );
      const all = [1, 2, 3, 4].map((seq) => message(seq));
      expect(await keep(scene, ...all)).toBe(4);
      await scene.run("erase", "s", { messageId: "b", looks: false });
      await scene.run("replace", "s", {
        messageId: "c",
        text: "new",
        tokenCount: 1,
        looks: false,
      });
      expect(await modelsAt(scene, ...all)).toBe("m--m");
      expect(await keep(scene, message(2))).toBe(0);
      expect(await keep(scene, message(3))).toBe(1);
      expect(await modelsAt(scene, ...all)).toBe("m-mm");
      await scene.run("trim", "s", { every: 1, rest: 0 });
      await scene.engine.reopen();
      expect(await modelsAt(scene, ...all)).toBe("m-mm");
      await scene.run("reset", "s", { keepSystem: false });
      expect(await modelsAt(scene, ...all)).toBe("----");
      await scene.append("s", 2);
      await keep(scene, message(5), message(6));
      await scene.run("remove", "s", {});
      await settle(scene.store, {});
      expect(await modelsAt(scene, message(5), message(6))).toBe("--");
      await scene.append("s", 6);
      expect(await modelsAt(scene, ...all, message(5), message(6))).toBe("------");
    });

    test("goes with a message that changes while it is saved", async (scene) => {
      await scene.append("s", [{ messageId: "a" }]);
      const bytes = (await bytesAt(scene.store, message(1))) ?? new Uint8Array(0);
      const record = { model: "m", vectors: [newVector(1)] };
      const vectors = [{ place: message(1), bytes, record }];
      const replace = () =>
        scene.run("replace", "s", { messageId: "a", text: "b", tokenCount: 1, looks: false });
      // Whichever comes first, the vectors are not those of the new text.
      await Promise.all([scene.store.saveVectors(vectors), replace()]);
      expect(await modelsAt(scene, message(1))).toBe("-");
      const [, late] = await Promise.all([replace(), scene.store.saveVectors(vectors)]);
      expect(late).toBe(0);
    });

    test("goes with its document", async (scene) => {
      await put(scene, "a", "b", "c");
      const all = [1, 2, 3].map((documentNo) => document(documentNo));
      expect(await keep(scene, ...all)).toBe(3);
      await put(scene, "b");
      expect(await modelsAt(scene, ...all)).toBe("m-m");
      await change(scene, { remove: ["c"] });
      expect(await modelsAt(scene, ...all)).toBe("m--");
      await change(scene, { clear: true });
      expect(await modelsAt(scene, ...all)).toBe("---");
      await settle(scene.store, {});
      await put(scene, "a");
      expect(await modelsAt(scene, ...all, document(4))).toBe("----");
      expect(await keep(scene, document(4))).toBe(1);
      await scene.engine.reopen();
      expect(await modelsAt(scene, document(4))).toBe("m");
    });

    test("is one of its session; a copy begins without", async (scene) => {
      await scene.append("s", 2);
      await keep(scene, message(1));
      await scene.fork("s", "t");
      expect(await modelsAt(scene, message(1), message(1, "t"))).toBe("m-");
      await keep(scene, message(1, "t"), message(2, "t"));
      await scene.run("remove", "s", {});
      await settle(scene.store, {});
      expect(await modelsAt(scene, message(1), message(1, "t"), message(2, "t"))).toBe("-mm");
    });

    test("is refused beside vectors of another length, or too many at once", async (scene) => {
      await scene.append("s", 1);
      const bytes = (await bytesAt(scene.store, message(1))) ?? new Uint8Array(0);
      const save = (count: number, vectors: readonly Float32Array[]) => {
        const one = { place: message(1), bytes, record: { model: "m", vectors } };
        return scene.store.saveVectors(new Array<NewVectors>(count).fill(one));
      };
      await expect(save(1, [newVector(1), newVector(1, 4)])).rejects.toThrow("lengths");
      await expect(save(1, [newVector(1, 0)])).rejects.toThrow("empty");
      await expect(save(SAVE_VECTORS_MAX + 1, [])).rejects.toThrow("at once");
      await expect(save(9, [newVector(1, 1_000_000)])).rejects.toThrow("at once");
      expect(await modelsAt(scene, message(1))).toBe("-");
      expect(await save(0, [])).toBe(0);
      expect((await scene.store.readSession(refOf("s")))?.head.lastSeq).toBe(1);
    });
  });

  describe("a recalled namespace", () => {
    test("is remembered with its newest time, the newest first", async (scene) => {
      expect(await scene.store.recalledNamespaces()).toEqual([]);
      await scene.store.noteRecalled("b", 5);
      await scene.store.noteRecalled("\u{1f600}", 3);
      await Promise.all([scene.store.noteRecalled("a", 4), scene.store.noteRecalled("b", 2)]);
      await scene.engine.reopen();
      expect(await scene.store.recalledNamespaces()).toEqual([
        { namespace: "a", ms: 4 },
        { namespace: "\u{1f600}", ms: 3 },
        { namespace: "b", ms: 2 },
      ]);
      expect(await revisionOf(scene.store)).toBe(0);
    });

    test("is forgotten when too many were recalled since", async (scene) => {
      for (let n = 0; n < RECALLED_MAX; n += 512) {
        const some = Array.from({ length: 512 }, (_, at) => n + at);
        await Promise.all(some.map((ms) => scene.store.noteRecalled(`n${ms}`, ms)));
      }
      await scene.store.noteRecalled("one more", RECALLED_MAX);
      const recalled = await scene.store.recalledNamespaces();
      expect(recalled.length).toBe(RECALLED_MAX);
      expect(recalled.at(0)?.namespace).toBe("one more");
      expect(recalled.at(-1)?.namespace).toBe("n1");
    });
  });
}
