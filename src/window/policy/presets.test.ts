// Goal: every preset is the policy that is written down for it, for its defaults and for options;
// the profiles of the source systems take the configurations of those systems and no others.

import { describe, expect, test } from "vitest";
import { expandPreset, type PlainOptions, PRESETS } from "../../compat/presets.ts";
import { DEFAULT_POLICY_PARTS, type Policy } from "./policy.ts";
import { DEFAULT_SUMMARY_SPEC } from "./summary-spec.ts";

function policyOf(name: string, options: PlainOptions = {}): Policy {
  const expanded = expandPreset(name, options);
  if ("faults" in expanded) throw new Error(JSON.stringify(expanded.faults));
  return expanded.policy;
}

function faultFields(name: string, options: PlainOptions): readonly string[] {
  const expanded = expandPreset(name, options);
  return "faults" in expanded ? expanded.faults.map(({ field }) => field) : [];
}

/** A stage without what it leaves at the defaults. */
function brief(policy: Policy): readonly object[] {
  return policy.stages.map(({ countIf, boundary, summarize, ...stage }) => ({
    ...stage,
    ...(countIf.length === 0 ? {} : { countIf }),
    ...(boundary === undefined ? {} : { boundary }),
    ...(summarize === undefined ? {} : { summarize }),
  }));
}

const over = (kind: string, limit: number): object => ({ kind: `${kind}-over`, limit });
const onAppend = { on: "append", effect: "store", removedTo: "log" };
const onRead = { on: "read", effect: "view", removedTo: "log" };
const oldest = (limits: object): object => ({
  kind: "drop-oldest",
  ...limits,
  stopAtProtected: false,
  stopAtFree: false,
});
const budget = (trigger: number, target = trigger): readonly object[] =>
  [
    { name: "turns", unit: "turn" },
    { name: "assistant_turns", unit: "assistant-turn" },
  ].map((parts) => ({
    ...onAppend,
    ...parts,
    anyOf: [over("token-count", trigger)],
    select: oldest({ maxTokens: target }),
  }));

describe("the presets", () => {
  test("are listed by name, with options that have descriptions", () => {
    const names = PRESETS.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(
      expect.arrayContaining(
        "sliding_window token_budget pin_summarize_recent managed turns summarize_old \
forget_old rolling_summary hierarchical_summary alquimia definable lauren marsys selectools".split(
          " ",
        ),
      ),
    );
    for (const { description, options } of PRESETS) {
      expect(description).toMatch(/\.$/);
      for (const option of options) expect(option.description).toMatch(/^[A-Z].*\.$/);
      const keys = options.map(({ group, name }) => `${group}/${name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test("carry their name", () => {
    for (const { name, options } of PRESETS) {
      if (!options.some(({ required }) => required)) expect(policyOf(name).name).toBe(name);
    }
  });

  test.each(PRESETS.map(({ name }) => name))("%s refuses an unknown option", (name) => {
    expect(faultFields(name, { max_mesages: 1 })).toContain("max_mesages");
  });

  test("do not expand a name that is none", () => {
    expect(faultFields("nope", {})).toEqual([""]);
  });
});

describe("how presets count", () => {
  test.each(PRESETS.filter(({ options }) => options.some(({ name }) => name === "token_rule")))(
    "$name takes a token rule or a model",
    ({ name }) => {
      const options = name === "forget_old" ? { max_age_seconds: 60 } : {};
      expect(policyOf(name, options)).toMatchObject({ tokenRule: "bytes-div-4", model: "" });
      expect(policyOf(name, { ...options, token_rule: "o200k" }).tokenRule).toBe("o200k");
      const known = { tokenRule: "model", model: "gpt-4o", contextWindow: 128_000 };
      expect(policyOf(name, { ...options, model: "gpt-4o" })).toMatchObject(known);
      const beside = { ...options, model: "gpt-4o", token_rule: "words" };
      expect(faultFields(name, beside)).toEqual(["model"]);
      expect(faultFields(name, { ...options, token_rule: "tiktoken" })).toEqual(["token_rule"]);
    },
  );

  test("is an option of every preset that is our own", () => {
    const without = PRESETS.filter(
      ({ options }) => !options.some((one) => one.name === "token_rule"),
    );
    expect(without.map(({ name }) => name)).toEqual([
      ...["alquimia", "definable", "lauren", "marsys", "selectools"],
    ]);
  });
});

describe("the general presets", () => {
  test("leave all but their stages at the defaults", () => {
    for (const name of ["sliding_window", "token_budget", "managed", "turns"]) {
      expect(policyOf(name)).toEqual({
        ...DEFAULT_POLICY_PARTS,
        name,
        stages: expect.any(Array) as unknown,
      });
    }
  });

  test("sliding_window keeps a number of messages", () => {
    expect(brief(policyOf("sliding_window", { max_messages: 7 }))).toEqual([
      {
        ...onAppend,
        name: "window",
        anyOf: [over("message-count", 7)],
        unit: "message",
        select: oldest({ maxMessages: 7 }),
      },
    ]);
  });

  test("token_budget keeps a budget less a headroom", () => {
    expect(brief(policyOf("token_budget"))).toEqual(budget(8_000));
    expect(brief(policyOf("token_budget", { max_tokens: 101, headroom: 0.5 }))).toEqual(
      budget(101, 50),
    );
  });

  test("managed has a trigger above its target", () => {
    const options = { trigger_tokens: 100, target_tokens: 60, headroom: 0.1 };
    expect(brief(policyOf("managed", options))).toEqual([
      {
        ...onAppend,
        name: "pack",
        anyOf: [over("token-count", 100)],
        unit: "turn",
        select: { kind: "pack-newest", maxTokens: 60, headroom: 0.1, skipUnfit: false },
      },
      {
        ...onAppend,
        name: "assistant_turns",
        anyOf: [over("token-count", 100)],
        unit: "assistant-turn",
        select: oldest({ maxTokens: 54 }),
      },
    ]);
    expect(faultFields("managed", { ...options, target_tokens: 101 })).toEqual(["target_tokens"]);
  });

  test("turns keeps a number of them, and tokens if told", () => {
    const newest = {
      ...onAppend,
      name: "newest",
      anyOf: [over("turn-count", 20)],
      unit: "turn",
      select: { kind: "keep-last", unitCount: 20 },
    };
    expect(brief(policyOf("turns"))).toEqual([newest]);
    expect(brief(policyOf("turns", { max_tokens: 5 }))).toEqual([newest, ...budget(5)]);
  });

  test("forget_old needs an age, and erases only when told", () => {
    expect(faultFields("forget_old", {})).toEqual(["max_age_seconds"]);
    const age = { ...onAppend, name: "age", anyOf: [], unit: "turn" };
    expect(brief(policyOf("forget_old", { max_age_seconds: 60 }))).toEqual([
      { ...age, select: oldest({ maxAgeMs: 60_000 }) },
    ]);
    expect(policyOf("forget_old", { max_age_seconds: 60, erase: true }).stages[0]?.removedTo).toBe(
      "discard",
    );
    expect(faultFields("forget_old", { max_age_seconds: 315_576_001 })).toHaveLength(1);
  });

  test("tool_results_first shortens before it removes", () => {
    const [shorten, ...rest] = brief(policyOf("tool_results_first", { max_tokens: 90 }));
    expect(shorten).toMatchObject({
      on: "append",
      effect: "view",
      anyOf: [over("token-count", 90)],
      select: { kind: "shorten", maxTokens: 400, allRoles: false, keepNewest: 4 },
    });
    expect(rest).toEqual(budget(90));
  });

  test("semantic_pruning changes only what is read", () => {
    const stages = brief(policyOf("semantic_pruning", { similarity: 0.8 }));
    expect(stages.slice(0, 2)).toEqual(budget(8_000));
    expect(stages[2]).toMatchObject({
      ...onRead,
      select: { kind: "drop-duplicates", similarity: 0.8, lookahead: 50 },
    });
  });

  test("pin_summarize_recent puts a summary in the place of the middle", () => {
    expect(brief(policyOf("pin_summarize_recent"))).toEqual([
      {
        ...onAppend,
        name: "middle",
        anyOf: [over("message-count", 50)],
        unit: "message",
        select: { kind: "pin-middle-recent", pinFirst: 2, keepRecent: 10, minRemoved: 2 },
        boundary: { rule: "absorb-and-grow", always: false },
        removedTo: "summarize",
        summarize: DEFAULT_SUMMARY_SPEC,
      },
    ]);
    expect(faultFields("pin_summarize_recent", { max_messages: 12 })).toEqual(["max_messages"]);
  });

  test("summarize_old goes by tokens, or by a share of a known context window", () => {
    const triggers = (options: PlainOptions) => policyOf("summarize_old", options).stages[0]?.anyOf;
    const share = { kind: "context-share-at-least", share: 0.75 };
    expect(triggers({})).toEqual([over("token-count", 8_000)]);
    expect(triggers({ context_share: 0.75, model: "gpt-4o" })).toEqual([share]);
    expect(triggers({ context_share: 0.75, context_window: 9, max_tokens: 5 })).toEqual([
      over("token-count", 5),
      share,
    ]);
    expect(policyOf("summarize_old", { model: "gpt-4o" }).contextWindow).toBe(128_000);
    expect(faultFields("summarize_old", { context_share: 0.5, model: "x" })).toEqual([
      "context_share",
    ]);
  });

  test.each(["pin_summarize_recent", "summarize_old", "rolling_summary", "hierarchical_summary"])(
    "%s is told how to summarize",
    (name) => {
      const options = { hook: "mine", summary_max_tokens: 99, instructions: "Dates." };
      const told = { ...options, on_failure: "placeholder" };
      expect(policyOf(name, told).stages[0]?.summarize).toMatchObject({
        hook: "mine",
        maxTokens: 99,
        instructions: "Dates.",
        onFailure: "placeholder",
      });
      expect(faultFields(name, { hook: "-", summary_max_tokens: 15, on_failure: "no" })).toEqual([
        "hook",
        "summary_max_tokens",
        "on_failure",
      ]);
    },
  );

  test("rolling_summary lets the oldest leave at once and joins their summaries", () => {
    const options = { max_tokens: 100, headroom: 0.4, last_chars: 500 };
    expect(brief(policyOf("rolling_summary", options))).toEqual([
      {
        ...onAppend,
        name: "oldest",
        anyOf: [over("token-count", 100)],
        unit: "message",
        select: oldest({ maxTokens: 60 }),
        removedTo: "summarize",
        summarize: {
          ...DEFAULT_SUMMARY_SPEC,
          // Within an eighth of the budget, 16 at least.
          maxTokens: 16,
          keep: "append",
          leave: "at-once",
          lastChars: 500,
          onFailure: "drop",
        },
      },
    ]);
    expect(faultFields("rolling_summary", { on_failure: "keep" })).toEqual(["on_failure"]);
  });

  test("hierarchical_summary makes summaries of summaries", () => {
    expect(brief(policyOf("hierarchical_summary", { fan_in: 3, keep_recent: 5 }))).toEqual([
      {
        ...onAppend,
        name: "old",
        anyOf: [over("token-count", 8_000)],
        unit: "message",
        select: { kind: "pin-middle-recent", pinFirst: 0, keepRecent: 5, minRemoved: 2 },
        boundary: { rule: "grow-recent", always: false },
        removedTo: "summarize",
        summarize: { ...DEFAULT_SUMMARY_SPEC, maxTokens: 500, keep: "hierarchical", fanIn: 3 },
      },
      // While messages wait for their summary, a read leaves out what does not fit.
      ...budget(8_000).map((stage) => ({ ...stage, ...onRead })),
    ]);
  });
});
