// Goal: the runner does every task, as many at a time as it may, fair over namespaces, through
// faults of hooks and of the store, and loses none.

import { afterEach, expect, test } from "vitest";
import { openMemoryStore } from "../../../test/model/store.ts";
import { pollHook, scriptedHook } from "../../../test/support/hooks/hooks.ts";
import { jsonCodec } from "../../../test/support/services/json-codec.ts";
import {
  eventually,
  type RunnerScene,
  someTurns,
  startRunnerScene,
  summaryPolicy,
} from "../../../test/support/services/runner-scene.ts";
import { storeWith } from "../../../test/support/services/services.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import { HookFailure } from "../../hooks/port.ts";
import { recordCorrupt, storeFull } from "../../kit/errors.ts";
import { isLive } from "../rules/task.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

let scene: RunnerScene;
afterEach(() => scene.stop());

const down = () => new HookFailure("unreachable", "The hook cannot be reached.");

async function allDone(namespaces: readonly string[] = ["default"]): Promise<boolean> {
  for (const namespace of namespaces) {
    if ((await scene.tasks(namespace)).length > 0) return false;
  }
  return true;
}

test("does a task as soon as a change makes it", async () => {
  const hook = scriptedHook("h", ["a short text"]);
  scene = await startRunnerScene([hook]);
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await eventually("the task is done", allDone);
  expect(await scene.windowTexts("s")).toEqual([
    "a short text",
    expect.stringMatching(/^m4/),
    expect.stringMatching(/^m5/),
  ]);
  const [record] = await scene.history("s");
  expect(record).toMatchObject({ hook: "h", ranges: [{ first: 1, last: 3 }], callCount: 1 });
  expect(hook.calls[0]?.call).toMatchObject({ namespace: "default", sessionId: "s", attempt: 1 });
});

test("keeps every message that comes while a summary takes a minute", async () => {
  const hook = scriptedHook("h", ["the first three"]);
  hook.gate.close();
  scene = await startRunnerScene([hook]);
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await eventually("the hook is called", () => hook.gate.held === 1);
  for (let i = 0; i < 100; i++) {
    await scene.say("s", 1);
    scene.advance(600);
  }
  expect(hook.calls).toHaveLength(1);
  hook.script(["all that came since"]);
  hook.gate.open();
  await eventually("all tasks are done", allDone);
  const records = await scene.history("s");
  expect(records[0]).toMatchObject({ text: "the first three", ranges: [{ first: 1, last: 3 }] });
  const covered = records
    .flatMap(({ added }) => added)
    .reduce((n, r) => n + r.last - r.first + 1, 0);
  const texts = await scene.windowTexts("s");
  const left = texts.filter((text) => text.startsWith("m")).length;
  expect(covered + left).toBe(105);
  expect(texts.at(-1)).toMatch(/^m105 /);
});

test("calls a hook no more often at one time than it may", async () => {
  const hook = scriptedHook("h", [], { concurrency: 3 });
  hook.gate.close();
  scene = await startRunnerScene([hook]);
  for (let i = 0; i < 10; i++) {
    await scene.open(`s${i}`, summaryPolicy("h"));
    await scene.say(`s${i}`, 5);
  }
  await eventually("three calls run", () => hook.gate.held === 3);
  await someTurns();
  expect(hook.gate.held).toBe(3);
  expect((await scene.info("h")).runningCalls).toBe(3);
  hook.gate.open();
  await eventually("all tasks are done", allDone);
  expect(hook.mostRunning).toBe(3);
  expect(await scene.info("h")).toMatchObject({ runningCalls: 0, callCount: 10 });
});

test("makes at most 64 calls at one time, and then those of other hooks", async () => {
  const hooks = ["a", "b"].map((name) => scriptedHook(name, [], { concurrency: 50 }));
  for (const hook of hooks) hook.gate.close();
  scene = await startRunnerScene(hooks);
  for (const { name } of hooks) {
    for (let i = 0; i < 50; i++) {
      await scene.open(`${name}${i}`, summaryPolicy(name));
      await scene.say(`${name}${i}`, 5);
    }
  }
  const held = () => hooks.reduce((sum, { gate }) => sum + gate.held, 0);
  await eventually("64 calls run", () => held() === 64);
  await someTurns();
  expect(held()).toBe(64);
  for (const hook of hooks) hook.gate.open();
  await eventually("all tasks are done", allDone);
  expect(hooks.map(({ calls }) => calls.length)).toEqual([50, 50]);
});

test("gives each namespace its turn", async () => {
  const hook = scriptedHook("h", [], { concurrency: 1 });
  hook.gate.close();
  scene = await startRunnerScene([hook]);
  for (let i = 0; i < 20; i++) {
    await scene.open(`s${i}`, summaryPolicy("h"), "busy");
    await scene.say(`s${i}`, 5, "busy");
  }
  for (const namespace of ["calm", "quiet"]) {
    await scene.open("s", summaryPolicy("h"), namespace);
    await scene.say("s", 5, namespace);
  }
  hook.gate.open();
  await eventually("all tasks are done", () => allDone(["busy", "calm", "quiet"]));
  const order = hook.calls.map(({ call }) => call.namespace);
  expect(order.indexOf("calm")).toBeLessThan(5);
  expect(order.indexOf("quiet")).toBeLessThan(5);
});

test("parks a task that always fails, and does those behind it", async () => {
  const hook = scriptedHook(
    "h",
    [
      (_, call) =>
        call.sessionId === "bad" ? new HookFailure("hook-error", "No.") : "a short text",
    ],
    { concurrency: 1, maxAttempts: 3 },
  );
  scene = await startRunnerScene([hook]);
  await scene.open("bad", summaryPolicy("h"));
  await scene.say("bad", 5);
  for (let i = 0; i < 5; i++) {
    await scene.open(`s${i}`, summaryPolicy("h"));
    await scene.say(`s${i}`, 5);
  }
  await eventually("the others are done", async () => (await scene.tasks()).length === 1);
  await scene.pass(20 * SECOND);
  const [task] = await scene.tasks();
  expect(task).toMatchObject({ sessionId: "bad", state: "dead", failedAttempts: 3 });
  expect(task?.lastFailure).toMatchObject({ reason: "hook-error", message: "No." });
  expect(await scene.windowTexts("bad")).toHaveLength(5);
  const types = (await scene.allEvents()).map(({ detail }) => detail.type);
  expect(types.filter((type) => type === EVENT_TYPE.taskDead)).toHaveLength(1);
  expect(types.filter((type) => type === EVENT_TYPE.summaryFailed)).toHaveLength(3);
});

test("opens the breaker, tries again once, and drains the backlog by itself", async () => {
  const hook = scriptedHook("h", [down()], { concurrency: 1 });
  scene = await startRunnerScene([hook]);
  for (let i = 0; i < 12; i++) {
    await scene.open(`s${i}`, summaryPolicy("h"));
    await scene.say(`s${i}`, 5);
  }
  await eventually("the breaker is open", async () => (await scene.info("h")).breaker === "open");
  expect(hook.calls).toHaveLength(5);
  const { retryMs = 0, failures } = await scene.info("h");
  expect(failures.get("unreachable")).toBe(5);
  expect(retryMs - scene.nowMs()).toBeGreaterThanOrEqual(24 * SECOND);
  await someTurns();
  expect(hook.calls).toHaveLength(5);
  scene.advance(40 * SECOND);
  await eventually("a trial went out", () => hook.calls.length === 6);
  await eventually("it failed", async () => (await scene.info("h")).breaker === "open");
  await someTurns();
  expect(hook.calls).toHaveLength(6);
  hook.script(["a short text"]);
  await scene.pass(80 * SECOND);
  await eventually("all tasks are done", allDone);
  expect((await scene.info("h")).breaker).toBe("closed");
  const failed = (await scene.allEvents()).flatMap(({ detail }) =>
    detail.type === EVENT_TYPE.summaryFailed ? [detail.failedAttempts] : [],
  );
  expect(failed).toEqual([0, 0, 0, 0, 0, 0]);
});

test("lets one trial through at a time", async () => {
  const hook = scriptedHook("h", [down()], { concurrency: 4 });
  scene = await startRunnerScene([hook]);
  for (let i = 0; i < 8; i++) {
    await scene.open(`s${i}`, summaryPolicy("h"));
    await scene.say(`s${i}`, 5);
  }
  await eventually("the breaker is open", async () => (await scene.info("h")).breaker === "open");
  await eventually("no call runs", async () => (await scene.info("h")).runningCalls === 0);
  const before = hook.calls.length;
  hook.gate.close();
  hook.script(["a short text"]);
  scene.advance(40 * SECOND);
  await eventually("the trial runs", () => hook.gate.held === 1);
  expect((await scene.info("h")).breaker).toBe("half-open");
  scene.advance(30 * SECOND);
  await someTurns();
  expect(hook.calls).toHaveLength(before + 1);
  hook.gate.open();
  await eventually("all tasks are done", allDone);
});

test("leaves a hook alone for as long as it asks", async () => {
  const busy = new HookFailure("busy", "Come back later.", 90 * SECOND);
  const hook = scriptedHook("h", [busy, "a short text"], { concurrency: 1 });
  scene = await startRunnerScene([hook]);
  for (const sessionId of ["a", "b"]) {
    await scene.open(sessionId, summaryPolicy("h"));
    await scene.say(sessionId, 5);
  }
  await eventually("the hook was busy", async () => (await scene.info("h")).failures.size === 1);
  await scene.pass(89 * SECOND);
  expect(hook.calls).toHaveLength(1);
  await scene.pass(2 * SECOND);
  await eventually("all tasks are done", allDone);
});

test("waits with what is over the budget until the next hour", async () => {
  const hook = scriptedHook("h", [], { callsPerHour: 2 });
  scene = await startRunnerScene([hook]);
  for (let i = 0; i < 3; i++) {
    await scene.open(`s${i}`, summaryPolicy("h"));
    await scene.say(`s${i}`, 5);
  }
  await scene.open("other", summaryPolicy("h"), "else");
  await scene.say("other", 5, "else");
  await eventually("three are done", () => hook.calls.length === 3);
  await eventually("the other namespace is done", () => allDone(["else"]));
  await eventually("one waits", async () => (await scene.tasks()).length === 1);
  const [task] = await scene.tasks();
  const nextHour = (Math.floor(scene.nowMs() / HOUR) + 1) * HOUR;
  expect(task?.state).toBe("ready");
  expect(task?.dueMs).toBeGreaterThanOrEqual(nextHour);
  expect((await scene.info("h")).usage.calls).toBe(2);
  scene.advance(nextHour - scene.nowMs() - 1);
  await someTurns();
  expect(hook.calls).toHaveLength(3);
  await scene.pass(31 * SECOND);
  await eventually("all tasks are done", allDone);
  expect(hook.calls).toHaveLength(4);
});

test("keeps an answer while the store is full, and does not ask twice", async () => {
  let isFull = false;
  const hook = scriptedHook("h", ["a short text"]);
  hook.gate.close();
  scene = await startRunnerScene([hook], {
    wrapStore: (store) =>
      storeWith(store, {
        changeSession: async (change, decide) => {
          if (isFull) throw storeFull(1, 2);
          return await store.changeSession(change, decide);
        },
      }),
  });
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await eventually("the hook is called", () => hook.gate.held === 1);
  isFull = true;
  hook.gate.open();
  await someTurns();
  await scene.pass(5 * SECOND);
  expect(await scene.tasks()).toHaveLength(1);
  isFull = false;
  await scene.pass(SECOND);
  await eventually("the task is done", allDone);
  expect(hook.calls).toHaveLength(1);
});

test("gives a task back when the store stays full, without a failure", async () => {
  let isFull = false;
  const hook = scriptedHook("h", ["a short text"]);
  scene = await startRunnerScene([hook], {
    wrapStore: (store) =>
      storeWith(store, {
        changeSession: async (change, decide) => {
          if (isFull && hook.calls.length > 0) throw storeFull(1, 2);
          return await store.changeSession(change, decide);
        },
        changeTask: async (change, decide) => {
          if (isFull && hook.calls.length > 0 && change.allowWhenFull !== true) {
            throw storeFull(1, 2);
          }
          return await store.changeTask(change, decide);
        },
      }),
  });
  await scene.open("s", summaryPolicy("h"));
  isFull = true;
  await scene.say("s", 5);
  await eventually("the hook is called", () => hook.calls.length === 1);
  await scene.pass(70 * SECOND);
  await eventually("it is ready", async () => (await scene.tasks())[0]?.state === "ready");
  expect((await scene.tasks())[0]?.failedAttempts).toBe(0);
  isFull = false;
  await scene.pass(31 * SECOND);
  await eventually("the task is done", allDone);
  expect(hook.calls).toHaveLength(2);
});

test("stops during a call: it is aborted, and its task is as if nobody had failed", async () => {
  const hook = scriptedHook("h", []);
  hook.gate.close();
  scene = await startRunnerScene([hook]);
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await eventually("the hook is called", () => hook.gate.held === 1);
  expect((await scene.tasks())[0]?.state).toBe("leased");
  await scene.stop();
  expect(hook.calls[0]?.call.signal.aborted).toBe(true);
  const [task] = await scene.tasks();
  expect(task).toMatchObject({ state: "ready", failedAttempts: 0, callCount: 1 });
  expect(task?.lease).toBeUndefined();
});

test("stops though a hook does not listen", async () => {
  const hook = scriptedHook("h", [() => new Promise<string>(() => {})]);
  scene = await startRunnerScene([hook]);
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await eventually("the hook is called", () => hook.calls.length === 1);
  await scene.stop();
  expect((await scene.tasks())[0]?.state).toBe("ready");
});

test("ends a call whose hook forgets its own timeout", async () => {
  const hook = scriptedHook("h", [() => new Promise<string>(() => {})], { timeoutMs: 10_000 });
  scene = await startRunnerScene([hook]);
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await eventually("the hook is called", () => hook.calls.length === 1);
  hook.script(["a short text"]);
  scene.advance(16 * SECOND);
  await eventually("it failed", async () => (await scene.info("h")).failures.get("timeout") === 1);
  await scene.pass(2 * SECOND);
  await eventually("the task is done", allDone);
});

test("fails a task that cannot be read, tells of it, and goes on with others", async () => {
  const errors: unknown[] = [];
  const hook = scriptedHook("h", []);
  scene = await startRunnerScene([hook], {
    onBackgroundError: (error) => errors.push(error),
    wrapStore: (store) =>
      storeWith(store, {
        listMessages: async (ref, query) => {
          if (ref.sessionId === "torn") throw recordCorrupt("a message");
          return await store.listMessages(ref, query);
        },
      }),
  });
  for (const sessionId of ["torn", "whole"]) {
    await scene.open(sessionId, summaryPolicy("h"));
    await scene.say(sessionId, 5);
  }
  await eventually("the other is done", async () => (await scene.tasks()).length === 1);
  await eventually("it failed", async () => (await scene.tasks())[0]?.failedAttempts === 1);
  const [task] = await scene.tasks();
  expect(task).toMatchObject({ sessionId: "torn", failedAttempts: 1, state: "ready" });
  expect(errors).toHaveLength(1);
  expect((await scene.info("h")).breaker).toBe("closed");
});

test("leaves a task alone that cannot be taken, and does those behind it", async () => {
  const errors: unknown[] = [];
  const hook = scriptedHook("h", []);
  let torn = 0;
  scene = await startRunnerScene([hook], {
    onBackgroundError: (error) => errors.push(error),
    wrapStore: (store) =>
      storeWith(store, {
        readTask: async (namespace, taskNo) => {
          const task = await store.readTask(namespace, taskNo);
          if (task?.sessionId !== "torn") return task;
          torn += 1;
          throw recordCorrupt("a task");
        },
      }),
  });
  for (const sessionId of ["torn", "whole"]) {
    await scene.open(sessionId, summaryPolicy("h"));
    await scene.say(sessionId, 5);
  }
  await eventually("the other is done", async () => (await scene.tasks()).length === 1);
  await someTurns();
  expect(torn).toBe(1);
  scene.advance(31 * SECOND);
  await eventually("it is tried again", () => torn === 2);
  expect(errors).toHaveLength(2);
});

test("takes a task away whose messages are gone when it is taken", async () => {
  const hook = scriptedHook("h", []);
  scene = await startRunnerScene([hook], {
    wrapStore: (store) =>
      storeWith(store, { listMessages: async () => ({ messages: [], next: undefined }) }),
  });
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await eventually("it is gone", allDone);
  expect(hook.calls).toEqual([]);
  const { detail } = (await scene.allEvents()).at(-1) ?? {};
  expect(detail).toMatchObject({
    type: EVENT_TYPE.summarySuperseded,
    reason: "messages-changed",
  });
});

test("fails the tasks of a hook that the server has no more, for a day, and no others", async () => {
  const store = await openMemoryStore({ readFacts: jsonCodec.readFacts });
  const old = scriptedHook("old");
  old.gate.close();
  const before = await startRunnerScene([old], { store });
  await before.open("s", summaryPolicy("old"));
  await before.say("s", 5);
  await eventually("it is called", () => old.gate.held === 1);
  await before.stop();
  scene = await startRunnerScene([scriptedHook("new")], { store });
  await scene.open("t", summaryPolicy("new"));
  await scene.say("t", 5);
  await eventually("the other is done", async () => (await scene.tasks()).length === 1);
  await eventually("it failed", async () => (await scene.tasks())[0]?.lastFailure !== undefined);
  const [task] = await scene.tasks();
  expect(task).toMatchObject({ hook: "old", state: "ready", failedAttempts: 0 });
  expect(task?.lastFailure?.reason).toBe("no-hook");
  for (let hour = 0; hour < 25; hour++) {
    scene.advance(HOUR);
    await someTurns();
  }
  expect((await scene.tasks())[0]).toMatchObject({ state: "dead", failedAttempts: 0 });
  expect(await scene.windowTexts("s")).toHaveLength(5);
});

test("leaves the tasks of workers to them", async () => {
  scene = await startRunnerScene([pollHook("workers")]);
  await scene.open("s", summaryPolicy("workers"));
  await scene.say("s", 5);
  scene.advance(60 * SECOND);
  await someTurns();
  const [task] = await scene.tasks();
  expect(task).toMatchObject({ state: "ready", callCount: 0 });
  expect((await scene.tasks()).filter(isLive)).toHaveLength(1);
});

test("does nothing between its ticks when there is nothing to do", async () => {
  let looks = 0;
  const hook = scriptedHook("h", []);
  scene = await startRunnerScene([hook], {
    wrapStore: (store) =>
      storeWith(store, {
        dueTasks: async (query) => {
          if (query.hook === "h") looks += 1;
          return await store.dueTasks(query);
        },
      }),
  });
  await someTurns();
  const before = looks;
  scene.advance(29 * SECOND);
  await someTurns();
  expect(looks).toBe(before);
  scene.advance(2 * SECOND);
  await someTurns();
  expect(looks).toBe(before + 1);
});

test("counts an attempt whose result the server cannot apply, and asks no more in the end", async () => {
  const errors: unknown[] = [];
  let isBroken = false;
  const hook = scriptedHook("h", [
    () => {
      isBroken = true;
      return "a short text";
    },
  ]);
  scene = await startRunnerScene([hook], {
    onBackgroundError: (error) => errors.push(error),
    wrapStore: (store) =>
      storeWith(store, {
        changeSession: async (change, decide) => {
          if (!isBroken) return await store.changeSession(change, decide);
          isBroken = false;
          throw new Error("A fault of the server.");
        },
      }),
  });
  await scene.open("s", summaryPolicy("h"));
  await scene.say("s", 5);
  await scene.pass(120 * SECOND);
  expect((await scene.tasks())[0]).toMatchObject({ state: "dead", failedAttempts: 5 });
  expect(hook.calls).toHaveLength(5);
  expect(errors).toHaveLength(5);
});
