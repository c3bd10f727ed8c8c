// Goal: tasks, leases and budgets are as they were after a restart and after a crash, on the disk.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pollHook, type ScriptedHook, scriptedHook } from "../../../test/support/hooks/hooks.ts";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { jsonCodec } from "../../../test/support/services/json-codec.ts";
import {
  eventually,
  type RunnerScene,
  someTurns,
  startRunnerScene,
  summaryPolicy,
} from "../../../test/support/services/runner-scene.ts";
import { copyCrashed } from "../../../test/support/store/crashed-copy.ts";
import { replaceIdentity } from "../../../test/support/store/replace-identity.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import type { Hook } from "../../hooks/port.ts";
import { openLmdbStore } from "../../store/lmdb/store.ts";
import type { Store } from "../../store/store.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

let temporary: Awaited<ReturnType<typeof makeTempDir>>;
const running: { scene: RunnerScene; store: Store }[] = [];

beforeEach(async () => {
  temporary = await makeTempDir();
});

afterEach(async () => {
  for (const { scene, store } of running.splice(0)) {
    await scene.stop();
    await store.close();
  }
  await temporary[Symbol.asyncDispose]();
});

async function start(name: string, hooks: readonly Hook[], startMs?: number): Promise<RunnerScene> {
  const directory = join(temporary.path, name);
  const store = await openLmdbStore({ directory, readFacts: jsonCodec.readFacts });
  const options = startMs === undefined ? { store } : { store, startMs };
  const scene = await startRunnerScene(hooks, options);
  running.push({ scene, store });
  return scene;
}

/** Copies the files that a process killed now would leave. */
function kill(from: string, to: string): void {
  copyCrashed(join(temporary.path, from), join(temporary.path, to));
}

async function stopFirst(): Promise<void> {
  const first = running.shift();
  await first?.scene.stop();
  await first?.store.close();
}

const isDone = (scene: RunnerScene) => async (): Promise<boolean> =>
  (await scene.tasks()).length === 0;

function slow(name = "h"): ScriptedHook {
  const hook = scriptedHook(name, ["never told"]);
  hook.gate.close();
  return hook;
}

describe("after a crash", () => {
  test("a task that the server had is done at once, without a failure", async () => {
    const hook = slow();
    const before = await start("a", [hook]);
    await before.open("s", summaryPolicy("h"));
    await before.say("s", 5);
    await eventually("the hook is called", () => hook.gate.held === 1);
    kill("a", "b");
    const again = scriptedHook("h", ["a short text"]);
    const after = await start("b", [again], before.nowMs());
    await eventually("it is done", isDone(after));
    expect(again.calls).toHaveLength(1);
    expect(again.calls[0]?.call.attempt).toBe(2);
    const [record] = await after.history("s");
    expect(record).toMatchObject({ text: "a short text", callCount: 2 });
    const failed = (await after.allEvents()).filter(
      ({ detail }) => detail.type === EVENT_TYPE.summaryFailed,
    );
    expect(failed).toEqual([]);
  });

  test("a lease of the server that ended meanwhile is no failure either", async () => {
    const hook = slow();
    const before = await start("a", [hook]);
    await before.open("s", summaryPolicy("h"));
    await before.say("s", 5);
    await eventually("the hook is called", () => hook.gate.held === 1);
    kill("a", "b");
    const again = scriptedHook("h", ["a short text"]);
    const after = await start("b", [again], before.nowMs() + HOUR);
    await eventually("it is done", isDone(after));
    expect((await after.history("s"))[0]).toMatchObject({ callCount: 2 });
    expect((await after.info("h")).failures.size).toBe(0);
  });

  test("a task of another instance of the server stays with it until its lease ends", async () => {
    const [theirs, own] = [slow(), slow()];
    const other = await start("a", [theirs]);
    await other.open("s", summaryPolicy("h"));
    await other.say("s", 5);
    await eventually("the other calls the hook", () => theirs.gate.held === 1);
    kill("a", "b");
    await replaceIdentity(join(temporary.path, "b"), { instanceId: "00000000000000ff" });
    const before = await start("b", [own], other.nowMs());
    await before.open("t", summaryPolicy("h"));
    await before.say("t", 5);
    await eventually("this one calls the hook", () => own.gate.held === 1);
    kill("b", "c");
    const again = scriptedHook("h", ["a short text", "another text"]);
    const after = await start("c", [again], before.nowMs());
    await eventually("its own is done", async () => (await after.tasks()).length === 1);
    const [left] = await after.tasks();
    expect(left).toMatchObject({ sessionId: "s", state: "leased", failedAttempts: 0 });
    expect(again.calls).toHaveLength(1);
    after.advance((left?.dueMs ?? 0) - after.nowMs());
    await eventually("the other is done", async () => {
      after.advance(SECOND / 10);
      return await isDone(after)();
    });
    expect(again.calls).toHaveLength(2);
  });

  test("a worker goes on with its task, and one that died is noticed", async () => {
    const before = await start("a", [pollHook("workers")]);
    for (const sessionId of ["s", "t"]) {
      await before.open(sessionId, summaryPolicy("workers"));
      await before.say(sessionId, 5);
    }
    const [alive, dead] = await before.poll("workers", { maxTasks: 2, leaseMs: 20 * SECOND });
    kill("a", "b");
    const after = await start("b", [pollHook("workers")], before.nowMs() + 5 * SECOND);
    if (alive === undefined || dead === undefined) throw new Error("no task");
    await after.complete(alive, "a short text");
    await after.pass(16 * SECOND);
    await eventually("it failed", async () => (await after.tasks())[0]?.failedAttempts === 1);
    const [task] = await after.tasks();
    expect(task).toMatchObject({ taskNo: dead.task.taskNo, state: "ready", failedAttempts: 1 });
    expect((await after.info("workers")).failures.get("timeout")).toBe(1);
  });
});

describe("after a restart", () => {
  test("what the budget had no room for waits for its hour", async () => {
    const settings = { callsPerHour: 1 };
    const before = await start("a", [scriptedHook("h", [], settings)]);
    for (const sessionId of ["s", "t"]) {
      await before.open(sessionId, summaryPolicy("h"));
      await before.say(sessionId, 5);
    }
    await eventually("one is done", async () => (await before.tasks()).length === 1);
    await eventually(
      "one waits",
      async () => ((await before.tasks())[0]?.dueMs ?? 0) > before.nowMs(),
    );
    const nowMs = before.nowMs();
    await stopFirst();
    const hook = scriptedHook("h", [], settings);
    const after = await start("a", [hook], nowMs);
    expect((await after.info("h")).usage.calls).toBe(1);
    // A new task does not get by either.
    await after.open("u", summaryPolicy("h"));
    await after.say("u", 5);
    await after.pass(60 * SECOND);
    expect(hook.calls).toHaveLength(0);
    after.advance((Math.floor(nowMs / HOUR) + 1) * HOUR - after.nowMs());
    await after.pass(31 * SECOND);
    await eventually("one more is done", async () => (await after.tasks()).length === 1);
    expect(hook.calls).toHaveLength(1);
  });

  test("a call that the stop aborted is made again", async () => {
    const hook = slow();
    const before = await start("a", [hook]);
    await before.open("s", summaryPolicy("h"));
    await before.say("s", 5);
    await eventually("the hook is called", () => hook.gate.held === 1);
    const nowMs = before.nowMs();
    await stopFirst();
    const again = scriptedHook("h", ["a short text"]);
    const after = await start("a", [again], nowMs);
    await eventually("it is done", isDone(after));
    await someTurns();
    expect((await after.history("s")).map(({ text }) => text)).toEqual(["a short text"]);
  });
});

describe("on the disk", () => {
  test("a hundred appends beside slow summaries are all kept or summarized once", async () => {
    const hook = scriptedHook("h", [], { concurrency: 2 });
    const scene = await start("a", [hook]);
    const policy = summaryPolicy("h", { keep: "append", leave: "at-once" });
    await scene.open("s", policy);
    hook.gate.close();
    for (let i = 0; i < 100; i++) {
      await scene.say("s", 1);
      if (i % 10 === 9) hook.gate.openOne();
      scene.advance(600);
    }
    hook.gate.open();
    await eventually("all are done", isDone(scene));
    const added = (await scene.history("s")).flatMap((record) => record.added);
    const seqs = added.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, i) => first + i),
    );
    expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: 98 }, (_, i) => i + 1));
    // The summary is shown before the two that are left.
    expect(await scene.windowTexts("s")).toHaveLength(3);
  });
});
