import { describe, expect, test } from "vitest";
import { policyOf, seqsOf, trimOn, windowOf } from "../../../test/support/window/text.ts";
import type { Protections, Selection, WindowUnit } from "../policy/policy.ts";
import { lookAt } from "./look.ts";
import { chooseBeforeLast } from "./select.ts";
import { totalsOf } from "./trim.ts";

const pack = (maxTokens: number, more: { headroom?: number; skipUnfit?: boolean } = {}) =>
  ({ kind: "pack-newest", maxTokens, headroom: 0, skipUnfit: false, ...more }) as const;

function keep(
  text: string,
  select: Selection,
  more: { unit?: WindowUnit; protections?: Partial<Protections> } = {},
): number[] {
  const stage = { select, unit: more.unit ?? "message" };
  return seqsOf(trimOn(windowOf(text), policyOf([stage], more.protections), "append").kept);
}

test("chooseBeforeLast counts protected units among the newest", () => {
  const window = windowOf("U A(x) T(x) A U A");
  const layout = lookAt(window, policyOf([], { minMessages: 1 }), totalsOf(window));
  const marks = (count: number) => [...chooseBeforeLast(layout.layout("message"), count).drop];
  expect(marks(2)).toEqual([1, 1, 1, 0, 0]);
  expect(marks(0)).toEqual([1, 1, 1, 1, 0]);
  expect(marks(99)).toEqual([0, 0, 0, 0, 0]);
});

describe("pack-newest", () => {
  test("takes from the newest while it fits, and stops at the first that does not", () => {
    expect(keep("U:8 A:50 U:8 A:8", pack(30))).toEqual([3, 4]);
    expect(keep("U A U A", pack(40))).toEqual([1, 2, 3, 4]);
    expect(keep("U A U A", pack(0))).toEqual([]);
  });

  test("leaves headroom, rounded down from the exact product", () => {
    const window = `U:1 ${"A:1 ".repeat(120)}`;
    expect(keep(window, pack(100, { headroom: 0.1 }))).toHaveLength(90);
    expect(keep(window, pack(100, { headroom: 0.9 }))).toHaveLength(10);
    expect(keep(window, pack(99, { headroom: 0.5 }))).toHaveLength(49);
  });

  test("skips what does not fit when told", () => {
    expect(keep("U:8 A:50 U:8 A:8", pack(30, { skipUnfit: true }))).toEqual([1, 3, 4]);
  });

  test("always takes protected units, and counts them first", () => {
    const protections = { minMessages: 1 };
    expect(keep("U:10 A:103", pack(18), { protections })).toEqual([2]);
    const lastUser = { lastUser: true };
    expect(keep("A U:20 A:8 A:8 A:8", pack(40), { protections: lastUser })).toEqual([2, 4, 5]);
  });

  test("counts what is set aside, and not what is excluded", () => {
    const window = "S:30 U A U A";
    expect(keep(window, pack(50), { protections: { system: "all" } })).toEqual([1, 4, 5]);
    expect(keep(window, pack(50), { protections: { system: "excluded" } })).toEqual([
      1, 2, 3, 4, 5,
    ]);
  });

  test("takes units as a whole", () => {
    const window = "U A U A(x):5 T(x):40 A U A";
    expect(keep(window, pack(200), { unit: "turn" })).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(keep(window, pack(100), { unit: "turn" })).toEqual([3, 4, 5, 6, 7, 8]);
    expect(keep(window, pack(45), { unit: "turn" })).toEqual([7, 8]);
    expect(keep(window, pack(15), { unit: "turn" })).toEqual([]);
  });

  test("says what kept it over its budget", () => {
    const policy = policyOf([{ select: pack(20) }], { system: "all", minMessages: 1 });
    const { runs, overLimit } = trimOn(windowOf("S:30 U A"), policy, "append");
    expect(overLimit).toBe(true);
    expect(runs).toMatchObject([{ stage: "s0", heldBy: ["system", "min-messages"] }]);
  });
});
