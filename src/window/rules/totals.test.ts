import { expect, test } from "vitest";
import { windowOf } from "../../../test/support/window/text.ts";
import { addTotals, totalsOf } from "./trim.ts";

test("totalsOf adds up messages, tokens and bytes", () => {
  expect(totalsOf(windowOf("U:3 A:4"))).toEqual({
    messageCount: 2,
    tokenCount: 7,
    byteCount: 200,
  });
  expect(totalsOf([])).toEqual({ messageCount: 0, tokenCount: 0, byteCount: 0 });
});

test("addTotals adds every count", () => {
  const once = { messageCount: 1, tokenCount: 2, byteCount: 3 };
  expect(addTotals(once, once)).toEqual({ messageCount: 2, tokenCount: 4, byteCount: 6 });
});
