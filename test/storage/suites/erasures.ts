// Conformance: erasures, their marks, and the answers that they empty.

import { describe, expect } from "vitest";
import { type Erasure, mark, newErasure, withCounts } from "../../../src/erase/rules/erasure.ts";
import { LIMITS } from "../../../src/kit/limits.ts";

import { newEvent } from "../../support/store/plans.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const SUBJECT = { kind: "user", userId: "u" } as const;
const NAMESPACE = "default";

function erasureOf(erasureId: string): Erasure {
  return newErasure(NAMESPACE, SUBJECT, { erasureId, nowMs: 1 });
}

async function save(scene: Scene, erasure: Erasure, marks: readonly string[] = []) {
  const ref = { namespace: NAMESPACE, erasureId: erasure.erasureId };
  await scene.store.changeErasure(ref, () => ({ kind: "save", result: 0, erasure, marks }));
  return ref;
}

/** Declares the tests of erasures. */
export function erasureSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("an erasure", () => {
    test("is kept with its marks while it is under way, also after a reopen", async (scene) => {
      const marks = [mark.session("s"), mark.seq("a b", 7), mark.summary("s", 2)];
      const ref = await save(scene, erasureOf("e"), marks);
      await scene.engine.reopen();
      expect(await scene.store.readErasure(ref)).toEqual(erasureOf("e"));
      expect(await scene.store.runningErasures()).toEqual([ref]);
      expect(await scene.store.erasureMarks(ref)).toEqual(new Set(marks));
      while (await scene.store.dropErasureMarks(ref));
      expect(await scene.store.erasureMarks(ref)).toEqual(new Set());
    });

    test("is a receipt without a subject when it is done", async (scene) => {
      const ref = await save(scene, erasureOf("e"));
      const nameless = { ...withCounts(erasureOf("e"), { message: 2 }), work: undefined };
      await save(scene, nameless);
      await scene.engine.reopen();
      expect(await scene.store.readErasure(ref)).toEqual(nameless);
      expect(await scene.store.runningErasures()).toEqual([ref]);
      const done = { ...nameless, doneMs: 5 };
      await save(scene, done);
      await scene.engine.reopen();
      expect(await scene.store.readErasure(ref)).toEqual(done);
      expect(await scene.store.runningErasures()).toEqual([]);
    });

    test("shows how many are under way, and makes no revision", async (scene) => {
      const before = await scene.store.positions(NAMESPACE);
      await save(scene, erasureOf("a"));
      await save(scene, erasureOf("b"));
      await save(scene, { ...erasureOf("c"), work: undefined, doneMs: 5 });
      const ref = { namespace: NAMESPACE, erasureId: "d" };
      const running = await scene.store.changeErasure(ref, (view) => ({
        kind: "answer",
        result: view.running,
      }));
      expect(running).toBe(2);
      expect(await scene.store.positions(NAMESPACE)).toEqual(before);
    });

    test("counts in the transaction that erases", async (scene) => {
      await scene.append("s", 3);
      const ref = await save(scene, erasureOf("e"));
      await scene.store.changeSession(refOf("s"), ({ session }) => ({
        kind: "save",
        result: session,
        plan: {
          remove: true,
          events: [newEvent(refOf("s"))],
          erasure: {
            erasure: withCounts(erasureOf("e"), { session: 1, message: 3 }),
            marks: [mark.session("s")],
          },
        },
      }));
      await scene.engine.reopen();
      const counts = { session: 1, message: 3 };
      expect((await scene.store.readErasure(ref))?.counts).toEqual(counts);
      expect(await scene.store.erasureMarks(ref)).toEqual(new Set([mark.session("s")]));
      const { mark: before } = await scene.store.purgedBefore();
      await settle(scene.store, {});
      expect((await scene.store.purgedBefore(before)).isPurged).toBe(true);
    });
  });

  describe("answers that are erased", () => {
    test("are those that are meant, and each once", async (scene) => {
      await scene.append("s", 1, { requestId: "r1" });
      await scene.append("other", 1, { requestId: "r2" });
      await save(scene, erasureOf("e"));
      const isMeant = (about: readonly string[] | undefined) =>
        about?.includes(mark.session("s")) ?? true;
      const query = { namespace: NAMESPACE, isMeant };
      const dry = await scene.store.eraseAnswers({ ...query, progress: undefined });
      expect(dry).toEqual({ count: 1, next: undefined });
      const progress = (count: number) => ({
        erasure: withCounts(erasureOf("e"), { answer: count }),
      });
      expect(await scene.store.eraseAnswers({ ...query, progress })).toEqual(dry);
      await scene.engine.reopen();
      expect((await scene.store.eraseAnswers({ ...query, progress })).count).toBe(0);
      const ref = { namespace: NAMESPACE, erasureId: "e" };
      expect((await scene.store.readErasure(ref))?.counts).toEqual({ answer: 1 });
      const replyTo = (requestId: string) =>
        scene.store.changeSession({ ...refOf("s"), requestId }, ({ reply }) => ({
          kind: "answer",
          result: reply,
        }));
      expect(await replyTo("r1")).toMatchObject({ bytes: new Uint8Array(0), isErased: true });
      expect((await replyTo("r2"))?.isErased).toBeUndefined();
    });
  });

  test("receipts make room for new ones, the oldest first", async (scene) => {
    const ids = Array.from({ length: LIMITS.erasureReceipts }, (_, at) => `e${at + 10_000}`);
    await Promise.all(
      ids.map((id) => save(scene, { ...erasureOf(id), doneMs: id === "e10000" ? 0 : 5 })),
    );
    await save(scene, erasureOf("e99999"));
    const has = async (erasureId: string) =>
      (await scene.store.readErasure({ namespace: NAMESPACE, erasureId })) !== undefined;
    expect(await has("e10000")).toBe(true);
    expect(await has("e10001")).toBe(false);
    expect(await has("e10002")).toBe(true);
    expect(await has("e99999")).toBe(true);
  });
}
