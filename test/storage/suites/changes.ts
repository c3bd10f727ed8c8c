// Conformance: how a session is changed, and what decide gets to see.

import { describe, expect } from "vitest";
import { sessionNotFound } from "../../../src/kit/errors.ts";
import type { SessionView } from "../../../src/store/store.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import {
  DEFAULT_POLICY_PARTS,
  DEFAULT_STAGE,
  type Policy,
} from "../../../src/window/policy/policy.ts";
import { plain } from "../../support/kit/plain.ts";
import {
  newEvent,
  newFields,
  newHead,
  newInsert,
  newMessage,
  readFacts,
  totalsOf,
} from "../../support/store/plans.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";

/** Saves one session with one message; gives every view that decide saw. */
async function saveFirst(scene: Scene, sessionId: string): Promise<SessionView[]> {
  const ref = refOf(sessionId);
  const views: SessionView[] = [];
  const message = newMessage({ seq: 1, messageId: "first" });
  const window = totalsOf([message]);
  await scene.store.changeSession(ref, (view) => {
    views.push(view);
    const head = {
      lastSeq: 1,
      log: { messageCount: 1, tokenCount: 10 },
      window,
      windowRanges: [{ first: 1, last: 1 }],
      revision: view.revision,
    };
    const plan = { fields: newFields(), head: newHead(head), append: [message] };
    return { kind: "save", result: undefined, plan: { ...plan, events: [newEvent(ref)] } };
  });
  return views;
}

async function nothingSaved(scene: Scene): Promise<void> {
  expect(await revisionOf(scene.store)).toBe(0);
  expect(await scene.sessions()).toEqual([]);
  expect(await scene.events()).toEqual([]);
}

/** Declares the tests of views and plans. */
export function changeSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a change of a session", () => {
    test("shows nothing of a session that does not exist", async (scene) => {
      const [view] = await saveFirst(scene, "s");
      expect(view?.session).toBeUndefined();
      expect(view?.messages.size).toBe(0);
      expect(view?.reply).toBeUndefined();
      expect(view?.revision).toBe(1);
    });

    test("shows an empty window without a session when it is asked for", async (scene) => {
      const seen = await scene.store.changeSession(refOf("s"), (view) => ({
        kind: "answer",
        result: view.window(),
      }));
      expect(seen).toEqual([]);
      const later = await scene.run("look", "s", { looks: true, messageIds: [] }).catch(String);
      expect(later).toContain("does not exist");
      await nothingSaved(scene);
    });

    test("saves fields and head as they are given", async (scene) => {
      const fields = {
        userId: "user",
        agentId: "agent",
        labels: new Map([
          ["a", "1"],
          ["b", ""],
        ]),
        metadata: Uint8Array.from([0, 255, 1]),
        ttlMs: 1_234,
        summary: {
          text: "what was said\n\u{1f600}",
          tokenCount: 7,
          version: 3,
          createMs: 99,
          stage: "shrink",
          level: 2,
          ranges: [
            { first: 2, last: 2 },
            { first: 4, last: 2 ** 40 },
          ],
          hook: "h\u00f6ok",
          trust: TRUST.high,
        },
        summaryVersion: 5,
        inserts: [
          newInsert({ position: 0.25, kind: "request", version: 5, ranges: [] }),
          newInsert({
            position: 0.5,
            ranges: [{ first: 1, last: 3 }],
            version: 5,
            hook: "hook",
            stage: "stage",
            level: 3,
            trust: TRUST.low,
          }),
          newInsert({ position: 7.25, kind: "result", tokenCount: 12, ranges: [], firstMs: 0 }),
          newInsert({ position: 7.5, tokenCount: 0.75, firstMs: -5 }),
        ],
        forkedFrom: { sessionId: "other", seq: 12 },
        createMs: 1_650_000_000_001,
        etagRevision: 1,
      };
      const ref = refOf("s");
      const policyState = {
        modelInputTokens: 5,
        outcomes: [{ tool: "search", error: true }],
        marks: [{ stage: "one", seq: 0, window: { messageCount: 2, tokenCount: 1.25 } }],
        overLimit: ["two", "\u{1f600}"],
        turnEndSeq: 3,
      };
      const head = newHead({ updateMs: 1_650_000_000_002, policyState });
      const given = { fields: newFields(fields), head };
      const answer = await scene.store.changeSession(ref, () => ({
        kind: "save",
        result: { any: "result" },
        plan: { ...given, events: [newEvent(ref)] },
      }));
      expect(answer).toEqual({ any: "result" });
      expect(plain(await scene.store.readSession(ref))).toEqual(plain({ ...ref, ...given }));
      await scene.engine.reopen();
      expect(plain(await scene.store.readSession(ref))).toEqual(plain({ ...ref, ...given }));
    });

    test("keeps the policy of a session as it is", async (scene) => {
      const policy: Policy = {
        ...DEFAULT_POLICY_PARTS,
        tokenRule: "o200k",
        imageTokenCount: 12,
        protections: {
          system: "leading",
          pinFirst: 3,
          pinIds: ["a", "b"],
          minMessages: 2,
          lastUser: false,
        },
        toolResultFill: { rule: "always", newestOnly: true, text: "gone" },
        stages: [
          {
            ...DEFAULT_STAGE,
            name: "tail",
            on: "read",
            anyOf: [{ kind: "token-count-over", limit: 5 }],
            unit: "message",
            select: { kind: "keep-last", unitCount: 4 },
            boundary: { rule: "grow-recent", always: true },
            effect: "view",
          },
          {
            ...DEFAULT_STAGE,
            name: "count",
            select: {
              kind: "drop-oldest",
              maxMessages: 9,
              stopAtProtected: true,
              stopAtFree: true,
            },
            removedTo: "discard",
          },
        ],
      };
      const ref = refOf("s");
      await scene.store.changeSession(ref, () => ({
        kind: "save",
        result: 0,
        plan: { fields: newFields({ policy }), head: newHead(), events: [newEvent(ref)] },
      }));
      for (let round = 0; round < 2; round += 1) {
        expect((await scene.store.readSession(ref))?.fields.policy).toStrictEqual(policy);
        await scene.engine.reopen();
      }
    });

    test("leaves the fields when the plan has none", async (scene) => {
      await scene.create("s", { userId: "user", labels: new Map([["a", "1"]]) });
      const before = await scene.store.readSession(refOf("s"));
      await scene.append("s", 3);
      const after = await scene.store.readSession(refOf("s"));
      expect(plain(after?.fields)).toEqual(plain(before?.fields));
      expect(after?.head.lastSeq).toBe(3);
      expect(after?.head.revision).toBe(2);
    });

    test("replaces the fields and nothing else when the plan has them", async (scene) => {
      await scene.create("s", { userId: "one" });
      await scene.append("s", ["a", "b"]);
      await scene.run("update", "s", { fields: { userId: "two", ttlMs: 5_000 } });
      const session = await scene.store.readSession(refOf("s"));
      expect(session?.fields).toMatchObject({ userId: "two", ttlMs: 5_000, etagRevision: 3 });
      expect(await scene.texts("s")).toEqual(["a", "b"]);
      expect(await scene.window("s")).toEqual([1, 2]);
    });

    test("shows the window", async (scene) => {
      await scene.append("s", ["a", "b"]);
      const result = await scene.store.changeSession(refOf("s"), (view) => ({
        kind: "answer",
        result: view.window(),
      }));
      expect(result.map(({ seq }) => seq)).toEqual([1, 2]);
      expect(result[0]).toMatchObject({
        ...readFacts(result[0]?.bytes ?? new Uint8Array()),
        seq: 1,
      });
      expect(result[0]?.byteCount).toBe(result[0]?.bytes.length);
    });

    test("shows the window without what was trimmed", async (scene) => {
      await scene.append("s", ["a", "b"], { keep: 1, looks: true });
      const seqs = await scene.store.changeSession(refOf("s"), (view) => ({
        kind: "answer",
        result: view.window().map(({ seq }) => seq),
      }));
      expect(seqs).toEqual([2]);
    });

    test("shows those of the messages asked for that exist", async (scene) => {
      await scene.append("s", [{ messageId: "a" }, { messageId: "b", text: "bee" }, "unnamed"]);
      await scene.run("erase", "s", { messageId: "a", looks: false });
      const unnamed = (await scene.messages("s"))?.at(-1)?.messageId ?? "";
      const messageIds = ["a", "b", "c", unnamed];
      const messages = await scene.store.changeSession({ ...refOf("s"), messageIds }, (view) => ({
        kind: "answer",
        result: view.messages,
      }));
      expect([...messages.keys()].sort()).toEqual(["b", unnamed].sort());
      const made = newMessage({ seq: 2, messageId: "b", text: "bee" });
      expect(plain(messages.get("b"))).toEqual(plain(made));
    });

    test("shows the first of them alone when that is enough", async (scene) => {
      await scene.append("s", [{ messageId: "a" }, { messageId: "b" }]);
      const change = { ...refOf("s"), messageIds: ["c", "b", "a"], firstMessageOnly: true };
      const found = await scene.store.changeSession(change, (view) => ({
        kind: "answer",
        result: [...view.messages.keys()],
      }));
      expect(found).toEqual(["b"]);
    });

    test("shows messages by their seqs, in the order asked for", async (scene) => {
      await scene.append("s", ["a", { messageId: "b" }, "c", "d"], { keep: 1 });
      await scene.run("erase", "s", { messageId: "b", looks: false });
      const seen = await scene.store.changeSession(refOf("s"), ({ messagesAt }) => ({
        kind: "answer",
        result: {
          all: messagesAt([3, 2, 1, 9]).map(({ seq }) => seq),
          named: messagesAt([1]),
          gone: messagesAt([2, 9]),
        },
      }));
      const first = (await scene.messages("s"))?.[0];
      expect(plain(seen)).toEqual(plain({ all: [3, 1], named: [first], gone: [] }));
      const empty = await scene.store.changeSession(refOf("none"), ({ messagesAt }) => ({
        kind: "answer",
        result: messagesAt([1]),
      }));
      expect(empty).toEqual([]);
    });

    test("shows messages whose append is not durable yet", async (scene) => {
      const appended = scene.append("s", ["a", "b", "c"]);
      const result = await scene.store.changeSession(refOf("s"), (view) => ({
        kind: "answer",
        result: view.messagesAt([3, 2]),
      }));
      await appended;
      expect(plain(result)).toEqual(plain((await scene.messages("s"))?.slice(1).reverse()));
    });

    test("that throws fails with what was thrown and saves nothing", async (scene) => {
      for (const thrown of [sessionNotFound("s"), new TypeError("a fault")]) {
        const change = scene.store.changeSession(refOf("s"), () => {
          throw thrown;
        });
        await expect(change).rejects.toBe(thrown);
      }
      await nothingSaved(scene);
    });

    test("that only answers saves nothing", async (scene) => {
      const change = { ...refOf("s"), requestId: "r" };
      const answer = await scene.store.changeSession(change, () => ({ kind: "answer", result: 7 }));
      expect(answer).toBe(7);
      await nothingSaved(scene);
    });

    test("goes on after one that failed", async (scene) => {
      const failed = scene.run("erase", "s", { messageId: "a", looks: false });
      const [first, second] = await Promise.allSettled([failed, scene.append("s", 1)]);
      expect(first).toMatchObject({ status: "rejected", reason: { reason: "SESSION_NOT_FOUND" } });
      expect(second).toMatchObject({ status: "fulfilled", value: { revision: 1 } });
    });

    test("of a thousand messages is saved whole", async (scene) => {
      await scene.append("s", 1_000);
      await scene.append("s", 1_000, { keep: 500, looks: true });
      const session = await scene.store.readSession(refOf("s"));
      expect(session?.head).toMatchObject({ lastSeq: 2_000, window: { messageCount: 500 } });
      expect((await scene.messages("s", { limit: 1_000 }))?.map(({ seq }) => seq)).toEqual(
        Array.from({ length: 2_000 }, (_, index) => index + 1),
      );
      expect(await scene.window("s")).toEqual(
        Array.from({ length: 500 }, (_, index) => index + 1_501),
      );
    });

    test("keeps a message of a mebibyte byte for byte", async (scene) => {
      const text = "\u{1f600}é".repeat(170_000);
      await scene.append("s", ["small", text, "small"]);
      expect(await scene.texts("s")).toEqual(["small", text, "small"]);
      await scene.engine.reopen();
      expect(await scene.texts("s")).toEqual(["small", text, "small"]);
    });

    test("of a deleted session starts from nothing", async (scene) => {
      await scene.append("s", [{ messageId: "a" }, { messageId: "b" }], {
        looks: true,
        keep: 1,
      });
      await scene.run("remove", "s", {});
      expect(await scene.store.readSession(refOf("s"))).toBeUndefined();
      expect(await scene.store.readWindow(refOf("s"))).toBeUndefined();
      expect(await scene.store.readWindowAt(refOf("s"), 1)).toBeUndefined();
      expect(await scene.store.readMessage(refOf("s"), "a")).toBeUndefined();
      expect(await scene.messages("s")).toBeUndefined();
      expect(await scene.sessions()).toEqual([]);
      const again = await scene.append("s", [{ messageId: "b", text: "new" }]);
      expect(again).toMatchObject({ revision: 3, lastSeq: 1, messages: [] });
      expect(await scene.texts("s")).toEqual(["new"]);
      expect(await scene.window("s")).toEqual([1]);
      expect(await scene.windowAt("s", 0)).toEqual([]);
      expect(await scene.windowAt("s", 2)).toBeUndefined();
      expect(await scene.store.readMessage(refOf("s"), "a")).toBeUndefined();
    });
  });
}
