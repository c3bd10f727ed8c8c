// Every rpc of SessionService about messages: success, defaults, and each documented failure.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MetadataCondition } from "../../src/gen/memorysidecar/v1/filter.ts";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  keepStage,
  message,
  messageFilter,
  policy,
  session,
  structOfSize,
  toolCall,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

async function seeded(messages: readonly Message[] = []): Promise<string> {
  const sessionId = `session-${count++}`;
  await server.client.call("createSession", { session: session({ sessionId }) });
  if (messages.length > 0) {
    await server.client.call("appendMessages", { sessionId, messages: [...messages] });
  }
  return sessionId;
}

const users = (...texts: string[]): Message[] =>
  texts.map((text, index) => message({ messageId: `m${index + 1}`, text }));

describe("AppendMessages", () => {
  test("gives ids, seqs, tokens, the revision and the totals", async () => {
    const sessionId = await seeded();
    const answer = await server.client.call("appendMessages", {
      sessionId,
      messages: [message({ text: "12345678" }), message({ messageId: "mine", text: "123456789" })],
    });
    expect(answer).toMatchObject({
      messages: [
        { seq: 1n, tokenCount: 2 },
        { messageId: "mine", seq: 2n, tokenCount: 3 },
      ],
      trims: [],
      windowTotals: { messageCount: 2n, tokenCount: 5n },
      lastSeq: 2n,
    });
    expect(answer.messages[0]?.messageId).not.toBe("");
    expect(Number(answer.revision)).toBe(await revisionOf(server.store));
  });

  test("keeps every field as it came, and sets those of the server", async () => {
    const structuredData = structOfSize(500);
    const metadata = structOfSize(50);
    const data = Buffer.from([0, 255, 128, 10]);
    const sent: Partial<Message> = {
      messageId: "full",
      role: Role.ASSISTANT,
      name: "näme",
      parts: [
        { part: { $case: "text", value: "part \u{1F600}" } },
        { part: { $case: "data", value: structOfSize(40) } },
        {
          part: {
            $case: "image",
            value: {
              source: { $case: "data", value: data },
              mediaType: "image/png",
              detail: "low",
            },
          },
        },
      ],
      toolCalls: [{ toolCallId: "c1", name: "search", arguments: '{"q": 1}  ' }],
      agentCalls: [{ agentCallId: "", agentName: "planner", request: "plan" }],
      structuredData,
      providerPayload: { provider: "openai.responses", mediaType: "application/json", data },
      metadata,
      labels: new Map([["k", "v"]]),
      tokenCount: 77,
      sentTime: { seconds: -62_135_596_800n, nanos: 999_999_999 },
      providerRole: "developer",
    };
    const sessionId = await seeded([
      message({ ...sent, writer: "me", etag: "mine", trust: 3, seq: 9n }),
    ]);
    const found = await server.client.call("getMessage", { sessionId, messageId: "full" });
    expect(found.inWindow).toBe(true);
    expect(found.message).toMatchObject({ ...sent, seq: 1n, tokenRule: 5, source: 2, trust: 2 });
    expect(found.message?.writer).toBe("local");
    expect(found.message?.etag).not.toBe("mine");
    expect(found.message?.createTime).toEqual(found.message?.updateTime);
  });

  test("sets source and trust by the role", async () => {
    const roles = [Role.USER, Role.ASSISTANT, Role.SYSTEM, Role.TOOL];
    const call = toolCall("c");
    const sessionId = await seeded(
      roles.map((role) =>
        message({
          role,
          ...(role === Role.ASSISTANT ? { toolCalls: [call] } : {}),
          ...(role === Role.TOOL ? { toolCallId: "c", toolError: true } : {}),
        }),
      ),
    );
    const { messages } = await server.client.call("listMessages", { sessionId });
    expect(messages.map(({ source, trust }) => [source, trust])).toEqual([
      [1, 2],
      [2, 2],
      [4, 3],
      [3, 1],
    ]);
  });

  test("creates the session only when asked", async () => {
    const request = { sessionId: `made-${count++}`, messages: users("one") };
    expect(await server.client.fail("appendMessages", request)).toMatchObject({
      code: "NOT_FOUND",
      reason: "SESSION_NOT_FOUND",
    });
    const made = await server.client.call("appendMessages", { ...request, createSession: true });
    expect(made.lastSeq).toBe(1n);
  });

  test("appends only at the seq that is expected", async () => {
    const sessionId = await seeded();
    const append = { sessionId, messages: [message()], expectedLastSeq: 0n };
    await server.client.call("appendMessages", append);
    expect(await server.client.fail("appendMessages", append)).toMatchObject({
      code: "ABORTED",
      reason: "LAST_SEQ_MISMATCH",
      metadata: { expected_last_seq: "0", last_seq: "1" },
    });
  });

  test("stores all or none", async () => {
    const sessionId = await seeded(users("one"));
    const before = await revisionOf(server.store);
    const failure = await server.client.fail("appendMessages", {
      sessionId,
      messages: [message({ messageId: "m2" }), message({ messageId: "m1" })],
    });
    expect(failure).toMatchObject({
      code: "ALREADY_EXISTS",
      reason: "MESSAGE_ALREADY_EXISTS",
      metadata: { message_id: "m1" },
    });
    expect(failure.details).toContain("ResourceInfo");
    expect(await revisionOf(server.store)).toBe(before);
  });

  test("gives the first answer to a repeat", async () => {
    const sessionId = await seeded();
    const request = { sessionId, messages: [message({ text: "once" })], requestId: "r1" };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server.client.call("appendMessages", request)),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const other = { ...request, messages: [message({ text: "twice" })] };
    const reused = await server.client.fail("appendMessages", other);
    expect(reused.reason).toBe("REQUEST_ID_REUSED");
    server.advance(86_400_000);
    const later = await server.client.call("appendMessages", other);
    expect(later.lastSeq).toBe(2n);
  });

  test("refuses what would pass the ceiling because it is protected", async () => {
    const system = (): Message => message({ role: Role.SYSTEM, text: "x".repeat(900_000) });
    const sessionId = await seeded([system(), system()]);
    await server.client.call("appendMessages", { sessionId, messages: [system()] });
    expect(
      await server.client.fail("appendMessages", { sessionId, messages: [system()] }),
    ).toMatchObject({ code: "FAILED_PRECONDITION", reason: "WINDOW_FULL" });
  });

  test("says what it trimmed, also of this very append", async () => {
    const sessionId = await seeded();
    await server.client.call("updateSession", {
      session: session({ sessionId, policy: policy({ stages: [keepStage()] }) }),
    });
    const messages = users("1", "2", "3", "4", "5");
    const { trims, windowTotals: window } = await server.client.call("appendMessages", {
      sessionId,
      messages,
    });
    expect(trims).toMatchObject([
      {
        stage: "keep",
        reason: 1,
        messageIds: ["m1", "m2"],
        removedTotals: { messageCount: 2n },
        beforeTotals: { messageCount: 5n },
        afterTotals: { messageCount: 3n },
      },
    ]);
    expect(window?.messageCount).toBe(3n);
  });

  test.each<readonly [string, Partial<Message>, string]>([
    ["no role", { role: 0 }, "role"],
    ["an unknown role", { role: 5 as 0 }, "role"],
    ["a negative role", { role: -3 as 0 }, "role"],
    ["a control character in its id", { messageId: "a\u0000" }, "message_id"],
    ["tool calls of a user", { toolCalls: [toolCall("c")] }, "tool_calls"],
    [
      "agent calls of a user",
      { agentCalls: [{ agentCallId: "", agentName: "a", request: "" }] },
      "agent_calls",
    ],
    ["an answer of a user", { toolCallId: "c" }, "tool_call_id"],
    ["a tool's error of a user", { toolError: true }, "tool_error"],
    [
      "a tool call without an id",
      { role: 2, toolCalls: [toolCall("")] },
      "tool_calls[0].tool_call_id",
    ],
    [
      "a tool call without a name",
      { role: 2, toolCalls: [toolCall("c", "")] },
      "tool_calls[0].name",
    ],
    [
      "two tool calls of one id",
      { role: 2, toolCalls: [toolCall("c"), toolCall("c")] },
      "tool_calls[1].tool_call_id",
    ],
    [
      "an agent call without a name",
      { role: 2, agentCalls: [{ agentCallId: "", agentName: "", request: "" }] },
      "agent_calls[0].agent_name",
    ],
    ["an empty part", { parts: [{ part: undefined }] }, "parts[0].part"],
    [
      "an image without a source",
      {
        parts: [
          { part: { $case: "image", value: { source: undefined, mediaType: "", detail: "" } } },
        ],
      },
      "parts[0].image.source",
    ],
    [
      "an image with an empty address",
      {
        parts: [
          {
            part: {
              $case: "image",
              value: { source: { $case: "url", value: "" }, mediaType: "", detail: "" },
            },
          },
        ],
      },
      "parts[0].image.url",
    ],
    [
      "an image without bytes",
      {
        parts: [
          {
            part: {
              $case: "image",
              value: {
                source: { $case: "data", value: Buffer.alloc(0) },
                mediaType: "",
                detail: "",
              },
            },
          },
        ],
      },
      "parts[0].image.data",
    ],
    [
      "a payload without a provider",
      { providerPayload: { provider: "", mediaType: "", data: Buffer.alloc(0) } },
      "provider_payload.provider",
    ],
    ["a negative count", { tokenCount: -1 }, "token_count"],
    ["a time before year 1", { sentTime: { seconds: -62_135_596_801n, nanos: 0 } }, "sent_time"],
    ["nanos that are none", { sentTime: { seconds: 0n, nanos: 1_000_000_000 } }, "sent_time"],
  ])("refuses %s", async (_, fields, path) => {
    const sessionId = "any";
    const before = await revisionOf(server.store);
    const messages = [message(), message(fields)];
    const failure = await server.client.fail("appendMessages", { sessionId, messages });
    expect(failure).toMatchObject({
      code: "INVALID_ARGUMENT",
      reason: "REQUEST_INVALID",
      fields: [`messages[1].${path}`],
    });
    expect(await revisionOf(server.store)).toBe(before);
  });

  test("refuses no messages, one id twice, and a seq that cannot be", async () => {
    const append = (fields: object) =>
      server.client.fail("appendMessages", { sessionId: "any", ...fields });
    expect(await append({})).toMatchObject({ fields: ["messages"] });
    const twice = [message({ messageId: "a" }), message({ messageId: "a" })];
    expect(await append({ messages: twice })).toMatchObject({ fields: ["messages[1].message_id"] });
    expect(await append({ messages: [message()], expectedLastSeq: -1n })).toMatchObject({
      fields: ["expected_last_seq"],
    });
  });

  test("asks for counts under a policy that wants them given", async () => {
    const sessionId = `given-${count++}`;
    await server.client.call("createSession", {
      session: session({ sessionId, policy: policy({ tokenRule: 5 }) }),
    });
    const failure = await server.client.fail("appendMessages", {
      sessionId,
      messages: [message()],
    });
    expect(failure).toMatchObject({
      reason: "REQUEST_INVALID",
      fields: ["messages[0].token_count"],
    });
    const counted = { sessionId, messages: [message({ tokenCount: 0 })] };
    await server.client.call("appendMessages", counted);
  });

  test("counts every text, data as JSON, and images", async () => {
    const one = {
      part: {
        $case: "image" as const,
        value: { source: { $case: "url" as const, value: "u" }, mediaType: "", detail: "" },
      },
    };
    const { messages } = await server.client.call("appendMessages", {
      sessionId: await seeded(),
      messages: [
        message({ parts: [one] }),
        // {"a":"xx...x"}: 32 bytes of wire are 24 characters of text and 8 of quotes and braces.
        message({ parts: [{ part: { $case: "data", value: structOfSize(33) } }] }),
        message({ role: 2, toolCalls: [{ toolCallId: "c", name: "1234", arguments: "5678" }] }),
      ],
    });
    expect(messages.map((each) => each.tokenCount)).toEqual([800, 8, 2]);
  });
});

describe("ListMessages", () => {
  test("gives the log in pages, oldest or newest first, by role and by seq", async () => {
    const sessionId = await seeded([
      ...users("1", "2"),
      message({ role: 2, text: "3" }),
      ...[message({ text: "4" }), message({ role: 2, text: "5" })],
    ]);
    const list = (fields: object) => server.client.call("listMessages", { sessionId, ...fields });
    const texts = (page: { messages: readonly Message[] }) => page.messages.map((one) => one.text);
    const first = await list({ pageSize: 2 });
    expect(texts(first)).toEqual(["1", "2"]);
    const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
    expect(texts(second)).toEqual(["3"]);
    const last = await list({ pageSize: 9_999, pageToken: second.nextPageToken });
    expect([texts(last), last.nextPageToken]).toEqual([["4", "5"], ""]);
    expect(texts(await list({ order: 2 }))).toEqual(["5", "4", "3", "2", "1"]);
    const assistants = messageFilter({ roles: [2] });
    expect(texts(await list({ filter: assistants }))).toEqual(["3", "5"]);
    const middle = messageFilter({ firstSeq: 2n, lastSeq: 4n });
    expect(texts(await list({ filter: middle, order: 2 }))).toEqual(["4", "3", "2"]);
    const wrong = { sessionId, order: 2 as const, pageToken: first.nextPageToken };
    expect(await server.client.fail("listMessages", wrong)).toMatchObject({
      reason: "PAGE_TOKEN_INVALID",
    });
  });

  test("filters by time, labels, metadata, names, called tools and ids, and counts", async () => {
    const sessionId = `filtered-${count++}`;
    const sent = (hours: number) => ({ seconds: BigInt(hours * 3_600), nanos: 0 });
    const messages = [
      message({ messageId: "a", text: "1", sentTime: sent(1), labels: new Map([["k", "v"]]) }),
      message({ messageId: "b", text: "2", sentTime: sent(2), name: "ann" }),
      message({ messageId: "c", role: 2, toolCalls: [{ ...toolCall("c1"), name: "search" }] }),
      message({ messageId: "d", text: "4", sentTime: sent(4), metadata: struct({ size: 4 }) }),
      message({ messageId: "e", text: "5", sentTime: sent(5), name: "bob" }),
    ];
    await server.client.call("appendMessages", { sessionId, messages, createSession: true });
    const find = async (fields: Parameters<typeof messageFilter>[0], more: object = {}) => {
      const request = { sessionId, filter: messageFilter(fields), includeTotal: true, ...more };
      const page = await server.client.call("listMessages", request);
      return [page.messages.map(({ messageId }) => messageId).join(""), page.total?.count];
    };
    expect(await find({ timeFrom: sent(2), timeBefore: sent(5) })).toEqual(["bd", 2n]);
    expect(await find({ timeFrom: sent(6) })).toEqual(["c", 1n]);
    expect(await find({ labels: new Map([["k", "v"]]) })).toEqual(["a", 1n]);
    expect(await find({ names: ["bob", "ann"] })).toEqual(["be", 2n]);
    expect(await find({ names: ["bob", "ann"] }, { pageSize: 1, order: 2 })).toEqual(["e", 2n]);
    expect(await find({ calledTools: ["search", "other"] })).toEqual(["c", 1n]);
    expect(await find({ calledTools: ["other"] })).toEqual(["", 0n]);
    expect(await find({ messageIds: ["e", "none", "a", "e"] })).toEqual(["ae", 2n]);
    expect(await find({ messageIds: ["e", "a", "c"], roles: [1] }, { order: 2 })).toEqual([
      "ea",
      2n,
    ]);
    const size: MetadataCondition = { path: "size", test: { $case: "equalTo", value: 4 } };
    expect(await find({ metadata: [size] })).toEqual(["d", 1n]);
    const none: MetadataCondition = {
      path: "",
      test: { $case: "noneOf", value: { conditions: [size] } },
    };
    expect(await find({ metadata: [none], roles: [1] })).toEqual(["abe", 3n]);
    expect(await find({})).toEqual(["abcde", 5n]);
    expect(await find({ roles: [1] }, { pageSize: 2 })).toEqual(["ab", 4n]);
    const plain = await server.client.call("listMessages", { sessionId });
    expect(plain.total).toBeUndefined();
  });

  test("goes on where a filtered page ended, both ways", async () => {
    const sessionId = `pages-${count++}`;
    const messages = Array.from({ length: 700 }, (_, at) =>
      message({ text: `${at}`, labels: new Map(at % 7 === 0 ? [["k", "v"]] : []) }),
    );
    for (let at = 0; at < messages.length; at += 100) {
      const some = messages.slice(at, at + 100);
      await server.client.call("appendMessages", {
        sessionId,
        messages: some,
        createSession: true,
      });
    }
    const filter = messageFilter({ labels: new Map([["k", "v"]]) });
    for (const order of [1, 2] as const) {
      const texts: string[] = [];
      let pageToken = "";
      do {
        const request = { sessionId, filter, order, pageSize: 9, pageToken, includeTotal: true };
        const page = await server.client.call("listMessages", request);
        expect(page.total).toEqual({ count: 100n, atLeast: false });
        texts.push(...page.messages.map(({ text }) => text));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      const all = Array.from({ length: 100 }, (_, at) => `${at * 7}`);
      expect(texts).toEqual(order === 1 ? all : all.reverse());
    }
  });

  test("refuses a time that ends before it begins, and conditions that are none", async () => {
    const at = { seconds: 5n, nanos: 0 };
    const test = { $case: "equalTo", value: 1 } as const;
    const filter = messageFilter({ timeFrom: at, timeBefore: at, metadata: [{ path: "", test }] });
    const failure = await server.client.fail("listMessages", { sessionId: "none", filter });
    expect(failure.fields).toEqual(["filter.time_before", "filter.metadata[0].path"]);
  });

  test("refuses a missing session and a filter that is none", async () => {
    expect(await server.client.fail("listMessages", { sessionId: "none" })).toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    const failure = await server.client.fail("listMessages", {
      sessionId: "none",
      filter: messageFilter({ roles: [0, 9 as 0], firstSeq: -1n, lastSeq: -1n }),
      order: 4 as 0,
      pageSize: -1,
    });
    expect(failure.fields).toEqual([
      "filter.roles[0]",
      "filter.roles[1]",
      "filter.first_seq",
      "filter.last_seq",
      "order",
      "page_size",
    ]);
  });
});

describe("GetMessage", () => {
  test("says whether the message is in the window, and what is missing", async () => {
    const sessionId = await seeded(users("1", "2", "3"));
    const stages = [keepStage({ select: { $case: "keepLast", value: { unitCount: 1 } } })];
    await server.client.call("updateSession", {
      session: session({ sessionId, policy: policy({ stages }) }),
    });
    const old = await server.client.call("getMessage", { sessionId, messageId: "m1" });
    expect(old).toMatchObject({ inWindow: false, message: { text: "1", seq: 1n } });
    const fail = (fields: object) => server.client.fail("getMessage", fields);
    expect(await fail({ sessionId, messageId: "none" })).toMatchObject({
      code: "NOT_FOUND",
      reason: "MESSAGE_NOT_FOUND",
      metadata: { message_id: "none" },
    });
    expect(await fail({ sessionId: "none", messageId: "m1" })).toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    expect(await fail({ sessionId })).toMatchObject({ fields: ["message_id"] });
  });
});

describe("UpdateMessage", () => {
  test("changes what is named, counts anew, and keeps the rest", async () => {
    const sessionId = await seeded([message({ messageId: "m", text: "1234", name: "n" })]);
    const before = await server.client.call("getMessage", { sessionId, messageId: "m" });
    server.advance(5_000);
    const update = { sessionId, message: message({ messageId: "m", text: "123456789" }) };
    const answer = await server.client.call("updateMessage", update);
    expect(answer.message).toMatchObject({ text: "123456789", name: "n", tokenCount: 3, seq: 1n });
    expect(answer.message?.etag).not.toBe(before.message?.etag);
    expect(answer.message?.createTime).toEqual(before.message?.createTime);
    expect(answer.message?.updateTime).not.toEqual(before.message?.updateTime);
    expect(answer.windowTotals).toMatchObject({ messageCount: 1n, tokenCount: 3n });
    const clear = {
      sessionId,
      message: message({ messageId: "m" }),
      updateMask: ["name", "labels"],
    };
    const cleared = await server.client.call("updateMessage", clear);
    expect(cleared.message).toMatchObject({ name: "", text: "123456789", tokenCount: 3 });
  });

  test("remembers the answer to an update that sets nothing", async () => {
    const sessionId = await seeded([message({ messageId: "m", text: "before" })]);
    const update = (fields: object) =>
      ({
        sessionId,
        message: message({ messageId: "m", ...fields }),
        requestId: "nothing",
      }) as const;
    const first = await server.client.call("updateMessage", update({}));
    const other = { ...update({ text: "after" }), requestId: "" };
    await server.client.call("updateMessage", other);
    expect(await server.client.call("updateMessage", update({}))).toEqual(first);
    const reused = await server.client.fail("updateMessage", update({ text: "other" }));
    expect(reused.reason).toBe("REQUEST_ID_REUSED");
  });

  test("takes every path, and `*` for all of them", async () => {
    const sessionId = await seeded([message({ messageId: "m", role: 2, text: "old" })]);
    const fields: Partial<Message> = {
      messageId: "m",
      name: "n",
      parts: [{ part: { $case: "text", value: "p" } }],
      toolCalls: [toolCall("c")],
      agentCalls: [{ agentCallId: "a", agentName: "n", request: "" }],
      structuredData: structOfSize(50),
      providerPayload: { provider: "p", mediaType: "", data: Buffer.from([1]) },
      metadata: structOfSize(60),
      labels: new Map([["a", "b"]]),
      tokenCount: 12,
      sentTime: { seconds: 5n, nanos: 6 },
      providerRole: "developer",
    };
    const update = { sessionId, message: message(fields) };
    const set = await server.client.call("updateMessage", update);
    expect(set.message).toMatchObject({ ...fields, text: "", role: 2, tokenRule: 5 });
    const structuredJson = Buffer.from("[1]");
    const other = { sessionId, message: message({ messageId: "m", text: "t", structuredJson }) };
    const { message: now } = await server.client.call("updateMessage", other);
    expect(now).toMatchObject({ text: "t", parts: [], structuredJson });
    expect(now?.structuredData).toHaveLength(0);
    const star = { sessionId, message: message({ messageId: "m" }), updateMask: ["*"] };
    const cleared = await server.client.call("updateMessage", star);
    expect(cleared.message).toMatchObject({
      text: "",
      parts: [],
      toolCalls: [],
      tokenCount: 0,
      role: 2,
    });
  });

  test("refuses a stale etag, what is missing, and what the role may not have", async () => {
    const sessionId = await seeded(users("one"));
    const update = (fields: Partial<Message>, rest: object = {}) =>
      server.client.fail("updateMessage", { sessionId, message: message(fields), ...rest });
    expect(await update({ messageId: "m1", text: "x", etag: "old" })).toMatchObject({
      code: "ABORTED",
      reason: "ETAG_MISMATCH",
    });
    expect(await update({ messageId: "none", text: "x" })).toMatchObject({
      reason: "MESSAGE_NOT_FOUND",
    });
    const elsewhere = await update({ messageId: "m1", text: "x" }, { sessionId: "none" });
    expect(elsewhere.reason).toBe("SESSION_NOT_FOUND");
    expect(await update({ messageId: "m1", toolCalls: [toolCall("c")] })).toMatchObject({
      reason: "REQUEST_INVALID",
      fields: ["message.tool_calls"],
    });
    const paths = { updateMask: ["role", "message_id", "seq"] };
    expect(await update({ messageId: "m1" }, paths)).toMatchObject({
      fields: ["update_mask.paths[0]", "update_mask.paths[1]"],
    });
    const missing = await server.client.fail("updateMessage", { sessionId });
    expect(missing.fields).toEqual(["message"]);
  });

  test("refuses a change that would pass the ceiling", async () => {
    const large = (messageId: string): Message =>
      message({ messageId, role: Role.SYSTEM, text: "x".repeat(800_000) });
    const sessionId = await seeded([
      large("a"),
      large("b"),
      large("c"),
      message({ messageId: "d", role: 3 }),
    ]);
    const failure = await server.client.fail("updateMessage", { sessionId, message: large("d") });
    expect(failure.reason).toBe("WINDOW_FULL");
  });
});

describe("DeleteMessage", () => {
  test("deletes, and takes results that lose their call out of the window", async () => {
    const sessionId = await seeded([
      message({ messageId: "u" }),
      message({ messageId: "call", role: 2, toolCalls: [toolCall("c")] }),
      message({ messageId: "result", role: 4, toolCallId: "c" }),
    ]);
    const answer = await server.client.call("deleteMessage", { sessionId, messageId: "call" });
    expect(answer).toMatchObject({
      trims: [{ stage: "", reason: 5, messageIds: ["result"] }],
      windowTotals: { messageCount: 1n },
    });
    const again = { sessionId, messageId: "call", allowMissing: true };
    expect((await server.client.call("deleteMessage", again)).revision).toBe(0n);
  });

  test("refuses a stale etag and what is missing", async () => {
    const sessionId = await seeded(users("one"));
    const fail = (fields: object) => server.client.fail("deleteMessage", fields);
    expect(await fail({ sessionId, messageId: "m1", etag: "old" })).toMatchObject({
      reason: "ETAG_MISMATCH",
    });
    expect(await fail({ sessionId, messageId: "none" })).toMatchObject({
      reason: "MESSAGE_NOT_FOUND",
    });
    const noSession = { sessionId: "none", messageId: "m1", allowMissing: true };
    expect(await fail(noSession)).toMatchObject({ reason: "SESSION_NOT_FOUND" });
  });
});
