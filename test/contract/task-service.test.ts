// Goal: operators see the tasks and hooks of a server, try again what was given up, and delete what
// nobody wants; a hook that is gone is named.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BreakerState, HookKind } from "../../src/gen/memorysidecar/v1/admin_service.ts";
import { SupersedeReason } from "../../src/gen/memorysidecar/v1/event.ts";
import { SummaryFailure } from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  type HookTask,
  TaskFailureReason,
  TaskState,
  TaskType,
} from "../../src/gen/memorysidecar/v1/task.ts";
import { ListTasksResponse } from "../../src/gen/memorysidecar/v1/task_service.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { requestBytes, startContractServer, type TestServer } from "../support/contract/client.ts";
import { extraction, memoryPolicy, message, session } from "../support/contract/samples.ts";
import {
  detailsOf,
  dropTasks,
  kindsOf,
  makeScene,
  outputOf,
  span,
  summarizingPolicy,
  takeTask,
  WORKERS,
  windowTexts,
} from "../support/contract/summarizing.ts";
import { hooksOf, pollHook, scriptedHook } from "../support/hooks/hooks.ts";
import { storeWith } from "../support/services/services.ts";

const model = scriptedHook("model", [], { callsPerHour: 50, tokensPerHour: 9_000, concurrency: 3 });

let server: TestServer;
let count = 0;

beforeAll(async () => {
  const hooks = [pollHook(WORKERS, { callsPerHour: 1_000 }), pollHook("others"), model];
  server = await startContractServer({ hooks: hooksOf(hooks, "model") });
});

afterEach(() => dropTasks(server));

afterAll(() => server[Symbol.asyncDispose]());

const nextNamespace = (): string => `n${count++}`;

/** A namespace with a session whose task is dead. */
async function givenUp(): Promise<{ namespace: string; taskId: string }> {
  const namespace = nextNamespace();
  await makeScene(server, "s", { namespace });
  const { ref } = await takeTask(server, { namespace });
  await server.client.call("failTask", { namespace, ...ref, permanent: true, message: "no use" });
  return { namespace, taskId: ref.taskId };
}

describe("ListTasks", () => {
  const namespace = "listed";
  const ids: string[] = [];

  beforeAll(async () => {
    for (const sessionId of ["a", "b", "c", "d"]) {
      const hook = sessionId === "d" ? "others" : WORKERS;
      const policy = summarizingPolicy({ hook });
      const { stageRuns } = await makeScene(server, sessionId, { namespace, policy });
      ids.push(stageRuns[0]?.taskId ?? "");
    }
    await server.client.call("pollTasks", { namespace, hooks: [WORKERS], workerId: "w" });
  });

  const list = async (fields: object) => {
    const { tasks } = await server.client.call("listTasks", { namespace, ...fields });
    return tasks.map(({ sessionId }) => sessionId);
  };

  test("gives all tasks of a namespace, the oldest first, with ids that sort", async () => {
    const { tasks, nextPageToken } = await server.client.call("listTasks", { namespace });
    expect(tasks.map(({ taskId }) => taskId)).toEqual(ids);
    expect([...ids].sort()).toEqual(ids);
    expect(nextPageToken).toBe("");
    expect(await list({ namespace: "nobody" })).toEqual([]);
  });

  test("gives those of a session, a hook or a state", async () => {
    expect(await list({ sessionId: "b" })).toEqual(["b"]);
    expect(await list({ sessionId: "none" })).toEqual([]);
    expect(await list({ hook: "others" })).toEqual(["d"]);
    expect(await list({ hook: "nobody" })).toEqual([]);
    expect(await list({ state: TaskState.LEASED })).toEqual(["a"]);
    expect(await list({ state: TaskState.READY })).toEqual(["b", "c", "d"]);
    expect(await list({ state: TaskState.DEAD })).toEqual([]);
    expect(await list({ hook: WORKERS, state: TaskState.READY })).toEqual(["b", "c"]);
  });

  test("gives pages, with or without filters", async () => {
    for (const filter of [{}, { hook: WORKERS }, { state: TaskState.READY }]) {
      const found: string[] = [];
      let pageToken = "";
      do {
        const request = { namespace, ...filter, pageSize: 1, pageToken };
        const page = await server.client.call("listTasks", request);
        expect(page.tasks.length).toBeLessThanOrEqual(1);
        found.push(...page.tasks.map(({ sessionId }) => sessionId));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(found).toEqual(await list(filter));
    }
  });

  test("gives tasks of every type in one order, page by page", async () => {
    const mixed = "mixed";
    const types = [TaskType.SUMMARIZE, TaskType.EXTRACT, TaskType.EXTRACT];
    for (let at = 0; at < 9; at++) {
      const sessionId = `s${at}`;
      if (at % 3 === 0) await makeScene(server, sessionId, { namespace: mixed });
      else {
        const remembering = session({
          sessionId,
          memoryPolicy: memoryPolicy({ extraction: extraction() }),
        });
        await server.client.call("createSession", { namespace: mixed, session: remembering });
        const messages = [message({ text: "I like tea." })];
        await server.client.call("appendMessages", { namespace: mixed, sessionId, messages });
      }
    }
    const all = await server.client.call("listTasks", { namespace: mixed });
    expect(all.tasks.map(({ sessionId }) => sessionId)).toEqual(
      Array.from({ length: 9 }, (_, at) => `s${at}`),
    );
    expect(all.tasks.map(({ type }) => type)).toEqual([...types, ...types, ...types]);
    const ids = all.tasks.map(({ taskId }) => taskId);
    expect([...ids].sort()).toEqual(ids);
    const filters: readonly (readonly [object, (task: HookTask) => boolean])[] = [
      [{}, () => true],
      [{ type: TaskType.EXTRACT }, ({ type }) => type === TaskType.EXTRACT],
      [{ type: TaskType.SUMMARIZE }, ({ type }) => type === TaskType.SUMMARIZE],
      [{ type: TaskType.EMBED }, () => false],
      [{ state: TaskState.WAITING }, ({ state }) => state === TaskState.WAITING],
      [{ hook: "builtin" }, ({ hook }) => hook === "builtin"],
      [{ sessionId: "s4" }, ({ sessionId }) => sessionId === "s4"],
    ];
    for (const [filter, isMeant] of filters) {
      for (const pageSize of [1, 2, 4, 9]) {
        const found: string[] = [];
        let pageToken = "";
        do {
          const request = { namespace: mixed, ...filter, pageSize, pageToken };
          const page = await server.client.call("listTasks", request);
          found.push(...page.tasks.map(({ taskId }) => taskId));
          pageToken = page.nextPageToken;
        } while (pageToken !== "");
        expect(found).toEqual(all.tasks.filter(isMeant).map(({ taskId }) => taskId));
      }
    }
  });

  test("gives pages that stock clients take, however much tasks say", async () => {
    const large = "large";
    const policy = summarizingPolicy({
      instructions: "i".repeat(LIMITS.summaryInstructionsBytes),
      onFailure: SummaryFailure.PLACEHOLDER,
      placeholder: "p".repeat(LIMITS.summaryPlaceholderBytes),
    });
    const sessions = 640;
    for (let at = 0; at < sessions; at += 64) {
      const batch = Array.from({ length: 64 }, (_, index) => `s${at + index}`);
      await Promise.all(batch.map((id) => makeScene(server, id, { namespace: large, policy })));
    }
    const found = new Set<string>();
    let pages = 0;
    let pageToken = "";
    do {
      const request = { namespace: large, pageSize: 1_000, pageToken };
      const outcome = await server.client.raw("listTasks", requestBytes("listTasks", request));
      if ("failure" in outcome) throw new Error(outcome.failure.message);
      expect(outcome.bytes.length).toBeLessThan(4_194_304);
      const page = ListTasksResponse.decode(outcome.bytes);
      for (const { sessionId } of page.tasks) found.add(sessionId);
      pageToken = page.nextPageToken;
      pages += 1;
    } while (pageToken !== "");
    expect(found.size).toBe(sessions);
    expect(pages).toBe(2);
  }, 30_000);

  test("refuses page tokens of another list, and those that are none", async () => {
    const first = await server.client.call("listTasks", { namespace, pageSize: 1 });
    const pageToken = first.nextPageToken;
    expect(pageToken).not.toBe("");
    for (const request of [
      { namespace, pageToken: "x" },
      { namespace, hook: WORKERS, pageToken },
      { namespace: "other", pageToken },
      { namespace, state: TaskState.READY, pageToken },
    ]) {
      expect(await server.client.fail("listTasks", request)).toMatchObject({
        code: "INVALID_ARGUMENT",
        reason: "PAGE_TOKEN_INVALID",
      });
    }
  });
});

describe("GetTask", () => {
  test("gives a task as it is now", async () => {
    const namespace = nextNamespace();
    const { stageRuns } = await makeScene(server, "s", { namespace });
    const taskId = stageRuns[0]?.taskId ?? "";
    const ready = await server.client.call("getTask", { namespace, taskId });
    expect(ready.task).toMatchObject({ state: TaskState.READY, callCount: 0, workerId: "" });
    expect(ready.task?.readyTime).toBeDefined();
    expect(ready.task?.leaseExpireTime).toBeUndefined();
    const { task } = await takeTask(server, { namespace, workerId: "w" });
    const leased = await server.client.call("getTask", { namespace, taskId });
    expect(leased.task).toEqual(task);
    expect(leased.task?.readyTime).toBeUndefined();
  });

  test("refuses a task that is none, or of another namespace", async () => {
    const { taskId } = await givenUp();
    for (const request of [{ taskId }, { taskId: "none" }, { taskId: "task-zzzzzzzzzzz" }]) {
      expect(await server.client.fail("getTask", request)).toMatchObject({
        code: "NOT_FOUND",
        reason: "TASK_NOT_FOUND",
        metadata: { task_id: request.taskId },
        details: ["ErrorInfo", "ResourceInfo"],
      });
    }
  });
});

describe("a dead task", () => {
  test("stays with its reason; the messages stay in the window", async () => {
    const { namespace, taskId } = await givenUp();
    const { task } = await server.client.call("getTask", { namespace, taskId });
    expect(task).toMatchObject({ state: TaskState.DEAD, readyTime: undefined, workerId: "" });
    expect(task?.lastFailure).toMatchObject({
      reason: TaskFailureReason.WORKER,
      message: "no use",
    });
    const { messages } = await server.client.call("getWindow", { namespace, sessionId: "s" });
    expect(messages).toHaveLength(5);
    expect((await server.client.call("pollTasks", { namespace, hooks: [WORKERS] })).tasks).toEqual(
      [],
    );
  });
});

describe("RetryTask", () => {
  test("makes a dead task ready with all its attempts", async () => {
    const { namespace, taskId } = await givenUp();
    const { task } = await server.client.call("retryTask", { namespace, taskId });
    expect(task).toMatchObject({ taskId, state: TaskState.READY, failedAttempts: 0 });
    const { ref } = await takeTask(server, { namespace });
    const done = { namespace, ...ref, output: outputOf("at last") };
    expect((await server.client.call("completeTask", done)).summaryVersion).toBe(1n);
  });

  test("makes one ready that waits before it is tried again", async () => {
    const namespace = nextNamespace();
    await makeScene(server, "s", { namespace });
    const { ref } = await takeTask(server, { namespace });
    await server.client.call("failTask", { namespace, ...ref, retryDelay: span(600_000) });
    await server.client.call("retryTask", { namespace, taskId: ref.taskId });
    expect((await takeTask(server, { namespace })).task.taskId).toBe(ref.taskId);
  });

  test("leaves a leased one alone", async () => {
    const namespace = nextNamespace();
    await makeScene(server, "s", { namespace });
    const { ref, task } = await takeTask(server, { namespace, workerId: "w" });
    const retried = await server.client.call("retryTask", { namespace, taskId: ref.taskId });
    expect(retried.task).toEqual(task);
    await server.client.call("extendLease", { namespace, ...ref });
  });

  test("does a repeat once", async () => {
    const { namespace, taskId } = await givenUp();
    const request = { namespace, taskId, requestId: "again" };
    const first = await server.client.call("retryTask", request);
    const { ref } = await takeTask(server, { namespace });
    await server.client.call("failTask", { namespace, ...ref, permanent: true });
    expect(await server.client.call("retryTask", request)).toEqual(first);
    const { task } = await server.client.call("getTask", { namespace, taskId });
    expect(task?.state).toBe(TaskState.DEAD);
    const other = { ...request, taskId: "task-00000000001" };
    expect((await server.client.fail("retryTask", other)).reason).toBe("REQUEST_ID_REUSED");
  });

  test("refuses a task that is none", async () => {
    expect(await server.client.fail("retryTask", { taskId: "none" })).toMatchObject({
      code: "NOT_FOUND",
      reason: "TASK_NOT_FOUND",
    });
  });

  test("refuses a task whose hook is gone", async () => {
    const { namespace, taskId } = await givenUp();
    await using later = await startContractServer({
      hooks: hooksOf([model]),
      wrapStore: () => storeWith(server.store, { close: async () => {} }),
    });
    expect(await later.client.fail("retryTask", { namespace, taskId })).toMatchObject({
      code: "FAILED_PRECONDITION",
      reason: "HOOK_NOT_CONFIGURED",
      metadata: { hook: WORKERS },
    });
    const { task } = await later.client.call("getTask", { namespace, taskId });
    expect(task).toMatchObject({ state: TaskState.DEAD, maxAttempts: 0 });
  });
});

describe("DeleteTask", () => {
  test("deletes a task without doing it; its messages stay", async () => {
    const sessionId = `s${count++}`;
    const { stageRuns } = await makeScene(server, sessionId);
    const taskId = stageRuns[0]?.taskId ?? "";
    await server.client.call("deleteTask", { taskId });
    expect((await server.client.fail("getTask", { taskId })).reason).toBe("TASK_NOT_FOUND");
    expect(await windowTexts(server, sessionId)).toHaveLength(5);
    expect((await kindsOf(server, sessionId)).slice(2)).toEqual([
      "summaryRequested",
      "summarySuperseded",
    ]);
    expect(await detailsOf(server, sessionId, "summarySuperseded")).toEqual([
      { taskId, stage: "shrink", hook: WORKERS, reason: SupersedeReason.DELETED },
    ]);
  });

  test("deletes dead ones, and those that a worker has", async () => {
    const { namespace, taskId } = await givenUp();
    await server.client.call("deleteTask", { namespace, taskId });
    expect((await server.client.call("listTasks", { namespace })).tasks).toEqual([]);
    const other = nextNamespace();
    await makeScene(server, "s", { namespace: other });
    const { ref } = await takeTask(server, { namespace: other });
    await server.client.call("deleteTask", { namespace: other, taskId: ref.taskId });
    const late = { namespace: other, ...ref, output: outputOf("late") };
    expect((await server.client.fail("completeTask", late)).reason).toBe("TASK_NOT_FOUND");
  });

  test("refuses a task that is none, unless told otherwise", async () => {
    expect(await server.client.fail("deleteTask", { taskId: "none" })).toMatchObject({
      code: "NOT_FOUND",
      reason: "TASK_NOT_FOUND",
      metadata: { task_id: "none" },
    });
    for (const taskId of ["none", "task-00000000zzz"]) {
      await server.client.call("deleteTask", { taskId, allowMissing: true });
    }
  });

  test("does a repeat once", async () => {
    const { namespace, taskId } = await givenUp();
    const request = { namespace, taskId, requestId: "gone" };
    const first = await server.client.call("deleteTask", request);
    expect(await server.client.call("deleteTask", request)).toEqual(first);
    const other = { ...request, taskId: "task-00000000001" };
    expect((await server.client.fail("deleteTask", other)).reason).toBe("REQUEST_ID_REUSED");
  });
});

describe("ListHooks", () => {
  test("gives the same hooks in pages", async () => {
    const { hooks: all } = await server.client.call("listHooks");
    const names: string[] = [];
    let pageToken = "";
    do {
      const page = await server.client.call("listHooks", { pageSize: 3, pageToken });
      expect(page.hooks.length).toBeGreaterThan(0);
      expect(page.hooks.length).toBeLessThanOrEqual(3);
      names.push(...page.hooks.map(({ name }) => name));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(all.length).toBeGreaterThan(3);
    expect(names).toEqual(all.map(({ name }) => name));
    const other = await server.client.fail("listHooks", { pageToken: "x" });
    expect(other.reason).toBe("PAGE_TOKEN_INVALID");
  });

  test("gives the hooks by name, and what the namespace used", async () => {
    const namespace = nextNamespace();
    await makeScene(server, "s", { namespace });
    await takeTask(server, { namespace });
    const { hooks } = await server.client.call("listHooks", { namespace });
    expect(hooks.map(({ name, kind }) => [name, kind])).toEqual([
      ["builtin", HookKind.BUILTIN],
      ["model", HookKind.OPENAI],
      ["others", HookKind.POLL],
      [WORKERS, HookKind.POLL],
    ]);
    const [builtin, openai, , workers] = hooks;
    expect(builtin).toMatchObject({ isDefault: false, taskTypes: [1] });
    expect(openai).toMatchObject({
      isDefault: true,
      breaker: BreakerState.CLOSED,
      retryTime: undefined,
      runningCalls: 0,
      maxRunningCalls: 3,
      timeout: span(60_000),
      callsPerHour: 50n,
      tokensPerHour: 9_000n,
      usedCalls: 0n,
      usedTokens: 0n,
    });
    expect(workers).toMatchObject({
      breaker: BreakerState.UNSPECIFIED,
      runningCalls: 0,
      maxRunningCalls: 0,
      timeout: undefined,
      callsPerHour: 1_000n,
      usedCalls: 1n,
    });
    const elsewhere = await server.client.call("listHooks", { namespace: nextNamespace() });
    expect(elsewhere.hooks.map(({ usedCalls }) => usedCalls)).toEqual([0n, 0n, 0n, 0n]);
  });

  test("counts the failures by reason", async () => {
    const namespace = nextNamespace();
    const failuresOf = async () => {
      const { hooks } = await server.client.call("listHooks", { namespace });
      return hooks.find(({ name }) => name === WORKERS);
    };
    const before = await failuresOf();
    await makeScene(server, "s", { namespace });
    const { ref } = await takeTask(server, { namespace });
    await server.client.call("failTask", { namespace, ...ref });
    const after = await failuresOf();
    const ofWorkers = (hook: typeof before): bigint =>
      hook?.failures.find(({ reason }) => reason === TaskFailureReason.WORKER)?.count ?? 0n;
    expect(ofWorkers(after) - ofWorkers(before)).toBe(1n);
    expect((after?.callCount ?? 0n) - (before?.callCount ?? 0n)).toBe(1n);
    const reasons = after?.failures.map(({ reason }) => reason) ?? [];
    expect([...reasons].sort((a, b) => a - b)).toEqual(reasons);
  });
});
