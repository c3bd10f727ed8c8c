import { describe, expect, test } from "vitest";
import { dropTo, policyOf, seqsOf, trimOn, windowOf } from "../../../test/support/window/text.ts";
import type { PolicyStage, Protections } from "../policy/policy.ts";
import { lookAt } from "./look.ts";
import { oldestUnits } from "./select.ts";
import { totalsOf } from "./trim.ts";

type Outcome = readonly [kept: readonly number[], reason: string | undefined];

function drop(
  text: string,
  stage: Partial<PolicyStage>,
  protections: Partial<Protections> = {},
): Outcome {
  const outcome = trimOn(windowOf(text), policyOf([stage], protections), "append");
  return [seqsOf(outcome.kept), outcome.trims[0]?.reason];
}

describe("oldestUnits", () => {
  const window = windowOf("U A(x) T(x) A U A");
  const totals = totalsOf(window);

  test("stops as soon as the limit holds", () => {
    const { layout } = lookAt(window, policyOf([], { minMessages: 1 }), totals);
    const marks = oldestUnits(layout("message"), totals, (left) => left.messageCount <= 4);
    expect([...marks]).toEqual([1, 1, 0, 0, 0]);
  });

  test("passes over protected units and gives up at the end", () => {
    const { layout } = lookAt(window, policyOf([], { lastUser: true }), totals);
    const marks = oldestUnits(layout("message"), totals, (left) => left.tokenCount <= 0);
    expect([...marks]).toEqual([1, 1, 1, 0, 1]);
  });
});

describe("the reason is the first limit passed when it began", () => {
  test.each([
    [{ maxMessages: 2, maxTokens: 5, maxAgeMs: 1 }, "message-limit"],
    [{ maxMessages: 9, maxTokens: 20, maxAgeMs: 1_000 }, "token-limit"],
    [{ maxMessages: 9, maxTokens: 90, maxAgeMs: 1_000 }, "age-limit"],
    [{ maxMessages: 4, maxTokens: 40 }, undefined],
  ])("%j: %s", (limits, reason) => {
    expect(drop("U A U A", { select: dropTo(limits) })[1]).toBe(reason);
  });
});

describe("an age limit", () => {
  const select = dropTo({ maxAgeMs: 10_000 });

  test("removes units whose newest message is older, equal is not", () => {
    const window = "U@1 A@2 U@10 A@20 U@30 A@30";
    expect(drop(window, { select, unit: "turn" })).toEqual([[3, 4, 5, 6], "age-limit"]);
    expect(drop(window, { select })).toEqual([[4, 5, 6], "age-limit"]);
  });

  test("passes over what is young enough", () => {
    expect(drop("A(x)@1 U@2 T(x)@25 U@30", { select })[0]).toEqual([1, 3, 4]);
  });

  test("stops at what is protected, old or not, when it is to stop", () => {
    const stopping = dropTo({ maxAgeMs: 10_000 }, { stopAtProtected: true });
    const pinned = { lastUser: true };
    const window = "A@1 U@25 A@2 A@30";
    expect(drop(window, { select }, pinned)[0]).toEqual([2, 4]);
    expect(drop(window, { select: stopping }, pinned)[0]).toEqual([2, 3, 4]);
    expect(drop(window, { select: stopping })[0]).toEqual([2, 4]);
  });

  test("is over while something old is protected", () => {
    const policy = policyOf([{ select }], { lastUser: true });
    const { runs, overLimit } = trimOn(windowOf("S@1 U@2 A@50"), policy, "append");
    expect(overLimit).toBe(true);
    expect(runs[0]?.heldBy).toEqual(["last-user"]);
  });
});

describe("stops", () => {
  test("goes on behind what is protected, unless it is to stop there", () => {
    const protections = { lastUser: true };
    expect(drop("U A A A", { select: dropTo({ maxMessages: 2 }) }, protections)[0]).toEqual([1, 4]);
    const select = dropTo({ maxMessages: 2 }, { stopAtProtected: true });
    expect(drop("A U A A", { select }, protections)[0]).toEqual([2, 3, 4]);
  });

  test("removes nothing without a user message, when that is to stay and it is to stop", () => {
    const select = dropTo({ maxMessages: 2 }, { stopAtProtected: true });
    const protections = { lastUser: true };
    expect(drop("A A A A", { select }, protections)[0]).toEqual([1, 2, 3, 4]);
    expect(drop("A A A A", { select })[0]).toEqual([3, 4]);
    const going = dropTo({ maxMessages: 2 });
    expect(drop("A A A A", { select: going }, protections)[0]).toEqual([3, 4]);
    const { runs } = trimOn(windowOf("A A A A"), policyOf([{ select }], protections), "append");
    expect(runs[0]).toMatchObject({ overLimit: true, heldBy: ["last-user"] });
  });

  test("stops at a unit without cost only when told", () => {
    expect(drop("A:0 U:60 U:10", { select: dropTo({ maxTokens: 10 }) })[0]).toEqual([3]);
    const select = dropTo({ maxTokens: 10 }, { stopAtFree: true });
    expect(drop("A:0 U:60 U:10", { select })[0]).toEqual([1, 2, 3]);
    expect(drop("U:60 A:0 U:20", { select })[0]).toEqual([2, 3]);
  });
});

test("counts fractions of a token exactly", () => {
  const select = dropTo({ maxTokens: 10 });
  expect(drop("U:0.25 U:5 A:5", { select })[0]).toEqual([2, 3]);
  expect(drop("U:0.25 U:4.75 A:5", { select })[0]).toEqual([1, 2, 3]);
});

test("does not see system messages that are excluded", () => {
  const select = dropTo({ maxMessages: 2, maxTokens: 20 });
  expect(drop("S:500 U A S:500", { select }, { system: "excluded" })[0]).toEqual([1, 2, 3, 4]);
  expect(drop("S:500 U A A S", { select }, { system: "excluded" })[0]).toEqual([1, 3, 4, 5]);
  expect(drop("S U A A", { select }, { system: "all" })[0]).toEqual([1, 4]);
});
