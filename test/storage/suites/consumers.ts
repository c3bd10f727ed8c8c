// Conformance: consumers.

import { describe, expect } from "vitest";
import { consumerNotFound } from "../../../src/kit/errors.ts";
import type { Consumer } from "../../../src/store/store.ts";
import { newReply, START_MS } from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";

const refTo = (consumerId: string) => ({ namespace: "default", consumerId });

function consumerAt(consumerId: string, revision: number, index = 0): Consumer {
  return { consumerId, position: { revision, index }, createMs: START_MS, updateMs: START_MS + 1 };
}

function put(scene: Scene, consumer: Consumer): Promise<number> {
  return scene.store.changeConsumer(refTo(consumer.consumerId), ({ count }) => ({
    kind: "save",
    result: count,
    consumer,
  }));
}

/** Declares the tests of consumers. */
export function consumerSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a consumer", () => {
    test("is kept as it is saved", async (scene) => {
      expect(await scene.store.readConsumer(refTo("c"))).toBeUndefined();
      await put(scene, consumerAt("c", 4_000_000_000, 70));
      expect(await scene.store.readConsumer(refTo("c"))).toEqual(
        consumerAt("c", 4_000_000_000, 70),
      );
      await put(scene, consumerAt("c", 7));
      await scene.engine.reopen();
      expect(await scene.store.readConsumer(refTo("c"))).toEqual(consumerAt("c", 7));
      expect(await scene.store.readConsumer({ ...refTo("c"), namespace: "x" })).toBeUndefined();
    });

    test("is shown to decide with the number there are", async (scene) => {
      expect(await put(scene, consumerAt("a", 1))).toBe(0);
      expect(await put(scene, consumerAt("b", 2))).toBe(1);
      expect(await put(scene, consumerAt("a", 3))).toBe(2);
      await scene.engine.reopen();
      const view = await scene.store.changeConsumer(refTo("a"), (seen) => ({
        kind: "answer",
        result: seen,
      }));
      expect(view).toEqual({ consumer: consumerAt("a", 3), count: 2, reply: undefined });
      const other = { namespace: "x", consumerId: "a" };
      const count = await scene.store.changeConsumer(other, (seen) => ({
        kind: "answer",
        result: seen.count,
      }));
      expect(count).toBe(0);
    });

    test("is deleted by saving none", async (scene) => {
      await put(scene, consumerAt("a", 1));
      await put(scene, consumerAt("b", 1));
      for (let round = 0; round < 2; round += 1) {
        await scene.store.changeConsumer(refTo("a"), () => ({
          kind: "save",
          result: 0,
          consumer: undefined,
        }));
      }
      expect(await scene.store.readConsumer(refTo("a"))).toBeUndefined();
      expect(await put(scene, consumerAt("c", 1))).toBe(1);
      expect(await scene.store.listConsumers("default", "", 9)).toHaveLength(2);
    });

    test("does not change when decide throws or answers", async (scene) => {
      await put(scene, consumerAt("a", 1));
      const thrown = consumerNotFound("a");
      const change = scene.store.changeConsumer(refTo("a"), () => {
        throw thrown;
      });
      await expect(change).rejects.toBe(thrown);
      expect(await scene.store.readConsumer(refTo("a"))).toEqual(consumerAt("a", 1));
      expect(await revisionOf(scene.store)).toBe(0);
    });

    test("is counted rightly when many are made at the same time", async (scene) => {
      const create = (id: string) =>
        scene.store.changeConsumer(refTo(id), ({ count }) =>
          count >= 5
            ? { kind: "answer", result: "refused" }
            : { kind: "save", result: "made", consumer: consumerAt(id, 1) },
        );
      const results = await Promise.all([..."abcdefghijklmnopqrst"].map(create));
      expect(results.filter((result) => result === "made").length).toBe(5);
      expect((await scene.store.listConsumers("default", "", 100)).length).toBe(5);
    });

    test("moves forward only, though acks come at the same time", async (scene) => {
      await put(scene, consumerAt("a", 0));
      const ack = (revision: number) =>
        scene.store.changeConsumer(refTo("a"), ({ consumer }) =>
          (consumer?.position.revision ?? 0) >= revision
            ? { kind: "answer", result: 0 }
            : { kind: "save", result: 0, consumer: consumerAt("a", revision) },
        );
      await Promise.all([3, 9, 1, 7, 8, 2].map(ack));
      expect((await scene.store.readConsumer(refTo("a")))?.position.revision).toBe(9);
    });

    test("remembers the answer to its request id once", async (scene) => {
      const create = () =>
        scene.store.changeConsumer({ ...refTo("a"), requestId: "r" }, ({ reply }) =>
          reply === undefined
            ? { kind: "save", result: "new", consumer: consumerAt("a", 1), reply: newReply("x") }
            : { kind: "answer", result: "old" },
        );
      const results = await Promise.all([create(), create(), create()]);
      expect(results.sort()).toEqual(["new", "old", "old"]);
    });
  });

  describe("a list of consumers", () => {
    test("is by id, byte for byte, after the id given", async (scene) => {
      // By UTF-16 units the last two would come the other way round.
      const sorted = ["A", "a", "a ", "aa", "b", "\u00e9", "\uffee", "\u{1f600}"];
      for (const id of sorted.toReversed()) await put(scene, consumerAt(id, 1));
      const list = async (after: string, limit: number) =>
        (await scene.store.listConsumers("default", after, limit)).map((one) => one.consumerId);
      expect(await list("", 100)).toEqual(sorted);
      for (const [index, id] of sorted.entries()) {
        expect(await list(id, 2)).toEqual(sorted.slice(index + 1, index + 3));
      }
      expect(await list("aaa", 1)).toEqual(["b"]);
      expect(await list("\u{1f601}", 1)).toEqual([]);
      expect(await scene.store.listConsumers("default", "A", 1)).toEqual([consumerAt("a", 1)]);
    });
  });
}
