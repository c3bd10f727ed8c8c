// Conformance: answers remembered under request ids.

import { describe, expect } from "vitest";
import type { StoredReply } from "../../../src/store/store.ts";
import { plain } from "../../support/kit/plain.ts";
import { newReply, START_MS } from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

/** The answer under a request id, without the marks that the engine adds to it. */
async function replyTo(
  scene: Scene,
  requestId: string,
  namespace = "default",
): Promise<StoredReply | undefined> {
  const change = { namespace, sessionId: "any", requestId };
  const found = await scene.store.changeSession<StoredReply | undefined>(change, (view) => ({
    kind: "answer",
    result: view.reply,
  }));
  if (found === undefined) return undefined;
  const { about: _, ...reply } = found;
  return reply;
}

function remember(
  scene: Scene,
  requestId: string,
  reply: StoredReply,
  namespace = "default",
): Promise<number> {
  return scene.store.changeConsumer({ namespace, consumerId: "c", requestId }, () => ({
    kind: "save",
    result: 0,
    consumer: undefined,
    reply,
  }));
}

/** Declares the tests of request ids. */
export function replySuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("an answer to a request id", () => {
    test("is shown to a repeat, also after a reopen", async (scene) => {
      const first = await scene.append("s", 2, { requestId: "r" });
      const again = await scene.append("s", 2, { requestId: "r" });
      expect(again).toEqual({ ...(plain(first) as object), replayed: true });
      await scene.engine.reopen();
      expect((await scene.append("s", 2, { requestId: "r" })).replayed).toBe(true);
      expect((await scene.store.readSession(refOf("s")))?.head.lastSeq).toBe(2);
      expect(await revisionOf(scene.store)).toBe(1);
    });

    test("is found whatever the order of the ids, in memory and on the disk", async (scene) => {
      const idAt = (at: number) => `${at % 3 === 0 ? "order " : "0"}${String(at).padStart(8, "0")}`;
      // Each number below 4,000 once: 1,597 has no factor of it.
      const order = Array.from({ length: 4_000 }, (_, at) => (at * 1_597) % 4_000);
      const has = async (at: number) => (await replyTo(scene, idAt(at))) !== undefined;
      // More than the engine keeps in memory: the first ones go to the disk on the way.
      for (let from = 0; from < order.length; from += 200) {
        const some = order.slice(from, from + 200);
        expect(await Promise.all(some.map(has))).not.toContain(true);
        await Promise.all(some.map((at) => remember(scene, idAt(at), newReply(idAt(at)))));
      }
      for (let opening = 0; opening < 2; opening++) {
        expect(await Promise.all(order.map(has))).not.toContain(false);
        expect(await has(order.length)).toBe(false);
        await scene.engine.reopen();
      }
    });

    test("keeps method, digest, bytes and time as they are", async (scene) => {
      const digest = String.fromCharCode(...Array.from({ length: 32 }, (_, index) => 255 - index));
      const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
      const reply = { method: "AppendMessages", digest, bytes, createMs: 1_234_567_890_123 };
      await remember(scene, "r", reply);
      expect(plain(await replyTo(scene, "r"))).toEqual(plain(reply));
      await remember(scene, "empty", { ...reply, bytes: new Uint8Array(0) });
      expect((await replyTo(scene, "empty"))?.bytes.length).toBe(0);
    });

    test("is found by its id alone, whatever session the change names", async (scene) => {
      await scene.append("s", 1, { requestId: "r" });
      expect((await scene.append("other", 1, { requestId: "r" })).replayed).toBe(true);
      expect(await scene.store.readSession(refOf("other"))).toBeUndefined();
    });

    test("may be remembered without a change", async (scene) => {
      const change = { namespace: "default", sessionId: "none", requestId: "r" };
      const reply = newReply("nothing to do");
      const result = await scene.store.changeSession(change, () => ({
        kind: "answer",
        result: 7,
        reply,
      }));
      expect(result).toBe(7);
      await scene.engine.reopen();
      expect(plain(await replyTo(scene, "r"))).toEqual(plain(reply));
      expect(await revisionOf(scene.store)).toBe(0);
    });

    test("is not seen from another namespace", async (scene) => {
      await remember(scene, "r", newReply("one"), "a");
      await remember(scene, "r", newReply("two"), "b");
      expect(plain(await replyTo(scene, "r", "a"))).toEqual(plain(newReply("one")));
      expect(plain(await replyTo(scene, "r", "b"))).toEqual(plain(newReply("two")));
      expect(await replyTo(scene, "r")).toBeUndefined();
    });

    test("is shared by changes of sessions, of consumers and copies", async (scene) => {
      await scene.append("s", 1, { requestId: "r" });
      const consumer = { namespace: "default", consumerId: "c", requestId: "r" };
      const seen = await scene.store.changeConsumer(consumer, ({ reply }) => ({
        kind: "answer",
        result: reply,
      }));
      expect(seen?.method).toBe("append");
      expect((await scene.fork("s", "t", { requestId: "r" })).replayed).toBe(true);
      await scene.fork("s", "t", { requestId: "r2" });
      expect((await replyTo(scene, "r2"))?.method).toBe("fork");
      await remember(scene, "r3", newReply("consumer"));
      expect(
        await scene.append("s", 1, { requestId: "r3" }).catch(() => undefined),
      ).toBeUndefined();
      expect(plain(await replyTo(scene, "r3"))).toEqual(plain(newReply("consumer")));
    });

    test("is looked up for no empty id", async (scene) => {
      await scene.append("s", 1, { requestId: "" });
      expect(await replyTo(scene, "")).toBeUndefined();
      expect((await scene.append("s", 1, { requestId: "" })).replayed).toBeUndefined();
    });

    test("is not remembered when nothing is saved", async (scene) => {
      await scene.run("look", "s", { looks: false, messageIds: [], requestId: "r" }).catch(() => 0);
      await scene.run("remove", "s", { requestId: "r" }).catch(() => 0);
      expect(await replyTo(scene, "r")).toBeUndefined();
    });

    test("outlives its session", async (scene) => {
      await scene.append("s", 1);
      await scene.run("remove", "s", { requestId: "r" });
      expect((await scene.run("remove", "s", { requestId: "r" })).replayed).toBe(true);
    });

    test("is replaced by a later one under the same id", async (scene) => {
      await remember(scene, "r", newReply("one", 1));
      await remember(scene, "r", newReply("two", 2));
      expect(plain(await replyTo(scene, "r"))).toEqual(plain(newReply("two", 2)));
    });

    test("is given to all repeats at the same time but the first", async (scene) => {
      const sessions = Array.from({ length: 10 }, (_, index) => `s${index % 3}`);
      const results = await Promise.all(
        sessions.map((session) => scene.append(session, 1, { requestId: "same" })),
      );
      expect(results.filter(({ replayed }) => replayed === undefined).length).toBe(1);
      expect(await revisionOf(scene.store)).toBe(1);
      expect((await scene.sessions()).length).toBe(1);
    });

    test("is found under ids that resemble one another", async (scene) => {
      const ids = [
        "a",
        "aa",
        "a ",
        "A",
        "é",
        "e\u0301",
        "\u{10ffff}",
        "x".repeat(128),
        "x".repeat(127),
      ];
      for (const id of ids) await remember(scene, id, newReply(`reply to ${id}`));
      for (const id of ids) {
        expect(plain(await replyTo(scene, id))).toEqual(plain(newReply(`reply to ${id}`)));
      }
      expect(await replyTo(scene, "x")).toBeUndefined();
    });

    test("is dropped by upkeep once it is older than said, not before", async (scene) => {
      await remember(scene, "old", newReply("old", START_MS - 1));
      await remember(scene, "just", newReply("just", START_MS));
      await remember(scene, "new", newReply("new", START_MS + 500));
      await settle(scene.store, { nowMs: START_MS + 1_000, replyAgeMsMax: 1_000 });
      expect(await replyTo(scene, "old")).toBeUndefined();
      expect(await replyTo(scene, "just")).toBeDefined();
      await scene.engine.reopen();
      expect(await replyTo(scene, "old")).toBeUndefined();
      expect(await replyTo(scene, "new")).toBeDefined();
      await settle(scene.store, { nowMs: START_MS + 2_000, replyAgeMsMax: 1_000 });
      expect(await replyTo(scene, "new")).toBeUndefined();
    });
  });
}
