// GetWindow: stages on read as views and as changes, shortened messages, filled calls, the newest
// messages, policies in the request.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType } from "../../src/gen/memorysidecar/v1/event.ts";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import {
  StageEffect,
  StageOn,
  type ToolResultFill,
  ToolResultFillRule,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import { FILL_NOTICE } from "../../src/window/rules/tool-result-fill.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  bare,
  eventsOf,
  keepNewest,
  result,
  sessionMaker,
  storesOnRead,
  trigger,
  users,
  windowIds,
} from "../support/contract/policy-wire.ts";
import { keepStage, message, toolCall, written } from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const make = sessionMaker(() => server);

const calls = (...ids: string[]) =>
  message({
    messageId: `calls-${ids.join("-")}`,
    role: Role.ASSISTANT,
    toolCalls: ids.map((id) => toolCall(id)),
  });

describe("a stage on read", () => {
  test("is a view by default and changes nothing", async () => {
    const stage = keepNewest(2, { name: "view", on: StageOn.READ });
    const sessionId = await make(bare([stage]), users(4));
    const revision = await revisionOf(server.store);
    const window = await server.client.call("getWindow", { sessionId });
    expect(window).toMatchObject({
      windowTotals: { messageCount: 2n, tokenCount: 2n },
      outsideTotals: { messageCount: 2n, tokenCount: 2n },
      outsideSeqRanges: [{ firstSeq: 1n, lastSeq: 2n }],
      trims: [{ stage: "view", messageIds: ["m1", "m2"] }],
      stageRuns: [{ stage: "view", triggers: [] }],
    });
    expect(await revisionOf(server.store)).toBe(revision);
    const { session } = await server.client.call("getSession", { sessionId });
    expect(session?.windowTotals?.messageCount).toBe(4n);
  });

  test("with the effect store changes the window once, with its events", async () => {
    const stage = storesOnRead(2, trigger({ $case: "messageCountOver", value: 3 }));
    const sessionId = await make(bare([stage]), users(3));
    const quiet = await revisionOf(server.store);
    expect(await windowIds(server, sessionId)).toHaveLength(3);
    expect(await revisionOf(server.store)).toBe(quiet);
    await server.client.call("appendMessages", { sessionId, messages: users(1, 4) });
    const read = await server.client.call("getWindow", { sessionId });
    expect(read.messages.map(({ messageId }) => messageId)).toEqual(["m3", "m4"]);
    expect(read).toMatchObject({
      windowTotals: { messageCount: 2n },
      outsideTotals: { messageCount: 2n },
      outsideSeqRanges: [{ firstSeq: 1n, lastSeq: 2n }],
      trims: [{ stage: "read", messageIds: ["m1", "m2"] }],
    });
    expect(Number(read.revision)).toBe(await revisionOf(server.store));
    const { session } = await server.client.call("getSession", { sessionId });
    expect(session).toMatchObject({ windowTotals: { messageCount: 2n }, revision: read.revision });
    const events = await eventsOf(server, sessionId, read.revision);
    expect(events.map(({ type }) => type)).toEqual([EventType.MESSAGES_TRIMMED]);
    const after = await server.client.call("getWindow", { sessionId });
    expect(after).toMatchObject({ trims: [], stageRuns: [], revision: read.revision });
  });

  test("with the effect store is answered after the views beside it", async () => {
    const shorten = keepStage({
      name: "cut",
      on: StageOn.READ,
      select: {
        $case: "shorten",
        value: { maxTokens: 16, allRoles: true, keepNewest: 0, minSavedTokens: 0n },
      },
    });
    const long = message({ messageId: "long", text: "x".repeat(400) });
    const sessionId = await make(bare([storesOnRead(2), shorten]), [...users(2), long]);
    const read = await server.client.call("getWindow", { sessionId });
    expect(read.trims).toMatchObject([{ stage: "read", messageIds: ["m1"] }]);
    expect(read.shortenedMessageIds).toEqual(["long"]);
    expect(read.messages.at(-1)?.text.length).toBeLessThan(200);
    const stored = await server.client.call("getMessage", { sessionId, messageId: "long" });
    expect(stored.message?.text).toHaveLength(400);
  });

  test("that counts new messages moves its mark, also when it removes nothing", async () => {
    const stage = storesOnRead(5, trigger({ $case: "newMessagesAtLeast", value: 2 }));
    const sessionId = await make(bare([stage]), users(2));
    const first = await server.client.call("getWindow", { sessionId });
    expect(first).toMatchObject({ trims: [], stageRuns: [{ stage: "read" }] });
    const events = await eventsOf(server, sessionId, first.revision);
    expect(events.map(({ detail }) => detail)).toMatchObject([
      { $case: "sessionUpdated", value: { paths: ["stage_states"] } },
    ]);
    const { session } = await server.client.call("getSession", { sessionId });
    expect(session?.stageStates).toMatchObject([{ stage: "read", lastSeq: 2n }]);
    const second = await server.client.call("getWindow", { sessionId });
    expect(second).toMatchObject({ stageRuns: [], revision: first.revision });
    await server.client.call("appendMessages", { sessionId, messages: users(1, 3) });
    expect((await server.client.call("getWindow", { sessionId })).stageRuns).toEqual([]);
    await server.client.call("appendMessages", { sessionId, messages: users(4, 4) });
    const third = await server.client.call("getWindow", { sessionId });
    expect(third.trims).toMatchObject([{ stage: "read", messageIds: ["m1", "m2"] }]);
  });

  test("stores neither for a past seq nor through a policy in the request", async () => {
    const sessionId = await make(bare([storesOnRead(1)]), users(3));
    const revision = await revisionOf(server.store);
    const past = await server.client.call("getWindow", { sessionId, asOfSeq: 2n });
    expect(past.messages.map(({ messageId }) => messageId)).toEqual(["m2"]);
    const policy = bare([storesOnRead(2)]);
    const asked = await server.client.call("getWindow", {
      sessionId,
      policy: written(policy),
    });
    expect(asked.messages.map(({ messageId }) => messageId)).toEqual(["m2", "m3"]);
    expect(await revisionOf(server.store)).toBe(revision);
  });

  test("is stored once by many reads at the same time", async () => {
    const sessionId = await make(bare([storesOnRead(2)]), users(6));
    const reads = await Promise.all(
      Array.from({ length: 8 }, () => server.client.call("getWindow", { sessionId })),
    );
    for (const read of reads) {
      expect(read.messages.map(({ messageId }) => messageId)).toEqual(["m5", "m6"]);
    }
    const trimmed = (await eventsOf(server, sessionId)).filter(
      ({ type }) => type === EventType.MESSAGES_TRIMMED,
    );
    expect(trimmed).toHaveLength(1);
  });
});

describe("a policy in the request", () => {
  test("runs all its stages, whatever their occasion, as a view", async () => {
    const sessionId = await make(bare([]), users(6));
    const policy = bare([
      keepNewest(5, { name: "a" }),
      keepNewest(4, { name: "b", on: StageOn.TURN_END }),
      keepNewest(3, { name: "c", on: StageOn.REQUEST }),
      keepNewest(2, { name: "d", on: StageOn.READ }),
    ]);
    const revision = await revisionOf(server.store);
    const window = await server.client.call("getWindow", {
      sessionId,
      policy: written(policy),
    });
    expect(window.trims.map(({ stage, messageIds }) => [stage, messageIds])).toEqual([
      ["a", ["m1"]],
      ["b", ["m2"]],
      ["c", ["m3"]],
      ["d", ["m4"]],
    ]);
    expect(await revisionOf(server.store)).toBe(revision);
    expect(await windowIds(server, sessionId)).toHaveLength(6);
  });
});

describe("a stage that shortens", () => {
  const shorten = keepStage({
    name: "cut",
    effect: StageEffect.VIEW,
    select: {
      $case: "shorten",
      value: { maxTokens: 20, allRoles: false, keepNewest: 1, minSavedTokens: 0n },
    },
  });
  const text = "start ".repeat(40) + "middle ".repeat(40) + "finish ".repeat(40);

  test("cuts old tool results in the answer and leaves the log", async () => {
    const sessionId = await make(bare([shorten]), [
      ...users(1),
      calls("c1"),
      result("c1", { messageId: "r1", text }),
      ...users(1, 2),
    ]);
    const window = await server.client.call("getWindow", { sessionId });
    const cut = window.messages[2];
    expect(cut).toMatchObject({ messageId: "r1", seq: 3n, toolCallId: "c1" });
    expect(cut?.text.startsWith("start start")).toBe(true);
    expect(cut?.text.endsWith("finish ")).toBe(true);
    expect(cut?.tokenCount).toBeLessThanOrEqual(20);
    expect(window.shortenedMessageIds).toEqual(["r1"]);
    const sum = window.messages.reduce((total, one) => total + (one.tokenCount ?? 0), 0);
    expect(window.windowTotals?.tokenCount).toBe(BigInt(sum));
    expect(window.outsideTotals).toEqual({ messageCount: 0n, tokenCount: 0n });
    const { session } = await server.client.call("getSession", { sessionId });
    expect(session?.windowTotals?.tokenCount).toBe(session?.logTotals?.tokenCount);
  });

  test("lets later stages count what is left", async () => {
    const drop = keepStage({
      name: "drop",
      select: {
        $case: "dropOldest",
        value: {
          maxTokens: 60n,
          maxAge: undefined,
          stopAtProtected: false,
          stopAtZeroTokens: false,
        },
      },
    });
    const messages = [calls("c1"), result("c1", { text }), ...users(2)];
    const with_ = await make(bare([shorten, drop]), messages);
    expect(await windowIds(server, with_)).toHaveLength(4);
    const without = await make(bare([drop]), messages);
    expect(await windowIds(server, without)).toHaveLength(2);
  });
});

describe("filled tool results", () => {
  const toolResultFill = (fields: Partial<ToolResultFill> = {}) =>
    bare([], {
      toolResultFill: { rule: ToolResultFillRule.MOVED_ON, newestOnly: false, text: "", ...fields },
    });

  test("puts results behind calls that have none, once the conversation moved on", async () => {
    const sessionId = await make(toolResultFill(), [
      ...users(1),
      calls("c1", "c2"),
      result("c1", { messageId: "r1" }),
    ]);
    expect(await windowIds(server, sessionId)).toHaveLength(3);
    await server.client.call("appendMessages", { sessionId, messages: users(1, 2) });
    const revision = await revisionOf(server.store);
    const window = await server.client.call("getWindow", { sessionId });
    expect(window.messages.map(({ messageId }) => messageId)).toEqual([
      "m1",
      "calls-c1-c2",
      "r1",
      window.messages[3]?.messageId,
      "m2",
    ]);
    expect(window.messages[3]).toMatchObject({
      seq: 0n,
      role: Role.TOOL,
      toolCallId: "c2",
      toolError: true,
      text: FILL_NOTICE,
      name: "search",
    });
    expect(window.openToolCallIds).toEqual([]);
    expect(window.windowTotals?.messageCount).toBe(5n);
    expect(window.outsideTotals).toEqual({ messageCount: 0n, tokenCount: 0n });
    expect(await revisionOf(server.store)).toBe(revision);
    const again = await server.client.call("getWindow", { sessionId });
    expect(again.messages).toEqual(window.messages);
  });

  test("has a text and a time of its own choice, and may look at the newest calls only", async () => {
    const policy = toolResultFill({
      rule: ToolResultFillRule.ALWAYS,
      newestOnly: true,
      text: "stopped",
    });
    const messages = [...users(1), calls("c1"), ...users(1, 2), calls("c2")];
    const sessionId = await make(policy, messages);
    const window = await server.client.call("getWindow", { sessionId });
    expect(window.messages.at(-1)).toMatchObject({ toolCallId: "c2", text: "stopped" });
    expect(window.openToolCallIds).toEqual(["c1"]);
    expect(window.windowTotals?.messageCount).toBe(5n);
  });
});

describe("newest", () => {
  test("gives the newest of what remains, as they come", async () => {
    const stage = keepNewest(4, { on: StageOn.READ });
    const sessionId = await make(bare([stage]), [
      ...users(3),
      calls("c1"),
      result("c1", { messageId: "r1" }),
      ...users(1, 4),
    ]);
    const two = await server.client.call("getWindow", { sessionId, newest: 2 });
    expect(two.messages.map(({ messageId }) => messageId)).toEqual(["r1", "m4"]);
    expect(two).toMatchObject({
      windowTotals: { messageCount: 2n, tokenCount: 2n },
      outsideTotals: { messageCount: 4n },
      outsideSeqRanges: [{ firstSeq: 1n, lastSeq: 4n }],
      trims: [{ messageIds: ["m1", "m2"] }],
      openToolCallIds: [],
    });
    const all = await server.client.call("getWindow", { sessionId, newest: 10_000 });
    expect(all.messages).toHaveLength(4);
  });

  test.each([0, -1, 10_001])("refuses %d", async (newest) => {
    const failure = await server.client.fail("getWindow", { sessionId: "any", newest });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["newest"] });
  });
});

test("names the newest 1,000 runs outside of a window with more gaps", async () => {
  const ids = Array.from({ length: 2_005 }, (_, i) => `m${i + 1}`);
  const all = ids.map((messageId) => message({ messageId, text: "x" }));
  const sessionId = await make(bare([]), all.slice(0, 401));
  for (const start of [401, 802, 1_203, 1_604]) {
    const messages = all.slice(start, start + 401);
    await server.client.call("appendMessages", { sessionId, messages });
  }
  const target = { $case: "maxMessages", value: 1 } as const;
  await server.client.call("trimSession", { sessionId, target });
  // Every second one comes back; what is between the others is outside.
  const restored = ids.filter((_, i) => i % 2 === 0);
  for (const start of [0, 600]) {
    const messageIds = restored.slice(start, start + 600);
    await server.client.call("restoreMessages", { sessionId, messageIds });
  }
  const window = await server.client.call("getWindow", { sessionId });
  expect(window.outsideTotals?.messageCount).toBe(1_002n);
  const newest = Array.from({ length: 1_000 }, (_, i) => BigInt(6 + 2 * i));
  expect(window.outsideSeqRanges).toEqual(newest.map((seq) => ({ firstSeq: seq, lastSeq: seq })));
  expect(window.outsideTruncated).toBe(true);
});
