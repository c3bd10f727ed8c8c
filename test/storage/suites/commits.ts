// Conformance: what listeners hear of commits beside their events, and when.

import { describe, expect } from "vitest";
import { TURN_END_MS } from "../../../src/memory/rules/job.ts";
import { SHARED_SCOPE } from "../../../src/memory/rules/memory.ts";
import type { Commit } from "../../../src/store/store.ts";
import { changeDocuments, type DocumentAction } from "../../support/store/documents.ts";
import { changeMemories, type MemoryAction, turn } from "../../support/store/memory-actions.ts";
import { START_MS } from "../../support/store/plans.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";

const NAMESPACE = "default";
const BASE = { namespace: NAMESPACE, nowMs: START_MS };

function documents(scene: Scene, parts: Partial<DocumentAction>) {
  const nothing = { put: [], remove: [], removeChunks: [], clear: false };
  return changeDocuments(scene.store, {
    ...{ kind: "documents", ...nothing, ...BASE, sessionId: "c" },
    ...parts,
  });
}

function memories(scene: Scene, parts: Partial<MemoryAction>) {
  return changeMemories(scene.store, { kind: "memories", ...BASE, sessionId: "", ...parts });
}

const draft = (memoryId: string, text = memoryId) =>
  ({ memoryId, kind: "fact", scope: SHARED_SCOPE, text }) as const;

function job(scene: Scene, dueMs: number | undefined, parts: object = {}) {
  const jobs = [{ type: "extract", dueMs }] as const;
  return turn(scene.store, { kind: "turn", ...refOf("s"), ...BASE, jobs, seq: 1, ...parts });
}

/** The reports from here on; taking them empties the list. */
function listen(scene: Scene): () => readonly Commit[] {
  const heard: Commit[] = [];
  scene.store.onCommit((commit) => heard.push(commit));
  return () => heard.splice(0);
}

const numbersIn = (commits: readonly Commit[]) =>
  commits.flatMap((commit) =>
    commit.documents.map(({ collectionId, numbers }) => `${collectionId} ${numbers}`),
  );

const memoriesIn = (commits: readonly Commit[]) =>
  commits.flatMap((commit) => commit.memories.map(({ memoryNo }) => memoryNo));

const isDueIn = (commits: readonly Commit[]) => commits.some((commit) => commit.memoryJobsDue);

/** Declares the tests of listeners of commits. */
export function commitSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a listener of commits", () => {
    test("hears the numbers of documents that were written or deleted", async (scene) => {
      const take = listen(scene);
      const text = "t";
      await documents(scene, { put: ["a", "b", "d"].map((documentId) => ({ documentId, text })) });
      expect(numbersIn(take())).toEqual(["c 1,2,3"]);
      await documents(scene, { put: [{ documentId: "b", text: "new" }], remove: ["a"] });
      expect(numbersIn(take())).toEqual(["c 2,1"]);
      await documents(scene, { clear: true });
      expect(numbersIn(take())).toEqual(["c all"]);
    });

    test("hears the numbers of memories that were written or deleted", async (scene) => {
      const take = listen(scene);
      await memories(scene, { put: [draft("a"), draft("b")] });
      const told = take();
      expect(memoriesIn(told)).toEqual([1, 2]);
      expect(told[0]?.memories[0]).toEqual({
        ...{ namespace: NAMESPACE, scope: SHARED_SCOPE, memoryNo: 1 },
      });
      await memories(scene, { put: [draft("b", "more")], remove: ["a"] });
      expect(memoriesIn(take())).toEqual([1, 2]);
    });

    test("hears of jobs on memories that do not wait for the end of a turn", async (scene) => {
      await scene.append("s", 1);
      const take = listen(scene);
      await job(scene, TURN_END_MS);
      expect(isDueIn(take())).toBe(false);
      await job(scene, START_MS + 1_000);
      expect(isDueIn(take())).toBe(true);
      await job(scene, undefined);
      expect(isDueIn(take())).toBe(false);
    });

    test("hears what a change of a session does beside it, in one commit", async (scene) => {
      await scene.append("s", 1);
      const take = listen(scene);
      const document = { collectionId: "c", documentId: "a" };
      await job(scene, START_MS, { document, put: [draft("m")] });
      const told = take();
      expect(told).toHaveLength(1);
      expect([numbersIn(told), memoriesIn(told), isDueIn(told)]).toEqual([["c 1"], [1], true]);
      expect(told[0]?.events).not.toEqual([]);
    });

    test("hears when it can be read, and before whoever made it is answered", async (scene) => {
      await scene.append("s", 1);
      const order: string[] = [];
      const reads: Promise<unknown>[] = [];
      scene.store.onCommit((commit) => {
        if (commit.documents.length > 0) {
          order.push("documents");
          const ref = { namespace: NAMESPACE, collectionId: "c" };
          reads.push(scene.store.readDocument(ref, "a"));
        }
        if (commit.memories.length > 0) {
          order.push("memories");
          reads.push(scene.store.readMemory(NAMESPACE, "a"));
        }
        if (commit.memoryJobsDue) {
          order.push("jobs");
          reads.push(scene.store.dueMemoryJobs(START_MS, 1).then(([first]) => first));
        }
      });
      const answered = (kind: string) => () => order.push(`${kind} answered`);
      await Promise.all([
        documents(scene, { put: [{ documentId: "a", text: "t" }] }).then(answered("documents")),
        memories(scene, { put: [draft("a")] }).then(answered("memories")),
        job(scene, START_MS).then(answered("jobs")),
      ]);
      for (const kind of ["documents", "memories", "jobs"]) {
        const told = order.indexOf(kind);
        expect(told).toBeGreaterThanOrEqual(0);
        expect(told).toBeLessThan(order.indexOf(`${kind} answered`));
      }
      const read = await Promise.all(reads);
      expect(read).toHaveLength(3);
      expect(read).not.toContain(undefined);
    });

    test("hears nothing of what was only looked at, and nothing once it is stopped", async (scene) => {
      const heard: Commit[] = [];
      const stop = scene.store.onCommit((commit) => heard.push(commit));
      await scene.store.changeMemories({ namespace: NAMESPACE }, () => ({
        kind: "answer",
        result: 0,
      }));
      await scene.store.noteRecalled(NAMESPACE, START_MS);
      stop();
      stop();
      await memories(scene, { put: [draft("a")] });
      expect(heard).toEqual([]);
    });
  });
}
