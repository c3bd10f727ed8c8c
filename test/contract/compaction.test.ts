// Goal: a window that grew too large is compacted on request over gRPC: tool results are cut to
// their beginning where that saves enough, and what is older than the newest assistant turns is
// packed. All that is shown costs what the token rule says of it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { sessionMaker, windowIds } from "../support/contract/policy-wire.ts";
import { message, preset, toolCall } from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const newSession = sessionMaker(() => server);

const THRESHOLD = 150;

const compacting = (options: object) =>
  preset("marsys", { threshold_tokens: THRESHOLD, ...options });

const call = (messageId: string, toolCallId: string): Message =>
  message({ messageId, role: Role.ASSISTANT, toolCalls: [toolCall(toolCallId, "web")] });
const result = (messageId: string, toolCallId: string, chars: number): Message =>
  message({ messageId, role: Role.TOOL, toolCallId, name: "web", text: "t".repeat(chars) });
const said = (messageId: string, role: Role): Message =>
  message({ messageId, role, text: "x".repeat(60) });

/** A question, a call with a long result, and three more texts: 194 tokens. */
const CONVERSATION = [
  said("m1", Role.USER),
  call("m2", "c1"),
  result("m3", "c1", 400),
  said("m4", Role.ASSISTANT),
  said("m5", Role.USER),
  said("m6", Role.ASSISTANT),
];

const compact = (sessionId: string) =>
  server.client.call("trimSession", { sessionId, target: { $case: "runPolicy", value: {} } });

describe("compaction on request", () => {
  const chain = {
    processor_order: ["tool_truncation", "backward_packing"],
    min_reduction_ratio: 0.3,
    tool_truncation: { max_tool_message_tokens: 20 },
    compaction_target_tokens: 105,
  };

  test("cuts old tool results to their beginning, then packs what is left", async () => {
    const sessionId = await newSession(compacting(chain), CONVERSATION);
    await compact(sessionId);
    const { messages, windowTotals: window } = await server.client.call("getWindow", { sessionId });
    expect(messages.map(({ messageId }) => messageId)).toEqual(["m2", "m3", "m4", "m5", "m6"]);
    expect(messages[1]?.text).toBe(`${"t".repeat(68)} [truncated]`);
    expect(messages[1]?.tokenCount).toBe(33);
    expect(window?.tokenCount).toBe(96n);
    const whole = await server.client.call("getMessage", { sessionId, messageId: "m3" });
    expect(whole.message?.text).toHaveLength(400);
  });

  test("cuts nothing when that saves too little", async () => {
    // 80 tokens would be saved.
    const options = { ...chain, min_reduction_ratio: 81 / THRESHOLD };
    const sessionId = await newSession(compacting(options), CONVERSATION);
    await compact(sessionId);
    expect(await windowIds(server, sessionId)).toEqual(["m1", "m4", "m5", "m6"]);
    const { messages } = await server.client.call("getWindow", { sessionId });
    expect(messages.some(({ text }) => text.endsWith("[truncated]"))).toBe(false);
  });

  test("leaves the newest assistant turn and the newest question, whatever they cost", async () => {
    const options = {
      ...{ threshold_tokens: 100, compaction_target_tokens: 60 },
      processor_order: ["backward_packing"],
    };
    const sessionId = await newSession(compacting(options), [
      said("m1", Role.USER),
      ...[call("m2", "c1"), result("m3", "c1", 200)],
      ...[call("m4", "c2"), result("m5", "c2", 200)],
    ]);
    const { stageRuns } = await compact(sessionId);
    expect(await windowIds(server, sessionId)).toEqual(["m1", "m4", "m5"]);
    expect(stageRuns).toMatchObject([{ stage: "backward_packing", overLimit: true }]);
  });

  test("does nothing below the threshold", async () => {
    const sessionId = await newSession(compacting({ threshold_tokens: 194 }), CONVERSATION);
    const { stageRuns } = await compact(sessionId);
    expect(stageRuns).toEqual([]);
    expect(await windowIds(server, sessionId)).toHaveLength(6);
  });

  test("packs reads instead when it is off", async () => {
    const options = { threshold_tokens: 50, compaction_target_tokens: 30, enabled: false };
    const sessionId = await newSession(compacting(options), CONVERSATION);
    await compact(sessionId);
    expect(await windowIds(server, sessionId)).toEqual(["m6"]);
  });

  test("lets all before the newest assistant turn wait for one summary", async () => {
    const options = { processor_order: ["summarization"], hook: "manual" };
    const sessionId = await newSession(compacting(options), CONVERSATION);
    const { stageRuns } = await compact(sessionId);
    expect(stageRuns).toMatchObject([
      { stage: "summarization", awaitingMessageIds: ["m1", "m2", "m3", "m4", "m5"], taskId: "" },
    ]);
  });
});
