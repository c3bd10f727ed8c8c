// Conformance: the history of summaries.

import { describe, expect } from "vitest";
import type { SummaryPlan, SummaryQuery } from "../../../src/store/store.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import { newEvent, newFields, newHead, newSummary } from "../../support/store/plans.ts";
import { allSummaries } from "../../support/store/read-all.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Ref, refOf, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

/** Saves a plan for the summaries of a session, which is made if it is not there. */
function save(scene: Scene, ref: Ref, summaries: SummaryPlan, newest?: number): Promise<number> {
  const to = refOf(ref);
  return scene.store.changeSession(to, (view) => {
    const old = view.session?.fields ?? newFields();
    const summaryVersion = newest ?? summaries.put.at(-1)?.version ?? old.summaryVersion;
    return {
      kind: "save",
      result: view.revision,
      plan: {
        fields: { ...old, summaryVersion },
        head: { ...(view.session?.head ?? newHead()), revision: view.revision },
        summaries,
        events: [newEvent(to)],
      },
    };
  });
}

const put = (...versions: readonly number[]) => versions.map((version) => newSummary({ version }));

async function versions(
  scene: Scene,
  ref: Ref,
  query: Partial<SummaryQuery> = {},
): Promise<readonly number[] | undefined> {
  const all = { order: "asc", limit: 2, maxBytes: 1_000_000, ...query } as const;
  return (await allSummaries(scene.store, refOf(ref), all))?.map(({ version }) => version);
}

const FULL = newSummary({
  version: 2,
  text: "t\u00ebxt\n\u{1f600}",
  tokenCount: 0.75,
  placement: "in-place",
  placedMessageId: "summary-\u00fc",
  ranges: [
    { first: 1, last: 1 },
    { first: 3, last: 2 ** 40 },
  ],
  added: [],
  sources: { messageCount: 2 ** 33, tokenCount: 12.5 },
  sourceVersions: [1],
  level: 3,
  stage: "",
  hook: "",
  model: "",
  taskId: "",
  trust: TRUST.high,
  inputTokens: 0,
  outputTokens: 0,
  callCount: 0,
  durationMs: 0,
  placeholder: true,
  createMs: 1_650_000_000_001,
});

/** Declares the tests of the history of summaries. */
export function summarySuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("the history of summaries", () => {
    test("comes back as it was saved, page by page", async (scene) => {
      await save(scene, "s", { put: [newSummary({ version: 1 }), FULL] });
      await save(scene, "other", { put: put(1, 2, 3) });
      await save(scene, "s", { put: put(4, 5) });
      for (let round = 0; round < 2; round += 1) {
        expect(await scene.store.readSummary(refOf("s"), 2)).toStrictEqual(FULL);
        expect(await scene.store.readSummary(refOf("s"), 3)).toBeUndefined();
        expect(await scene.store.readSummary(refOf("none"), 1)).toBeUndefined();
        expect(await versions(scene, "s")).toEqual([1, 2, 4, 5]);
        expect(await versions(scene, "s", { order: "desc" })).toEqual([5, 4, 2, 1]);
        expect(await versions(scene, "s", { maxBytes: 1 })).toEqual([1, 2, 4, 5]);
        expect(await versions(scene, "none")).toBeUndefined();
        const query = { order: "desc", limit: 2, maxBytes: 1_000_000, after: 4 } as const;
        const page = await scene.store.listSummaries(refOf("s"), query);
        expect(page?.summaries.map(({ version }) => version)).toEqual([2, 1]);
        expect(page?.next).toBeUndefined();
        await scene.engine.reopen();
      }
      const small = { order: "asc", limit: 9, maxBytes: 1 } as const;
      expect((await scene.store.listSummaries(refOf("s"), small))?.summaries).toHaveLength(1);
    });

    test("is seen by decide, and loses what a plan removes", async (scene) => {
      await save(scene, "s", { put: put(1, 2, 3) });
      const seen = await Promise.all([
        save(scene, "s", { put: put(4), remove: [1, 2] }),
        scene.store.changeSession(refOf("s"), (view) => ({
          kind: "answer",
          result: [1, 2, 3, 4, 5].map((version) => view.summary(version)?.text),
        })),
      ]);
      expect(seen[1]).toEqual([undefined, undefined, "summary 3", "summary 4", undefined]);
      expect(await versions(scene, "s")).toEqual([3, 4]);
      await save(scene, "s", { put: [], remove: [1, 4] });
      expect(await versions(scene, "s")).toEqual([3]);
      const none = await scene.store.changeSession(refOf("none"), (view) => ({
        kind: "answer",
        result: view.summary(1),
      }));
      expect(none).toBeUndefined();
    });

    test("goes with the log, and the new one has what the plan says", async (scene) => {
      await save(scene, "reset", { put: put(1, 2, 3) });
      await scene.append("reset", 3);
      await scene.run("reset", "reset", { keepSystem: false, keepSummary: true });
      expect(await versions(scene, "reset")).toEqual([3]);
      await scene.run("reset", "reset", { keepSystem: false });
      expect(await versions(scene, "reset")).toEqual([]);
      await save(scene, "gone", { put: put(1, 2) });
      await scene.run("remove", "gone", {});
      expect(await versions(scene, "gone")).toBeUndefined();
      await scene.create("gone");
      expect(await versions(scene, "gone")).toEqual([]);
      await settle(scene.store, {});
      expect(await versions(scene, "gone")).toEqual([]);
      await save(scene, "gone", { put: put(1) });
      await settle(scene.store, {});
      await scene.engine.reopen();
      expect(await versions(scene, "gone")).toEqual([1]);
    });

    test("of a copy or an import begins with what the decision says", async (scene) => {
      await scene.append("s", 3);
      await save(scene, "s", { put: put(1, 2) });
      await scene.fork("s", "with", { summary: true });
      await scene.fork("s", "without");
      expect(await versions(scene, "with")).toEqual([2]);
      expect(await versions(scene, "without")).toEqual([]);
      for (const round of [1, 2]) {
        const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 0 });
        await log.publish(refOf("imported"), () => ({
          kind: "save",
          result: 0,
          fields: newFields({ summaryVersion: 9 }),
          head: newHead(),
          summaries: put(round, 7),
          events: [newEvent(refOf("imported"))],
        }));
        await settle(scene.store, {});
        expect(await versions(scene, "imported")).toEqual([round, 7]);
      }
      await scene.engine.reopen();
      expect(await versions(scene, "imported")).toEqual([2, 7]);
      expect(await versions(scene, "with")).toEqual([2]);
      expect(await versions(scene, "s")).toEqual([1, 2]);
    });

    test("is refused when it is not sound", async (scene) => {
      await save(scene, "s", { put: put(1, 3) });
      const bad = (parts: object) => ({ put: [{ ...newSummary({ version: 5 }), ...parts }] });
      const faulty: readonly [SummaryPlan, number][] = [
        [{ put: put(5, 4) }, 5],
        [{ put: put(4, 4) }, 5],
        [{ put: put(3) }, 5],
        [{ put: put(6) }, 5],
        [{ put: put(0) }, 5],
        [{ put: put(4.5) }, 5],
        [{ put: put(4), remove: [4] }, 5],
        [{ put: [], remove: [-1] }, 5],
        [bad({ trust: 0 }), 5],
        [bad({ tokenCount: 0.1 }), 5],
        [bad({ createMs: -1 }), 5],
        [bad({ ranges: [{ first: 3, last: 2 }] }), 5],
        [bad({ added: [{ first: 0, last: 2 }] }), 5],
        [bad({ sources: { messageCount: 1, tokenCount: -1 } }), 5],
        [bad({ sourceVersions: [1.5] }), 5],
      ];
      for (const [index, [plan, newest]] of faulty.entries()) {
        const outcome = await save(scene, "s", plan, newest).then(() => "saved", String);
        expect([index, outcome]).toEqual([index, expect.stringMatching(/^Error/)]);
      }
      expect(await versions(scene, "s")).toEqual([1, 3]);
      expect(await revisionOf(scene.store)).toBe(1);
    });
  });
}
