// Tool results as parts of messages: what is allowed, and what follows from them.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ContentPart,
  type Message,
  Role,
  Source,
  type ToolResult,
  Trust,
} from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  deepStruct,
  field,
  keepStage,
  message,
  policy,
  session,
  toolCall,
} from "../support/contract/samples.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

function result(fields: Partial<ToolResult> = {}): ContentPart {
  const value = { toolCallId: "c", text: "", parts: [], error: false, ...fields };
  return { part: { $case: "toolResult", value } };
}

const text = (value: string): ContentPart => ({ part: { $case: "text", value } });
const data = (value: Buffer): ContentPart => ({ part: { $case: "data", value } });

function image(url = "u"): ContentPart {
  const value = { source: { $case: "url" as const, value: url }, mediaType: "", detail: "" };
  return { part: { $case: "image", value } };
}

async function seeded(messages: readonly Message[]): Promise<string> {
  const sessionId = `results-${count++}`;
  const append = { sessionId, createSession: true, messages: [...messages] };
  await server.client.call("appendMessages", append);
  return sessionId;
}

async function stored(messages: readonly Message[]): Promise<readonly Message[]> {
  const sessionId = await seeded(messages);
  return (await server.client.call("listMessages", { sessionId })).messages;
}

describe("a tool result among the parts of a message", () => {
  test("is kept as it came", async () => {
    const parts = [
      text("first"),
      result({ text: "answer", error: true }),
      result({ toolCallId: "d", parts: [text("typed"), image(), data(deepStruct(2))] }),
    ];
    const [found] = await stored([message({ parts })]);
    expect(found?.parts).toEqual(parts);
  });

  test("costs its texts, its data as JSON, and its images", async () => {
    // {"a":1} takes 7 characters.
    const parts = [text("ab"), image(), data(deepStruct(1))];
    const [found] = await stored([message({ parts: [result({ text: "123", parts })] })]);
    expect(found?.tokenCount).toBe(800 + 3);
  });

  test("makes a message one of low trust, and of tools when there is nothing else", async () => {
    const found = await stored([
      message({ parts: [result()] }),
      message({ parts: [result(), text("look")] }),
      message({ parts: [text("look"), result()] }),
      message({ parts: [text("look")] }),
      message({ role: Role.TOOL, parts: [result()] }),
    ]);
    expect(found.map(({ source, trust }) => [source, trust])).toEqual([
      [Source.TOOL, Trust.LOW],
      [Source.USER, Trust.LOW],
      [Source.USER, Trust.LOW],
      [Source.USER, Trust.MEDIUM],
      [Source.TOOL, Trust.LOW],
    ]);
  });

  test("can come and go with an update, and the trust with it", async () => {
    const sessionId = await seeded([message({ messageId: "m", text: "hello" })]);
    const update = async (fields: Partial<Message>, updateMask: string[]) => {
      const changed = message({ messageId: "m", ...fields });
      const request = { sessionId, message: changed, updateMask };
      const { message: after } = await server.client.call("updateMessage", request);
      return [after?.source, after?.trust, after?.tokenCount];
    };
    const parts = [result({ text: "12345678" })];
    expect(await update({ parts }, ["parts"])).toEqual([Source.TOOL, Trust.LOW, 2]);
    expect(await update({ text: "look" }, ["text"])).toEqual([Source.USER, Trust.MEDIUM, 1]);
    const mixed = { parts: [text("look"), ...parts] };
    expect(await update(mixed, ["parts"])).toEqual([Source.USER, Trust.LOW, 3]);
    expect(await update({ parts: [] }, ["parts"])).toEqual([Source.USER, Trust.MEDIUM, 0]);
  });

  test("answers its call: both stay or go together", async () => {
    const sessionId = `results-${count++}`;
    const keepLast = keepStage({ select: { $case: "keepLast", value: { unitCount: 3 } } });
    await server.client.call("createSession", {
      session: session({ sessionId, policy: policy({ stages: [keepLast] }) }),
    });
    const calls = message({ role: Role.ASSISTANT, toolCalls: [toolCall("c"), toolCall("d")] });
    await server.client.call("appendMessages", {
      sessionId,
      messages: [
        message({ text: "question" }),
        calls,
        message({ parts: [result(), result({ toolCallId: "d" })] }),
      ],
    });
    const window = async () => {
      const { messages } = await server.client.call("getWindow", { sessionId });
      return messages.map(({ seq }) => Number(seq));
    };
    expect(await window()).toEqual([1, 2, 3]);
    const answer = message({ role: Role.ASSISTANT, text: "answer" });
    await server.client.call("appendMessages", { sessionId, messages: [answer] });
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: "2" })] });
    const seqs = await window();
    expect(seqs.includes(2)).toBe(seqs.includes(3));
    expect(seqs).toContain(5);
  });

  test("leaves no call open that it answers", async () => {
    const sessionId = await seeded([
      message({ text: "question" }),
      message({ role: Role.ASSISTANT, toolCalls: [toolCall("c"), toolCall("d")] }),
      message({ parts: [result()] }),
    ]);
    const open = async () => (await server.client.call("getWindow", { sessionId })).openToolCallIds;
    expect(await open()).toEqual(["d"]);
    const parts = [result({ toolCallId: "d" })];
    await server.client.call("appendMessages", { sessionId, messages: [message({ parts })] });
    expect(await open()).toEqual([]);
  });
});

describe("a tool result is refused", () => {
  const RESULT = "parts[0].tool_result";
  test.each<readonly [string, Partial<Message>, string]>([
    ["of a model", { role: Role.ASSISTANT, parts: [result()] }, RESULT],
    ["of the operator", { role: Role.SYSTEM, parts: [result()] }, RESULT],
    ["without an id", { parts: [result({ toolCallId: "" })] }, `${RESULT}.tool_call_id`],
    [
      "with an id too long",
      { parts: [result({ toolCallId: "x".repeat(257) })] },
      `${RESULT}.tool_call_id`,
    ],
    [
      "in a tool result",
      { parts: [result({ parts: [result()] })] },
      `${RESULT}.parts[0].tool_result`,
    ],
    [
      "with an empty part",
      { parts: [result({ parts: [{ part: undefined }] })] },
      `${RESULT}.parts[0].part`,
    ],
    [
      "with an image without an address",
      { parts: [result({ parts: [image("")] })] },
      `${RESULT}.parts[0].image.url`,
    ],
    [
      "with data too deep",
      { parts: [result({ parts: [data(deepStruct(LIMITS.structDepth + 1))] })] },
      `${RESULT}.parts[0].data`,
    ],
    [
      "with too many parts",
      { parts: [result({ parts: Array.from({ length: 65 }, () => text("")) })] },
      `${RESULT}.parts`,
    ],
    [
      "that answers a call a second time",
      { parts: [result(), text(""), result()] },
      "parts[2].tool_result.tool_call_id",
    ],
    [
      "that answers the call of its own message",
      { role: Role.TOOL, toolCallId: "c", parts: [result()] },
      `${RESULT}.tool_call_id`,
    ],
  ])("%s", async (_name, fields, path) => {
    const failure = await server.client.fail("appendMessages", {
      sessionId: "any",
      messages: [message(fields)],
    });
    expect(failure).toMatchObject({
      code: "INVALID_ARGUMENT",
      reason: "REQUEST_INVALID",
      fields: [`messages[0].${path}`],
    });
  });

  test("by an update that gives a model one, or an id twice", async () => {
    const sessionId = await seeded([
      message({ role: Role.ASSISTANT, messageId: "model", text: "hello" }),
      message({ role: Role.TOOL, messageId: "tool", parts: [result()] }),
    ]);
    const update = (fields: Partial<Message>, path: string) =>
      server.client.fail("updateMessage", {
        sessionId,
        message: message(fields),
        updateMask: [path],
      });
    expect(await update({ messageId: "model", role: 2, parts: [result()] }, "parts")).toMatchObject(
      {
        fields: [`message.${RESULT}`],
      },
    );
    expect(
      await update({ messageId: "tool", role: 4, toolCallId: "c" }, "tool_call_id"),
    ).toMatchObject({ fields: [`message.${RESULT}.tool_call_id`] });
  });

  test("inside others without end, before it is decoded", async () => {
    let part: Buffer = Buffer.alloc(0);
    // A part holds a result (4), which holds a part (3).
    for (let level = 0; level < 5_000; level += 1) part = field(0x1a, field(0x22, part));
    const held = field(0x32, field(0x22, part));
    const bytes = Buffer.concat([field(0x12, Buffer.from("any")), field(0x1a, held)]);
    const outcome = await server.client.raw("appendMessages", bytes);
    expect(outcome).toMatchObject({ failure: { reason: "REQUEST_MALFORMED" } });
  });

  test("with more nested parts than allowed only", async () => {
    const parts = Array.from({ length: LIMITS.toolResultParts }, () => text(""));
    expect(await stored([message({ parts: [result({ parts })] })])).toHaveLength(1);
  });
});
