import { describe, expect, test } from "vitest";
import { policyOf, seqsOf, trimOn, windowOf } from "../../../test/support/window/text.ts";
import type { BoundaryRule, Protections, ToolPairing } from "../policy/policy.ts";

interface Options {
  readonly rule?: BoundaryRule;
  readonly minRemoved?: number;
  readonly toolPairing?: ToolPairing;
  readonly protections?: Partial<Protections>;
}

/** The entries that a pin-middle-recent stage leaves. */
function left(text: string, pinFirst: number, keepRecent: number, options: Options = {}): number[] {
  const { rule, minRemoved = 1, toolPairing = "loose", protections } = options;
  const stage = {
    select: { kind: "pin-middle-recent", pinFirst, keepRecent, minRemoved } as const,
    boundary: rule && { rule, always: false },
  };
  const policy = { ...policyOf([stage], protections), toolPairing };
  return seqsOf(trimOn(windowOf(text), policy, "append").kept);
}

test("removes what lies between the first and the newest", () => {
  expect(left("U A U A U A", 1, 2)).toEqual([1, 5, 6]);
  expect(left("U A U A", 0, 2)).toEqual([3, 4]);
  expect(left("U A U A", 2, 2)).toEqual([1, 2, 3, 4]);
  expect(left("U A", 0, 5)).toEqual([1, 2]);
});

test("does nothing for fewer than are worth it", () => {
  expect(left("U A U A", 1, 2, { minRemoved: 2 })).toEqual([1, 2, 3, 4]);
  expect(left("U A U A U", 1, 2, { minRemoved: 2 })).toEqual([1, 4, 5]);
});

describe("absorb-and-grow", () => {
  const rule = "absorb-and-grow";

  test("results at the start of the middle join the pinned part", () => {
    expect(left("U A(c) T(c) U A U A", 2, 2, { rule })).toEqual([1, 2, 3, 6, 7]);
  });

  test("the last of the middle join a recent part that begins with a result", () => {
    expect(left("U A U A(c) T(c) U", 1, 2, { rule })).toEqual([1, 4, 5, 6]);
    expect(left("U U A(a,b) T(a) T(b) U", 1, 2, { rule })).toEqual([1, 3, 4, 5, 6]);
  });

  test("a middle that is used up leaves everything", () => {
    expect(left("U A(c) T(c) U A", 2, 2, { rule })).toEqual([1, 2, 3, 4, 5]);
  });

  test("stops at anything that is no result, so a pair can be split", () => {
    expect(left("U A(a,b) T(a) U T(b) A", 1, 2, { rule })).toEqual([1, 4, 5, 6]);
  });
});

test("grow-recent lets only the recent part grow", () => {
  const rule = "grow-recent";
  expect(left("U A(c) T(c) U A(d) T(d) U", 2, 2, { rule })).toEqual([1, 2, 5, 6, 7]);
});

test("groups that reach over a cut are kept, unless pairs are loose", () => {
  const window = "U A(c) T(c) U A(d) T(d) U";
  expect(left(window, 2, 2)).toEqual([1, 2, 6, 7]);
  expect(left(window, 2, 2, { toolPairing: "grouped" })).toEqual([1, 2, 3, 5, 6, 7]);
  expect(left(window, 2, 2, { toolPairing: "whole" })).toEqual([1, 2, 3, 5, 6, 7]);
});

test("protections hold in the middle, and what is set aside does not count", () => {
  expect(left("A U A A A", 1, 1, { protections: { lastUser: true } })).toEqual([1, 2, 5]);
  expect(left("S U A S U A", 1, 1, { protections: { system: "all" } })).toEqual([1, 2, 4, 6]);
  expect(left("S U A S U A", 1, 1)).toEqual([1, 6]);
  expect(left("S U A A", 1, 2, { protections: { system: "excluded" } })).toEqual([1, 2, 3, 4]);
});
