import { describe, expect, test } from "vitest";
import { windowOf } from "../../../test/support/window/text.ts";
import type { WindowUnit } from "../policy/policy.ts";
import { groupEntries } from "./groups.ts";
import { splitUnits } from "./units.ts";

/** The unit of each entry; a `-` in the mask sets its entry aside. */
function unitsOf(text: string, unit: WindowUnit, mask = ""): number[] {
  const window = windowOf(text);
  const aside = Uint8Array.from(window, (_, index) => (mask[index] === "-" ? 1 : 0));
  const { unitOf, count } = splitUnits(window, unit, groupEntries(window).callOf, aside);
  expect(count).toBe(Math.max(-1, ...unitOf) + 1);
  return [...unitOf];
}

describe("messages", () => {
  test.each([
    ["U A S U", [0, 1, 2, 3]],
    ["U A(x,y) T(x) T(y) A", [0, 1, 1, 1, 2]],
    ["A(x) U T(x) A", [0, 1, 0, 2]],
    ["A(x) A(y) U R(x,y)", [0, 0, 1, 0]],
    ["", []],
  ])("%j", (text, expected) => {
    expect(unitsOf(text, "message")).toEqual(expected);
  });
});

describe("assistant turns", () => {
  test.each([
    ["S U A T(q) S A U S S A", [0, 1, 2, 2, 2, 3, 4, 5, 6, 7]],
    ["U A(x) T(x) A(y) T(y) A", [0, 1, 1, 2, 2, 3]],
    ["A(x) U A T(x) A", [0, 1, 0, 0, 2]],
    ["U A(x) R(x) S A", [0, 1, 1, 1, 2]],
  ])("%j", (text, expected) => {
    expect(unitsOf(text, "assistant-turn")).toEqual(expected);
  });
});

describe("turns", () => {
  test.each([
    ["S A U A U U A", [0, 0, 1, 1, 2, 3, 3]],
    ["U A(x) U T(x) U A", [0, 0, 0, 0, 1, 1]],
    ["U A(x) U A(y) U T(x) T(y) U", [0, 0, 0, 0, 0, 0, 0, 1]],
    ["U A(x) U A U T(x) U", [0, 0, 1, 1, 0, 0, 2]],
    ["U A(x) U A(y) U T(x) U T(y)", [0, 0, 1, 1, 0, 0, 1, 1]],
    ["U A(x) R(x) A U", [0, 0, 0, 0, 1]],
    ["U A(x) U(x) A", [0, 0, 0, 0]],
  ])("%j", (text, expected) => {
    expect(unitsOf(text, "turn")).toEqual(expected);
  });
});

test("what is set aside is in no unit and begins none", () => {
  expect(unitsOf("S U A U A", "turn", "--xxx")).toEqual([-1, -1, 0, 1, 1]);
  expect(unitsOf("A S A S", "assistant-turn", "-xx-")).toEqual([-1, 0, 1, -1]);
  expect(unitsOf("A(x) U T(x)", "message", "-x-")).toEqual([-1, 0, -1]);
});

test("joins a long chain of units without going deep", () => {
  const links = Array.from(
    { length: 2_000 },
    (_, i) => `U A(c${i}) ${i > 0 ? `T(c${i - 1})` : "S"}`,
  );
  expect(new Set(unitsOf(links.join(" "), "turn"))).toEqual(new Set([0]));
});
