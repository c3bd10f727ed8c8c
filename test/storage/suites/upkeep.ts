// Conformance: upkeep, expiry, closing and opening again.

import { describe, expect } from "vitest";
import type { MaintenancePlan, Store } from "../../../src/store/store.ts";
import { plain } from "../../support/kit/plain.ts";
import { dumpStore } from "../../support/store/dump.ts";
import { newReply, START_MS } from "../../support/store/plans.ts";
import { newestOf, oldestRevisionOf, revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, testsOn } from "../scene.ts";

const STEPS_MAX = 100_000;

/** Runs upkeep until it has nothing more to do. By default it drops nothing. */
export async function settle(store: Store, plan: Partial<MaintenancePlan>): Promise<void> {
  const keep = Number.MAX_SAFE_INTEGER;
  const whole = {
    nowMs: START_MS,
    eventAgeMsMax: keep,
    eventCountMax: keep,
    replyAgeMsMax: keep,
    usageHourMin: 0,
  };
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (!(await store.maintain({ ...whole, ...plan }))) return;
  }
  throw new Error("Upkeep does not end.");
}

/** Declares the tests of upkeep and of opening again. */
export function upkeepSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("upkeep", () => {
    test("has an end, and changes nothing that is kept", async (scene) => {
      await scene.append("gone", 3_000 / 3);
      await scene.append("gone", 1_000);
      await scene.append("kept", ["a", "b", "c"], { keep: 2, looks: true });
      await scene.run("remove", "gone", {});
      await scene.append("reset", 500);
      await scene.run("reset", "reset", { keepSystem: false });
      const before = plain(await dumpStore(scene.store, { namespaces: ["default"] }));
      await settle(scene.store, {});
      expect(plain(await dumpStore(scene.store, { namespaces: ["default"] }))).toEqual(before);
      await scene.engine.reopen();
      await settle(scene.store, {});
      expect(plain(await dumpStore(scene.store, { namespaces: ["default"] }))).toEqual(before);
    });

    test("of a log that was deleted goes on after a reopen", async (scene) => {
      await scene.append("gone", 1_000);
      await scene.run("remove", "gone", {});
      await scene.store.maintain({
        nowMs: START_MS,
        eventAgeMsMax: 1e12,
        eventCountMax: 1e6,
        replyAgeMsMax: 1e12,
        usageHourMin: 0,
      });
      await scene.engine.reopen();
      await scene.append("gone", ["new"]);
      await settle(scene.store, {});
      expect(await scene.texts("gone")).toEqual(["new"]);
    });

    test("goes on beside writes", async (scene) => {
      await scene.append("gone", 1_000);
      await scene.run("remove", "gone", {});
      const writes = Array.from({ length: 40 }, (_, n) => scene.append(`s${n % 4}`, 3));
      await Promise.all([settle(scene.store, {}), ...writes]);
      for (const session of await scene.sessions()) expect(session.head.lastSeq).toBe(30);
    });

    test("names the sessions whose time has run out", async (scene) => {
      const start = START_MS;
      await scene.create("soon", { ttlMs: 1_000 }, start);
      await scene.create("later", { ttlMs: 5_000 }, start);
      await scene.create("never", {}, start);
      await scene.create({ namespace: "other", sessionId: "soon" }, { ttlMs: 1_000 }, start);
      const ids = async (nowMs: number, limit = 10) =>
        (await scene.store.expiredSessions(nowMs, limit))
          .map(({ namespace, sessionId }) => `${namespace} ${sessionId}`)
          .sort();
      expect(await ids(start + 999)).toEqual([]);
      expect(await ids(start + 1_000)).toEqual(["default soon", "other soon"]);
      expect((await ids(start + 1_000, 1)).length).toBe(1);
      expect(await ids(start + 1e12)).toEqual(["default later", "default soon", "other soon"]);
      await scene.append("soon", 1, { nowMs: start + 4_500 });
      expect(await ids(start + 5_000)).toEqual(["default later", "other soon"]);
      expect(await ids(start + 5_500)).toContain("default soon");
      await scene.run("update", "later", { fields: { ttlMs: 0 }, nowMs: start });
      await scene.run("remove", "soon", {});
      expect(await ids(start + 1e12)).toEqual(["other soon"]);
      await scene.run("update", "never", { fields: { ttlMs: 10 }, nowMs: start });
      await scene.engine.reopen();
      expect(await ids(start + 1e12)).toEqual(["default never", "other soon"]);
    });

    test("does not hide an expired session from single reads", async (scene) => {
      await scene.create("s", { ttlMs: 1 }, 1_000);
      expect(await scene.store.readSession(refOf("s"))).toBeDefined();
    });
  });

  describe("opening again", () => {
    test("shows the same store", async (scene) => {
      const { storeId, format } = scene.store;
      expect(storeId).toMatch(/^[0-9a-f]{16}$/);
      await scene.append("a", 20, { looks: true, keep: 6, requestId: "r1" });
      await scene.append("b", [{ messageId: "mine" }, "two", "three"]);
      await scene.run("erase", "b", { messageId: "mine", looks: false });
      await scene.fork("a", "c", { atSeq: 13 });
      await scene.run("trim", "c", { every: 3, rest: 1 });
      await scene.append("d", 3);
      await scene.run("reset", "d", { keepSystem: true });
      await scene.store.changeConsumer({ namespace: "default", consumerId: "c" }, () => ({
        kind: "save",
        result: 0,
        consumer: {
          consumerId: "c",
          position: { revision: 2, index: 1 },
          createMs: 5,
          updateMs: START_MS,
        },
        reply: newReply("unused"),
      }));
      const names = { namespaces: ["default"], requestIds: ["r1", "r2"] };
      const before = plain(await dumpStore(scene.store, names));
      for (let round = 0; round < 3; round += 1) {
        await scene.engine.reopen();
        expect(scene.store.storeId).toBe(storeId);
        expect(scene.store.format).toBe(format);
        expect(plain(await dumpStore(scene.store, names))).toEqual(before);
      }
      expect((await scene.append("a", 1)).revision).toBe(await revisionOf(scene.store));
      expect((await scene.create("e")).revision).toBe(await revisionOf(scene.store));
      expect((await scene.sessions()).map(({ sessionId }) => sessionId)).toEqual([..."abcde"]);
    });

    test("of an empty store shows an empty one", async (scene) => {
      for (let round = 0; round < 2; round += 1) {
        expect(await revisionOf(scene.store)).toBe(0);
        expect(await oldestRevisionOf(scene.store)).toBe(1);
        expect(await newestOf(scene.store)).toEqual({ revision: 0, index: 0 });
        expect(await scene.sessions()).toEqual([]);
        expect(await scene.events()).toEqual([]);
        await scene.engine.reopen();
      }
    });

    test("gives another store another id", async (scene) => {
      await using other = await open();
      expect(other.store.storeId).not.toBe(scene.store.storeId);
    });
  });

  describe("closing", () => {
    test("waits for the changes under way", async (scene) => {
      const writes = Array.from({ length: 30 }, (_, n) => scene.append(`s${n % 3}`, 2));
      const closing = scene.engine.reopen();
      const results = await Promise.all(writes);
      await closing;
      expect(results.length).toBe(30);
      for (const session of await scene.sessions()) expect(session.head.lastSeq).toBe(20);
      expect(await revisionOf(scene.store)).toBe(30);
    });

    test("refuses new changes", async (scene) => {
      await scene.append("s", 1);
      const old = scene.store;
      const closing = old.close();
      const closed = { reason: "SHUTTING_DOWN" };
      const decide = () => {
        throw new Error("must not be called");
      };
      await expect(old.changeSession(refOf("s"), decide)).rejects.toMatchObject(closed);
      await closing;
      await expect(old.changeSession(refOf("s"), decide)).rejects.toMatchObject(closed);
      const consumer = { namespace: "default", consumerId: "c" };
      await expect(old.changeConsumer(consumer, decide)).rejects.toMatchObject(closed);
      const copy = { source: refOf("s"), target: refOf("t") };
      await expect(old.copySession(copy, decide)).rejects.toMatchObject(closed);
      await expect(old.readSession(refOf("s"))).rejects.toBeDefined();
      await scene.engine.reopen();
      expect(await scene.texts("s")).toEqual(["text 0"]);
    });

    test("twice is the same as once", async (scene) => {
      await Promise.all([scene.store.close(), scene.store.close()]);
      await scene.store.close();
    });
  });
}
