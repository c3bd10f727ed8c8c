// Goal: workers get every task, each one of them, as soon as it is there; a worker that dies loses
// nothing, and waiting costs nothing.

import { afterEach, describe, expect, test } from "vitest";
import { pollHook, scriptedHook } from "../../../test/support/hooks/hooks.ts";
import {
  eventually,
  type RunnerScene,
  someTurns,
  startRunnerScene,
  summaryPolicy,
} from "../../../test/support/services/runner-scene.ts";
import { storeWith } from "../../../test/support/services/services.ts";
import { recordCorrupt } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { LeasedSummary } from "../api.ts";
import { taskIdOf } from "../rules/task.ts";

const SECOND = 1_000;

let scene: RunnerScene;
afterEach(() => scene.stop());

async function openMany(count: number, hook = "workers", namespace = "default"): Promise<void> {
  for (let i = 0; i < count; i++) {
    await scene.open(`s${i}`, summaryPolicy(hook), namespace);
    await scene.say(`s${i}`, 5, namespace);
  }
}

const noTasks = async (): Promise<boolean> => (await scene.tasks()).length === 0;

function refOf({ task, leaseToken }: LeasedSummary) {
  return { namespace: task.namespace, taskId: taskIdOf(task.taskNo), leaseToken };
}

describe("taking", () => {
  test("gives what is due, the longest due first, with what is needed to do it", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("old", summaryPolicy("workers"));
    await scene.say("old", 5);
    scene.advance(SECOND);
    await scene.open("new", summaryPolicy("workers"));
    await scene.say("new", 5);
    const tasks = await scene.poll("workers", { maxTasks: 16, leaseMs: 5 * SECOND });
    expect(tasks.map(({ task }) => task.sessionId)).toEqual(["old", "new"]);
    const [first] = tasks;
    expect(first?.input.messages).toHaveLength(3);
    expect(first?.input.lines.map(({ messageId }) => messageId)).toEqual(["m1", "m2", "m3"]);
    expect(first?.task).toMatchObject({ state: "leased", dueMs: scene.nowMs() + 5 * SECOND });
    expect(first?.maxAttempts).toBe(5);
    expect(Buffer.from(first?.leaseToken ?? "", "base64url")).toHaveLength(16);
    expect(await scene.poll("workers")).toEqual([]);
  });

  test("gives no token twice", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await openMany(1);
    const tokens = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const [task] = await scene.poll("workers", { leaseMs: SECOND });
      if (task === undefined) continue;
      expect(tokens.has(task.leaseToken)).toBe(false);
      tokens.add(task.leaseToken);
      const input = { ...refOf(task), message: "", permanent: false, retryDelayMs: undefined };
      await scene.hooks.retryTask(scene.call("RetryTask"), { ...input, encode: () => EMPTY });
      await scene.hooks
        .failTask(scene.call("FailTask"), { ...input, encode: () => EMPTY })
        .catch(() => {});
      await scene.hooks.retryTask(scene.call("RetryTask"), { ...input, encode: () => EMPTY });
    }
    expect(tokens.size).toBe(20);
  });

  test("holds one answer within its size, but for the first task", async () => {
    scene = await startRunnerScene([pollHook("workers", { inputTokensMax: 10_000_000 })]);
    const text = "x".repeat(900_000);
    for (const sessionId of ["a", "b"]) {
      await scene.open(sessionId, summaryPolicy("workers", { maxTokens: 512 }));
      await scene.append(sessionId, [{ text }, { text: "then" }, { text: "now" }]);
    }
    const tasks = await scene.poll("workers", { maxTasks: 16 });
    expect(tasks).toHaveLength(1);
    const [, second] = await scene.tasks();
    expect(second).toMatchObject({ state: "ready", callCount: 0 });
    const again = await scene.poll("workers", { maxTasks: 16 });
    expect(again).toHaveLength(1);
    const bytes = tasks[0]?.input.messages.reduce((sum, one) => sum + one.length, 0);
    expect(bytes).toBeLessThanOrEqual(LIMITS.taskInputBytes + 1_000);
  });

  test("knows only hooks that are polled", async () => {
    scene = await startRunnerScene([scriptedHook("called"), pollHook("workers")]);
    for (const hook of ["called", "nobody", "builtin"]) {
      await expect(scene.poll(hook)).rejects.toMatchObject({ reason: "HOOK_NOT_CONFIGURED" });
    }
  });

  test("leaves a task alone that cannot be taken", async () => {
    const errors: unknown[] = [];
    scene = await startRunnerScene([pollHook("workers")], {
      onBackgroundError: (error) => errors.push(error),
      wrapStore: (store) =>
        storeWith(store, {
          readTask: async (namespace, taskNo) => {
            const task = await store.readTask(namespace, taskNo);
            if (task?.sessionId === "s0") throw recordCorrupt("a task");
            return task;
          },
        }),
    });
    await openMany(2);
    const [task] = await scene.poll("workers");
    expect(task?.task.sessionId).toBe("s1");
    const waiting = scene.poll("workers", { waitMs: 20 * SECOND });
    await scene.pass(21 * SECOND);
    expect(await waiting).toEqual([]);
    expect(errors).toHaveLength(1);
  });

  test("gives the lease back when the caller is gone by then", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await openMany(1);
    const caller = new AbortController();
    const polling = scene.hooks.pollTasks(
      { ...scene.call("PollTasks"), signal: caller.signal },
      { namespace: "default", hooks: ["workers"], maxTasks: 1, waitMs: 0, ...LEASE },
    );
    caller.abort();
    await expect(polling).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    const [task] = await scene.tasks();
    expect(task).toMatchObject({ state: "ready", callCount: 0, lease: undefined });
    expect((await scene.info("workers")).usage).toEqual({ calls: 0, tokens: 0 });
  });
});

const EMPTY = new Uint8Array();
const LEASE = { leaseMs: 60_000, workerId: "" };

describe("waiting", () => {
  test("wakes as soon as a change makes a task", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    const waiting = scene.poll("workers", { waitMs: 60 * SECOND });
    await someTurns();
    await openMany(1);
    expect((await waiting)[0]?.task.sessionId).toBe("s0");
  });

  test("wakes one call for each task, those that wait longest", async () => {
    let looks = 0;
    scene = await startRunnerScene([pollHook("workers")], {
      wrapStore: (store) =>
        storeWith(store, {
          changeTask: async (change, decide) => {
            looks += 1;
            return await store.changeTask(change, decide);
          },
        }),
    });
    const ended: number[] = [];
    const waiting = Array.from({ length: 50 }, async (_, index) => {
      const tasks = await scene.poll("workers", { waitMs: 60 * SECOND });
      if (tasks.length > 0) ended.push(index);
      return tasks;
    });
    await someTurns();
    await openMany(3);
    await eventually("three have a task", () => ended.length === 3);
    await someTurns();
    expect(ended).toEqual([0, 1, 2]);
    expect(looks).toBe(3);
    await scene.pass(61 * SECOND);
    expect((await Promise.all(waiting)).filter((tasks) => tasks.length > 0)).toHaveLength(3);
  });

  test("wakes for its own namespace, however much is due in others", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await openMany(20, "workers", "a");
    const waiting = scene.poll("workers", { waitMs: 60 * SECOND, namespace: "b" });
    await someTurns();
    await openMany(1, "workers", "b");
    expect((await waiting)[0]?.task).toMatchObject({ namespace: "b" });
    expect(await scene.tasks("a")).toHaveLength(20);
  });

  test("wakes when a task is due that rested", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await openMany(1);
    const [task] = await scene.poll("workers");
    if (task === undefined) throw new Error("no task");
    const input = { ...refOf(task), message: "no model", permanent: false };
    await scene.hooks.failTask(scene.call("FailTask"), {
      ...{ ...input, retryDelayMs: 10 * SECOND },
      encode: () => EMPTY,
    });
    const waiting = scene.poll("workers", { waitMs: 60 * SECOND });
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await scene.pass(9 * SECOND);
    expect(isOver).toBe(false);
    await scene.pass(2 * SECOND);
    expect((await waiting)[0]?.task.lastFailure).toMatchObject({ message: "no model" });
  });

  test("ends with its time, and with its caller", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    const waiting = scene.poll("workers", { waitMs: 3 * SECOND });
    await scene.pass(4 * SECOND);
    expect(await waiting).toEqual([]);
    const caller = new AbortController();
    const gone = scene.hooks.pollTasks(
      { ...scene.call("PollTasks"), signal: caller.signal },
      { namespace: "default", hooks: ["workers"], maxTasks: 1, waitMs: 60_000, ...LEASE },
    );
    await someTurns();
    caller.abort();
    await expect(gone).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  });

  test("ends with the server", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    const waiting = scene.poll("workers", { waitMs: 60 * SECOND });
    await someTurns();
    scene.endWatches();
    await expect(waiting).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
    const late = scene.poll("workers", { waitMs: 60 * SECOND });
    await expect(late).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
  });

  test("is for a thousand calls at one time", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    const waiting = Array.from({ length: LIMITS.polls }, () =>
      scene.poll("workers", { waitMs: 60 * SECOND }),
    );
    await someTurns();
    const late = scene.poll("workers", { waitMs: SECOND });
    await expect(late).rejects.toMatchObject({ reason: "POLL_LIMIT_REACHED" });
    // A worker that does not wait needs no place.
    expect(await scene.poll("workers")).toEqual([]);
    await openMany(2);
    await eventually("two are taken", async () => {
      const tasks = await scene.tasks();
      return tasks.every(({ state }) => state === "leased");
    });
    const again = scene.poll("workers", { waitMs: SECOND });
    await scene.pass(61 * SECOND);
    expect(await again).toEqual([]);
    const all = await Promise.all(waiting);
    expect(all.filter((tasks) => tasks.length === 1)).toHaveLength(2);
  });
});

describe("two workers", () => {
  test("share the load, and one that dies loses nothing", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await openMany(8);
    const dead = await scene.poll("workers", { maxTasks: 3, leaseMs: 10 * SECOND });
    expect(dead).toHaveLength(3);
    const done: string[] = [];
    const work = async (): Promise<void> => {
      for (;;) {
        const [task] = await scene.poll("workers", { waitMs: 30 * SECOND });
        if (task === undefined) return;
        done.push(task.task.sessionId);
        await scene.complete(task, `a text for ${task.task.sessionId}`);
      }
    };
    const living = work();
    await eventually("the others are done", () => done.length === 5);
    await scene.pass(20 * SECOND);
    await eventually("all are done", noTasks);
    expect([...done].sort()).toEqual(["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]);
    for (const task of dead) {
      await expect(scene.complete(task, "too late")).rejects.toMatchObject({
        reason: "TASK_NOT_FOUND",
      });
    }
    for (let i = 0; i < 8; i++) {
      const [record, ...more] = await scene.history(`s${i}`);
      expect(record?.text).toBe(`a text for s${i}`);
      expect(more).toEqual([]);
    }
    expect((await scene.info("workers")).failures.get("timeout")).toBe(3);
    await scene.pass(31 * SECOND);
    await living;
  });

  test("cannot both bring a result", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await openMany(1);
    const [first] = await scene.poll("workers", { leaseMs: SECOND });
    await scene.pass(4 * SECOND);
    const [second] = await scene.poll("workers");
    if (first === undefined || second === undefined) throw new Error("no task");
    await expect(scene.complete(first, "late")).rejects.toMatchObject({ reason: "LEASE_LOST" });
    await scene.complete(second, "in time");
    expect((await scene.history("s0")).map(({ text }) => text)).toEqual(["in time"]);
  });
});

describe("a lease", () => {
  test("that ends is a failed attempt, also when nobody polls", async () => {
    scene = await startRunnerScene([pollHook("workers", { maxAttempts: 2 })]);
    await openMany(1);
    await scene.poll("workers", { leaseMs: 5 * SECOND });
    await scene.pass(6 * SECOND);
    const [task] = await scene.tasks();
    expect(task).toMatchObject({ state: "ready", failedAttempts: 1 });
    expect(task?.lastFailure?.reason).toBe("timeout");
    await scene.pass(5 * SECOND);
    await scene.poll("workers", { leaseMs: 5 * SECOND });
    await scene.pass(6 * SECOND);
    expect((await scene.tasks())[0]).toMatchObject({ state: "dead", failedAttempts: 2 });
  });

  test("is extended by who has it, and by nobody else", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await openMany(1);
    const [task] = await scene.poll("workers", { leaseMs: 5 * SECOND });
    if (task === undefined) throw new Error("no task");
    const extend = (leaseToken: string, leaseMs: number) =>
      scene.hooks.extendLease(scene.call("ExtendLease"), { ...refOf(task), leaseToken, leaseMs });
    await scene.pass(4 * SECOND);
    const endMs = scene.nowMs() + 10 * SECOND;
    expect(await extend(task.leaseToken, 10 * SECOND)).toBe(endMs);
    await expect(extend("other", SECOND)).rejects.toMatchObject({ reason: "LEASE_LOST" });
    await scene.pass(9 * SECOND);
    expect((await scene.tasks())[0]?.state).toBe("leased");
    await scene.pass(2 * SECOND);
    expect((await scene.tasks())[0]).toMatchObject({ state: "ready", failedAttempts: 1 });
    const late = extend(task.leaseToken, SECOND);
    await expect(late).rejects.toMatchObject({ reason: "LEASE_LOST" });
  });

  test("of a task that is gone is not found", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    const input = { namespace: "default", leaseToken: "t", leaseMs: SECOND };
    for (const taskId of ["task-00000000001", "nonsense"]) {
      const call = scene.hooks.extendLease(scene.call("ExtendLease"), { ...input, taskId });
      await expect(call).rejects.toMatchObject({ reason: "TASK_NOT_FOUND" });
    }
  });
});

describe("the budget of workers", () => {
  test("is kept for each namespace", async () => {
    scene = await startRunnerScene([pollHook("workers", { callsPerHour: 2 })]);
    await openMany(3);
    await openMany(1, "workers", "other");
    expect(await scene.poll("workers", { maxTasks: 16 })).toHaveLength(2);
    expect(await scene.poll("workers", { maxTasks: 16 })).toHaveLength(0);
    expect(await scene.poll("workers", { maxTasks: 16, namespace: "other" })).toHaveLength(1);
    const info = await scene.info("workers");
    expect(info).toMatchObject({ callCount: 3, runningCalls: 0, breaker: undefined });
    expect(info.usage.calls).toBe(2);
  });
});

test("gives no task whose messages have left, but what is asked for in its place", async () => {
  scene = await startRunnerScene([pollHook("workers")]);
  await scene.open("s", summaryPolicy("workers"));
  await scene.say("s", 6);
  const [before] = await scene.tasks();
  await scene.sessions.setSummary(scene.call("SetSummary"), {
    ...{ namespace: "default", sessionId: "s", text: "by hand", replacedMessageIds: ["m1"] },
    ...{ placement: "session", encode: () => new Uint8Array(0) },
  });
  expect((await scene.tasks()).map(({ taskNo }) => taskNo)).toEqual([before?.taskNo]);
  expect(await scene.poll("workers")).toEqual([]);
  const [task] = await scene.poll("workers");
  expect(task?.input.lines.map(({ messageId }) => messageId)).toEqual(["m2", "m3", "m4"]);
  expect(await scene.tasks()).toHaveLength(1);
});
