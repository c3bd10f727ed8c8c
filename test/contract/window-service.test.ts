// The rpcs of SessionService that change a window on demand: success, defaults, and each documented
// failure.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { StageOn, ToolPairing, WindowUnit } from "../../src/gen/memorysidecar/v1/policy.ts";
import { SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { type Trim, TrimReason } from "../../src/gen/memorysidecar/v1/window.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { keepStage, message, policy, session, toolCall } from "../support/contract/samples.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const OPEN = policy({});

/** A session of its own whose window nothing trims by itself. */
async function seeded(messages: readonly Message[], fields = OPEN): Promise<string> {
  const sessionId = `session-${count++}`;
  await server.client.call("createSession", { session: session({ sessionId, policy: fields }) });
  await server.client.call("appendMessages", { sessionId, messages: [...messages] });
  return sessionId;
}

const users = (...texts: string[]): Message[] =>
  texts.map((text, index) => message({ messageId: `m${index + 1}`, text }));

const call = (messageId: string, ...ids: string[]): Message =>
  message({ messageId, role: Role.ASSISTANT, toolCalls: ids.map((id) => toolCall(id)) });

const result = (messageId: string, toolCallId: string): Message =>
  message({ messageId, role: Role.TOOL, toolCallId, text: "done" });

async function windowOf(sessionId: string): Promise<string[]> {
  const { messages } = await server.client.call("getWindow", { sessionId });
  return messages.map(({ messageId }) => messageId);
}

async function logOf(sessionId: string): Promise<string[]> {
  const { messages } = await server.client.call("listMessages", { sessionId });
  return messages.map(({ messageId }) => messageId);
}

const idsOf = (trims: readonly Trim[]): string[] => trims.flatMap(({ messageIds }) => messageIds);

/** The details of the events of a session since a revision. */
async function eventsSince(sessionId: string, revision: bigint) {
  const { events } = await server.client.call("listEvents", { pageSize: 1_000 });
  return events
    .filter((event) => event.sessionId === sessionId && event.revision > revision)
    .map(({ detail }) => detail);
}

async function revisionOf(sessionId: string): Promise<bigint> {
  const { session: now } = await server.client.call("getSession", { sessionId });
  return now?.revision ?? 0n;
}

describe("TrimSession", () => {
  test("trims to tokens, to a number of messages, and to the newest units", async () => {
    const texts = ["12345678", "12345678", "12345678", "12345678"];
    const byTokens = await seeded(users(...texts));
    const first = await server.client.call("trimSession", {
      sessionId: byTokens,
      target: { $case: "maxTokens", value: 5n },
    });
    expect(first).toMatchObject({
      windowTotals: { messageCount: 2n, tokenCount: 4n },
      overLimit: false,
    });
    expect(first.trims).toMatchObject([
      { stage: "trim_session", reason: TrimReason.TOKEN_LIMIT, messageIds: ["m1", "m2"] },
    ]);
    expect(await windowOf(byTokens)).toEqual(["m3", "m4"]);
    expect(await logOf(byTokens)).toEqual(["m1", "m2", "m3", "m4"]);

    const byCount = await seeded(users(...texts));
    await server.client.call("trimSession", {
      sessionId: byCount,
      target: { $case: "maxMessages", value: 3 },
    });
    expect(await windowOf(byCount)).toEqual(["m2", "m3", "m4"]);

    const byUnits = await seeded([
      ...users("q"),
      message({ messageId: "a1", role: Role.ASSISTANT, text: "a" }),
      message({ messageId: "q2", text: "q" }),
      message({ messageId: "a2", role: Role.ASSISTANT, text: "a" }),
    ]);
    const third = await server.client.call("trimSession", {
      sessionId: byUnits,
      target: { $case: "keepRecent", value: 1 },
      unit: WindowUnit.TURN,
    });
    expect(third.trims).toMatchObject([{ reason: TrimReason.KEEP_LAST, messageIds: ["m1", "a1"] }]);
    expect(await windowOf(byUnits)).toEqual(["q2", "a2"]);
  });

  test("tells what left in events, and erases it when asked to", async () => {
    const sessionId = await seeded(users("a", "b", "c"));
    const before = await revisionOf(sessionId);
    const { revision } = await server.client.call("trimSession", {
      sessionId,
      target: { $case: "maxMessages", value: 1 },
      discard: true,
    });
    expect(revision).toBeGreaterThan(before);
    expect(await eventsSince(sessionId, before)).toMatchObject([
      {
        $case: "messagesTrimmed",
        value: { trim: { messageIds: ["m1", "m2"], discarded: true, stage: "trim_session" } },
      },
    ]);
    expect(await logOf(sessionId)).toEqual(["m3"]);
    const { session: after } = await server.client.call("getSession", { sessionId });
    expect(after).toMatchObject({
      logTotals: { messageCount: 1n },
      windowTotals: { messageCount: 1n },
    });
  });

  test("keeps what the policy protects and tool calls whole, and says so", async () => {
    const sessionId = await seeded([
      message({ messageId: "s", role: Role.SYSTEM, text: "rules" }),
      message({ messageId: "q", text: "q" }),
      call("call", "c1"),
      result("result", "c1"),
      message({ messageId: "last", text: "next" }),
    ]);
    const all = await server.client.call("trimSession", {
      sessionId,
      target: { $case: "maxMessages", value: 0 },
    });
    expect(idsOf(all.trims)).toEqual(["q", "call", "result"]);
    expect(all.overLimit).toBe(true);
    expect(all.stageRuns).toMatchObject([{ stage: "trim_session", overLimit: true }]);
    expect(await windowOf(sessionId)).toEqual(["s", "last"]);
  });

  test("runs the policy's stages on request, and those alone", async () => {
    const stages = [
      keepStage({ name: "later", on: StageOn.TURN_END }),
      keepStage({ name: "asked", on: StageOn.REQUEST }),
    ];
    const sessionId = await seeded(users("a", "b", "c", "d", "e"), policy({ stages }));
    const answer = await server.client.call("trimSession", {
      sessionId,
      target: { $case: "runPolicy", value: {} },
    });
    expect(answer.trims).toMatchObject([{ stage: "asked", messageIds: ["m1", "m2"] }]);
    expect(answer.stageRuns.map(({ stage }) => stage)).toEqual(["asked"]);
  });

  test("changes nothing when nothing is to be removed, and repeats its answer", async () => {
    const sessionId = await seeded(users("a", "b"));
    const before = await revisionOf(sessionId);
    const request = {
      sessionId,
      target: { $case: "maxMessages", value: 2 },
      requestId: `trim-${count++}`,
    } as const;
    const answer = await server.client.call("trimSession", request);
    expect(answer).toMatchObject({
      revision: before,
      trims: [],
      windowTotals: { messageCount: 2n },
    });
    expect(await revisionOf(sessionId)).toBe(before);
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: "c" })] });
    expect(await server.client.call("trimSession", request)).toEqual(answer);
    expect(
      await server.client.fail("trimSession", {
        ...request,
        target: { $case: "maxMessages", value: 1 },
      }),
    ).toMatchObject({ reason: "REQUEST_ID_REUSED" });
  });

  test("refuses a session that changed or does not exist", async () => {
    const sessionId = await seeded(users("a", "b"));
    const target = { $case: "maxMessages", value: 1 } as const;
    expect(
      await server.client.fail("trimSession", { sessionId, target, etag: "other" }),
    ).toMatchObject({ code: "ABORTED", reason: "ETAG_MISMATCH" });
    const { session: now } = await server.client.call("getSession", { sessionId });
    await server.client.call("trimSession", { sessionId, target, etag: now?.etag ?? "" });
    expect(await server.client.fail("trimSession", { sessionId: "none", target })).toMatchObject({
      code: "NOT_FOUND",
      reason: "SESSION_NOT_FOUND",
    });
  });

  test.each([
    ["no target", {}, "target"],
    [
      "a unit with run_policy",
      { target: { $case: "runPolicy", value: {} } as const, unit: WindowUnit.MESSAGE },
      "unit",
    ],
    [
      "discard with run_policy",
      { target: { $case: "runPolicy", value: {} } as const, discard: true },
      "discard",
    ],
    [
      "an unknown unit",
      { target: { $case: "keepRecent", value: 1 } as const, unit: 9 as WindowUnit },
      "unit",
    ],
    ["a negative number", { target: { $case: "keepRecent", value: -1 } as const }, "keep_recent"],
  ])("refuses %s", async (_, fields, field) => {
    const failure = await server.client.fail("trimSession", { sessionId: "s", ...fields });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [field] });
  });
});

describe("RestoreMessages", () => {
  /** A session of five messages of which only the last is in the window. */
  async function trimmed(messages = users("a", "b", "c", "d", "e"), fields = OPEN) {
    const sessionId = await seeded(messages, fields);
    await server.client.call("trimSession", {
      sessionId,
      target: { $case: "maxMessages", value: 1 },
    });
    return sessionId;
  }

  test("brings messages back by id and by seq, in their places", async () => {
    const sessionId = await trimmed();
    const before = await revisionOf(sessionId);
    const answer = await server.client.call("restoreMessages", {
      sessionId,
      messageIds: ["m4", "m1", "m1", "m5"],
      seqRanges: [{ firstSeq: 2n, lastSeq: 2n }],
    });
    expect(answer.messageIds).toEqual(["m1", "m2", "m4"]);
    expect(answer.windowTotals).toMatchObject({ messageCount: 4n });
    expect(await windowOf(sessionId)).toEqual(["m1", "m2", "m4", "m5"]);
    expect(await eventsSince(sessionId, before)).toMatchObject([
      {
        $case: "messagesRestored",
        value: {
          messageIds: ["m1", "m2", "m4"],
          seqRanges: [
            { firstSeq: 1n, lastSeq: 2n },
            { firstSeq: 4n, lastSeq: 4n },
          ],
          restoredTotals: { messageCount: 3n },
          windowTotals: { messageCount: 4n },
        },
      },
    ]);
  });

  test("does nothing about messages that are in the window, and repeats its answer", async () => {
    const sessionId = await trimmed();
    const before = await revisionOf(sessionId);
    const request = { sessionId, messageIds: ["m5"], requestId: `restore-${count++}` };
    const answer = await server.client.call("restoreMessages", request);
    expect(answer).toMatchObject({ revision: before, messageIds: [] });
    expect(answer.windowTotals).toMatchObject({ messageCount: 1n });
    expect(await server.client.call("restoreMessages", request)).toEqual(answer);
    expect(await revisionOf(sessionId)).toBe(before);
  });

  test("undoes a trim, and can be told from its past", async () => {
    const sessionId = await trimmed();
    await server.client.call("restoreMessages", {
      sessionId,
      seqRanges: [{ firstSeq: 1n, lastSeq: 5n }],
    });
    expect(await windowOf(sessionId)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
    const past = await server.client.call("getWindow", { sessionId, asOfSeq: 5n });
    expect(past.messages).toHaveLength(5);
  });

  test("brings the messages of the same tool calls, unless pairs are loose", async () => {
    const turn = [
      call("call", "c1", "c2"),
      message({ messageId: "between", text: "hurry" }),
      result("r1", "c1"),
      result("r2", "c2"),
      message({ messageId: "end", text: "thanks" }),
    ];
    for (const id of ["call", "r1", "r2"]) {
      const sessionId = await trimmed(turn);
      const answer = await server.client.call("restoreMessages", { sessionId, messageIds: [id] });
      expect(answer.messageIds).toEqual(["call", "r1", "r2"]);
      expect(await windowOf(sessionId)).toEqual(["call", "r1", "r2", "end"]);
    }
    const loose = await trimmed(turn, policy({ toolPairing: ToolPairing.LOOSE }));
    await server.client.call("restoreMessages", { sessionId: loose, messageIds: ["r2"] });
    expect(await windowOf(loose)).toEqual(["r2", "end"]);
  });

  test("brings no result whose call is gone", async () => {
    const turn = [call("call", "c1"), result("r1", "c1"), message({ messageId: "end", text: "x" })];
    const sessionId = await trimmed(turn);
    await server.client.call("deleteMessage", { sessionId, messageId: "call" });
    const answer = await server.client.call("restoreMessages", { sessionId, messageIds: ["r1"] });
    expect(answer.messageIds).toEqual([]);
    expect(await windowOf(sessionId)).toEqual(["end"]);
  });

  test("refuses what does not exist", async () => {
    const sessionId = await trimmed();
    expect(
      await server.client.fail("restoreMessages", { sessionId, messageIds: ["m1", "gone"] }),
    ).toMatchObject({
      code: "NOT_FOUND",
      reason: "MESSAGE_NOT_FOUND",
      metadata: { message_id: "gone" },
    });
    const seqRanges = [{ firstSeq: 5n, lastSeq: 6n }];
    expect(await server.client.fail("restoreMessages", { sessionId, seqRanges })).toMatchObject({
      code: "OUT_OF_RANGE",
      reason: "SEQ_OUT_OF_RANGE",
      metadata: { seq: "6", last_seq: "5" },
    });
    expect(
      await server.client.fail("restoreMessages", { sessionId: "none", messageIds: ["m"] }),
    ).toMatchObject({ reason: "SESSION_NOT_FOUND" });
    expect(await windowOf(sessionId)).toEqual(["m5"]);
  });

  test("refuses what would pass the ceiling of a window", async () => {
    const large = (messageId: string) => message({ messageId, text: "x".repeat(900_000) });
    const sessionId = await seeded([large("l1"), large("l2"), large("l3")]);
    await server.client.call("trimSession", {
      sessionId,
      target: { $case: "maxMessages", value: 1 },
    });
    await server.client.call("appendMessages", { sessionId, messages: [large("l4")] });
    await server.client.call("restoreMessages", { sessionId, messageIds: ["l1"] });
    expect(
      await server.client.fail("restoreMessages", { sessionId, messageIds: ["l2"] }),
    ).toMatchObject({ code: "FAILED_PRECONDITION", reason: "WINDOW_FULL" });
    expect(await windowOf(sessionId)).toEqual(["l1", "l3", "l4"]);
  });

  test("refuses more than 1,000 messages of runs", async () => {
    const batch = Array.from({ length: 501 }, () => message({ text: "x" }));
    const sessionId = await seeded(batch);
    await server.client.call("appendMessages", { sessionId, messages: batch });
    expect(
      await server.client.fail("restoreMessages", {
        sessionId,
        seqRanges: [{ firstSeq: 1n, lastSeq: 1_001n }],
      }),
    ).toMatchObject({ reason: "REQUEST_INVALID", fields: ["seq_ranges"] });
    await server.client.call("restoreMessages", {
      sessionId,
      seqRanges: [{ firstSeq: 3n, lastSeq: 1_002n }],
    });
  });

  test.each([
    ["nothing", {}, "message_ids"],
    ["an empty id", { messageIds: [""] }, "message_ids[0]"],
    ["seq 0", { seqRanges: [{ firstSeq: 0n, lastSeq: 1n }] }, "seq_ranges[0].first_seq"],
    ["a run backwards", { seqRanges: [{ firstSeq: 3n, lastSeq: 2n }] }, "seq_ranges[0].last_seq"],
  ])("refuses %s", async (_, fields, field) => {
    const failure = await server.client.fail("restoreMessages", { sessionId: "s", ...fields });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [field] });
  });
});

describe("ListSummaryInputs", () => {
  test("gives all but system messages and the newest others, with whole tool calls", async () => {
    const sessionId = await seeded([
      message({ messageId: "s", role: Role.SYSTEM, text: "rules" }),
      ...users("a", "b"),
      call("call", "c1"),
      result("r1", "c1"),
      message({ messageId: "last", text: "next" }),
    ]);
    const list = async (keepRecent: number) => {
      const choice = { $case: "keepRecent", value: keepRecent } as const;
      const answer = await server.client.call("listSummaryInputs", { sessionId, choice });
      expect(answer.nextPageToken).toBe("");
      expect(answer.totals?.messageCount).toBe(BigInt(answer.messages.length));
      return answer.messages.map(({ messageId }) => messageId);
    };
    expect(await list(0)).toEqual(["m1", "m2", "call", "r1", "last"]);
    expect(await list(1)).toEqual(["m1", "m2", "call", "r1"]);
    expect(await list(2)).toEqual(["m1", "m2"]);
    expect(await list(3)).toEqual(["m1", "m2"]);
    expect(await list(10_000)).toEqual([]);
  });

  test("may part tool calls from their results under loose pairs", async () => {
    const sessionId = await seeded(
      [call("call", "c1"), result("r1", "c1"), message({ messageId: "last", text: "x" })],
      policy({ toolPairing: ToolPairing.LOOSE }),
    );
    const answer = await server.client.call("listSummaryInputs", {
      sessionId,
      choice: { $case: "keepRecent", value: 2 },
    });
    expect(answer.messages.map(({ messageId }) => messageId)).toEqual(["call"]);
  });

  test("gives what a stage would remove, and nothing when it does not act", async () => {
    const stages = [
      keepStage({ name: "asked", on: StageOn.REQUEST }),
      keepStage({
        name: "idle",
        on: StageOn.REQUEST,
        anyOf: [{ condition: { $case: "messageCountOver", value: 100 } }],
      }),
      keepStage({ name: "waits", on: StageOn.REQUEST, removedTo: 3 }),
    ];
    const sessionId = await seeded(users("a", "b", "c", "d", "e"), policy({ stages }));
    const list = async (stage: string) => {
      const choice = { $case: "stage", value: stage } as const;
      const { messages } = await server.client.call("listSummaryInputs", { sessionId, choice });
      return messages.map(({ messageId }) => messageId);
    };
    expect(await list("asked")).toEqual(["m1", "m2"]);
    expect(await list("idle")).toEqual([]);
    await server.client.call("updateSession", {
      session: session({ sessionId, policy: policy({ stages: stages.slice(2) }) }),
    });
    expect(await list("waits")).toEqual(["m1", "m2"]);
    expect(await windowOf(sessionId)).toHaveLength(5);
  });

  test("refuses an unknown stage, no choice, and no session", async () => {
    const sessionId = await seeded(users("a"));
    expect(
      await server.client.fail("listSummaryInputs", {
        sessionId,
        choice: { $case: "stage", value: "none" },
      }),
    ).toMatchObject({ reason: "REQUEST_INVALID", fields: ["stage"] });
    expect(await server.client.fail("listSummaryInputs", { sessionId })).toMatchObject({
      fields: ["choice"],
    });
    expect(
      await server.client.fail("listSummaryInputs", {
        sessionId: "none",
        choice: { $case: "keepRecent", value: 1 },
      }),
    ).toMatchObject({ code: "NOT_FOUND", reason: "SESSION_NOT_FOUND" });
  });
});

describe("SetSummary", () => {
  test("sets the summary of the session and takes out what it replaces", async () => {
    const sessionId = await seeded(users("a", "b", "c"));
    const before = await revisionOf(sessionId);
    const answer = await server.client.call("setSummary", {
      sessionId,
      text: "a and b",
      replacedMessageIds: ["m2", "m1"],
      expectedVersion: 0n,
    });
    expect(answer.placed).toBeUndefined();
    expect(answer.session).toMatchObject({
      summary: { text: "a and b", tokenCount: 2, version: 1n },
      windowTotals: { messageCount: 1n },
      logTotals: { messageCount: 3n },
    });
    expect(answer.trims).toMatchObject([
      { stage: "", reason: TrimReason.SUMMARIZED, messageIds: ["m1", "m2"], discarded: false },
    ]);
    expect(await windowOf(sessionId)).toEqual(["summary", "m3"]);
    expect(await logOf(sessionId)).toEqual(["m1", "m2", "m3"]);
    expect(await eventsSince(sessionId, before)).toMatchObject([
      { $case: "messagesTrimmed", value: { trim: { messageIds: ["m1", "m2"] } } },
      { $case: "summarySet", value: { version: 1n, placedMessageId: "", tokenCount: 2 } },
    ]);
  });

  test("sets the text alone, counts its versions, and removes it", async () => {
    const sessionId = await seeded(users("a"));
    const { session: first } = await server.client.call("setSummary", { sessionId, text: "one" });
    const { session: second } = await server.client.call("setSummary", { sessionId, text: "two" });
    expect(second?.summary).toMatchObject({ text: "two", version: 2n });
    expect(second?.etag).not.toBe(first?.etag);
    expect(
      await server.client.fail("setSummary", { sessionId, text: "three", expectedVersion: 1n }),
    ).toMatchObject({
      code: "ABORTED",
      reason: "SUMMARY_VERSION_MISMATCH",
      metadata: { expected_version: "1", version: "2" },
    });
    const gone = await server.client.call("setSummary", { sessionId, expectedVersion: 2n });
    expect(gone.session?.summary).toBeUndefined();
    const again = await server.client.call("setSummary", { sessionId, expectedVersion: 0n });
    expect(again.session?.revision).toBe(gone.session?.revision);
  });

  test("counts by the rule of the policy, exact ones as well", async () => {
    const sessionId = await seeded(users("a", "b"), policy({ tokenRule: 3 }));
    const beside = await server.client.call("setSummary", { sessionId, text: "hello world" });
    expect(beside.session?.summary?.tokenCount).toBe(2);
    const { placed } = await server.client.call("setSummary", {
      sessionId,
      text: "hello hello world",
      replacedMessageIds: ["m1"],
      placement: SummaryPlacement.IN_PLACE,
    });
    expect(placed?.tokenCount).toBe(3);
  });

  test("places a summary where the first replaced message stood", async () => {
    const sessionId = await seeded([
      ...users("a"),
      message({ messageId: "m2", text: "b", sentTime: { seconds: 1_000n, nanos: 0 } }),
      message({ messageId: "m3", text: "c" }),
      message({ messageId: "m4", text: "d" }),
    ]);
    const before = await revisionOf(sessionId);
    const {
      placed,
      trims,
      session: after,
    } = await server.client.call("setSummary", {
      sessionId,
      text: "b and c",
      replacedMessageIds: ["m3", "m2"],
      placement: SummaryPlacement.IN_PLACE,
    });
    expect(placed).toMatchObject({
      text: "b and c",
      tokenCount: 2,
      seqRanges: [{ firstSeq: 2n, lastSeq: 3n }],
      placement: SummaryPlacement.IN_PLACE,
      firstMessageTime: { seconds: 1_000n, nanos: 0 },
      ...{ current: true, origin: undefined },
    });
    const id = placed?.placedMessageId ?? "";
    expect(id).not.toBe("");
    expect(after?.placedSummaries).toEqual([placed]);
    expect(after?.summary).toBeUndefined();
    expect(trims).toMatchObject([
      {
        beforeTotals: { messageCount: 5n },
        afterTotals: { messageCount: 3n },
        messageIds: ["m2", "m3"],
      },
    ]);
    const { messages, windowTotals: window } = await server.client.call("getWindow", { sessionId });
    expect(messages.map(({ messageId }) => messageId)).toEqual(["m1", id, "m4"]);
    expect(messages[1]).toMatchObject({ role: Role.SYSTEM, text: "b and c", seq: 0n });
    expect(window).toMatchObject({ messageCount: 3n });
    expect(await logOf(sessionId)).toEqual(["m1", "m2", "m3", "m4"]);
    expect(await eventsSince(sessionId, before)).toMatchObject([
      { $case: "messagesTrimmed", value: { trim: { messageIds: ["m2", "m3"] } } },
      { $case: "summarySet", value: { version: 1n, placedMessageId: id } },
    ]);
  });

  test("replaces placed summaries by one that stands for all they stood for", async () => {
    const sessionId = await seeded(users("a", "b", "c", "d"));
    const place = async (text: string, replacedMessageIds: string[]) => {
      const placement = SummaryPlacement.IN_PLACE;
      const request = { sessionId, text, replacedMessageIds, placement };
      return (await server.client.call("setSummary", request)).placed;
    };
    const one = await place("a", ["m1"]);
    const two = await place("c", ["m3"]);
    expect(await windowOf(sessionId)).toEqual([
      one?.placedMessageId,
      "m2",
      two?.placedMessageId,
      "m4",
    ]);
    const ids = [two?.placedMessageId ?? "", "m2", one?.placedMessageId ?? ""];
    const all = await place("a to c", ids);
    expect(all?.seqRanges).toEqual([{ firstSeq: 1n, lastSeq: 3n }]);
    expect(all?.firstMessageTime).toEqual(one?.firstMessageTime);
    expect(await windowOf(sessionId)).toEqual([all?.placedMessageId, "m4"]);
    const { session: now } = await server.client.call("getSession", { sessionId });
    expect(now?.placedSummaries).toHaveLength(1);
    const trim = await server.client.call("trimSession", {
      sessionId,
      target: { $case: "maxMessages", value: 2 },
    });
    expect(trim.trims).toEqual([]);
  });

  test("leaves the window like a message, when the policy does not protect it", async () => {
    const bare = policy({
      protections: { system: 1, pinFirst: 0, pinMessageIds: [], releaseLastUser: false },
    });
    const sessionId = await seeded(users("a", "b"), bare);
    const { placed } = await server.client.call("setSummary", {
      sessionId,
      text: "a",
      replacedMessageIds: ["m1"],
      placement: SummaryPlacement.IN_PLACE,
    });
    const { trims } = await server.client.call("trimSession", {
      sessionId,
      target: { $case: "maxMessages", value: 1 },
    });
    expect(idsOf(trims)).toEqual([placed?.placedMessageId]);
    expect(trims[0]?.seqRanges).toEqual([]);
    const { session: now } = await server.client.call("getSession", { sessionId });
    expect(now?.placedSummaries).toEqual([]);
  });

  test("repeats its answer", async () => {
    const sessionId = await seeded(users("a", "b"));
    const request = {
      sessionId,
      text: "a",
      replacedMessageIds: ["m1"],
      placement: SummaryPlacement.IN_PLACE,
      requestId: `summary-${count++}`,
    };
    const first = await server.client.call("setSummary", request);
    expect(await server.client.call("setSummary", request)).toEqual(first);
    const { session: now } = await server.client.call("getSession", { sessionId });
    expect(now?.placedSummaries).toHaveLength(1);
  });

  test("refuses messages outside the window and half of a tool call", async () => {
    const turn = [call("call", "c1"), result("r1", "c1"), ...users("x", "y")];
    const sessionId = await seeded(turn);
    expect(
      await server.client.fail("setSummary", { sessionId, text: "t", replacedMessageIds: ["r1"] }),
    ).toMatchObject({ reason: "REQUEST_INVALID", fields: ["replaced_message_ids"] });
    await server.client.call("setSummary", {
      sessionId,
      text: "t",
      replacedMessageIds: ["r1", "call"],
    });
    expect(
      await server.client.fail("setSummary", {
        sessionId,
        text: "t",
        replacedMessageIds: ["m1", "r1"],
      }),
    ).toMatchObject({
      code: "NOT_FOUND",
      reason: "MESSAGE_NOT_FOUND",
      message: "The message is not in the window of this session.",
      metadata: { message_id: "r1" },
    });
    expect(await windowOf(sessionId)).toEqual(["summary", "m1", "m2"]);
    expect(await server.client.fail("setSummary", { sessionId: "none", text: "t" })).toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
  });

  test("may replace half of a tool call under loose pairs", async () => {
    const turn = [call("call", "c1"), result("r1", "c1"), ...users("x")];
    const sessionId = await seeded(turn, policy({ toolPairing: ToolPairing.LOOSE }));
    await server.client.call("setSummary", { sessionId, text: "t", replacedMessageIds: ["r1"] });
    expect(await windowOf(sessionId)).toEqual(["summary", "call", "m1"]);
  });

  test("refuses more than 64 placed summaries", async () => {
    const texts = Array.from({ length: 66 }, (_, index) => String(index));
    const sessionId = await seeded(users(...texts));
    const place = (index: number) => ({
      sessionId,
      text: "t",
      replacedMessageIds: [`m${index + 1}`],
      placement: SummaryPlacement.IN_PLACE,
    });
    for (let index = 0; index < 64; index++) {
      await server.client.call("setSummary", place(index));
    }
    expect(await server.client.fail("setSummary", place(64))).toMatchObject({
      code: "FAILED_PRECONDITION",
      reason: "WINDOW_FULL",
    });
    const { session: now } = await server.client.call("getSession", { sessionId });
    expect(now?.placedSummaries).toHaveLength(64);
    const first = now?.placedSummaries[0]?.placedMessageId ?? "";
    const request = { ...place(64), replacedMessageIds: [first, "m65"] };
    await server.client.call("setSummary", request);
  });

  test.each([
    ["no text in place", { replacedMessageIds: ["m"], placement: 2 as const }, "text"],
    ["nothing replaced in place", { text: "t", placement: 2 as const }, "replaced_message_ids"],
    ["an unknown placement", { text: "t", placement: 3 as 2 }, "placement"],
    ["a negative version", { text: "t", expectedVersion: -1n }, "expected_version"],
    ["an empty id", { text: "t", replacedMessageIds: [""] }, "replaced_message_ids[0]"],
  ])("refuses %s", async (_, fields, field) => {
    const failure = await server.client.fail("setSummary", { sessionId: "s", ...fields });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [field] });
  });
});

describe("FillToolResults", () => {
  test("answers every open call, behind the last result of its message", async () => {
    const sessionId = await seeded([
      ...users("q"),
      call("call", "c2", "c1", "c3"),
      result("r1", "c1"),
      message({ messageId: "next", text: "next" }),
      call("newest", "c4"),
    ]);
    const before = await revisionOf(sessionId);
    const answer = await server.client.call("fillToolResults", { sessionId, text: "stopped" });
    expect(answer.messages).toMatchObject([
      { toolCallId: "c2", text: "stopped", toolError: true, role: Role.TOOL, name: "search" },
      { toolCallId: "c3" },
      { toolCallId: "c4" },
    ]);
    const [h2, h3, h4] = answer.messages.map(({ messageId }) => messageId);
    expect(await windowOf(sessionId)).toEqual(["m1", "call", "r1", h2, h3, "next", "newest", h4]);
    expect(answer.windowTotals).toMatchObject({ messageCount: 8n });
    const { openToolCallIds } = await server.client.call("getWindow", { sessionId });
    expect(openToolCallIds).toEqual([]);
    expect(await eventsSince(sessionId, before)).toMatchObject([
      {
        $case: "toolResultsFilled",
        value: { toolCallIds: ["c2", "c3", "c4"], windowTotals: { messageCount: 8n } },
      },
    ]);
    expect(await logOf(sessionId)).toEqual(["m1", "call", "r1", "next", "newest"]);
  });

  test("changes nothing the second time", async () => {
    const sessionId = await seeded([call("call", "c1"), ...users("x")]);
    const { revision, windowTotals } = await server.client.call("fillToolResults", {
      sessionId,
    });
    const again = await server.client.call("fillToolResults", { sessionId });
    expect(again).toMatchObject({ revision, messages: [], windowTotals });
    expect(await revisionOf(sessionId)).toBe(revision);
  });

  test("fills for only the newest message with calls when asked to", async () => {
    const sessionId = await seeded([call("old", "c1"), ...users("x"), call("new", "c2")]);
    const answer = await server.client.call("fillToolResults", { sessionId, newestOnly: true });
    expect(answer.messages.map(({ toolCallId }) => toolCallId)).toEqual(["c2"]);
  });

  test("says what the policy says, or else a fixed notice", async () => {
    const messages = [call("call", "c1"), ...users("x")];
    const plain = await server.client.call("fillToolResults", {
      sessionId: await seeded(messages),
    });
    expect(plain.messages[0]?.text).toContain("interrupted");
    const own = await seeded(
      messages,
      policy({ toolResultFill: { rule: 1, newestOnly: false, text: "of the policy" } }),
    );
    const { messages: made } = await server.client.call("fillToolResults", { sessionId: own });
    expect(made[0]?.text).toBe("of the policy");
  });

  test("counts by the rule of the policy, exact ones as well", async () => {
    const messages = [call("call", "c1"), ...users("x")];
    const sessionId = await seeded(messages, policy({ tokenRule: 3 }));
    const answer = await server.client.call("fillToolResults", { sessionId, text: "hello world" });
    expect(answer.messages[0]?.tokenCount).toBe(2);
  });

  test("lets the tool's own result take the place of the filled one", async () => {
    const sessionId = await seeded([call("call", "c1", "c2"), ...users("x")]);
    const { messages } = await server.client.call("fillToolResults", { sessionId });
    await server.client.call("appendMessages", { sessionId, messages: [result("late", "c1")] });
    const filled = messages.find(({ toolCallId }) => toolCallId === "c2")?.messageId;
    expect(await windowOf(sessionId)).toEqual(["call", filled, "m1", "late"]);
  });

  test("repeats its answer", async () => {
    const sessionId = await seeded([call("call", "c1"), ...users("x")]);
    const request = { sessionId, requestId: `fill-${count++}` };
    const first = await server.client.call("fillToolResults", request);
    expect(first.messages).toHaveLength(1);
    expect(await server.client.call("fillToolResults", request)).toEqual(first);
  });

  test("refuses more than 256 results in one window, and no session", async () => {
    const ids = (from: number, length: number) =>
      Array.from({ length }, (_, index) => `c${from + index}`);
    const calls = [call("a", ...ids(0, 128)), call("b", ...ids(200, 128)), call("c", "c999")];
    const sessionId = await seeded([...calls, ...users("x")]);
    expect(await server.client.fail("fillToolResults", { sessionId })).toMatchObject({
      code: "FAILED_PRECONDITION",
      reason: "WINDOW_FULL",
    });
    await server.client.call("appendMessages", { sessionId, messages: [result("r", "c999")] });
    const answer = await server.client.call("fillToolResults", { sessionId });
    expect(answer.messages).toHaveLength(256);
    expect(await server.client.fail("fillToolResults", { sessionId: "none" })).toMatchObject({
      code: "NOT_FOUND",
      reason: "SESSION_NOT_FOUND",
    });
  });
});
