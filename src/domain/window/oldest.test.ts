import { expect, test } from "vitest";
import { policyOf, windowOf } from "../../../test/support/window-text.ts";
import { layoutOf, oldestUnits, unitsBeforeLast } from "./select.ts";
import { totalsOf } from "./totals.ts";

const { protections } = policyOf([], { minMessages: 1 });
const window = windowOf("U A(x) T(x) A U A");

test("layoutOf marks the units that hold a protecting message", () => {
  const layout = layoutOf(window, "interaction", protections);
  expect([...layout.unitOf]).toEqual([0, 0, 0, 0, 1, 1]);
  expect([...layout.isProtected]).toEqual([0, 1]);
});

test("oldestUnits stops as soon as the limit holds", () => {
  const layout = layoutOf(window, "message", protections);
  const drop = oldestUnits(window, layout, totalsOf(window), (left) => left.messageCount <= 4);
  expect([...drop]).toEqual([1, 1, 0, 0, 0]);
});

test("oldestUnits passes over protected units and gives up at the end", () => {
  const layout = layoutOf(window, "message", policyOf([], { lastUser: true }).protections);
  const drop = oldestUnits(window, layout, totalsOf(window), (left) => left.tokenCount <= 0);
  expect([...drop]).toEqual([1, 1, 1, 0, 1]);
});

test("unitsBeforeLast counts protected units among the newest", () => {
  const layout = layoutOf(window, "message", protections);
  expect([...unitsBeforeLast(layout, 2)]).toEqual([1, 1, 1, 0, 0]);
  expect([...unitsBeforeLast(layout, 0)]).toEqual([1, 1, 1, 1, 0]);
  expect([...unitsBeforeLast(layout, 99)]).toEqual([0, 0, 0, 0, 0]);
});
