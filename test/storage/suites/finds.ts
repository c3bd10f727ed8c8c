// Conformance: messages found by their ids, without their sessions.

import { describe, expect } from "vitest";
import { LIMITS } from "../../../src/kit/limits.ts";
import type { MessageSearch } from "../../../src/store/store.ts";
import { serverId } from "../../support/store/actions.ts";
import { START_MS, textOf } from "../../support/store/plans.ts";
import { allFound } from "../../support/store/read-all.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";

const NAMESPACE = "default";

/** The session, the seq and the text of the messages with some ids. */
async function find(
  { store }: Scene,
  messageIds: readonly string[],
  query: Partial<MessageSearch> = {},
): Promise<readonly string[]> {
  const search = { namespace: NAMESPACE, messageIds, limit: 2, nowMs: START_MS, ...query };
  const found = await allFound(store, search);
  return found.map(({ sessionId, seq, bytes }) => `${sessionId} ${seq} ${textOf(bytes)}`);
}

const said = (messageId: string, text = messageId) => ({ messageId, text });

/** Declares the tests of messages that are found without their sessions. */
export function findSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a message without its session", () => {
    test("is found in each session that has its id, the newest session first", async (scene) => {
      await scene.append("old", [said("a", "1"), said("b", "2"), said("c", "3")]);
      await scene.append("other", [said("x")]);
      await scene.append("new", [said("c", "4"), said("a", "5")]);
      await scene.append("old", [said("d", "6"), said("e", "7"), said("f", "8")]);
      const all = ["new 1 4", "new 2 5", "old 1 1", "old 3 3", "old 4 6"];
      for (const limit of [1, 2, 3, 4, 5, 100]) {
        expect(await find(scene, ["d", "c", "none", "a"], { limit })).toEqual(all);
      }
      await scene.engine.reopen();
      expect(await find(scene, ["d", "c", "none", "a"])).toEqual(all);
      expect(await find(scene, ["none"])).toEqual([]);
      expect(await find(scene, ["a"], { namespace: "another" })).toEqual([]);
    });

    test("is found by an id that the server made, or that looks like one", async (scene) => {
      const id = serverId(2, START_MS);
      await scene.append("s", [{ text: "one" }, { messageId: id, text: "two" }]);
      await scene.append("t", [
        { text: "three" },
        { text: "four" },
        { messageId: id, text: "five" },
      ]);
      await scene.append("u", 1);
      expect(await find(scene, [id])).toEqual(["t 3 five", "s 2 two"]);
    });

    test("is found in a log with many ids", async (scene) => {
      const ids = Array.from({ length: 100 }, (_, at) => `m${at}`);
      for (let round = 0; round < 2; round += 1) {
        await scene.append(
          "long",
          ids.map((id) => said(`${id}-${round}`, id)),
        );
        expect(await find(scene, ["m5-0", "m6"])).toEqual(["long 6 m5"]);
        expect(await find(scene, ["m99-0", "m99-1"])).toHaveLength(round + 1);
        await scene.engine.reopen();
      }
      expect(await find(scene, ["m7-1", "m7-0"])).toEqual(["long 8 m7", "long 108 m7"]);
    });

    test("is found where it is now", async (scene) => {
      await scene.append("s", [said("a"), said("b")]);
      await scene.run("erase", "s", { messageId: "a", looks: false });
      expect(await find(scene, ["a", "b"])).toEqual(["s 2 b"]);
      await scene.fork("s", "copy");
      expect(await find(scene, ["b"])).toEqual(["copy 2 b", "s 2 b"]);
      await scene.run("reset", "s", { keepSystem: false });
      expect(await find(scene, ["b"])).toEqual(["copy 2 b"]);
      await scene.append("s", [said("b", "again")]);
      expect(await find(scene, ["b"])).toEqual(["copy 2 b", "s 3 again"]);
      await scene.run("remove", "copy", {});
      expect(await find(scene, ["b"])).toEqual(["s 3 again"]);
      await scene.run("remove", "s", {});
      expect(await find(scene, ["b"])).toEqual([]);
    });

    test("is found in sessions that a filter names, and that have not expired", async (scene) => {
      for (const [index, name] of ["ana-1", "ana-2", "bob-1"].entries()) {
        const ttlMs = name === "ana-2" ? 1_000 : 0;
        await scene.create(name, { userId: name.slice(0, 3), ttlMs }, START_MS + index);
        await scene.append(name, [said("m", name)], { nowMs: START_MS + 10 });
      }
      const ana = ["ana-2 1 ana-2", "ana-1 1 ana-1"];
      expect(await find(scene, ["m"], { userId: "ana" })).toEqual(ana);
      expect(await find(scene, ["m"], { sessionIdPrefix: "ana" })).toEqual(ana);
      expect(await find(scene, ["m"], { createdFromMs: START_MS + 2 })).toEqual(["bob-1 1 bob-1"]);
      const late = { nowMs: START_MS + 10_000 };
      expect(await find(scene, ["m"], { userId: "ana", ...late })).toEqual(["ana-1 1 ana-1"]);
    });

    test("is found among many sessions, a bounded number of them on each page", async (scene) => {
      const count = 300;
      for (let at = 0; at < count; at += 1) await scene.append(`s${at}`, [said(`m${at}`)]);
      const ids = Array.from({ length: 1_000 }, (_, at) => `m${at}`);
      const newestFirst = Array.from({ length: count }, (_, at) => count - 1 - at);
      const all = newestFirst.map((at) => `s${at} 1 m${at}`);
      expect(await find(scene, ids, { limit: 1_000 })).toEqual(all);
      expect(await find(scene, ["m0", "m299"])).toEqual(["s299 1 m299", "s0 1 m0"]);
      const search = { namespace: NAMESPACE, messageIds: ids, limit: 1_000, nowMs: START_MS };
      const page = await scene.store.findMessages(search);
      expect(page.messages.length).toBeGreaterThanOrEqual(LIMITS.findQuestions / ids.length);
    });

    test("ends a page of many bytes", async (scene) => {
      const text = "x".repeat(1_000_000);
      for (let at = 0; at < 5; at += 1) await scene.append("s", [said(`m${at}`, text)]);
      const search = { namespace: NAMESPACE, limit: 100, nowMs: START_MS };
      const messageIds = ["m0", "m1", "m2", "m3", "m4"];
      const all = await allFound(scene.store, { ...search, messageIds });
      expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    });
  });
}
