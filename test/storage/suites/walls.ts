// Conformance: namespaces are walls, and no id is taken for another.

import { describe, expect } from "vitest";

import { plain } from "../../support/kit/plain.ts";
import { newReply } from "../../support/store/plans.ts";
import { allConsumers } from "../../support/store/read-all.ts";
import { type OpenEngine, refOf, testsOn } from "../scene.ts";
import { MESSAGE_IDS, NAMESPACES, SESSION_IDS, SHORT_IDS } from "./ids.ts";

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Declares the tests of ids and namespaces. */
export function wallSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a namespace", () => {
    test("holds its own sessions, whatever the ids are", async (scene) => {
      const refs = NAMESPACES.flatMap((namespace) =>
        SESSION_IDS.map((sessionId) => ({ namespace, sessionId })),
      );
      const textOf = (ref: (typeof refs)[number]) => `${ref.namespace}|${ref.sessionId}`;
      await Promise.all(refs.map((ref) => scene.append(ref, [textOf(ref)])));
      for (let round = 0; round < 2; round += 1) {
        for (const ref of refs) {
          expect(await scene.store.readSession(ref)).toMatchObject({
            ...ref,
            head: { lastSeq: 1 },
          });
          expect(await scene.texts(ref)).toEqual([textOf(ref)]);
        }
        for (const namespace of NAMESPACES) {
          const listed = (await scene.sessions(namespace)).map(({ sessionId }) => sessionId);
          expect(listed.sort()).toEqual([...SESSION_IDS].sort());
          const events = await scene.events(namespace);
          expect(events.map(({ sessionId }) => sessionId).sort()).toEqual([...SESSION_IDS].sort());
          expect(events.every((event) => event.namespace === namespace)).toBe(true);
        }
        await scene.engine.reopen();
      }
    });

    test("is listed by its name from its first change on", async (scene) => {
      expect(await scene.store.listNamespaces("", 10)).toEqual([]);
      for (const namespace of NAMESPACES) await scene.create({ namespace, sessionId: "s" });
      await scene.append({ namespace: "b", sessionId: "s" }, 1);
      await scene.run("remove", { namespace: "a", sessionId: "s" }, {});
      const all = [...NAMESPACES].sort(byBytes).map((namespace) => ({
        namespace,
        revision: namespace === "a" || namespace === "b" ? 2 : 1,
      }));
      for (let round = 0; round < 2; round += 1) {
        expect(await scene.store.listNamespaces("", 100)).toEqual(all);
        expect(await scene.store.listNamespaces("", 2)).toEqual(all.slice(0, 2));
        const after = all[1]?.namespace ?? "";
        expect(await scene.store.listNamespaces(after, 100)).toEqual(all.slice(2));
        await scene.engine.reopen();
      }
    });

    test("does not feel what happens in another", async (scene) => {
      for (const namespace of NAMESPACES) {
        await scene.append({ namespace, sessionId: "s" }, [{ messageId: "m", text: namespace }]);
      }
      await scene.run("remove", { namespace: "a", sessionId: "s" }, {});
      await scene.run("reset", { namespace: "aa", sessionId: "s" }, { keepSystem: false });
      await scene.run(
        "erase",
        { namespace: "ab", sessionId: "s" },
        { messageId: "m", looks: false },
      );
      await scene.run(
        "replace",
        { namespace: "b", sessionId: "s" },
        { messageId: "m", looks: false, text: "new", tokenCount: 3 },
      );
      const texts = await Promise.all(
        NAMESPACES.map((namespace) => scene.texts({ namespace, sessionId: "s" })),
      );
      const expected: unknown[] = NAMESPACES.map((namespace) => [namespace]);
      for (const [namespace, now] of [
        ["a", undefined],
        ["aa", []],
        ["ab", []],
        ["b", ["new"]],
      ] as const) {
        expected[NAMESPACES.indexOf(namespace)] = now;
      }
      expect(texts).toEqual(expected);
      expect(await scene.store.readSession({ namespace: "none", sessionId: "s" })).toBeUndefined();
      expect(await scene.sessions("none")).toEqual([]);
    });

    test("holds its own consumers and answers", async (scene) => {
      const position = { revision: 0, index: 0 };
      for (const namespace of NAMESPACES) {
        for (const id of SHORT_IDS) {
          const consumer = { consumerId: id, position, createMs: 1, updateMs: 2 };
          const change = { namespace, consumerId: id, requestId: id };
          await scene.store.changeConsumer(change, () => ({
            kind: "save",
            result: 0,
            consumer,
            reply: newReply(`${namespace}|${id}`),
          }));
        }
      }
      await scene.engine.reopen();
      for (const namespace of NAMESPACES) {
        const listed = await allConsumers(scene.store, namespace, 7);
        expect(listed.map(({ consumerId }) => consumerId)).toEqual([...SHORT_IDS].sort(byBytes));
        for (const id of SHORT_IDS) {
          const consumer = await scene.store.readConsumer({ namespace, consumerId: id });
          expect(consumer?.consumerId).toBe(id);
          const change = { namespace, sessionId: "s", requestId: id };
          const reply = await scene.store.changeSession(change, (view) => ({
            kind: "answer",
            result: view.reply,
          }));
          expect(plain(reply)).toMatchObject(plain(newReply(`${namespace}|${id}`)) as object);
        }
      }
    });
  });

  describe("an id", () => {
    test("of a message finds that message, whatever it looks like", async (scene) => {
      await scene.append(
        "s",
        MESSAGE_IDS.map((messageId) => ({ messageId, text: messageId })),
      );
      await scene.append(
        "s2",
        MESSAGE_IDS.map((messageId) => ({ messageId, text: "other" })),
      );
      for (const [index, messageId] of MESSAGE_IDS.entries()) {
        const message = await scene.store.readMessage(refOf("s"), messageId);
        expect(message).toMatchObject({ messageId, seq: index + 1 });
      }
      expect(await scene.store.readMessage(refOf("s"), "none")).toBeUndefined();
    });

    test("of a user or an agent filters that one alone", async (scene) => {
      for (const [index, id] of SESSION_IDS.entries()) {
        await scene.create(`s${index}`, { userId: id, agentId: `${id.slice(1)}y` });
      }
      const page = { namespace: "default", order: "asc", limit: 10, nowMs: 0 } as const;
      for (const [index, userId] of SESSION_IDS.entries()) {
        const { sessions } = await scene.store.listSessions({ ...page, userId });
        expect(sessions.map(({ sessionId }) => sessionId)).toEqual([`s${index}`]);
      }
    });

    test("of two labels is not that of another pair", async (scene) => {
      const pairs = [
        ["a", "b"],
        ["ab", ""],
        ["a", ""],
        ["a", "bb"],
        ["A", "b"],
        ["x".repeat(63), "\u{1f600}".repeat(63)],
        ["x".repeat(63), "y".repeat(255)],
        ["x".repeat(62), "y".repeat(255)],
      ] as const;
      for (const [index, [key, value]] of pairs.entries()) {
        await scene.create(`s${index}`, { labels: new Map([[key, value]]) });
      }
      const page = { namespace: "default", order: "asc", limit: 10, nowMs: 0 } as const;
      for (const [index, [key, value]] of pairs.entries()) {
        const labels = new Map([[key, value]]);
        const { sessions } = await scene.store.listSessions({ ...page, labels });
        expect(sessions.map(({ sessionId }) => sessionId)).toEqual([`s${index}`]);
      }
    });
  });
}
