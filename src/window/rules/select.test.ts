import { describe, expect, test } from "vitest";
import {
  policyOf,
  requestOf,
  seqsOf,
  trimOn,
  windowOf,
} from "../../../test/support/window/text.ts";
import type { Policy, PolicyStage, Protections, ToolPairing } from "../policy/policy.ts";
import { trimWindow } from "./trim.ts";
import type { TrimOutcome, WindowEntry } from "./types.ts";

interface Options {
  readonly unit?: PolicyStage["unit"];
  readonly scope?: "unit" | "message";
  readonly toolPairing?: ToolPairing;
  readonly protections?: Partial<Protections>;
}

function filterPolicy(conditions: readonly string[], options: Options = {}): Policy {
  const { scope = "unit", unit = "turn", toolPairing = "whole", protections } = options;
  const select = { kind: "filter", conditions, scope } as const;
  return { ...policyOf([{ select, unit, name: "fit" }], protections), toolPairing };
}

const filter = (text: string, conditions: readonly string[], options: Options = {}): TrimOutcome =>
  trimOn(windowOf(text), filterPolicy(conditions, options), "append");

const left = (text: string, conditions: readonly string[], options: Options = {}): number[] =>
  seqsOf(filter(text, conditions, options).kept);

describe("filter", () => {
  const noTools = ["message.role != 'tool'"];

  test("keeps units of which every message meets every condition", () => {
    expect(left("U A U A(x) T(x) A U A", noTools)).toEqual([1, 2, 7, 8]);
    expect(left("U A U A:90", ["message.tokens < 50", "message.role != 'tool'"])).toEqual([1, 2]);
    expect(filter("U A(x) T(x)", noTools).trims[0]?.reason).toBe("filter");
  });

  test("takes single messages out of units when told, groups as a whole", () => {
    const scope = "message";
    expect(left("U A U:90 A", ["message.tokens < 50"], { scope })).toEqual([1, 2, 4]);
    expect(left("U A(x) T(x) A", noTools, { scope })).toEqual([1, 4]);
    expect(left("U A(x) T(x) A", noTools, { scope, toolPairing: "loose" })).toEqual([1, 2, 4]);
  });

  test("keeps protected units and what is set aside", () => {
    const none = ["false"];
    expect(left("S U A U A", none, { protections: { system: "all" } })).toEqual([1]);
    expect(left("S U A U A", none, { protections: { lastUser: true } })).toEqual([4, 5]);
    const options = { scope: "message", protections: { pinIds: ["m2"], minMessages: 1 } } as const;
    expect(left("U A A A", none, { ...options, unit: "message" })).toEqual([2, 4]);
  });

  test("knows turns by number from the oldest, by tokens and by size", () => {
    expect(left("U A U A A U A", ["turn.index > 1"])).toEqual([3, 4, 5, 6, 7]);
    expect(left("U A U A A U A", ["turn.size == 3"])).toEqual([3, 4, 5]);
    expect(left("U:1 A:2 U A", ["turn.tokens <= 3"])).toEqual([1, 2]);
    expect(left("S U A", ["turn.index == 1"], { protections: { system: "all" } })).toEqual([
      1, 2, 3,
    ]);
  });

  test("knows the age of a message against the newest", () => {
    expect(left("U@10 A@70 U@80 A@100", ["message.age_seconds <= 40.0"])).toEqual([3, 4]);
  });

  test("knows what a message says and calls", () => {
    const window = windowOf("U A(x) T(x)");
    const detailOf = ({ seq }: WindowEntry) => ({
      content: `says ${seq}`,
      name: seq === 3 ? "search" : "",
      toolCalls: seq === 2 ? [{ id: "x", name: "search", arguments: "{}" }] : [],
    });
    const options = { unit: "message", toolPairing: "loose", scope: "message" } as const;
    const keep = (condition: string): number[] => {
      const request = requestOf(window, filterPolicy([condition], options), "append");
      return seqsOf(trimWindow({ ...request, detailOf }).kept);
    };
    expect(keep("message.content == 'says 2'")).toEqual([2]);
    expect(keep("message.name == 'search'")).toEqual([3]);
    expect(keep("message.tool_call_id == 'x'")).toEqual([3]);
    expect(keep("message.tool_calls.exists(call, call.name == 'search')")).toEqual([2]);
    expect(keep("message.role in ['user', 'tool']")).toEqual([1, 3]);
  });

  test("counts a condition that fails as false, and says on how many messages", () => {
    const fails = "message.tool_calls[0].name == 'search'";
    const outcome = filter("U A U", ["true", fails], { unit: "message" });
    expect(outcome.kept).toEqual([]);
    expect(outcome.warnings).toEqual([
      { stage: "fit", field: "filter.conditions[1]", messageId: "m1", messageCount: 3 },
    ]);
  });

  test("asks a condition only where those before it hold", () => {
    const fails = "message.tool_calls[0].name == 'search'";
    const outcome = filter("U A U", ["message.role == 'user'", fails], { unit: "message" });
    expect(outcome.warnings).toMatchObject([{ messageId: "m1", messageCount: 2 }]);
  });
});

describe("drop-duplicates", () => {
  const select = { kind: "drop-duplicates", similarity: 1, lookahead: 50 } as const;
  const drop = (text: string, protections: Partial<Protections> = {}): number[] => {
    const request = requestOf(windowOf(text), policyOf([{ select }], protections), "append");
    const detailOf = () => ({ content: "the very same words", name: "", toolCalls: [] });
    return seqsOf(trimWindow({ ...request, detailOf }).kept);
  };

  test("removes what a newer message of the same role repeats", () => {
    expect(drop("U A U A U")).toEqual([4, 5]);
  });

  test("leaves messages of tool calls, protected units and what is set aside", () => {
    expect(drop("U A(x) T(x) A(y) T(y) A A")).toEqual([1, 2, 3, 4, 5, 7]);
    expect(drop("S U S U", { system: "all" })).toEqual([1, 3, 4]);
    expect(drop("U U U", { pinFirst: 1 })).toEqual([1, 3]);
    expect(drop("U U U", { minMessages: 2 })).toEqual([2, 3]);
  });
});
