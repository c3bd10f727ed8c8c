// Goal: workers that wait for tasks cost nobody else anything: they take no place of calls that
// work, end with their callers and with the server, and get answers that stock clients take.

import { setTimeout as wait } from "node:timers/promises";
import { credentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  requestBytes,
  startContractServer,
  TestClient,
  type TestServer,
  type TestServerOptions,
} from "../support/contract/client.ts";
import { message, written } from "../support/contract/samples.ts";
import {
  inputOf,
  lines,
  makeScene,
  outputOf,
  span,
  summarize,
  summarizingPolicy,
  takeTask,
  until,
  WORKERS,
} from "../support/contract/summarizing.ts";
import { hooksOf, pollHook } from "../support/hooks/hooks.ts";
import { revisionOf } from "../support/store/revisions.ts";

const STOCK_MAX = 4_194_304;
const started: TestServer[] = [];

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const hooks = hooksOf([pollHook(WORKERS), pollHook("idle")]);
  const server = await startContractServer({ hooks, ...options });
  started.push(server);
  return server;
}

afterEach(async () => {
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});

const poll = (ms: number) => ({ hooks: [WORKERS], wait: span(ms), maxTasks: 16 });

/** Starts `count` polls and collects their results; a call that fails gives its reason. */
function underWay(client: TestClient, count: number, request = poll(60_000)): Promise<string>[] {
  return Array.from({ length: count }, async () => {
    const outcome = await client.raw("pollTasks", requestBytes("pollTasks", request));
    if (!("failure" in outcome)) return outcome.bytes.length === 0 ? "empty" : "tasks";
    return outcome.failure.reason === "" ? outcome.failure.code : outcome.failure.reason;
  });
}

describe("a poll that waits", () => {
  test("gets the first task that comes", async () => {
    const server = await start();
    const [waiting = Promise.resolve("")] = underWay(server.client, 1);
    await wait(200);
    const before = Date.now();
    await makeScene(server, "s");
    expect(await waiting).toBe("tasks");
    expect(Date.now() - before).toBeLessThan(2_000);
  });

  test("gets a task that is given back, when it is ready again", async () => {
    const server = await start();
    await makeScene(server, "s");
    const { ref } = await takeTask(server);
    await server.client.call("failTask", { ...ref, retryDelay: span(0) });
    const [waiting = Promise.resolve("")] = underWay(server.client, 1, poll(10_000));
    expect(await waiting).toBe("tasks");
  });

  test("gets a task whose lease ends meanwhile", async () => {
    const server = await start();
    await makeScene(server, "s");
    await takeTask(server, { lease: span(1_000) });
    const [waiting = Promise.resolve("")] = underWay(server.client, 1, poll(10_000));
    expect(await waiting).toBe("tasks");
  });

  test("is answered when its time is over, and not before", async () => {
    const server = await start();
    const before = Date.now();
    expect(await Promise.all(underWay(server.client, 3, poll(300)))).toEqual(
      Array.from({ length: 3 }, () => "empty"),
    );
    expect(Date.now() - before).toBeGreaterThanOrEqual(290);
    expect(Date.now() - before).toBeLessThan(3_000);
  });

  test("gives each task to one of those who wait", async () => {
    const server = await start();
    const waiting = underWay(server.client, 8, poll(1_500));
    await wait(200);
    for (const sessionId of ["a", "b", "c"]) await makeScene(server, sessionId);
    const outcomes = await Promise.all(waiting);
    expect(outcomes.filter((outcome) => outcome === "tasks").length).toBeGreaterThan(0);
    const { tasks } = await server.client.call("listTasks");
    expect(tasks.map(({ callCount }) => callCount)).toEqual([1, 1, 1]);
  });

  test("takes no task for a caller that has gone", async () => {
    const server = await start();
    const bytes = requestBytes("pollTasks", poll(60_000));
    const gone = await server.client.raw("pollTasks", bytes, { deadlineMs: 200 });
    expect("failure" in gone && gone.failure.code).toBe("DEADLINE_EXCEEDED");
    await wait(100);
    await makeScene(server, "s");
    expect((await takeTask(server)).task.callCount).toBe(1);
  });
});

describe("calls that wait", () => {
  test("take no place of calls that work", async () => {
    const server = await start({ settings: { handlersMax: 2 } });
    const waiting = underWay(server.client, 50, poll(2_000));
    const compact = server.client.call("compactSession", {
      sessionId: (await makeScene(server, "s", { messages: lines(2) })) && "s",
      choice: { $case: "keepRecent", value: 0 },
      summarize: summarize(),
      wait: span(10_000),
    });
    await wait(300);
    for (let at = 0; at < 20; at++) await server.client.call("getSession", { sessionId: "s" });
    const { tasks } = await server.client.call("listTasks");
    expect(tasks).toHaveLength(1);
    const outcomes = await Promise.all(waiting);
    expect(outcomes.filter((outcome) => outcome === "tasks")).toHaveLength(1);
    await server.client.call("deleteTask", { taskId: tasks[0]?.taskId ?? "" });
    await compact;
  });

  test("are refused beyond the 750 of a namespace, and taken again when one has gone", async () => {
    const server = await start();
    const clients = [1, 2].map(
      () =>
        new TestClient(server.address, credentials.createInsecure(), {
          // A connection of its own: one takes 1,000 calls at a time.
          "grpc.use_local_subchannel_pool": 1,
        }),
    );
    const [many, few] = clients as [TestClient, TestClient];
    await makeScene(server, "s", { policy: summarizingPolicy({ hook: "manual" }) });
    const compact = requestBytes("compactSession", {
      sessionId: "s",
      choice: { $case: "keepRecent", value: 0 },
      summarize: summarize({ hook: "idle" }),
      wait: span(600_000),
    });
    const leaving = [
      few.start("pollTasks", requestBytes("pollTasks", poll(60_000))),
      few.start("compactSession", compact),
    ];
    await wait(200);
    // A probe may take the place of one of them for a moment: it comes back.
    const persistent = async (): Promise<string> => {
      for (;;) {
        const [outcome = ""] = await Promise.all(underWay(many, 1));
        if (outcome !== "POLL_LIMIT_REACHED") return outcome;
        await wait(50);
      }
    };
    const waiting = Array.from({ length: LIMITS.namespacePolls - leaving.length }, persistent);
    const limit = String(LIMITS.namespacePolls);
    const refused = {
      code: "UNAVAILABLE",
      reason: "POLL_LIMIT_REACHED",
      metadata: { limit },
    };
    const probe = () => few.raw("pollTasks", requestBytes("pollTasks", poll(10)));
    const full = await until(async () => {
      const outcome = await probe();
      return "failure" in outcome ? outcome.failure : undefined;
    });
    expect(full).toMatchObject({ ...refused, retryAfterMs: 1_000 });
    const request = { sessionId: "s", choice: { $case: "keepRecent", value: 1 } as const };
    const revision = await revisionOf(server.store);
    expect(await few.fail("compactSession", { ...request, wait: span(10) })).toMatchObject(refused);
    expect(await revisionOf(server.store)).toBe(revision);
    // A call that does not wait needs no such place.
    await few.call("pollTasks", { hooks: [WORKERS] });
    for (const call of leaving) call.cancel();
    await until(async () => ("failure" in (await probe()) ? undefined : true));
    await until(async () => ("failure" in (await probe()) ? undefined : true));
    const stopped = server.app.stop();
    const outcomes = await Promise.all(waiting);
    await stopped;
    for (const outcome of outcomes) expect(["empty", "SHUTTING_DOWN"]).toContain(outcome);
    for (const client of clients) client.close();
  }, 30_000);

  test("do not hold up a stop", async () => {
    const server = await start({ settings: { shutdownGraceMs: 10_000 } });
    await makeScene(server, "s", { policy: summarizingPolicy({ hook: "manual" }) });
    const waiting = underWay(server.client, 20);
    const compact = server.client
      .call("compactSession", {
        sessionId: "s",
        choice: { $case: "keepRecent", value: 1 },
        summarize: summarize({ hook: WORKERS, maxTokens: 64 }),
        wait: span(60_000),
      })
      .then(
        ({ outcome }) => outcome,
        (error: Error) => error.message,
      );
    await wait(300);
    const before = Date.now();
    await server.app.stop();
    expect(Date.now() - before).toBeLessThan(3_000);
    const outcomes = await Promise.all(waiting);
    const taken = outcomes.filter((outcome) => outcome === "tasks");
    expect(taken).toHaveLength(1);
    for (const outcome of outcomes) expect(["empty", "SHUTTING_DOWN", "tasks"]).toContain(outcome);
    expect([2, expect.stringContaining("SHUTTING_DOWN")]).toContainEqual(await compact);
  });
});

describe("an answer of PollTasks", () => {
  const polled = async (server: TestServer, maxTasks: number) => {
    const request = { hooks: [WORKERS], maxTasks };
    const outcome = await server.client.raw("pollTasks", requestBytes("pollTasks", request));
    if ("failure" in outcome) throw new Error(outcome.failure.message);
    return outcome.bytes;
  };

  test("fits what stock clients take, however much there is to do", async () => {
    const server = await start({
      hooks: hooksOf([pollHook(WORKERS, { inputTokensMax: 900_000 })]),
    });
    const texts = Array.from({ length: 4 }, (_, at) =>
      message({ messageId: `b${at}`, text: `${at}`.padEnd(240_000, "word ") }),
    );
    const sessions = 6;
    for (let at = 0; at < sessions; at++) {
      await makeScene(server, `s${at}`, { messages: [...texts, ...lines(2)] });
    }
    let left = sessions;
    let answers = 0;
    while (left > 0) {
      const bytes = await polled(server, 16);
      expect(bytes.length).toBeLessThanOrEqual(LIMITS.pageBytes);
      const { tasks } = await server.client.call("listTasks", { state: 2 });
      expect(tasks.length).toBeGreaterThan(sessions - left);
      left = sessions - tasks.length;
      answers += 1;
    }
    expect(answers).toBeGreaterThan(1);
  }, 30_000);

  test("fits with the largest task that there is", async () => {
    const server = await start({
      hooks: hooksOf([pollHook(WORKERS, { inputTokensMax: 900_000 })]),
    });
    const policy = summarizingPolicy({ instructions: "i".repeat(LIMITS.summaryInstructionsBytes) });
    const sessionId = "s";
    // Placed summaries of the largest size stand before the messages: the hook gets them, too.
    const early = Array.from({ length: 32 }, (_, at) =>
      message({ messageId: `e${at}`, text: "e" }),
    );
    await makeScene(server, sessionId, {
      policy: summarizingPolicy({ hook: "manual" }),
      messages: early,
    });
    for (const { messageId } of early) {
      await server.client.call("setSummary", {
        sessionId,
        text: messageId.padEnd(LIMITS.summaryBytes, "x"),
        replacedMessageIds: [messageId],
        placement: 2,
      });
    }
    const stored = await server.client.call("getSession", { sessionId });
    await server.client.call("updateSession", {
      session: {
        ...(stored.session as NonNullable<typeof stored.session>),
        policy: written(policy),
      },
      updateMask: ["policy"],
    });
    const messages = Array.from({ length: 5 }, (_, at) =>
      message({ messageId: `b${at}`, text: `${at}`.padEnd(209_000, "word ") }),
    );
    await server.client.call("appendMessages", { sessionId, messages: [...messages, ...lines(2)] });
    const bytes = await polled(server, 1);
    expect(bytes.length).toBeGreaterThan(100_000);
    expect(bytes.length).toBeLessThan(STOCK_MAX);
  }, 30_000);

  test("brings a worker what it needs to finish the task", async () => {
    const server = await start();
    await makeScene(server, "s");
    const { ref, leased } = await takeTask(server);
    const text =
      inputOf(leased)
        ?.messages.map(({ messageId }) => messageId)
        .join("+") ?? "";
    await server.client.call("completeTask", { ...ref, output: outputOf(text) });
    const { messages } = await server.client.call("getWindow", { sessionId: "s" });
    expect(messages[0]?.text).toBe("m1+m2+m3");
  });
});
