// Goal: nothing that a caller writes is dropped without a word, also in a program without types.

import { describe, expect, test } from "vitest";
import { Message, Role } from "../src/gen/memorysidecar/v1/message.ts";
import { type MessageInput, type SessionFields, toMessage, toSession } from "../src/message.ts";
import { listMessagesRequest, listSessionsRequest } from "../src/requests.ts";

const TARGET = { namespace: "", sessionId: "s" };

describe("a field that there is not", () => {
  test.each([
    [{ role: "assistant", content: "Hello." }, /no field "content": it has .*text/],
    [{ role: "user", tool_calls: [] }, 'no field "tool_calls": it is "toolCalls"'],
    [{ rol: "user" }, 'no field "rol"'],
    [null, "a message is an object, not null"],
    [{ text: "x" }, "a message has a role"],
  ])("of a message is refused: %j", (message, fault) => {
    expect(() => toMessage(message as unknown as MessageInput)).toThrow(fault);
  });

  test("of a session is refused", () => {
    const fields = { session_id: "s" } as SessionFields;
    expect(() => toSession(fields)).toThrow(
      'a session has no field "session_id": it is "sessionId"',
    );
  });

  test("does not stand in the way of a message that the server gave", () => {
    expect(toMessage(Message.fromPartial({ role: Role.ASSISTANT, text: "x", seq: 3 })).text).toBe(
      "x",
    );
  });
});

describe("an order that there is not", () => {
  test("is refused", () => {
    const options = { order: "newest" as never };
    const orders = "the order is one of oldest-first, newest-first";
    expect(() => listMessagesRequest(TARGET, options, "")).toThrow(`${orders}, not "newest"`);
    expect(() => listSessionsRequest("", options, "")).toThrow(
      `${orders}, oldest-update-first, newest-update-first, not "newest"`,
    );
  });
});
