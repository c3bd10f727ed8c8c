import { describe, expect, test } from "vitest";
import { dropTo, policyOf, seqsOf, trimOn, windowOf } from "../../../test/support/window/text.ts";
import { CEILING, DEFAULT_POLICY } from "../policy/policy.ts";
import { totalsOf } from "./trim.ts";

const drop = (maxMessages?: number, maxTokens?: number) =>
  dropTo({
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  });

test("gives the same array back when nothing is removed", () => {
  const window = windowOf("S U A(x) T(x) A");
  const outcome = trimOn(window, DEFAULT_POLICY, "append");
  expect(outcome.kept).toBe(window);
  expect(outcome).toEqual({
    kept: window,
    stored: window,
    trims: [],
    storedTrims: [],
    runs: [],
    warnings: [],
    shortened: [],
    totals: totalsOf(window),
    overLimit: false,
  });
});

test("tells what it removed, why, and how much there was before and after", () => {
  const window = windowOf("U:1 A:2 U:3 A:4");
  const outcome = trimOn(window, policyOf([{ select: drop(2), name: "short" }]), "append");
  expect(seqsOf(outcome.kept)).toEqual([3, 4]);
  expect(outcome.trims).toEqual([
    {
      stage: "short",
      reason: "message-limit",
      removed: window.slice(0, 2),
      before: { messageCount: 4, tokenCount: 10 },
      after: { messageCount: 2, tokenCount: 7 },
      discarded: false,
    },
  ]);
});

describe("reasons of a stage that drops the oldest", () => {
  test.each([
    ["message-limit", drop(2, 1_000)],
    ["token-limit", drop(9, 20)],
    ["message-limit", drop(2, 20)],
    ["token-limit", drop(undefined, 20)],
  ])("%s", (reason, select) => {
    const outcome = trimOn(windowOf("U A U A"), policyOf([{ select }]), "append");
    expect(outcome.trims.map((trim) => trim.reason)).toEqual([reason]);
    expect(seqsOf(outcome.kept)).toEqual([3, 4]);
  });
});

test("removes orphans first, by no stage", () => {
  const outcome = trimOn(windowOf("T(q) U A(x) T(x) T(z) U T"), policyOf([]), "append");
  expect(seqsOf(outcome.kept)).toEqual([2, 3, 4, 6]);
  expect(outcome.trims.map(({ stage, reason }) => [stage, reason])).toEqual([
    ["", "orphan-tool-result"],
  ]);
});

test("does nothing before a trigger is passed, then goes below it", () => {
  const stage = {
    anyOf: [{ kind: "message-count-over" as const, limit: 4 }],
    select: drop(2),
  };
  expect(trimOn(windowOf("U A U A"), policyOf([stage]), "append").trims).toEqual([]);
  const outcome = trimOn(windowOf("U A U A U"), policyOf([stage]), "append");
  expect(seqsOf(outcome.kept)).toEqual([4, 5]);
});

test("keeps the newest units and protected ones", () => {
  const stage = {
    unit: "turn" as const,
    select: { kind: "keep-last", unitCount: 1 } as const,
  };
  const policy = policyOf([stage], { system: "all", pinFirst: 1 });
  const outcome = trimOn(windowOf("S U A U A S U A"), policy, "append");
  expect(seqsOf(outcome.kept)).toEqual([1, 2, 6, 7, 8]);
  expect(outcome.trims[0]?.reason).toBe("keep-last");
});

test("keeps a call that waits, until the conversation moves on", () => {
  const policy = policyOf([{ select: drop(1) }], { minMessages: 1 });
  expect(seqsOf(trimOn(windowOf("A(x,y) T(x) A(z)"), policy, "append").kept)).toEqual([1, 2, 3]);
  expect(seqsOf(trimOn(windowOf("A(x,y) T(x) A"), policy, "append").kept)).toEqual([3]);
});

test("runs the stages in order, each over what is left", () => {
  const policy = policyOf([
    { select: drop(3) },
    { select: drop(2), on: "read" },
    { select: drop(1) },
  ]);
  const window = windowOf("U A U A");
  const names = (stages: "append" | "read" | "all") =>
    trimOn(window, policy, stages).trims.map((trim) => trim.stage);
  expect(names("append")).toEqual(["s0", "s2"]);
  expect(names("read")).toEqual(["s1"]);
  expect(names("all")).toEqual(["s0", "s1", "s2"]);
});

describe("overLimit", () => {
  test("says that what is protected is larger than the limit", () => {
    const policy = policyOf([{ select: drop(undefined, 15) }], { minMessages: 2 });
    const outcome = trimOn(windowOf("U A U A"), policy, "append");
    expect(outcome.overLimit).toBe(true);
    expect(seqsOf(outcome.kept)).toEqual([3, 4]);
  });

  test("is false when a later stage reaches the limit", () => {
    const window = windowOf(`U ${"A ".repeat(300)}`);
    const outcome = trimOn(window, DEFAULT_POLICY, "append");
    expect(outcome.overLimit).toBe(false);
    expect(outcome.kept).toHaveLength(200);
    expect(outcome.kept[0]?.seq).toBe(1);
    expect(outcome.trims.map((trim) => trim.stage)).toEqual(["assistant_turns"]);
  });

  test("on read tells of stages on append too, though they do not run", () => {
    const policy = policyOf([{ select: drop(1) }], { minMessages: 2 });
    expect(trimOn(windowOf("U A"), policy, "read").overLimit).toBe(true);
    expect(trimOn(windowOf("U"), policy, "read").overLimit).toBe(false);
  });
});

describe("the ceiling", () => {
  const long = windowOf("U ".repeat(CEILING.messages + 3));

  test("holds without any stage", () => {
    const outcome = trimOn(long, policyOf([]), "append");
    expect(outcome.kept).toHaveLength(CEILING.messages);
    expect(outcome.trims[0]).toMatchObject({ stage: "", reason: "ceiling" });
    expect(outcome.ceilingPassed).toBeUndefined();
  });

  test("holds for stored windows only", () => {
    expect(trimOn(long, policyOf([]), "read").kept).toBe(long);
    expect(trimOn(long, policyOf([]), "all").kept).toBe(long);
  });

  test("names the limit that protected messages pass", () => {
    const pinned = policyOf([], { pinFirst: CEILING.messages + 1 });
    expect(trimOn(long, pinned, "append").ceilingPassed).toBe("messages");
    const big = windowOf("U U").map((entry) => ({ ...entry, byteCount: 2_000_000 }));
    const outcome = trimOn(big, policyOf([], { pinFirst: 2 }), "append");
    expect(outcome.ceilingPassed).toBe("bytes");
    expect(outcome.kept).toBe(big);
  });

  test("counts bytes", () => {
    const big = windowOf("U A U").map((entry) => ({ ...entry, byteCount: CEILING.bytes / 2 }));
    expect(seqsOf(trimOn(big, policyOf([]), "append").kept)).toEqual([2, 3]);
  });
});

test("what the caller knows changes nothing", () => {
  const window = windowOf("U A(x) T(x) U T(q)");
  const policy = policyOf([{ select: drop(3) }]);
  const known = { totals: totalsOf(window), pairedTo: 4 };
  expect(trimOn(window, policy, "append", known)).toEqual(trimOn(window, policy, "append"));
});

test("keeps the type of the entries", () => {
  const window = windowOf("U A").map((entry) => ({ ...entry, extra: entry.seq * 2 }));
  const { kept } = trimOn(window, policyOf([{ select: drop(1) }]), "append");
  expect(kept.map((entry) => entry.extra)).toEqual([4]);
});
