// Conformance: jobs on memories, and what changes of a session do beside it.

import { describe, expect } from "vitest";

import { type MemoryJob, taskNoOfJob } from "../../../src/memory/rules/job.ts";
import type { SessionPlan } from "../../../src/store/store.ts";
import {
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
} from "../../../src/window/policy/memory-policy.ts";
import { plain } from "../../support/kit/plain.ts";
import { newJob, newMemory } from "../../support/store/memories.ts";
import { type TurnAction, turn } from "../../support/store/memory-actions.ts";
import { newEvent, newHead, START_MS } from "../../support/store/plans.ts";
import { allJobs, dumpMemories } from "../../support/store/read-memories.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";

const NAMESPACE = "default";

function run(scene: Scene, sessionId: string, parts: Partial<TurnAction> = {}) {
  const base = { ...refOf(sessionId), nowMs: START_MS, jobs: [], seq: 1 };
  return turn(scene.store, { kind: "turn", ...base, ...parts });
}

const extract = (dueMs: number | undefined) => ({ type: "extract", dueMs }) as const;
const score = (dueMs: number | undefined) => ({ type: "score", dueMs }) as const;

async function listed(scene: Scene): Promise<string> {
  const all = await allJobs(scene.store, NAMESPACE);
  return all
    .map(({ job, ref }) => `${ref.sessionId}:${job.type}:${job.dueMs - START_MS}`)
    .join(" ");
}

async function due(scene: Scene, ms: number, limit = 9): Promise<string> {
  const all = await scene.store.dueMemoryJobs(START_MS + ms, limit);
  return all.map(({ job, ref }) => `${ref.sessionId}:${job.type}`).join(" ");
}

/** Declares the tests of jobs on memories. */
export function memoryJobSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a job on memories", () => {
    test("is kept as it is saved", async (scene) => {
      await scene.append("s", 1);
      const job: MemoryJob = newJob("score", {
        policy: {
          ...DEFAULT_MEMORY_POLICY,
          promotion: {
            ...DEFAULT_PROMOTION,
            importanceRules: [{ name: "n", phrases: ["größe"], score: 0.123 }],
          },
          extraction: {
            hook: "h",
            on: "trim",
            targets: ["facts"],
            instructions: "i",
            supersede: true,
          },
        },
        ranges: [
          { first: 1, last: 3 },
          { first: 9, last: 9 },
        ],
        lastFailure: { reason: "hook-failed", message: "m", atMs: 5 } as never,
        failedAttempts: 2,
        createRevision: 2,
      });
      const other = newJob("extract", { state: "dead", dueMs: 0, createRevision: 2 });
      await scene.store.changeSession(refOf("s"), (view) => ({
        kind: "save",
        result: 0,
        plan: {
          head: { ...newHead(), ...view.session?.head, revision: view.revision },
          events: [newEvent(refOf("s"))],
          memoryJobs: {
            put: [
              { type: "score", job },
              { type: "extract", job: other },
            ],
          },
        },
      }));
      for (let round = 0; round < 2; round += 1) {
        const jobs = await scene.store.readMemoryJobs(refOf("s"));
        expect(jobs.map(plain)).toEqual([other, job].map(plain));
        expect(jobs[0] !== undefined && "lastFailure" in jobs[0]).toBe(true);
        await scene.engine.reopen();
      }
      expect(await scene.store.readMemoryJobs(refOf("t"))).toEqual([]);
      expect(await due(scene, 0)).toBe("s:score");
    });

    test("is listed in the order of creation, and is due by its time", async (scene) => {
      for (const id of ["b", "a", "ab", "c"]) await scene.append(id, 1);
      await run(scene, "b", { jobs: [extract(START_MS + 3), score(START_MS + 1)] });
      await run(scene, "a", { jobs: [extract(START_MS + 2)] });
      await run(scene, "ab", { jobs: [score(START_MS + 9)] });
      await run(scene, "c", { jobs: [{ type: "extract", dueMs: 0, dead: true }] });
      await scene.engine.reopen();
      expect(await listed(scene)).toBe(
        `b:score:1 b:extract:3 a:extract:2 ab:score:9 c:extract:${-START_MS}`,
      );
      expect(await due(scene, 0)).toBe("");
      expect(await due(scene, 3)).toBe("b:score a:extract b:extract");
      expect(await due(scene, 3, 2)).toBe("b:score a:extract");
      expect(await scene.store.nextMemoryJobMs(START_MS + 3)).toBe(START_MS + 9);
      expect(await scene.store.nextMemoryJobMs(START_MS + 9)).toBeUndefined();
      await run(scene, "b", { jobs: [extract(undefined), score(START_MS + 5)] });
      expect(await due(scene, 9)).toBe("a:extract b:score ab:score");
      await run(scene, "b", { jobs: [score(undefined), extract(undefined)] });
      expect(await listed(scene)).toBe(`a:extract:2 ab:score:9 c:extract:${-START_MS}`);
    });

    test("is found by its number, in its namespace alone, as long as it waits", async (scene) => {
      const there = { namespace: "n", sessionId: "s" };
      for (const ref of [refOf("s"), there]) {
        await scene.append(ref, 1);
        const jobs = [extract(START_MS), score(START_MS)];
        await turn(scene.store, { kind: "turn", ...ref, nowMs: START_MS, jobs, seq: 1 });
      }
      const all = await allJobs(scene.store, NAMESPACE);
      const others = await allJobs(scene.store, "n");
      const numbers = all.map(({ job }) => taskNoOfJob(job));
      expect(others.map(({ job }) => taskNoOfJob(job))).toEqual(numbers);
      expect(others.map(({ ref }) => ref)).toEqual([there, there]);
      await run(scene, "s", { jobs: [extract(START_MS + 5), score(undefined)] });
      await scene.engine.reopen();
      const [scored = 0, extracted = 0] = numbers;
      expect(await scene.store.readMemoryJob(NAMESPACE, scored)).toBeUndefined();
      const left = await scene.store.readMemoryJob(NAMESPACE, extracted);
      expect(left).toMatchObject({ ref: refOf("s"), job: { type: "extract", generation: 2 } });
      expect(await scene.store.readMemoryJob("n", scored)).toEqual(others[0]);
      expect(await scene.store.listMemoryJobs("n", scored, 9)).toEqual(others.slice(1));
    });

    test("is shown to decide, whether it is durable or not", async (scene) => {
      await scene.append("s", 1);
      const [, second] = await Promise.all([
        run(scene, "s", { jobs: [extract(START_MS)] }),
        run(scene, "s", { jobs: [extract(START_MS + 1)] }),
      ]);
      expect(second?.seen[1]).toMatchObject([{ type: "extract", generation: 1 }]);
      expect(await scene.store.readMemoryJobs(refOf("s"))).toMatchObject([{ generation: 2 }]);
    });

    test("goes with its session and with its log", async (scene) => {
      for (const id of ["a", "b", "c"]) {
        await scene.append(id, 2);
        await run(scene, id, { jobs: [extract(START_MS), score(START_MS)] });
      }
      await scene.run("remove", "a", {});
      await scene.run("reset", "b", { keepSystem: true });
      await scene.append("a", 1);
      await scene.fork("c", "d");
      await scene.engine.reopen();
      expect(await due(scene, 9)).toBe("c:extract c:score");
      expect(await listed(scene)).toBe("c:score:0 c:extract:0");
    });

    test("goes when an import takes the place of its session", async (scene) => {
      await scene.append("s", 2);
      await run(scene, "s", { jobs: [extract(START_MS)] });
      const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 0 });
      const fields = (await scene.store.readSession(refOf("s")))?.fields;
      if (fields === undefined) throw new Error("There is no session.");
      await log.publish(refOf("s"), () => ({
        kind: "save",
        result: 0,
        fields,
        head: newHead(),
        events: [newEvent(refOf("s"))],
      }));
      expect(await listed(scene)).toBe("");
      expect(await due(scene, 9)).toBe("");
    });
  });

  describe("a change of a session", () => {
    test("saves memories and documents with it, and sees them", async (scene) => {
      await scene.append("s", ["hello"]);
      const draft = { memoryId: "m", kind: "fact", scope: SCOPE, text: "one" } as const;
      const document = { collectionId: "c", documentId: "d" };
      const promoted = [{ scope: SCOPE, text: "one" }];
      const first = await run(scene, "s", { put: [draft], promoted, document });
      expect(first.seen.slice(-4)).toEqual([[], expect.any(String), undefined, 1]);
      const second = await run(scene, "s", {
        put: [{ ...draft, text: "two" }],
        promoted,
        document,
      });
      expect(second.seen.slice(-4)).toEqual([[], expect.any(String), 1, 2]);
      expect(second.seen.slice(0, 3)).toEqual([2, expect.any(Array), true]);
      expect((second.seen[1] as readonly unknown[])[0]).toBe("1|m|1|active|1|one");
      await scene.engine.reopen();
      const states = await scene.store.listMemoryVersions(NAMESPACE, "m", { limit: 9 });
      expect(states.map(({ content }) => content.text)).toEqual(["two", "one"]);
      const ref = { namespace: NAMESPACE, collectionId: "c" };
      expect(await scene.store.readDocument(ref, "d")).toMatchObject({ documentNo: 1 });
      const { memoryCount, updateMs } =
        (await scene.store.listMemoryScopes(NAMESPACE, "", 9))[0] ?? {};
      expect([memoryCount, updateMs]).toEqual([1, START_MS]);
    });

    test("saves memories when the session goes", async (scene) => {
      await scene.append("s", 1);
      await scene.store.changeSession(refOf("s"), () => ({
        kind: "save",
        result: 0,
        plan: {
          remove: true,
          events: [newEvent(refOf("s"))],
          memories: { put: [newMemory({ memoryId: "m", memoryNo: 1 })] },
        },
      }));
      expect(await scene.store.readSession(refOf("s"))).toBeUndefined();
      expect((await scene.store.readMemory(NAMESPACE, "m"))?.memoryNo).toBe(1);
    });

    const faults: Readonly<Record<string, Partial<SessionPlan>>> = {
      "a memory": { memories: { remove: ["x"] } },
      "a job": { memoryJobs: { put: [{ type: "score", job: newJob("score", { ranges: [] }) }] } },
      "another job": { memoryJobs: { put: [{ type: "score", job: newJob("extract") }] } },
      "a job of another revision": {
        memoryJobs: { put: [{ type: "score", job: newJob("score", { createRevision: 99 }) }] },
      },
      "a dead job": {
        memoryJobs: { put: [{ type: "score", job: newJob("score", { state: "dead" }) }] },
      },
      "a job of a session that goes": {
        remove: true,
        memoryJobs: { put: [{ type: "score", job: newJob("score") }] },
      },
      "a document": {
        documents: {
          namespace: NAMESPACE,
          collectionId: "c",
          documentIds: [],
          sourceIds: [],
          plan: { nowMs: START_MS, remove: ["x"] },
        },
      },
    };
    for (const [name, parts] of Object.entries(faults)) {
      test(`does nothing when its plan for ${name} is faulty`, async (scene) => {
        await scene.append("s", 1);
        await run(scene, "s", { jobs: [extract(START_MS)] });
        const good = { put: [newMemory({ memoryId: "m", memoryNo: 1 })] };
        const failed = scene.store.changeSession(refOf("s"), (view) => ({
          kind: "save",
          result: 0,
          plan: {
            head: { ...newHead(), ...view.session?.head, revision: view.revision },
            events: [newEvent(refOf("s"))],
            memories: good,
            memoryJobs: { put: [{ type: "extract", job: undefined }] },
            ...parts,
          },
        }));
        await expect(failed).rejects.toThrow();
        expect(await listed(scene)).toBe("s:extract:0");
        expect(await dumpMemories(scene.store, NAMESPACE)).toMatchObject({ memories: [] });
        expect((await scene.store.readSession(refOf("s")))?.head.revision).toBe(2);
      });
    }
  });
}

const SCOPE = { userId: "u", agentId: "", sessionId: "" };
