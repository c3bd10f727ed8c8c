// Native snapshots with ExportSession and ImportSession: what is exported comes back exactly, and
// what a stranger sends is checked.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { SessionDeleteReason } from "../../src/gen/memorysidecar/v1/event.ts";
import { Message, Role, Trust } from "../../src/gen/memorysidecar/v1/message.ts";
import { RemovedTo, StageOn, TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import type { SnapshotHeader } from "../../src/gen/memorysidecar/v1/snapshot.ts";
import { type Summary, SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import type { Store } from "../../src/store/store.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  keepStage,
  message,
  policy,
  session,
  sessionSummary,
  structOfSize,
  toolCall,
  written,
} from "../support/contract/samples.ts";
import {
  bringSnapshot,
  comparable,
  failImport,
  type ImportFields,
  importChunk,
  type Snapshot,
  takeSnapshot,
} from "../support/contract/snapshots.ts";
import { summarize } from "../support/contract/summarizing.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const fresh = () => `native-${count++}`;
const second = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 });

async function filled(texts: readonly string[], fields = {}): Promise<string> {
  const sessionId = fresh();
  await server.client.call("createSession", { session: session({ sessionId, ...fields }) });
  const messages = texts.map((text, index) => message({ messageId: `m${index + 1}`, text }));
  if (texts.length > 0) await server.client.call("appendMessages", { sessionId, messages });
  return sessionId;
}

/** Exports, imports and exports again: both must be the same. */
async function expectRoundTrip(sessionId: string, chunk = 10_000): Promise<Snapshot> {
  const before = await takeSnapshot(server.client, sessionId);
  const copy = `${sessionId}-copy`;
  const made = await bringSnapshot(server.client, before, { sessionId: copy, chunk });
  const after = await takeSnapshot(server.client, copy);
  expect(comparable(after)).toEqual(comparable(before));
  const { placedSummaries } = made;
  const withoutTexts = placedSummaries.map((summary) => ({ ...summary, text: "" }));
  expect(after.header.session).toEqual({ ...made, placedSummaries: withoutTexts });
  const windows = [sessionId, copy].map((id) => server.client.call("getWindow", { sessionId: id }));
  const [source, target] = (await Promise.all(windows)).map(({ messages }) =>
    messages.map(({ etag: _, ...rest }) => rest),
  );
  expect(target).toEqual(source);
  return before;
}

describe("a native snapshot comes back as it was", () => {
  test("of an empty session", async () => {
    const sessionId = fresh();
    await server.client.call("createSession", { session: session({ sessionId }) });
    const { messages } = await expectRoundTrip(sessionId);
    expect(messages).toEqual([]);
  });

  test("with everything that a session and a message may hold", async () => {
    const sessionId = await filled([], {
      userId: "u",
      agentId: "a",
      labels: new Map([["k", "v"]]),
      metadata: structOfSize(100),
      policy: policy({
        stages: [keepStage()],
        tokenRule: TokenRule.PRESET,
        tokenPreset: "chars_sum_4",
      }),
      summary: sessionSummary({ text: "What was." }),
    });
    const messages = [
      message({ role: Role.SYSTEM, text: "Be brief.", labels: new Map([["a", "b"]]) }),
      message({ text: "abcde", metadata: structOfSize(50), sentTime: second(-5) }),
      message({
        role: Role.ASSISTANT,
        text: "x",
        toolCalls: [toolCall("c1"), toolCall("c2")],
        providerPayload: { provider: "p", mediaType: "", data: Buffer.from([0, 255, 128]) },
      }),
      message({ role: Role.TOOL, toolCallId: "c1", text: "ok", name: "search" }),
      message({ role: Role.TOOL, toolCallId: "c2", text: "no", toolError: true }),
      message({ text: "y", tokenCount: 77, structuredData: structOfSize(60) }),
    ];
    await server.client.call("appendMessages", { sessionId, messages, modelInputTokens: 900n });
    const { header, messages: log } = await expectRoundTrip(sessionId);
    const counts = log.map(({ tokenCount = 0 }) => tokenCount);
    const sum = counts.reduce((all, count) => all + count, 0);
    // Two texts that cost a quarter more than whole tokens each, and two that cost half a token.
    expect(Number(header.session?.logTotals?.tokenCount)).toBe(sum + 1);
    expect(header.session?.modelInputTokens).toBe(900n);
    expect(header.session?.summary?.version).toBe(1n);
    expect(header.windowSeqRanges.length).toBeGreaterThan(0);
  });

  test("with holes, changed messages, a reset and a fork", async () => {
    const sessionId = await filled(["a", "b", "c", "d"]);
    await server.client.call("appendMessages", {
      sessionId,
      messages: [message({ role: Role.SYSTEM, text: "stay" }), message({ text: "e" })],
    });
    await server.client.call("resetSession", { sessionId, keepSystemMessages: true });
    const messages = ["f", "g", "h"].map((text) => message({ messageId: text, text }));
    await server.client.call("appendMessages", { sessionId, messages });
    await server.client.call("deleteMessage", { sessionId, messageId: "g" });
    await server.client.call("updateMessage", {
      sessionId,
      message: message({ messageId: "f", text: "changed" }),
    });
    const forked = fresh();
    await server.client.call("forkSession", { sourceSessionId: sessionId, sessionId: forked });
    const { header, messages: log } = await expectRoundTrip(forked);
    expect(header.firstSeq).toBe(7n);
    expect(log.map(({ seq }) => seq)).toEqual([5n, 7n, 9n]);
    expect(header.session?.forkedFrom?.sessionId).toBe(sessionId);
    // The copy goes on like the original, and its past is what the snapshot knows.
    const copy = `${forked}-copy`;
    const { messages: appended } = await server.client.call("appendMessages", {
      sessionId: copy,
      messages: [message({ text: "next" })],
    });
    expect(appended[0]?.seq).toBe(10n);
    const past = await server.client.call("getWindow", { sessionId: copy, asOfSeq: 7n });
    expect(past.messages.map(({ text }) => text)).toEqual(["stay", "changed"]);
    const gone = await server.client.fail("getWindow", { sessionId: copy, asOfSeq: 2n });
    expect(gone.reason).toBe("SEQ_OUT_OF_RANGE");
  });

  test("with filled results and placed summaries in the window", async () => {
    const sessionId = await filled(["one", "two", "three"]);
    const calls = [toolCall("c1"), toolCall("c2")];
    const messages = [message({ role: Role.ASSISTANT, toolCalls: calls }), message({ text: "on" })];
    await server.client.call("appendMessages", { sessionId, messages });
    await server.client.call("fillToolResults", { sessionId });
    await server.client.call("setSummary", {
      sessionId,
      text: "one and two",
      replacedMessageIds: ["m1", "m2"],
      placement: 2,
    });
    const { header } = await expectRoundTrip(sessionId);
    expect(header.inserts.length).toBe(3);
    expect(header.session?.placedSummaries.length).toBe(1);
    const set = { sessionId: `${sessionId}-copy`, text: "more", placement: 2 } as const;
    const again = await server.client.call("setSummary", { ...set, replacedMessageIds: ["m3"] });
    expect(again.session?.placedSummaries.length).toBe(2);
  });

  test("with the history of its summaries as far as the snapshot has it", async () => {
    const sessionId = await filled(["one", "two", "three", "four"]);
    const set = { sessionId, replacedMessageIds: ["m1", "m2"] };
    await server.client.call("setSummary", { ...set, text: "one and two", placement: 2 });
    const beside = { ...set, replacedMessageIds: ["m3"], text: "three" };
    await server.client.call("setSummary", beside);
    await expectRoundTrip(sessionId);
    const copy = `${sessionId}-copy`;
    const { summaries } = await server.client.call("listSummaries", { sessionId: copy });
    expect(summaries).toMatchObject([
      { version: 2n, text: "three", origin: { sourceTotals: { messageCount: 1n } } },
      { version: 1n, text: "one and two", origin: { sourceTotals: { messageCount: 2n } } },
    ]);
    expect(summaries.map(({ current }) => current)).toEqual([true, true]);
    const sources = { sessionId: copy, version: 1n };
    const { messages } = await server.client.call("listSummarySources", sources);
    expect(messages.map(({ messageId }) => messageId)).toEqual(["m1", "m2"]);
    const { session: next } = await server.client.call("setSummary", {
      sessionId: copy,
      text: "more",
    });
    expect(next?.summary?.version).toBe(3n);
  });

  test("of a server that did not number placed summaries", async () => {
    const sessionId = await filled(["one", "two", "three"]);
    const placed = { sessionId, placement: SummaryPlacement.IN_PLACE };
    for (const id of ["m1", "m2"]) {
      await server.client.call("setSummary", { ...placed, text: id, replacedMessageIds: [id] });
    }
    const taken = await takeSnapshot(server.client, sessionId);
    const { session: old } = taken.header;
    const summaries = old?.placedSummaries.map((one) => ({
      ...one,
      version: 0n,
      trust: Trust.UNSPECIFIED,
    }));
    const header = {
      ...taken.header,
      summaryVersion: 0n,
      session: { ...session(), ...old, placedSummaries: summaries ?? [] },
    };
    const made = await bringSnapshot(server.client, { ...taken, header }, { sessionId: fresh() });
    expect(made.placedSummaries).toMatchObject([
      { version: 1n, trust: Trust.LOW, level: 1 },
      { version: 2n, trust: Trust.LOW, level: 1 },
    ]);
  });

  test("with a summary that is shown as what was asked for and an answer", async () => {
    const sessionId = fresh();
    const asked = message({ messageId: "asked", role: Role.USER, text: "[User Requests Summary]" });
    const shown = message({ messageId: "shown", role: Role.ASSISTANT, text: "It was so." });
    const time = { createTime: second(5), updateTime: second(5) };
    const placed = placedSummary({
      ...{ placedMessageId: "shown", text: "", tokenCount: 3, version: 1n, level: 2 },
      ...{ hook: "builtin", stage: "sum", trust: Trust.MEDIUM },
    });
    const header = headerOf({
      session: { ...empty(), placedSummaries: [placed] },
      inserts: [
        { message: { ...asked, ...time, tokenCount: 5 }, afterSeq: 0n, summary: false },
        { message: { ...shown, ...time, tokenCount: 3 }, afterSeq: 0n, summary: true },
      ],
      summaryVersion: 1n,
    });
    await importChunk(server.client, { sessionId, header, messages: [] });
    const { header: after } = await expectRoundTrip(sessionId);
    expect(after.inserts.map(({ message: one, summary }) => [one?.role, summary])).toEqual([
      [Role.USER, false],
      [Role.ASSISTANT, true],
    ]);
    expect(after.session?.placedSummaries).toMatchObject([{ ...placed, tokenCount: 3 }]);
    const window = await server.client.call("getWindow", { sessionId });
    expect(window.messages.map(({ messageId, trust }) => [messageId, trust])).toEqual([
      ["asked", Trust.MEDIUM],
      ["shown", Trust.MEDIUM],
    ]);
  });

  test("with a summary of what was said before 1970, and tools of any name", async () => {
    const sessionId = fresh();
    const stage = keepStage({
      on: StageOn.TURN_END,
      anyOf: [{ condition: { $case: "toolError", value: { names: ["a\tb"] } } }],
    });
    const fields = { sessionId, policy: policy({ stages: [stage] }) };
    await server.client.call("createSession", { session: session(fields) });
    const messages = [
      message({ messageId: "old", sentTime: second(-5) }),
      message({ role: Role.ASSISTANT, toolCalls: [toolCall("c1")] }),
      message({ role: Role.TOOL, toolCallId: "c1", name: "a\tb", toolError: true }),
    ];
    await server.client.call("appendMessages", { sessionId, messages });
    const replaced = { replacedMessageIds: ["old"], placement: SummaryPlacement.IN_PLACE };
    await server.client.call("setSummary", { sessionId, text: "long ago", ...replaced });
    const { header } = await expectRoundTrip(sessionId);
    expect(header.session?.placedSummaries[0]?.firstMessageTime).toEqual(second(-5));
    expect(header.outcomes).toEqual([{ tool: "a\tb", error: true }]);
  });

  test("with 10,000 messages, in chunks", { timeout: 60_000 }, async () => {
    const sessionId = fresh();
    await server.client.call("createSession", { session: session({ sessionId }) });
    for (let batch = 0; batch < 10; batch++) {
      const messages = Array.from({ length: 1_000 }, (_, index) =>
        message({ text: `${batch} ${index} ${"x".repeat(100)}` }),
      );
      await server.client.call("appendMessages", { sessionId, messages });
    }
    const { chunks, messages } = await expectRoundTrip(sessionId, 1_700);
    expect(messages.length).toBe(10_000);
    expect(chunks).toBeGreaterThan(4);
  });

  test("with a window at its ceiling, and the largest message", { timeout: 60_000 }, async () => {
    const everything = { policy: policy({ stages: [] }) };
    const sessionId = await filled([], everything);
    for (let batch = 0; batch < 4; batch++) {
      const messages = Array.from({ length: 1_000 }, () => message({ text: "x".repeat(900) }));
      await server.client.call("appendMessages", { sessionId, messages });
    }
    const { header } = await expectRoundTrip(sessionId, 1_000);
    expect(header.windowSeqRanges[0]?.firstSeq).toBeGreaterThan(1n);
    const next = Array.from({ length: 1_000 }, () => message({ text: "x".repeat(900) }));
    const more = { sessionId: `${sessionId}-copy`, messages: next };
    expect((await server.client.call("appendMessages", more)).trims).toHaveLength(1);

    const largest = await filled(["x".repeat(LIMITS.messageBytes - 100)], everything);
    const { messages } = await takeSnapshot(server.client, largest);
    const bytes = messages.map((one) => Message.encode(one).finish().length)[0] ?? 0;
    const text = "x".repeat(2 * LIMITS.messageBytes - bytes - 108);
    await expectRoundTrip(await filled([text], everything));
  });

  test("keeps a session with a ttl from being gone at once", async () => {
    const sessionId = await filled(["a"], { ttl: second(3_600) });
    const snapshot = await takeSnapshot(server.client, sessionId);
    server.advance(7_200_000);
    const made = await bringSnapshot(server.client, snapshot, { sessionId: fresh() });
    expect(made.createTime).toEqual(snapshot.header.session?.createTime);
    expect(Number(made.updateTime?.seconds)).toBeGreaterThanOrEqual(
      Number(snapshot.header.session?.updateTime?.seconds) + 7_200,
    );
  });
});

const empty = () => session({ lastSeq: 0n, createTime: second(5), updateTime: second(5) });

function headerOf(fields: Partial<SnapshotHeader> = {}): SnapshotHeader {
  return {
    session: empty(),
    firstSeq: 1n,
    windowSeqRanges: [],
    inserts: [],
    outcomes: [],
    overLimitStages: [],
    summaryVersion: 0n,
    turnEndSeq: 0n,
    ...fields,
  };
}

const logged = (seq: number, fields = {}) =>
  message({
    messageId: `id-${seq}`,
    seq: BigInt(seq),
    text: "t",
    tokenCount: 3,
    tokenRule: TokenRule.BYTES_DIV_4,
    createTime: second(5),
    updateTime: second(6),
    ...fields,
  });

const answer = logged(1, { role: Role.TOOL });

const withLast = (lastSeq: bigint, fields: Partial<SnapshotHeader> = {}) =>
  headerOf({ session: { ...empty(), lastSeq }, ...fields });

/** A summary in a window, with what a test names. */
function placedSummary(fields: Partial<Summary>): Summary {
  const times = { createTime: second(5), firstMessageTime: second(5) };
  const of = { placement: SummaryPlacement.IN_PLACE, current: true };
  return sessionSummary({ ...times, ...of, ...fields });
}

/** A header with a placed summary. */
function placedHeader({ ranges = 1, name = "" }): SnapshotHeader {
  const seqRanges = Array.from({ length: ranges }, (_, index) => {
    const seq = BigInt(2 * index + 1);
    return { firstSeq: seq, lastSeq: seq };
  });
  const placed = placedSummary({
    ...{ placedMessageId: "p", text: "t", version: 1n, level: 1, trust: Trust.LOW, seqRanges },
  });
  const made = message({ messageId: "p", text: "t", name, createTime: second(5) });
  return headerOf({
    session: { ...empty(), lastSeq: 1_000n, placedSummaries: [placed] },
    inserts: [{ message: made, afterSeq: 0n, summary: true }],
    summaryVersion: 1n,
  });
}

/** The placed summary of a header, and another one with the same number. */
function twice({ session: of }: SnapshotHeader) {
  return ["p", "q"].flatMap((placedMessageId) =>
    (of?.placedSummaries ?? []).map((one) => ({ ...one, placedMessageId })),
  );
}

/** The insert of a header, and another one. */
function twoInserts({ inserts }: SnapshotHeader): SnapshotHeader["inserts"] {
  return ["p", "q"].flatMap((messageId) =>
    inserts.map((one) => ({ ...one, message: { ...message(), ...one.message, messageId } })),
  );
}

/** A header with so many filled results; without a call they are what a user asked for. */
function filledHeader(results: number, toolCallId = "c"): SnapshotHeader {
  const inserts = Array.from({ length: results }, (_, index) => ({
    message: message({ messageId: `h${index}`, toolCallId, createTime: second(5) }),
    afterSeq: 0n,
    summary: false,
  }));
  return headerOf({ inserts });
}

async function refused(fields: ImportFields) {
  const sessionId = fresh();
  const failure = await failImport(server.client, { sessionId, ...fields });
  const gone = await server.client.fail("getSession", { sessionId });
  expect(gone.reason).toBe("SESSION_NOT_FOUND");
  return failure;
}

describe("a snapshot of a stranger", () => {
  const faults: readonly [string, ImportFields][] = [
    ["header", {}],
    ["header.session", { header: headerOf({ session: undefined }) }],
    ["header.session.create_time", { header: headerOf({ session: session() }) }],
    [
      "header.session.summary.text",
      {
        header: headerOf({
          session: {
            ...empty(),
            summary: sessionSummary({ version: 1n, createTime: second(5) }),
          },
        }),
      },
    ],
    ["header.first_seq", { header: headerOf({ firstSeq: 0n }) }],
    ["header.first_seq", { header: headerOf({ firstSeq: 2n }) }],
    [
      "header.window_seq_ranges[0]",
      { header: headerOf({ windowSeqRanges: [{ firstSeq: 1n, lastSeq: 1n }] }) },
    ],
    [
      "header.window_seq_ranges[1]",
      {
        header: withLast(9n, {
          windowSeqRanges: [
            { firstSeq: 2n, lastSeq: 3n },
            { firstSeq: 3n, lastSeq: 4n },
          ],
        }),
      },
    ],
    [
      "header.inserts[0].message",
      { header: headerOf({ inserts: [{ message: undefined, afterSeq: 0n, summary: true }] }) },
    ],
    [
      "header.inserts[0].message.message_id",
      { header: headerOf({ inserts: [{ message: logged(1), afterSeq: 0n, summary: true }] }) },
    ],
    [
      "header.inserts[0].message.tool_call_id",
      { header: headerOf({ inserts: [{ message: answer, afterSeq: 0n, summary: false }] }) },
    ],
    [
      "header.inserts[0].after_seq",
      {
        header: headerOf({
          inserts: [{ message: logged(1, { toolCallId: "c" }), afterSeq: 1n, summary: false }],
        }),
      },
    ],
    ["header.session.last_seq", { header: withLast(2n ** 40n + 1n) }],
    [
      "header.summary_version",
      {
        header: headerOf({
          session: {
            ...empty(),
            summary: sessionSummary({ text: "x", version: 3n, createTime: second(5) }),
          },
          summaryVersion: 2n,
        }),
      },
    ],
    [
      "header.session.placed_summaries[1].version",
      {
        header: headerOf({
          ...placedHeader({}),
          session: {
            ...(placedHeader({}).session ?? empty()),
            summary: sessionSummary({ text: "x", version: 2n, createTime: second(5) }),
            placedSummaries: twice(placedHeader({})),
          },
          inserts: twoInserts(placedHeader({})),
          summaryVersion: 2n,
        }),
      },
    ],
    [
      "header.session.placed_summaries[0].seq_ranges",
      { header: placedHeader({ ranges: LIMITS.summaryRanges + 1 }) },
    ],
    ["header.inserts[0].message.name", { header: placedHeader({ name: "x" }) }],
    ["header.inserts", { header: filledHeader(LIMITS.filledResults + 1) }],
    ["header.inserts", { header: filledHeader(LIMITS.placedSummaries + 1, "") }],
    ["header.summary_version", { header: headerOf({ summaryVersion: 2n ** 53n }) }],
    ["header.outcomes[0].tool", { header: headerOf({ outcomes: [{ tool: "", error: true }] }) }],
    ["messages[0].seq", { header: withLast(3n), messages: [logged(4)] }],
    ["messages[1].seq", { header: withLast(3n), messages: [logged(2), logged(2)] }],
    ["messages[0].seq", { header: withLast(3n, { firstSeq: 2n }), messages: [logged(1)] }],
    [
      "messages[1].message_id",
      { header: withLast(3n), messages: [logged(1), logged(2, { messageId: "id-1" })] },
    ],
    ["messages[0].message_id", { header: withLast(3n), messages: [logged(1, { messageId: "" })] }],
    ["messages[0].role", { header: withLast(3n), messages: [logged(1, { role: 9 })] }],
    [
      "messages[0].token_count",
      { header: withLast(3n), messages: [logged(1, { tokenCount: undefined })] },
    ],
    [
      "messages[0].token_rule",
      { header: withLast(3n), messages: [logged(1, { tokenRule: TokenRule.MODEL })] },
    ],
    [
      "messages[0].create_time",
      { header: withLast(3n), messages: [logged(1, { createTime: second(-1) })] },
    ],
    [
      "messages[0].tool_call_id",
      { header: withLast(3n), messages: [logged(1, { toolCallId: "c" })] },
    ],
    ["header.session.last_seq", { header: withLast(2_000_000_000n) }],
    ["messages[0].seq", { header: withLast(9_000_000_000n), messages: [logged(9_000_000_000)] }],
  ];

  test.each(faults)("is refused with %s", async (field, fields) => {
    const failure = await refused(fields);
    expect([failure.code, failure.reason]).toEqual(["INVALID_ARGUMENT", "SNAPSHOT_INVALID"]);
    expect(failure.fields[0]).toBe(`chunk.${field}`);
  });

  test("does not say how large it is, who wrote it, or how far it is trusted", async () => {
    const sessionId = fresh();
    const lie = { messageCount: 900n, tokenCount: 900n };
    const header = withLast(2n, { windowSeqRanges: [{ firstSeq: 2n, lastSeq: 2n }] });
    const spoken = {
      ...header,
      session: { ...header.session, ...empty(), lastSeq: 2n, logTotals: lie },
    };
    const messages = [
      logged(1, { trust: 3, source: 4, writer: "root", etag: "r9" }),
      logged(2, { role: Role.TOOL, trust: 3 }),
    ];
    await importChunk(server.client, { sessionId, header: spoken, messages });
    const after = await takeSnapshot(server.client, sessionId);
    expect(after.header.session?.logTotals).toEqual({ messageCount: 2n, tokenCount: 6n });
    expect(after.header.session?.windowTotals).toEqual({ messageCount: 1n, tokenCount: 3n });
    expect(after.messages.map(({ source, trust, writer }) => [source, trust, writer])).toEqual([
      [1, 2, "local"],
      [3, 1, "local"],
    ]);
    expect(after.messages[0]?.etag).not.toBe("r9");
  });

  test("names no more messages that resets kept than there can be", async () => {
    const sessionId = fresh();
    const header = withLast(30_000n, { firstSeq: 30_001n });
    const kept = (from: number) =>
      Array.from({ length: 5_001 }, (_, index) =>
        logged(2 * (from + index) + 1, { role: Role.SYSTEM }),
      );
    const first = { sessionId, header, messages: kept(0), more: true };
    const { uploadId } = await importChunk(server.client, first);
    const rest = { uploadId, chunkIndex: 1, messages: kept(5_001) };
    const failure = await failImport(server.client, rest);
    expect([failure.reason, failure.fields]).toEqual([
      "SNAPSHOT_INVALID",
      ["chunk.messages[5000].seq"],
    ]);
  });

  test("is refused when its policy needs a hook that the server does not have", async () => {
    const asks = { removedTo: RemovedTo.SUMMARIZE, summarize: summarize({ hook: "nobody" }) };
    const own = { ...empty(), policy: written(policy({ stages: [keepStage(asks)] })) };
    const failure = await refused({ header: headerOf({ session: own }) });
    expect(failure).toMatchObject({ reason: "HOOK_NOT_CONFIGURED", metadata: { hook: "nobody" } });
  });

  test("is refused when its policy promotes and nothing says how", async () => {
    const stages = [keepStage({ removedTo: RemovedTo.PROMOTE })];
    const own = { ...empty(), policy: written(policy({ stages })) };
    const failure = await refused({ header: headerOf({ session: own }) });
    expect(failure).toMatchObject({ reason: "PROMOTION_POLICY_MISSING" });
  });

  test("must fit under the ceiling of a window", async () => {
    const messages = Array.from({ length: 4 }, (_, index) =>
      logged(index + 1, { text: "x".repeat(900_000) }),
    );
    const header = withLast(4n, { windowSeqRanges: [{ firstSeq: 1n, lastSeq: 4n }] });
    expect((await refused({ header, messages })).reason).toBe("WINDOW_FULL");
  });

  test("brings no stage to run and no orphan to go", async () => {
    const stages = [keepStage()];
    const header = withLast(5n, {
      session: { ...empty(), lastSeq: 5n, policy: written(policy({ stages })) },
      windowSeqRanges: [{ firstSeq: 1n, lastSeq: 5n }],
    });
    const orphan = logged(1, { role: Role.TOOL, toolCallId: "c" });
    const messages = [orphan, logged(2), logged(3), logged(4), logged(5)];
    const sessionId = fresh();
    await importChunk(server.client, { sessionId, header, messages });
    const { messages: window } = await server.client.call("getWindow", { sessionId });
    expect(window.length).toBe(5);
    const more = { sessionId, messages: [message({ text: "more" })] };
    const { windowTotals: totals } = await server.client.call("appendMessages", more);
    expect(totals?.messageCount).toBe(3n);
  });
});

describe("an import", () => {
  test("takes the id of the snapshot, or of the request, and neither twice", async () => {
    const sessionId = await filled(["a"]);
    const snapshot = await takeSnapshot(server.client, sessionId);
    const taken = await failImport(server.client, snapshot);
    expect([taken.code, taken.reason]).toEqual(["ALREADY_EXISTS", "SESSION_ALREADY_EXISTS"]);
    await server.client.call("deleteSession", { sessionId });
    expect((await bringSnapshot(server.client, snapshot)).sessionId).toBe(sessionId);
    const bare = {
      ...snapshot.header,
      session: session({ ...snapshot.header.session, sessionId: "" }),
    };
    const made = await bringSnapshot(server.client, { ...snapshot, header: bare });
    expect(made.sessionId).toMatch(/^[0-9a-z]{26}$/);
  });

  test("replaces a session at once, and tells of it", async () => {
    const sessionId = await filled(["old", "older"], { userId: "before" });
    const snapshot = await takeSnapshot(server.client, await filled(["new"], { userId: "after" }));
    const made = await bringSnapshot(server.client, snapshot, { sessionId, replace: true });
    expect(made.userId).toBe("after");
    const { messages } = await server.client.call("listMessages", { sessionId });
    expect(messages.map(({ text }) => text)).toEqual(["new"]);
    const { events } = await server.client.call("listEvents", {
      filter: {
        sessionId,
        userId: undefined,
        sessionIds: [],
        sessionIdPrefixes: [],
        eventTypes: [],
      },
    });
    const last = events.slice(-2);
    expect(last.map((event) => event?.detail?.$case)).toEqual([
      "sessionDeleted",
      "sessionImported",
    ]);
    expect(last.map((event) => [event?.userId, event?.revision])).toEqual([
      ["before", made.revision],
      ["after", made.revision],
    ]);
    const { detail } = last[1] ?? {};
    expect(detail?.$case === "sessionImported" ? detail.value.logTotals : undefined).toEqual(
      made.logTotals,
    );
    const { sessions } = await server.client.call("listSessions");
    expect(sessions.filter((one) => one.sessionId === sessionId).length).toBe(1);
  });

  test("tells of a session whose time runs out under it", async () => {
    let run = (): void => {};
    const wrapStore = (store: Store): Store => {
      const start = store.importLog.bind(store);
      const importLog: Store["importLog"] = async (seqs) => {
        const log = await start(seqs);
        const publish: typeof log.publish = (target, decide) =>
          log.publish(target, (view) => {
            run();
            return decide(view);
          });
        return { add: (messages) => log.add(messages), abandon: () => log.abandon(), publish };
      };
      return Object.assign(store, { importLog });
    };
    await using other = await startContractServer({ wrapStore });
    run = () => other.advance(10_000);
    const sessionId = fresh();
    const ttl = second(5);
    await other.client.call("createSession", { session: session({ sessionId, ttl }) });
    await importChunk(other.client, { sessionId, header: withLast(0n) });
    const { events } = await other.client.call("listEvents", {});
    const details = events.map((event) => event?.detail);
    expect(details.map((detail) => detail?.$case)).toEqual([
      "sessionCreated",
      "sessionDeleted",
      "sessionImported",
    ]);
    const [, deleted] = details;
    const reason = deleted?.$case === "sessionDeleted" ? deleted.value.reason : 0;
    expect(reason).toBe(SessionDeleteReason.EXPIRED);
  });

  test("with a request id gives the first answer again", async () => {
    const snapshot = await takeSnapshot(server.client, await filled(["a", "b", "c", "d"]));
    const options = { sessionId: fresh(), requestId: `r-${fresh()}`, chunk: 2 };
    const first = await bringSnapshot(server.client, snapshot, options);
    expect(await bringSnapshot(server.client, snapshot, options)).toEqual(first);
    const single = { ...options, requestId: `r-${fresh()}`, sessionId: fresh(), chunk: 10 };
    const made = await bringSnapshot(server.client, snapshot, single);
    expect(await bringSnapshot(server.client, snapshot, single)).toEqual(made);
    const [head, ...rest] = snapshot.messages;
    const other = { ...snapshot, messages: [{ ...head, text: "else" }, ...rest] as never };
    await expect(bringSnapshot(server.client, other, options)).rejects.toMatchObject({
      failure: { reason: "REQUEST_ID_REUSED" },
    });
  });
});

describe("an upload", () => {
  const open: string[] = [];

  /** Ends what a test left: a faulty chunk does. */
  afterEach(async () => {
    for (const uploadId of open.splice(0)) {
      await failImport(server.client, { uploadId, chunkIndex: 1, header: headerOf() });
    }
  });

  async function begin(fields = {}): Promise<{ uploadId: string; sessionId: string }> {
    const sessionId = fresh();
    const first = { sessionId, header: withLast(4n), messages: [logged(1)], more: true, ...fields };
    const { uploadId, nextChunkIndex, session: none } = await importChunk(server.client, first);
    expect([nextChunkIndex, none]).toEqual([1, undefined]);
    open.push(uploadId);
    return { uploadId, sessionId };
  }

  test("takes no chunk twice, and none out of order", async () => {
    const { uploadId, sessionId } = await begin();
    const chunk = { uploadId, chunkIndex: 1, more: true, messages: [logged(2)] };
    expect((await importChunk(server.client, chunk)).nextChunkIndex).toBe(2);
    expect((await importChunk(server.client, chunk)).nextChunkIndex).toBe(2);
    const early = await failImport(server.client, { ...chunk, chunkIndex: 3 });
    expect([early.reason, early.fields]).toEqual(["REQUEST_INVALID", ["chunk_index"]]);
    const last = { uploadId, chunkIndex: 2, messages: [logged(4)] };
    const { session: made, uploadId: none } = await importChunk(server.client, last);
    expect([made?.logTotals?.messageCount, none]).toEqual([3n, ""]);
    const again = await failImport(server.client, last);
    expect([again.code, again.reason]).toEqual(["NOT_FOUND", "UPLOAD_NOT_FOUND"]);
    const { messages } = await server.client.call("listMessages", { sessionId });
    expect(messages.map(({ seq }) => seq)).toEqual([1n, 2n, 4n]);
  });

  test("gives the answer to its last chunk again with a request id", async () => {
    const requestId = `r-${fresh()}`;
    const { uploadId } = await begin({ requestId });
    const last = { uploadId, chunkIndex: 1, messages: [logged(3)], requestId };
    const first = await importChunk(server.client, last);
    expect(await importChunk(server.client, last)).toEqual(first);
    const other = await failImport(server.client, { ...last, messages: [logged(2)] });
    expect(other.reason).toBe("REQUEST_ID_REUSED");
  });

  test("shows nothing before its end, and nothing after a fault", async () => {
    const { uploadId, sessionId } = await begin();
    const missing = await server.client.fail("getSession", { sessionId });
    expect(missing.reason).toBe("SESSION_NOT_FOUND");
    const bad = {
      uploadId,
      chunkIndex: 1,
      messages: [logged(2), logged(3, { messageId: "id-1" })],
    };
    const failure = await failImport(server.client, bad);
    expect(failure.fields).toEqual(["chunk.messages[1].message_id"]);
    const after = await failImport(server.client, { ...bad, messages: [logged(2)] });
    expect(after.reason).toBe("UPLOAD_NOT_FOUND");
    expect((await server.client.fail("getSession", { sessionId })).reason).toBe(
      "SESSION_NOT_FOUND",
    );
  });

  test("is one of at most 6 in its namespace", async () => {
    const count = LIMITS.namespaceUploads;
    const started = await Promise.all(Array.from({ length: count }, () => begin()));
    const seventh = { header: withLast(4n), more: true };
    const failure = await failImport(server.client, seventh);
    expect([failure.code, failure.reason]).toEqual(["UNAVAILABLE", "UPLOAD_LIMIT_REACHED"]);
    expect(failure.metadata["limit"]).toBe("6");
    // An import that fits one call takes none of the 6 places.
    await importChunk(server.client, { header: withLast(0n), sessionId: fresh() });
    const [one] = started;
    const last = { uploadId: one?.uploadId ?? "", chunkIndex: 1 };
    await importChunk(server.client, last);
    await begin();
  });

  test("is known to nobody else, and by no other name", async () => {
    const failure = await failImport(server.client, { uploadId: "x", chunkIndex: 1 });
    expect([failure.reason, failure.metadata["upload_id"]]).toEqual(["UPLOAD_NOT_FOUND", "x"]);
  });
});
