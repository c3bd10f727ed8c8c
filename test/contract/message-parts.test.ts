// Messages whose parts hold tool calls, reasoning and JSON: kept in their order, and seen like the
// same things elsewhere in a message.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContentPart, type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { RecallMode } from "../../src/gen/memorysidecar/v1/recall.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  keepStage,
  message,
  policy,
  recallFilter,
  session,
  structOfSize,
  toolCall,
} from "../support/contract/samples.ts";
import { exportChunks, importChunk, takeSnapshot } from "../support/contract/snapshots.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const text = (value: string): ContentPart => ({ part: { $case: "text", value } });
const call = (id: string): ContentPart => ({ part: { $case: "toolCall", value: toolCall(id) } });
const json = (value: string): ContentPart => ({
  part: { $case: "json", value: Buffer.from(value) },
});

function thought(value: string, fields = {}): ContentPart {
  const nothing = { summaries: [], signature: "", reasoningId: "", redacted: false };
  return { part: { $case: "reasoning", value: { ...nothing, text: value, ...fields } } };
}

const spoken = (...parts: ContentPart[]): Message => message({ role: Role.ASSISTANT, parts });
const answerTo = (toolCallId: string): Message =>
  message({ role: Role.TOOL, toolCallId, text: "found" });

async function seeded(messages: readonly Message[], fields = {}): Promise<string> {
  const sessionId = `parts-${count++}`;
  await server.client.call("createSession", { session: session({ sessionId, ...fields }) });
  await server.client.call("appendMessages", { sessionId, messages: [...messages] });
  return sessionId;
}

async function logOf(sessionId: string): Promise<readonly Message[]> {
  return (await server.client.call("listMessages", { sessionId })).messages;
}

async function refused(fields: Partial<Message>): Promise<readonly string[]> {
  const messages = [message({ role: Role.ASSISTANT, ...fields })];
  const append = { sessionId: "refused", createSession: true, messages };
  const failure = await server.client.fail("appendMessages", append);
  expect(failure.reason).toBe("REQUEST_INVALID");
  return failure.fields;
}

describe("blocks of a provider", () => {
  // As Anthropic gives them, and as OpenAI Responses does.
  const anthropic = [
    thought("Where is the cat?", { signature: "c2ln" }),
    text("I look it up."),
    call("toolu_1"),
    thought("", { signature: "ZW5j", redacted: true }),
    text("And the dog."),
    call("toolu_2"),
  ];
  const responses = [
    thought("", { reasoningId: "rs_1", summaries: ["Cats.", "Dogs."], signature: "ZW5j" }),
    text("Looking."),
    call("call_1"),
  ];

  test("come back in their order, also through a snapshot", async () => {
    const sessionId = await seeded([
      ...[spoken(...anthropic), answerTo("toolu_1"), answerTo("toolu_2")],
      ...[spoken(...responses), answerTo("call_1")],
    ]);
    const partsIn = (log: readonly Message[]) =>
      log.filter(({ role }) => role === Role.ASSISTANT).map(({ parts }) => parts);
    expect(partsIn(await logOf(sessionId))).toEqual([anthropic, responses]);
    const copy = `${sessionId}-copy`;
    for (const chunk of await exportChunks(server.client, { sessionId })) {
      await importChunk(server.client, { ...chunk, sessionId: copy });
    }
    expect(partsIn((await takeSnapshot(server.client, copy)).messages)).toEqual([
      anthropic,
      responses,
    ]);
  });

  test("make one unit with the results of their calls", async () => {
    const select = { $case: "keepLast", value: { unitCount: 2 } } as const;
    const keep = { policy: policy({ stages: [keepStage({ select })] }) };
    const sessionId = await seeded([spoken(text("?"), call("a"), call("b"))], keep);
    const window = () => server.client.call("getWindow", { sessionId });
    expect((await window()).openToolCallIds).toEqual(["a", "b"]);
    const answers = [answerTo("a"), answerTo("b")];
    await server.client.call("appendMessages", { sessionId, messages: answers });
    expect((await window()).messages.map(({ seq }) => Number(seq))).toEqual([1, 2, 3]);
    const later = ["x", "y"].map((said) => message({ text: said }));
    await server.client.call("appendMessages", { sessionId, messages: later });
    expect((await window()).messages.map(({ seq }) => Number(seq))).toEqual([4, 5]);
  });

  test("get results made for calls that nobody answers", async () => {
    const sessionId = await seeded([spoken(call("a"), text("?"), call("b")), answerTo("a")]);
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: "x" })] });
    const { messages } = await server.client.call("fillToolResults", { sessionId });
    expect(messages.map(({ toolCallId, name }) => [toolCallId, name])).toEqual([["b", "search"]]);
  });

  test("cost what the same text and calls cost elsewhere, and reasoning as text", async () => {
    const log = await logOf(
      await seeded([
        spoken(text("12345678"), call("a")),
        message({ role: Role.ASSISTANT, text: "12345678", toolCalls: [toolCall("a")] }),
        spoken(thought("1234", { summaries: ["5678"], signature: "x".repeat(400) })),
        spoken(json('{ "a": 12345 }')),
      ]),
    );
    expect(log.map(({ tokenCount }) => tokenCount)).toEqual([4, 4, 2, 4]);
  });

  test("are found by what was said, and not by what was thought", async () => {
    const blocks = [thought("secretive"), text("outspoken"), call("a"), json('{"k":"recorded"}')];
    const filter = recallFilter({ sessionIds: [await seeded([spoken(...blocks)])] });
    const find = async (query: string) => {
      const mode = RecallMode.LEXICAL;
      return (await server.client.call("recall", { query, filter, mode })).hits.length;
    };
    expect(await find("outspoken")).toBe(1);
    expect(await find("recorded")).toBe(1);
    expect(await find("secretive")).toBe(0);
  });

  test("go to systems that have calls beside their text", async () => {
    const sessionId = await seeded([spoken(thought("?"), text("hi"), call("a")), answerTo("a")]);
    const chunks = await exportChunks(server.client, { sessionId, format: "selectools" });
    const document = Buffer.concat(chunks.map((chunk) => chunk.document)).toString();
    expect(JSON.parse(document).messages[0]).toMatchObject({
      content: "hi",
      tool_calls: [{ id: "a" }],
    });
    expect(document).not.toContain("?");
  });
});

describe("JSON", () => {
  const exact = '{ "z": 9007199254740993, "a": 1.0, "z2": [1e400, "\\ud800"] }';

  test("is kept byte for byte, as a part, in results and beside the content", async () => {
    const inResult = { toolCallId: "c", text: "", parts: [json(exact)], error: false };
    const [first, second] = await logOf(
      await seeded([
        message({ parts: [json(exact)], structuredJson: Buffer.from(exact) }),
        message({ parts: [{ part: { $case: "toolResult", value: inResult } }] }),
      ]),
    );
    expect(first?.parts).toEqual([json(exact)]);
    expect(first?.structuredJson.toString()).toBe(exact);
    expect(second?.parts).toEqual([{ part: { $case: "toolResult", value: inResult } }]);
  });

  test.each(["", "{", "[1,]", "NaN", "\ufeff[]", "[] []"])("is refused as %j", async (bad) => {
    expect(await refused({ parts: [json(bad)] })).toEqual(["messages[0].parts[0].json"]);
    const structuredJson = Buffer.from(bad === "" ? " " : bad);
    expect(await refused({ structuredJson })).toEqual(["messages[0].structured_json"]);
  });

  test("is refused in bytes that are no UTF-8", async () => {
    const structuredJson = Buffer.from([0x22, 0xc0, 0x01, 0x22]);
    expect(await refused({ structuredJson })).toEqual(["messages[0].structured_json"]);
  });

  test("may hold brackets in texts as many as it likes", async () => {
    const [found] = await logOf(await seeded([message({ parts: [json(`"${"[".repeat(99)}"`)] })]));
    expect(found?.parts).toHaveLength(1);
  });
});

describe("a message is refused", () => {
  test("with a text and parts", async () => {
    expect(await refused({ text: "a", parts: [text("b")] })).toEqual(["messages[0].text"]);
  });

  test("with tool calls in two places", async () => {
    const both = { toolCalls: [toolCall("a")], parts: [call("b")] };
    expect(await refused(both)).toEqual(["messages[0].tool_calls"]);
    const sessionId = await seeded([message({ messageId: "m", role: 2, parts: [call("b")] })]);
    const change = message({ messageId: "m", toolCalls: [toolCall("a")] });
    const failure = await server.client.fail("updateMessage", { sessionId, message: change });
    expect(failure.fields).toEqual(["message.tool_calls"]);
  });

  test("with one call id twice, or with calls and reasoning of others than the model", async () => {
    expect(await refused({ parts: [call("a"), call("a")] })).toEqual([
      "messages[0].parts[1].tool_call.tool_call_id",
    ]);
    expect(await refused({ role: Role.USER, parts: [call("a"), thought("x")] })).toEqual([
      "messages[0].parts[0].tool_call",
      "messages[0].parts[1].reasoning",
    ]);
  });

  test("with calls and reasoning in a result", async () => {
    const value = { toolCallId: "c", text: "", parts: [call("a"), thought("x")], error: false };
    const parts: ContentPart[] = [{ part: { $case: "toolResult", value } }];
    expect(await refused({ role: Role.USER, parts })).toEqual([
      "messages[0].parts[0].tool_result.parts[0].tool_call",
      "messages[0].parts[0].tool_result.parts[1].reasoning",
    ]);
  });

  test("with structured data in two forms", async () => {
    const both = { structuredData: structOfSize(40), structuredJson: Buffer.from("{}") };
    expect(await refused(both)).toEqual(["messages[0].structured_json"]);
  });
});

test("a snapshot with a text and parts in one message reads on, the text first", async () => {
  const before = await seeded([message({ messageId: "m", text: "first" })]);
  const { header, messages } = await takeSnapshot(server.client, before);
  const old = messages.map((one) => ({ ...one, parts: [text("second")] }));
  const sessionId = `${before}-old`;
  await importChunk(server.client, { header, messages: old, sessionId });
  const [stored] = await logOf(sessionId);
  expect([stored?.text, stored?.parts]).toEqual(["first", [text("second")]]);
  const chunks = await exportChunks(server.client, { sessionId, format: "lauren" });
  const document = Buffer.concat(chunks.map((chunk) => chunk.document)).toString();
  expect(document.indexOf("first")).toBeLessThan(document.indexOf("second"));
  // An update that does not touch the content leaves it alone.
  const named = { sessionId, message: message({ messageId: "m", name: "n" }) };
  const { message: after } = await server.client.call("updateMessage", named);
  expect([after?.name, after?.text, after?.parts.length]).toEqual(["n", "first", 1]);
});
