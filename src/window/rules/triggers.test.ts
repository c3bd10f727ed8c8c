import { describe, expect, test } from "vitest";
import { NO_SIGNALS, policyOf, requestOf, windowOf } from "../../../test/support/window/text.ts";
import type { Policy, PolicyStage, Protections, Trigger } from "../policy/policy.ts";
import { trimWindow } from "./trim.ts";
import type { Signals, TrimOutcome } from "./types.ts";

interface Options {
  readonly protections?: Partial<Protections>;
  readonly signals?: Partial<Signals>;
  readonly stage?: Partial<PolicyStage>;
  readonly policy?: Partial<Policy>;
}

/** The trigger hits of a stage that removes nothing; undefined when none holds. */
function look(text: string, anyOf: readonly Trigger[], options: Options = {}): TrimOutcome {
  const select = { kind: "keep-last", unitCount: 10_000 } as const;
  const policy = policyOf([{ select, anyOf, name: "when", ...options.stage }], options.protections);
  const request = requestOf(windowOf(text), { ...policy, ...options.policy }, "append");
  return trimWindow({ ...request, signals: { ...NO_SIGNALS, ...options.signals } });
}

const hits = (text: string, anyOf: readonly Trigger[], options: Options = {}) =>
  look(text, anyOf, options).runs[0]?.triggers.map(({ kind, tool }) =>
    tool === "" ? kind : `${kind}:${tool}`,
  );

const holds = (text: string, trigger: Trigger, options: Options = {}): boolean =>
  hits(text, [trigger], options)?.[0] === trigger.kind;

test("sizes are passed above the number", () => {
  expect(holds("U A", { kind: "message-count-over", limit: 2 })).toBe(false);
  expect(holds("U A U", { kind: "message-count-over", limit: 2 })).toBe(true);
  expect(holds("U A", { kind: "token-count-over", limit: 20 })).toBe(false);
  expect(holds("U A:10.25", { kind: "token-count-over", limit: 20 })).toBe(true);
});

test("a share of the context window is passed at the number, when the window is known", () => {
  const trigger = { kind: "context-share-at-least", share: 0.55 } as const;
  expect(holds("U:55", trigger, { policy: { contextWindow: 100 } })).toBe(true);
  expect(holds("U:54.75", trigger, { policy: { contextWindow: 100 } })).toBe(false);
  expect(holds("U:999", trigger)).toBe(false);
});

test("what the model's input took comes from the signals", () => {
  const trigger = { kind: "model-input-tokens-over", limit: 1_000 } as const;
  expect(holds("U", trigger, { signals: { modelInputTokens: 1_000 } })).toBe(false);
  expect(holds("U", trigger, { signals: { modelInputTokens: 1_001 } })).toBe(true);
});

test("turns are counted whatever the unit of the stage", () => {
  expect(holds("U A U A", { kind: "turn-count-over", limit: 2 })).toBe(false);
  expect(holds("U A U A U", { kind: "turn-count-over", limit: 2 })).toBe(true);
  expect(holds("U A R(q) U", { kind: "turn-count-over", limit: 2 })).toBe(false);
  expect(holds("U A U A", { kind: "turn-tokens-over", limit: 40 })).toBe(false);
  expect(holds("U A U A:11", { kind: "turn-tokens-over", limit: 40 })).toBe(true);
});

test("a placed summary by itself is no turn", () => {
  const window = windowOf("S:90 U A U A").map((entry, index) =>
    index === 0 ? { ...entry, seq: 0.5 } : entry,
  );
  const anyOf: Trigger[] = [
    { kind: "turn-count-over", limit: 2 },
    { kind: "turn-tokens-over", limit: 40 },
  ];
  const select = { kind: "keep-last", unitCount: 10_000 } as const;
  const policy = policyOf([{ select, anyOf, name: "when" }]);
  const kinds = (entries: typeof window) =>
    trimWindow(requestOf(entries, policy, "append")).runs[0]?.triggers.map(({ kind }) => kind) ??
    [];
  expect(kinds(window)).toEqual([]);
  // One that stands with messages before the first question is part of that turn.
  expect(kinds(windowOf("S:90 U A U A"))).toEqual(anyOf.map(({ kind }) => kind));
  const [summary, ...rest] = window;
  const answer = windowOf("A")[0];
  if (summary === undefined || answer === undefined) throw new Error("a window without messages");
  const later = rest.map((entry) => ({ ...entry, seq: entry.seq + 1 }));
  expect(kinds([summary, { ...answer, messageId: "first", seq: 1 }, ...later])).toHaveLength(2);
});

test("messages since the stage last acted are counted by seq, their tokens in the window", () => {
  const signals = { lastSeq: 4, actedSeqs: new Map([["when", 2]]) };
  expect(holds("U", { kind: "new-messages-at-least", limit: 2 }, { signals })).toBe(true);
  expect(holds("U", { kind: "new-messages-at-least", limit: 3 }, { signals })).toBe(false);
  expect(holds("U A U A", { kind: "new-tokens-at-least", limit: 20 }, { signals })).toBe(true);
  expect(holds("U A U A", { kind: "new-tokens-at-least", limit: 21 }, { signals })).toBe(false);
  expect(holds("U A", { kind: "new-tokens-at-least", limit: 1 }, { signals })).toBe(false);
  const never = { lastSeq: 2 };
  expect(holds("U A", { kind: "new-tokens-at-least", limit: 20 }, { signals: never })).toBe(true);
});

test("what came before a reset is not new", () => {
  const signals = { lastSeq: 4, resetSeq: 2 };
  expect(holds("U A U A", { kind: "new-messages-at-least", limit: 2 }, { signals })).toBe(true);
  expect(holds("U A U A", { kind: "new-messages-at-least", limit: 3 }, { signals })).toBe(false);
  expect(holds("U A U A", { kind: "new-tokens-at-least", limit: 21 }, { signals })).toBe(false);
  const acted = { ...signals, actedSeqs: new Map([["when", 3]]) };
  expect(holds("U", { kind: "new-messages-at-least", limit: 2 }, { signals: acted })).toBe(false);
});

test("with conditions only new messages count that are there and meet them", () => {
  const stage = { countIf: ["message.role == 'user'"] };
  const signals = { lastSeq: 9, actedSeqs: new Map([["when", 2]]) };
  const isNew = (limit: number) => ({ kind: "new-messages-at-least", limit }) as const;
  expect(holds("U A U A U", isNew(2), { signals, stage })).toBe(true);
  expect(holds("U A U A U", isNew(3), { signals, stage })).toBe(false);
  expect(holds("U A U A U", isNew(7), { signals })).toBe(true);
});

test("what stands in the window only is nothing new", () => {
  const window = windowOf("U A").map((entry) => ({ ...entry, seq: entry.seq + 0.5 }));
  const anyOf = [{ kind: "new-tokens-at-least", limit: 1 }] as const;
  const policy = policyOf([{ anyOf, select: { kind: "keep-last", unitCount: 9 } }]);
  const signals = { ...NO_SIGNALS, lastSeq: 9 };
  expect(trimWindow({ ...requestOf(window, policy, "append"), signals }).runs).toEqual([]);
});

test("the oldest message may be older than the newest by so much", () => {
  expect(holds("U@1 A@11", { kind: "age-over", ms: 10_000 })).toBe(false);
  expect(holds("U@1 A@12", { kind: "age-over", ms: 10_000 })).toBe(true);
  const excluded = { protections: { system: "excluded" } } as const;
  expect(holds("S@1 U@5 A@12", { kind: "age-over", ms: 10_000 }, excluded)).toBe(false);
});

test("one message left is old when a newer one left the window before", () => {
  const stages = [
    {
      name: "users",
      select: { kind: "filter", conditions: ["message.role == 'user'"], scope: "unit" },
    },
    { name: "old", anyOf: [{ kind: "age-over", ms: 10_000 }] },
  ] as const;
  const { runs } = trimWindow(requestOf(windowOf("U@1 A@12"), policyOf(stages), "append"));
  expect(runs.map(({ stage }) => stage)).toEqual(["users", "old"]);
});

test("every tool that ended so is told, in the order of the policy", () => {
  const outcomes = [
    { tool: "b", error: false },
    { tool: "a", error: false },
    { tool: "pay", error: true },
    { tool: "c", error: true },
  ];
  const anyOf: Trigger[] = [
    { kind: "tool-error", names: ["c", "x"] },
    { kind: "tool-success", names: ["a", "b", "pay"] },
  ];
  expect(hits("U", anyOf, { signals: { outcomes } })).toEqual([
    "tool-success:a",
    "tool-success:b",
    "tool-error:c",
  ]);
  expect(hits("U", anyOf)).toBeUndefined();
});

test("all triggers that hold are told once, in the order of their kinds", () => {
  const anyOf: Trigger[] = [
    { kind: "always" },
    { kind: "age-over", ms: 0.5 },
    { kind: "token-count-over", limit: 3 },
    { kind: "token-count-over", limit: 1 },
    { kind: "message-count-over", limit: 99 },
    { kind: "turn-count-over", limit: 0 },
    { kind: "model-input-tokens-over", limit: 0 },
  ];
  expect(hits("U A", anyOf, { signals: { modelInputTokens: 1 } })).toEqual([
    "model-input-tokens-over",
    "token-count-over",
    "turn-count-over",
    "age-over",
    "always",
  ]);
});

test("what the policy does not see counts for nothing", () => {
  const excluded = { protections: { system: "excluded" } } as const;
  expect(holds("S:99 U", { kind: "message-count-over", limit: 1 }, excluded)).toBe(false);
  expect(holds("S:99 U", { kind: "token-count-over", limit: 10 }, excluded)).toBe(false);
  expect(holds("S A U", { kind: "turn-count-over", limit: 2 }, excluded)).toBe(false);
  const all = { protections: { system: "all" } } as const;
  expect(holds("S:99 U", { kind: "token-count-over", limit: 10 }, all)).toBe(true);
});

describe("conditions on what counts", () => {
  const stage = { countIf: ["message.role != 'tool'"], unit: "turn" } as const;

  test("leave out whole turns", () => {
    const window = "U A U A U A(x) T(x)";
    const trigger = { kind: "turn-count-over", limit: 2 } as const;
    expect(holds(window, trigger)).toBe(true);
    expect(holds(window, trigger, { stage })).toBe(false);
    expect(holds(window, { kind: "turn-tokens-over", limit: 39 }, { stage })).toBe(true);
    expect(holds(window, { kind: "turn-tokens-over", limit: 40 }, { stage })).toBe(false);
  });

  test("count by the unit of the stage, and what is in no unit alone", () => {
    const window = "S U A(x) T(x) A";
    const system = { protections: { system: "all" } } as const;
    const over = (limit: number) => ({ kind: "message-count-over", limit }) as const;
    expect(holds(window, over(1), { stage, ...system })).toBe(false);
    expect(holds(window, over(0), { stage, ...system })).toBe(true);
    const byMessage = { ...stage, unit: "message" } as const;
    expect(holds(window, over(2), { stage: byMessage, ...system })).toBe(true);
    expect(holds(window, over(3), { stage: byMessage, ...system })).toBe(false);
  });

  test("that fail count as false and warn once, with the oldest message", () => {
    const fails = { ...stage, countIf: ["message.tool_calls[0].name == ''"] };
    const anyOf: Trigger[] = [
      { kind: "message-count-over", limit: 0 },
      { kind: "turn-count-over", limit: 0 },
    ];
    const { runs, warnings } = look("U A U", anyOf, { stage: fails });
    expect(runs).toEqual([]);
    expect(warnings).toEqual([
      { stage: "when", field: "count_if[0]", messageId: "m1", messageCount: 3 },
    ]);
  });

  test("are not asked when no trigger could hold whatever counts", () => {
    const fails = { ...stage, countIf: ["message.tool_calls[0].name == ''"] };
    const { warnings } = look("U A U", [{ kind: "message-count-over", limit: 3 }], {
      stage: fails,
    });
    expect(warnings).toEqual([]);
  });
});
