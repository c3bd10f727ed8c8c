// AppendMessages with what policies are told beside messages: the end of a turn, what the model's
// input took, and how tools ended.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType } from "../../src/gen/memorysidecar/v1/event.ts";
import { type ContentPart, type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { WindowUnit } from "../../src/gen/memorysidecar/v1/policy.ts";
import { TriggerKind } from "../../src/gen/memorysidecar/v1/window.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  bare,
  eventsOf,
  keepNewest,
  onTurnEnd,
  result,
  sessionMaker,
  trigger,
  users,
  windowIds,
} from "../support/contract/policy-wire.ts";
import { message, toolCall, written } from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const make = sessionMaker(() => server);

type Condition = Parameters<typeof trigger>[0];

interface Signals {
  readonly modelInputTokens?: bigint;
  readonly toolOutcomes?: { readonly tool: string; readonly error: boolean }[];
}

interface Case {
  readonly name: string;
  readonly holds: Condition;
  readonly holdsNot: Condition;
  readonly kind: TriggerKind;
  readonly signals: Signals;
}

/** Ends a turn; whether the stage on turn end acted, and for which triggers. */
async function endTurn(sessionId: string, signals: Signals = {}) {
  const answer = await server.client.call("appendMessages", {
    sessionId,
    turnEnd: true,
    ...signals,
  });
  return answer.stageRuns.flatMap((run) => run.triggers);
}

describe("a stage on turn end", () => {
  const hours = { seconds: 3_600n, nanos: 0 };
  const failed = { toolOutcomes: [{ tool: "search", error: true }] };
  test.each<Case>([
    {
      name: "message count",
      holds: { $case: "messageCountOver", value: 2 },
      holdsNot: { $case: "messageCountOver", value: 3 },
      kind: TriggerKind.MESSAGE_COUNT,
      signals: {},
    },
    {
      name: "token count",
      holds: { $case: "tokenCountOver", value: 2n },
      holdsNot: { $case: "tokenCountOver", value: 3n },
      kind: TriggerKind.TOKEN_COUNT,
      signals: {},
    },
    {
      name: "share of the context window",
      holds: { $case: "contextShareAtLeast", value: 0.3 },
      holdsNot: { $case: "contextShareAtLeast", value: 0.31 },
      kind: TriggerKind.CONTEXT_SHARE,
      signals: {},
    },
    {
      name: "tokens of the model's input",
      holds: { $case: "modelInputTokensOver", value: 99n },
      holdsNot: { $case: "modelInputTokensOver", value: 100n },
      kind: TriggerKind.MODEL_INPUT_TOKENS,
      signals: { modelInputTokens: 100n },
    },
    {
      name: "turns",
      holds: { $case: "turnCountOver", value: 2 },
      holdsNot: { $case: "turnCountOver", value: 3 },
      kind: TriggerKind.TURN_COUNT,
      signals: {},
    },
    {
      name: "tokens of turns",
      holds: { $case: "turnTokensOver", value: 2n },
      holdsNot: { $case: "turnTokensOver", value: 3n },
      kind: TriggerKind.TURN_TOKENS,
      signals: {},
    },
    {
      name: "new messages",
      holds: { $case: "newMessagesAtLeast", value: 3 },
      holdsNot: { $case: "newMessagesAtLeast", value: 4 },
      kind: TriggerKind.NEW_MESSAGES,
      signals: {},
    },
    {
      name: "new tokens",
      holds: { $case: "newTokensAtLeast", value: 3n },
      holdsNot: { $case: "newTokensAtLeast", value: 4n },
      kind: TriggerKind.NEW_TOKENS,
      signals: {},
    },
    {
      name: "tool failures",
      holds: { $case: "toolError", value: { names: ["search"] } },
      holdsNot: { $case: "toolSuccess", value: { names: ["search"] } },
      kind: TriggerKind.TOOL_ERROR,
      signals: failed,
    },
    {
      name: "tool successes",
      holds: { $case: "toolSuccess", value: { names: ["mail"] } },
      holdsNot: { $case: "toolError", value: { names: ["mail"] } },
      kind: TriggerKind.TOOL_SUCCESS,
      signals: { toolOutcomes: [{ tool: "mail", error: false }] },
    },
  ])("acts by $name, and not below", async ({ holds, holdsNot, kind, signals }) => {
    const fields = holds.$case === "contextShareAtLeast" ? { contextWindow: 10n } : {};
    const acting = await make(bare([onTurnEnd(trigger(holds))], fields), users(3));
    expect((await endTurn(acting, signals)).map((hit) => hit.kind)).toEqual([kind]);
    expect(await windowIds(server, acting)).toEqual(["m3"]);
    const idle = await make(bare([onTurnEnd(trigger(holdsNot))], fields), users(3));
    expect(await endTurn(idle, signals)).toEqual([]);
    expect(await windowIds(server, idle)).toHaveLength(3);
  });

  test("acts by age, and always", async () => {
    const old = await make(
      bare([onTurnEnd(trigger({ $case: "ageOver", value: hours }))]),
      users(2),
    );
    expect(await endTurn(old)).toEqual([]);
    server.advance(3_600_001);
    await server.client.call("appendMessages", { sessionId: old, messages: users(1, 3) });
    expect((await endTurn(old)).map((hit) => hit.kind)).toEqual([TriggerKind.AGE]);
    const always = await make(bare([onTurnEnd(trigger({ $case: "always", value: {} }))]), users(2));
    expect((await endTurn(always)).map((hit) => hit.kind)).toEqual([TriggerKind.ALWAYS]);
  });

  test("does not run without a turn end, and runs after the stages on append", async () => {
    const both = bare([onTurnEnd(), keepNewest(3)]);
    const sessionId = await make(both, users(2));
    expect(await windowIds(server, sessionId)).toEqual(["m1", "m2"]);
    const answer = await server.client.call("appendMessages", {
      sessionId,
      messages: users(2, 3),
      turnEnd: true,
    });
    expect(answer.trims.map(({ stage, messageIds }) => [stage, messageIds])).toEqual([
      ["keep", ["m1"]],
      ["end", ["m2", "m3"]],
    ]);
    expect(answer.windowTotals?.messageCount).toBe(1n);
    expect(answer.stageRuns.map(({ stage }) => stage)).toEqual(["keep", "end"]);
    const events = await eventsOf(server, sessionId, answer.revision);
    expect(events.map(({ type }) => type)).toEqual([
      EventType.MESSAGES_APPENDED,
      EventType.MESSAGES_TRIMMED,
      EventType.MESSAGES_TRIMMED,
    ]);
  });
});

describe("a turn end without messages", () => {
  test("is an event, moves the revision and leaves the log", async () => {
    const sessionId = await make(bare([onTurnEnd()]), users(3));
    const answer = await server.client.call("appendMessages", { sessionId, turnEnd: true });
    expect(answer).toMatchObject({ messages: [], lastSeq: 3n, windowTotals: { messageCount: 1n } });
    expect(Number(answer.revision)).toBe(await revisionOf(server.store));
    const events = await eventsOf(server, sessionId, answer.revision);
    expect(events.map(({ type }) => type)).toEqual([
      EventType.TURN_ENDED,
      EventType.MESSAGES_TRIMMED,
    ]);
    const ended = events[0]?.detail;
    expect(ended).toMatchObject({
      $case: "turnEnded",
      value: { windowTotals: { messageCount: 3n, tokenCount: 3n } },
    });
  });

  test("needs a session that exists, even one that may be created", async () => {
    const request = { sessionId: "nobody", turnEnd: true, createSession: true };
    const missing = await server.client.fail("appendMessages", request);
    expect(missing.reason).toBe("SESSION_NOT_FOUND");
    const empty = await server.client.fail("appendMessages", { sessionId: "nobody" });
    expect(empty).toMatchObject({ reason: "REQUEST_INVALID", fields: ["messages"] });
  });

  test("is repeated with its request id without effect", async () => {
    const sessionId = await make(bare([onTurnEnd()]), users(3));
    const request = { sessionId, turnEnd: true, requestId: `end-${sessionId}` };
    const first = await server.client.call("appendMessages", request);
    const revision = await revisionOf(server.store);
    expect(await server.client.call("appendMessages", request)).toEqual(first);
    expect(await revisionOf(server.store)).toBe(revision);
    const other = { ...request, turnEnd: false, messages: users(1, 9) };
    const reused = await server.client.fail("appendMessages", other);
    expect(reused.reason).toBe("REQUEST_ID_REUSED");
  });
});

describe("outcomes of tools", () => {
  const failing = trigger({ $case: "toolError", value: { names: ["search"] } });
  const call: Message = message({ role: Role.ASSISTANT, toolCalls: [toolCall("c1")] });

  test("are those of this append for a stage on append", async () => {
    const stage = keepNewest(1, { unit: WindowUnit.TURN, anyOf: [failing] });
    const sessionId = await make(bare([stage]), users(2));
    const good = await server.client.call("appendMessages", {
      sessionId,
      messages: [call, result("c1")],
    });
    expect(good.stageRuns).toEqual([]);
    const named = message({ role: Role.ASSISTANT, toolCalls: [toolCall("c2")] });
    await server.client.call("appendMessages", { sessionId, messages: [named] });
    const bad = await server.client.call("appendMessages", {
      sessionId,
      messages: [result("c2", { toolError: true })],
    });
    expect(bad.stageRuns).toMatchObject([
      { stage: "keep", triggers: [{ kind: TriggerKind.TOOL_ERROR, tool: "search" }] },
    ]);
    const after = await server.client.call("appendMessages", { sessionId, messages: users(1, 7) });
    expect(after.stageRuns).toEqual([]);
  });

  test("are all since the last turn end for a stage on turn end", async () => {
    const sessionId = await make(bare([onTurnEnd(failing)]), users(2));
    const failed = [{ tool: "search", error: true }];
    await server.client.call("appendMessages", {
      sessionId,
      messages: users(1, 3),
      toolOutcomes: failed,
    });
    await server.client.call("appendMessages", { sessionId, messages: users(1, 4) });
    expect((await endTurn(sessionId)).map(({ tool }) => tool)).toEqual(["search"]);
    await server.client.call("appendMessages", { sessionId, messages: users(1, 5) });
    expect(await endTurn(sessionId)).toEqual([]);
  });

  test("come from results among the parts of a user message, each with its own flag", async () => {
    const sessionId = await make(bare([onTurnEnd(failing)]), users(1));
    const calls = message({
      role: Role.ASSISTANT,
      toolCalls: [toolCall("p1", "mail"), toolCall("p2", "search")],
    });
    const part = (toolCallId: string, error: boolean): ContentPart => ({
      part: { $case: "toolResult", value: { toolCallId, text: "x", parts: [], error } },
    });
    await server.client.call("appendMessages", {
      sessionId,
      messages: [calls, message({ parts: [part("p1", true), part("p2", false)] })],
    });
    expect(await endTurn(sessionId)).toEqual([]);
    const again = message({ role: Role.ASSISTANT, toolCalls: [toolCall("p3", "search")] });
    await server.client.call("appendMessages", {
      sessionId,
      messages: [again, message({ parts: [part("p3", true)] })],
    });
    expect((await endTurn(sessionId)).map(({ tool }) => tool)).toEqual(["search"]);
  });

  test("are refused without a name, and when there are too many", async () => {
    const sessionId = await make(bare([]), users(1));
    const nameless = await server.client.fail("appendMessages", {
      sessionId,
      turnEnd: true,
      toolOutcomes: [{ tool: "", error: false }],
    });
    expect(nameless.fields).toEqual(["tool_outcomes[0].tool"]);
    const many = Array.from({ length: 257 }, () => ({ tool: "t", error: false }));
    const request = { sessionId, turnEnd: true, toolOutcomes: many };
    expect((await server.client.fail("appendMessages", request)).fields).toEqual(["tool_outcomes"]);
    const tokens = { sessionId, turnEnd: true, modelInputTokens: 1_000_000_001n };
    expect((await server.client.fail("appendMessages", tokens)).fields).toEqual([
      "model_input_tokens",
    ]);
  });
});

describe("what a session remembers for its policy", () => {
  test("is told by the session, and dropped with the stage", async () => {
    const counting = onTurnEnd(trigger({ $case: "newMessagesAtLeast", value: 2 }));
    const sessionId = await make(bare([counting]), users(2));
    await endTurn(sessionId, { modelInputTokens: 17n });
    const { session } = await server.client.call("getSession", { sessionId });
    expect(session?.modelInputTokens).toBe(17n);
    expect(session?.stageStates).toEqual([
      { stage: "end", lastSeq: 2n, windowTotals: { messageCount: 1n, tokenCount: 1n } },
    ]);
    await server.client.call("appendMessages", { sessionId, messages: users(1, 3) });
    expect(await endTurn(sessionId)).toEqual([]);
    await server.client.call("appendMessages", { sessionId, messages: users(1, 4) });
    expect(await endTurn(sessionId)).toHaveLength(1);
    const changed = await server.client.call("updateSession", {
      session: {
        ...(session ?? expect.unreachable()),
        etag: "",
        policy: written(bare([keepNewest(9)])),
      },
      updateMask: ["policy"],
    });
    expect(changed.session).toMatchObject({ stageStates: [], modelInputTokens: 17n });
  });
});
