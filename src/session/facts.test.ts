// Facts read from wire bytes against the whole decoded message.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { message } from "../../test/support/contract/samples.ts";
import { wireMessages } from "../../test/support/contract/wire-messages.ts";
import type { Speech } from "../core/codec.ts";
import { type ContentPart, Message, Role as WireRole } from "../gen/memorysidecar/v1/message.ts";
import { structToJson } from "../grpc/struct.ts";
import { fromTimestamp } from "../grpc/time.ts";
import { QUARTERS, withQuarters } from "../kit/token-quarters.ts";
import { ROLE, type Role, type WindowFacts } from "../window/rules/types.ts";
import { readDetail, readSpeech } from "./detail-wire.ts";
import { countedContent, readFacts } from "./facts-wire.ts";

const callsOf = (whole: Message) => {
  const inParts = whole.parts.flatMap(({ part }) =>
    part?.$case === "toolCall" ? [part.value] : [],
  );
  // No message of the server has both.
  return [...inParts, ...whole.toolCalls];
};

const resultsOf = (whole: Message) =>
  whole.parts.flatMap(({ part }) => (part?.$case === "toolResult" ? [part.value] : []));

function factsOf(whole: Message): WindowFacts {
  const results = resultsOf(whole);
  const isOnlyResults = results.length > 0 && results.length === whole.parts.length;
  const isUser = whole.role === WireRole.USER;
  const own = whole.toolCallId === "" ? [] : [whole.toolCallId];
  return {
    messageId: whole.messageId,
    role: whole.role as Role,
    callIds: callsOf(whole).map((call) => call.toolCallId),
    answers: [...own, ...results.map((result) => result.toolCallId)],
    isResult: whole.role === WireRole.TOOL || (isUser && isOnlyResults && whole.text === ""),
    tokenCount: whole.tokenCount ?? 0,
    createMs: whole.createTime === undefined ? 0 : fromTimestamp(whole.createTime),
  };
}

function textsOf(parts: readonly ContentPart[], withResults: boolean): string[] {
  return parts.flatMap(({ part }) => {
    if (part?.$case === "text") return [part.value];
    if (part?.$case !== "toolResult" || !withResults) return [];
    return [part.value.text, ...textsOf(part.value.parts, true)];
  });
}

/** Fields of a message beside text and tool calls. */
function restOf(whole: Message): { images: number; chars: number } {
  const all = (parts: readonly ContentPart[]): readonly ContentPart[] =>
    parts.flatMap((one) =>
      one.part?.$case === "toolResult" ? [one, ...all(one.part.value.parts)] : [one],
    );
  const rest = { images: 0, chars: 0 };
  for (const { part } of all(whole.parts)) {
    if (part?.$case === "image") rest.images += 1;
    if (part?.$case === "data") rest.chars += structToJson(part.value).length;
    if (part?.$case === "json") rest.chars += part.value.toString().length;
    if (part?.$case === "reasoning") {
      rest.chars += [part.value.text, ...part.value.summaries].join("").length;
    }
  }
  for (const { agentName, request } of whole.agentCalls) {
    rest.chars += agentName.length + request.length;
  }
  return rest;
}

const joined = (texts: readonly string[]) => texts.filter((one) => one !== "").join("\n");

test("the facts are those of the message, whatever it holds", () => {
  const property = fc.property(wireMessages, fc.nat(3), (whole, quarters) => {
    const facts = factsOf(whole);
    const tokenCount = facts.tokenCount + quarters / QUARTERS;
    const stored = withQuarters(Message.encode(whole).finish(), tokenCount);
    expect(readFacts(stored)).toEqual({ ...facts, tokenCount });
  });
  fc.assert(property, { numRuns: 1_000 });
});

test("the details are those of the message, with the texts of its results", () => {
  const property = fc.property(wireMessages, (whole) => {
    const rest = restOf(whole);
    expect(readDetail(Message.encode(whole).finish())).toEqual({
      content: joined([whole.text, ...textsOf(whole.parts, true)]),
      name: whole.name,
      toolCalls: callsOf(whole).map((call) => ({
        id: call.toolCallId,
        name: call.name,
        arguments: call.arguments,
      })),
      ...(rest.images + rest.chars === 0 ? {} : { rest }),
    });
  });
  fc.assert(property, { numRuns: 500 });
});

test("what was said leaves out results of tools, and tells when", () => {
  const property = fc.property(wireMessages, (whole) => {
    const time = whole.sentTime ?? whole.createTime;
    const expected: Speech = {
      text: joined([whole.text, ...textsOf(whole.parts, false)]),
      saidMs: time === undefined ? 0 : fromTimestamp(time),
    };
    expect(readSpeech(Message.encode(whole).finish())).toEqual(expected);
  });
  fc.assert(property, { numRuns: 500 });
});

describe("damaged bytes", () => {
  test("are refused or give facts, and never hang", () => {
    const property = fc.property(wireMessages, fc.nat(), (whole, cut) => {
      const bytes = Message.encode(whole).finish();
      const part = bytes.subarray(0, cut % bytes.length);
      try {
        readFacts(part);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("that end inside a text are refused", () => {
    const bytes = Message.encode(message({ text: "whole text" })).finish();
    expect(() => readFacts(bytes.subarray(0, bytes.length - 3))).toThrow();
  });
});

test("facts of a message that nobody stamped are empty", () => {
  expect(readFacts(new Uint8Array(0))).toEqual({
    messageId: "",
    role: ROLE.user,
    callIds: [],
    answers: [],
    isResult: false,
    tokenCount: 0,
    createMs: 0,
  });
});

test("what costs tokens is taken apart: content, calls, name, images", () => {
  const image = {
    part: {
      $case: "image",
      value: { source: { $case: "url", value: "u" }, mediaType: "", detail: "" },
    },
  } as const;
  // {"k": 12, "a": [true, null, 0.5]}, keys in their stored order.
  const number = (value: number) => {
    const bytes = Buffer.alloc(9);
    bytes[0] = 0x11;
    bytes.writeDoubleLE(value, 1);
    return bytes;
  };
  const field = (tag: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  const entry = (key: string, value: Buffer) =>
    field(0x0a, Buffer.concat([field(0x0a, Buffer.from(key)), field(0x12, value)]));
  const list = [Buffer.from([0x20, 1]), Buffer.from([0x08, 0]), number(0.5)];
  const struct = Buffer.concat([
    entry("k", number(12)),
    entry("a", field(0x32, Buffer.concat(list.map((value) => field(0x0a, value))))),
  ]);
  const data = { part: { $case: "data", value: struct } } as const;
  const result = { toolCallId: "c", text: "result", parts: [image, data], error: false };
  const whole = message({
    role: WireRole.TOOL,
    name: "tool",
    text: "text",
    toolCallId: "d",
    parts: [
      { part: { $case: "text", value: "part" } },
      image,
      { part: { $case: "toolResult", value: result } },
    ],
    toolCalls: [{ toolCallId: "x", name: "search", arguments: "{}" }],
    agentCalls: [{ agentCallId: "y", agentName: "planner", request: "plan" }],
  });
  expect(countedContent(whole)).toEqual({
    content: ["text", "part", "result", '{"k":12,"a":[true,null,0.5]}'],
    calls: [
      { name: "search", body: "{}" },
      { name: "planner", body: "plan" },
    ],
    name: "tool",
    hasCallId: true,
    imageCount: 2,
  });
});
