import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../window/policy/summary-spec.ts";
import {
  budgetOf,
  expectedTokens,
  hourOf,
  nextHourMs,
  refunded,
  reserved,
  settled,
} from "./budget.ts";
import { NO_USAGE, type SummarizeWork, type TaskUsage } from "./task.ts";

const HOUR_MS = 3_600_000;
const seed = testSeed("task budgets");

function workOf(tokenCount: number, fields: Partial<SummarizeWork> = {}): SummarizeWork {
  return {
    spec: { ...DEFAULT_SUMMARY_SPEC, maxTokens: 100 },
    ranges: [{ first: 1, last: 2 }],
    made: [],
    sources: { messageCount: 2, tokenCount },
    triggers: [],
    loop: 1,
    draft: undefined,
    level: 1,
    inputTokens: 0,
    outputTokens: 0,
    ...fields,
  };
}

describe("the hour", () => {
  test("begins with the full hour", () => {
    expect(hourOf(0)).toBe(0);
    expect(hourOf(HOUR_MS - 1)).toBe(0);
    expect(hourOf(HOUR_MS)).toBe(1);
  });

  test("lets tasks come back in the half minute after the next one begins", () => {
    const nowMs = 5 * HOUR_MS + 17;
    for (const taskNo of [0, 256, 29_999, 30_000, 123_456_789]) {
      const ms = nextHourMs(nowMs, taskNo);
      expect(hourOf(ms)).toBe(6);
      expect(ms - 6 * HOUR_MS).toBeLessThan(30_000);
    }
    expect(nextHourMs(nowMs, 256)).not.toBe(nextHourMs(nowMs, 512));
  });
});

describe("budgetOf", () => {
  test("lets everything through without limits", () => {
    const usage = { calls: 1_000_000, tokens: 1_000_000_000 };
    expect(budgetOf({ callsPerHour: 0, tokensPerHour: 0 }, usage, 5)).toBe("ok");
  });

  test("counts calls", () => {
    const limits = { callsPerHour: 2, tokensPerHour: 0 };
    expect(budgetOf(limits, { calls: 1, tokens: 9 }, 5)).toBe("ok");
    expect(budgetOf(limits, { calls: 2, tokens: 9 }, 5)).toBe("wait");
  });

  test("counts tokens, the last one included", () => {
    const limits = { callsPerHour: 0, tokensPerHour: 100 };
    expect(budgetOf(limits, { calls: 1, tokens: 60 }, 40)).toBe("ok");
    expect(budgetOf(limits, { calls: 1, tokens: 60 }, 41)).toBe("wait");
  });

  test("lets a call that is larger than the whole budget go first in an hour, and nothing after", () => {
    const limits = { callsPerHour: 0, tokensPerHour: 100 };
    expect(budgetOf(limits, NO_USAGE, 5_000)).toBe("ok");
    const used = reserved(NO_USAGE, 5_000);
    expect(budgetOf(limits, used, 1)).toBe("wait");
  });

  test("is never exceeded but by a single call that is larger than all of it", () => {
    const wanted = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 60 });
    const limits = fc.record({
      callsPerHour: fc.nat({ max: 20 }),
      tokensPerHour: fc.nat({ max: 1_000 }),
    });
    fc.assert(
      fc.property(limits, wanted, (limit, calls) => {
        let usage: TaskUsage = NO_USAGE;
        const gone: number[] = [];
        for (const tokens of calls) {
          if (budgetOf(limit, usage, tokens) === "wait") continue;
          usage = reserved(usage, tokens);
          gone.push(tokens);
        }
        if (limit.callsPerHour > 0) expect(gone.length).toBeLessThanOrEqual(limit.callsPerHour);
        const sum = gone.reduce((all, tokens) => all + tokens, 0);
        if (limit.tokensPerHour > 0 && gone.length !== 1) {
          expect(sum).toBeLessThanOrEqual(limit.tokensPerHour);
        }
      }),
      { seed, numRuns: 1_000 },
    );
  });
});

describe("usage", () => {
  test("takes what the hook told in the place of the estimate", () => {
    const usage = reserved(reserved(NO_USAGE, 500), 300);
    expect(settled(usage, 300, 120)).toEqual({ calls: 2, tokens: 620 });
  });

  test("keeps the estimate when the hook told nothing", () => {
    const usage = reserved(NO_USAGE, 500);
    expect(settled(usage, 500, 0)).toBe(usage);
  });

  test("gives back a call that nobody made", () => {
    expect(refunded(reserved({ calls: 3, tokens: 70 }, 500), 500)).toEqual({
      calls: 3,
      tokens: 70,
    });
    expect(refunded(NO_USAGE, 10)).toEqual(NO_USAGE);
  });
});

describe("expectedTokens", () => {
  test("is what the messages cost and the answer may", () => {
    expect(expectedTokens(workOf(900), 10_000)).toBe(1_000);
    expect(expectedTokens(workOf(900.25), 10_000)).toBe(1_001);
  });

  test("counts no more of the messages than the hook takes", () => {
    expect(expectedTokens(workOf(9_000), 2_000)).toBe(2_100);
  });

  test("counts the draft of a chain of density", () => {
    const draft = {
      text: "so far",
      missingEntities: [],
      requestText: "",
      facts: [],
      openThreads: [],
      model: "",
      inputTokens: 0,
      outputTokens: 0,
    };
    expect(expectedTokens(workOf(900, { draft }), 10_000)).toBe(1_100);
  });
});
