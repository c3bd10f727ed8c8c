import { expect, test } from "vitest";
import { dropTo, policyOf, windowOf } from "../../../test/support/window/text.ts";
import { explainWindow } from "./explain.ts";

test("says what holds each message, by the units of the stages", () => {
  const window = windowOf("S U A U A(x)");
  const protections = { system: "all", lastUser: true, minMessages: 1, pinFirst: 1 } as const;
  const byMessage = policyOf([{ unit: "message" }], protections);
  expect(explainWindow(window, byMessage).map(({ heldBy }) => heldBy)).toEqual([
    ["system"],
    ["pin-first"],
    [],
    ["last-user"],
    ["min-messages", "waiting-call"],
  ]);
  const byTurn = policyOf([{ unit: "turn" }, { unit: "message" }], protections);
  const whole = ["min-messages", "last-user", "waiting-call"];
  expect(explainWindow(window, byTurn).map(({ heldBy }) => heldBy)).toEqual([
    ["system"],
    ["pin-first"],
    [],
    whole,
    whole,
  ]);
  const acting = byTurn.stages.slice(1);
  expect(explainWindow(window, byTurn, acting)[3]?.heldBy).toEqual(["last-user"]);
});

test("names the unit without cost at which a stage stops", () => {
  const policy = policyOf([{ select: dropTo({ maxTokens: 1 }, { stopAtFree: true }) }]);
  const held = explainWindow(windowOf("U A:0 A:0"), policy).map(({ heldBy }) => heldBy);
  expect(held).toEqual([[], ["free"], []]);
});

test("numbers turns from 1, system messages included", () => {
  const numbers = (text: string): number[] =>
    explainWindow(windowOf(text), policyOf([], { system: "excluded" })).map(({ turn }) => turn);
  expect(numbers("U A U A(x) T(x) A U A")).toEqual([1, 1, 2, 2, 2, 2, 3, 3]);
  expect(numbers("S A U A")).toEqual([1, 1, 2, 2]);
  expect(numbers("U A(x) R(x) A S U")).toEqual([1, 1, 1, 1, 1, 2]);
});
