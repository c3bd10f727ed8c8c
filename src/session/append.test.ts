import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noteDecisions } from "../../test/support/services/decisions.ts";
import { toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { revisionOf } from "../../test/support/store/revisions.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/window/policies.ts";
import type { Policy } from "../window/policy/policy.ts";

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
  await services.store.close();
});

/** A policy that keeps a few messages. */
function keep(maxMessages: number, more: Partial<Policy> = {}): Policy {
  return policyOf([stageOf({ name: "short", select: dropOldest({ maxMessages }) })], more);
}

async function create(sessionId: string, policy: Policy): Promise<void> {
  await services.sessions.createSession(services.call("CreateSession"), {
    namespace: "default",
    sessionId,
    input: { policy },
    encode: () => toBytes({}),
  });
}

test("seqs are dense and every append has the next revision and its events", async () => {
  const one = await services.append("s", [{ text: "a" }]);
  const two = await services.append("s", [{ text: "b" }, { text: "c" }]);
  expect(one.messages.map((message) => message.seq)).toEqual([1]);
  expect(two.messages.map((message) => message.seq)).toEqual([2, 3]);
  expect([one.revision, two.revision]).toEqual([1, 2]);
  const events = await services.allEvents();
  expect(events.map((event) => [event.revision, event.index, event.detail.type])).toEqual([
    [1, 0, 1],
    [1, 1, 6],
    [2, 0, 6],
  ]);
});

test("an append that overflows says what left, in the answer and in an event", async () => {
  await create("s", keep(2));
  const answer = await services.append("s", [{ text: "a" }, { text: "b" }, { text: "c" }]);
  expect(answer.trims).toHaveLength(1);
  expect(answer.trims[0]).toMatchObject({ stage: "short", reason: "message-limit" });
  expect(answer.trims[0]?.removed.map((entry) => entry.seq)).toEqual([1]);
  expect(answer.window.messageCount).toBe(2);
  expect(await services.windowTexts("s")).toEqual(["b", "c"]);
  const last = (await services.allEvents()).at(-1);
  expect(last?.detail).toMatchObject({ type: 7, trim: { stage: "short" } });
});

test("a trim leaves the log as it is", async () => {
  await create("s", keep(1));
  await services.append("s", [{ text: "a" }, { text: "b" }, { text: "c" }]);
  const page = await services.sessions.listMessages(services.call("ListMessages"), {
    namespace: "default",
    sessionId: "s",
    firstSeq: 0,
    lastSeq: 0,
    order: "asc",
    limit: 10,
  });
  expect(page.messages.map((message) => message.seq)).toEqual([1, 2, 3]);
});

test("a repeat with the same request id changes nothing and gets the same bytes", async () => {
  const first = await services.append("s", [{ text: "a" }], { requestId: "r1" });
  const repeats = await Promise.all(
    Array.from({ length: 10 }, () => services.append("s", [{ text: "a" }], { requestId: "r1" })),
  );
  for (const repeat of repeats) expect(repeat).toEqual(first);
  expect(await revisionOf(services.store)).toBe(1);
});

test("ten first attempts at once with one request id take effect once", async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => services.append("s", [{ text: "a" }], { requestId: "r1" })),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(await revisionOf(services.store)).toBe(1);
});

test("a request id with another request or another rpc is refused", async () => {
  await services.append("s", [{ text: "a" }], { requestId: "r1" });
  const other = services.sessions.deleteSession(services.call("DeleteSession", "r1"), {
    namespace: "default",
    sessionId: "s",
    etag: "",
    allowMissing: false,
    encode: toBytes,
  });
  await expect(other).rejects.toMatchObject({ reason: "REQUEST_ID_REUSED" });
  expect(await revisionOf(services.store)).toBe(1);
});

test("after the idempotency window a request id is new again", async () => {
  await services.append("s", [{ text: "a" }], { requestId: "r1" });
  services.advance(86_400_000);
  const again = await services.append("s", [{ text: "a" }], { requestId: "r1" });
  expect(again.lastSeq).toBe(2);
});

test("a request id belongs to its namespace", async () => {
  await services.append("s", [{ text: "a" }], { requestId: "r1" });
  const other = await services.append("s", [{ text: "b" }], {
    requestId: "r1",
    namespace: "other",
  });
  expect(other.lastSeq).toBe(1);
  // The first change of its own namespace.
  expect(other.revision).toBe(1);
});

test("expected_last_seq lets exactly one of several writers through", async () => {
  await services.append("s", [{ text: "a" }]);
  const results = await Promise.allSettled(
    ["b", "c", "d"].map((text) => services.append("s", [{ text }], { expectedLastSeq: 1 })),
  );
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  for (const result of results) {
    if (result.status === "rejected") {
      expect(result.reason).toMatchObject({ reason: "LAST_SEQ_MISMATCH" });
    }
  }
});

test("a message id that exists refuses the whole append", async () => {
  await services.append("s", [{ messageId: "m", text: "a" }]);
  const second = services.append("s", [{ text: "b" }, { messageId: "m", text: "c" }]);
  await expect(second).rejects.toMatchObject({ reason: "MESSAGE_ALREADY_EXISTS" });
  expect(await revisionOf(services.store)).toBe(1);
});

test("a tool result without a call in the window is stored but stays outside", async () => {
  const answer = await services.append("s", [
    { text: "a" },
    { role: 4, toolCallId: "nobody", text: "orphan" },
  ]);
  expect(answer.trims[0]).toMatchObject({ stage: "", reason: "orphan-tool-result" });
  expect(await services.windowTexts("s")).toEqual(["a"]);
});

test("results that arrive in several appends stay with their call", async () => {
  await create("s", keep(3));
  await services.append("s", [{ text: "ask" }, { role: 2, text: "call", callIds: ["x", "y"] }]);
  await services.append("s", [{ role: 4, toolCallId: "y", text: "ry" }]);
  await services.append("s", [{ role: 4, toolCallId: "x", text: "rx" }]);
  expect(await services.windowTexts("s")).toEqual(["ask", "call", "ry", "rx"]);
  await services.append("s", [{ text: "next" }]);
  expect(await services.windowTexts("s")).toEqual(["next"]);
});

test("under TOKEN_RULE_GIVEN a message without a count is refused by name", async () => {
  await create("s", keep(10, { tokenRule: "given" }));
  const append = services.append("s", [{ tokenCount: 5 }, { text: "b" }]);
  await expect(append).rejects.toMatchObject({
    reason: "REQUEST_INVALID",
    detail: { violations: [{ field: "messages[1].token_count" }] },
  });
});

test("each rule counts by its own measure, and a given count is taken as it is", async () => {
  const text = "Grüße, 世界! Hello <|endoftext|> world";
  const counts: Record<string, number> = {};
  for (const tokenRule of ["bytes-div-4", "chars-div-4", "o200k", "cl100k"] as const) {
    await create(tokenRule, keep(10, { tokenRule }));
    const answer = await services.append(tokenRule, [{ text }, { text, tokenCount: 77 }]);
    expect(answer.messages[1]?.tokenCount).toBe(77);
    counts[tokenRule] = answer.messages[0]?.tokenCount ?? 0;
  }
  expect(counts["bytes-div-4"]).toBe(Math.ceil(Buffer.byteLength(text) / 4));
  expect(counts["chars-div-4"]).toBe(Math.ceil([...text].length / 4));
  const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  expect(counts["o200k"]).toBe(o200k.countTokens(text, plain));
  expect(counts["cl100k"]).toBe(cl100k.countTokens(text, plain));
});

test("images cost what the policy says", async () => {
  await create("s", keep(10, { imageTokenCount: 100 }));
  const answer = await services.append("s", [{ text: "abcd", imageCount: 2 }]);
  expect(answer.messages[0]?.tokenCount).toBe(201);
});

test("an append to a session past its time starts a new session", async () => {
  await services.sessions.createSession(services.call("CreateSession"), {
    namespace: "default",
    sessionId: "s",
    input: { ttlMs: 1_000 },
    encode: () => toBytes({}),
  });
  await services.append("s", [{ text: "old" }]);
  services.advance(1_000);
  await expect(
    services.append("s", [{ text: "x" }], { createSession: false }),
  ).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
  const answer = await services.append("s", [{ text: "new" }]);
  expect(answer.lastSeq).toBe(1);
  expect(await services.windowTexts("s")).toEqual(["new"]);
  const types = (await services.allEvents()).map((event) => event.detail.type);
  expect(types).toEqual([1, 6, 3, 1, 6]);
});

test("an id that exists is told before a seq that is not the newest", async () => {
  await services.append("s", [{ messageId: "m", text: "a" }], { expectedLastSeq: 0 });
  const again = services.append("s", [{ messageId: "m", text: "a" }], { expectedLastSeq: 0 });
  await expect(again).rejects.toMatchObject({ reason: "MESSAGE_ALREADY_EXISTS" });
});

test("an append that can trigger nothing does not look at the window", async () => {
  await create("s", keep(3));
  await services.append("s", [{ text: "a" }]);
  const notes = noteDecisions(services.store);
  await services.append("s", [{ text: "b" }], { modelInputTokens: 5 });
  await services.append("s", [{ text: "c" }], {
    turnEnd: true,
    toolOutcomes: [{ tool: "search", error: true }],
  });
  expect(notes).toEqual(["decided", "decided"]);
  await services.append("s", [{ text: "d" }]);
  expect(notes).toEqual(["decided", "decided", "window", "decided"]);
});

test("an append looks at the window when a turn ends and a stage runs then", async () => {
  const end = stageOf({ name: "end", on: "turn-end", select: dropOldest({ maxMessages: 1 }) });
  await create("s", policyOf([end]));
  await services.append("s", [{ text: "a" }]);
  const notes = noteDecisions(services.store);
  await services.append("s", [{ text: "b" }]);
  expect(notes).toEqual(["decided"]);
  const answer = await services.append("s", [], { turnEnd: true });
  expect(notes).toEqual(["decided", "window", "decided"]);
  expect(answer.trims).toMatchObject([{ stage: "end" }]);
});
