// Tasks, workers and summaries against the real server.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../../test/support/process/server.ts";
import {
  connect,
  dropOldest,
  ErasureState,
  type ExtractInput,
  type FoundInput,
  type HookTask,
  type MemoryFilterInput,
  type MemorySidecar,
  makePolicy,
  preset,
  type RecallHit,
  RemovedTo,
  RerankState,
  type ResolutionInput,
  type ResolveInput,
  runWorker,
  SummaryFailure,
  SummaryKeep,
  SummaryShow,
  summarize,
  summaryView,
  TaskRefused,
  type TaskStateName,
  type VectorsInput,
} from "../src/index.ts";

const HOOK = "agents";
const VECTORS = "vectors";
const ORDER = "order";
const FINDER = "finder";
const SCORER = "scorer";
const JUDGE = "judge";
const EXAMPLE = join(import.meta.dirname, "../examples/tasks.ts");
const POLLED = { timeout: 20_000 };
const run = promisify(execFile);

let dir: string;
let server: RunningServer;
const clients: MemorySidecar[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "memory-sidecar-tasks-"));
  const hooks = join(dir, "hooks.json");
  const polled = {
    [HOOK]: { kind: "poll", max_attempts: 2 },
    [VECTORS]: { kind: "poll", does: "embed", dimensions: 2 },
    [ORDER]: { kind: "poll", does: "rerank" },
    [FINDER]: { kind: "poll", does: "extract" },
    [SCORER]: { kind: "poll", does: "score" },
    [JUDGE]: { kind: "poll", does: "resolve" },
  };
  const named = { embedder: VECTORS, default_resolver: JUDGE };
  writeFileSync(hooks, JSON.stringify({ hooks: polled, ...named }));
  server = await startServer({
    dataDir: join(dir, "data"),
    listen: `unix:${join(dir, "tasks.sock")}`,
    args: ["--hooks-file", hooks],
  });
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A client in a namespace of its own. */
function memoryOf(namespace: string): MemorySidecar {
  const client = connect(server.address, { namespace });
  clients.push(client);
  return client;
}

/** Makes a task of a session. */
async function overflow(memory: MemorySidecar, sessionId: string): Promise<void> {
  const how = summarize({ hook: HOOK, keep: "append", leave: "at-once", onFailure: "drop" });
  const stage = dropOldest("oldest", { maxMessages: 2 }, { unit: "message", summarize: how });
  await memory.createSession({ sessionId, policy: makePolicy([stage]) });
  await memory.append(sessionId, ["one", "two", "three", "four"]);
}

async function tasks(memory: MemorySidecar, state?: TaskStateName): Promise<HookTask[]> {
  const found: HookTask[] = [];
  for await (const task of memory.listTasks({ state })) found.push(task);
  return found;
}

describe("how a stage summarizes", () => {
  test("is said with short names", () => {
    const how = summarize({ keep: "append", onFailure: "placeholder", separator: "" });
    expect(how).toEqual({
      keep: SummaryKeep.APPEND,
      onFailure: SummaryFailure.PLACEHOLDER,
      separator: "",
    });
    const stage = dropOldest("s", { maxMessages: 1 }, { summarize: how });
    expect(stage).toMatchObject({ removedTo: RemovedTo.SUMMARIZE, summarize: how });
    expect(summaryView({ show: "system-suffix", prefix: "" })).toEqual({
      show: SummaryShow.SYSTEM_SUFFIX,
      prefix: "",
    });
  });
});

describe("a worker", () => {
  test("does tasks until its signal is aborted", async () => {
    const memory = memoryOf("until");
    const stop = new AbortController();
    const seen: string[] = [];
    const work = runWorker(memory, {
      hooks: [HOOK],
      signal: stop.signal,
      workerId: "w",
      summarize: ({ transcript }) => {
        seen.push(transcript);
        return "short";
      },
    });
    await overflow(memory, "s");
    while ((await memory.getSession("s")).summary === undefined) await wait(10);
    stop.abort();
    expect(await work).toBe(1);
    expect(seen).toEqual(["user: one\nuser: two"]);
    const { messages } = await memory.window("s");
    expect(messages[0]?.text).toBe("Summary of the conversation so far: short");
  });

  test("gives back what its function throws, without its text", async () => {
    const memory = memoryOf("throws");
    await overflow(memory, "s");
    const stop = new AbortController();
    const throwing = runWorker(memory, {
      hooks: HOOK,
      signal: stop.signal,
      summarize: () => {
        stop.abort();
        throw new TypeError("a secret of the conversation");
      },
    });
    expect(await throwing).toBe(0);
    const [task] = await tasks(memory);
    expect(task).toMatchObject({ failedAttempts: 1, lastFailure: { message: "TypeError" } });
    await memory.retryTask(task?.taskId ?? "");
    const second = new AbortController();
    await runWorker(memory, {
      hooks: HOOK,
      signal: second.signal,
      summarize: () => {
        second.abort();
        throw new TaskRefused("not this one");
      },
    });
    const dead = await tasks(memory, "dead");
    expect(dead.map(({ lastFailure }) => lastFailure?.message)).toEqual(["not this one"]);
  });

  test("keeps its task while its function works", async () => {
    const memory = memoryOf("keeps");
    await overflow(memory, "s");
    const summarizeSlowly = async () => {
      await wait(2_500);
      return "late";
    };
    const done = await runWorker(memory, {
      hooks: HOOK,
      leaseMs: 1_000,
      maxTasks: 1,
      summarize: summarizeSlowly,
    });
    expect(done).toBe(1);
    expect((await memory.getSession("s")).summary?.text).toBe("late");
  });

  test("ends with an error that would come again", async () => {
    const work = runWorker(memoryOf("nobody"), { hooks: "nobody", summarize: () => "" });
    await expect(work).rejects.toMatchObject({ reason: "HOOK_NOT_CONFIGURED" });
  });
});

describe("a worker for recall", () => {
  const otters = (text: string) => Float32Array.of(text.split("otter").length - 1, 1);
  const shortest = (_: string, texts: readonly string[]) => texts.map((text) => -text.length);
  const sessionOf = ({ record }: RecallHit) =>
    record?.$case === "message" ? record.value.sessionId : "";

  test("makes vectors and puts hits in order", async () => {
    const memory = memoryOf("otters");
    const texts = ["otter otter otter otter", "one otter", "none of them"];
    for (const [at, text] of texts.entries()) {
      await memory.append(`s${at}`, [text], { createSession: true });
    }
    const stop = new AbortController();
    const purposes = new Set<string>();
    const work = runWorker(memory, {
      hooks: [VECTORS, ORDER],
      signal: stop.signal,
      embed: (given, purpose) => {
        purposes.add(purpose);
        return given.map(otters);
      },
      rerank: shortest,
    });
    const [made] = await memory.embed(["an otter"]);
    expect(made?.values[0]).toBeCloseTo(Math.SQRT1_2, 3);
    await expect
      .poll(
        async () => {
          const answer = await memory.recall("otter otter otter otter", { mode: "dense" });
          return [answer.coverage?.withoutVectorCount, answer.hits.map(sessionOf)[0]];
        },
        { timeout: 20_000 },
      )
      .toEqual([0, "s0"]);
    expect([...purposes].sort()).toEqual(["passage", "query"]);
    const ordered = await memory.recall("otter", { rerank: ORDER });
    expect(ordered.coverage?.rerank).toBe(RerankState.USED);
    const sessions = ordered.hits.map(sessionOf);
    expect(sessions.indexOf("s1")).toBeLessThan(sessions.indexOf("s0"));
    stop.abort();
    expect(await work).toBeGreaterThan(3);
  }, 40_000);

  test("gives back what it has no function for, and needs one", async () => {
    const memory = memoryOf("no-function");
    await overflow(memory, "s");
    const stop = new AbortController();
    const work = runWorker(memory, { hooks: HOOK, signal: stop.signal, embed: () => [] });
    while ((await tasks(memory))[0]?.lastFailure === undefined) await wait(10);
    stop.abort();
    expect(await work).toBe(0);
    const [task] = await tasks(memory);
    expect(task?.lastFailure?.message).toBe("the worker has no function for the task");
    await expect(runWorker(memory, { hooks: HOOK })).rejects.toThrow("give one of summarize");
  });

  test("gives back what its function answered in no form", async () => {
    const memory = memoryOf("no-form");
    const stop = new AbortController();
    let count = 0;
    const embed = (given: readonly string[]) => {
      count += 1;
      // A function of a caller without types may give anything.
      const nothing = undefined as unknown as VectorsInput;
      return count === 1 ? nothing : given.map(otters);
    };
    const work = runWorker(memory, { hooks: VECTORS, signal: stop.signal, embed });
    const [made] = await memory.embed(["none"]);
    expect(made?.values).toEqual([0, 1]);
    expect(count).toBe(2);
    stop.abort();
    expect(await work).toBe(1);
  });
});

describe("a worker for memory", () => {
  /** Finds a fact in each message that has an otter. */
  function find({ messages, text }: ExtractInput): FoundInput {
    const said = messages.length > 0 ? messages : [{ text, messageId: "" }];
    const otters = said.filter((one) => one.text.includes("otter"));
    return {
      facts: otters.map((one) => ({
        ...{ text: one.text.toUpperCase(), key: "animal", importance: 0.9 },
        messageIds: [one.messageId, "no"],
      })),
      entities: [{ name: "Otter", type: "animal" }, { name: "" }],
    };
  }

  async function textsOf(memory: MemorySidecar, filter: MemoryFilterInput): Promise<string[]> {
    const found: string[] = [];
    for await (const { text } of memory.listMemories({ filter })) found.push(text);
    return found;
  }

  test("finds facts in a text and after turns", async () => {
    const memory = memoryOf("finds");
    const stop = new AbortController();
    const asked: ExtractInput[] = [];
    const extract = (input: ExtractInput) => {
      asked.push(input);
      return find(input);
    };
    const work = runWorker(memory, { hooks: FINDER, signal: stop.signal, extract });
    const extraction = { hook: FINDER, targets: ["facts"], instructions: "animals" } as const;
    const shown = await memory.extractMemories({ text: "one otter", extraction, preview: true });
    expect(shown.memories.map(({ text }) => text)).toEqual(["ONE OTTER"]);
    expect(asked[0]).toMatchObject({ text: "one otter", instructions: "animals" });
    expect(await textsOf(memory, { everyone: true })).toEqual([]);
    const memoryPolicy = { extraction: { hook: FINDER } };
    await memory.createSession({ sessionId: "s", userId: "ana", memoryPolicy });
    await memory.recordTurn("s", { userText: "I saw an otter", assistantText: "Where?" });
    const facts = { userId: "ana", key: "animal" };
    await expect.poll(() => textsOf(memory, facts), POLLED).toEqual(["I SAW AN OTTER"]);
    stop.abort();
    expect(await work).toBe(2);
  });

  test("gives back what is no finding", async () => {
    const memory = memoryOf("no-finding");
    const stop = new AbortController();
    let count = 0;
    const extract = (input: ExtractInput) => {
      count += 1;
      return count === 1 ? ("an otter" as FoundInput) : find(input);
    };
    const work = runWorker(memory, { hooks: FINDER, signal: stop.signal, extract });
    const found = await memory.extractMemories({ text: "an otter", extraction: FINDER });
    expect(found.memories[0]?.text).toBe("AN OTTER");
    stop.abort();
    expect([await work, count]).toEqual([1, 2]);
  });

  test("scores what leaves the window", async () => {
    const memory = memoryOf("scores");
    const stop = new AbortController();
    const score = (texts: readonly string[]) =>
      texts.map((text) => (text.includes("otter") ? 0.9 : 0.1));
    const work = runWorker(memory, { hooks: SCORER, signal: stop.signal, score });
    const memoryPolicy = {
      promotion: { selection: "any-text", scoreHook: SCORER, importanceThreshold: 0.7 },
    } as const;
    const policy = preset("sliding_window", { max_messages: 2 });
    await memory.createSession({ sessionId: "s", userId: "ana", policy, memoryPolicy });
    for (const userText of ["Nothing new.", "An otter!", "Bye."]) {
      await memory.recordTurn("s", { userText, assistantText: "Yes." });
    }
    const kept = { userId: "ana", origin: "promotion" } as const;
    await expect.poll(() => textsOf(memory, kept), POLLED).toEqual(["An otter!"]);
    stop.abort();
    expect(await work).toBeGreaterThan(0);
  });

  test.each<[ResolutionInput, string[]]>([
    ["supersede", ["Tea at six."]],
    ["drop", ["Tea at five."]],
    ["keep-both", ["Tea at five.", "Tea at six."]],
    [{ text: "Tea at five or six." }, ["Tea at five or six."]],
    // No answer: both stay.
    ["whatever" as "drop", ["Tea at five.", "Tea at six."]],
  ])("settles what contradicts: %j", async (answer, left) => {
    const memory = memoryOf(`settles-${left.length}-${JSON.stringify(answer).length}`);
    const stop = new AbortController();
    const asked: unknown[] = [];
    const resolve = ({ text, known, key }: ResolveInput) => {
      asked.push([text, known, key]);
      return answer;
    };
    const work = runWorker(memory, { hooks: JUDGE, signal: stop.signal, resolve });
    await memory.remember({ text: "Tea at five.", key: "tea" });
    // The hook is the default_resolver of the hooks file.
    await memory.remember({ text: "Tea at six.", key: "tea" }, { conflict: "ask-hook" });
    expect(asked[0]).toEqual(["Tea at six.", ["Tea at five."], "tea"]);
    expect(await textsOf(memory, { everyone: true })).toEqual(left);
    stop.abort();
    expect(await work).toBe(answer === ("whatever" as "drop") ? 0 : 1);
  });
});

describe("the example", () => {
  test("meets every error of a worker", async () => {
    const { stdout } = await run(process.execPath, [EXAMPLE, server.address, HOOK], {
      timeout: 60_000,
    });
    expect(stdout).toMatch(/Done\.\n$/);
    const reasons = ["HOOK_NOT_CONFIGURED", "TASK_NOT_FOUND", "LEASE_LOST", "TASK_SUPERSEDED"];
    for (const reason of [...reasons, "TASK_RESULT_INVALID", "SUMMARY_NOT_FOUND"]) {
      expect(stdout).toContain(`   ${reason} (`);
    }
  });
});

test("a subject is erased, and its receipt names nobody", async () => {
  const memory = memoryOf("erased");
  await memory.append("s", ["one otter"], { createSession: true });
  const dry = await memory.eraseSubject({ sessionId: "s" }, { dryRun: true });
  expect(dry).toMatchObject({ erasureId: "", state: ErasureState.DRY_RUN });
  const { erasureId } = await memory.eraseSubject({ sessionId: "s" });
  let receipt = await memory.getErasure(erasureId);
  while (receipt.state === ErasureState.RUNNING) {
    await wait(50);
    receipt = await memory.getErasure(erasureId);
  }
  expect(receipt.erased).toEqual(dry.erased);
  await expect(memory.getSession("s")).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
  await expect(memory.getErasure("gone")).rejects.toMatchObject({ reason: "ERASURE_NOT_FOUND" });
  await expect(memory.eraseSubject({ userId: "" })).rejects.toThrow("userId is empty");
  const both = { userId: "a", agentId: "b" } as never;
  await expect(memory.eraseSubject(both)).rejects.toThrow("a subject is one of userId");
  for (const subject of [
    { agentId: "a" },
    { sessionId: "s", messageIds: ["m"] },
    { collectionId: "c", documentId: "d" },
  ]) {
    expect((await memory.eraseSubject(subject, { dryRun: true })).erased).toEqual([]);
  }
});
