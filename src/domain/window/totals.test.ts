import { expect, test } from "vitest";
import { policyOf, windowOf } from "../../../test/support/window-text.ts";
import { addTotals, removedTotals, totalsOf } from "./totals.ts";
import { trimWindow } from "./trim.ts";

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

test("removedTotals gives the whole, also for a part of a trim", () => {
  const { trims } = trimWindow(windowOf("U:3 A:4 U"), policyOf([{}], { minMessages: 1 }), "append");
  const [trim] = trims;
  if (trim === undefined) throw new Error("nothing was trimmed");
  const part = { ...trim, removed: trim.removed.slice(0, 1) };
  expect(removedTotals(trim)).toEqual({ messageCount: 2, tokenCount: 7 });
  expect(removedTotals(part)).toEqual({ messageCount: 2, tokenCount: 7 });
});
