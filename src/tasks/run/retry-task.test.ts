// Goal: operators can try a task again or take it away, and nothing of the window is lost by it.

import { afterEach, describe, expect, test } from "vitest";
import { pollHook, scriptedHook } from "../../../test/support/hooks/hooks.ts";
import { fromBytes, toBytes } from "../../../test/support/services/json-codec.ts";
import {
  eventually,
  type RunnerScene,
  someTurns,
  startRunnerScene,
  summaryPolicy,
} from "../../../test/support/services/runner-scene.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import { HookFailure } from "../../hooks/port.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";
import type { TaskInfo } from "../api.ts";
import { taskIdOf } from "../rules/task.ts";

const SECOND = 1_000;
const REFUSED = new HookFailure("refused", "No.");

let scene: RunnerScene;
afterEach(() => scene.stop());

/** A dead task in the session `s`, and the hook that refused it. */
async function deadTask(spec: Partial<SummarySpec> = {}) {
  const hook = scriptedHook("h", [REFUSED]);
  scene = await startRunnerScene([hook]);
  await scene.open("s", summaryPolicy("h", spec));
  await scene.say("s", 5);
  await eventually("it is dead", async () => (await scene.tasks())[0]?.state === "dead");
  return hook;
}

async function idOfFirst(): Promise<string> {
  const [task] = await scene.tasks();
  return taskIdOf(task?.taskNo ?? 0);
}

async function retry(taskId: string, requestId = ""): Promise<TaskInfo> {
  const input = { namespace: "default", taskId, encode: toBytes };
  return fromBytes<TaskInfo>(
    await scene.hooks.retryTask(scene.call("RetryTask", requestId), input),
  );
}

async function remove(taskId: string, allowMissing = false, requestId = ""): Promise<void> {
  const input = { namespace: "default", taskId, allowMissing, encode: () => toBytes({}) };
  await scene.hooks.deleteTask(scene.call("DeleteTask", requestId), input);
}

const types = async () => (await scene.allEvents()).map(({ detail }) => detail.type);

describe("RetryTask", () => {
  test("gives a task that is older than a day its attempts all the same", async () => {
    const hook = await deadTask();
    scene.advance(86_400 * SECOND);
    hook.script([new HookFailure("busy", "Later."), "a short text"]);
    await retry(await idOfFirst());
    await eventually("it failed again", () => hook.calls.length === 2);
    await eventually("it rests", async () => (await scene.tasks())[0]?.state === "ready");
    await scene.pass(3 * SECOND);
    expect(await scene.tasks()).toEqual([]);
    expect(await scene.history("s")).toHaveLength(1);
  });

  test("makes a dead task ready, with all its attempts", async () => {
    const hook = await deadTask();
    hook.script(["a short text"]);
    hook.gate.close();
    const info = await retry(await idOfFirst());
    expect(info.task).toMatchObject({ state: "ready", failedAttempts: 0, deadMs: 0 });
    expect((await types()).at(-1)).toBe(EVENT_TYPE.summaryRequested);
    hook.gate.open();
    await eventually("it is done", async () => (await scene.tasks()).length === 0);
    expect((await scene.windowTexts("s"))[0]).toBe("a short text");
  });

  test("is one effect for one request id", async () => {
    const hook = await deadTask();
    hook.gate.close();
    const taskId = await idOfFirst();
    const first = await retry(taskId, "r1");
    hook.gate.open();
    await eventually("it is dead again", async () => (await scene.tasks())[0]?.state === "dead");
    expect(await retry(taskId, "r1")).toEqual(first);
    expect((await scene.tasks())[0]?.state).toBe("dead");
    expect(hook.calls).toHaveLength(2);
  });

  test("stands behind a task of its stage that is under way", async () => {
    const hook = await deadTask({ keep: "append", leave: "at-once", onFailure: "drop" });
    const dead = await idOfFirst();
    hook.gate.close();
    hook.script(["what came later", "what came first"]);
    await scene.say("s", 1);
    await eventually("the next one runs", () => hook.gate.held === 1);
    expect((await retry(dead)).task).toMatchObject({ state: "waiting", dueMs: 0 });
    await someTurns();
    expect(hook.gate.held).toBe(1);
    hook.gate.open();
    await eventually("both are done", async () => (await scene.tasks()).length === 0);
    const texts = (await scene.history("s")).map(({ text }) => text);
    expect(texts).toEqual(["what came later", "what came later what came first"]);
  });

  test("takes a task away whose messages were dropped", async () => {
    await deadTask({ onFailure: "drop" });
    expect(await scene.windowTexts("s")).toHaveLength(2);
    await expect(retry(await idOfFirst())).rejects.toMatchObject({ reason: "TASK_SUPERSEDED" });
    expect(await scene.tasks()).toEqual([]);
    expect((await types()).at(-1)).toBe(EVENT_TYPE.summarySuperseded);
  });

  test("tries again what left at once, though it was dropped", async () => {
    const hook = await deadTask({ keep: "append", leave: "at-once", onFailure: "drop" });
    hook.script(["a short text"]);
    await retry(await idOfFirst());
    await eventually("it is done", async () => (await scene.tasks()).length === 0);
    const [record] = await scene.history("s");
    expect(record).toMatchObject({ text: "a short text", ranges: [{ first: 1, last: 3 }] });
  });

  test("lets a task go at once that rests after a failure", async () => {
    const hook = scriptedHook("h", [new HookFailure("hook-error", "No."), "a short text"]);
    scene = await startRunnerScene([hook]);
    await scene.open("s", summaryPolicy("h"));
    await scene.say("s", 5);
    await eventually("it rests", async () => (await scene.tasks())[0]?.failedAttempts === 1);
    const info = await retry(await idOfFirst());
    expect(info.task).toMatchObject({ failedAttempts: 0, dueMs: scene.nowMs() });
    await eventually("it is done", async () => (await scene.tasks()).length === 0);
  });

  test("leaves a leased task alone", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", summaryPolicy("workers"));
    await scene.say("s", 5);
    const [taken] = await scene.poll("workers");
    if (taken === undefined) throw new Error("no task");
    const info = await retry(await idOfFirst());
    expect(info.task).toMatchObject({ state: "leased", dueMs: taken.task.dueMs });
    await scene.complete(taken, "a short text");
  });

  test("knows only tasks that are there", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    for (const taskId of ["task-00000000001", "task", ""]) {
      await expect(retry(taskId)).rejects.toMatchObject({ reason: "TASK_NOT_FOUND" });
      const get = scene.hooks.getTask(scene.call("GetTask"), { namespace: "default", taskId });
      await expect(get).rejects.toMatchObject({ reason: "TASK_NOT_FOUND" });
    }
  });
});

describe("DeleteTask", () => {
  test("takes a task away and leaves its messages", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", summaryPolicy("workers"));
    await scene.say("s", 5);
    const before = await scene.store.readSession({ namespace: "default", sessionId: "s" });
    scene.advance(SECOND);
    const [taken] = await scene.poll("workers");
    await remove(await idOfFirst());
    expect(await scene.tasks()).toEqual([]);
    expect(await scene.windowTexts("s")).toHaveLength(5);
    const after = await scene.store.readSession({ namespace: "default", sessionId: "s" });
    expect(after?.head.updateMs).toBe(before?.head.updateMs);
    const { detail } = (await scene.allEvents()).at(-1) ?? {};
    expect(detail).toMatchObject({ type: EVENT_TYPE.summarySuperseded, reason: "deleted" });
    if (taken === undefined) throw new Error("no task");
    await expect(scene.complete(taken, "late")).rejects.toMatchObject({
      reason: "TASK_NOT_FOUND",
    });
  });

  test("lets the next of the stage go on", async () => {
    scene = await startRunnerScene([pollHook("workers")]);
    await scene.open("s", summaryPolicy("workers", { keep: "append", leave: "at-once" }));
    await scene.say("s", 4);
    await scene.poll("workers");
    await scene.say("s", 2);
    expect((await scene.tasks()).map(({ state }) => state)).toEqual(["leased", "waiting"]);
    await remove(await idOfFirst());
    expect((await scene.tasks()).map(({ state }) => state)).toEqual(["ready"]);
    const waiting = await scene.poll("workers", { waitMs: SECOND });
    expect(waiting[0]?.input.messages).toHaveLength(2);
  });

  test("tells of a dead task as well, and answers a repeat", async () => {
    await deadTask();
    const taskId = await idOfFirst();
    await remove(taskId, false, "r1");
    expect((await types()).at(-1)).toBe(EVENT_TYPE.summarySuperseded);
    await remove(taskId, false, "r1");
    await expect(remove(taskId)).rejects.toMatchObject({ reason: "TASK_NOT_FOUND" });
    await remove(taskId, true);
    await remove("nonsense", true, "r2");
    await someTurns();
    expect(await scene.tasks()).toEqual([]);
  });
});
