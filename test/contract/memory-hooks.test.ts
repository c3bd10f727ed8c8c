// Memories through the contract where hooks and sessions take part: finding facts, jobs, settling
// contradictions, turns, and a scope that is full.

import { afterEach, describe, expect, test } from "vitest";
import { ConflictMode, ConflictRule } from "../../src/gen/memorysidecar/v1/memory.ts";
import { TaskState, TaskType } from "../../src/gen/memorysidecar/v1/task.ts";
import { type Hook, HookFailure } from "../../src/hooks/port.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import type { Extracted } from "../../src/memory/rules/extracted.ts";
import type { Store } from "../../src/store/store.ts";
import {
  startContractServer,
  type TestServer,
  type TestServerOptions,
} from "../support/contract/client.ts";
import {
  EVERYONE,
  extraction,
  givingPolicy,
  memory,
  memoryFilter,
  memoryPolicy,
  memoryScope,
  message,
  session,
} from "../support/contract/samples.ts";
import { turnOf } from "../support/contract/turns.ts";
import { hooksOf, TEST_HOOK_SETTINGS } from "../support/hooks/hooks.ts";
import { eventually } from "../support/process/summary-reader.ts";
import { revisionOf } from "../support/store/revisions.ts";

const started: TestServer[] = [];

afterEach(async () => {
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startContractServer(options);
  started.push(server);
  return server;
}

const hook = (name: string, parts: Partial<Hook>): Hook => ({
  ...{ name, kind: "grpc", settings: TEST_HOOK_SETTINGS },
  ...parts,
});

const FOUND: Extracted = {
  facts: [
    {
      ...{ text: "Ann likes tea.", isPreference: true, key: "", category: "", topics: [] },
      ...{ importance: undefined, confidence: undefined, validFromMs: undefined, messageIds: [] },
    },
  ],
  ...{ entities: [], relations: [], model: "m", rejectedCount: 2 },
};

const down = async (): Promise<never> => {
  throw new HookFailure("hook-error", "down");
};

describe("ExtractMemories", () => {
  test("remembers what a hook finds, and gives it only when it is a preview", async () => {
    const { client } = await start({
      hooks: hooksOf([hook("finder", { extract: async () => FOUND })]),
    });
    const request = {
      text: "I like tea.",
      scope: memoryScope({ userId: "ann" }),
      extraction: extraction({ hook: "finder" }),
    };
    const preview = await client.call("extractMemories", { ...request, preview: true });
    expect(preview).toMatchObject({ createdCount: 1, rejectedCount: 2, revision: 0n });
    expect(preview.memories).toMatchObject([{ memoryId: "", etag: "", text: "Ann likes tea." }]);
    expect(
      (await client.call("listMemories", { filter: memoryFilter({ scope: EVERYONE }) })).memories,
    ).toEqual([]);
    const { memories, revision } = await client.call("extractMemories", request);
    expect(revision).toBeGreaterThan(0n);
    expect(memories).toMatchObject([
      { text: "Ann likes tea.", userId: "ann", trust: 1, source: { origin: 3, hook: "finder" } },
    ]);
    const again = await client.call("extractMemories", request);
    expect(again).toMatchObject({ createdCount: 0 });
  });

  test("fails when the hook does, and where there is no such session or hook", async () => {
    const { client, store } = await start({ hooks: hooksOf([hook("finder", { extract: down })]) });
    const request = { text: "x", extraction: extraction({ hook: "finder" }) };
    const failure = await client.fail("extractMemories", request);
    expect(failure).toMatchObject({
      ...{ code: "ABORTED", reason: "HOOK_FAILED", metadata: { hook: "finder" } },
      ...{ retryAfterMs: undefined, details: ["ErrorInfo"] },
    });
    expect(await revisionOf(store)).toBe(0);
    const nobody = { ...request, extraction: extraction({ hook: "nobody" }) };
    expect(await client.fail("extractMemories", nobody)).toMatchObject({
      ...{ code: "FAILED_PRECONDITION", reason: "HOOK_NOT_CONFIGURED" },
    });
    const gone = await client.fail("extractMemories", { sessionId: "gone" });
    expect(gone.reason).toBe("SESSION_NOT_FOUND");
  });
});

describe("tasks to extract and to score", () => {
  test("wait for a hook that is down, and are tried again or given up on request", async () => {
    const { client } = await start({ hooks: hooksOf([hook("finder", { extract: down })]) });
    const policy = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    for (const sessionId of ["a", "b"]) {
      await client.call("createSession", { session: session({ sessionId, memoryPolicy: policy }) });
      await client.call(
        "appendMessages",
        turnOf({ sessionId, userText: "I like tea.", assistantText: "ok" }),
      );
    }
    const { tasks, nextPageToken } = await client.call("listTasks", { pageSize: 1 });
    expect(tasks).toMatchObject([
      {
        ...{ sessionId: "a", type: TaskType.EXTRACT, hook: "finder", stage: "", maxAttempts: 5 },
        work: { $case: "memory", value: { seqRanges: [{ firstSeq: 1n, lastSeq: 2n }] } },
      },
    ]);
    const next = await client.call("listTasks", { pageSize: 1, pageToken: nextPageToken });
    expect(next.tasks.map(({ sessionId }) => sessionId)).toEqual(["b"]);
    const other = { pageSize: 1, pageToken: nextPageToken, sessionId: "b" };
    expect((await client.fail("listTasks", other)).reason).toBe("PAGE_TOKEN_INVALID");
    const dead = await client.call("listTasks", { state: TaskState.DEAD });
    expect(dead.tasks).toEqual([]);
    const taskId = tasks[0]?.taskId ?? "";
    expect((await client.call("getTask", { taskId })).task).toMatchObject({ taskId });
    expect((await client.call("retryTask", { taskId })).task).toMatchObject({
      ...{ taskId, sessionId: "a", failedAttempts: 0 },
    });
    await client.call("deleteTask", { taskId });
    for (const method of ["getTask", "retryTask", "deleteTask"] as const) {
      expect(await client.fail(method, { taskId })).toMatchObject({
        ...{ code: "NOT_FOUND", reason: "TASK_NOT_FOUND", metadata: { task_id: taskId } },
        details: ["ErrorInfo", "ResourceInfo"],
      });
    }
    await client.call("deleteTask", { taskId, allowMissing: true });
    const left = await client.call("listTasks");
    expect(left.tasks.map(({ sessionId }) => sessionId)).toEqual(["b"]);
  });

  test("repeat their answer under the same request id", async () => {
    const { client } = await start({ hooks: hooksOf([hook("finder", { extract: down })]) });
    const policy = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await client.call("createSession", {
      session: session({ sessionId: "a", memoryPolicy: policy }),
    });
    await client.call("appendMessages", turnOf({ sessionId: "a", userText: "I like tea." }));
    const taskId = (await client.call("listTasks")).tasks[0]?.taskId ?? "";
    const again = { taskId, requestId: "again" };
    const first = await client.call("retryTask", again);
    const gone = { taskId, requestId: "gone" };
    await client.call("deleteTask", gone);
    expect(await client.call("retryTask", again)).toEqual(first);
    expect(await client.call("deleteTask", gone)).toEqual({});
    const other = await client.fail("deleteTask", { ...gone, allowMissing: true });
    expect(other.reason).toBe("REQUEST_ID_REUSED");
  });
});

describe("a session that somebody else gets while a hook reads its messages", () => {
  /** A server whose hook gives the session away, and the calls of that hook. */
  async function startGiving() {
    const calls: string[] = [];
    const extract = async (_: unknown, { transcript }: { readonly transcript: string }) => {
      calls.push(transcript);
      if (calls.length === 1) await give("bob");
      return FOUND;
    };
    const server = await start({ hooks: hooksOf([hook("finder", { extract })]) });
    const { client } = server;
    const give = async (userId: string) => {
      const update = { session: session({ sessionId: "s", userId }), updateMask: ["user_id"] };
      await client.call("updateSession", update);
    };
    const policy = memoryPolicy({ extraction: extraction({ hook: "finder" }) });
    await client.call("createSession", {
      session: session({ sessionId: "s", userId: "ann", memoryPolicy: policy }),
    });
    const found = async () => {
      const { memories } = await client.call("listMemories", {
        filter: memoryFilter({ scope: EVERYONE }),
      });
      return memories.map(({ text, userId }) => [text, userId]);
    };
    return { server, calls, give, found };
  }

  test("gives it nothing of what was found by ExtractMemories", async () => {
    const { server, found } = await startGiving();
    await server.client.call("appendMessages", {
      ...{ sessionId: "s", messages: [message({ text: "I like tea." })] },
    });
    const made = await server.client.call("extractMemories", { sessionId: "s" });
    expect(made).toMatchObject({ memories: [], createdCount: 0 });
    expect(await found()).toEqual([]);
  });

  test("gives it nothing of what was found by a task, and then what it says itself", async () => {
    const { server, calls, found } = await startGiving();
    const { client } = server;
    await client.call("appendMessages", turnOf({ sessionId: "s", userText: "I like tea." }));
    await eventually("the end of the task", 10_000, async () =>
      calls.length > 0 && (await client.call("listTasks")).tasks.length === 0 ? true : undefined,
    );
    expect(await found()).toEqual([]);
    await client.call("appendMessages", turnOf({ sessionId: "s", userText: "So do I." }));
    await eventually("a memory", 10_000, async () => ((await found())[0] ? true : undefined));
    expect(await found()).toEqual([["Ann likes tea.", "bob"]]);
    expect(calls[1]).not.toContain("tea");
  });

  test("is asked nothing that waited for the end of a turn before", async () => {
    const { server, calls, give, found } = await startGiving();
    const { client } = server;
    calls.push("");
    await client.call("appendMessages", {
      ...{ sessionId: "s", messages: [message({ text: "I like tea." })] },
    });
    await give("bob");
    await client.call("appendMessages", { sessionId: "s", messages: [], turnEnd: true });
    await eventually("the end of the task", 10_000, async () =>
      (await client.call("listTasks")).tasks.length === 0 ? true : undefined,
    );
    expect(await found()).toEqual([]);
    expect(calls).toEqual([""]);
  });
});

describe("a turn that ends, and ConsolidateSession", () => {
  test("append a turn, remember it, and promote what is important", async () => {
    const { client } = await start();
    const giving = session({ sessionId: "s", userId: "ann", memoryPolicy: givingPolicy() });
    await client.call("createSession", { session: giving });
    const request = { sessionId: "s", userText: "My name is Ann.", assistantText: "Hello." };
    const turn = await client.call("appendMessages", turnOf({ ...request, expectedLastSeq: 0n }));
    expect(turn).toMatchObject({
      ...{ lastSeq: 2n, promotedMemoryIds: [], evictedMemoryIds: [] },
      ...{ messages: [{ seq: 1n }, { seq: 2n }], windowTotals: { messageCount: 2n } },
    });
    const messageIds = turn.messages.map(({ messageId }) => messageId);
    expect(messageIds).toHaveLength(2);
    const { memory: kept } = await client.call("getMemory", { memoryId: turn.episodeMemoryId });
    expect(kept).toMatchObject({
      ...{ userId: "ann", text: "user: My name is Ann. | assistant: Hello." },
      source: { origin: 4, sessionId: "s", messageIds },
    });
    const stale = await client.fail("appendMessages", turnOf({ ...request, expectedLastSeq: 0n }));
    expect(stale).toMatchObject({ code: "ABORTED", reason: "LAST_SEQ_MISMATCH" });
    const promoted = await client.call("consolidateSession", { sessionId: "s" });
    expect(promoted.promotedMemoryIds).toHaveLength(1);
    expect(await client.call("consolidateSession", { sessionId: "s" })).toEqual({
      ...{ promotedMemoryIds: [], evictedMemoryIds: [], revision: 0n },
    });
    const unsaid = await client.fail("appendMessages", turnOf({ ...request, sessionId: "gone" }));
    expect(unsaid.reason).toBe("SESSION_NOT_FOUND");
    const gone = await client.fail("consolidateSession", { sessionId: "gone" });
    expect(gone.reason).toBe("SESSION_NOT_FOUND");
  });

  test("takes only one side of a turn, too", async () => {
    const { client } = await start();
    await client.call("appendMessages", {
      ...{ sessionId: "s", createSession: true, messages: [message({ text: "hi" })] },
    });
    const turn = await client.call(
      "appendMessages",
      turnOf({ sessionId: "s", assistantText: "Hello." }),
    );
    expect(turn).toMatchObject({ messages: [{ seq: 2n }], lastSeq: 2n });
  });
});

describe("a hook that settles contradictions", () => {
  test("says what becomes of a new memory", async () => {
    const settle = hook("settle", { resolve: async () => ({ action: "drop" }) });
    const { client } = await start({ hooks: hooksOf([settle]) });
    const conflict = { ...ConflictRule.decode(new Uint8Array(0)), mode: ConflictMode.ASK_HOOK };
    const lives = (text: string) => ({
      memories: [memory({ text, key: "home" })],
      conflict: { ...conflict, hook: "settle" },
    });
    await client.call("remember", lives("Lives in Bern."));
    expect((await client.call("remember", lives("Lives in Rome."))).results).toEqual([
      { memoryId: "", outcome: 6, etag: "", supersededMemoryIds: [] },
    ]);
  });
});

/** A store in which every tier holds as many memories as it may. */
function fullStore(store: Store): Store {
  const changeMemories: Store["changeMemories"] = (change, decide) =>
    store.changeMemories(change, (view) => {
      const memories = new Proxy(view.memories, {
        get: (target, name) => {
          if (name === "count") return () => LIMITS.scopeMemories;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      return decide({ ...view, memories });
    });
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "changeMemories") return changeMemories;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("a scope that is full", () => {
  test("takes no more memories", async () => {
    const { client } = await start({ wrapStore: fullStore });
    expect(await client.fail("remember", { memories: [memory({ text: "x" })] })).toMatchObject({
      ...{ code: "RESOURCE_EXHAUSTED", reason: "MEMORY_LIMIT_REACHED" },
      ...{ metadata: { limit: "1000000" }, details: ["ErrorInfo", "QuotaFailure"] },
    });
    expect(
      (await client.call("listMemories", { filter: memoryFilter({ scope: EVERYONE }) })).memories,
    ).toEqual([]);
  });
});
