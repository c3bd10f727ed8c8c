// AppendMessages with attributes of its session: those of a session that it creates, and changes of
// one that exists, in the transaction of the append.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType } from "../../src/gen/memorysidecar/v1/event.ts";
import { ExtractionTime } from "../../src/gen/memorysidecar/v1/memory.ts";
import { OnExistingMessage, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { RemovedTo } from "../../src/gen/memorysidecar/v1/policy.ts";
import type { Session } from "../../src/gen/memorysidecar/v1/session.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { EXTRACTORS, FERTILE } from "../support/contract/error-ways/extractors.ts";
import { bare, eventsOf, keepNewest, users, windowIds } from "../support/contract/policy-wire.ts";
import {
  extraction,
  givingPolicy,
  keepStage,
  memoryPolicy,
  message,
  session,
  sessionSummary,
  structOfSize,
} from "../support/contract/samples.ts";
import { summarizingPolicy, WORKERS } from "../support/contract/summarizing.ts";
import { hooksOf, pollHook } from "../support/hooks/hooks.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer({ hooks: hooksOf([pollHook(WORKERS), ...EXTRACTORS]) });
});

afterAll(() => server[Symbol.asyncDispose]());

const fresh = (): string => `session-${count++}`;

async function stored(sessionId: string): Promise<Session> {
  const answer = await server.client.call("getSession", { sessionId });
  if (answer.session === undefined) throw new Error("there is no session");
  return answer.session;
}

/** Creates a session with one message by an append. */
async function made(attributes: Parameters<typeof session>[0] = {}): Promise<string> {
  const sessionId = fresh();
  await server.client.call("appendMessages", {
    sessionId,
    createSession: true,
    messages: [message({ messageId: "first", text: "hello" })],
    session: session(attributes),
  });
  return sessionId;
}

const ATTRIBUTES = {
  userId: "ana",
  agentId: "planner",
  labels: new Map([["channel", "web"]]),
  metadata: structOfSize(64),
  ttl: { seconds: 3_600n, nanos: 0 },
  policy: bare([keepNewest(2)]),
  memoryPolicy: givingPolicy(),
};

/** The attributes of a session, without what the server says of it. */
function attributesOf({ userId, agentId, labels, metadata, ttl, policy, memoryPolicy }: Session) {
  return { userId, agentId, labels, metadata, ttl, policy, memoryPolicy };
}

const appendTo = (sessionId: string, fields: object = {}) =>
  server.client.call("appendMessages", {
    sessionId,
    messages: [message({ text: "x" })],
    ...fields,
  });

const failTo = (sessionId: string, fields: object) =>
  server.client.fail("appendMessages", {
    sessionId,
    messages: [message({ text: "x" })],
    ...fields,
  });

async function lastSeq(sessionId: string): Promise<number> {
  return Number((await stored(sessionId)).lastSeq);
}

/** Work that hooks are to do for a session. */
function waiting(sessionId: string) {
  return server.store.changeSession({ namespace: "default", sessionId }, (view) => ({
    kind: "answer",
    result: { tasks: view.tasks().length, jobs: view.memoryJobs().map(({ type }) => type) },
  }));
}

describe("a session that an append creates", () => {
  test("has the attributes that CreateSession would have given it", async () => {
    const other = fresh();
    await server.client.call("createSession", {
      session: session({ ...ATTRIBUTES, sessionId: other }),
    });
    const sessionId = fresh();
    const answer = await server.client.call("appendMessages", {
      sessionId,
      createSession: true,
      messages: users(3),
      session: session({ ...ATTRIBUTES, sessionId }),
    });
    const now = await stored(sessionId);
    expect(attributesOf(now)).toEqual(attributesOf(await stored(other)));
    expect(answer.sessionEtag).toBe(now.etag);
    // Its policy trims the very append that brings it.
    expect(await windowIds(server, sessionId)).toEqual(["m2", "m3"]);
    const events = await eventsOf(server, sessionId);
    expect(new Set(events.map(({ revision }) => revision)).size).toBe(1);
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual([
      EventType.SESSION_CREATED,
      EventType.MESSAGES_APPENDED,
    ]);
    expect(events[0]?.userId).toBe("ana");
  });

  test("has all attributes whatever the mask names", async () => {
    const sessionId = fresh();
    await server.client.call("appendMessages", {
      sessionId,
      createSession: true,
      messages: users(1),
      session: session(ATTRIBUTES),
      sessionUpdateMask: ["labels"],
    });
    expect((await stored(sessionId)).userId).toBe("ana");
  });

  test("needs its hooks and how to promote, and has no etag yet", async () => {
    const createSession = true;
    const hook = session({ policy: summarizingPolicy({ hook: "nobody" }) });
    const scorer = session({
      memoryPolicy: memoryPolicy({ extraction: extraction({ hook: "nobody" }) }),
    });
    const promotes = session({ policy: bare([keepStage({ removedTo: RemovedTo.PROMOTE })]) });
    const etag = session({ etag: "x" });
    const sessionId = fresh();
    for (const [attributes, reason] of [
      [hook, "HOOK_NOT_CONFIGURED"],
      [scorer, "HOOK_NOT_CONFIGURED"],
      [promotes, "PROMOTION_POLICY_MISSING"],
      [etag, "ETAG_MISMATCH"],
    ] as const) {
      const failure = await failTo(sessionId, { createSession, session: attributes });
      expect(failure.reason).toBe(reason);
    }
    const failure = await server.client.fail("getSession", { sessionId });
    expect(failure.reason).toBe("SESSION_NOT_FOUND");
  });

  test("is not created for a turn end without messages", async () => {
    const fields = { createSession: true, turnEnd: true, messages: [], session: session() };
    expect((await failTo(fresh(), fields)).reason).toBe("SESSION_NOT_FOUND");
  });
});

describe("a session that exists", () => {
  test("keeps its attributes without a mask, and tells its etag", async () => {
    const sessionId = await made(ATTRIBUTES);
    const before = await stored(sessionId);
    // Attributes that would be refused for a new session are not looked at.
    const other = session({ userId: "eve", policy: summarizingPolicy({ hook: "nobody" }) });
    const answer = await appendTo(sessionId, { createSession: true, session: other });
    expect(attributesOf(await stored(sessionId))).toEqual(attributesOf(before));
    expect(answer.sessionEtag).toBe(before.etag);
    expect((await appendTo(sessionId)).sessionEtag).toBe("");
  });

  test("changes with the append, in one revision", async () => {
    const sessionId = await made(ATTRIBUTES);
    const before = await stored(sessionId);
    const answer = await appendTo(sessionId, {
      session: session({ labels: new Map([["topic", "sea"]]), etag: before.etag }),
      sessionUpdateMask: ["labels", "agent_id"],
    });
    const after = await stored(sessionId);
    expect(after.labels).toEqual(new Map([["topic", "sea"]]));
    expect(after.agentId).toBe("");
    expect(after.userId).toBe("ana");
    expect(after.etag).not.toBe(before.etag);
    expect(answer.sessionEtag).toBe(after.etag);
    const events = await eventsOf(server, sessionId, answer.revision);
    expect(events.map(({ type, revision }) => [type, revision])).toEqual([
      [EventType.SESSION_UPDATED, answer.revision],
      [EventType.MESSAGES_APPENDED, answer.revision],
    ]);
    expect(events[0]?.detail).toMatchObject({ value: { paths: ["agent_id", "labels"] } });
  });

  test.each([
    { mask: [], userId: "eve", agentId: "planner", name: "what is set, for an empty mask" },
    { mask: ["*"], userId: "eve", agentId: "", name: "everything, for a star" },
    { mask: ["log_totals"], userId: "ana", agentId: "planner", name: "nothing, for output" },
  ])("changes in $name", async ({ mask, userId, agentId }) => {
    const sessionId = await made(ATTRIBUTES);
    const before = await stored(sessionId);
    const answer = await appendTo(sessionId, {
      session: session({ userId: "eve" }),
      sessionUpdateMask: mask,
    });
    const after = await stored(sessionId);
    expect([after.userId, after.agentId]).toEqual([userId, agentId]);
    expect(after.etag === before.etag).toBe(userId === "ana");
    expect(answer.sessionEtag).toBe(after.etag);
    expect(after.lastSeq).toBe(2n);
  });

  test("is counted and trimmed by its new policy, as after UpdateSession", async () => {
    const [sessionId, other] = [await made(), await made()];
    for (const id of [sessionId, other]) await appendTo(id, { messages: users(3) });
    const attributes = { policy: bare([keepNewest(2)]) };
    const answer = await appendTo(sessionId, {
      messages: users(1, 4),
      session: session(attributes),
      sessionUpdateMask: ["policy"],
    });
    await server.client.call("updateSession", {
      session: session({ sessionId: other, ...attributes }),
    });
    await appendTo(other, { messages: users(1, 4) });
    expect(await windowIds(server, sessionId)).toEqual(["m3", "m4"]);
    expect(await windowIds(server, other)).toEqual(["m3", "m4"]);
    expect(answer.trims.flatMap(({ messageIds }) => messageIds)).toEqual(["first", "m1", "m2"]);
    expect(answer.windowTotals?.messageCount).toBe(2n);
    const [a, b] = [await stored(sessionId), await stored(other)];
    expect(attributesOf(a)).toEqual(attributesOf(b));
    expect(a.windowTotals).toEqual(b.windowTotals);
  });

  test("ends the turn under its new memory policy", async () => {
    const sessionId = await made();
    const answer = await appendTo(sessionId, {
      messages: [message({ role: Role.ASSISTANT, text: "Hello, Ana." })],
      turnEnd: true,
      session: session({ memoryPolicy: givingPolicy() }),
      sessionUpdateMask: ["memory_policy"],
    });
    expect(answer.episodeMemoryId).not.toBe("");
  });

  test("changes with an append that updates or skips messages, and by itself", async () => {
    const onExisting = OnExistingMessage.UPDATE;
    const policy = summarizingPolicy({ hook: WORKERS });
    const sessionId = await made({ policy });
    await appendTo(sessionId, { messages: users(20) });
    // The task made from m1 goes with the old policy, so that its new content has none to change.
    const answer = await appendTo(sessionId, {
      messages: [message({ messageId: "m1", text: "other" }), message({ messageId: "new" })],
      onExisting,
      session: session({ userId: "ana" }),
      sessionUpdateMask: ["user_id", "policy"],
    });
    expect(await waiting(sessionId)).toEqual({ tasks: 0, jobs: [] });
    const events = await eventsOf(server, sessionId, answer.revision);
    expect(events.map(({ type }) => type)).toEqual([
      EventType.SESSION_UPDATED,
      EventType.SUMMARY_SUPERSEDED,
      EventType.MESSAGE_UPDATED,
      EventType.MESSAGES_APPENDED,
    ]);
    // Nothing is left to append, and the attributes still change.
    const again = await appendTo(sessionId, {
      messages: [message({ messageId: "m1", text: "other" })],
      onExisting,
      session: session({ userId: "eve" }),
      sessionUpdateMask: ["user_id"],
    });
    const after = await stored(sessionId);
    expect([after.userId, after.lastSeq]).toEqual(["eve", 22n]);
    expect(again.sessionEtag).toBe(after.etag);
    expect((await eventsOf(server, sessionId, again.revision)).map(({ type }) => type)).toEqual([
      EventType.SESSION_UPDATED,
    ]);
    // An append that finds all as it is tells the etag, too.
    const same = await appendTo(sessionId, {
      messages: [message({ messageId: "m1", text: "other" })],
      onExisting,
      session: session({ etag: after.etag }),
    });
    expect([same.sessionEtag, same.revision]).toEqual([after.etag, again.revision]);
  });

  test("gives up the tasks and jobs that its new policies do not want", async () => {
    const held = extraction({ hook: FERTILE, on: ExtractionTime.TURN_END });
    const policy = summarizingPolicy({ hook: WORKERS });
    const sessionId = await made({ policy, memoryPolicy: memoryPolicy({ extraction: held }) });
    await appendTo(sessionId, { messages: users(20) });
    expect(await waiting(sessionId)).toEqual({ tasks: 1, jobs: ["extract"] });
    const answer = await appendTo(sessionId, {
      session: session(),
      sessionUpdateMask: ["policy", "memory_policy"],
    });
    const events = await eventsOf(server, sessionId, answer.revision);
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
      EventType.SESSION_UPDATED,
      EventType.SUMMARY_SUPERSEDED,
      EventType.MESSAGES_APPENDED,
    ]);
    expect(await waiting(sessionId)).toEqual({ tasks: 0, jobs: [] });
  });
});

describe("an append that is refused stores nothing", () => {
  test("for an etag that is not the newest", async () => {
    const sessionId = await made();
    const { etag } = await stored(sessionId);
    const first = { session: session({ userId: "ana", etag }), sessionUpdateMask: [] };
    await appendTo(sessionId, first);
    const failure = await failTo(sessionId, first);
    expect([failure.code, failure.reason]).toEqual(["ABORTED", "ETAG_MISMATCH"]);
    // The etag alone is a condition, too.
    const condition = await failTo(sessionId, { session: session({ etag }) });
    expect(condition.reason).toBe("ETAG_MISMATCH");
    expect(await lastSeq(sessionId)).toBe(2);
    await appendTo(sessionId, { session: session({ etag: (await stored(sessionId)).etag }) });
    expect(await lastSeq(sessionId)).toBe(3);
  });

  test.each([
    ["HOOK_NOT_CONFIGURED", { policy: summarizingPolicy({ hook: "nobody" }) }, ["policy"]],
    [
      "HOOK_NOT_CONFIGURED",
      { memoryPolicy: memoryPolicy({ extraction: extraction({ hook: "nobody" }) }) },
      ["memory_policy"],
    ],
    [
      "PROMOTION_POLICY_MISSING",
      { policy: bare([keepStage({ removedTo: RemovedTo.PROMOTE })]) },
      ["policy"],
    ],
  ] as const)("for %s", async (reason, attributes, mask) => {
    const sessionId = await made();
    const failure = await failTo(sessionId, {
      session: session(attributes),
      sessionUpdateMask: [...mask],
    });
    expect(failure.reason).toBe(reason);
    expect(await lastSeq(sessionId)).toBe(1);
  });

  test.each([
    ["session_update_mask", { sessionUpdateMask: ["labels"] }],
    ["session", { session: session({ userId: "ana" }) }],
    ["session.session_id", { session: session({ sessionId: "other", etag: "x" }) }],
    [
      "session.summary.text",
      { createSession: true, session: session({ summary: sessionSummary({ text: "so far" }) }) },
    ],
    [
      "session_update_mask.paths[0]",
      { session: session({ userId: "ana" }), sessionUpdateMask: ["summary"] },
    ],
    [
      "session_update_mask.paths",
      { session: session(), sessionUpdateMask: Array(LIMITS.updateMaskPaths + 1).fill("labels") },
    ],
    ["session.user_id", { createSession: true, session: session({ userId: "x".repeat(513) }) }],
    [
      "session.policy.policy.stages[0].name",
      { createSession: true, session: session({ policy: bare([keepNewest(1, { name: "" })]) }) },
    ],
  ])("for the field %s", async (field, fields) => {
    const sessionId = await made();
    const failure = await failTo(sessionId, fields);
    expect(failure.reason).toBe("REQUEST_INVALID");
    expect(failure.fields).toContain(field);
    expect(await lastSeq(sessionId)).toBe(1);
  });
});

test("a repeat changes the attributes once and answers the same", async () => {
  const sessionId = await made();
  const fields = {
    requestId: "patch-once",
    session: session({ userId: "ana" }),
    sessionUpdateMask: ["user_id"],
  };
  const first = await appendTo(sessionId, fields);
  await appendTo(sessionId, { session: session({ userId: "eve" }), sessionUpdateMask: [] });
  expect(await appendTo(sessionId, fields)).toEqual(first);
  expect((await stored(sessionId)).userId).toBe("eve");
  const other = await failTo(sessionId, { ...fields, sessionUpdateMask: ["labels"] });
  expect(other.reason).toBe("REQUEST_ID_REUSED");
});
