// Conformance: the window as it is and as it was.

import { describe, expect } from "vitest";

import { EMPTY_POLICY_STATE } from "../../../src/session/rules/session.ts";
import { ROLE } from "../../../src/window/rules/types.ts";
import { plain } from "../../support/kit/plain.ts";
import { seqsOf, textOf, totalsOf } from "../../support/store/plans.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";

const ids = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageId: `id-${index + from}` }));

/** The windows at every seq of the history. */
async function history(scene: Scene, sessionId: string): Promise<readonly unknown[]> {
  const session = await scene.store.readSession(refOf(sessionId));
  const { firstSeq, lastSeq } = session?.head ?? { firstSeq: 1, lastSeq: -1 };
  const windows: unknown[] = [];
  for (let seq = firstSeq - 1; seq <= lastSeq; seq += 1) {
    windows.push((await scene.windowAt(sessionId, seq))?.join(" "));
  }
  return windows;
}

/** Declares the tests of windows. */
export function windowSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("the stored window", () => {
    test("is the whole log until something is trimmed", async (scene) => {
      expect(await scene.store.readWindow(refOf("s"))).toBeUndefined();
      await scene.create("s");
      expect(await scene.window("s")).toEqual([]);
      await scene.append("s", 3);
      await scene.append("s", 2);
      expect(await scene.window("s")).toEqual([1, 2, 3, 4, 5]);
    });

    test("comes with its session, whole entries, and agrees with the head", async (scene) => {
      await scene.append("s", ids(10), { looks: true, keep: 7 });
      await scene.run("trim", "s", { every: 3, rest: 1 });
      await scene.run("erase", "s", { messageId: "id-7", looks: false });
      const read = await scene.store.readWindow(refOf("s"));
      expect(plain(read?.session)).toEqual(plain(await scene.store.readSession(refOf("s"))));
      expect(read?.window.map(({ seq }) => seq)).toEqual([4, 6, 9, 10]);
      expect(totalsOf(read?.window ?? [])).toEqual(read?.session.head.window);
      for (const entry of read?.window ?? []) {
        expect(entry.messageId).toBe(`id-${entry.seq}`);
        expect(entry.byteCount).toBe(entry.bytes.length);
      }
    });

    test("loses, keeps and regains messages as the plans say", async (scene) => {
      await scene.append("s", ids(6));
      await scene.run("trim", "s", { every: 2, rest: 0 });
      expect(await scene.window("s")).toEqual([2, 4, 6]);
      await scene.append("s", ids(2, 7));
      expect(await scene.window("s")).toEqual([2, 4, 6, 7, 8]);
      await scene.run("restore", "s", { messageIds: ["id-1", "id-5", "none"] });
      expect(await scene.window("s")).toEqual([1, 2, 4, 5, 6, 7, 8]);
      await scene.append("s", ids(1, 9), { looks: true, keep: 1 });
      expect(await scene.window("s")).toEqual([9]);
      await scene.append("s", ids(1, 10), { looks: true, keep: 0 });
      expect(await scene.window("s")).toEqual([]);
      await scene.append("s", ids(1, 11));
      expect(await scene.window("s")).toEqual([11]);
      await scene.engine.reopen();
      expect(await scene.window("s")).toEqual([11]);
    });

    test("shows changed messages with their new content and cost", async (scene) => {
      await scene.append("s", ids(4));
      const change = { text: "new", tokenCount: 55 };
      await scene.run("replace", "s", { messageId: "id-2", ...change, looks: false });
      await scene.run("replace", "s", { messageId: "id-3", ...change, looks: true });
      const read = await scene.store.readWindow(refOf("s"));
      expect(read?.window.map(({ bytes }) => textOf(bytes)).slice(1, 3)).toEqual(["new", "new"]);
      expect(read?.session.head.window).toEqual(totalsOf(read?.window ?? []));
      expect(read?.session.head.window.tokenCount).toBe(130);
    });

    test("has holes where messages were erased, whether it was loaded or not", async (scene) => {
      await scene.append("s", ids(8));
      await scene.run("erase", "s", { messageId: "id-1", looks: false });
      await scene.run("erase", "s", { messageId: "id-4", looks: false });
      await scene.run("erase", "s", { messageId: "id-5", looks: true });
      await scene.run("erase", "s", { messageId: "id-8", looks: true });
      expect(await scene.window("s")).toEqual([2, 3, 6, 7]);
      await scene.append("s", 1);
      expect(await scene.window("s")).toEqual([2, 3, 6, 7, 9]);
    });
  });

  describe("an append that erases what it trims", () => {
    const discard = (keep: number) => ({ looks: true, keep, discard: true }) as const;

    test("leaves the rest, and a past without what was erased", async (scene) => {
      await scene.append("s", ids(4));
      const answer = await scene.append("s", ids(2, 5), discard(3));
      expect(answer).toMatchObject({ lastSeq: 6, window: [4, 5, 6] });
      for (let round = 0; round < 2; round += 1) {
        expect((await scene.messages("s"))?.map(({ seq }) => seq)).toEqual([4, 5, 6]);
        expect(await history(scene, "s")).toEqual(["", "", "", "", "4", "4 5", "4 5 6"]);
        expect(await scene.store.readMessage(refOf("s"), "id-3")).toBeUndefined();
        const read = await scene.store.readWindow(refOf("s"));
        expect(read?.session.head.window).toEqual(totalsOf(read?.window ?? []));
        expect(read?.session.head.log).toEqual({ messageCount: 3, tokenCount: 30 });
        await scene.engine.reopen();
      }
    });

    test("may erase its own messages, whose seqs and ids stay used and free", async (scene) => {
      await scene.append("s", ids(2));
      const answer = await scene.append(
        "s",
        [...ids(4, 3), { text: "named by its seq" }],
        discard(1),
      );
      expect(answer).toMatchObject({ lastSeq: 7, window: [7] });
      await scene.append("s", [{ messageId: "id-4" }, { messageId: "id-1" }]);
      await scene.append("s", 2, discard(0));
      await scene.append("s", ["last"], { looks: false });
      for (let round = 0; round < 2; round += 1) {
        const seqs = (await scene.messages("s"))?.map(({ seq }) => seq);
        expect(seqs).toEqual([12]);
        expect(await history(scene, "s")).toEqual([...new Array<string>(12).fill(""), "12"]);
        for (const id of ["id-1", "id-3", "id-4", "id-6"]) {
          expect(await scene.store.readMessage(refOf("s"), id)).toBeUndefined();
        }
        expect(await scene.window("s")).toEqual([12]);
        await scene.engine.reopen();
      }
    });

    test("keeps what stayed readable when messages before it were erased", async (scene) => {
      await scene.append("s", ids(3), discard(1));
      await scene.append("s", [{ messageId: "id-1" }, { messageId: "id-2" }]);
      expect(await scene.store.readMessage(refOf("s"), "id-1")).toMatchObject({ seq: 4 });
      expect(await scene.window("s")).toEqual([3, 4, 5]);
      expect(await history(scene, "s")).toEqual(["", "", "", "3", "3 4", "3 4 5"]);
      await scene.fork("s", "copy", { atSeq: 4 });
      expect(await history(scene, "copy")).toEqual(["", "", "", "3", "3 4"]);
    });
  });

  describe("tokens", () => {
    test("keep their quarters, of messages and of sums", async (scene) => {
      const drafts = [0.25, 1.5, 2.75, 7].map((tokenCount) => ({ tokenCount }));
      await scene.append("s", drafts);
      await scene.append("s", [{ tokenCount: 0.5 }], { looks: true, keep: 3 });
      for (let round = 0; round < 2; round += 1) {
        const session = await scene.store.readSession(refOf("s"));
        expect(session?.head.log.tokenCount).toBe(12);
        expect(session?.head.window.tokenCount).toBe(10.25);
        const messages = await scene.messages("s");
        expect(messages?.map(({ tokenCount }) => tokenCount)).toEqual([0.25, 1.5, 2.75, 7, 0.5]);
        const window = await scene.store.readWindow(refOf("s"));
        expect(window?.window.map(({ tokenCount }) => tokenCount)).toEqual([2.75, 7, 0.5]);
        await scene.engine.reopen();
      }
    });
  });

  describe("what a policy remembers", () => {
    test("is that of the newest change that says so, and is forgotten whole", async (scene) => {
      const state = {
        modelInputTokens: 4_000,
        outcomes: [{ tool: "t", error: false }],
        marks: [{ stage: "s", seq: 2, window: { messageCount: 1, tokenCount: 0.25 } }],
        overLimit: ["s"],
        turnEndSeq: 1,
      };
      const stored = async () => (await scene.store.readSession(refOf("s")))?.head.policyState;
      await scene.append("s", 2, { state });
      await scene.append("s", 1);
      for (let round = 0; round < 2; round += 1) {
        expect(await stored()).toEqual(state);
        await scene.engine.reopen();
      }
      await scene.append("s", 1, { state: { ...EMPTY_POLICY_STATE } });
      expect(await stored()).toEqual(EMPTY_POLICY_STATE);
      await scene.engine.reopen();
      expect(await stored()).toEqual(EMPTY_POLICY_STATE);
    });
  });

  describe("the window of the past", () => {
    test("is what it was at every seq, and undefined outside", async (scene) => {
      expect(await scene.store.readWindowAt(refOf("s"), 0)).toBeUndefined();
      await scene.create("s");
      expect(await history(scene, "s")).toEqual([""]);
      await scene.append("s", ids(2));
      await scene.append("s", ids(3, 3), { looks: true, keep: 2 });
      await scene.append("s", ids(1, 6));
      await scene.append("s", ids(2, 7), { looks: true, keep: 3 });
      const expected = ["", "1", "1 2", "1 2 3", "1 2 3 4", "4 5", "4 5 6", "4 5 6 7", "6 7 8"];
      for (let round = 0; round < 2; round += 1) {
        expect(await history(scene, "s")).toEqual(expected);
        for (const seq of [-1, 9, 1_000]) {
          const outside = await scene.store.readWindowAt(refOf("s"), seq);
          expect(outside?.session.sessionId).toBe("s");
          expect(outside?.window).toBeUndefined();
        }
        await scene.engine.reopen();
      }
    });

    test("comes with runs that hold just its messages", async (scene) => {
      await scene.append("s", ids(9), { looks: true, keep: 6 });
      await scene.run("trim", "s", { every: 2, rest: 0 });
      await scene.append("s", ids(3, 10));
      const log = (await scene.messages("s"))?.map(({ seq }) => seq) ?? [];
      for (let seq = 0; seq <= 12; seq += 1) {
        const past = await scene.store.readWindowAt(refOf("s"), seq);
        const held = new Set(seqsOf(past?.ranges ?? []));
        const seqs = past?.window?.map((entry) => entry.seq);
        expect(log.filter((each) => held.has(each))).toEqual(seqs);
        expect(plain(past?.session)).toEqual(plain(await scene.store.readSession(refOf("s"))));
      }
    });

    test("counts all changes made before the next append", async (scene) => {
      await scene.append("s", ids(5));
      await scene.run("trim", "s", { every: 2, rest: 0 });
      await scene.run("trim", "s", { every: 2, rest: 1 });
      expect(await scene.windowAt("s", 5)).toEqual([2]);
      await scene.run("restore", "s", { messageIds: ["id-3", "id-5"] });
      expect(await scene.windowAt("s", 5)).toEqual([2, 3, 5]);
      expect(await scene.windowAt("s", 4)).toEqual([1, 2, 3, 4]);
      await scene.append("s", ids(1, 6));
      await scene.run("restore", "s", { messageIds: ["id-1"] });
      expect(await scene.windowAt("s", 5)).toEqual([2, 3, 5]);
      expect(await scene.windowAt("s", 6)).toEqual([1, 2, 3, 5, 6]);
    });

    test("leaves out what was erased since and shows what was changed", async (scene) => {
      await scene.append("s", ids(4), { looks: true, keep: 3 });
      await scene.append("s", ids(2, 5), { looks: true, keep: 2 });
      await scene.run("erase", "s", { messageId: "id-3", looks: true });
      await scene.run("erase", "s", { messageId: "id-5", looks: false });
      const change = { messageId: "id-2", text: "new", tokenCount: 1, looks: false } as const;
      await scene.run("replace", "s", change);
      expect(await history(scene, "s")).toEqual(["", "1", "1 2", "1 2", "2 4", "2 4", "6"]);
      const past = await scene.store.readWindowAt(refOf("s"), 4);
      expect(past?.window?.map(({ bytes }) => textOf(bytes))[0]).toBe("new");
      expect(past?.window?.[0]).toMatchObject({ tokenCount: 1, messageId: "id-2", seq: 2 });
    });

    test("begins anew with a reset", async (scene) => {
      const system = { role: ROLE.system, messageId: "sys" };
      await scene.append("s", [...ids(2), system, ...ids(3, 4)], { looks: true, keep: 5 });
      await scene.run("reset", "s", { keepSystem: true });
      expect(await scene.window("s")).toEqual([3]);
      expect((await scene.messages("s"))?.map(({ seq }) => seq)).toEqual([3]);
      for (const seq of [0, 3, 5]) expect(await scene.windowAt("s", seq)).toBeUndefined();
      expect(await history(scene, "s")).toEqual(["3"]);
      await scene.append("s", ids(3, 7));
      expect(await history(scene, "s")).toEqual(["3", "3 7", "3 7 8", "3 7 8 9"]);
      await scene.run("trim", "s", { every: 2, rest: 0 });
      expect(await history(scene, "s")).toEqual(["3", "3 7", "3 7 8", "7 9"]);
      await scene.run("erase", "s", { messageId: "sys", looks: false });
      await scene.engine.reopen();
      expect(await history(scene, "s")).toEqual(["", "7", "7 8", "7 9"]);
      expect(await scene.store.readMessage(refOf("s"), "sys")).toBeUndefined();
      expect(await scene.store.readMessage(refOf("s"), "id-1")).toBeUndefined();
    });

    test("is held under the ceiling when its messages have grown since", async (scene) => {
      await scene.append("s", ids(6));
      await scene.append("s", ids(1, 7), { looks: true, keep: 1 });
      const text = "x".repeat(1_000_000);
      for (const messageId of ["id-1", "id-2", "id-3", "id-4", "id-5"]) {
        const change = { messageId, tokenCount: 1, text, looks: false } as const;
        await scene.run("replace", "s", change);
      }
      expect(await scene.windowAt("s", 6)).toEqual([3, 4, 5, 6]);
      const at = await scene.store.readWindowAt(refOf("s"), 6);
      expect(at?.ranges).toEqual([{ first: 3, last: 6 }]);
      expect(await scene.window("s")).toEqual([7]);
    });

    test("begins anew with every further reset, kept messages and all", async (scene) => {
      const system = (name: string) => ({ role: ROLE.system, messageId: name });
      await scene.append("s", [system("one"), ...ids(2, 2), system("two")]);
      await scene.run("reset", "s", { keepSystem: true });
      await scene.run("reset", "s", { keepSystem: true });
      expect(await history(scene, "s")).toEqual(["1 4"]);
      await scene.append("s", [system("three"), ...ids(1, 6)]);
      await scene.run("reset", "s", { keepSystem: true });
      expect(await history(scene, "s")).toEqual(["1 4 5"]);
      for (const name of ["one", "two", "three"]) {
        expect(await scene.store.readMessage(refOf("s"), name)).toMatchObject({ messageId: name });
      }
      await scene.run("reset", "s", { keepSystem: false });
      expect(await history(scene, "s")).toEqual([""]);
      expect(await scene.messages("s")).toEqual([]);
      expect((await scene.append("s", ids(1, 2))).lastSeq).toBe(7);
      expect(await scene.store.readMessage(refOf("s"), "id-2")).toMatchObject({ seq: 7 });
    });
  });
}
