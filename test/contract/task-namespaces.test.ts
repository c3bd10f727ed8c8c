// Goal: tasks of two namespaces that have the same number are kept apart, whoever does them.

import { afterEach, describe, expect, test } from "vitest";
import { TaskState } from "../../src/gen/memorysidecar/v1/task.ts";
import type { Hook } from "../../src/hooks/port.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  makeScene,
  outputOf,
  span,
  summarizingPolicy,
  takeTask,
  WORKERS,
} from "../support/contract/summarizing.ts";
import { hooksOf, pollHook, scriptedHook } from "../support/hooks/hooks.ts";
import { eventually } from "../support/services/runner-scene.ts";

const [ONE, TWO] = ["one", "two"];

let server: TestServer;

afterEach(() => server[Symbol.asyncDispose]());

async function start(hook: Hook): Promise<void> {
  server = await startContractServer({ hooks: hooksOf([hook], hook.name) });
}

async function taskOf(namespace: string) {
  const { tasks } = await server.client.call("listTasks", { namespace });
  expect(tasks.length).toBeLessThanOrEqual(1);
  return tasks[0];
}

describe("tasks with the same id in two namespaces", () => {
  test("are leased, extended, lost and completed each for itself", async () => {
    await start(pollHook(WORKERS));
    for (const namespace of [ONE, TWO]) await makeScene(server, "s", { namespace });
    const one = await takeTask(server, { namespace: ONE, lease: span(30_000), workerId: "w1" });
    const two = await takeTask(server, { namespace: TWO, lease: span(60_000), workerId: "w2" });
    expect(two.ref.taskId).toBe(one.ref.taskId);
    const { taskId } = one.ref;
    const foreign = { namespace: ONE, ...two.ref };
    const output = outputOf("short");
    for (const failed of [
      await server.client.fail("completeTask", { ...foreign, output }),
      await server.client.fail("failTask", foreign),
      await server.client.fail("extendLease", foreign),
    ]) {
      expect(failed).toMatchObject({ code: "ABORTED", reason: "LEASE_LOST" });
    }
    await server.client.call("extendLease", { namespace: ONE, ...one.ref, lease: span(1_000) });

    // The lease of the one ends, that of the other does not.
    await eventually("the lease has ended", async () => {
      return (await taskOf(ONE))?.state === TaskState.READY;
    });
    expect(await taskOf(TWO)).toMatchObject({ taskId, state: TaskState.LEASED, workerId: "w2" });
    const gone = await server.client.fail("completeTask", { namespace: ONE, ...one.ref, output });
    expect(gone.reason).toBe("LEASE_LOST");

    await server.client.call("completeTask", { namespace: TWO, ...two.ref, output });
    expect(await taskOf(TWO)).toBeUndefined();
    expect(await taskOf(ONE)).toMatchObject({ taskId, failedAttempts: 1 });
    await server.client.call("deleteTask", { namespace: ONE, taskId });
    expect(await taskOf(ONE)).toBeUndefined();
  });

  test("end the long polls of their own namespace alone", async () => {
    await start(pollHook(WORKERS));
    const poll = (namespace: string) =>
      server.client.call("pollTasks", { namespace, hooks: [WORKERS], wait: span(60_000) });
    const waiting = { one: poll(ONE), two: poll(TWO) };
    let isAnswered = false;
    void waiting.two.then(() => {
      isAnswered = true;
    });
    await makeScene(server, "s", { namespace: ONE });
    const [first] = (await waiting.one).tasks;
    expect(first?.task).toMatchObject({ namespace: ONE });
    expect(isAnswered).toBe(false);
    await makeScene(server, "s", { namespace: TWO });
    const [second] = (await waiting.two).tasks;
    expect(second?.task).toMatchObject({ namespace: TWO, taskId: first?.task?.taskId });
    expect(await taskOf(ONE)).toMatchObject({ state: TaskState.LEASED });
  });

  test("are done by the server at the same time, each with its own answer", async () => {
    const model = scriptedHook("model", [], { concurrency: 2 });
    model.gate.close();
    await start(model);
    const policy = summarizingPolicy({ hook: "model" });
    for (const namespace of [ONE, TWO]) await makeScene(server, "s", { namespace, policy });
    await eventually("both are under way", () => model.calls.length === 2);
    expect((await taskOf(ONE))?.taskId).toBe((await taskOf(TWO))?.taskId);
    expect(model.calls.map(({ call }) => call.namespace).sort()).toEqual([ONE, TWO]);
    model.gate.open();
    for (const namespace of [ONE, TWO]) {
      await eventually("the task is done", async () => (await taskOf(namespace)) === undefined);
      const { summaries } = await server.client.call("listSummaries", {
        ...{ namespace, sessionId: "s" },
      });
      expect(summaries).toMatchObject([{ text: "summary of 3" }]);
    }
    expect(model.calls).toHaveLength(2);
  });
});
