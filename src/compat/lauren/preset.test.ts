// The profile of lauren takes its configurations as they are, with their names and defaults, and
// gives the policies that stand for them.

import { describe, expect, test } from "vitest";
import { defaultsOf, policyOf, protections } from "../../../test/support/window/profiles.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../window/policy/summary-spec.ts";

describe("lauren", () => {
  test("fits what is read into its budget, with a guard and toolResultFill", () => {
    expect(policyOf("lauren", { max_tokens: 10 })).toMatchObject({
      tokenRule: "chars-sum-4",
      imageTokenCount: 0,
      protections: protections({ system: "all", lastUser: true }),
      toolPairing: "adjacent",
      toolResultFill: { rule: "moved-on", newestOnly: true, text: "" },
      stages: [
        {
          name: "fit",
          on: "read",
          anyOf: [{ kind: "token-count-over", limit: 10 }],
          unit: "message",
          select: {
            kind: "drop-oldest",
            maxTokens: 10,
            stopAtProtected: true,
            stopAtFree: true,
          },
          effect: "view",
        },
        { name: "trim_to_fit", on: "request", effect: "store", removedTo: "log" },
      ],
    });
    const [fit, trimToFit] = policyOf("lauren").stages;
    expect(trimToFit?.select).toEqual(fit?.select);
  });

  test("drops message by message in its oldest era, told by flags or by name", () => {
    const naive = policyOf("lauren", { tool_turn_atomic: false, guard_last_user: false });
    expect(naive).toMatchObject({
      toolPairing: "loose",
      toolResultFill: undefined,
      protections: { lastUser: false },
      stages: [{ select: { stopAtFree: false } }, { select: { stopAtFree: false } }],
    });
    expect(policyOf("lauren", { era: "A" })).toEqual(naive);
    expect(policyOf("lauren", { era: "A", heal: true }).toolResultFill).toBeDefined();
  });

  test("cuts what is larger than the budget in its newest era", () => {
    const cut = policyOf("lauren", { era: "C", max_tokens: 3 }).stages[1];
    expect(cut).toMatchObject({
      on: "read",
      effect: "view",
      select: { kind: "shorten", maxTokens: 100, allRoles: true, keepNewest: 0 },
    });
  });

  test("summarizes from a share of its window", () => {
    const { contextWindow, stages } = policyOf("lauren", {
      summarize_at: 0.8,
      memory_window_tokens: 1_000,
    });
    expect(contextWindow).toBe(1_000);
    expect(stages.map(({ name }) => name)).toEqual(["summarize", "fit", "trim_to_fit"]);
    expect(stages[0]).toMatchObject({
      on: "turn-end",
      anyOf: [{ kind: "context-share-at-least", share: 0.8 }],
      select: { kind: "pin-middle-recent", pinFirst: 0, keepRecent: 6 },
      boundary: { rule: "grow-recent", always: false },
      removedTo: "summarize",
      summarize: {
        ...DEFAULT_SUMMARY_SPEC,
        maxTokens: 512,
        keep: "replace",
        onFailure: "keep",
        transcript: "paragraphs",
      },
    });
    expect(policyOf("lauren").summaryView).toEqual({
      show: "system-suffix",
      prefix: "[Earlier conversation summary]\n",
    });
    expect(defaultsOf("lauren", "ShortTermMemory")).toEqual({ max_tokens: 40_000 });
  });
});
