import { describe, expect, test } from "vitest";
import { dropTo, policyOf, seqsOf, trimOn, windowOf } from "../../../test/support/window/text.ts";
import type { BoundaryRule, PolicyStage, Protections, ToolPairing } from "../policy/policy.ts";

interface Options {
  readonly always?: boolean;
  readonly toolPairing?: ToolPairing;
  readonly select?: PolicyStage["select"];
  readonly protections?: Partial<Protections>;
}

function trim(text: string, rule: BoundaryRule, options: Options = {}) {
  const { always = true, toolPairing = "loose", protections } = options;
  const { select = { kind: "boundary-only" } } = options;
  const stage = { select, boundary: { rule, always } };
  return trimOn(windowOf(text), { ...policyOf([stage], protections), toolPairing }, "append");
}

const left = (text: string, rule: BoundaryRule, options: Options = {}): number[] =>
  seqsOf(trim(text, rule, options).kept);

describe("pop-tool-head", () => {
  const rule = "pop-tool-head";

  test("removes results and calls from the head, but never the last message", () => {
    expect(left("T(q) A(c) T(c) U", rule)).toEqual([4]);
    expect(left("A(c) T(c)", rule)).toEqual([2]);
    expect(left("R(q) U", rule)).toEqual([2]);
    expect(left("T(q)", rule)).toEqual([1]);
  });

  test("stops at any other message", () => {
    expect(left("A A(c) T(c)", rule)).toEqual([1, 2, 3]);
    expect(left("S A(c) T(c)", rule)).toEqual([1, 2, 3]);
    expect(left("U(q) A", rule)).toEqual([1, 2]);
  });

  test("stops at what is set aside, passes over what it does not see", () => {
    expect(left("S A(c) T(c) U", rule, { protections: { system: "all" } })).toEqual([1, 2, 3, 4]);
    const excluded = { protections: { system: "excluded" } } as const;
    expect(left("S A(c) T(c) U", rule, excluded)).toEqual([1, 4]);
    expect(left("A(c) T(c) U", rule, { protections: { pinFirst: 1 } })).toEqual([1, 2, 3]);
  });

  test("stops at protected messages", () => {
    expect(left("A(c) T(c) U", rule, { protections: { minMessages: 2 } })).toEqual([2, 3]);
  });

  test("works on what the stage left", () => {
    const select = dropTo({ maxMessages: 3 });
    const outcome = trim("U A(c) T(c) A U A", rule, { select });
    expect(seqsOf(outcome.kept)).toEqual([4, 5, 6]);
    expect(outcome.trims.map((t) => [t.reason, seqsOf(t.removed)])).toEqual([
      ["message-limit", [1, 2, 3]],
    ]);
    const popped = trim("U A(c) T(c) A U A", rule, { select: dropTo({ maxMessages: 4 }) });
    expect(popped.trims.map((t) => [t.reason, seqsOf(t.removed)])).toEqual([
      ["message-limit", [1, 2]],
      ["boundary", [3]],
    ]);
    expect(popped.trims[1]?.before).toEqual(popped.trims[0]?.after);
    expect(popped.trims[1]?.after).toEqual({ messageCount: 3, tokenCount: 30 });
  });

  test("runs on a stage that removed nothing only when told", () => {
    const select = dropTo({ maxMessages: 9 });
    expect(left("T(q) U", rule, { select, always: false })).toEqual([1, 2]);
    expect(left("T(q) U", rule, { select })).toEqual([2]);
  });

  test("takes groups as a whole and leaves calls that wait", () => {
    expect(left("A(c) U T(c) U", rule, { toolPairing: "grouped" })).toEqual([2, 4]);
    expect(left("A(c) T(c)", rule, { toolPairing: "grouped" })).toEqual([1, 2]);
    expect(left("A(c,d) T(c)", rule, { toolPairing: "whole" })).toEqual([1, 2]);
    expect(left("A(c,d) T(c) U", rule, { toolPairing: "whole" })).toEqual([3]);
  });
});

describe("pop-orphan-head", () => {
  const rule = "pop-orphan-head";

  test("removes results at the head, and no calls", () => {
    expect(left("T(q) R(r) U", rule)).toEqual([3]);
    expect(left("A(c) T(c) U", rule)).toEqual([1, 2, 3]);
    expect(left("T(q)", rule)).toEqual([1]);
    expect(left("T(q) A(c) T(c)", rule, { toolPairing: "grouped" })).toEqual([2, 3]);
  });
});

describe("grow-recent", () => {
  const rule = "grow-recent";
  const keep = (unitCount: number) => ({ kind: "keep-last", unitCount }) as const;

  test("keeps one message more while what is kept begins with a result", () => {
    expect(left("U A(c,d) T(c) T(d) A", rule, { select: keep(2) })).toEqual([2, 3, 4, 5]);
    expect(left("U A(c) T(c) A", rule, { select: keep(1) })).toEqual([4]);
    expect(left("T(q) A", rule, { select: keep(2) })).toEqual([1, 2]);
  });

  test("looks behind what is set aside", () => {
    const options = { select: keep(1), protections: { system: "all" } } as const;
    expect(left("S U A(c) T(c)", rule, options)).toEqual([1, 3, 4]);
  });

  test("brings groups back as a whole", () => {
    const options = { select: keep(1), toolPairing: "grouped" } as const;
    expect(left("U A(c) T(c) T(q)", rule, options)).toEqual([2, 3, 4]);
  });
});
