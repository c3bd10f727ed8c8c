// Conformance: a plan that does everything at once is saved as a whole, or nothing of it is.

import { describe, expect } from "vitest";
import { consumerNotFound } from "../../../src/kit/errors.ts";
import type { Memory } from "../../../src/memory/rules/memory.ts";
import { promotionKeyOf } from "../../../src/memory/rules/text-key.ts";
import type { SessionPlan, SessionView } from "../../../src/store/store.ts";
import { taskNoAt } from "../../../src/tasks/rules/task.ts";
import { plain } from "../../support/kit/plain.ts";
import { newDocument } from "../../support/store/documents.ts";
import { dumpStore } from "../../support/store/dump.ts";
import { newJob, newMemory } from "../../support/store/memories.ts";
import {
  newEvent,
  newHead,
  newMessage,
  newReply,
  newTask,
  rangesOf,
  START_MS,
  totalsOf,
} from "../../support/store/plans.ts";
import { newRecord, recordsIn } from "../../support/store/records.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";

const REF = refOf("s");
const SCOPE = { userId: "u", agentId: "", sessionId: "" };
const REQUEST = "r";
const COLLECTION = {
  namespace: REF.namespace,
  collectionId: "c",
  documentIds: ["old", "new"],
  sourceIds: [],
};

/** A session, memories, a job and a document for a plan to change. */
async function prepare(scene: Scene): Promise<void> {
  await scene.append(REF, 5);
  await scene.store.changeSession(REF, (view) => {
    const head = { ...newHead(), ...view.session?.head, revision: view.revision };
    const put = ["kept", "gone"].map((memoryId, at) =>
      newMemory({ memoryId, memoryNo: at + 1, scope: SCOPE }),
    );
    return {
      kind: "save",
      result: 0,
      plan: {
        head,
        events: [newEvent(REF)],
        memories: { put },
        memoryJobs: {
          put: [{ type: "score", job: newJob("score", { createRevision: view.revision }) }],
        },
        documents: documents([newDocument({ documentId: "old", documentNo: 1 })]),
        records: {
          nowMs: START_MS,
          put: [newRecord({ ...record("old"), etagRevision: view.revision })],
        },
      },
    };
  });
}

function documents(
  put: readonly ReturnType<typeof newDocument>[],
  remove: readonly string[] = [],
): NonNullable<SessionPlan["documents"]> {
  return { ...COLLECTION, plan: { nowMs: START_MS, put, remove } };
}

function record(key: string) {
  return { path: ["p"], key };
}

function stateAfter(old: Memory | undefined, revision: number): readonly Memory[] {
  if (old === undefined) throw new Error("There is no memory.");
  const content = { ...old.content, text: "changed" };
  const version = old.version + 1;
  return [{ ...old, content, version, updateMs: old.updateMs + 1, etagRevision: revision }];
}

/** Appends, trims, writes and removes all else that a plan can hold, with an answer. */
function wholePlan(view: SessionView): SessionPlan {
  const { memories, revision } = view;
  const old = { ...newHead(), ...view.session?.head };
  const message = newMessage({ seq: old.lastSeq + 1, text: "new" });
  const window = [...view.window().slice(2), message];
  const { nextDocumentNo } = view.documents(COLLECTION);
  const { nextMemoryNo } = memories;
  const added = newMemory({ memoryId: "new", memoryNo: nextMemoryNo, scope: SCOPE });
  return {
    append: [message],
    window,
    windowTrimmed: true,
    head: {
      ...old,
      lastSeq: message.seq,
      log: {
        messageCount: old.log.messageCount + 1,
        tokenCount: old.log.tokenCount + message.tokenCount,
      },
      window: totalsOf(window),
      windowRanges: rangesOf(window.map(({ seq }) => seq)),
      revision,
    },
    events: [newEvent(REF), newEvent(REF)],
    reply: newReply("answer"),
    tasks: { put: [newTask({ ...REF, taskNo: taskNoAt(revision, 0) })] },
    memories: {
      put: [...stateAfter(memories.byId("kept"), revision), added],
      remove: ["gone"],
      promoted: [{ scope: SCOPE, promotionKey: promotionKeyOf("new") }],
    },
    memoryJobs: {
      put: [
        { type: "extract", job: newJob("extract", { createRevision: revision }) },
        { type: "score", job: undefined },
      ],
    },
    documents: documents(
      [newDocument({ documentId: "new", documentNo: nextDocumentNo, etagRevision: revision })],
      ["old"],
    ),
    records: {
      nowMs: START_MS,
      put: [newRecord({ ...record("new"), etagRevision: revision })],
      remove: [...view.records({ names: [record("old"), record("none")] }).records.values()],
    },
  };
}

function save(scene: Scene, alter: (plan: SessionPlan, view: SessionView) => SessionPlan) {
  const change = { ...REF, requestId: REQUEST };
  return scene.store.changeSession(change, (view) => ({
    kind: "save",
    result: view.revision,
    plan: alter(wholePlan(view), view),
  }));
}

async function everything(scene: Scene): Promise<unknown> {
  const names = { namespaces: [REF.namespace], requestIds: [REQUEST], hooks: ["hook"], hours: [] };
  return plain(await dumpStore(scene.store, names));
}

type Alter = (plan: SessionPlan, view: SessionView) => SessionPlan;

// Each breaks one part and leaves the others as they are.
const FAULTS: Readonly<Record<string, Alter>> = {
  "the messages": (plan) => ({ ...plan, append: [newMessage({ seq: 99 })] }),
  "a message that goes with its log": (plan, { revision }) => {
    const append = [newMessage({ seq: 6, text: "new" })];
    const head = { ...newHead(), firstSeq: 6, lastSeq: 6, log: totalsOf(append), revision };
    const fresh = { append, window: append, windowTrimmed: false, resetLog: true };
    const window = { window: totalsOf(append), windowRanges: rangesOf([6]) };
    return {
      ...plan,
      ...fresh,
      head: { ...head, ...window },
      erase: [{ seq: 5, messageId: "m5" }],
    };
  },
  "the window": (plan) => ({ ...plan, window: plan.window?.slice(1) ?? [] }),
  "the head": (plan) => ({ ...plan, head: newHead() }),
  "the events": (plan) => ({ ...plan, events: [] }),
  "the answer": (plan) => ({ ...plan, reply: newReply("answer", -1) }),
  "the tasks": (plan) => ({ ...plan, tasks: { put: [newTask({ ...REF, taskNo: 1 })] } }),
  "a new memory": (plan) => ({
    ...plan,
    memories: { ...plan.memories, put: [newMemory({ memoryId: "new", memoryNo: 77 })] },
  }),
  "a new state": (plan, { memories }) => ({
    ...plan,
    memories: {
      ...plan.memories,
      put: stateAfter(memories.byId("kept"), 1).map((one) => ({ ...one, version: 5 })),
    },
  }),
  "a memory that goes": (plan) => ({ ...plan, memories: { ...plan.memories, remove: ["x"] } }),
  "a promotion": (plan) => ({
    ...plan,
    memories: { ...plan.memories, promoted: [{ scope: SCOPE, promotionKey: "x".repeat(129) }] },
  }),
  "the jobs": (plan) => ({
    ...plan,
    memoryJobs: { put: [{ type: "extract", job: newJob("extract", { ranges: [] }) }] },
  }),
  "a new document": (plan) => ({
    ...plan,
    documents: documents([newDocument({ documentId: "new", documentNo: 9 })], ["old"]),
  }),
  "a record": (plan) => ({
    ...plan,
    records: { nowMs: START_MS, ...plan.records, put: [newRecord(record("new"))] },
  }),
  "a record that goes": (plan) => ({
    ...plan,
    records: { nowMs: START_MS, remove: [record("none")] },
  }),
  "a document that goes": (plan) => ({ ...plan, documents: documents([], ["x"]) }),
};

/** Declares the tests of plans that do everything at once. */
export function wholePlanSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a plan that does everything", () => {
    test("is saved as a whole", async (scene) => {
      await prepare(scene);
      const before = await revisionOf(scene.store);
      expect(await save(scene, (plan) => plan)).toBe(before + 1);
      for (let round = 0; round < 2; round += 1) {
        expect(await scene.window(REF)).toEqual([3, 4, 5, 6]);
        expect(await scene.windowAt(REF, 5)).toEqual([1, 2, 3, 4, 5]);
        const { store } = scene;
        const ids = ["kept", "gone", "new"];
        const found = await store.readMemories(REF.namespace, ids);
        expect([...found.values()].map(({ content }) => content.text)).toEqual([
          "changed",
          "text of new",
        ]);
        const jobs = await store.readMemoryJobs(REF);
        expect(jobs.map(({ type }) => type)).toEqual(["extract"]);
        expect(await store.readDocument(COLLECTION, "old")).toBeUndefined();
        expect((await store.readDocument(COLLECTION, "new"))?.documentNo).toBe(2);
        const records = await recordsIn(store, REF.namespace);
        expect(records.map(({ etagRevision, key }) => [key, etagRevision])).toEqual([
          ["new", before + 1],
        ]);
        expect((await store.readSession(REF))?.head.revision).toBe(before + 1);
        expect((await scene.events()).at(-1)?.revision).toBe(before + 1);
        await scene.engine.reopen();
      }
    });

    for (const [part, alter] of Object.entries(FAULTS)) {
      test(`changes nothing when ${part} is at fault`, async (scene) => {
        await prepare(scene);
        const before = await everything(scene);
        await expect(save(scene, alter)).rejects.toThrow(/plan|event|time/);
        expect(await everything(scene)).toEqual(before);
        // Nothing is half done: the sound plan fits.
        const revision = await revisionOf(scene.store);
        expect(await save(scene, (plan) => plan)).toBe(revision + 1);
        await scene.engine.reopen();
        expect(await scene.window(REF)).toEqual([3, 4, 5, 6]);
      });
    }

    test("changes nothing when it is not decided after all", async (scene) => {
      await prepare(scene);
      const before = await everything(scene);
      const thrown = consumerNotFound("x");
      const late = save(scene, () => {
        throw thrown;
      });
      await expect(late).rejects.toBe(thrown);
      expect(await everything(scene)).toEqual(before);
      await scene.engine.reopen();
      expect(await everything(scene)).toEqual(before);
    });
  });

  describe("what a decision sees of memories", () => {
    test("may be taken apart, and put together anew", async (scene) => {
      await prepare(scene);
      const seen = await scene.store.changeSession(REF, ({ memories }) => {
        const { byId, nextMemoryNo } = memories;
        const copy = { ...memories, count: () => 7 };
        const names = [byId("kept")?.memoryId, copy.byId("gone")?.memoryId];
        const numbers = [nextMemoryNo, copy.nextMemoryNo, copy.count()];
        return { kind: "answer", result: [...names, ...numbers] };
      });
      expect(seen).toEqual(["kept", "gone", 3, 3, 7]);
      const same = await scene.store.changeMemories({ namespace: REF.namespace }, (view) => {
        const copy = { ...view.memories };
        return { kind: "answer", result: [copy.newest(SCOPE, new Set(["fact"]), 9).length] };
      });
      expect(same).toEqual([2]);
    });
  });
}
