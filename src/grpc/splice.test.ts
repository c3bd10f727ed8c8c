import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Message } from "../gen/memorysidecar/v1/message.ts";
import { ListMessagesResponse } from "../gen/memorysidecar/v1/session_service.ts";
import { spliceField } from "./splice.ts";

describe("spliceField", () => {
  test("gives the bytes that encoding the whole would give", () => {
    const texts = fc.array(fc.string({ maxLength: 20_000, size: "max" }), { maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.string(), (all, nextPageToken) => {
        const messages = all.map((text) => ({ ...Message.decode(new Uint8Array(0)), text }));
        const answer = { nextPageToken, rendered: undefined, total: undefined, foundMessages: [] };
        const whole = ListMessagesResponse.encode({ messages, ...answer }).finish();
        const rest = ListMessagesResponse.encode({ messages: [], ...answer }).finish();
        const items = messages.map((message) => Message.encode(message).finish());
        expect(spliceField(1, items, rest).equals(whole)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("takes empty items for empty messages", () => {
    const bytes = spliceField(1, [new Uint8Array(0), new Uint8Array(0)], new Uint8Array(0));
    expect(ListMessagesResponse.decode(bytes).messages).toHaveLength(2);
  });
});
