// Conformance: lists of tasks, what is due, who hears of it, and what hooks took in old hours.

import { describe, expect } from "vitest";
import type { DueQuery } from "../../../src/store/store.ts";
import { NO_USAGE, type Task } from "../../../src/tasks/rules/task.ts";
import { newLease, START_MS } from "../../support/store/plans.ts";
import { allTasks } from "../../support/store/read-all.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";
import { makeTasks, saveTasks } from "./tasks.ts";
import { settle } from "./upkeep.ts";

const LATER = START_MS + 1_000;

/** Makes one task for each time, in a namespace. */
async function dueAt(
  scene: Scene,
  namespace: string,
  times: readonly number[],
  parts: Partial<Task> = {},
): Promise<readonly number[]> {
  const ref = { namespace, sessionId: "s" };
  await scene.append(ref, 1);
  return await makeTasks(
    scene.store,
    ref,
    times.map((time) => ({ dueMs: START_MS + time, ...parts })),
  );
}

async function due(scene: Scene, query: Partial<DueQuery> = {}): Promise<readonly string[]> {
  const all = { hook: "hook", nowMs: START_MS, limit: 100, perNamespace: 100 };
  const found = await scene.store.dueTasks({ ...all, ...query });
  return found.map(({ namespace, dueMs }) => `${namespace} ${dueMs - START_MS}`);
}

/** Declares the tests of lists of tasks and of what is due. */
export function dueSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a list of tasks", () => {
    test("gives those that match, page by page", async (scene) => {
      const [first = 0] = await dueAt(scene, "default", [0, 1, 2]);
      await dueAt(scene, "default", [3, 4], { hook: "hook-2" });
      await dueAt(scene, "default-2", [5]);
      const other = { namespace: "default", sessionId: "other" };
      await scene.append(other, 1);
      await makeTasks(scene.store, other, [
        { state: "waiting", dueMs: 0 },
        { state: "leased", lease: newLease() },
      ]);
      const list = async (query: object) =>
        (await allTasks(scene.store, { namespace: "default", limit: 2, ...query })).map(
          ({ dueMs }) => Math.max(-1, dueMs - START_MS),
        );
      expect(await list({})).toEqual([0, 1, 2, 3, 4, -1, 0]);
      expect(await list({ hook: "hook-2" })).toEqual([3, 4]);
      expect(await list({ sessionId: "other" })).toEqual([-1, 0]);
      expect(await list({ sessionId: "other", state: "leased" })).toEqual([0]);
      expect(await list({ state: "ready", hook: "hook" })).toEqual([0, 1, 2]);
      expect(await list({ sessionId: "none" })).toEqual([]);
      expect(await list({ namespace: "default-2" })).toEqual([5]);
      const page = await scene.store.listTasks({ namespace: "default", after: first, limit: 2 });
      expect(page.tasks.map(({ dueMs }) => dueMs - START_MS)).toEqual([1, 2]);
      expect(page.next).toBe(page.tasks[1]?.taskNo);
    });
  });

  describe("what is due", () => {
    test("is what is ready and what has ended, the longest due first", async (scene) => {
      await dueAt(scene, "default", [0, -5, 1, -7]);
      await dueAt(scene, "default", [-6], { state: "leased", lease: newLease() });
      await dueAt(scene, "default", [2], { state: "leased", lease: newLease() });
      await dueAt(scene, "default", [0], { state: "waiting", dueMs: 0 });
      await dueAt(scene, "default", [0], { state: "dead", dueMs: 0, deadMs: START_MS });
      await dueAt(scene, "default", [-9], { hook: "hoo" });
      await dueAt(scene, "default", [-9], { hook: "hook2" });
      const expected = ["default -7", "default -6", "default -5", "default 0"];
      expect(await due(scene)).toEqual(expected);
      expect(await due(scene, { namespace: "default" })).toEqual(expected);
      expect(await due(scene, { namespace: "default", limit: 2 })).toEqual(expected.slice(0, 2));
      expect(await due(scene, { perNamespace: 3 })).toEqual(expected.slice(0, 3));
      expect(await due(scene, { namespace: "defaul" })).toEqual([]);
      expect(await due(scene, { nowMs: START_MS - 8 })).toEqual([]);
      expect(await due(scene, { nowMs: Number.MAX_SAFE_INTEGER - 1 })).toHaveLength(6);
      expect(await due(scene, { hook: "none" })).toEqual([]);
      await scene.engine.reopen();
      expect(await due(scene)).toEqual(expected);
    });

    test("gives each namespace its turn", async (scene) => {
      for (const namespace of ["b", "a", "ab", "a-b", "c"]) await dueAt(scene, namespace, [-2, -1]);
      await dueAt(scene, "d", [5]);
      const turn = async (afterNamespace?: string) => {
        const after = afterNamespace === undefined ? {} : { afterNamespace };
        return (await due(scene, { ...after, perNamespace: 1 })).map((one) => one.slice(0, -3));
      };
      expect(await turn()).toEqual(["a", "a-b", "ab", "b", "c"]);
      expect(await turn("a")).toEqual(["a-b", "ab", "b", "c", "a"]);
      expect(await turn("aa")).toEqual(["ab", "b", "c", "a", "a-b"]);
      expect(await turn("b")).toEqual(["c", "a", "a-b", "ab", "b"]);
      expect(await turn("z")).toEqual(["a", "a-b", "ab", "b", "c"]);
      const both = await due(scene, { perNamespace: 9, limit: 3, afterNamespace: "b" });
      expect(both).toEqual(["c -2", "c -1", "a -2"]);
    });

    test("gives each namespace its turn when there is very much to do", async (scene) => {
      const many = Array.from({ length: 200 }, (_, index) => -index);
      await dueAt(scene, "a", many);
      await dueAt(scene, "ab", many);
      await dueAt(scene, "b", [-1]);
      await dueAt(scene, "c", [-1]);
      await dueAt(scene, "d", [5]);
      const few = { perNamespace: 2, limit: 100 };
      const expected = ["a -199", "a -198", "ab -199", "ab -198", "b -1", "c -1"];
      expect(await due(scene, few)).toEqual(expected);
      const turned = [...expected.slice(4), ...expected.slice(0, 4)];
      expect(await due(scene, { ...few, afterNamespace: "ab" })).toEqual(turned);
      expect(await due(scene, { ...few, afterNamespace: "aa", limit: 3 })).toEqual([
        "ab -199",
        "ab -198",
        "b -1",
      ]);
      expect(await due(scene, { ...few, afterNamespace: "c" })).toEqual(expected);
      expect(await due(scene, { ...few, afterNamespace: "zz" })).toEqual(expected);
      expect(await due(scene, { perNamespace: 1_000, limit: 1_000 })).toHaveLength(402);
    });

    test("changes with the tasks", async (scene) => {
      const [taskNo = 0] = await dueAt(scene, "default", [0]);
      const change = { namespace: "default", taskNo, hour: 1 };
      const put = (parts: Partial<Task>) =>
        scene.store.changeTask(change, ({ task }) => ({
          kind: "save",
          result: 0,
          task: task && { ...task, ...parts },
        }));
      const next = (nowMs = START_MS) => scene.store.nextDueMs("hook", nowMs);
      expect(await next()).toBeUndefined();
      expect(await next(START_MS - 1)).toBe(START_MS);
      await put({ state: "leased", dueMs: LATER, lease: newLease() });
      expect([await due(scene), await next()]).toEqual([[], LATER]);
      expect(await due(scene, { nowMs: LATER })).toEqual(["default 1000"]);
      await put({ state: "ready", dueMs: START_MS - 3, lease: undefined, hook: "hook-2" });
      expect([await due(scene), await next()]).toEqual([[], undefined]);
      expect(await due(scene, { hook: "hook-2" })).toEqual(["default -3"]);
      await put({ state: "dead", dueMs: 0, deadMs: START_MS });
      expect(await due(scene, { hook: "hook-2" })).toEqual([]);
      await put({ state: "ready", dueMs: START_MS - 3, deadMs: 0 });
      await scene.engine.reopen();
      expect(await due(scene, { hook: "hook-2" })).toEqual(["default -3"]);
      await scene.store.changeTask(change, () => ({ kind: "save", result: 0, task: undefined }));
      expect(await due(scene, { hook: "hook-2" })).toEqual([]);
    });
  });

  describe("the hooks that have tasks", () => {
    test("are those with something to do, at whatever time", async (scene) => {
      const hooks = async () => [...(await scene.store.taskHooks())].sort();
      expect(await hooks()).toEqual([]);
      await dueAt(scene, "default", [0, 1], { hook: "a" });
      await dueAt(scene, "default", [0], { hook: "a-b" });
      const [last = 0] = await dueAt(scene, "other", [1_000_000], { hook: "later" });
      await dueAt(scene, "other", [0], { hook: "z", state: "dead", dueMs: 0, deadMs: 1 });
      expect(await hooks()).toEqual(["a", "a-b", "later"]);
      const change = { namespace: "other", taskNo: last, hour: 1 };
      await scene.store.changeTask(change, () => ({ kind: "save", result: 0, task: undefined }));
      await scene.engine.reopen();
      expect(await hooks()).toEqual(["a", "a-b"]);
    });
  });

  describe("who listens for tasks", () => {
    test("hears of hooks that have something to do once it is durable", async (scene) => {
      const heard: string[] = [];
      const stop = scene.store.onCommit(({ taskHooks }) => heard.push(...taskHooks));
      const [taskNo = 0] = await dueAt(scene, "default", [0, 1], { hook: "one" });
      expect(new Set(heard)).toEqual(new Set(["one"]));
      heard.length = 0;
      await dueAt(scene, "default", [0], { hook: "two", state: "waiting", dueMs: 0 });
      await scene.append("s", 1);
      expect(heard).toEqual([]);
      const seen = scene.store.changeTask(
        { namespace: "default", taskNo, hour: 1 },
        ({ task }) => ({
          kind: "save",
          result: task,
          task: task && { ...task, dueMs: LATER },
        }),
      );
      expect(heard).toEqual([]);
      await seen;
      expect(heard).toEqual(["one"]);
      stop();
      await dueAt(scene, "default", [0], { hook: "three" });
      expect(heard).toEqual(["one"]);
    });
  });

  describe("what hooks took", () => {
    test("is dropped when its hour is old enough", async (scene) => {
      await scene.append("s", 1);
      const ref = { namespace: "default", sessionId: "s" };
      const hours = Array.from({ length: 40 }, (_, index) => index * 50);
      const usage = { calls: 1, tokens: 2 };
      for (const hour of hours) {
        await saveTasks(scene.store, ref, () => ({ usage: { hook: `h${hour % 3}`, hour, usage } }));
      }
      await settle(scene.store, { usageHourMin: 500 });
      await scene.engine.reopen();
      for (const hour of hours) {
        const read = await scene.store.readUsage("default", `h${hour % 3}`, hour);
        expect([hour, read]).toEqual([hour, hour < 500 ? NO_USAGE : usage]);
      }
      await settle(scene.store, { usageHourMin: Number.MAX_SAFE_INTEGER });
      expect(await scene.store.readUsage("default", "h0", 1_950)).toEqual(NO_USAGE);
    });
  });
}
