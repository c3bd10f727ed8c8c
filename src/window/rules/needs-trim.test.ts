import { describe, expect, test } from "vitest";
import { dropTo, NO_SIGNALS, policyOf } from "../../../test/support/window/text.ts";
import { CEILING, type PolicyStage, type Selection, type Trigger } from "../policy/policy.ts";
import { needsTrim } from "./needs-trim.ts";
import type { Signals } from "./types.ts";

const size = (messageCount: number, tokenCount = 0, byteCount = 0) => ({
  messageCount,
  tokenCount,
  byteCount,
});

const needs = (
  stages: readonly Partial<PolicyStage>[],
  totals = size(1),
  signals: Partial<Signals> = {},
): boolean => needsTrim(policyOf(stages), totals, { ...NO_SIGNALS, ...signals });

test("the ceiling alone is enough", () => {
  expect(needs([], size(CEILING.messages, 0, CEILING.bytes))).toBe(false);
  expect(needs([], size(CEILING.messages + 1))).toBe(true);
  expect(needs([], size(1, 0, CEILING.bytes + 1))).toBe(true);
});

describe("a stage without triggers", () => {
  const middle = { kind: "pin-middle-recent", pinFirst: 1, keepRecent: 2, minRemoved: 2 } as const;
  const pack = { kind: "pack-newest", maxTokens: 100, headroom: 0.1, skipUnfit: false } as const;
  const cases: readonly [Selection, no: ReturnType<typeof size>, yes: ReturnType<typeof size>][] = [
    [dropTo({ maxMessages: 3, maxTokens: 30 }), size(3, 30), size(3, 31)],
    [dropTo({ maxAgeMs: 1 }), size(1), size(2)],
    [{ kind: "keep-last", unitCount: 2 }, size(2), size(3)],
    [pack, size(9, 90), size(9, 90.25)],
    [middle, size(4), size(5)],
    [{ kind: "filter", conditions: ["false"], scope: "unit" }, size(0), size(1)],
    [{ kind: "drop-duplicates", similarity: 0.9, lookahead: 50 }, size(1), size(2)],
    [{ kind: "boundary-only" }, size(1), size(2)],
  ];

  test.each(cases)("%j", (select, no, yes) => {
    expect(needs([{ select }], no)).toBe(false);
    expect(needs([{ select }], yes)).toBe(true);
    expect(needs([{ select, on: "read" }], yes)).toBe(false);
    expect(needs([{ select, on: "turn-end" }], yes)).toBe(false);
  });

  test("may only have a boundary to apply", () => {
    const boundary = { rule: "pop-tool-head", always: true } as const;
    const select = dropTo({ maxMessages: 9 });
    expect(needs([{ select, boundary }], size(2))).toBe(true);
    expect(needs([{ select, boundary }], size(1))).toBe(false);
    expect(needs([{ select, boundary: { ...boundary, always: false } }], size(2))).toBe(false);
  });

  test("that shortens changes nothing", () => {
    const select = { kind: "shorten", maxTokens: 16, allRoles: true, keepNewest: 0 } as const;
    expect(needs([{ select, effect: "view" }], size(99, 9_999))).toBe(false);
  });
});

describe("a stage with triggers", () => {
  const on = (trigger: Trigger, totals = size(4, 40), signals: Partial<Signals> = {}): boolean =>
    needs([{ anyOf: [trigger], select: { kind: "keep-last", unitCount: 99 } }], totals, signals);

  test("needs one that may hold", () => {
    expect(on({ kind: "message-count-over", limit: 4 })).toBe(false);
    expect(on({ kind: "message-count-over", limit: 3 })).toBe(true);
    expect(on({ kind: "token-count-over", limit: 40 })).toBe(false);
    expect(on({ kind: "token-count-over", limit: 39 })).toBe(true);
    expect(on({ kind: "turn-count-over", limit: 4 })).toBe(false);
    expect(on({ kind: "turn-tokens-over", limit: 39 })).toBe(true);
    expect(on({ kind: "age-over", ms: 1 }, size(0))).toBe(false);
    expect(on({ kind: "age-over", ms: 1 })).toBe(true);
    expect(on({ kind: "always" })).toBe(true);
  });

  test("asks the signals", () => {
    const input = { kind: "model-input-tokens-over", limit: 9 } as const;
    expect(on(input, size(4), { modelInputTokens: 9 })).toBe(false);
    expect(on(input, size(4), { modelInputTokens: 10 })).toBe(true);
    const news = { kind: "new-messages-at-least", limit: 3 } as const;
    const actedSeqs = new Map([["s0", 5]]);
    expect(on(news, size(4), { lastSeq: 7, actedSeqs })).toBe(false);
    expect(on(news, size(4), { lastSeq: 8, actedSeqs })).toBe(true);
    const tokens = { kind: "new-tokens-at-least", limit: 30 } as const;
    expect(on(tokens, size(4, 40), { lastSeq: 5, actedSeqs })).toBe(false);
    expect(on(tokens, size(4, 40), { lastSeq: 6, actedSeqs })).toBe(true);
    expect(on(tokens, size(4, 29), { lastSeq: 6, actedSeqs })).toBe(false);
    const failed = { kind: "tool-error", names: ["pay"] } as const;
    expect(on(failed, size(4), { outcomes: [{ tool: "pay", error: false }] })).toBe(false);
    expect(on(failed, size(4), { outcomes: [{ tool: "pay", error: true }] })).toBe(true);
  });

  test("that shortens needs a look only for conditions that may fail", () => {
    const stage = {
      anyOf: [{ kind: "always" }],
      select: { kind: "shorten", maxTokens: 16, allRoles: true, keepNewest: 0 },
      effect: "view",
    } as const;
    expect(needs([stage], size(9))).toBe(false);
    expect(needs([{ ...stage, countIf: ["true"] }], size(9))).toBe(true);
  });
});
