// Goal: workers take tasks, bring what they made of them or give them back, and every refusal says
// why; nothing takes effect twice, and what a worker does not finish is done by another.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { SummaryFlow, SummaryKeep } from "../../src/gen/memorysidecar/v1/policy.ts";
import { TaskFailureReason, TaskState } from "../../src/gen/memorysidecar/v1/task.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  detailsOf,
  dropTasks,
  inputOf,
  kindsOf,
  lines,
  makeScene,
  outputOf,
  span,
  summarizingPolicy,
  takeTask,
  tasksOf,
  WORKERS,
  windowTexts,
} from "../support/contract/summarizing.ts";
import { hooksOf, pollHook, scriptedHook } from "../support/hooks/hooks.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  const hooks = [pollHook(WORKERS), pollHook("others"), scriptedHook("model")];
  server = await startContractServer({ hooks: hooksOf(hooks) });
});

afterEach(() => dropTasks(server));

afterAll(() => server[Symbol.asyncDispose]());

const fresh = (): string => `s${count++}`;

/** A session with a task that is taken, in a namespace of its own. */
async function taken(
  of: Parameters<typeof summarizingPolicy>[0] = {},
  lease?: ReturnType<typeof span>,
) {
  const namespace = `n${count++}`;
  const policy = summarizingPolicy(of);
  await makeScene(server, "s", { namespace, policy });
  const { task, ref, leased } = await takeTask(server, { namespace, workerId: "w1", lease });
  return { namespace, task, leased, ref: { namespace, ...ref } };
}

const gone = { taskId: "task-00000000zzz", leaseToken: "x" };

describe("PollTasks", () => {
  test("is not for workers that pass for the server", async () => {
    const failure = await server.client.fail("pollTasks", { hooks: [WORKERS], workerId: "server" });
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", metadata: { field: "worker_id" } });
  });

  test("gives a task with all that is needed to do it", async () => {
    const sessionId = fresh();
    const append = await makeScene(server, sessionId, {
      policy: summarizingPolicy({ maxTokens: 64, instructions: "Keep the names." }),
    });
    const { leased, task } = await takeTask(server, { workerId: "w1", lease: span(30_000) });
    expect(append.stageRuns[0]).toMatchObject({ stage: "shrink", taskId: task.taskId });
    expect(task).toMatchObject({
      namespace: "default",
      sessionId,
      hook: WORKERS,
      stage: "shrink",
      type: 1,
      state: TaskState.LEASED,
      workerId: "w1",
      callCount: 1,
      failedAttempts: 0,
      maxAttempts: 5,
    });
    expect(task.work?.value).toMatchObject({
      seqRanges: [{ firstSeq: 1n, lastSeq: 3n }],
      sourceTotals: { messageCount: 3n, tokenCount: 60n },
      level: 1,
    });
    const expireMs = Number(task.leaseExpireTime?.seconds ?? 0n) * 1_000;
    expect(Math.abs(expireMs - Date.now() - 30_000)).toBeLessThan(3_000);
    const input = inputOf(leased);
    expect(input?.messages.map(({ messageId }) => messageId)).toEqual(["m1", "m2", "m3"]);
    const texts = lines(3).map(({ text }) => `user: ${text}`);
    expect(input?.transcript.trim().split("\n")).toEqual(texts.map((text) => text.trim()));
    expect(input).toMatchObject({ maxTokens: 64, instructions: "Keep the names.", loop: 0 });
    expect(input?.replacesPrior).toBe(false);
    const completed = await server.client.call("completeTask", {
      taskId: task.taskId,
      leaseToken: leased.leaseToken,
      output: outputOf("short"),
    });
    expect(completed.summaryVersion).toBe(1n);
  });

  test("gives nothing when there is nothing, and a task to one worker only", async () => {
    const namespace = `n${count++}`;
    const poll = { namespace, hooks: [WORKERS] };
    expect((await server.client.call("pollTasks", poll)).tasks).toEqual([]);
    await makeScene(server, "s", { namespace });
    const polls = await Promise.all(
      [1, 2, 3].map(() => server.client.call("pollTasks", { ...poll, maxTasks: 16 })),
    );
    expect(polls.flatMap(({ tasks }) => tasks)).toHaveLength(1);
  });

  test("gives one task unless more are asked for, the longest ready first", async () => {
    const namespace = `n${count++}`;
    for (const sessionId of ["a", "b", "c"]) {
      await makeScene(server, sessionId, { namespace });
      server.advance(10);
    }
    const first = await takeTask(server, { namespace });
    expect(first.task.sessionId).toBe("a");
    const { tasks } = await server.client.call("pollTasks", {
      namespace,
      hooks: [WORKERS],
      maxTasks: 16,
    });
    expect(tasks.map(({ task }) => task?.sessionId)).toEqual(["b", "c"]);
    expect(new Set(tasks.map(({ leaseToken }) => leaseToken)).size).toBe(2);
  });

  test("gives tasks of the hooks and the namespace that are named", async () => {
    const namespace = `n${count++}`;
    await makeScene(server, "s", { namespace, policy: summarizingPolicy({ hook: "others" }) });
    const none = await server.client.call("pollTasks", { namespace, hooks: [WORKERS] });
    expect(none.tasks).toEqual([]);
    const elsewhere = await server.client.call("pollTasks", {
      namespace: `n${count++}`,
      hooks: ["others"],
    });
    expect(elsewhere.tasks).toEqual([]);
    const hooks = [WORKERS, "others", WORKERS];
    expect((await takeTask(server, { namespace, hooks })).task.hook).toBe("others");
  });

  test("refuses hooks that are none, or that nobody polls", async () => {
    for (const hook of ["nobody", "model", "builtin"]) {
      const hooks = [WORKERS, hook];
      expect(await server.client.fail("pollTasks", { hooks })).toMatchObject({
        code: "FAILED_PRECONDITION",
        reason: "HOOK_NOT_CONFIGURED",
        metadata: { hook },
        details: ["ErrorInfo"],
      });
    }
  });

  test("takes a task back when its lease ends, and gives it to another worker", async () => {
    const { namespace, task, ref } = await taken({}, span(1_000));
    server.advance(1_500);
    await server.client.call("pollTasks", { namespace, hooks: [WORKERS] });
    server.advance(3_000);
    const second = await takeTask(server, { namespace, workerId: "w2" });
    expect(second.task).toMatchObject({
      taskId: task.taskId,
      workerId: "w2",
      failedAttempts: 1,
      callCount: 2,
      lastFailure: { reason: TaskFailureReason.TIMEOUT },
    });
    const late = await server.client.fail("completeTask", { ...ref, output: outputOf("late") });
    expect(late).toMatchObject({ code: "ABORTED", reason: "LEASE_LOST" });
    const { summaryVersion } = await server.client.call("completeTask", {
      namespace,
      ...second.ref,
      output: outputOf("in time"),
    });
    expect(summaryVersion).toBe(1n);
    const { summaries } = await server.client.call("listSummaries", { namespace, sessionId: "s" });
    expect(summaries.map(({ text }) => text)).toEqual(["in time"]);
  });
});

describe("CompleteTask", () => {
  test("puts the text in the place of the messages, and is done", async () => {
    const sessionId = fresh();
    await makeScene(server, sessionId);
    const { ref } = await takeTask(server);
    const output = outputOf("they agreed", { model: "m", inputTokens: 70n, outputTokens: 3n });
    const answer = await server.client.call("completeTask", { ...ref, output });
    expect(answer).toMatchObject({ summaryVersion: 1n, continues: false });
    expect(answer.revision).toBeGreaterThan(0n);
    const [, m4 = "", m5 = ""] = await windowTexts(server, sessionId);
    expect((await windowTexts(server, sessionId))[0]).toBe("they agreed");
    expect([m4, m5]).toEqual(lines(2, 4).map(({ text }) => text));
    expect(await tasksOf(server, sessionId)).toEqual([]);
    expect(await server.client.fail("completeTask", { ...ref, output })).toMatchObject({
      code: "NOT_FOUND",
      reason: "TASK_NOT_FOUND",
      metadata: { task_id: ref.taskId },
    });
  });

  test("does a repeat once, and remembers its answer", async () => {
    const { ref, namespace } = await taken();
    const request = { ...ref, requestId: "done", output: outputOf("once") };
    const first = await server.client.call("completeTask", request);
    expect(await server.client.call("completeTask", request)).toEqual(first);
    const other = { ...request, output: outputOf("twice") };
    expect(await server.client.fail("completeTask", other)).toMatchObject({
      code: "FAILED_PRECONDITION",
      reason: "REQUEST_ID_REUSED",
    });
    const { summaries } = await server.client.call("listSummaries", { namespace, sessionId: "s" });
    expect(summaries).toHaveLength(1);
  });

  test("refuses a task that is none, of another namespace, or that another has", async () => {
    const { ref } = await taken();
    const output = outputOf("text");
    for (const taskId of ["task-00000000zzz", "none", "\u0000", "x".repeat(100_000)]) {
      const failure = await server.client.fail("completeTask", { ...ref, taskId, output });
      expect(failure).toMatchObject({ code: "NOT_FOUND", reason: "TASK_NOT_FOUND" });
      expect(failure.trailerBytes).toBeLessThan(8_000);
    }
    const elsewhere = { ...ref, namespace: `n${count++}`, output };
    expect((await server.client.fail("completeTask", elsewhere)).reason).toBe("TASK_NOT_FOUND");
    const foreign = { ...ref, leaseToken: `${ref.leaseToken}x`, output };
    expect(await server.client.fail("completeTask", foreign)).toMatchObject({
      code: "ABORTED",
      reason: "LEASE_LOST",
      metadata: { task_id: ref.taskId },
    });
    expect((await server.client.call("completeTask", { ...ref, output })).summaryVersion).toBe(1n);
  });

  test("refuses a result for messages that changed, and has the rest done anew", async () => {
    const { ref, namespace, task } = await taken();
    const target = { $case: "keepRecent", value: 4 } as const;
    await server.client.call("trimSession", { namespace, sessionId: "s", target });
    const output = outputOf("of all three");
    expect(await server.client.fail("completeTask", { ...ref, output })).toMatchObject({
      code: "ABORTED",
      reason: "TASK_SUPERSEDED",
      metadata: { task_id: task.taskId },
    });
    await server.client.call("appendMessages", {
      namespace,
      sessionId: "s",
      messages: lines(1, 6),
    });
    const { leased, ref: second } = await takeTask(server, { namespace });
    const ids = inputOf(leased)?.messages.map(({ messageId }) => messageId) ?? [];
    expect(ids).toEqual(["m2", "m3"]);
    const again = { namespace, ...second, output: outputOf("of those that are left") };
    expect((await server.client.call("completeTask", again)).summaryVersion).toBe(1n);
  });

  test("has no task any more when a message of it is deleted, and a new one for the rest", async () => {
    const { ref, namespace } = await taken();
    await server.client.call("deleteMessage", { namespace, sessionId: "s", messageId: "m2" });
    const output = outputOf("of all three");
    expect(await server.client.fail("completeTask", { ...ref, output })).toMatchObject({
      code: "NOT_FOUND",
      reason: "TASK_NOT_FOUND",
    });
    await server.client.call("appendMessages", {
      namespace,
      sessionId: "s",
      messages: lines(1, 6),
    });
    const { leased } = await takeTask(server, { namespace });
    const ids = inputOf(leased)?.messages.map(({ messageId }) => messageId) ?? [];
    expect(ids.slice(0, 2)).toEqual(["m1", "m3"]);
  });

  test("refuses a summary that goes on from one that changed", async () => {
    const keep = SummaryKeep.REPLACE;
    const { ref, namespace } = await taken({ keep });
    await server.client.call("setSummary", { namespace, sessionId: "s", text: "by hand" });
    const failure = await server.client.fail("completeTask", { ...ref, output: outputOf("old") });
    expect(failure).toMatchObject({ code: "ABORTED", reason: "TASK_SUPERSEDED" });
    const { session } = await server.client.call("getSession", { namespace, sessionId: "s" });
    expect(session?.summary?.text).toBe("by hand");
  });

  test.each([
    ["an empty text", {}, outputOf(""), "EMPTY_OUTPUT"],
    ["a text of white space", {}, outputOf(" \n\t "), "EMPTY_OUTPUT"],
    ["a text that saves nothing", {}, outputOf("x".repeat(400)), "OUTPUT_TOO_LONG"],
    ["a text of too many bytes", {}, outputOf("x".repeat(65_537)), "OUTPUT_TOO_LONG"],
  ] as const)("counts %s as a failed attempt; the sources stay", async (_, of, output, failure) => {
    const { ref, namespace } = await taken(of);
    expect(await server.client.fail("completeTask", { ...ref, output })).toMatchObject({
      code: "INVALID_ARGUMENT",
      reason: "TASK_RESULT_INVALID",
      metadata: { task_id: ref.taskId, failure },
      details: ["ErrorInfo", "BadRequest"],
    });
    const { task } = await server.client.call("getTask", { namespace, taskId: ref.taskId });
    expect(task).toMatchObject({ state: TaskState.READY, failedAttempts: 1 });
    expect(task?.lastFailure?.reason).toBe(TaskFailureReason[failure]);
    const { messages } = await server.client.call("getWindow", { namespace, sessionId: "s" });
    expect(messages).toHaveLength(5);
  });

  test("goes on with a chain of density until nothing is missing", async () => {
    const of = { flow: SummaryFlow.DENSITY, maxLoops: 3 };
    const { ref, namespace, leased } = await taken(of);
    expect(inputOf(leased)).toMatchObject({ loop: 1, maxLoops: 3, draft: "" });
    const first = outputOf("first draft", { missingEntities: ["Ada"] });
    const answer = await server.client.call("completeTask", { ...ref, output: first });
    expect(answer).toMatchObject({ continues: true, summaryVersion: 0n });
    const second = await takeTask(server, { namespace });
    expect(inputOf(second.leased)).toMatchObject({ loop: 2, draft: "first draft" });
    const last = { namespace, ...second.ref, output: outputOf("with Ada") };
    expect(await server.client.call("completeTask", last)).toMatchObject({
      continues: false,
      summaryVersion: 1n,
    });
    const { summaries } = await server.client.call("listSummaries", { namespace, sessionId: "s" });
    expect(summaries.map(({ text, origin }) => [text, origin?.callCount])).toEqual([
      ["with Ada", 2],
    ]);
  });
});

describe("FailTask", () => {
  test("gives a task back, to be tried later, and says when", async () => {
    const { ref, namespace } = await taken();
    const nowMs = Date.now();
    const answer = await server.client.call("failTask", { ...ref, message: "no model here" });
    expect(answer.state).toBe(TaskState.READY);
    expect(Number(answer.readyTime?.seconds ?? 0n) * 1_000).toBeGreaterThan(nowMs - 1_000);
    const poll = { namespace, hooks: [WORKERS] };
    expect((await server.client.call("pollTasks", poll)).tasks).toEqual([]);
    const { task } = await server.client.call("getTask", { namespace, taskId: ref.taskId });
    expect(task).toMatchObject({ state: TaskState.READY, failedAttempts: 1, workerId: "" });
    expect(task?.lastFailure).toMatchObject({
      reason: TaskFailureReason.WORKER,
      message: "no model here",
    });
    expect(task?.readyTime).toEqual(answer.readyTime);
    server.advance(2_000);
    expect((await takeTask(server, { namespace })).task.taskId).toBe(ref.taskId);
  });

  test("waits as long as the worker asks, and an hour at most", async () => {
    const { ref, namespace } = await taken();
    await server.client.call("failTask", { ...ref, retryDelay: span(3_600_000) });
    const poll = { namespace, hooks: [WORKERS] };
    server.advance(3_500_000);
    expect((await server.client.call("pollTasks", poll)).tasks).toEqual([]);
    server.advance(101_000);
    expect((await server.client.call("pollTasks", poll)).tasks).toHaveLength(1);
  });

  test("makes a task dead after its attempts, or at once when asked to", async () => {
    const { ref, namespace } = await taken();
    const dead = await server.client.call("failTask", { ...ref, permanent: true });
    expect(dead).toEqual({ state: TaskState.DEAD, readyTime: undefined });
    const slow = await taken();
    let lease = slow.ref;
    for (let attempt = 1; ; attempt++) {
      const { state } = await server.client.call("failTask", lease);
      if (state === TaskState.DEAD) {
        expect(attempt).toBe(5);
        break;
      }
      server.advance(400_000);
      const next = await takeTask(server, { namespace: slow.namespace });
      lease = { namespace: slow.namespace, ...next.ref };
    }
    const { task } = await server.client.call("getTask", { namespace, taskId: ref.taskId });
    expect(task).toMatchObject({ state: TaskState.DEAD, readyTime: undefined });
  });

  test("does a repeat once", async () => {
    const { ref, namespace } = await taken();
    const request = { ...ref, requestId: "fail" };
    const first = await server.client.call("failTask", request);
    expect(await server.client.call("failTask", request)).toEqual(first);
    const { task } = await server.client.call("getTask", { namespace, taskId: ref.taskId });
    expect(task?.failedAttempts).toBe(1);
    const other = { ...request, permanent: true };
    expect((await server.client.fail("failTask", other)).reason).toBe("REQUEST_ID_REUSED");
  });

  test("refuses a task that is none, or that another has", async () => {
    const { ref } = await taken();
    expect(await server.client.fail("failTask", gone)).toMatchObject({
      code: "NOT_FOUND",
      reason: "TASK_NOT_FOUND",
    });
    await server.client.call("failTask", ref);
    expect(await server.client.fail("failTask", ref)).toMatchObject({
      code: "ABORTED",
      reason: "LEASE_LOST",
    });
  });
});

describe("ExtendLease", () => {
  test("keeps a task for longer", async () => {
    const { ref, namespace } = await taken({}, span(2_000));
    for (let round = 0; round < 3; round++) {
      server.advance(1_500);
      const { expireTime } = await server.client.call("extendLease", {
        ...ref,
        lease: span(2_000),
      });
      const { task } = await server.client.call("getTask", { namespace, taskId: ref.taskId });
      expect(task?.leaseExpireTime).toEqual(expireTime);
    }
    expect((await server.client.call("pollTasks", { namespace, hooks: [WORKERS] })).tasks).toEqual(
      [],
    );
    const { summaryVersion } = await server.client.call("completeTask", {
      ...ref,
      output: outputOf("slow but sure"),
    });
    expect(summaryVersion).toBe(1n);
  });

  test("is 60 seconds from now unless the worker says more", async () => {
    const { ref, namespace } = await taken({}, span(1_000));
    const before = await server.client.call("getTask", { namespace, taskId: ref.taskId });
    const { expireTime } = await server.client.call("extendLease", ref);
    const seconds = Number(
      (expireTime?.seconds ?? 0n) - (before.task?.leaseExpireTime?.seconds ?? 0n),
    );
    expect(Math.abs(seconds - 59)).toBeLessThanOrEqual(2);
  });

  test("refuses a task that is none, or that another has", async () => {
    const { ref } = await taken();
    expect((await server.client.fail("extendLease", gone)).reason).toBe("TASK_NOT_FOUND");
    const foreign = { ...ref, leaseToken: "x" };
    expect(await server.client.fail("extendLease", foreign)).toMatchObject({
      code: "ABORTED",
      reason: "LEASE_LOST",
    });
  });
});

describe("what a worker does", () => {
  test("is told by events, without content", async () => {
    const sessionId = fresh();
    await makeScene(server, sessionId);
    const first = await takeTask(server);
    await server.client.call("failTask", { ...first.ref, message: "secret of the worker" });
    server.advance(2_000);
    const { ref } = await takeTask(server);
    const output = outputOf("secret text", { model: "m", inputTokens: 9n, outputTokens: 2n });
    await server.client.call("completeTask", { ...ref, output });
    expect((await kindsOf(server, sessionId)).slice(1)).toEqual([
      "messagesAppended",
      "summaryRequested",
      "summaryFailed",
      "messagesTrimmed",
      "summarySet",
    ]);
    const named = { taskId: ref.taskId, stage: "shrink", hook: WORKERS };
    expect(await detailsOf(server, sessionId, "summaryFailed")).toMatchObject([
      { ...named, reason: TaskFailureReason.WORKER, failedAttempts: 1 },
    ]);
    const [set] = await detailsOf(server, sessionId, "summarySet");
    expect(set).toMatchObject({
      ...named,
      version: 1n,
      model: "m",
      callCount: 2,
      inputTokens: 9n,
      outputTokens: 2n,
      addedTotals: { messageCount: 3n, tokenCount: 60n },
      seqRanges: [{ firstSeq: 1n, lastSeq: 3n }],
    });
    expect(Number(set?.duration?.seconds ?? 0n)).toBeGreaterThanOrEqual(2);
    const { events } = await server.client.call("listEvents", { pageSize: 1_000 });
    const text = JSON.stringify(events, (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(text).not.toContain("secret");
    expect(server.log.join("")).not.toContain("secret");
  });
});
