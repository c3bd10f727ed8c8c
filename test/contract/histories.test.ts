// Several messages of a log at once: appended again, gotten, deleted and popped in batches.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AppendOutcome,
  type Message,
  OnExistingMessage,
  Role,
} from "../../src/gen/memorysidecar/v1/message.ts";
import { RemovedTo, TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { keepStage, message, policy, session, toolCall } from "../support/contract/samples.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startContractServer();
});
afterAll(() => server[Symbol.asyncDispose]());

let made = 0;

async function seeded(messages: readonly Message[] = [], fields = {}): Promise<string> {
  const sessionId = `h-${++made}`;
  await server.client.call("createSession", { session: session({ sessionId, ...fields }) });
  if (messages.length > 0) {
    await server.client.call("appendMessages", { sessionId, messages: [...messages] });
  }
  return sessionId;
}

const said = (messageId: string, text = messageId): Message => message({ messageId, text });
const { APPENDED, SKIPPED, UPDATED } = AppendOutcome;

async function log(sessionId: string): Promise<string[]> {
  const { messages } = await server.client.call("listMessages", { sessionId });
  return messages.map(({ seq, text }) => `${seq} ${text}`);
}

async function events(sessionId: string, from: bigint): Promise<(string | undefined)[]> {
  const { events: all } = await server.client.call("listEvents", {
    filter: { sessionId, userId: undefined, sessionIds: [], sessionIdPrefixes: [], eventTypes: [] },
    pageSize: 1_000,
  });
  return all.filter(({ revision }) => revision === from).map(({ detail }) => detail?.$case);
}

describe("an append that skips", () => {
  const onExisting = OnExistingMessage.SKIP;

  test("leaves messages that exist as they are and appends the rest", async () => {
    const sessionId = await seeded([said("a"), said("b")]);
    const { messages, lastSeq, windowTotals } = await server.client.call("appendMessages", {
      sessionId,
      onExisting,
      messages: [said("b", "other"), said("c"), said("c", "again"), message({ text: "d" })],
    });
    expect(messages.map(({ messageId, seq, outcome }) => [messageId, seq, outcome])).toEqual([
      ["b", 2n, SKIPPED],
      ["c", 3n, APPENDED],
      ["c", 3n, SKIPPED],
      [messages[3]?.messageId, 4n, APPENDED],
    ]);
    expect(lastSeq).toBe(4n);
    expect(windowTotals?.messageCount).toBe(4n);
    expect(await log(sessionId)).toEqual(["1 a", "2 b", "3 c", "4 d"]);
  });

  test("changes nothing when all exist, unless the turn ends", async () => {
    const sessionId = await seeded([said("a")]);
    const { session: before } = await server.client.call("getSession", { sessionId });
    const request = { sessionId, onExisting, messages: [said("a")], requestId: sessionId };
    const again = await server.client.call("appendMessages", request);
    expect(again).toMatchObject({ revision: before?.revision, lastSeq: 1n });
    expect(await server.client.call("appendMessages", request)).toEqual(again);
    const { session: after } = await server.client.call("getSession", { sessionId });
    expect(after).toEqual(before);
    const ended = await server.client.call("appendMessages", {
      ...{ sessionId, onExisting, messages: [said("a")], turnEnd: true },
    });
    expect(await events(sessionId, ended.revision)).toEqual(["turnEnded"]);
  });

  test("creates the session, and asks for the seq that is expected", async () => {
    const sessionId = `h-${++made}`;
    const messages = [said("a")];
    const append = { sessionId, onExisting, messages, createSession: true };
    const { messages: first } = await server.client.call("appendMessages", append);
    expect(first[0]?.outcome).toBe(APPENDED);
    const late = { ...append, expectedLastSeq: 0n };
    expect((await server.client.fail("appendMessages", late)).reason).toBe("LAST_SEQ_MISMATCH");
  });

  test("needs no counts for what it skips", async () => {
    const sessionId = await seeded([], { policy: policy({ tokenRule: TokenRule.GIVEN }) });
    const counted = message({ messageId: "a", text: "a", tokenCount: 3 });
    await server.client.call("appendMessages", { sessionId, messages: [counted] });
    const { messages } = await server.client.call("appendMessages", {
      ...{ sessionId, onExisting, messages: [said("a")] },
    });
    expect(messages).toMatchObject([{ tokenCount: 3, outcome: SKIPPED }]);
    const failure = await server.client.fail("appendMessages", {
      ...{ sessionId, onExisting, messages: [said("a"), said("b")] },
    });
    expect(failure.fields).toEqual(["messages[1].token_count"]);
  });
});

describe("an append that updates", () => {
  const onExisting = OnExistingMessage.UPDATE;

  test("gives messages that exist the content of the request, in their places", async () => {
    const old = message({ messageId: "b", text: "b", name: "ann", labels: new Map([["k", "v"]]) });
    const sessionId = await seeded([said("a"), old, said("c")]);
    const before = await server.client.call("getMessage", { sessionId, messageId: "b" });
    server.advance(1_000);
    const answer = await server.client.call("appendMessages", {
      sessionId,
      onExisting,
      messages: [said("b", "new words"), said("a"), said("d"), said("d", "later")],
    });
    const outcomes = answer.messages.map(({ seq, outcome }) => [seq, outcome]);
    expect(outcomes).toEqual([
      [2n, UPDATED],
      [1n, SKIPPED],
      [4n, APPENDED],
      [4n, UPDATED],
    ]);
    expect(await log(sessionId)).toEqual(["1 a", "2 new words", "3 c", "4 later"]);
    const { message: after } = await server.client.call("getMessage", {
      ...{ sessionId, messageId: "b" },
    });
    expect(after).toMatchObject({ name: "", createTime: before.message?.createTime });
    expect(after?.labels.size).toBe(0);
    expect(after?.etag).not.toBe(before.message?.etag);
    expect(after?.updateTime).not.toEqual(before.message?.updateTime);
    const { session: stored } = await server.client.call("getSession", { sessionId });
    const { messages } = await server.client.call("listMessages", { sessionId });
    const tokens = messages.reduce((sum, { tokenCount = 0 }) => sum + tokenCount, 0);
    expect(stored?.logTotals).toMatchObject({ messageCount: 4n, tokenCount: BigInt(tokens) });
    expect(answer.windowTotals).toEqual(stored?.windowTotals);
    expect(await events(sessionId, answer.revision)).toEqual([
      "messageUpdated",
      "messagesAppended",
    ]);
    const [window] = [await server.client.call("getWindow", { sessionId })];
    expect(window.messages.map(({ text }) => text)).toEqual(["a", "new words", "c", "later"]);
  });

  test("skips what has the same content already", async () => {
    const rich = message({
      ...{ messageId: "a", role: Role.ASSISTANT, text: "t", toolCalls: [toolCall("c1")] },
      labels: new Map([
        ["x", "1"],
        ["a", "2"],
      ]),
      structuredJson: Buffer.from('{"b":1}'),
      sentTime: { seconds: 5n, nanos: 7 },
    });
    const sessionId = await seeded([rich]);
    const { session: before } = await server.client.call("getSession", { sessionId });
    const again = { ...rich, labels: new Map([...rich.labels].reverse()) };
    const { messages } = await server.client.call("appendMessages", {
      ...{ sessionId, onExisting, messages: [again] },
    });
    expect(messages).toMatchObject([{ outcome: SKIPPED }]);
    expect((await server.client.call("getSession", { sessionId })).session).toEqual(before);
  });

  test("runs the policy once over the changed and the new messages", async () => {
    const stages = [keepStage()];
    const sessionId = await seeded([said("a"), said("b"), said("c")], {
      policy: policy({ stages }),
    });
    const answer = await server.client.call("appendMessages", {
      ...{ sessionId, onExisting, messages: [said("c", "new"), said("d")] },
    });
    expect(answer.trims).toMatchObject([{ messageIds: ["a"] }]);
    expect(answer.windowTotals?.messageCount).toBe(3n);
    const { messages } = await server.client.call("getWindow", { sessionId });
    expect(messages.map(({ text }) => text)).toEqual(["b", "new", "d"]);
  });

  test("refuses another role, also within the request, and stores nothing", async () => {
    const sessionId = await seeded([said("a")]);
    const other = (messageId: string) => message({ messageId, role: Role.ASSISTANT, text: "x" });
    const failure = await server.client.fail("appendMessages", {
      ...{ sessionId, onExisting, messages: [said("new"), other("a")] },
    });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["messages[1].role"] });
    expect(failure.message).toContain("must be ROLE_USER");
    const twice = await server.client.fail("appendMessages", {
      ...{ sessionId, onExisting, messages: [said("new"), other("new")] },
    });
    expect(twice.fields).toEqual(["messages[1].role"]);
    expect(await log(sessionId)).toEqual(["1 a"]);
  });

  test("asks for a count with new content under TOKEN_RULE_GIVEN", async () => {
    const sessionId = await seeded([], { policy: policy({ tokenRule: TokenRule.GIVEN }) });
    const counted = message({ messageId: "a", text: "a", tokenCount: 3 });
    await server.client.call("appendMessages", { sessionId, messages: [counted] });
    const failure = await server.client.fail("appendMessages", {
      ...{ sessionId, onExisting, messages: [said("a", "new")] },
    });
    expect(failure.fields).toEqual(["messages[0].token_count"]);
  });
});

test("an append refuses ids that come twice, unless it may skip or update", async () => {
  const sessionId = await seeded();
  const failure = await server.client.fail("appendMessages", {
    ...{ sessionId, onExisting: OnExistingMessage.FAIL, messages: [said("a"), said("a")] },
  });
  expect(failure.fields).toEqual(["messages[1].message_id"]);
});

test("an append refuses to read more than 64 MiB of messages that exist", async () => {
  const sessionId = await seeded();
  const big = Array.from({ length: 70 }, (_, n) => said(`m${n}`, "x".repeat(1_000_000)));
  for (let start = 0; start < big.length; start += 3) {
    const messages = big.slice(start, start + 3);
    await server.client.call("appendMessages", { sessionId, messages });
  }
  const small = big.map(({ messageId }) => said(messageId, "small"));
  for (const onExisting of [OnExistingMessage.SKIP, OnExistingMessage.UPDATE]) {
    const append = { sessionId, onExisting, messages: small };
    expect(await server.client.fail("appendMessages", append)).toMatchObject({
      ...{ reason: "REQUEST_INVALID", fields: ["messages"] },
    });
  }
  const messageIds = big.map(({ messageId }) => messageId);
  const byIds = await server.client.fail("batchDeleteMessages", { sessionId, messageIds });
  expect(byIds.fields).toEqual(["message_ids"]);
  const seqRanges = [{ firstSeq: 1n, lastSeq: 70n }];
  const bySeqs = await server.client.fail("batchDeleteMessages", { sessionId, seqRanges });
  expect(bySeqs.fields).toEqual(["seq_ranges"]);
});

describe("BatchGetMessages", () => {
  test("gives messages by ids and seqs, once each, oldest first", async () => {
    const sessionId = await seeded(["a", "b", "c", "d", "e"].map((id) => said(id)));
    await server.client.call("deleteMessage", { sessionId, messageId: "d" });
    const { messages, missingMessageIds, nextPageToken } = await server.client.call(
      "batchGetMessages",
      {
        sessionId,
        messageIds: ["e", "gone", "a", "e", "d"],
        seqRanges: [
          { firstSeq: 3n, lastSeq: 900n },
          { firstSeq: 1n, lastSeq: 1n },
        ],
      },
    );
    expect(messages.map(({ messageId }) => messageId)).toEqual(["a", "c", "e"]);
    expect(missingMessageIds).toEqual(["gone", "d"]);
    expect(nextPageToken).toBe("");
  });

  test("gives pages, and what is missing with the first one", async () => {
    const sessionId = await seeded(Array.from({ length: 7 }, (_, n) => said(`m${n}`)));
    const request = {
      sessionId,
      messageIds: ["m6", "gone"],
      seqRanges: [{ firstSeq: 1n, lastSeq: 4n }],
      pageSize: 2,
    };
    const seen: string[][] = [];
    const missing: string[][] = [];
    let pageToken = "";
    do {
      const page = await server.client.call("batchGetMessages", { ...request, pageToken });
      seen.push(page.messages.map(({ messageId }) => messageId));
      missing.push(page.missingMessageIds);
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(seen.flat()).toEqual(["m0", "m1", "m2", "m3", "m6"]);
    expect(missing.slice(0, 1)).toEqual([["gone"]]);
    expect(missing.slice(1).flat()).toEqual([]);
  });

  test("ends a page after 3 MiB", async () => {
    const sessionId = await seeded();
    for (const id of ["a", "b", "c", "d"]) {
      const messages = [said(id, "x".repeat(900_000))];
      await server.client.call("appendMessages", { sessionId, messages });
    }
    const request = { sessionId, messageIds: ["a", "c", "d", "b"] };
    const first = await server.client.call("batchGetMessages", request);
    expect(first.messages).toHaveLength(3);
    const second = await server.client.call("batchGetMessages", {
      ...{ ...request, pageToken: first.nextPageToken },
    });
    expect(second.messages.map(({ messageId }) => messageId)).toEqual(["d"]);
  });

  test.each([
    ["no names", {}, "message_ids"],
    ["an empty id", { messageIds: [""] }, "message_ids[0]"],
    ["a run that ends before it begins", range(2n, 1n), "seq_ranges[0].last_seq"],
    ["a run from 0", range(0n, 1n), "seq_ranges[0].first_seq"],
  ])("refuses %s", async (_, names, field) => {
    const sessionId = await seeded();
    for (const method of ["batchGetMessages", "batchDeleteMessages"] as const) {
      const failure = await server.client.fail(method, { sessionId, ...names });
      expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [field] });
    }
  });
});

function range(firstSeq: bigint, lastSeq: bigint): object {
  return { seqRanges: [{ firstSeq, lastSeq }] };
}

describe("BatchDeleteMessages", () => {
  test("deletes messages by ids and seqs in one revision", async () => {
    const sessionId = await seeded(["a", "b", "c", "d", "e"].map((id) => said(id)));
    const answer = await server.client.call("batchDeleteMessages", {
      ...{ sessionId, messageIds: ["e", "b"], ...range(1n, 2n), expectedLastSeq: 5n },
    });
    expect(answer).toMatchObject({ deletedCount: 3, windowTotals: { messageCount: 2n } });
    expect(await log(sessionId)).toEqual(["3 c", "4 d"]);
    expect(await events(sessionId, answer.revision)).toEqual([
      ...["messageDeleted", "messageDeleted", "messageDeleted"],
    ]);
    const next = await server.client.call("appendMessages", { sessionId, messages: [said("e")] });
    expect(next.lastSeq).toBe(6n);
  });

  test("takes results that lose their call out of the window", async () => {
    const sessionId = await seeded([
      said("u"),
      message({ messageId: "call", role: Role.ASSISTANT, toolCalls: [toolCall("c1")] }),
      message({ messageId: "result", role: Role.TOOL, toolCallId: "c1", text: "r" }),
      said("v"),
    ]);
    const { trims, windowTotals } = await server.client.call("batchDeleteMessages", {
      ...{ sessionId, messageIds: ["call", "v"] },
    });
    expect(trims).toMatchObject([{ messageIds: ["result"] }]);
    expect(windowTotals?.messageCount).toBe(1n);
  });

  test("refuses a missing message, or leaves it out", async () => {
    const sessionId = await seeded([said("a")]);
    const request = { sessionId, messageIds: ["a", "gone"] };
    const failure = await server.client.fail("batchDeleteMessages", request);
    expect(failure).toMatchObject({
      ...{ reason: "MESSAGE_NOT_FOUND", metadata: { message_id: "gone" } },
    });
    expect(await log(sessionId)).toEqual(["1 a"]);
    const allowMissing = true;
    const { deletedCount } = await server.client.call("batchDeleteMessages", {
      ...{ ...request, allowMissing },
    });
    expect(deletedCount).toBe(1);
    const nothing = await server.client.call("batchDeleteMessages", { ...request, allowMissing });
    expect(nothing).toMatchObject({ deletedCount: 0, revision: 0n });
  });

  test("refuses runs of more than 1,000 seqs together", async () => {
    const sessionId = await seeded([said("a")]);
    const seqRanges = [
      { firstSeq: 1n, lastSeq: 900n },
      { firstSeq: 1_001n, lastSeq: 1_101n },
    ];
    const failure = await server.client.fail("batchDeleteMessages", { sessionId, seqRanges });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["seq_ranges"] });
  });
});

const from = (seq: bigint) => ({ target: { $case: "fromSeq", value: seq } }) as const;
const ALL = { target: { $case: "all", value: {} } } as const;

describe("ReplaceMessages", () => {
  test("replaces the messages from a seq on, in one revision", async () => {
    const sessionId = await seeded(["a", "b", "c", "d"].map((id) => said(id)));
    await server.client.call("deleteMessage", { sessionId, messageId: "c" });
    const answer = await server.client.call("replaceMessages", {
      ...{ sessionId, ...from(2n), expectedLastSeq: 4n, messages: [said("d", "new"), said("e")] },
    });
    expect(answer).toMatchObject({
      messages: [
        { messageId: "d", seq: 5n, outcome: APPENDED },
        { messageId: "e", seq: 6n, outcome: APPENDED },
      ],
      deletedTotals: { messageCount: 2n },
      windowTotals: { messageCount: 3n },
      lastSeq: 6n,
    });
    expect(await log(sessionId)).toEqual(["1 a", "5 new", "6 e"]);
    expect(await events(sessionId, answer.revision)).toEqual([
      ...["messageDeleted", "messageDeleted", "messagesAppended"],
    ]);
    const { messages } = await server.client.call("getWindow", { sessionId });
    expect(messages.map(({ text }) => text)).toEqual(["a", "new", "e"]);
  });

  test("keeps what the log and the request begin with", async () => {
    const sessionId = await seeded(["a", "b", "c", "d"].map((id) => said(id)));
    const keep = { sessionId, ...from(1n), keepCommonPrefix: true };
    const messages = [message({ text: "a" }), said("b"), message({ text: "C" }), said("d")];
    const first = await server.client.call("replaceMessages", { ...keep, messages });
    expect(first.messages.map(({ seq, outcome }) => [seq, outcome])).toEqual([
      [1n, SKIPPED],
      [2n, SKIPPED],
      [5n, APPENDED],
      [6n, APPENDED],
    ]);
    expect(first.deletedTotals?.messageCount).toBe(2n);
    expect(await log(sessionId)).toEqual(["1 a", "2 b", "5 C", "6 d"]);
    const { session: before } = await server.client.call("getSession", { sessionId });
    const again = await server.client.call("replaceMessages", { ...keep, messages });
    expect(again).toMatchObject({
      revision: before?.revision,
      deletedTotals: { messageCount: 0n },
    });
    expect((await server.client.call("getSession", { sessionId })).session).toEqual(before);
    const longer = [...messages, message({ text: "e" })];
    const appended = await server.client.call("replaceMessages", { ...keep, messages: longer });
    expect(await events(sessionId, appended.revision)).toEqual(["messagesAppended"]);
    const shorter = messages.slice(0, 1);
    await server.client.call("replaceMessages", { ...keep, messages: shorter });
    expect(await log(sessionId)).toEqual(["1 a"]);
    const role = [message({ text: "a", role: Role.ASSISTANT })];
    await server.client.call("replaceMessages", { ...keep, messages: role });
    expect(await log(sessionId)).toEqual(["8 a"]);
  });

  test("replaces a log of any length, with its summary", async () => {
    const sessionId = await seeded();
    for (let batch = 0; batch < 3; batch++) {
      const messages = Array.from({ length: 1_000 }, (_, n) => said(`m${batch}-${n}`, "x"));
      await server.client.call("appendMessages", { sessionId, messages });
    }
    await server.client.call("setSummary", { sessionId, text: "so far" });
    const tooMany = await server.client.fail("replaceMessages", { sessionId, ...from(2n) });
    expect(tooMany).toMatchObject({ reason: "REQUEST_INVALID", fields: ["from_seq"] });
    const answer = await server.client.call("replaceMessages", {
      ...{ sessionId, ...ALL, messages: [said("m0-0", "first"), said("b")] },
    });
    expect(answer).toMatchObject({ deletedTotals: { messageCount: 3_000n }, lastSeq: 3_002n });
    expect(await log(sessionId)).toEqual(["3001 first", "3002 b"]);
    expect(await events(sessionId, answer.revision)).toEqual(["sessionReset", "messagesAppended"]);
    const { session: after } = await server.client.call("getSession", { sessionId });
    expect(after).toMatchObject({ logTotals: { messageCount: 2n }, summary: undefined });
    const emptied = await server.client.call("replaceMessages", { sessionId, ...ALL });
    expect(emptied).toMatchObject({ deletedTotals: { messageCount: 2n }, lastSeq: 3_002n });
    const early = await server.client.call("replaceMessages", {
      ...{ sessionId, ...from(1n), messages: [said("c")] },
    });
    expect(early.lastSeq).toBe(3_003n);
  });

  test("runs the policy once, also one that discards", async () => {
    const stages = [keepStage({ removedTo: RemovedTo.DISCARD })];
    const sessionId = await seeded([said("a"), said("b")], { policy: policy({ stages }) });
    const messages = ["c", "d", "e", "f"].map((id) => said(id));
    for (const target of [ALL, from(1n)]) {
      const { trims } = await server.client.call("replaceMessages", {
        ...{ sessionId, ...target, messages },
      });
      expect(trims).toMatchObject([{ messageIds: ["c"] }]);
      const { messages: kept } = await server.client.call("listMessages", { sessionId });
      expect(kept.map(({ text }) => text)).toEqual(["d", "e", "f"]);
    }
  });

  test("creates the session, and gives a repeat the first answer", async () => {
    const sessionId = `h-${++made}`;
    const request = { sessionId, createSession: true, messages: [said("a")], requestId: sessionId };
    const first = await server.client.call("replaceMessages", { ...request, ...ALL });
    expect(await events(sessionId, first.revision)).toEqual(["sessionCreated", "messagesAppended"]);
    expect(await server.client.call("replaceMessages", { ...request, ...ALL })).toEqual(first);
    const other = await server.client.fail("replaceMessages", { ...request, ...from(1n) });
    expect(other.reason).toBe("REQUEST_ID_REUSED");
  });

  test("refuses ids that come twice or that stay, and a prefix of all", async () => {
    const sessionId = await seeded([said("a"), said("b")]);
    const twice = await server.client.fail("replaceMessages", {
      ...{ sessionId, ...ALL, messages: [said("x"), said("x")] },
    });
    expect(twice.fields).toEqual(["messages[1].message_id"]);
    const bad = await server.client.fail("replaceMessages", {
      ...{ sessionId, ...ALL, messages: [message({ role: 0 })] },
    });
    expect(bad.fields).toEqual(["messages[0].role"]);
    const kept = await server.client.fail("replaceMessages", {
      ...{ sessionId, ...from(2n), messages: [said("a")] },
    });
    expect(kept).toMatchObject({ reason: "MESSAGE_ALREADY_EXISTS" });
    const prefix = await server.client.fail("replaceMessages", {
      ...{ sessionId, ...ALL, keepCommonPrefix: true },
    });
    expect(prefix.fields).toEqual(["keep_common_prefix"]);
    expect(await log(sessionId)).toEqual(["1 a", "2 b"]);
  });

  test("erases no more than 64 MiB from a seq on", async () => {
    const sessionId = await seeded();
    for (let batch = 0; batch < 24; batch++) {
      const messages = [0, 1, 2].map((n) => said(`m${batch}-${n}`, "x".repeat(1_000_000)));
      await server.client.call("appendMessages", { sessionId, messages });
    }
    const failure = await server.client.fail("replaceMessages", { sessionId, ...from(1n) });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["from_seq"] });
    await server.client.call("replaceMessages", { sessionId, ...ALL });
    expect(await log(sessionId)).toEqual([]);
  });

  test("replaces among appends: never half of it", async () => {
    const sessionId = await seeded([said("first")]);
    const work = Array.from({ length: 40 }, async (_, n) => {
      const messages = [said(`${n}-1`), said(`${n}-2`)];
      if (n % 2 === 0) await server.client.call("appendMessages", { sessionId, messages });
      else await server.client.call("replaceMessages", { sessionId, ...from(2n), messages });
    });
    await Promise.all(work);
    const left = await server.client.call("listMessages", { sessionId });
    const ids = left.messages.map(({ messageId }) => messageId);
    expect(ids.length % 2).toBe(1);
    for (let at = 1; at < ids.length; at += 2) {
      expect(ids[at + 1]).toBe(ids[at]?.replace("-1", "-2"));
    }
    const { session: after } = await server.client.call("getSession", { sessionId });
    expect(after).toMatchObject({ lastSeq: 81n, logTotals: { messageCount: BigInt(ids.length) } });
  });
});

describe("PopMessages", () => {
  test("removes the newest messages and gives them, oldest first", async () => {
    const sessionId = await seeded(["a", "b", "c", "d"].map((id) => said(id)));
    await server.client.call("deleteMessage", { sessionId, messageId: "c" });
    const stored = await server.client.call("listMessages", { sessionId });
    const answer = await server.client.call("popMessages", { sessionId, count: 2 });
    expect(answer.messages).toEqual(stored.messages.slice(1));
    expect(answer.windowTotals?.messageCount).toBe(1n);
    expect(await events(sessionId, answer.revision)).toEqual(["messageDeleted", "messageDeleted"]);
    expect(await log(sessionId)).toEqual(["1 a"]);
    const next = await server.client.call("appendMessages", { sessionId, messages: [said("b")] });
    expect(next.lastSeq).toBe(5n);
    const rest = await server.client.call("popMessages", { sessionId, count: 1_000 });
    expect(rest.messages.map(({ seq }) => seq)).toEqual([1n, 5n]);
    const none = await server.client.call("popMessages", { sessionId, count: 1 });
    expect(none).toMatchObject({ messages: [], revision: 0n, windowTotals: { messageCount: 0n } });
  });

  test("counts messages, whatever the tool pairs, and leaves none that providers refuse", async () => {
    const sessionId = await seeded([
      said("u"),
      message({
        ...{ messageId: "calls", role: Role.ASSISTANT },
        toolCalls: [toolCall("c1"), toolCall("c2")],
      }),
      message({ messageId: "r1", role: Role.TOOL, toolCallId: "c1", text: "r" }),
      message({ messageId: "r2", role: Role.TOOL, toolCallId: "c2", text: "r" }),
    ]);
    const first = await server.client.call("popMessages", { sessionId, count: 1 });
    expect(first.messages.map(({ messageId }) => messageId)).toEqual(["r2"]);
    const second = await server.client.call("popMessages", { sessionId, count: 2 });
    expect(second.messages.map(({ messageId }) => messageId)).toEqual(["calls", "r1"]);
    const { messages } = await server.client.call("getWindow", { sessionId });
    expect(messages.map(({ messageId }) => messageId)).toEqual(["u"]);
  });

  test("removes what fits 3 MiB, and one message at least", async () => {
    const sessionId = await seeded();
    for (const id of ["a", "b", "c", "d"]) {
      const messages = [said(id, "x".repeat(900_000))];
      await server.client.call("appendMessages", { sessionId, messages });
    }
    const { messages } = await server.client.call("popMessages", { sessionId, count: 4 });
    expect(messages.map(({ messageId }) => messageId)).toEqual(["b", "c", "d"]);
    const { messages: last } = await server.client.call("popMessages", { sessionId, count: 1 });
    expect(last.map(({ messageId }) => messageId)).toEqual(["a"]);
  });

  test("gives a repeat the first answer, and callers at once different messages", async () => {
    const sessionId = await seeded(Array.from({ length: 40 }, (_, n) => said(`m${n}`)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        server.client.call("popMessages", {
          ...{ sessionId, count: 1, requestId: `${sessionId}-${n % 10}` },
        }),
      ),
    );
    const ids = answers.map(({ messages }) => messages[0]?.messageId);
    expect(ids.slice(0, 10)).toEqual(ids.slice(10));
    expect(new Set(ids)).toEqual(new Set(Array.from({ length: 10 }, (_, n) => `m${39 - n}`)));
    expect(await log(sessionId)).toHaveLength(30);
  });

  test("pops among appends, always the newest", async () => {
    const sessionId = await seeded([said("first")]);
    const work = Array.from({ length: 60 }, async (_, n) => {
      if (n % 2 === 0) {
        const messages = [said(`m${n}`)];
        const { lastSeq } = await server.client.call("appendMessages", { sessionId, messages });
        return lastSeq;
      }
      const { messages } = await server.client.call("popMessages", { sessionId, count: 1 });
      return messages.length;
    });
    await Promise.all(work);
    const { session: after } = await server.client.call("getSession", { sessionId });
    expect(after?.lastSeq).toBe(31n);
    expect(await log(sessionId)).toHaveLength(Number(after?.logTotals?.messageCount));
  });

  test.each([0, -1, 1_001])("refuses %i messages", async (count) => {
    const sessionId = await seeded([said("a")]);
    const failure = await server.client.fail("popMessages", { sessionId, count });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["count"] });
  });
});
