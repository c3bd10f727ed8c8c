import { describe, expect, test } from "vitest";
import { dropTo, policyOf, seqsOf, trimOn, windowOf } from "../../../test/support/window/text.ts";
import { groupAdjacent, groupEntries, groupEntriesAs, noGroups } from "./groups.ts";

const _ = -1;

describe("groupAdjacent", () => {
  test.each([
    ["a call and its result", "U A(x) T(x) A", [_, 1, 1, _]],
    ["results with any id, or none", "A(x,y) T(y) T T(q) R(z)", [0, 0, 0, 0, 0]],
    ["calls right after one another", "A(x) A(y) T(x)", [0, 1, 1]],
    ["no result behind another message", "A(x) T(x) U T(x)", [0, 0, _, _]],
    ["no result behind a system message", "A(x) S T(x)", [0, _, _]],
    ["no result behind an answer without calls", "A(x) A T(x)", [0, _, _]],
    ["messages that say something beside their results", "A(x) U(q) T(x) U", [0, 0, 0, _]],
    ["no result at the start", "T(x) A(x)", [_, 1]],
  ])("pairs %s", (_name, text, expected) => {
    const { callOf, missing } = groupAdjacent(windowOf(text));
    expect([...callOf]).toEqual(expected);
    expect([...missing]).toEqual(expected.map(() => 0));
  });
});

test("a policy pairs by ids, by what stands together, or not at all", () => {
  const window = windowOf("A(x) U T(x) A(y) T(z)");
  expect(groupEntriesAs(window, "whole")).toEqual(groupEntries(window));
  expect(groupEntriesAs(window, "grouped")).toEqual(groupEntries(window));
  expect(groupEntriesAs(window, "adjacent")).toEqual(groupAdjacent(window));
  expect(groupEntriesAs(window, "loose")).toEqual(noGroups(window.length));
});

test("a late result goes alone, and stands behind another call once nothing is between", () => {
  const left = (text: string, maxMessages: number) => {
    const policy = policyOf([{ select: dropTo({ maxMessages }) }]);
    return seqsOf(trimOn(windowOf(text), { ...policy, toolPairing: "adjacent" }, "append").kept);
  };
  expect(left("U A(x) U T(x) A", 3)).toEqual([3, 4, 5]);
  expect(left("U A(x) T(x) T(x) U", 3)).toEqual([5]);
  const without = {
    select: { kind: "filter", conditions: ["message.role != 'user'"], scope: "message" },
  } as const;
  const policy = policyOf([without, { select: dropTo({ maxMessages: 2 }) }]);
  const { kept } = trimOn(
    windowOf("A(x) U T(q) A"),
    { ...policy, toolPairing: "adjacent" },
    "append",
  );
  expect(seqsOf(kept)).toEqual([4]);
});
