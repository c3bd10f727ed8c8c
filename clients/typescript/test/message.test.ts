import { describe, expect, test } from "vitest";
import { Message, Role } from "../src/gen/memorysidecar/v1/message.ts";
import { type MessageInput, toChangedMessage, toMessage, toSession } from "../src/message.ts";
import { toDate } from "../src/time.ts";
import { toTimestamp } from "../src/wire.ts";

describe("toMessage", () => {
  test("takes a text as a user message", () => {
    expect(toMessage("hello")).toEqual(Message.fromPartial({ role: Role.USER, text: "hello" }));
  });

  test.each([
    ["tool", Role.TOOL],
    ["ROLE_SYSTEM", Role.SYSTEM],
    [Role.ASSISTANT, Role.ASSISTANT],
  ] as const)("understands the role %s", (role, number) => {
    expect(toMessage({ role }).role).toBe(number);
  });

  test.each(["UNSPECIFIED", "ROLE_NOBODY", "ROLE_UNRECOGNIZED"])("refuses the role %s", (role) => {
    expect(() => toMessage({ role } as unknown as MessageInput)).toThrow(TypeError);
  });

  test("takes the JSON form of the contract, and the generated form as it is", () => {
    const message = toMessage({
      role: "ROLE_ASSISTANT",
      parts: [
        "plain",
        { text: "as JSON" },
        { image: { url: "https://example.org/a.png", detail: "low" } },
        { image: { data: "AQID", mediaType: "image/png" } },
        { data: { n: 1, list: [true, null] } },
        { toolResult: { toolCallId: "c1", text: "found", parts: ["a", { data: { b: 1 } }] } },
      ],
      toolCalls: [{ toolCallId: "c1", name: "look", arguments: "{}" }],
      agentCalls: [{ agentName: "helper", request: "please" }],
      providerPayload: { provider: "acme", data: "AAE=" },
      sentTime: "2026-05-01T04:30:00.250Z",
      labels: { kind: "test" },
    });
    expect(message.parts.map((part) => part.part?.$case)).toEqual([
      "text",
      "text",
      "image",
      "image",
      "data",
      "toolResult",
    ]);
    const result = message.parts[5]?.part;
    if (result?.$case !== "toolResult") throw new Error("the last part is a tool result");
    expect(result.value).toMatchObject({ toolCallId: "c1", text: "found", error: false });
    expect(result.value.parts.map((part) => part.part?.$case)).toEqual(["text", "data"]);
    expect(message.providerPayload?.data).toEqual(Buffer.from([0, 1]));
    expect(message.sentTime).toEqual(new Date("2026-05-01T04:30:00.250Z"));
    expect(Message.decode(Message.encode(message).finish())).toEqual(message);
    expect(toMessage(message)).toEqual(message);
  });

  test("takes the blocks of a model in their order, and JSON as it is", () => {
    const exact = '{ "b": 1, "a": 9007199254740993 }';
    const message = toMessage({
      role: "assistant",
      parts: [
        { reasoning: { text: "hm", signature: "c2ln" } },
        "I look.",
        { toolCall: { toolCallId: "c1", name: "look", arguments: "{}" } },
        { json: exact },
        { json: Buffer.from("[]") },
      ],
      structuredJson: exact,
      providerRole: "developer",
    });
    expect(message.parts).toMatchObject([
      { part: { $case: "reasoning", value: { text: "hm", signature: "c2ln", summaries: [] } } },
      { part: { $case: "text", value: "I look." } },
      { part: { $case: "toolCall", value: { toolCallId: "c1", name: "look" } } },
      { part: { $case: "json", value: Buffer.from(exact) } },
      { part: { $case: "json", value: Buffer.from("[]") } },
    ]);
    expect(message.structuredJson.toString()).toBe(exact);
    expect(message.providerRole).toBe("developer");
    expect(toMessage(message)).toEqual(message);
  });

  test("leaves out what only the server sets", () => {
    const stored = Message.fromPartial({ role: Role.USER, seq: 7, etag: "e", writer: "local" });
    expect(toMessage(stored)).toEqual(Message.fromPartial({ role: Role.USER }));
  });

  test("takes changes without a role", () => {
    const changed = toChangedMessage({ messageId: "m", text: "new", etag: "e1" });
    const expected = { messageId: "m", text: "new", etag: "e1" };
    expect(changed).toEqual(Message.fromPartial(expected));
  });
});

describe("sessions and policies", () => {
  test("turns times and texts into those of the contract", () => {
    expect(toSession({ sessionId: "s", ttlMs: 90_500, summary: "so far" })).toEqual({
      sessionId: "s",
      labels: {},
      ttl: { seconds: 90, nanos: 500_000_000 },
      summary: { text: "so far" },
    });
    expect(() => toDate("no time")).toThrow(RangeError);
    const early = new Date("1969-12-31T23:59:59.500Z");
    expect(toTimestamp(early)).toEqual({ seconds: -1, nanos: 500_000_000 });
    expect(toDate(toTimestamp(early))).toEqual(early);
  });
});
