import { describe, expect, test } from "vitest";
import { windowOf } from "../../../test/support/window/text.ts";
import { groupEntries, hasOrphan, openCallIds, waitingCalls } from "./groups.ts";

const _ = -1;
const orphan = -2;

describe("groupEntries", () => {
  test.each([
    ["a call and its result", "U A(x) T(x) A", [_, 1, 1, _]],
    ["parallel calls in any order", "A(x,y) T(y) T(x)", [0, 0, 0]],
    ["interleaved calls", "A(x) A(y) T(x) U T(y)", [0, 1, 0, _, 1]],
    ["results long after", "A(x,y) T(x) U A T(y)", [0, 0, _, _, 0]],
    ["two results for one call", "A(x) T(x) T(x)", [0, 0, 0]],
    ["a repeated id: the nearest call before", "A(x) T(x) A(x) T(x)", [0, 0, 2, 2]],
    ["a repeated id, the older call unanswered", "A(x) A(x) T(x)", [0, 1, 1]],
    ["a result before its call", "T(x) A(x)", [orphan, 1]],
    ["a result nobody asked for", "U T(x) A", [_, orphan, _]],
    ["results without id", "A(x,y) T T", [0, 0, 0]],
    ["results without id among others", "A(x) A(y) T(x) T", [0, 1, 0, 1]],
    ["a result without id after another message", "A(x) U T", [0, _, orphan]],
    ["a result without id after an answer without calls", "A T", [_, orphan]],
    ["a result without id at the start", "T A(x)", [orphan, 1]],
    ["a result without id behind an orphan", "A(x) T(y) T", [0, orphan, 0]],
    ["an answer of the user before any call", "U(x) T(x)", [_, orphan]],
    ["a user message of results", "A(x,y) R(x,y) A", [0, 0, _]],
    ["a user message that says something as well", "A(x) U(x) A", [0, 0, _]],
    ["what is said beside a result nobody asked for", "U(q) R(q)", [_, orphan]],
    ["answers to several calls, which join", "A(x) A(y) R(x,y) T(y)", [0, 0, 0, 0]],
    ["joins across groups", "A(x) A(y) A(z) R(y,z) R(x,z)", [0, 0, 0, 0, 0]],
    ["two pairs of joined calls", "A(w) A(x) A(y) A(z) R(x,z) R(w,y)", [0, 1, 0, 1, 1, 0]],
    ["results of which one is known", "A(x) R(q,x)", [0, 0]],
    ["a result without id behind a user message of results", "A(x,y) R(x) T", [0, 0, 0]],
  ])("pairs %s", (_name, text, expected) => {
    expect([...groupEntries(windowOf(text)).callOf]).toEqual(expected);
  });

  test("counts calls without a result", () => {
    const { missing } = groupEntries(windowOf("A(x,y,z) T(y) T A(w) T T A(v)"));
    expect([...missing]).toEqual([1, 0, 0, 0, 0, 0, 1]);
    expect([...groupEntries(windowOf("A(x,y) A(z) R(x,z)")).missing]).toEqual([1, 0, 0]);
  });

  test("takes an id twice in one message as one call", () => {
    expect([...groupEntries(windowOf("A(x,x) T(x)")).missing]).toEqual([0, 0]);
  });
});

describe("hasOrphan", () => {
  test.each([
    ["", false],
    ["U A(x) T(x) T", false],
    ["T(x)", true],
    ["T", true],
    ["A(x) U T", true],
    ["A(x) T(x) T(y)", true],
    ["T(x) A(x)", true],
    ["A(x) A(x) T(x)", false],
    ["A(x) R(x,q)", false],
    ["A(x) R(p,q)", true],
    ["U(q)", false],
    ["A(x) R(x) T", false],
  ])("of %j is %s", (text, expected) => {
    expect(hasOrphan(windowOf(text), 0)).toBe(expected);
  });

  test("takes what comes before the index for paired, and looks back for the rest", () => {
    expect(hasOrphan(windowOf("T(q) A(x) U T(x)"), 3)).toBe(false);
    expect(hasOrphan(windowOf("A(x) T(q) T"), 2)).toBe(false);
    expect(hasOrphan(windowOf("A(x) U T(y)"), 2)).toBe(true);
    expect(hasOrphan(windowOf("T(q) U"), 2)).toBe(false);
  });

  test("looks back no further than it must", () => {
    const window = windowOf("A(x) T(x) A(y) T(y)");
    const watched = new Proxy(window, {
      get(target, key) {
        if (key === "0" || key === "1") throw new Error("looked too far back");
        return Reflect.get(target, key);
      },
    });
    expect(hasOrphan(watched, 3)).toBe(false);
  });
});

test("many results of many calls take no time to speak of", () => {
  const name = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}${index}`).join(",");
  const calls = Array.from({ length: 2_000 }, (_, index) => `A(${name(`c${index}x`, 100)})`);
  const results = Array.from({ length: 500 }, (_, index) => `R(${name(`x${index}x`, 100)})`);
  expect(hasOrphan(windowOf([...calls, ...results].join(" ")), calls.length)).toBe(true);
});

describe("openCallIds", () => {
  test.each([
    ["U A", []],
    ["A(x,y) T(x)", ["y"]],
    ["A(x,y) T(y) T", []],
    ["A(x,y,z) T(y) T", ["z"]],
    ["A(x) T T", []],
    ["A(x) U A A(y)", ["x", "y"]],
    ["A(x) A(x) T(x)", ["x"]],
    ["A(x) A(x)", ["x"]],
    ["T(x) A(x)", ["x"]],
    ["A(x,y) A(z) R(x,z)", ["y"]],
    ["A(x,y) U(x)", ["y"]],
  ])("of %j are %j", (text, expected) => {
    expect(openCallIds(windowOf(text))).toEqual(expected);
  });
});

describe("waitingCalls", () => {
  test.each([
    ["A(x)", [0]],
    ["A(x) T(x)", []],
    ["A(x) U", []],
    ["A(x) A", []],
    ["A(x) S A(y) T(y)", [0]],
    ["A(x,y) T(x) A(z)", [0, 2]],
    ["A(w) U A(x)", [2]],
    ["A(x,y) R(x)", [0]],
    ["A(x,y) U(x)", []],
    ["", []],
  ])("of %j are %j", (text, expected) => {
    const window = windowOf(text);
    expect(waitingCalls(window, groupEntries(window))).toEqual(expected);
  });
});
