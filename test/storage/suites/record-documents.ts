// Conformance: the documents by which searches find records. They follow their records.

import { describe, expect } from "vitest";
import { type RecordName, recordDocumentIds, recordId } from "../../../src/records/rules/record.ts";
import type {
  ChangedDocuments,
  DocumentPlan,
  RecordPlan,
  StoredDocument,
} from "../../../src/store/store.ts";
import { ROLE } from "../../../src/window/rules/types.ts";
import type { RecordDraft } from "../../support/store/action-types.ts";
import { act } from "../../support/store/actions.ts";
import { changeDocuments, newDocument } from "../../support/store/documents.ts";
import { newEvent, START_MS } from "../../support/store/plans.ts";
import { changeRecords, newRecord, type RecordAction } from "../../support/store/records.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";

const NAMESPACE = "default";
const EVENTS = [newEvent({ namespace: NAMESPACE, sessionId: "" })];
const BASE = { kind: "records", namespace: NAMESPACE, sessionId: "", nowMs: START_MS } as const;
const A = { path: ["p"], key: "a" };
const B = { path: ["p", "q"], key: "b" };

function draft(name: RecordName, collectionId: string, ...texts: readonly string[]): RecordDraft {
  return { ...name, text: "value", search: { collectionId, texts } };
}

function change(scene: Scene, parts: Partial<RecordAction> = {}) {
  return changeRecords(scene.store, { ...BASE, put: [], remove: [], ...parts });
}

async function documentsIn(scene: Scene, collectionId = "c"): Promise<readonly StoredDocument[]> {
  const query = { namespace: NAMESPACE, collectionId, after: 0, limit: 100 };
  return (await scene.store.listDocuments(query)).documents;
}

async function textsIn(scene: Scene, collectionId = "c"): Promise<readonly string[]> {
  return (await documentsIn(scene, collectionId)).map(({ bytes }) => Buffer.from(bytes).toString());
}

function save(scene: Scene, names: readonly RecordName[], plan: Partial<RecordPlan>) {
  return scene.store.changeRecords({ namespace: NAMESPACE, names }, () => ({
    kind: "save",
    result: 0,
    plan: { nowMs: START_MS, events: EVENTS, ...plan },
  }));
}

function saveDocuments(scene: Scene, plan: Partial<DocumentPlan>) {
  const ref = { namespace: NAMESPACE, collectionId: "c" };
  return scene.store.changeDocuments({ ...ref, documentIds: [], sourceIds: [] }, () => ({
    kind: "save",
    result: 0,
    plan: { nowMs: START_MS, events: EVENTS, ...plan },
  }));
}

/** Declares the tests of documents of records. */
export function recordDocumentSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("the documents of a record", () => {
    test("are written with it", async (scene) => {
      const told: ChangedDocuments[] = [];
      scene.store.onCommit(({ documents }) => told.push(...documents));
      await change(scene, { put: [draft(A, "c", "one", "four"), draft(B, "d", "two")] });
      expect(told).toEqual([
        { namespace: NAMESPACE, collectionId: "c", numbers: [1, 2] },
        { namespace: NAMESPACE, collectionId: "d", numbers: [1] },
      ]);
      const id = recordId(A);
      for (let round = 0; round < 2; round += 1) {
        const documents = await documentsIn(scene);
        const search = { collectionId: "c", documentCount: 2 };
        expect(documents).toMatchObject([
          {
            ...{ documentId: recordDocumentIds({ ...A, search })[0], documentNo: 1, recordId: id },
            ...{ sourceId: "", createMs: START_MS, etagRevision: 1, ttlMs: 0, expireMs: 0 },
            embedding: { model: "m" },
          },
          { documentNo: 2, recordId: id, embedding: undefined },
        ]);
        expect(await textsIn(scene)).toEqual(["one", "four"]);
        expect(await textsIn(scene, "d")).toEqual(["two"]);
        const record = await scene.store.readRecordRange(NAMESPACE, A, { offset: 0, limit: 9 });
        expect(record?.search).toEqual(search);
        const [collection] = await scene.store.listCollections({
          namespace: NAMESPACE,
          after: "",
          limit: 1,
        });
        expect(collection).toMatchObject({ documentCount: 2, recordDocumentCount: 2 });
        await scene.engine.reopen();
      }
    });

    test("are replaced with it: fewer, more, in another collection, none", async (scene) => {
      await change(scene, { put: [draft(A, "c", "one", "two", "six"), draft(B, "c", "b")] });
      await change(scene, { put: [draft(A, "c", "uno")], nowMs: START_MS + 5 });
      expect(await textsIn(scene)).toEqual(["uno", "b"]);
      expect(await documentsIn(scene)).toMatchObject([{ documentNo: 1, createMs: START_MS }, {}]);
      await change(scene, { put: [draft(A, "c", "eins", "zwei")] });
      expect(await textsIn(scene)).toEqual(["eins", "b", "zwei"]);
      await change(scene, { put: [draft(A, "d", "un")] });
      expect([await textsIn(scene), await textsIn(scene, "d")]).toEqual([["b"], ["un"]]);
      await change(scene, { put: [{ ...A, text: "value" }] });
      expect([await textsIn(scene), await textsIn(scene, "d")]).toEqual([["b"], []]);
      await scene.engine.reopen();
      expect(
        (await scene.store.listCollections({ namespace: NAMESPACE, after: "", limit: 9 })).length,
      ).toBe(1);
    });

    test("are removed with it, and no others", async (scene) => {
      await change(scene, { put: [draft(A, "c", "one", "two"), draft(B, "c", "b")] });
      const other = { documentId: "own", text: "own" };
      const documents = { kind: "documents", namespace: NAMESPACE, sessionId: "c" } as const;
      await changeDocuments(scene.store, {
        ...{ ...documents, nowMs: START_MS, put: [other], remove: [], removeChunks: [] },
        clear: false,
      });
      await change(scene, { remove: [A] });
      expect(await textsIn(scene)).toEqual(["b", "own"]);
      const [collection] = await scene.store.listCollections({
        namespace: NAMESPACE,
        after: "",
        limit: 1,
      });
      expect(collection).toMatchObject({ documentCount: 2, recordDocumentCount: 1 });
      await change(scene, { remove: [B] });
      await scene.engine.reopen();
      expect(await textsIn(scene)).toEqual(["own"]);
    });

    test("come and go with the records of an append", async (scene) => {
      const base = {
        kind: "append",
        namespace: NAMESPACE,
        sessionId: "s",
        nowMs: START_MS,
      } as const;
      const drafts = [{ messageId: "", role: ROLE.user, tokenCount: 1, text: "hi" }];
      const turn = { ...base, drafts, createSession: true, looks: false } as const;
      const put = [draft(A, "c", "one"), draft(B, "c", "two")];
      await act(scene.store, { ...turn, records: { put, remove: [] } });
      expect(await textsIn(scene)).toEqual(["one", "two"]);
      await act(scene.store, { ...turn, records: { put: [], remove: [A] } });
      expect(await textsIn(scene)).toEqual(["two"]);
    });

    test("end when it does, and live on with it", async (scene) => {
      await change(scene, { put: [{ ...draft(A, "c", "one", "two"), ttlMs: 100 }] });
      const ends = async () =>
        (await documentsIn(scene)).map(({ expireMs }) => expireMs - START_MS);
      expect(await ends()).toEqual([100, 100]);
      await scene.store.refreshRecords(NAMESPACE, [A], START_MS + 50);
      await scene.engine.reopen();
      expect(await ends()).toEqual([150, 150]);
      // They have no end of their own.
      const ref = { namespace: NAMESPACE, collectionId: "c" };
      const ids = (await documentsIn(scene)).map(({ documentId }) => documentId);
      await scene.store.refreshDocuments(ref, ids, START_MS + 90);
      expect(await ends()).toEqual([150, 150]);
      expect(await scene.store.expiredDocuments(START_MS + 500, 9)).toEqual([]);
      const search = { collectionId: "c", documentCount: 2 };
      expect(await scene.store.expiredRecords(START_MS + 500, 9)).toEqual([
        { namespace: NAMESPACE, ...A, search },
      ]);
    });

    test("take the place of a document with their id", async (scene) => {
      const [documentId = ""] = recordDocumentIds({
        ...A,
        search: { collectionId: "c", documentCount: 1 },
      });
      await saveDocuments(scene, {
        put: [newDocument({ documentId, documentNo: 1, text: "own" })],
      });
      await change(scene, { put: [draft(A, "c", "one")] });
      expect(await textsIn(scene)).toEqual(["one"]);
      const [collection] = await scene.store.listCollections({
        namespace: NAMESPACE,
        after: "",
        limit: 1,
      });
      expect(collection).toMatchObject({ documentCount: 1, recordDocumentCount: 1 });
    });

    test("are counted with the collections that a change needs", async (scene) => {
      await change(scene, { put: [draft(A, "c", "one")] });
      const counts = await scene.store.changeRecords(
        { namespace: NAMESPACE, names: [] },
        (view) => ({
          kind: "answer",
          result: [["c"], ["c", "d", "d", "e"], []].map((ids) => view.collectionCountWith(ids)),
        }),
      );
      expect(counts).toEqual([1, 3, 1]);
    });
  });

  describe("a plan that parts a record from its documents is refused as a whole", () => {
    const search = { collectionId: "c", documentCount: 1 };
    const documents = [{ bytes: Buffer.from("x"), embedding: undefined }];
    const first = newRecord({ ...A, etagRevision: 2 });
    const plans: Readonly<Record<string, Partial<RecordPlan>>> = {
      "documents that it does not count": { put: [{ ...first, documents }] },
      "a count without documents": { put: [{ ...first, search }] },
      "fewer documents than it counts": {
        put: [{ ...first, search: { ...search, documentCount: 2 }, documents }],
      },
      "documents without a collection": {
        put: [{ ...first, search: { ...search, collectionId: "" }, documents }],
      },
    };
    for (const [name, plan] of Object.entries(plans)) {
      test(name, async (scene) => {
        await change(scene, { put: [draft(B, "c", "b")] });
        await expect(save(scene, [A], plan)).rejects.toThrow();
        expect(await textsIn(scene)).toEqual(["b"]);
        expect((await scene.store.readRecords(NAMESPACE, [A], 0)).size).toBe(0);
      });
    }

    const direct: Readonly<Record<string, (id: string, no: number) => Partial<DocumentPlan>>> = {
      "removes one": (id) => ({ remove: [id] }),
      "replaces one": (documentId, documentNo) => ({
        put: [newDocument({ documentId, documentNo, text: "own", etagRevision: 2 })],
      }),
      "makes one": () => ({
        put: [newDocument({ documentId: "n", documentNo: 2, text: "own", recordId: recordId(B) })],
      }),
      "clears them": () => ({ clear: true }),
    };
    for (const [name, planOf] of Object.entries(direct)) {
      test(`a change of documents that ${name}`, async (scene) => {
        await change(scene, { put: [draft(B, "c", "b")] });
        const [{ documentId, documentNo } = { documentId: "", documentNo: 0 }] =
          await documentsIn(scene);
        await expect(saveDocuments(scene, planOf(documentId, documentNo))).rejects.toThrow();
        expect(await textsIn(scene)).toEqual(["b"]);
      });
    }
  });
}
