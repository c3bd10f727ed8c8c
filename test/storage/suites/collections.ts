// Conformance: collections in the order of their segments, and changes of several of them.

import { describe, expect } from "vitest";
import { plain } from "../../support/kit/plain.ts";
import {
  allCollections,
  allDocuments,
  changeDocuments,
  type DocumentAction,
  dumpDocuments,
} from "../../support/store/documents.ts";
import { newEvent, START_MS } from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const NAMESPACE = "default";
const IDS = ["a", "a/b", "a/b/c", "a/b/d/e", "a!", "a-1", "ab", "a b/\u00e9/\u{1f600}", "z"];

function change(scene: Scene, sessionId: string, parts: Partial<DocumentAction> = {}) {
  const nothing = { put: [], remove: [], removeChunks: [], clear: false };
  const base = { namespace: NAMESPACE, sessionId, nowMs: START_MS };
  return changeDocuments(scene.store, { kind: "documents", ...nothing, ...base, ...parts });
}

const drafts = (...ids: readonly string[]) => ids.map((id) => ({ documentId: id, text: id }));

async function fill(scene: Scene, ids: readonly string[] = IDS): Promise<void> {
  for (const id of ids.toReversed()) await change(scene, id, { put: drafts("x", "y") });
}

async function idsOf(scene: Scene, parent = "", maxDepth = 0): Promise<readonly string[]> {
  const all = await allCollections(scene.store, NAMESPACE, 2, { parent, maxDepth });
  return all.map(({ collectionId, documentCount, hasBelow }) => {
    return `${collectionId}${documentCount === 0 ? " (none)" : ""}${hasBelow ? " +" : ""}`;
  });
}

/** Declares the tests of collections. */
export function collectionSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("collections", () => {
    test("are listed by their segments, each before those below it", async (scene) => {
      await fill(scene);
      for (let round = 0; round < 2; round += 1) {
        expect(await idsOf(scene)).toEqual([
          ...["a +", "a/b +", "a/b/c", "a/b/d/e", "a b/\u00e9/\u{1f600}", "a!", "a-1", "ab", "z"],
        ]);
        await scene.engine.reopen();
      }
    });

    test("are listed below one, without those that begin alike", async (scene) => {
      await fill(scene);
      expect(await idsOf(scene, "a")).toEqual(["a/b +", "a/b/c", "a/b/d/e"]);
      expect(await idsOf(scene, "a/b")).toEqual(["a/b/c", "a/b/d/e"]);
      expect(await idsOf(scene, "a/b/d")).toEqual(["a/b/d/e"]);
      expect(await idsOf(scene, "a/b/c")).toEqual([]);
      expect(await idsOf(scene, "a b")).toEqual(["a b/\u00e9/\u{1f600}"]);
      expect(await idsOf(scene, "none")).toEqual([]);
    });

    test("are cut to a depth, where one may stand for those below it", async (scene) => {
      await fill(scene);
      expect(await idsOf(scene, "", 1)).toEqual([
        ...["a +", "a b (none) +", "a!", "a-1", "ab", "z"],
      ]);
      expect(await idsOf(scene, "", 2)).toEqual([
        ...["a +", "a/b +", "a b/\u00e9 (none) +", "a!", "a-1", "ab", "z"],
      ]);
      expect(await idsOf(scene, "a", 1)).toEqual(["a/b +"]);
      expect(await idsOf(scene, "a/b", 1)).toEqual(["a/b/c", "a/b/d (none) +"]);
      expect(await idsOf(scene, "a", 3)).toEqual(["a/b +", "a/b/c", "a/b/d/e"]);
    });

    test("hold documents of their own", async (scene) => {
      await fill(scene, ["a", "a/b"]);
      await change(scene, "a", { clear: true });
      await settle(scene.store, {});
      expect(await idsOf(scene)).toEqual(["a/b"]);
      expect(await idsOf(scene, "", 1)).toEqual(["a (none) +"]);
      const ref = { namespace: NAMESPACE, collectionId: "a/b" };
      expect(await allDocuments(scene.store, ref)).toHaveLength(2);
    });

    test("are counted, also after a reopen", async (scene) => {
      await fill(scene);
      await change(scene, "ab", { clear: true });
      await change(scene, "z", { remove: ["x", "y"] });
      await scene.engine.reopen();
      const { collectionCount } = await change(scene, "new", { put: drafts("x") });
      expect(collectionCount).toBe(IDS.length - 2);
      const again = await change(scene, "z", { put: drafts("x") });
      expect(again.collectionCount).toBe(IDS.length - 1);
      expect((await change(scene, "z")).collectionCount).toBe(IDS.length);
    });
  });

  describe("a change of several collections", () => {
    test("is one, and is seen before it is durable", async (scene) => {
      await fill(scene, ["a", "a/b", "a/b/c"]);
      const before = await revisionOf(scene.store);
      const also = [
        { collectionId: "a/b", remove: ["x", "none"], clear: false },
        { collectionId: "a/b/c", remove: [], clear: true },
        { collectionId: "gone", remove: ["x"], clear: true },
      ];
      const [first, second] = await Promise.all([
        change(scene, "a", { remove: ["y"], also }),
        change(scene, "a", { remove: ["x"], also }),
      ]);
      expect(first.also).toHaveLength(3);
      expect(second.also).toEqual([
        ["a/b", expect.objectContaining({ documentCount: 1 }), []],
        ["a/b/c", undefined, []],
        ["gone", undefined, []],
      ]);
      for (let round = 0; round < 2; round += 1) {
        expect(await idsOf(scene)).toEqual(["a/b"]);
        expect(await revisionOf(scene.store)).toBe(before + 2);
        await settle(scene.store, {});
        await scene.engine.reopen();
      }
      const { nextDocumentNo } = await change(scene, "a/b/c", { put: drafts("x") });
      expect(nextDocumentNo).toBe(3);
    });

    test("may leave the collection that it names alone", async (scene) => {
      await fill(scene, ["a/b"]);
      const also = [{ collectionId: "a/b", remove: [], clear: true }];
      await change(scene, "a", { also });
      expect(await idsOf(scene)).toEqual([]);
      expect((await change(scene, "a", { put: drafts("x") })).nextDocumentNo).toBe(1);
    });

    test("is saved whole or not at all", async (scene) => {
      await fill(scene, ["a", "b"]);
      const before = plain(await dumpDocuments(scene.store, NAMESPACE));
      const events = [newEvent({ namespace: NAMESPACE, sessionId: "" })];
      const asked = { namespace: NAMESPACE, collectionId: "a", documentIds: [], sourceIds: [] };
      for (const also of [
        [{ collectionId: "a", clear: true }],
        [
          { collectionId: "b", clear: true },
          { collectionId: "b", clear: true },
        ],
        [{ collectionId: "c", clear: true }],
        [{ collectionId: "b", remove: ["none"] }],
        [{ collectionId: "b", remove: ["x"], clear: true }],
      ]) {
        const plan = { remove: ["x"], also, nowMs: START_MS, events };
        const change = { ...asked, also: [{ collectionId: "b", documentIds: ["x"] }] };
        const saved = scene.store.changeDocuments(change, () => {
          return { kind: "save", result: 0, plan };
        });
        await expect(saved).rejects.toThrow(Error);
      }
      expect(plain(await dumpDocuments(scene.store, NAMESPACE))).toEqual(before);
    });
  });
}
