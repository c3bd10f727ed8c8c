// Isolation of a bad task, a bad hook and a greedy namespace from the others: tasks are given up,
// budgets make them wait, and breakers open and close. Writes continue all the while.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BreakerState,
  connect,
  dropOldest,
  type Hook,
  type MemorySidecar,
  makePolicy,
  type SummarizeOptions,
  summarize,
  summaryView,
  TaskFailureReason,
  TaskState,
} from "../../clients/typescript/src/index.ts";
import { writeHooks } from "../support/hooks/cover-hook.ts";
import {
  answerWith,
  complete,
  type HttpAct,
  type ScriptedHttp,
  startScriptedHttp,
} from "../support/hooks/scripted-http.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { coverOf, numbered } from "../support/process/cover.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";
import { checkAccount, type SeenSummary, seqsOf } from "../support/process/summary-account.ts";
import {
  collect,
  drained,
  eventsOf,
  eventually,
  readAccount,
} from "../support/process/summary-reader.ts";

const HOUR_MS = 3_600_000;
const ATTEMPTS = 3;
const CALLS_PER_HOUR = 2;
const POISON = "poison";
const LIMIT_MS = 240_000;

let directory: TempDir;
let server: RunningServer;
let client: MemorySidecar;
let picky: ScriptedHttp;
let frugal: ScriptedHttp;
let flaky: ScriptedHttp;

const good: HttpAct = (socket, request) =>
  complete(coverOf(JSON.stringify(request.json["messages"])))(socket, request);
const bad = answerWith(500, "no");

/** Fails for whatever holds the poison. */
const choosy: HttpAct = (socket, request) => {
  const isPoisoned = JSON.stringify(request.json["messages"]).includes(POISON);
  (isPoisoned ? bad : good)(socket, request);
};

beforeAll(async () => {
  directory = await makeTempDir();
  picky = await startScriptedHttp([choosy]);
  frugal = await startScriptedHttp([good]);
  flaky = await startScriptedHttp([good]);
  const fields = (endpoint: ScriptedHttp) => ({
    kind: "openai",
    url: `${endpoint.url}/v1`,
    model: "m",
  });
  const hooks = await writeHooks(directory.path, {
    picky: { ...fields(picky), max_attempts: ATTEMPTS },
    frugal: { ...fields(frugal), calls_per_hour: CALLS_PER_HOUR },
    flaky: { ...fields(flaky), max_attempts: 50 },
  });
  const args = ["--hooks-file", hooks];
  server = await startServer({ dataDir: join(directory.path, "data"), args });
  client = connect(server.address, { timeoutMs: LIMIT_MS });
});

afterAll(async () => {
  client.close();
  await server.stop();
  for (const endpoint of [picky, frugal, flaky]) await endpoint[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function openSession(sessionId: string, options: SummarizeOptions): Promise<void> {
  const stage = dropOldest(
    "shrink",
    { maxMessages: 4 },
    { unit: "message", over: { messages: 8 }, summarize: summarize(options) },
  );
  const policy = makePolicy([stage], { summaryView: summaryView({ show: "none" }) });
  await client.createSession({ sessionId, policy });
}

async function say(sessionId: string, first: number, count: number, words?: string): Promise<void> {
  const texts = Array.from({ length: count }, (_, index) => numbered(first + index, words));
  await client.append(sessionId, texts);
}

async function hookNamed(name: string): Promise<Hook> {
  const hook = (await client.listHooks()).find((one) => one.name === name);
  if (hook === undefined) throw new Error(`there is no hook ${name}`);
  return hook;
}

function addedOf(summaries: readonly SeenSummary[]): number[] {
  return summaries.flatMap(({ added }) => seqsOf(added));
}

async function deadEvents(sessionId: string) {
  const events = await eventsOf(client, sessionId);
  return events.flatMap(({ detail }) => (detail?.$case === "taskDead" ? [detail.value] : []));
}

describe.concurrent("a server with hooks", () => {
  test("parks a task that always fails, and does the later ones and the others", {
    timeout: LIMIT_MS,
  }, async ({ expect }) => {
    await openSession("poisoned-at-once", { hook: "picky", keep: "append", leave: "at-once" });
    await openSession("poisoned-keep", { hook: "picky", keep: "append" });
    await openSession("healthy", { hook: "picky", keep: "append" });
    let said = 0;
    for (const sessionId of ["poisoned-at-once", "poisoned-keep"]) {
      // The first nine messages ask for a summary of the first five.
      await say(sessionId, 1, 5, POISON);
      await say(sessionId, 6, 4);
      let own = 9;
      const dead = await eventually(`${sessionId} is parked`, LIMIT_MS, async () => {
        await say(sessionId, own + 1, 5);
        await say("healthy", said + 1, 5);
        own += 5;
        said += 5;
        return (await collect(client.listTasks({ sessionId, state: "dead" })))[0];
      });
      expect(dead.failedAttempts).toBe(ATTEMPTS);
      expect(dead.lastFailure?.reason).toBe(TaskFailureReason.HOOK_ERROR);
      expect(dead.readyTime).toBeUndefined();
      await drained(client, sessionId);
      const [told, ...others] = await deadEvents(sessionId);
      expect(others).toEqual([]);
      expect(told).toMatchObject({ taskId: dead.taskId, failedAttempts: ATTEMPTS });
    }
    await drained(client, "healthy");
    const later = await readAccount(client, "poisoned-at-once");
    expect(checkAccount(later)).toEqual([]);
    expect(addedOf(later.summaries)).toHaveLength(later.lastSeq - later.window.length - 5);
    expect(later.tasks.map(({ isDead, runs }) => [isDead, seqsOf(runs)])).toEqual([
      [true, [1, 2, 3, 4, 5]],
    ]);
    const kept = await readAccount(client, "poisoned-keep");
    expect(kept.window).toEqual(kept.log);
    const healthy = await readAccount(client, "healthy");
    expect(checkAccount(healthy, { settled: true, textsCover: true })).toEqual([]);
    expect(healthy.summaries.length).toBeGreaterThan(1);
  });

  test("lets tasks wait for the next hour when a budget is used up, and takes writes", {
    timeout: LIMIT_MS,
  }, async ({ expect }) => {
    const startMs = Date.now();
    const sessionIds = [1, 2, 3, 4, 5].map((number) => `frugal-${number}`);
    for (const sessionId of sessionIds) {
      await openSession(sessionId, { hook: "frugal", keep: "append" });
      await say(sessionId, 1, 9);
    }
    const waiting = await eventually("tasks that wait for the hour", 90_000, async () => {
      const tasks = await collect(client.listTasks({ hook: "frugal" }));
      const late = tasks.filter(
        ({ readyTime }) => readyTime !== undefined && readyTime.getTime() > Date.now(),
      );
      return late.length > 0 && late.length === tasks.length ? tasks : undefined;
    });
    // The hour may pass in the middle of this test: then it has the budget of two hours.
    const isOneHour = Math.floor(startMs / HOUR_MS) === Math.floor(Date.now() / HOUR_MS);
    const calls = frugal.requests.length;
    expect(calls).toBeGreaterThanOrEqual(CALLS_PER_HOUR);
    expect(calls).toBeLessThanOrEqual(isOneHour ? CALLS_PER_HOUR : 2 * CALLS_PER_HOUR);
    expect(waiting).toHaveLength(sessionIds.length - calls);
    for (const { state, readyTime, failedAttempts } of waiting) {
      const readyMs = readyTime?.getTime() ?? 0;
      expect(state).toBe(TaskState.READY);
      expect(failedAttempts).toBe(0);
      expect(Math.floor(readyMs / HOUR_MS)).toBe(Math.floor(Date.now() / HOUR_MS) + 1);
      // Spread over half a minute.
      expect(readyMs % HOUR_MS).toBeLessThan(30_000);
    }
    const hook = await hookNamed("frugal");
    expect(hook.callsPerHour).toBe(CALLS_PER_HOUR);
    if (isOneHour) expect(hook.usedCalls).toBe(CALLS_PER_HOUR);
    expect(hook.breaker).toBe(BreakerState.CLOSED);
    for (const sessionId of sessionIds) {
      await say(sessionId, 10, 20);
      const account = await readAccount(client, sessionId);
      expect(checkAccount(account)).toEqual([]);
      expect(account.lastSeq).toBe(29);
    }
    expect(frugal.requests.length).toBeLessThanOrEqual(2 * CALLS_PER_HOUR);
    // Another namespace has a budget of its own.
    const other = { namespace: "other" };
    await client.append("elsewhere", numbered(1), { ...other, createSession: true });
    const elsewhere = (await client.listHooks(other)).find(({ name }) => name === "frugal");
    expect(elsewhere?.usedCalls).toBe(0);
  });

  test("opens the breaker of a hook that is down, and closes it when a trial succeeds", {
    timeout: LIMIT_MS,
  }, async ({ expect }) => {
    flaky.script(bad);
    const sessionIds = [1, 2, 3].map((number) => `flaky-${number}`);
    for (const sessionId of sessionIds) {
      await openSession(sessionId, { hook: "flaky", keep: "append" });
      await say(sessionId, 1, 9);
    }
    const open = await eventually("an open breaker", 90_000, async () => {
      const hook = await hookNamed("flaky");
      // Calls that were under way when it opened fail a moment later.
      const isSettled = hook.failures[0]?.count === flaky.requests.length;
      return hook.breaker === BreakerState.OPEN && isSettled ? hook : undefined;
    });
    const callsWhenOpen = flaky.requests.length;
    expect(callsWhenOpen).toBeGreaterThanOrEqual(5);
    // 30 seconds, and a fifth more or less.
    const waitMs = (open.retryTime?.getTime() ?? 0) - Date.now();
    expect(waitMs).toBeGreaterThan(10_000);
    expect(waitMs).toBeLessThan(36_500);
    expect(open.failures).toEqual([{ reason: TaskFailureReason.HOOK_ERROR, count: callsWhenOpen }]);
    // Nothing goes out while it is open, and writes go on.
    flaky.script(good);
    for (const sessionId of sessionIds) await say(sessionId, 10, 10);
    expect((await hookNamed("flaky")).breaker).toBe(BreakerState.OPEN);
    expect(flaky.requests.length).toBe(callsWhenOpen);
    const closed = await eventually("a closed breaker", 60_000, async () => {
      const hook = await hookNamed("flaky");
      return hook.breaker === BreakerState.CLOSED ? hook : undefined;
    });
    expect(closed.retryTime).toBeUndefined();
    expect(Date.now()).toBeGreaterThanOrEqual(open.retryTime?.getTime() ?? 0);
    for (const sessionId of sessionIds) {
      await drained(client, sessionId);
      const account = await readAccount(client, sessionId);
      expect(checkAccount(account, { settled: true, textsCover: true })).toEqual([]);
      expect(account.window.length).toBeLessThanOrEqual(8);
    }
  });
});

test("the server that cared had no fault of its own", () => {
  const levels = ["error", "fatal"];
  expect(server.logs.filter((entry) => levels.includes(String(entry["level"])))).toEqual([]);
  expect(server.output).toEqual([]);
});
