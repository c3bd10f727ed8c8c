// Conformance: copies of a session up to a seq.

import { describe, expect } from "vitest";
import type { CopyView } from "../../../src/store/store.ts";
import { ROLE } from "../../../src/window/rules/types.ts";
import { plain } from "../../support/kit/plain.ts";
import { dumpSession } from "../../support/store/dump.ts";
import { newEvent, newFields, newHead, textOf, totalsOf } from "../../support/store/plans.ts";
import { messageView } from "../../support/store/read-all.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const ids = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageId: `id-${index + from}` }));

/** A session with trims, a hole and a changed message. */
async function makeSource(scene: Scene): Promise<void> {
  await scene.create("s", { userId: "u", labels: new Map([["k", "v"]]), ttlMs: 9_999_999 });
  await scene.append("s", ids(10), { looks: true, keep: 6 });
  await scene.append("s", ids(5, 11), { looks: true, keep: 8 });
  await scene.run("erase", "s", { messageId: "id-9", looks: false });
  const change = { messageId: "id-10", text: "new", tokenCount: 3, looks: false } as const;
  await scene.run("replace", "s", change);
  await scene.append("s", ids(5, 16));
}

/** The source as it was at a seq must be what the copy is. */
async function expectCopy(scene: Scene, target: string, atSeq: number): Promise<void> {
  const { store } = scene;
  const source = (await scene.messages("s"))?.filter(({ seq }) => seq <= atSeq);
  expect(plain(await scene.messages(target))).toEqual(plain(source));
  const session = await store.readSession(refOf(target));
  const firstSeq = session?.head.firstSeq ?? 1;
  for (let seq = firstSeq - 1; seq <= atSeq; seq += 1) {
    expect([seq, await scene.windowAt(target, seq)]).toEqual([seq, await scene.windowAt("s", seq)]);
  }
  expect(await scene.windowAt(target, atSeq + 1)).toBeUndefined();
  expect(await scene.window(target)).toEqual(await scene.windowAt("s", atSeq));
  for (const message of source ?? []) {
    const found = await store.readMessage(refOf(target), message.messageId);
    expect(plain(found && messageView(found))).toEqual(plain(message));
  }
  const read = await store.readWindow(refOf(target));
  expect(read?.session.head.window).toEqual(totalsOf(read?.window ?? []));
  expect(read?.session.head.log.messageCount).toBe(source?.length);
}

/** Declares the tests of copies. */
export function copySuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a copy", () => {
    for (const atSeq of [0, 1, 5, 9, 10, 13, 15, 19, 20]) {
      test(`at seq ${atSeq} holds the log, the window and the past up to it`, async (scene) => {
        await makeSource(scene);
        await scene.fork("s", "t", { atSeq });
        await expectCopy(scene, "t", atSeq);
        const fields = (await scene.store.readSession(refOf("t")))?.fields;
        expect(fields).toMatchObject({ userId: "u", forkedFrom: { sessionId: "s", seq: atSeq } });
        await scene.engine.reopen();
        await settle(scene.store, {});
        await expectCopy(scene, "t", atSeq);
      });
    }

    test("without a seq goes up to the newest", async (scene) => {
      await makeSource(scene);
      expect((await scene.fork("s", "t")).lastSeq).toBe(20);
      await expectCopy(scene, "t", 20);
      await scene.create("empty");
      await scene.fork("empty", "copy");
      expect(await scene.messages("copy")).toEqual([]);
    });

    test("may have a smaller window, and remembers it", async (scene) => {
      await scene.append("s", ids(4));
      await scene.fork("s", "t", { leaveOut: 3 });
      expect(await scene.window("t")).toEqual([4]);
      await scene.append("t", ids(1, 5));
      for (const [seq, window] of [
        [3, [1, 2, 3]],
        [4, [4]],
        [5, [4, 5]],
      ] as const) {
        expect(await scene.windowAt("t", seq)).toEqual(window);
      }
      await scene.engine.reopen();
      expect(await scene.window("t")).toEqual([4, 5]);
    });

    test("of a session that was reset has the messages kept", async (scene) => {
      await scene.append("s", [{ role: ROLE.system, messageId: "sys" }, ...ids(3, 2)]);
      await scene.run("reset", "s", { keepSystem: true });
      await scene.append("s", ids(4, 5), { looks: true, keep: 3 });
      for (const atSeq of [4, 6, 8]) {
        await scene.fork("s", `t${atSeq}`, { atSeq });
        await expectCopy(scene, `t${atSeq}`, atSeq);
      }
      for (const atSeq of [0, 1, 3, 9]) {
        const refused = scene.fork("s", "t", { atSeq });
        await expect(refused).rejects.toMatchObject({ reason: "SEQ_OUT_OF_RANGE" });
      }
    });

    test("of more than one chunk is whole, and can be copied again", async (scene) => {
      const many = (from: number) => ids(1_000, from);
      await scene.append("s", many(1));
      await scene.append("s", many(1_001), { looks: true, keep: 700 });
      await scene.append("s", many(2_001));
      await scene.fork("s", "t", { atSeq: 2_500 });
      await scene.fork("t", "u", { atSeq: 1_999 });
      await scene.run("remove", "s", {});
      await settle(scene.store, {});
      const seqs = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
      const listed = async (id: string) =>
        (await scene.messages(id, { limit: 1_000 }))?.map(({ seq }) => seq);
      expect(await listed("t")).toEqual(seqs(2_500));
      expect(await listed("u")).toEqual(seqs(1_999));
      expect(await scene.window("t")).toEqual(seqs(2_500).slice(1_300));
      expect((await scene.window("u"))?.length).toBe(1_999);
      expect(await scene.store.readMessage(refOf("u"), "id-777")).toMatchObject({ seq: 777 });
    });

    test("and its source are independent afterwards", async (scene) => {
      await makeSource(scene);
      await scene.fork("s", "t", { atSeq: 12 });
      const source = plain(await dumpSession(scene.store, refOf("s")));
      await scene.run("erase", "t", { messageId: "id-3", looks: false });
      const change = { messageId: "id-4", text: "mine", tokenCount: 1, looks: false } as const;
      await scene.run("replace", "t", change);
      expect((await scene.append("t", ["own"], { looks: true, keep: 2 })).lastSeq).toBe(13);
      expect(plain(await dumpSession(scene.store, refOf("s")))).toEqual(source);
      const target = plain(await dumpSession(scene.store, refOf("t")));
      await scene.run("erase", "s", { messageId: "id-5", looks: false });
      await scene.run("reset", "s", { keepSystem: false });
      await scene.run("remove", "s", {});
      await settle(scene.store, {});
      expect(plain(await dumpSession(scene.store, refOf("t")))).toEqual(target);
      await scene.engine.reopen();
      expect(plain(await dumpSession(scene.store, refOf("t")))).toEqual(target);
    });

    test("shows decide first what there is, then what was copied", async (scene) => {
      await makeSource(scene);
      const views: CopyView[] = [];
      const copy = { source: refOf("s"), target: refOf("t"), atSeq: 12 };
      const result = await scene.store.copySession(copy, (view) => {
        views.push(view);
        if (view.copied === undefined) return { kind: "copy", atSeq: 12 };
        const { log, window } = view.copied;
        const head = {
          lastSeq: 12,
          log,
          window: totalsOf(window),
          windowRanges: window.map(({ seq }) => ({ first: seq, last: seq })),
          revision: view.revision,
        };
        const saved = { fields: newFields(), head: newHead(head), events: [newEvent(refOf("t"))] };
        return { kind: "save", result: "done", ...saved };
      });
      expect(result).toBe("done");
      expect(views[0]?.copied).toBeUndefined();
      expect(views[0]?.source?.head.lastSeq).toBe(20);
      expect(views[0]?.target).toBeUndefined();
      const last = views.at(-1);
      expect(last?.copied?.log).toEqual({ messageCount: 11, tokenCount: 103 });
      expect(last?.copied?.window.map(({ seq }) => seq)).toEqual(await scene.windowAt("s", 12));
      expect(last?.copied?.window.map(({ bytes }) => textOf(bytes))).toContain("new");
      expect(last?.revision).toBe(await revisionOf(scene.store));
    });

    test("that decide answers or refuses leaves nothing", async (scene) => {
      await makeSource(scene);
      const revision = await revisionOf(scene.store);
      const copy = { source: refOf("s"), target: refOf("t") };
      const answer = await scene.store.copySession(copy, () => ({ kind: "answer", result: 5 }));
      expect(answer).toBe(5);
      const late = scene.store.copySession(copy, (view) => {
        if (view.copied === undefined) return { kind: "copy", atSeq: 20 };
        throw new RangeError("too late");
      });
      await expect(late).rejects.toThrow(RangeError);
      await expect(scene.fork("none", "t")).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
      const taken = scene.fork("s", "s");
      await expect(taken).rejects.toMatchObject({ reason: "SESSION_ALREADY_EXISTS" });
      await settle(scene.store, {});
      expect(await revisionOf(scene.store)).toBe(revision);
      expect((await scene.sessions()).length).toBe(1);
    });
  });
  busyCopySuite(open);
}

function busyCopySuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a copy beside changes", () => {
    test("of its source is that of one moment", async (scene) => {
      await scene.append("s", ids(1_000));
      await scene.append("s", ids(1_000, 1_001));
      const busy: Promise<unknown>[] = [scene.fork("s", "t", { atSeq: 1_900 })];
      for (let n = 1; n <= 40; n += 1) {
        busy.push(scene.append("s", ids(1, 2_000 + n)));
        const looks = n % 2 !== 0;
        busy.push(scene.run("erase", "s", { messageId: `id-${n * 44}`, looks }));
        const change = { text: `new ${n}`, tokenCount: 5, looks } as const;
        busy.push(scene.run("replace", "s", { messageId: `id-${n * 44 + 1}`, ...change }));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(busy);
      // A change from before the copy was published is in it and a later one is not: the
      // events say which is which.
      const events = await scene.events();
      const forkAt = events.find(({ sessionId }) => sessionId === "t")?.revision ?? 0;
      const source = await scene.messages("s", { lastSeq: 1_900, limit: 1_000 });
      const target = await scene.messages("t", { limit: 1_000 });
      const read = await scene.store.readWindow(refOf("t"));
      expect(read?.session.head.log.messageCount).toBe(target?.length);
      expect(read?.session.head.window).toEqual(totalsOf(read?.window ?? []));
      const later = events.filter(({ revision, type }) => revision > forkAt && type === 9).length;
      const erasedEarly = 1_900 - (target?.length ?? 0);
      expect(erasedEarly + later).toBeGreaterThanOrEqual(1_900 - (source?.length ?? 0));
      const seqs = new Set(target?.map(({ seq }) => seq));
      for (const { seq } of source ?? []) expect(seqs.has(seq)).toBe(true);
    });

    test("goes up to a newest seq though appends go on", async (scene) => {
      await scene.append("s", ids(600));
      const busy: Promise<unknown>[] = [];
      const copying = scene.fork("s", "t");
      for (let n = 1; n <= 30; n += 1) {
        busy.push(scene.append("s", ids(1, 600 + n)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { lastSeq } = await copying;
      await Promise.all(busy);
      expect(lastSeq).toBeGreaterThanOrEqual(600);
      expect(await scene.texts("t")).toEqual((await scene.texts("s"))?.slice(0, lastSeq));
    });

    test("of its source that is reset fails or is of one side", async (scene) => {
      await scene.append("s", ids(600));
      const copying = scene.fork("s", "t");
      await scene.run("reset", "s", { keepSystem: false });
      await scene.append("s", ids(2));
      await copying;
      const seqs = (await scene.messages("t"))?.map(({ seq }) => seq) ?? [];
      expect([0, 1, 2, 600]).toContain(seqs.length);
      const read = await scene.store.readWindow(refOf("t"));
      expect(read?.session.head.log.messageCount).toBe(seqs.length);
      expect(read?.window.length).toBe(seqs.length);
    });

    test("of its source that deletes it fails or is whole", async (scene) => {
      await scene.append("s", ids(1_000));
      const copying = scene.fork("s", "t");
      const removing = scene.run("remove", "s", {});
      const [copied] = await Promise.allSettled([copying, removing]);
      const messages = await scene.messages("t", { limit: 1_000 });
      if (copied.status === "fulfilled") expect(messages?.length).toBe(1_000);
      else {
        expect(copied.reason).toMatchObject({ reason: "SESSION_NOT_FOUND" });
        expect(messages).toBeUndefined();
      }
      await settle(scene.store, {});
    });

    test("to the same target is made once", async (scene) => {
      await scene.append("s", ids(300));
      const copies = [1, 2, 3, 4].map(() => scene.fork("s", "t"));
      const results = await Promise.allSettled([...copies, scene.create("t")]);
      expect(results.filter(({ status }) => status === "fulfilled").length).toBe(1);
      for (const result of results) {
        if (result.status === "rejected") {
          expect(result.reason).toMatchObject({ reason: "SESSION_ALREADY_EXISTS" });
        }
      }
      await settle(scene.store, {});
      expect((await scene.sessions()).length).toBe(2);
    });

    test("with the same request id is made once", async (scene) => {
      await scene.append("s", ids(300));
      const results = await Promise.all(
        ["t1", "t2", "t3"].map((target) => scene.fork("s", target, { requestId: "r" })),
      );
      expect(results.filter(({ replayed }) => replayed === undefined).length).toBe(1);
      await settle(scene.store, {});
      expect((await scene.sessions()).length).toBe(2);
    });
  });

  describe("a copy that is stopped", () => {
    test("fails and leaves nothing", async (scene) => {
      const { store } = scene;
      await scene.append("s", ids(1_000));
      await scene.append("s", ids(1_000, 1_001));
      const revision = await revisionOf(store);
      const control = new AbortController();
      const copy = { source: refOf("s"), target: refOf("t"), signal: control.signal };
      const stopped = store.copySession(copy, (view) => {
        if (view.copied !== undefined) throw new Error("must not be copied");
        control.abort(new RangeError("stopped"));
        return { kind: "copy", atSeq: 2_000 };
      });
      await expect(stopped).rejects.toBeDefined();
      expect(await store.readSession(refOf("t"))).toBeUndefined();
      await scene.engine.reopen();
      await settle(scene.store, {});
      expect(await revisionOf(scene.store)).toBe(revision);
      expect((await scene.sessions()).length).toBe(1);
      expect((await scene.messages("s", { limit: 1_000 }))?.length).toBe(2_000);
      await scene.fork("s", "t");
      expect((await scene.messages("t", { limit: 1_000 }))?.length).toBe(2_000);
    });
  });
}
