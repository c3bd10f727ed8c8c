import { afterEach, beforeEach, expect, test } from "vitest";
import { draftOf, fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { revisionOf } from "../../test/support/store/revisions.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/window/policies.ts";
import { Etags } from "../kit/etag.ts";
import { PARTICIPANTS } from "../services.ts";
import { DEFAULT_POLICY } from "../window/policy/policy.ts";
import type { SessionInput } from "./api.ts";
import type { Session, SessionPath } from "./rules/session.ts";
import { upkeepStep } from "./upkeep.ts";

let services: TestServices;
const ref = { namespace: "default", sessionId: "s" };

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
  await services.store.close();
});

const KEEP_TWO = policyOf([stageOf()]);

function create(input: SessionInput = {}, sessionId = "s"): Promise<Uint8Array> {
  return services.sessions.createSession(services.call("CreateSession"), {
    namespace: "default",
    sessionId,
    input,
    encode: (session) => toBytes(session),
  });
}

function get(sessionId = "s"): Promise<Session> {
  return services.sessions.getSession(services.call("GetSession"), { ...ref, sessionId });
}

function update(
  input: SessionInput,
  paths: readonly SessionPath[],
  etag = "",
): Promise<Uint8Array> {
  const encode = (result: unknown): Uint8Array => toBytes(result);
  return services.sessions.updateSession(services.call("UpdateSession"), {
    ...ref,
    input,
    paths,
    etag,
    encode,
  });
}

function etagOf(revision: number): string {
  return new Etags(services.store.historyId).of(revision);
}

test("creating twice is refused and the first stays", async () => {
  await create({ userId: "u" });
  await expect(create()).rejects.toMatchObject({ reason: "SESSION_ALREADY_EXISTS" });
  expect((await get()).fields.userId).toBe("u");
});

test("a server-made id is sortable and unique", async () => {
  await create({}, "");
  services.advance(1);
  await create({}, "");
  const page = await services.sessions.listSessions(services.call("ListSessions"), {
    namespace: "default",
    order: "asc",
    limit: 10,
  });
  const ids = page.sessions.map((session) => session.sessionId);
  expect(ids).toHaveLength(2);
  expect([...ids].sort()).toEqual(ids);
});

test("an etag guards an update, and an append does not change it", async () => {
  await create();
  const { etagRevision } = (await get()).fields;
  await services.append("s", [{ text: "a" }]);
  await update({ userId: "u1" }, ["user_id"], etagOf(etagRevision));
  const stale = update({ userId: "u2" }, ["user_id"], etagOf(etagRevision));
  await expect(stale).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });
  expect((await get()).fields.userId).toBe("u1");
});

test("a path that is named and not set is cleared, others stay", async () => {
  await create({ userId: "u", agentId: "a", ttlMs: 5_000, summaryText: "so far" });
  await update({}, ["user_id"]);
  const { fields } = await get();
  expect(fields).toMatchObject({ userId: "", agentId: "a", ttlMs: 5_000 });
  expect(fields.summary).toMatchObject({ text: "so far", version: 1 });
});

test("an update that names nothing changes nothing", async () => {
  await create({ userId: "u" });
  await services.append("s", [{ messageId: "m", text: "abcd" }]);
  const revision = await revisionOf(services.store);
  await update({}, []);
  const answer = fromBytes<{ revision: number }>(
    await services.sessions.updateMessage(services.call("UpdateMessage"), {
      ...ref,
      messageId: "m",
      draft: draftOf({}),
      paths: [],
      etag: "",
      encode: (result) => toBytes({ ...result, message: fromBytes(result.message) }),
    }),
  );
  expect(answer).toMatchObject({ revision: 0, message: { text: "abcd" } });
  expect(await revisionOf(services.store)).toBe(revision);
});

test("a new policy trims at once and says so", async () => {
  await create();
  await services.append("s", [{ text: "a" }, { text: "b" }, { text: "c" }]);
  const answer = fromBytes<{ trims: { stage: string }[] }>(
    await update({ policy: KEEP_TWO }, ["policy"]),
  );
  expect(answer.trims).toMatchObject([{ stage: "two", reason: "message-limit" }]);
  expect(await services.windowTexts("s")).toEqual(["b", "c"]);
  const types = (await services.allEvents()).map((event) => event.detail.type);
  expect(types).toEqual([1, 6, 2, 7]);
});

test("delete is final, its event says how much there was, and the id can be used anew", async () => {
  await create();
  await services.append("s", [{ text: "a" }]);
  const remove = (allowMissing: boolean): Promise<Uint8Array> =>
    services.sessions.deleteSession(services.call("DeleteSession"), {
      ...ref,
      etag: "",
      allowMissing,
      encode: toBytes,
    });
  expect(fromBytes(await remove(false))).toEqual({ revision: 3 });
  await expect(remove(false)).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
  expect(fromBytes(await remove(true))).toEqual({ revision: 0 });
  expect((await services.allEvents()).at(-1)?.detail).toMatchObject({
    type: 3,
    reason: "request",
    log: { messageCount: 1 },
  });
  const again = await services.append("s", [{ text: "b" }]);
  expect(again.lastSeq).toBe(1);
});

test("reset deletes the log, keeps system messages when asked, and goes on counting", async () => {
  await create({ userId: "u" });
  await services.append("s", [{ role: 3, text: "rules" }, { text: "a" }, { text: "b" }]);
  const answer = fromBytes<{ deleted: unknown }>(
    await services.sessions.resetSession(services.call("ResetSession"), {
      ...ref,
      keepSystemMessages: true,
      keepFirstSystemMessage: false,
      keepSummary: false,
      etag: "",
      encode: (result) => toBytes(result),
    }),
  );
  expect(answer.deleted).toEqual({ messageCount: 2, tokenCount: 2 });
  expect(await services.windowTexts("s")).toEqual(["rules"]);
  const next = await services.append("s", [{ text: "c" }]);
  expect(next.lastSeq).toBe(4);
  expect(await services.windowTexts("s")).toEqual(["rules", "c"]);
  expect((await get()).fields.userId).toBe("u");
  const before = services.sessions.getWindow(services.call("GetWindow"), { ...ref, asOfSeq: 2 });
  await expect(before).rejects.toMatchObject({ reason: "SEQ_OUT_OF_RANGE" });
});

test("a fork has the log and the window as they were, and is independent", async () => {
  await create({ policy: KEEP_TWO, userId: "u" });
  for (const text of ["a", "b", "c", "d"]) await services.append("s", [{ text }]);
  await services.sessions.forkSession(services.call("ForkSession"), {
    namespace: "default",
    sourceSessionId: "s",
    sessionId: "f",
    atSeq: 3,
    encode: toBytes,
  });
  expect(await services.windowTexts("f")).toEqual(["b", "c"]);
  await services.append("f", [{ text: "x" }]);
  expect(await services.windowTexts("f")).toEqual(["c", "x"]);
  expect(await services.windowTexts("s")).toEqual(["c", "d"]);
  const fork = await get("f");
  expect(fork.fields).toMatchObject({ userId: "u", forkedFrom: { sessionId: "s", seq: 3 } });
  expect(fork.head.log.messageCount).toBe(4);
});

test("a fork without a seq goes up to the newest, though appends go on", async () => {
  await create({});
  await services.append("s", [{ text: "a" }]);
  const forking = services.sessions.forkSession(services.call("ForkSession"), {
    namespace: "default",
    sourceSessionId: "s",
    sessionId: "f",
    encode: toBytes,
  });
  const appending: Promise<unknown>[] = [];
  for (let n = 0; n < 20; n += 1) {
    appending.push(services.append("s", [{ text: `${n}` }]));
    await Promise.resolve();
  }
  await Promise.all([forking, ...appending]);
  const { lastSeq } = (await get("f")).head;
  expect((await services.windowTexts("s")).slice(0, lastSeq)).toEqual(
    await services.windowTexts("f"),
  );
});

test("a fork leaves out a tool result whose call was deleted since", async () => {
  await create({ policy: KEEP_TWO });
  await services.append("s", [
    { messageId: "call", role: 2, text: "call", callIds: ["t"] },
    { role: 4, text: "result", toolCallId: "t" },
  ]);
  await services.append("s", [{ text: "a" }, { text: "b" }]);
  await services.sessions.deleteMessage(services.call("DeleteMessage"), {
    ...ref,
    messageId: "call",
    etag: "",
    allowMissing: false,
    encode: toBytes,
  });
  await services.sessions.forkSession(services.call("ForkSession"), {
    namespace: "default",
    sourceSessionId: "s",
    sessionId: "f",
    atSeq: 2,
    encode: toBytes,
  });
  expect(await services.windowTexts("f")).toEqual([]);
  const fork = await get("f");
  expect(fork.head.window).toMatchObject({ messageCount: 0, tokenCount: 0 });
  expect(fork.head.log.messageCount).toBe(1);
});

test("a window names the newest 1,000 open calls, so that its answer stays bounded", async () => {
  await create({ policy: { ...DEFAULT_POLICY, stages: [] } });
  for (let i = 0; i < 9; i++) {
    const callIds = Array.from({ length: 128 }, (_, k) => `${i * 128 + k}`);
    await services.append("s", [{ role: 2, text: "call", callIds }]);
  }
  const window = await services.sessions.getWindow(services.call("GetWindow"), ref);
  expect(window.openToolCallIds).toHaveLength(1_000);
  expect([window.openToolCallIds[0], window.openToolCallIds.at(-1)]).toEqual(["152", "1151"]);
});

test("the window of every past seq is the one that an append answered", async () => {
  await create({ policy: KEEP_TWO });
  const then: string[][] = [[]];
  for (const text of ["a", "b", "c", "d", "e"]) {
    await services.append("s", [{ text }]);
    then.push(await services.windowTexts("s"));
  }
  for (const [asOfSeq, expected] of then.entries()) {
    const past = await services.sessions.getWindow(services.call("GetWindow"), { ...ref, asOfSeq });
    expect(past.messages.map((bytes) => fromBytes<{ text: string }>(bytes).text)).toEqual(expected);
    expect(past.lastSeq).toBe(asOfSeq);
  }
});

test("a past window is not judged by the policy of today", async () => {
  const tight = policyOf([stageOf({ select: dropOldest({ maxTokens: 1 }) })]);
  await create();
  await services.append("s", [{ text: "long enough to be over" }]);
  await update({ policy: tight }, ["policy"]);
  const now = await services.sessions.getWindow(services.call("GetWindow"), ref);
  expect(now.overLimit).toBe(true);
  const past = await services.sessions.getWindow(services.call("GetWindow"), {
    ...ref,
    asOfSeq: 1,
  });
  expect(past.overLimit).toBe(false);
});

test("a policy in the request shows another window and changes nothing", async () => {
  await create();
  await services.append("s", [{ text: "a" }, { text: "b" }, { text: "c" }]);
  const revision = await revisionOf(services.store);
  const view = await services.sessions.getWindow(services.call("GetWindow"), {
    ...ref,
    policy: KEEP_TWO,
  });
  expect(view.window.messageCount).toBe(2);
  expect(view.outside).toEqual({ messageCount: 1, tokenCount: 1 });
  expect(view.outsideRanges).toEqual([{ first: 1, last: 1 }]);
  expect(view.trims).toMatchObject([{ stage: "two" }]);
  expect(await services.windowTexts("s")).toEqual(["a", "b", "c"]);
  expect(await revisionOf(services.store)).toBe(revision);
});

test("sessions past their time are gone at once and erased by upkeep with an event", async () => {
  await create({ ttlMs: 1_000 });
  services.advance(999);
  await services.append("s", [{ text: "a" }]);
  services.advance(999);
  expect((await get()).head.lastSeq).toBe(1);
  services.advance(1);
  await expect(get()).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
  const context = {
    store: services.store,
    settings: { idempotencyWindowMs: 1, eventAgeMsMax: 1e12, eventCountMax: 1e6 },
    world: { nowMs: () => 1_700_000_002_000, random: () => new Uint8Array(10) },
    codec: { encodeEvent: toBytes },
    participants: PARTICIPANTS,
  };
  await upkeepStep(context as unknown as Parameters<typeof upkeepStep>[0]);
  expect(await services.store.readSession(ref)).toBeUndefined();
  expect((await services.allEvents()).at(-1)?.detail).toMatchObject({ type: 3, reason: "expired" });
});

test("updating a message recounts it, trims again, and its etag guards it", async () => {
  await create({ policy: KEEP_TWO });
  await services.append("s", [{ messageId: "m", text: "abcd" }]);
  const change = (text: string, etag: string): Promise<Uint8Array> =>
    services.sessions.updateMessage(services.call("UpdateMessage"), {
      ...ref,
      messageId: "m",
      draft: draftOf({ text }),
      paths: ["text"],
      etag,
      encode: (result) => toBytes({ ...result, message: fromBytes(result.message) }),
    });
  const answer = fromBytes<{ message: { stamp: { tokenCount: number } }; window: unknown }>(
    await change("abcdefghi", etagOf(2)),
  );
  expect(answer.message.stamp.tokenCount).toBe(3);
  expect(answer.window).toMatchObject({ messageCount: 1, tokenCount: 3 });
  await expect(change("x", etagOf(2))).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });
  expect((await get()).head.log).toEqual({ messageCount: 1, tokenCount: 3 });
});

test("an update that gives a result another call makes it an orphan", async () => {
  await create();
  await services.append("s", [
    { role: 2, callIds: ["x"], text: "call" },
    { role: 4, toolCallId: "x", messageId: "r", text: "result" },
  ]);
  await services.sessions.updateMessage(services.call("UpdateMessage"), {
    ...ref,
    messageId: "r",
    draft: draftOf({ role: 4, toolCallId: "other" }),
    paths: ["tool_call_id"],
    etag: "",
    encode: () => new Uint8Array(0),
  });
  expect(await services.windowTexts("s")).toEqual(["call"]);
});

test("deleting a call takes its results out of the window, not out of the log", async () => {
  await create();
  await services.append("s", [
    { text: "ask" },
    { role: 2, callIds: ["x"], messageId: "c", text: "call" },
    { role: 4, toolCallId: "x", messageId: "r", text: "result" },
  ]);
  const answer = fromBytes<{ trims: unknown[]; window: unknown }>(
    await services.sessions.deleteMessage(services.call("DeleteMessage"), {
      ...ref,
      messageId: "c",
      etag: "",
      allowMissing: false,
      encode: toBytes,
    }),
  );
  expect(answer.trims).toMatchObject([{ reason: "orphan-tool-result" }]);
  expect(await services.windowTexts("s")).toEqual(["ask"]);
  const get = (messageId: string): Promise<{ inWindow: boolean }> =>
    services.sessions.getMessage(services.call("GetMessage"), { ...ref, messageId });
  expect((await get("r")).inWindow).toBe(false);
  await expect(get("c")).rejects.toMatchObject({ reason: "MESSAGE_NOT_FOUND" });
});
