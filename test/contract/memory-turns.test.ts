// Sessions as a source of long-term memories, over the wire: their memory policy, turns, promotion,
// and pending jobs.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType, MemoryDeleteReason } from "../../src/gen/memorysidecar/v1/event.ts";
import {
  MemoryKind,
  MemoryOrigin,
  type MemoryPolicy,
  PromotionSelection,
  SourceErasure,
} from "../../src/gen/memorysidecar/v1/memory.ts";
import {
  type Policy,
  type PolicyChoice,
  TokenRule,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import { TaskState, TaskType } from "../../src/gen/memorysidecar/v1/task.ts";
import { type Hook, HookFailure } from "../../src/hooks/port.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { bare, eventsOf, keepNewest, windowIds } from "../support/contract/policy-wire.ts";
import {
  extraction,
  givingPolicy,
  memory,
  memoryFilter,
  memoryPolicy,
  message,
  ownedBy,
  preset,
  promotion,
  session,
} from "../support/contract/samples.ts";
import { bringSnapshot, takeSnapshot } from "../support/contract/snapshots.ts";
import { turnOf } from "../support/contract/turns.ts";
import { hooksOf } from "../support/hooks/hooks.ts";
import { scoringHook } from "../support/memory/turns.ts";
import { eventually } from "../support/services/runner-scene.ts";

const NAME = "My name is Anna.";
const TWO = bare([keepNewest(2)]);

let server: TestServer;
let isDown = false;
const judge: Hook = scoringHook("judge", (texts) => {
  if (isDown) throw new HookFailure("unreachable", "No.");
  return texts.map((text) => (text.includes("important") ? 0.9 : 0));
});

beforeAll(async () => {
  server = await startContractServer({ hooks: hooksOf([judge]) });
});

afterAll(() => server[Symbol.asyncDispose]());

let count = 0;

async function open(
  memory?: Partial<MemoryPolicy>,
  window: Policy | PolicyChoice = TWO,
): Promise<string> {
  const sessionId = `turns-${count++}`;
  const userId = `user of ${sessionId}`;
  await server.client.call("createSession", {
    session: session({
      ...{ sessionId, userId, policy: window },
      ...(memory === undefined ? {} : { memoryPolicy: memoryPolicy(memory) }),
    }),
  });
  return sessionId;
}

async function memoriesOf(sessionId: string) {
  const filter = memoryFilter({ scope: ownedBy({ userId: `user of ${sessionId}` }) });
  const { memories } = await server.client.call("listMemories", { filter });
  return memories;
}

async function jobsOf(sessionId: string) {
  return (await server.client.call("listTasks", { sessionId })).tasks;
}

describe("the memory policy of a session", () => {
  test("comes with the unified memory of selectools, unless one is given", async () => {
    const unified = (limit: number): PolicyChoice =>
      preset("selectools", { unified: true, long_term_limit: limit });
    const policyIn = async (sessionId: string) =>
      (await server.client.call("getSession", { sessionId })).session?.memoryPolicy;
    const sessionId = await open(undefined, unified(7));
    expect(await policyIn(sessionId)).toMatchObject({
      ...{ longTermLimit: 7, episodes: {} },
      promotion: { selection: PromotionSelection.ANY_TEXT, markedStagesOnly: false },
    });
    const change = (updateMask: string[], memory?: Partial<MemoryPolicy>) =>
      server.client.call("updateSession", {
        session: session({
          ...{ sessionId, policy: unified(8) },
          ...(memory === undefined ? {} : { memoryPolicy: memoryPolicy(memory) }),
        }),
        updateMask,
      });
    await change(["labels"]);
    expect(await policyIn(sessionId)).toMatchObject({ longTermLimit: 7 });
    await change(["policy"]);
    expect(await policyIn(sessionId)).toMatchObject({ longTermLimit: 8 });
    await change(["policy", "memory_policy"], { longTermLimit: 9 });
    expect(await policyIn(sessionId)).toMatchObject({ longTermLimit: 9 });
    // One that is named and not given is taken away only without a preset that brings one.
    await server.client.call("updateSession", {
      session: session({ sessionId }),
      updateMask: ["memory_policy"],
    });
    expect(await policyIn(sessionId)).toBeUndefined();
    const given = await open({ longTermLimit: 3 }, unified(7));
    expect(await policyIn(given)).toMatchObject({ longTermLimit: 3 });
  });

  test("comes back with every default written out", async () => {
    const sessionId = await open(
      memoryPolicy({
        promotion: promotion({ selection: PromotionSelection.UNSPECIFIED }),
        episodes: { retention: undefined },
      }),
    );
    const { session: got } = await server.client.call("getSession", { sessionId });
    expect(got?.memoryPolicy).toEqual({
      promotion: {
        ...{ selection: PromotionSelection.USER_STATEMENTS, importanceThreshold: 0.7 },
        ...{ importanceRules: [], scoreHook: "", markedStagesOnly: false },
      },
      episodes: { retention: { seconds: 2_592_000n, nanos: 0 } },
      extraction: undefined,
      ...{ longTermLimit: 1_000, entityLimit: 50, relationLimit: 200, agentScope: false },
      onSourceErased: SourceErasure.FORGET,
    });
    const { session: plain } = await server.client.call("getSession", { sessionId: await open() });
    expect(plain?.memoryPolicy).toBeUndefined();
  });

  test("is changed and cleared by its path, and stays where it is not named", async () => {
    const sessionId = await open({ longTermLimit: 5 });
    const update = async (paths: string[], fields: Parameters<typeof session>[0] = {}) => {
      const { session: after } = await server.client.call("updateSession", {
        ...{ session: session({ sessionId, ...fields }), updateMask: paths },
      });
      return after?.memoryPolicy;
    };
    expect((await update(["user_id"]))?.longTermLimit).toBe(5);
    const other = { memoryPolicy: memoryPolicy({ longTermLimit: 7 }) };
    expect((await update(["memory_policy"], other))?.longTermLimit).toBe(7);
    expect((await update([], { ...other, memoryPolicy: memoryPolicy() }))?.longTermLimit).toBe(
      1_000,
    );
    expect(await update(["memory_policy"])).toBeUndefined();
  });

  test("is copied by a fork, kept by a reset, and carried by a snapshot", async () => {
    const sessionId = await open({ entityLimit: 9 });
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: "a" })] });
    const forked = await server.client.call("forkSession", { sourceSessionId: sessionId });
    expect(forked.session?.memoryPolicy?.entityLimit).toBe(9);
    const snapshot = await takeSnapshot(server.client, sessionId);
    expect(snapshot.header.session?.memoryPolicy?.entityLimit).toBe(9);
    const copy = `${sessionId} again`;
    await bringSnapshot(server.client, snapshot, { sessionId: copy });
    const { session: brought } = await server.client.call("getSession", { sessionId: copy });
    expect(brought?.memoryPolicy?.entityLimit).toBe(9);
    const reset = await server.client.call("resetSession", { sessionId });
    expect(reset.session?.memoryPolicy?.entityLimit).toBe(9);
  });

  test("is refused with a hook that the server does not have, or that cannot do it", async () => {
    const finder = { extraction: extraction({ hook: "judge" }) };
    for (const bad of [{ promotion: promotion({ scoreHook: "nobody" }) }, finder]) {
      const failure = await server.client.fail("createSession", {
        session: session({ memoryPolicy: memoryPolicy(bad) }),
      });
      expect(failure).toMatchObject({
        ...{ code: "FAILED_PRECONDITION", reason: "HOOK_NOT_CONFIGURED" },
      });
    }
    const failure = await server.client.fail("createSession", {
      session: session({
        memoryPolicy: memoryPolicy({ promotion: promotion({ importanceThreshold: 2 }) }),
      }),
    });
    expect(failure.fields).toEqual(["session.memory_policy.promotion.importance_threshold"]);
  });
});

describe("a memory policy that names nothing to give", () => {
  test("gives nothing, whatever leaves the window and however a turn ends", async () => {
    const sessionId = await open({});
    for (const userText of [NAME, "I live in Rome.", "I always love a good joke."]) {
      const turn = turnOf({ sessionId, userText, assistantText: NAME });
      const answer = await server.client.call("appendMessages", turn);
      expect(answer).toMatchObject({ promotedMemoryIds: [], episodeMemoryId: "" });
    }
    expect(await memoriesOf(sessionId)).toEqual([]);
    expect(await jobsOf(sessionId)).toEqual([]);
  });
});

describe("a turn that ends", () => {
  test("records messages and episode, and promotes what leaves", async () => {
    const sessionId = await open(givingPolicy());
    const first = await server.client.call(
      "appendMessages",
      turnOf({
        ...{ sessionId, userText: NAME, assistantText: "Hi Anna." },
      }),
    );
    expect(first.messages.map(({ seq }) => seq)).toEqual([1n, 2n]);
    expect(await windowIds(server, sessionId)).toEqual(
      first.messages.map(({ messageId }) => messageId),
    );
    const turnTime = { seconds: 1_700_000_000n, nanos: 0 };
    const second = await server.client.call(
      "appendMessages",
      turnOf({
        ...{ sessionId, userText: "Good bye", expectedLastSeq: 2n },
      }),
    );
    expect(second.windowTotals?.messageCount).toBe(2n);
    expect(second.promotedMemoryIds).toHaveLength(1);
    const memories = await memoriesOf(sessionId);
    expect(memories.map(({ kind, source }) => [kind, source?.origin])).toEqual([
      [MemoryKind.EPISODE, MemoryOrigin.TURN],
      [MemoryKind.FACT, MemoryOrigin.PROMOTION],
      [MemoryKind.EPISODE, MemoryOrigin.TURN],
    ]);
    expect(memories[1]).toMatchObject({ text: NAME, category: "identity", importance: 0.9 });
    expect(memories[0]?.memoryId).toBe(first.episodeMemoryId);
    const events = await eventsOf(server, sessionId, second.revision);
    expect(events.map(({ type }) => type)).toEqual([
      EventType.MESSAGES_APPENDED,
      EventType.MESSAGES_TRIMMED,
      EventType.MEMORIES_REMEMBERED,
      EventType.MEMORIES_REMEMBERED,
    ]);
    // A turn of long ago is in the log, and its day is over.
    const old = await server.client.call(
      "appendMessages",
      turnOf({ sessionId, userText: "x", turnTime }),
    );
    expect(old.episodeMemoryId).toBe("");
    const { messages } = await server.client.call("listMessages", { sessionId });
    expect(messages.at(-1)?.sentTime).toEqual(turnTime);
  });

  test("refuses what an append refuses", async () => {
    const given = await open({}, { ...TWO, tokenRule: TokenRule.GIVEN });
    const failure = await server.client.fail(
      "appendMessages",
      turnOf({ sessionId: given, userText: "a" }),
    );
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    const nobody = await server.client.fail(
      "appendMessages",
      turnOf({ sessionId: "no", userText: "a" }),
    );
    expect(nobody).toMatchObject({ code: "NOT_FOUND", reason: "SESSION_NOT_FOUND" });
    const sessionId = await open();
    const mismatch = await server.client.fail(
      "appendMessages",
      turnOf({
        ...{ sessionId, userText: "a", expectedLastSeq: 4n },
      }),
    );
    expect(mismatch.reason).toBe("LAST_SEQ_MISMATCH");
    expect(await memoriesOf(sessionId)).toEqual([]);
  });

  test("removes episodes whose days are over", async () => {
    const sessionId = await open({ episodes: { retention: { seconds: 86_400n, nanos: 0 } } });
    await server.client.call("appendMessages", turnOf({ sessionId, userText: "a" }));
    server.advance(3 * 86_400_000);
    const turn = await server.client.call("appendMessages", turnOf({ sessionId, userText: "b" }));
    expect(turn.evictedMemoryIds).toHaveLength(1);
    const events = await eventsOf(server, sessionId, turn.revision);
    const deleted = events.flatMap(({ detail }) =>
      detail?.$case === "memoriesDeleted" ? [detail.value.reason] : [],
    );
    expect(deleted).toEqual([MemoryDeleteReason.RETENTION]);
  });
});

describe("ConsolidateSession", () => {
  test("promotes from the window once", async () => {
    const sessionId = await open();
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: NAME })] });
    const first = await server.client.call("consolidateSession", { sessionId });
    expect(first.promotedMemoryIds).toHaveLength(1);
    expect(await server.client.call("consolidateSession", { sessionId })).toMatchObject({
      ...{ promotedMemoryIds: [], revision: 0n },
    });
  });

  test("changes nothing when stronger memories leave no room", async () => {
    const sessionId = await open({ longTermLimit: 1 });
    const userId = `user of ${sessionId}`;
    const kept = memory({ userId, kind: MemoryKind.FACT, text: "Stays.", importance: 1 });
    await server.client.call("remember", { memories: [kept] });
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: NAME })] });
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await server.client.call("consolidateSession", { sessionId })).toMatchObject({
        ...{ promotedMemoryIds: [], evictedMemoryIds: [], revision: 0n },
      });
    }
    expect((await memoriesOf(sessionId)).map(({ text }) => text)).toEqual(["Stays."]);
  });
});

describe("tasks to extract and to score", () => {
  test("are done by a hook that scores, and by the rules at once when it fails", async () => {
    isDown = true;
    const sessionId = await open({ promotion: promotion({ scoreHook: "judge" }) });
    const say = async (...texts: string[]) => {
      const messages = texts.map((text) => message({ text }));
      await server.client.call("appendMessages", { sessionId, messages });
      await eventually("the job is done", async () => (await jobsOf(sessionId)).length === 0);
      return (await memoriesOf(sessionId)).map(({ text }) => text);
    };
    expect(await say("This is important", NAME, "a", "b")).toEqual([NAME]);
    isDown = false;
    // Longer than the hook is left alone.
    server.advance(600_000);
    expect(await say("That is important", "c", "d")).toEqual([NAME, "That is important"]);
    const ended = (await eventsOf(server, sessionId, 0n)).flatMap(({ detail }) =>
      detail?.$case === "taskAttempted" ? [detail.value] : [],
    );
    const { taskId = "" } = ended[0] ?? {};
    expect(ended).toMatchObject([
      { type: TaskType.SCORE, hook: "judge", createdCount: 1, reason: 1 },
      { type: TaskType.SCORE, hook: "judge", createdCount: 1, reason: 0 },
    ]);
    const none = await server.client.fail("retryTask", { taskId });
    expect(none).toMatchObject({ code: "NOT_FOUND", reason: "TASK_NOT_FOUND" });
  });

  test("that find facts wait for the end of the turn, and can be given up", async () => {
    const sessionId = await open({ extraction: extraction() });
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: NAME })] });
    const [job] = await jobsOf(sessionId);
    expect(job).toMatchObject({ type: TaskType.EXTRACT, hook: "builtin" });
    expect(job).toMatchObject({ state: TaskState.WAITING, readyTime: undefined });
    await server.client.call("deleteTask", { taskId: job?.taskId ?? "" });
    expect(await jobsOf(sessionId)).toEqual([]);
    await server.client.call("appendMessages", turnOf({ sessionId, userText: "I live in Bern." }));
    await eventually("the job is done", async () => (await jobsOf(sessionId)).length === 0);
    const found = (await memoriesOf(sessionId)).filter(
      ({ source }) => source?.origin === MemoryOrigin.EXTRACTION,
    );
    expect(found.length).toBeGreaterThan(0);
  });
});
