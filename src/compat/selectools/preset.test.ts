// The profile of selectools takes its configurations as they are, with their names and defaults,
// and gives the policies that stand for them.

import { describe, expect, test } from "vitest";
import {
  defaultsOf,
  faultsOf,
  policyOf,
  protections,
} from "../../../test/support/window/profiles.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../window/policy/summary-spec.ts";
import { expandPreset } from "../presets.ts";

describe("selectools", () => {
  test("enforces its limits on every append and pops tool messages at the head", () => {
    expect(policyOf("selectools", { max_messages: 3, max_tokens: 25 })).toEqual({
      name: "selectools",
      countStoredOnly: true,
      tokenRule: "chars-floor-4",
      customTokenRule: undefined,
      imageTokenCount: 0,
      model: "",
      contextWindow: 0,
      protections: protections({ minMessages: 1 }),
      toolPairing: "loose",
      toolResultFill: undefined,
      summaryView: { show: "system-first", prefix: "[Conversation Summary] " },
      stages: [
        {
          name: "enforce_limits",
          on: "append",
          anyOf: [],
          unit: "message",
          select: {
            kind: "drop-oldest",
            maxMessages: 3,
            maxTokens: 25,
            stopAtProtected: false,
            stopAtFree: false,
          },
          countIf: [],
          boundary: { rule: "pop-tool-head", always: true },
          effect: "store",
          removedTo: "log",
          summarize: undefined,
        },
      ],
    });
  });

  test("has its defaults and errors", () => {
    expect(defaultsOf("selectools", "ConversationMemory")).toEqual({
      max_messages: 20,
      max_tokens: null,
    });
    const { select } = policyOf("selectools", { max_tokens: null }).stages[0] ?? {};
    expect(select).toMatchObject({ maxMessages: 20 });
    expect(select).not.toHaveProperty("maxTokens");
    for (const limit of [0, -3]) {
      expect(faultsOf("selectools", { max_messages: limit })).toEqual([
        "max_messages: max_messages must be at least 1",
      ]);
    }
    expect(faultsOf("selectools", { max_tokens: 0 })).toEqual([
      "max_tokens: max_tokens must be at least 1",
    ]);
    expect(policyOf("selectools", { token_estimate: "floor_4_min_1" }).tokenRule).toBe(
      "chars-floor-4-min-1",
    );
    expect(defaultsOf("selectools", "AgentConfig")).toMatchObject({
      summarize_on_trim: false,
      summarize_max_tokens: 150,
      compress_context: false,
      compress_threshold: 0.75,
      compress_keep_recent: 4,
    });
  });

  test("takes the options of unified memory only while that is on", () => {
    const tiers = { short_term_limit: 9, importance_threshold: 0.5, auto_promote: false };
    expect(faultsOf("selectools", { ...tiers, unified: false })).toEqual([
      "short_term_limit: short_term_limit needs unified",
      "importance_threshold: importance_threshold needs unified",
      "auto_promote: auto_promote needs unified",
    ]);
    expect(faultsOf("selectools", { ...tiers, unified: true })).toEqual([]);
    expect(faultsOf("selectools", { short_term_limit: 100, auto_promote: true })).toEqual([]);
    expect(faultsOf("selectools", { unified: true, max_messages: 3 })).toEqual([
      "max_messages: max_messages must be left out with unified; short_term_limit says it",
    ]);
    const wrong = {
      short_term_limit: 0,
      importance_threshold: 1.1,
      long_term_limit: 0,
      episodic_retention_days: 0,
      auto_promote: "yes",
    };
    expect(faultsOf("selectools", { ...wrong, unified: true })).toEqual([
      "short_term_limit: short_term_limit must be at least 1",
      "importance_threshold: importance_threshold must be at most 1",
      "long_term_limit: long_term_limit must be at least 1",
      "episodic_retention_days: episodic_retention_days must be at least 1",
      "auto_promote: auto_promote must be true or false",
    ]);
  });

  test("takes an option that needs another one with it, or with its default", () => {
    const idle = { summarize_max_tokens: 99, compress_threshold: 0.5, compress_keep_recent: 2 };
    expect(faultsOf("selectools", idle)).toEqual([
      "summarize_max_tokens: summarize_max_tokens needs summarize_on_trim",
      "compress_threshold: compress_threshold needs compress_context",
      "compress_keep_recent: compress_keep_recent needs compress_context",
    ]);
    const on = { summarize_on_trim: true, compress_context: true, context_window: 9 };
    expect(faultsOf("selectools", { ...idle, ...on })).toEqual([]);
    expect(faultsOf("selectools", { summarize_max_tokens: 150 })).toEqual([]);
    expect(faultsOf("lauren", { memory_window_tokens: 9, keep_recent: 2 })).toEqual([
      "memory_window_tokens: memory_window_tokens needs summarize_at",
      "keep_recent: keep_recent needs summarize_at",
    ]);
    expect(faultsOf("summarize_old", { context_window: 9 })).toEqual([
      "context_window: context_window needs context_share",
    ]);
  });

  test("makes a memory policy of unified memory, and of nothing else", () => {
    const options = { unified: true, short_term_limit: 4, long_term_limit: 7, auto_promote: false };
    expect(policyOf("selectools", options)).toEqual(policyOf("selectools", { max_messages: 4 }));
    expect(expandPreset("selectools", options)).toMatchObject({
      memoryPolicy: {
        ...{ longTermLimit: 7, episodes: { retentionDays: 30 } },
        promotion: { selection: "any-text", importanceThreshold: 0.7, markedStagesOnly: true },
      },
    });
    const plain = expandPreset("selectools", { unified: true });
    expect(plain).toMatchObject({
      memoryPolicy: { longTermLimit: 1_000, promotion: { markedStagesOnly: false } },
    });
    expect(plain).toMatchObject({ policy: policyOf("selectools", { max_messages: 100 }) });
    expect(expandPreset("selectools", {})).not.toHaveProperty("memoryPolicy");
  });

  test("summarizes what it trims, which is gone at once", () => {
    const [plain] = policyOf("selectools").stages;
    const { stages } = policyOf("selectools", { summarize_on_trim: true, hook: "mine" });
    expect(stages).toEqual([
      {
        ...plain,
        removedTo: "summarize",
        summarize: {
          ...DEFAULT_SUMMARY_SPEC,
          hook: "mine",
          maxTokens: 150,
          keep: "append",
          leave: "at-once",
          onFailure: "drop",
          separator: " ",
          lastChars: 4_000,
          lastCharsExact: true,
          transcript: "capitals",
        },
      },
    ]);
    expect(faultsOf("selectools", { hook: "My Hook" })).toEqual([
      "hook: hook must be 1 to 63 characters of a-z0-9_-, the first a letter",
    ]);
  });

  test("compresses what is read from a share of the context window", () => {
    const options = { compress_context: true, compress_keep_recent: 1, context_window: 80 };
    const policy = policyOf("selectools", options);
    expect(policy).toMatchObject({
      tokenRule: "custom",
      customTokenRule: { charsPerToken: 4, rounding: "down", perMessage: 4, min: 5 },
      contextWindow: 80,
      protections: { system: "all", lastUser: false },
    });
    expect(policy.stages[1]).toMatchObject({
      on: "read",
      anyOf: [{ kind: "context-share-at-least", share: 0.75 }],
      select: { kind: "pin-middle-recent", pinFirst: 0, keepRecent: 2, minRemoved: 2 },
      effect: "store",
      removedTo: "summarize",
      summarize: {
        ...DEFAULT_SUMMARY_SPEC,
        maxTokens: 300,
        prefix: "[Compressed context] ",
        transcript: "capitals",
      },
    });
    expect(policyOf("selectools", { ...options, max_tokens: 9 }).tokenRule).toBe("chars-floor-4");
    expect(policyOf("selectools", { compress_context: true, model: "gpt-4o" }).contextWindow).toBe(
      128_000,
    );
    expect(faultsOf("selectools", { compress_context: true })).toEqual([
      "compress_context: compress_context needs context_window, or a model whose window is known",
    ]);
  });
});
