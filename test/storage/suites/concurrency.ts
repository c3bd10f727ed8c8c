// Conformance: changes at the same time, and when their promises settle.

import { describe, expect } from "vitest";
import { lastSeqMismatch } from "../../../src/kit/errors.ts";
import { newEvent, newFields, newHead } from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, testsOn } from "../scene.ts";

const COUNT = 60;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Declares the tests of changes at the same time. */
export function concurrencySuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("changes at the same time", () => {
    test("of one session come one after another, in the order of the calls", async (scene) => {
      const appends = numbers(COUNT).map((n) =>
        scene.append("s", [`text ${n}`], n % 3 === 0 ? { looks: true, keep: 5 } : {}),
      );
      const results = await Promise.all(appends);
      expect(results.map(({ lastSeq }) => lastSeq).sort((a, b) => a - b)).toEqual(numbers(COUNT));
      const revisions = results.map(({ revision }) => revision).sort((a, b) => a - b);
      expect(revisions).toEqual(numbers(COUNT));
      const texts = await scene.texts("s");
      for (const [index, { lastSeq }] of results.entries()) {
        expect(texts?.[lastSeq - 1]).toBe(`text ${index + 1}`);
      }
      const session = await scene.store.readSession(refOf("s"));
      expect(session?.head).toMatchObject({ lastSeq: COUNT, revision: COUNT });
    });

    test("of many sessions get each a revision of its own, without a gap", async (scene) => {
      const results = await Promise.all(
        numbers(COUNT).map((n) => scene.append(`s${n % 20}`, [`text ${n}`])),
      );
      const revisions = results.map(({ revision }) => revision).sort((a, b) => a - b);
      expect(revisions).toEqual(numbers(COUNT));
      expect(await revisionOf(scene.store)).toBe(COUNT);
      const events = await scene.events();
      expect(events.map(({ revision }) => revision)).toEqual(numbers(COUNT));
      for (const { revision, body } of events) {
        expect(JSON.parse(Buffer.from(body).toString()).revision).toBe(revision);
      }
    });

    test("create a session once", async (scene) => {
      const results = await Promise.allSettled(numbers(20).map(() => scene.create("s")));
      const failed = results.filter((result) => result.status === "rejected");
      expect(failed.length).toBe(19);
      for (const { reason } of failed) expect(reason.reason).toBe("SESSION_ALREADY_EXISTS");
      expect((await scene.sessions()).length).toBe(1);
      expect(await revisionOf(scene.store)).toBe(1);
    });

    test("with the same message id let one win", async (scene) => {
      await scene.create("s");
      const draft = { messageId: "same" };
      const results = await Promise.allSettled(numbers(10).map(() => scene.append("s", [draft])));
      expect(results.filter(({ status }) => status === "fulfilled").length).toBe(1);
      expect((await scene.messages("s"))?.length).toBe(1);
    });

    test("with the same expected seq let one win", async (scene) => {
      await scene.append("s", 1);
      const results = await Promise.allSettled(
        numbers(10).map(() => scene.append("s", 1, { expectedLastSeq: 1 })),
      );
      const failed = results.filter((result) => result.status === "rejected");
      expect(failed.length).toBe(9);
      for (const { reason } of failed) expect(reason.reason).toBe("LAST_SEQ_MISMATCH");
    });

    test("see one another: a decision is never based on what was changed since", async (scene) => {
      const add = (sessionId: string) =>
        scene.store.changeSession(refOf(sessionId), (view) => {
          const before = Number(view.session?.fields.userId ?? 0);
          const fields = newFields({ userId: String(before + 1) });
          const head = newHead({ revision: view.revision });
          const plan = { fields, head, events: [newEvent(refOf(sessionId))] };
          return { kind: "save", result: before + 1, plan };
        });
      const results = await Promise.all(numbers(COUNT).map((n) => add(`s${n % 3}`)));
      const expected = numbers(COUNT / 3).flatMap((n) => [n, n, n]);
      expect(results.sort((a, b) => a - b)).toEqual(expected);
    });

    test("with erasing, resetting and deleting leave a whole session", async (scene) => {
      await scene.append(
        "s",
        numbers(30).map((n) => ({ messageId: `m${n}` })),
      );
      const work = numbers(30).flatMap((n) => [
        scene.append("s", 2, { looks: true, keep: 8 }),
        scene.run("erase", "s", { messageId: `m${n}`, looks: n % 2 === 0 }),
        scene.run("replace", "s", {
          messageId: `m${31 - n}`,
          text: "new",
          tokenCount: n,
          looks: n % 2 !== 0,
        }),
        ...(n === 15 ? [scene.run("reset", "s", { keepSystem: true })] : []),
      ]);
      await Promise.allSettled(work);
      const session = await scene.store.readSession(refOf("s"));
      const messages = await scene.messages("s");
      const seen = await scene.store.readWindow(refOf("s"));
      const tokens = messages?.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
      expect(session?.head.log).toEqual({ messageCount: messages?.length, tokenCount: tokens });
      expect(session?.head.window.messageCount).toBe(seen?.window.length);
      expect(session?.head.lastSeq).toBe(90);
    });

    test("settle an answer only after the change it saw is durable", async (scene) => {
      for (const round of numbers(20)) {
        const save = scene.append("s", 1);
        const seen = await scene.run("look", "s", { looks: false, messageIds: [] });
        expect(seen.lastSeq).toBe(round);
        expect(await revisionOf(scene.store)).toBe(round);
        expect((await scene.store.readSession(refOf("s")))?.head.lastSeq).toBe(round);
        await save;
      }
    });

    test("settle a thrown error only after the change it saw is durable", async (scene) => {
      for (const round of numbers(20)) {
        const save = scene.append("s", 1);
        const refused = scene.store.changeSession(refOf("s"), (view) => {
          throw lastSeqMismatch(0, view.session?.head.lastSeq ?? 0);
        });
        await expect(refused).rejects.toMatchObject({
          detail: { metadata: { last_seq: round } },
        });
        expect(await revisionOf(scene.store)).toBe(round);
        expect((await scene.store.readSession(refOf("s")))?.head.lastSeq).toBe(round);
        await save;
      }
    });

    test("show in reads only what is durable, and never go back", async (scene) => {
      const durable = new Set<number>([0]);
      scene.store.onCommit(({ events }) => {
        for (const { revision } of events) durable.add(revision);
      });
      let writing = true;
      const writes = Promise.all(numbers(COUNT).map(() => scene.append("s", 1)));
      const done = writes.finally(() => {
        writing = false;
      });
      let newest = 0;
      while (writing) {
        const session = await scene.store.readSession(refOf("s"));
        const revision = session?.head.revision ?? 0;
        expect(revision).toBeGreaterThanOrEqual(newest);
        expect(revision).toBeLessThanOrEqual(await revisionOf(scene.store));
        expect(durable.has(revision)).toBe(true);
        newest = revision;
        const read = await scene.store.readWindow(refOf("s"));
        expect(read?.window.length ?? 0).toBe(read?.session.head.window.messageCount ?? 0);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await done;
    });

    test("are readable once their promise has settled", async (scene) => {
      for (const round of numbers(20)) {
        const { revision } = await scene.append("s", [`text ${round}`]);
        expect(await revisionOf(scene.store)).toBeGreaterThanOrEqual(revision);
        expect((await scene.texts("s"))?.at(-1)).toBe(`text ${round}`);
        expect((await scene.window("s"))?.length).toBe(round);
        expect((await scene.events()).at(-1)?.revision).toBe(revision);
      }
    });
  });
}
