import { describe, expect, test } from "vitest";
import { policyOf, windowOf } from "../../../test/support/window-text.ts";
import type { Protections } from "../policy.ts";
import { groupEntries } from "./groups.ts";
import { protectingEntries, setAside } from "./protect.ts";

const some = (given: Partial<Protections>): Protections => policyOf([], given).protections;

describe("setAside", () => {
  const aside = (text: string, given: Partial<Protections>): number[] => {
    const window = windowOf(text);
    return [...setAside(window, groupEntries(window).callOf, some(given))];
  };

  test("sets system messages aside as the protection says", () => {
    expect(aside("S S U S", { system: "none" })).toEqual([0, 0, 0, 0]);
    expect(aside("S S U S", { system: "all" })).toEqual([1, 1, 0, 1]);
    expect(aside("S S U S", { system: "leading" })).toEqual([1, 1, 0, 0]);
    expect(aside("S S", { system: "leading" })).toEqual([1, 1]);
  });

  test("pins the oldest that are not system messages", () => {
    expect(aside("S U S A U", { pinFirst: 2 })).toEqual([0, 1, 0, 1, 0]);
    expect(aside("U A", { pinFirst: 9 })).toEqual([1, 1]);
    expect(aside("U A", { pinFirst: 0 })).toEqual([0, 0]);
  });

  test("pins results with their call", () => {
    expect(aside("U A(x,y) T(x) U T(y) A", { pinFirst: 2 })).toEqual([1, 1, 1, 0, 1, 0]);
    expect(aside("A(x) T(x) A(y) T(y)", { pinFirst: 3 })).toEqual([1, 1, 1, 1]);
  });
});

describe("protectingEntries", () => {
  const protecting = (text: string, given: Partial<Protections>): number[] => {
    const window = windowOf(text);
    return protectingEntries(window, groupEntries(window), some(given)).sort();
  };

  test("takes the newest messages whatever their role", () => {
    expect(protecting("U A S", { minMessages: 2 })).toEqual([1, 2]);
    expect(protecting("U A", { minMessages: 9 })).toEqual([0, 1]);
    expect(protecting("U A", {})).toEqual([]);
  });

  test("takes the last user message", () => {
    expect(protecting("U A U A S", { lastUser: true })).toEqual([2]);
    expect(protecting("A S", { lastUser: true })).toEqual([]);
  });

  test("takes calls that wait", () => {
    expect(protecting("A(w) U A(x) T(x) A(y)", {})).toEqual([4]);
  });
});
