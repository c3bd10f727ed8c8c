// The profile of alquimia takes its configurations as they are, with their names and defaults, and
// gives the policies that stand for them.

import { describe, expect, test } from "vitest";
import {
  defaultsOf,
  faultsOf,
  policyOf,
  protections,
} from "../../../test/support/window/profiles.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../window/policy/summary-spec.ts";
import type { PlainOptions } from "../presets.ts";

describe("alquimia", () => {
  const CONDITION = "message.role != 'tool'";
  const short = { memory_strategy_id: "max_tokens" };
  const neuralyzer = { long_term_memory_id: "neuralyzer" };
  const summarizer = { long_term_memory_id: "summarizer" };
  const packed = (maxTokens: number): object => ({
    name: "short_term",
    on: "read",
    unit: "turn",
    select: { kind: "pack-newest", maxTokens, headroom: 0, skipUnfit: false },
    effect: "view",
  });

  test("reads everything without a strategy, and counts as given", () => {
    expect(policyOf("alquimia")).toMatchObject({
      tokenRule: "given",
      protections: protections({}),
      toolPairing: "loose",
      stages: [],
    });
  });

  test("fills a budget with turns that meet conditions", () => {
    expect(policyOf("alquimia", short).stages).toMatchObject([packed(10_000)]);
    const options = { ...short, memory_max_tokens: 200, conditions: [CONDITION] };
    expect(policyOf("alquimia", options).stages).toMatchObject([
      {
        on: "read",
        unit: "turn",
        select: { kind: "filter", conditions: [CONDITION], scope: "unit" },
        effect: "view",
      },
      packed(200),
    ]);
    const alone = { ...short, conditions: [CONDITION], condition_scope: "message" };
    expect(policyOf("alquimia", alone).stages).toMatchObject([
      { unit: "turn", select: { kind: "filter", scope: "message" } },
      packed(10_000),
    ]);
    expect(policyOf("alquimia", { ...short, memory_max_tokens: -1 }).stages).toMatchObject([
      { select: { kind: "keep-last", unitCount: 0 }, effect: "view" },
    ]);
    expect(policyOf("alquimia", { ...short, memory_max_tokens: 0 }).stages).toMatchObject([
      packed(0),
    ]);
  });

  test("erases or summarizes at the end of a turn, for any of the triggers", () => {
    const options = {
      ...neuralyzer,
      interaction_threshold_qty: 3,
      interaction_threshold_tokens: 35,
      input_tokens_threshold: 1_000,
      interaction_keep: 2,
      interaction_conditions: [CONDITION],
      on_tools_success_threshold: ["close"],
      on_tools_error_threshold: ["pay"],
    };
    expect(policyOf("alquimia", options).stages).toEqual([
      {
        name: "neuralyzer",
        on: "turn-end",
        anyOf: [
          { kind: "model-input-tokens-over", limit: 1_000 },
          { kind: "turn-count-over", limit: 3 },
          { kind: "turn-tokens-over", limit: 35 },
          { kind: "tool-success", names: ["close"] },
          { kind: "tool-error", names: ["pay"] },
        ],
        unit: "turn",
        select: { kind: "keep-last", unitCount: 2 },
        countIf: [CONDITION],
        boundary: undefined,
        effect: "store",
        removedTo: "discard",
        summarize: undefined,
      },
    ]);
    const told = { cod_max_loops: 3, instructions: "Names.", hook: "mine" };
    expect(policyOf("alquimia", { ...summarizer, ...told }).stages).toMatchObject([
      {
        name: "summarizer",
        anyOf: [
          { kind: "turn-count-over", limit: 20 },
          { kind: "turn-tokens-over", limit: 20_000 },
        ],
        removedTo: "summarize",
        summarize: {
          ...DEFAULT_SUMMARY_SPEC,
          hook: "mine",
          instructions: "Names.",
          flow: "density",
          maxLoops: 3,
        },
      },
    ]);
    expect(policyOf("alquimia", summarizer).stages[0]?.summarize?.maxLoops).toBe(5);
  });

  test("writes summaries to its knowledge base", () => {
    const strategy = { long_term_memory_id: "summarizer" };
    const base = { collection_id: "notes" };
    const [stage] = policyOf("alquimia", { ...strategy, knowledge_base: base }).stages;
    expect(stage?.summarize?.collectionId).toBe("notes");
    const [plain] = policyOf("alquimia", strategy).stages;
    expect(plain?.summarize?.collectionId).toBe("");
    expect(faultsOf("alquimia", { ...strategy, knowledge_base: { collection_id: "a b" } })).toEqual(
      [
        "knowledge_base.collection_id: knowledge_base.collection_id must be 1 to 63 characters of " +
          "A-Za-z0-9._-, the first a letter or a digit",
      ],
    );
    expect(faultsOf("alquimia", { ...strategy, knowledge_base: {} })).toEqual([
      "knowledge_base.collection_id: knowledge_base.collection_id is required",
    ]);
    expect(faultsOf("alquimia", { ...strategy, knowledge_base: "notes" })).toEqual([
      "knowledge_base: knowledge_base must be an object",
    ]);
  });

  test("never acts without a threshold", () => {
    const off = { interaction_threshold_qty: -1, interaction_threshold_tokens: 0 };
    expect(policyOf("alquimia", neuralyzer).stages).toEqual([]);
    expect(policyOf("alquimia", { ...summarizer, ...off }).stages).toEqual([]);
  });

  test("takes both kinds at once, and lists of them", () => {
    const both = { ...short, ...neuralyzer, interaction_threshold_qty: 1 };
    const names = (options: PlainOptions) =>
      policyOf("alquimia", options).stages.map(({ name }) => name);
    expect(names(both)).toEqual(["neuralyzer", "short_term"]);
    const lists = {
      short_term_memory: [{ ...short, conditions: [CONDITION] }, short],
      long_term_memory: [summarizer, { ...neuralyzer, interaction_threshold_qty: 1 }],
    };
    expect(names(lists)).toEqual([
      "summarizer",
      "neuralyzer_2",
      "conditions",
      "short_term",
      "short_term_2",
    ]);
  });

  test.each<readonly [PlainOptions, string]>([
    [{ ...short, memory_max_token: 5 }, "memory_max_token"],
    [{ long_term_memory_id: "forgetter" }, "long_term_memory_id"],
    [{ long_term_memory_id: 3 }, "long_term_memory_id"],
    [{ memory_strategy_id: "newest" }, "memory_strategy_id"],
    [{ memory_max_tokens: 5 }, "memory_strategy_id"],
    [{ interaction_keep: 5 }, "long_term_memory_id"],
    [{ ...neuralyzer, cod_max_loops: 5 }, "cod_max_loops"],
    [{ ...summarizer, cod_max_loops: 11 }, "cod_max_loops"],
    [{ ...summarizer, hook: "1" }, "hook"],
    [{ ...short, memory_max_tokens: -2 }, "memory_max_tokens"],
    [{ ...short, conditions: ["message.role !="] }, "conditions[0]"],
    [{ ...short, short_term_memory: [short] }, "memory_strategy_id"],
    [{ short_term_memory: [{ memory_max_tokens: 1 }] }, "short_term_memory[0].memory_strategy_id"],
    [{ long_term_memory: [{ ...neuralyzer, x: 1 }] }, "long_term_memory[0].x"],
    [
      { long_term_memory: [{ long_term_memory_id: "no" }] },
      "long_term_memory[0].long_term_memory_id",
    ],
  ])("refuses %j", (options, field) => {
    expect(faultsOf("alquimia", options).map((fault) => fault.split(": ")[0])).toEqual([field]);
  });

  test("tells the defaults of each strategy", () => {
    expect(defaultsOf("alquimia", "neuralyzer")).toMatchObject({
      interaction_threshold_qty: -1,
      interaction_threshold_tokens: -1,
      interaction_keep: 0,
    });
    expect(defaultsOf("alquimia", "summarizer")).toMatchObject({
      interaction_threshold_qty: 20,
      interaction_threshold_tokens: 20_000,
      cod_max_loops: 5,
    });
    expect(defaultsOf("alquimia", "max_tokens")).toMatchObject({ memory_max_tokens: 10_000 });
  });
});
