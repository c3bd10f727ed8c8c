// PreviewPolicy: what it says of policies and messages, and each documented failure.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import {
  type Policy,
  PreviewSource,
  RemovedTo,
  StageOn,
  ToolPairing,
  Verdict,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import { SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { HoldReason, TrimReason } from "../../src/gen/memorysidecar/v1/window.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  dropOldest,
  keepStage,
  message,
  policy,
  protections,
  session,
  toolCall,
  written,
} from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

async function seeded(messages: readonly Message[], fields = policy({})): Promise<string> {
  const sessionId = `session-${count++}`;
  await server.client.call("createSession", { session: session({ sessionId, policy: fields }) });
  await server.client.call("appendMessages", { sessionId, messages: [...messages] });
  return sessionId;
}

const users = (...texts: string[]): Message[] =>
  texts.map((text, index) => message({ messageId: `m${index + 1}`, text }));

const keep = (maxMessages: number, fields: Parameters<typeof keepStage>[0] = {}) =>
  keepStage({ select: { $case: "dropOldest", value: dropOldest({ maxMessages }) }, ...fields });

async function preview(sessionId: string, policies: Policy[]) {
  return await server.client.call("previewPolicy", {
    sessionId,
    policies: policies.map(written),
  });
}

describe("PreviewPolicy", () => {
  test("says of each policy and each message what would become of it, and changes nothing", async () => {
    const sessionId = await seeded(users("a", "b", "c", "d"));
    const revision = await revisionOf(server.store);
    const answer = await preview(sessionId, [
      policy({ stages: [keep(3)] }),
      policy({ stages: [keep(100)], name: "roomy" }),
    ]);
    expect(answer).toMatchObject({ lastSeq: 4n, revision: BigInt(revision) });
    const [tight, roomy] = answer.previews;
    expect(tight).toMatchObject({
      beforeTotals: { messageCount: 4n },
      afterTotals: { messageCount: 3n },
      stageRuns: [{ stage: "keep", overLimit: false }],
      overLimit: false,
      truncated: false,
    });
    expect(tight?.trims).toMatchObject([
      { stage: "keep", reason: TrimReason.MESSAGE_LIMIT, removedTotals: { messageCount: 1n } },
    ]);
    expect(tight?.trims[0]).toMatchObject({ messageIds: [], seqRanges: [] });
    expect(tight?.policy).toMatchObject({
      imageTokenCount: 800,
      protections: { releaseLastUser: false },
    });
    const about = (id: string) => tight?.messages.find(({ messageId }) => messageId === id);
    expect(about("m1")).toEqual({
      messageId: "m1",
      seq: 1n,
      verdict: Verdict.REMOVED,
      stage: "keep",
      reason: TrimReason.MESSAGE_LIMIT,
      heldBy: [],
      tokenCount: 1,
      turn: 1,
    });
    expect(about("m2")).toMatchObject({ verdict: Verdict.KEPT, stage: "", heldBy: [] });
    expect(about("m4")).toMatchObject({
      verdict: Verdict.KEPT,
      turn: 4,
      heldBy: [HoldReason.MIN_MESSAGES, HoldReason.LAST_USER],
    });
    expect(roomy?.policy?.name).toBe("roomy");
    expect(roomy?.afterTotals).toMatchObject({ messageCount: 4n });
    expect(await revisionOf(server.store)).toBe(revision);
    const { messages } = await server.client.call("getWindow", { sessionId });
    expect(messages).toHaveLength(4);
  });

  test("says why messages stay that nothing may remove", async () => {
    const sessionId = await seeded([
      message({ messageId: "s", role: Role.SYSTEM, text: "rules" }),
      message({ messageId: "first", text: "a" }),
      message({ messageId: "pinned", text: "b" }),
      message({ messageId: "q", text: "c" }),
      message({ messageId: "call", role: Role.ASSISTANT, toolCalls: [toolCall("c1")] }),
    ]);
    const { previews } = await preview(sessionId, [
      policy({
        protections: protections({ pinFirst: 1, pinMessageIds: ["pinned"] }),
        stages: [keep(0)],
      }),
    ]);
    expect(previews[0]?.overLimit).toBe(true);
    const held = Object.fromEntries(
      (previews[0]?.messages ?? []).map(({ messageId, heldBy }) => [messageId, heldBy]),
    );
    expect(held).toMatchObject({
      s: [HoldReason.SYSTEM],
      first: [HoldReason.PIN_FIRST],
      pinned: [HoldReason.PIN_ID],
    });
    expect(held["call"]).toContain(HoldReason.WAITING_CALL);
    expect(held["q"]).toContain(HoldReason.LAST_USER);
  });

  test("takes the session's own policy, on append and read, when nothing is asked", async () => {
    const stages = [
      keep(5),
      keep(4, { name: "shown", on: StageOn.READ }),
      keep(1, { name: "asked", on: StageOn.REQUEST }),
      keep(2, { name: "turn", on: StageOn.TURN_END }),
    ];
    const sessionId = await seeded(users("a", "b", "c", "d", "e"), policy({ stages }));
    const run = async (occasions: StageOn[]) => {
      const { previews } = await server.client.call("previewPolicy", { sessionId, occasions });
      return previews.map(({ afterTotals }) => Number(afterTotals?.messageCount));
    };
    expect(await run([])).toEqual([4]);
    expect(await run([StageOn.APPEND])).toEqual([5]);
    expect(await run([StageOn.TURN_END, StageOn.APPEND])).toEqual([2]);
    expect(await run([StageOn.REQUEST])).toEqual([1]);
  });

  test("says what would be shortened and what would wait for a summary", async () => {
    const long = "word ".repeat(400);
    const sessionId = await seeded([
      ...users("a", "b"),
      message({ messageId: "long", text: long }),
    ]);
    const { previews } = await preview(sessionId, [
      policy({
        stages: [
          keepStage({
            name: "cut",
            select: {
              $case: "shorten",
              value: { maxTokens: 100, allRoles: true, keepNewest: 0, minSavedTokens: 0n },
            },
            effect: 2,
          }),
        ],
      }),
      policy({ stages: [keep(1, { removedTo: RemovedTo.SUMMARIZE })] }),
    ]);
    const [cut, waits] = previews;
    expect(cut?.messages.at(-1)).toMatchObject({ verdict: Verdict.SHORTENED, stage: "cut" });
    expect(cut?.messages.at(-1)?.tokenCount).toBeLessThan(150);
    expect(Number(cut?.afterTotals?.tokenCount)).toBeLessThan(
      Number(cut?.beforeTotals?.tokenCount),
    );
    expect(waits?.messages.map(({ verdict }) => verdict)).toEqual([
      Verdict.AWAITS_SUMMARY,
      Verdict.AWAITS_SUMMARY,
      Verdict.KEPT,
    ]);
    expect(waits?.afterTotals).toMatchObject({ messageCount: 3n });
    expect(waits?.stageRuns[0]?.awaitingMessageIds).toEqual(["m1", "m2"]);
  });

  test("looks at signals of the request in place of those it knows", async () => {
    const byInput = keep(1, {
      name: "full",
      anyOf: [{ condition: { $case: "modelInputTokensOver", value: 1_000n } }],
    });
    const byTool = keep(1, {
      name: "tool",
      anyOf: [{ condition: { $case: "toolError", value: { names: ["search"] } } }],
    });
    const sessionId = await seeded(users("a", "b"));
    const policies = [written(policy({ stages: [byInput, byTool] }))];
    const run = async (fields: object) => {
      const { previews } = await server.client.call("previewPolicy", {
        sessionId,
        policies,
        ...fields,
      });
      return previews[0]?.stageRuns.map(({ stage }) => stage);
    };
    expect(await run({})).toEqual([]);
    expect(await run({ modelInputTokens: 1_001n })).toEqual(["full"]);
    expect(await run({ toolOutcomes: [{ tool: "search", error: true }] })).toEqual(["tool"]);
    await server.client.call("appendMessages", {
      sessionId,
      messages: [message({ text: "c" })],
      modelInputTokens: 2_000n,
    });
    expect(await run({})).toEqual(["full"]);
    expect(await run({ modelInputTokens: 0n })).toEqual([]);
  });

  test("looks at the newest messages of the log when asked to", async () => {
    const sessionId = await seeded(users("a", "b", "c"), policy({ stages: [keep(1)] }));
    const policies = [written(policy({ stages: [keep(2)] }))];
    const log = await server.client.call("previewPolicy", {
      sessionId,
      policies,
      source: PreviewSource.LOG,
    });
    expect(log.previews[0]?.beforeTotals).toMatchObject({ messageCount: 3n });
    expect(log.previews[0]?.messages.map(({ messageId }) => messageId)).toEqual(["m1", "m2", "m3"]);
    const window = await server.client.call("previewPolicy", { sessionId, policies });
    expect(window.previews[0]?.beforeTotals).toMatchObject({ messageCount: 1n });
  });

  test("looks at no more of the log than a window may hold", async () => {
    const sessionId = `session-${count++}`;
    const messages = Array.from({ length: 4 }, (_, index) =>
      message({ messageId: `l${index}`, text: "x".repeat(900_000) }),
    );
    await server.client.call("createSession", { session: session({ sessionId }) });
    for (const one of messages) {
      await server.client.call("appendMessages", { sessionId, messages: [one] });
    }
    const { previews } = await server.client.call("previewPolicy", {
      sessionId,
      source: PreviewSource.LOG,
    });
    expect(previews[0]?.messages.map(({ messageId }) => messageId)).toEqual(["l1", "l2", "l3"]);
  });

  test("shows what the server made, without a seq", async () => {
    const sessionId = await seeded(users("a", "b"));
    const { placed } = await server.client.call("setSummary", {
      sessionId,
      text: "a",
      replacedMessageIds: ["m1"],
      placement: SummaryPlacement.IN_PLACE,
    });
    const { previews } = await preview(sessionId, []);
    expect(previews[0]?.messages[0]).toMatchObject({ messageId: placed?.placedMessageId, seq: 0n });
  });

  test("counts the summary of the session, as a read does", async () => {
    const sessionId = await seeded(users("a", "b"));
    await server.client.call("setSummary", { sessionId, text: "So it was.".repeat(9) });
    const [{ previews }, { windowTotals }] = await Promise.all([
      preview(sessionId, []),
      server.client.call("getWindow", { sessionId }),
    ]);
    expect(previews[0]?.beforeTotals).toMatchObject({ messageCount: 2n });
    expect(previews[0]?.afterTotals).toEqual(windowTotals);
    expect(windowTotals).toMatchObject({ messageCount: 3n });
  });

  test("reports conditions that fail, and loose pairs", async () => {
    const sessionId = await seeded(users("a", "b"));
    const filter = keepStage({
      name: "filter",
      select: {
        $case: "filter",
        value: { conditions: ["message.tool_calls[0].name == 'x'"], scope: 0 },
      },
    });
    const { previews } = await preview(sessionId, [
      policy({ stages: [filter], toolPairing: ToolPairing.LOOSE }),
    ]);
    expect(previews[0]?.warnings).toMatchObject([
      { stage: "filter", field: "filter.conditions[0]", messageId: "m1", messageCount: 1 },
    ]);
  });

  test("names at most 10,000 messages in all, the newest of each policy", async () => {
    const sessionId = await seeded(users("a"));
    for (let batch = 0; batch < 2; batch++) {
      const messages = Array.from({ length: 1_000 }, () => message({ text: "x" }));
      await server.client.call("appendMessages", { sessionId, messages });
    }
    const { previews } = await preview(
      sessionId,
      Array.from({ length: 8 }, () => policy({})),
    );
    expect(previews.map(({ messages }) => messages.length)).toEqual(Array(8).fill(1_250));
    expect(previews.map(({ truncated }) => truncated)).toEqual(Array(8).fill(true));
    expect(previews[7]?.messages.at(-1)?.seq).toBe(2_001n);
    expect(previews[7]?.messages[0]?.turn).toBe(752);
  });

  test("refuses a session that does not exist", async () => {
    expect(await server.client.fail("previewPolicy", { sessionId: "none" })).toMatchObject({
      code: "NOT_FOUND",
      reason: "SESSION_NOT_FOUND",
    });
    expect(
      await server.client.fail("previewPolicy", { sessionId: "none", source: PreviewSource.LOG }),
    ).toMatchObject({ reason: "SESSION_NOT_FOUND" });
  });

  test.each([
    ["an unset occasion", { occasions: [0 as const] }, "occasions[0]"],
    ["an unknown occasion", { occasions: [1 as const, 9 as 1] }, "occasions[1]"],
    ["an unknown source", { source: 9 as 1 }, "source"],
    ["a nameless tool", { toolOutcomes: [{ tool: "", error: false }] }, "tool_outcomes[0].tool"],
    ["negative tokens", { modelInputTokens: -1n }, "model_input_tokens"],
    [
      "a policy with a fault",
      { policies: [policy({}), policy({ stages: [keepStage({ name: "" })] })].map(written) },
      "policies[1].policy.stages[0].name",
    ],
  ])("refuses %s", async (_, fields, field) => {
    const failure = await server.client.fail("previewPolicy", { sessionId: "s", ...fields });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [field] });
  });
});
