// Goal: workers that poll make the vectors of a server and put its hits in order; whoever waits
// gets what they brought, or hears that they failed; nothing of it is ever stored.

import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { HookKind } from "../../src/gen/memorysidecar/v1/admin_service.ts";
import { EmbeddingPurpose } from "../../src/gen/memorysidecar/v1/document.ts";
import {
  DenseState,
  type RecallHit,
  RecallMode,
  RerankState,
} from "../../src/gen/memorysidecar/v1/recall.ts";
import { type LeasedTask, TaskState, TaskType } from "../../src/gen/memorysidecar/v1/task.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { makeScene, outputOf, span, takeTask, WORKERS } from "../support/contract/summarizing.ts";
import { hooksOf, pollEmbedder, pollHook, pollReranker } from "../support/hooks/hooks.ts";
import { revisionOf } from "../support/store/revisions.ts";

const HOOK = "vectors";
const ORDER = "order";
const started: TestServer[] = [];
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});

/** A server whose vectors have two values, and whose workers take two texts at a time. */
async function start(): Promise<TestServer> {
  const hooks = hooksOf([pollEmbedder(HOOK, 2, 2), pollReranker(ORDER), pollHook(WORKERS)]);
  const embedder = { kind: "hook", hook: HOOK } as const;
  const server = await startContractServer({ hooks: { ...hooks, embedder } });
  started.push(server);
  return server;
}

type Output = NonNullable<RequestOf<"completeTask">["output"]>;

function vectorsOf(values: readonly (readonly number[])[]): Output {
  return { $case: "embed", value: { vectors: values.map((one) => ({ values: [...one] })) } };
}

const scoresOf = (scores: readonly number[]): Output => ({
  ...{ $case: "rerank", value: { scores: [...scores] } },
});

/** Takes the one task of a hook that comes next. */
async function take(
  { client }: TestServer,
  fields: Partial<RequestOf<"pollTasks">> = {},
): Promise<LeasedTask & { readonly ref: { taskId: string; leaseToken: string } }> {
  const { tasks } = await client.call("pollTasks", { hooks: [HOOK], wait: span(5_000), ...fields });
  const [leased] = tasks;
  if (leased === undefined || tasks.length !== 1) throw new Error(`${tasks.length} tasks`);
  const { leaseToken, task } = leased;
  return { ...leased, ref: { taskId: task?.taskId ?? "", leaseToken } };
}

/** Says how often a text has an otter, as a vector. */
const otters = (text: string): number[] => [text.split("otter").length - 1, 1];

/** The worker's output for a task. */
function workOn({ input }: LeasedTask): Output {
  if (input?.$case === "embed") return vectorsOf(input.value.texts.map(otters));
  if (input?.$case === "rerank") return scoresOf(input.value.texts.map((text) => -text.length));
  throw new Error("a worker got another task");
}

/** Does every task of a namespace until the test ends; gives what it did. */
function work({ client }: TestServer, namespace = ""): LeasedTask[] {
  const done: LeasedTask[] = [];
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const poll = { namespace, hooks: [HOOK, ORDER], maxTasks: 16, wait: span(200) };
      const { tasks } = await client.call("pollTasks", poll);
      for (const leased of tasks) {
        done.push(leased);
        const { leaseToken, task } = leased;
        const ref = { namespace, taskId: task?.taskId ?? "", leaseToken };
        await client.call("completeTask", { ...ref, output: workOn(leased) });
      }
    }
  };
  const running = loop();
  stops.push(async () => {
    isOver = true;
    await running;
  });
  return done;
}

describe("a task to embed", () => {
  test("has the texts, and its vectors go to the caller", async () => {
    const server = await start();
    const { client } = server;
    const asked = client.call("embed", {
      texts: ["a", "b"],
      purpose: EmbeddingPurpose.QUERY,
    });
    const { task, input, ref } = await take(server, { workerId: "w", lease: span(30_000) });
    expect(task).toMatchObject({
      ...{ namespace: "default", hook: HOOK, type: TaskType.EMBED, state: TaskState.LEASED },
      ...{ sessionId: "", stage: "", workerId: "w", failedAttempts: 0, maxAttempts: 5 },
      ...{ callCount: 1, work: undefined, readyTime: undefined, lastFailure: undefined },
    });
    const expireMs = Number(task?.leaseExpireTime?.seconds) * 1_000;
    expect(Math.abs(expireMs - Date.now() - 30_000)).toBeLessThan(3_000);
    expect(input).toEqual({
      $case: "embed",
      value: { texts: ["a", "b"], purpose: EmbeddingPurpose.QUERY, dimensions: 2 },
    });
    const output = vectorsOf([
      [3, 4],
      [0, -2],
    ]);
    const repeat = { ...ref, output, requestId: "once" };
    const answer = await client.call("completeTask", repeat);
    expect(answer).toEqual({ revision: 0n, summaryVersion: 0n, continues: false });
    expect(await client.call("completeTask", repeat)).toEqual(answer);
    const other = { ...repeat, output: vectorsOf([]) };
    expect((await client.fail("completeTask", other)).reason).toBe("REQUEST_ID_REUSED");
    const { embeddings } = await asked;
    expect(embeddings.map(({ model }) => model)).toEqual([`${HOOK}@2`, `${HOOK}@2`]);
    const [first, second] = embeddings.map(({ values }) =>
      values.map((value) => +value.toFixed(3)),
    );
    expect([first, second]).toEqual([
      [0.6, 0.8],
      [0, -1],
    ]);
    const late = { ...ref, output };
    expect((await client.fail("completeTask", late)).reason).toBe("TASK_NOT_FOUND");
  });

  test("is not listed, and nothing of it is stored", async () => {
    const server = await start();
    const { client, store } = server;
    const revision = await revisionOf(store);
    const asked = client.call("embed", { texts: ["a"] });
    const { ref } = await take(server);
    const { taskId } = ref;
    expect((await client.call("listTasks")).tasks).toEqual([]);
    for (const method of ["getTask", "retryTask", "deleteTask"] as const) {
      expect((await client.fail(method, { taskId })).reason).toBe("TASK_NOT_FOUND");
    }
    const { expireTime } = await client.call("extendLease", { ...ref, lease: span(600_000) });
    expect(Number(expireTime?.seconds) * 1_000 - Date.now()).toBeGreaterThan(590_000);
    await client.call("completeTask", { ...ref, output: vectorsOf([[1, 0]]) });
    await asked;
    expect(await revisionOf(store)).toBe(revision);
  });

  test("is split where it has more texts than a batch, and stays in its namespace", async () => {
    const server = await start();
    const done = work(server, "mine");
    const asked = { namespace: "mine", texts: ["one", "two", "three otters"] };
    const { embeddings } = await server.client.call("embed", asked);
    expect(embeddings.map(({ values }) => values[0]?.toFixed(2))).toEqual(["0.00", "0.00", "0.71"]);
    expect(done.map(({ task }) => task?.namespace)).toEqual(["mine", "mine"]);
    const failure = await server.client.fail("embed", { texts: ["x"] });
    expect(failure).toMatchObject({ code: "UNAVAILABLE", reason: "EMBEDDER_UNAVAILABLE" });
  });

  test("refuses results of another form, which are failed attempts", async () => {
    const server = await start();
    const { client } = server;
    const asked = client.call("embed", { texts: ["a"] });
    const results: readonly [Output, string][] = [
      [vectorsOf([[1, 2, 3]]), "embed"],
      [vectorsOf([[1, Number.NaN]]), "embed"],
      [scoresOf([1]), "rerank"],
      [outputOf("text"), "summarize"],
    ];
    for (const [attempt, [output, field]] of results.entries()) {
      const { task, ref } = await take(server, { wait: span(20_000) });
      expect(task?.failedAttempts).toBe(attempt);
      const failure = await client.fail("completeTask", { ...ref, output });
      expect(failure).toMatchObject({
        ...{ code: "INVALID_ARGUMENT", reason: "TASK_RESULT_INVALID", fields: [field] },
        metadata: { task_id: ref.taskId, failure: "INVALID_OUTPUT" },
      });
      expect((await client.fail("completeTask", { ...ref, output })).reason).toBe("LEASE_LOST");
    }
    const { task, ref } = await take(server, { wait: span(20_000) });
    expect(task?.lastFailure?.message).toContain("different type");
    await client.call("completeTask", { ...ref, output: vectorsOf([[1, 0]]) });
    expect((await asked).embeddings).toHaveLength(1);
    const { hooks } = await client.call("listHooks");
    const hook = hooks.find(({ name }) => name === HOOK);
    expect(hook).toMatchObject({ callCount: 5n, failures: [{ count: 4n }] });
  }, 60_000);

  test("fails its caller when a worker says that it is no use", async () => {
    const server = await start();
    const { client } = server;
    const asked = client.fail("embed", { texts: ["a"] });
    const { ref } = await take(server);
    const given = await client.call("failTask", { ...ref, retryDelay: span(1) });
    expect(given).toMatchObject({ state: TaskState.READY });
    expect(given.readyTime).toBeDefined();
    const again = await take(server);
    expect(again.task?.lastFailure?.message).toBe("The worker returned the task.");
    const over = await client.call("failTask", { ...again.ref, permanent: true, message: "no" });
    expect(over).toEqual({ state: TaskState.DEAD, readyTime: undefined });
    expect(await asked).toMatchObject({ code: "ABORTED", reason: "HOOK_FAILED" });
    expect((await client.fail("failTask", again.ref)).reason).toBe("TASK_NOT_FOUND");
  });

  test("is gone when its caller is", async () => {
    const server = await start();
    const { client } = server;
    const asked = client.fail("embed", { texts: ["a"] }, { deadlineMs: 400 });
    const { ref } = await take(server);
    expect((await asked).code).toBe("DEADLINE_EXCEEDED");
    await wait(50);
    const output = vectorsOf([[1, 0]]);
    expect((await client.fail("completeTask", { ...ref, output })).reason).toBe("TASK_NOT_FOUND");
  });

  test("goes to another worker when the lease of the first one ends", async () => {
    const server = await start();
    const asked = server.client.call("embed", { texts: ["a"] });
    const first = await take(server, { lease: span(1_000) });
    const second = await take(server);
    expect(second.task).toMatchObject({ failedAttempts: 1, callCount: 2 });
    const output = vectorsOf([[1, 0]]);
    const late = await server.client.fail("completeTask", { ...first.ref, output });
    expect(late.reason).toBe("LEASE_LOST");
    await server.client.call("completeTask", { ...second.ref, output });
    expect((await asked).embeddings).toHaveLength(1);
  });

  test("comes before tasks to summarize, which take no vectors", async () => {
    const server = await start();
    const { client } = server;
    await makeScene(server, "s");
    const asked = client.call("embed", { texts: ["a"] });
    await wait(100);
    const poll = { hooks: [WORKERS, HOOK], maxTasks: 2 };
    const { tasks } = await client.call("pollTasks", poll);
    expect(tasks.map(({ task }) => task?.type)).toEqual([TaskType.EMBED, TaskType.SUMMARIZE]);
    const [first, second] = tasks.map(({ task, leaseToken }) => ({
      ...{ taskId: task?.taskId ?? "", leaseToken },
    }));
    const output = vectorsOf([[1, 0]]);
    expect(await client.fail("completeTask", { ...second, output })).toMatchObject({
      ...{ reason: "TASK_RESULT_INVALID", fields: ["embed"] },
    });
    const { task } = await client.call("getTask", { taskId: second?.taskId ?? "" });
    expect(task).toMatchObject({ state: TaskState.READY, failedAttempts: 1 });
    await client.call("completeTask", { ...first, output });
    await asked;
    expect((await takeTask(server, { wait: span(5_000) })).task.type).toBe(TaskType.SUMMARIZE);
  });
});

describe("a hook whose workers make vectors", () => {
  const idOf = ({ record }: RecallHit): string =>
    record?.$case === "message" ? (record.value.message?.messageId ?? "") : "d";

  async function say({ client }: TestServer): Promise<void> {
    for (const [at, text] of ["otter short", "otter otter otter", "none"].entries()) {
      await client.call("appendMessages", {
        ...{ sessionId: `s${at}`, createSession: true },
        messages: [message({ messageId: `m${at}`, text })],
      });
    }
  }

  test("says what it does, and cannot summarize", async () => {
    const { client } = await start();
    const { hooks } = await client.call("listHooks");
    const types = new Map(hooks.map(({ name, taskTypes }) => [name, taskTypes]));
    expect(types.get(HOOK)).toEqual([TaskType.EMBED]);
    expect(types.get(ORDER)).toEqual([TaskType.RERANK]);
    expect(types.get(WORKERS)).toEqual([TaskType.SUMMARIZE]);
    const isDefault = hooks.filter((hook) => hook.isDefault).map(({ name }) => name);
    expect(isDefault).toEqual([HOOK]);
    expect(hooks.find(({ name }) => name === HOOK)?.kind).toBe(HookKind.POLL);
  });

  test("is what a recall finds with, once workers made the vectors", async () => {
    const server = await start();
    const { client } = server;
    await say(server);
    // Nobody is there: the words are found, and only the first search waits to see.
    await client.call("recall", { query: "otter" });
    const before = Date.now();
    const { hits, coverage } = await client.call("recall", { query: "otter" });
    // A second wait for workers would take two seconds.
    expect(Date.now() - before).toBeLessThan(1_900);
    expect(hits.map(idOf)).toContain("m1");
    expect(coverage?.dense).toBe(DenseState.UNAVAILABLE);
    const done = work(server);
    const ask = { query: "otter otter otter", mode: RecallMode.DENSE };
    await expect
      .poll(
        async () => {
          const found = await client.call("recall", ask);
          return [found.coverage?.withoutVectorCount, found.hits.map(idOf)[0]];
        },
        { timeout: 10_000 },
      )
      .toEqual([0n, "m1"]);
    const purposes = done.map(({ input }) => input?.$case === "embed" && input.value.purpose);
    expect(purposes).toContain(EmbeddingPurpose.PASSAGE);
    expect(purposes).toContain(EmbeddingPurpose.QUERY);
    await client.call("appendMessages", {
      sessionId: "s2",
      messages: [message({ messageId: "m9", text: "otter otter otter otter otter" })],
    });
    const more = { query: "otter otter otter otter otter", mode: RecallMode.DENSE };
    await expect
      .poll(async () => (await client.call("recall", more)).hits.map(idOf)[0], { timeout: 10_000 })
      .toBe("m9");
  }, 30_000);

  test("has vectors in a namespace though the workers of another one fail", async () => {
    const server = await start();
    const { client } = server;
    let failed = 0;
    let isOver = false;
    const failing = async (): Promise<void> => {
      while (!isOver) {
        const poll = { namespace: "bad", hooks: [HOOK], wait: span(200) };
        for (const { task, leaseToken } of (await client.call("pollTasks", poll)).tasks) {
          const ref = { namespace: "bad", taskId: task?.taskId ?? "", leaseToken };
          await client.call("failTask", { ...ref, permanent: true });
          failed += 1;
        }
      }
    };
    const running = failing();
    stops.push(async () => {
      isOver = true;
      await running;
    });
    const done = work(server, "good");
    for (const namespace of ["good", "bad"]) {
      await client.call("appendMessages", {
        ...{ namespace, sessionId: "s", createSession: true },
        messages: [message({ messageId: "m", text: "otter" })],
      });
    }
    const pending = async (namespace: string, query: string) => {
      const ask = { namespace, query, mode: RecallMode.LEXICAL };
      return (await client.call("recall", ask)).coverage?.withoutVectorCount;
    };
    // The newest request is served first, and that is the one that fails.
    await pending("good", "x");
    await expect.poll(() => pending("bad", "x").then(() => failed > 1)).toBe(true);
    await client.call("appendMessages", {
      ...{ namespace: "good", sessionId: "s" },
      messages: [message({ messageId: "m2", text: "otter otter" })],
    });
    const hasVector = () =>
      done.some(
        ({ input }) => input?.$case === "embed" && input.value.texts.includes("otter otter"),
      );
    await expect
      .poll(() => pending("bad", "x").then(hasVector), { timeout: 15_000, interval: 200 })
      .toBe(true);
    expect(await pending("bad", "x")).toBe(1n);
  }, 30_000);

  test("puts hits in order, or leaves them as they are when nobody does", async () => {
    const server = await start();
    const { client } = server;
    await say(server);
    const ask = { query: "otter", mode: RecallMode.LEXICAL };
    const plain = await client.call("recall", ask);
    const rerank = { hook: ORDER, candidates: 0 };
    const alone = await client.call("recall", { ...ask, rerank });
    expect(alone.coverage?.rerank).toBe(RerankState.UNAVAILABLE);
    expect(alone.hits.map(idOf)).toEqual(plain.hits.map(idOf));
    const done = work(server);
    await wait(100);
    const ordered = await client.call("recall", { ...ask, rerank });
    expect(ordered.coverage?.rerank).toBe(RerankState.USED);
    expect(ordered.hits.map(idOf).at(-1)).toBe("m1");
    const input = done.find((leased) => leased.input?.$case === "rerank")?.input;
    expect(input?.$case === "rerank" && input.value.query).toBe("otter");
  });
});
