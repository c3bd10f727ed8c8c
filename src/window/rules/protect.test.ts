import { describe, expect, test } from "vitest";
import { policyOf, windowOf } from "../../../test/support/window/text.ts";
import type { Policy, Protections, ToolPairing } from "../policy/policy.ts";
import { groupEntries } from "./groups.ts";
import { guardEntries, HOLD, holdReasons, setAside, UNSEEN } from "./protect.ts";

const some = (given: Partial<Protections>, toolPairing: ToolPairing = "whole"): Policy => ({
  ...policyOf([], given),
  toolPairing,
});
const { system: S, pinFirst: F, pinId: I, minMessages: M, lastUser: L, waitingCall: W } = HOLD;

test("holdReasons names bits in their order", () => {
  expect(holdReasons(0)).toEqual([]);
  expect(holdReasons(HOLD.free | L | S)).toEqual(["system", "last-user", "free"]);
  expect(holdReasons(UNSEEN)).toEqual([]);
  expect(holdReasons(W | M | I | F)).toEqual([
    "pin-first",
    "pin-id",
    "min-messages",
    "waiting-call",
  ]);
});

describe("setAside", () => {
  const aside = (text: string, given: Partial<Protections>): number[] => {
    const window = windowOf(text);
    return [...setAside(window, groupEntries(window).callOf, some(given))];
  };

  test("sets system messages aside as the protection says", () => {
    expect(aside("S S U S", { system: "none" })).toEqual([0, 0, 0, 0]);
    expect(aside("S S U S", { system: "all" })).toEqual([S, S, 0, S]);
    expect(aside("S S U S", { system: "leading" })).toEqual([S, S, 0, 0]);
    expect(aside("S S", { system: "leading" })).toEqual([S, S]);
    expect(aside("S U S", { system: "excluded" })).toEqual([UNSEEN, 0, UNSEEN]);
  });

  test("pins the oldest that are not system messages", () => {
    expect(aside("S U S A U", { pinFirst: 2 })).toEqual([0, F, 0, F, 0]);
    expect(aside("U A", { pinFirst: 9 })).toEqual([F, F]);
    expect(aside("U A", { pinFirst: 0 })).toEqual([0, 0]);
  });

  test("pins by id, system messages too unless they are not seen", () => {
    expect(aside("S U A", { pinIds: ["m1", "m3", "no such"] })).toEqual([I, 0, I]);
    expect(aside("S U", { pinIds: ["m1"], system: "all" })).toEqual([S | I, 0]);
    expect(aside("S U", { pinIds: ["m1"], system: "excluded" })).toEqual([UNSEEN, 0]);
    expect(aside("U A", { pinIds: ["m1"], pinFirst: 1 })).toEqual([F | I, 0]);
  });

  test("pins whole groups, whichever message is pinned", () => {
    expect(aside("U A(x,y) T(x) U T(y) A", { pinFirst: 2 })).toEqual([F, F, F, 0, F, 0]);
    expect(aside("A(x) T(x) A(y) T(y)", { pinFirst: 3 })).toEqual([F, F, F, F]);
    expect(aside("U A(x,y) T(x) U T(y) A", { pinIds: ["m5"] })).toEqual([0, I, I, 0, I, 0]);
    expect(aside("A(x) A(y) R(x,y)", { pinIds: ["m2"] })).toEqual([I, I, I]);
  });
});

describe("guardEntries", () => {
  const guards = (text: string, policy: Policy): number[] => {
    const window = windowOf(text);
    return [...guardEntries(window, groupEntries(window), policy)];
  };

  test("takes the newest messages whatever their role", () => {
    expect(guards("U A S", some({ minMessages: 2 }))).toEqual([0, M, M]);
    expect(guards("U A", some({ minMessages: 9 }))).toEqual([M, M]);
    expect(guards("U A", some({}))).toEqual([0, 0]);
    expect(guards("U A S", some({ minMessages: 1, system: "excluded" }))).toEqual([0, M, 0]);
  });

  test("takes the last user message that says something", () => {
    expect(guards("U A U A S", some({ lastUser: true }))).toEqual([0, 0, L, 0, 0]);
    expect(guards("U A(x) R(x)", some({ lastUser: true }))).toEqual([L, 0, 0]);
    expect(guards("A S", some({ lastUser: true }))).toEqual([0, 0]);
  });

  test("takes calls that wait while pairs are whole", () => {
    expect(guards("A(w) U A(x) T(x) A(y)", some({}))).toEqual([0, 0, 0, 0, W]);
    expect(guards("A(y)", some({}, "grouped"))).toEqual([0]);
    expect(guards("A(y)", some({ minMessages: 1 }, "loose"))).toEqual([M]);
  });
});
