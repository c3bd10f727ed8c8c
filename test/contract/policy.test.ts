// Goal: the bounds of every number, text and list of a policy hold exactly over gRPC; presets come
// by name, are written out in answers, and are listed with all that a caller needs to use them.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Struct } from "../../src/gen/google/protobuf/struct.ts";
import type * as selects from "../../src/gen/memorysidecar/v1/policy.ts";
import type * as stages from "../../src/gen/memorysidecar/v1/policy.ts";
import * as wire from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  RemovedTo,
  Summarize,
  SummaryFailure,
  SummaryFlow,
  SummaryKeep,
  SummaryLeave,
  TokenRule,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { MANUAL_HOOK } from "../../src/window/policy/summary-spec.ts";
import { requestBytes, startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  dropOldest,
  keepStage,
  message,
  policy,
  preset,
  protections,
  session,
  written,
} from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
  await server.client.call("appendMessages", {
    sessionId: "s",
    createSession: true,
    messages: [message({ text: "one" })],
  });
});

afterAll(() => server[Symbol.asyncDispose]());

/** A bound of a field: what lies between is taken, what lies beside is refused. */
interface Bound {
  readonly field: string;
  readonly min: number;
  readonly max: number;
  readonly make: (size: number) => Partial<wire.Policy>;
}

const NOTHING = new Uint8Array(0);
const AT_ONCE = SummaryLeave.AT_ONCE;
const x = (size: number): string => "x".repeat(Math.max(size, 0));
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.max(count, 0) }, (_, index) => make(index));

function bound(field: string, [min, max]: readonly [number, number], make: Bound["make"]): Bound {
  return { field, min, max, make };
}

const inStage = (
  field: string,
  range: readonly [number, number],
  make: (size: number) => Partial<stages.PolicyStage>,
): Bound => bound(`stages[0].${field}`, range, (size) => ({ stages: [keepStage(make(size))] }));

const inSummarize = (
  field: string,
  range: readonly [number, number],
  make: (size: number) => Partial<Summarize>,
): Bound =>
  inStage(`summarize.${field}`, range, (size) => ({
    removedTo: RemovedTo.SUMMARIZE,
    summarize: { ...Summarize.decode(NOTHING), ...make(size) },
  }));

const inTrigger = (
  field: string,
  range: readonly [number, number],
  make: (size: number) => NonNullable<stages.Trigger["condition"]>,
): Bound =>
  inStage(`any_of[0].${field}`, range, (size) => ({ anyOf: [{ condition: make(size) }] }));

const inSelect = (
  field: string,
  range: readonly [number, number],
  make: (size: number) => NonNullable<stages.PolicyStage["select"]>,
): Bound => inStage(field, range, (size) => ({ select: make(size) }));

const custom = (field: string, make: (size: number) => Partial<wire.CustomTokenRule>): Bound =>
  bound(`custom_token_rule.${field}`, [0, LIMITS.imageTokenCount], (size) => ({
    tokenRule: TokenRule.CUSTOM,
    customTokenRule: {
      ...wire.CustomTokenRule.decode(NOTHING),
      charsPerToken: 4,
      ...make(size),
    },
  }));

const conditionOf = (size: number): string => (size < 8 ? "" : `'${x(size - 8)}' == ''`);
const COUNTING = [{ condition: { $case: "messageCountOver" as const, value: 3 } }];
const MESSAGES = [0, LIMITS.windowMessages] as const;
const TOKENS = [0, LIMITS.policyTokens] as const;
const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });
const TEN_YEARS = LIMITS.ttlMsMax / 1_000;
const pin = (fields: Partial<selects.PinMiddleRecent>) => ({
  $case: "pinMiddleRecent" as const,
  value: { pinFirst: 0, keepRecent: 1, ...fields },
});
const shorten = (fields: Partial<selects.Shorten>) => ({
  $case: "shorten" as const,
  value: { maxTokens: 16, allRoles: false, minSavedTokens: 0n, ...fields },
});

const BOUNDS: readonly Bound[] = [
  bound("image_token_count", [0, LIMITS.imageTokenCount], (size) => ({ imageTokenCount: size })),
  bound("name", [0, LIMITS.policyNameBytes], (size) => ({ name: x(size) })),
  bound("model", [0, LIMITS.modelBytes], (size) => ({
    tokenRule: TokenRule.MODEL,
    model: x(size),
  })),
  // 0 is that of a model, which a share needs.
  bound("context_window", TOKENS, (size) => ({
    tokenRule: TokenRule.MODEL,
    model: "gpt-4o",
    contextWindow: BigInt(size),
    stages: [keepStage({ anyOf: [{ condition: { $case: "contextShareAtLeast", value: 0.5 } }] })],
  })),
  custom("per_message", (size) => ({ perMessage: size })),
  custom("per_call", (size) => ({ perCall: size })),
  custom("min", (size) => ({ min: size })),
  bound("tool_result_fill.text", [0, LIMITS.fillTextBytes], (size) => ({
    toolResultFill: { rule: 1, newestOnly: false, text: x(size) },
  })),
  bound("protections.pin_first", MESSAGES, (size) => ({
    protections: protections({ pinFirst: size }),
  })),
  bound("protections.min_messages", MESSAGES, (size) => ({
    protections: protections({ minMessages: size }),
  })),
  bound("protections.pin_message_ids", [0, LIMITS.pinIds], (size) => ({
    protections: protections({ pinMessageIds: times(size, (index) => `id-${index}`) }),
  })),
  bound("protections.pin_message_ids[0]", [1, LIMITS.messageIdBytes], (size) => ({
    protections: protections({ pinMessageIds: [x(size)] }),
  })),
  bound("stages", [0, LIMITS.policyStages], (size) => ({
    stages: times(size, (index) => keepStage({ name: `s${index}` })),
  })),
  inStage("name", [1, LIMITS.stageNameChars], (size) => ({ name: x(size) })),
  inStage("any_of", [0, LIMITS.policyTriggers], (size) => ({
    anyOf: times(size, () => ({ condition: { $case: "always", value: {} } })),
  })),
  inStage("count_if", [0, LIMITS.conditions], (size) => ({
    anyOf: COUNTING,
    countIf: times(size, () => "true"),
  })),
  inStage("count_if[0]", [8, LIMITS.conditionBytes], (size) => ({
    anyOf: COUNTING,
    countIf: [conditionOf(size)],
  })),
  inTrigger("message_count_over", MESSAGES, (value) => ({ $case: "messageCountOver", value })),
  inTrigger("token_count_over", TOKENS, (size) => ({
    $case: "tokenCountOver",
    value: BigInt(size),
  })),
  inTrigger("model_input_tokens_over", TOKENS, (size) => ({
    $case: "modelInputTokensOver",
    value: BigInt(size),
  })),
  inTrigger("turn_count_over", MESSAGES, (value) => ({
    $case: "turnCountOver",
    value,
  })),
  inTrigger("turn_tokens_over", TOKENS, (size) => ({
    $case: "turnTokensOver",
    value: BigInt(size),
  })),
  inTrigger("new_messages_at_least", [1, LIMITS.windowMessages], (value) => ({
    $case: "newMessagesAtLeast",
    value,
  })),
  inTrigger("new_tokens_at_least", [1, LIMITS.policyTokens], (size) => ({
    $case: "newTokensAtLeast",
    value: BigInt(size),
  })),
  inTrigger("tool_success.names", [1, LIMITS.triggerTools], (size) => ({
    $case: "toolSuccess",
    value: { names: times(size, (index) => `t${index}`) },
  })),
  inTrigger("tool_error.names[0]", [1, LIMITS.nameBytes], (size) => ({
    $case: "toolError",
    value: { names: [x(size)] },
  })),
  inTrigger("age_over", [1, TEN_YEARS], (size) => ({ $case: "ageOver", value: seconds(size) })),
  inSelect("drop_oldest.max_messages", MESSAGES, (maxMessages) => ({
    $case: "dropOldest",
    value: dropOldest({ maxMessages }),
  })),
  inSelect("drop_oldest.max_tokens", TOKENS, (size) => ({
    $case: "dropOldest",
    value: dropOldest({ maxTokens: BigInt(size) }),
  })),
  inSelect("drop_oldest.max_age", [0, TEN_YEARS], (size) => ({
    $case: "dropOldest",
    value: dropOldest({ maxAge: seconds(size) }),
  })),
  inSelect("keep_last.unit_count", MESSAGES, (unitCount) => ({
    $case: "keepLast",
    value: { unitCount },
  })),
  inSelect("pack_newest.max_tokens", TOKENS, (size) => ({
    $case: "packNewest",
    value: { maxTokens: BigInt(size), headroom: 0, skipUnfit: false },
  })),
  inSelect("pin_middle_recent.pin_first", MESSAGES, (pinFirst) => pin({ pinFirst })),
  inSelect("pin_middle_recent.keep_recent", [1, LIMITS.windowMessages], (keepRecent) =>
    pin({ keepRecent }),
  ),
  inSelect("pin_middle_recent.min_removed", [1, LIMITS.windowMessages], (minRemoved) =>
    pin({ minRemoved }),
  ),
  inSelect("filter.conditions", [1, LIMITS.conditions], (size) => ({
    $case: "filter",
    value: { conditions: times(size, () => "true"), scope: 0 },
  })),
  inSelect("filter.conditions[0]", [8, LIMITS.conditionBytes], (size) => ({
    $case: "filter",
    value: { conditions: [conditionOf(size)], scope: 0 },
  })),
  inSelect("shorten.max_tokens", [LIMITS.shortenTokensMin, LIMITS.shortenTokensMax], (maxTokens) =>
    shorten({ maxTokens }),
  ),
  inSelect("shorten.keep_newest", MESSAGES, (keepNewest) => shorten({ keepNewest })),
  inSelect("shorten.keep_chars", [LIMITS.shortenCharsMin, LIMITS.shortenCharsMax], (keepChars) =>
    shorten({ keepChars }),
  ),
  inSelect("shorten.marker", [0, LIMITS.shortenMarkerBytes], (size) =>
    shorten({ keepChars: 100, marker: x(size) }),
  ),
  inSelect("shorten.min_saved_tokens", TOKENS, (size) => shorten({ minSavedTokens: BigInt(size) })),
  inStage("keep_assistant_turns", MESSAGES, (keepAssistantTurns) => ({ keepAssistantTurns })),
  inSelect("drop_duplicates.lookahead", [1, LIMITS.duplicateLookahead], (lookahead) => ({
    $case: "dropDuplicates",
    value: { lookahead },
  })),
  inSummarize("max_tokens", [LIMITS.summaryTokensMin, LIMITS.summaryTokensMax], (maxTokens) => ({
    maxTokens,
  })),
  inSummarize("instructions", [0, LIMITS.summaryInstructionsBytes], (size) => ({
    instructions: x(size),
  })),
  inSummarize("max_loops", [1, LIMITS.summaryLoops], (maxLoops) => ({
    flow: SummaryFlow.DENSITY,
    maxLoops,
  })),
  inSummarize("placeholder", [0, LIMITS.summaryPlaceholderBytes], (size) => ({
    onFailure: SummaryFailure.PLACEHOLDER,
    placeholder: x(size),
  })),
  inSummarize("separator", [0, LIMITS.summarySeparatorBytes], (size) => ({
    keep: SummaryKeep.APPEND,
    separator: x(size),
  })),
  inSummarize("last_chars", [LIMITS.summaryLastCharsMin, LIMITS.summaryLastCharsMax], (size) => ({
    keep: SummaryKeep.APPEND,
    lastChars: size,
  })),
  inSummarize("prefix", [0, LIMITS.summaryPrefixBytes], (size) => ({ prefix: x(size) })),
  inSummarize("fan_in", [LIMITS.summaryFanInMin, LIMITS.summaryFanInMax], (fanIn) => ({ fanIn })),
  bound("summary_view.prefix", [0, LIMITS.summaryPrefixBytes], (size) => ({
    summaryView: { show: 0, prefix: x(size) },
  })),
];

/** Fractions: the least and the largest value, and one too small and one too large. */
const FRACTIONS: readonly {
  readonly field: string;
  readonly inside: readonly number[];
  readonly outside: readonly number[];
  readonly make: (value: number) => Partial<wire.Policy>;
}[] = [
  {
    field: "custom_token_rule.chars_per_token",
    inside: [0.25, 100],
    outside: [0.249, 100.1, -1],
    make: (charsPerToken) => ({
      tokenRule: TokenRule.CUSTOM,
      customTokenRule: { ...wire.CustomTokenRule.decode(NOTHING), charsPerToken },
    }),
  },
  {
    field: "stages[0].any_of[0].context_share_at_least",
    inside: [0.0001, 1],
    outside: [0, 1.001, -0.5],
    make: (value) => ({
      contextWindow: 10n,
      stages: [keepStage({ anyOf: [{ condition: { $case: "contextShareAtLeast", value } }] })],
    }),
  },
  {
    field: "stages[0].pack_newest.headroom",
    inside: [0, 0.999],
    outside: [1, -0.001],
    make: (headroom) => ({
      stages: [
        keepStage({
          select: { $case: "packNewest", value: { maxTokens: 9n, headroom, skipUnfit: false } },
        }),
      ],
    }),
  },
  {
    field: "stages[0].drop_duplicates.similarity",
    inside: [0.5, 1],
    outside: [0.499, 1.001],
    make: (similarity) => ({
      stages: [keepStage({ select: { $case: "dropDuplicates", value: { similarity } } })],
    }),
  },
];

const request = (fields: Partial<wire.Policy>) => ({
  sessionId: "s",
  policy: written(policy(fields)),
});

/** The first field that is refused; empty when the policy is taken. */
async function refusedField(fields: Partial<wire.Policy>): Promise<string> {
  const outcome = await server.client.raw("getWindow", requestBytes("getWindow", request(fields)));
  if (!("failure" in outcome)) return "";
  expect(outcome.failure.reason).toBe("REQUEST_INVALID");
  return outcome.failure.fields[0] ?? "";
}

describe("a bound of a policy", () => {
  test.each(BOUNDS)("$field takes $min to $max", async ({ field, min, max, make }) => {
    expect(await refusedField(make(min))).toBe("");
    expect(await refusedField(make(max - 1))).toBe("");
    expect(await refusedField(make(max))).toBe("");
    const path = `policy.policy.${field}`;
    const failure = await server.client.fail("getWindow", request(make(max + 1)));
    expect(failure.fields[0]).toBe(path);
    expect(failure.metadata).toMatchObject({ field: path });
    // A list or a text that may be empty has nothing below its least size.
    const below = make(min - 1);
    const isSame =
      min === 0 &&
      requestBytes("getWindow", request(below)).equals(
        requestBytes("getWindow", request(make(min))),
      );
    if (!isSame) expect(await refusedField(below)).toContain(path.replace(/\[0\]$/, ""));
  });

  test.each(FRACTIONS)("$field holds for fractions", async ({ field, inside, outside, make }) => {
    for (const value of inside) expect(await refusedField(make(value))).toBe("");
    for (const value of [...outside, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(await refusedField(make(value))).toBe(`policy.policy.${field}`);
    }
  });

  test("holds for the policy as a whole", async () => {
    const names = times(64, (i) => `${i}`.padEnd(200, "x"));
    const condition = { $case: "toolError", value: { names } } as const;
    const stage = (index: number) =>
      keepStage({ name: `s${index}`, anyOf: times(2, () => ({ condition })) });
    const large = { stages: times(3, stage) };
    const call = server.client.call("createSession", {
      session: session({ policy: policy(large) }),
    });
    await expect(call).rejects.toMatchObject({
      failure: { reason: "REQUEST_INVALID", fields: ["session.policy.policy.stages"] },
    });
    const fits = policy({ stages: times(2, stage) });
    await server.client.call("createSession", { session: session({ policy: fits }) });
  });

  test("holds for the policy as its answers write it", async () => {
    const names = times(64, (i) => `${i}`.padEnd(200, "x"));
    const condition = { $case: "toolError", value: { names } } as const;
    const stage = (index: number, count: number, text: number) =>
      keepStage({
        name: `s${index}`,
        anyOf: times(count, () => ({ condition })),
        removedTo: RemovedTo.SUMMARIZE,
        summarize: { ...Summarize.decode(NOTHING), instructions: x(text) },
      });
    const ofText = (text: number) =>
      policy({
        stages: [stage(0, 2, 4_000), stage(1, 2, 4_000), stage(2, 0, 3_000), stage(3, 0, text)],
      });
    const empty = wire.Policy.encode(ofText(0)).finish().length;
    // It fits as it is sent, and no longer with its defaults.
    const text = LIMITS.policyBytes - empty - 10;
    expect(text).toBeGreaterThan(128);
    expect(text).toBeLessThanOrEqual(LIMITS.summaryInstructionsBytes);
    expect(wire.Policy.encode(ofText(text)).finish().length).toBeLessThan(LIMITS.policyBytes);
    expect(await refusedField(ofText(text))).toBe("policy.policy.stages");
    const { session: made } = await server.client.call("createSession", {
      session: session({ policy: ofText(text - 400) }),
    });
    expect(await refusedField({ ...made?.effectivePolicy })).toBe("");
  });

  test("holds for the name of a hook", async () => {
    for (const hook of [x(LIMITS.hookNameChars + 1), "1st", "no space"]) {
      const { make } = inSummarize("hook", [0, 0], () => ({ hook }));
      expect(await refusedField(make(0))).toBe("policy.policy.stages[0].summarize.hook");
    }
    const { make } = inSummarize("hook", [0, 0], () => ({ hook: MANUAL_HOOK }));
    expect(await refusedField(make(0))).toBe("");
  });

  test.each<readonly [string, Partial<stages.PolicyStage>]>([
    ["summarize", { removedTo: RemovedTo.LOG, summarize: Summarize.decode(NOTHING) }],
    ["summarize.leave", { summarize: { ...Summarize.decode(NOTHING), leave: AT_ONCE } }],
    [
      "summarize.on_failure",
      {
        summarize: {
          ...Summarize.decode(NOTHING),
          ...{ leave: AT_ONCE, keep: SummaryKeep.APPEND, onFailure: SummaryFailure.KEEP },
        },
      },
    ],
  ])("holds for what goes together: %s", async (field, fields) => {
    const stage = keepStage({ removedTo: RemovedTo.SUMMARIZE, ...fields });
    expect(await refusedField({ stages: [stage] })).toBe(`policy.policy.stages[0].${field}`);
  });

  test("holds for the options of a preset", async () => {
    const options = (bytes: number): Buffer => {
      const tools = Array.from({ length: 50 }, () => x(LIMITS.nameBytes));
      const told = { long_term_memory_id: "summarizer", on_tools_error_threshold: tools };
      const text = (length: number) =>
        Buffer.from(Struct.encode(Struct.wrap({ ...told, instructions: x(length) })).finish());
      return text(bytes - (text(1_000).length - 1_000));
    };
    const by = (bytes: number) => {
      const value = { name: "alquimia", options: options(bytes) };
      return { sessionId: "s", policy: { choice: { $case: "preset", value } as const } };
    };
    const most = by(LIMITS.presetOptionsBytes);
    expect(most.policy.choice.value.options).toHaveLength(LIMITS.presetOptionsBytes);
    await server.client.call("getWindow", most);
    const failure = await server.client.fail("getWindow", by(LIMITS.presetOptionsBytes + 1));
    expect(failure.fields).toEqual(["policy.preset.options"]);
    expect(failure.metadata).toMatchObject({ limit: String(LIMITS.presetOptionsBytes) });
  });
});

describe("a preset", () => {
  test("is told by the session that it makes, with the policy that it stands for", async () => {
    const sessionId = "by-name";
    const created = await server.client.call("createSession", {
      session: session({ sessionId, policy: preset("token_budget", { max_tokens: 500 }) }),
    });
    expect(created.session?.policy).toEqual(preset("token_budget", { max_tokens: 500 }));
    expect(created.session?.effectivePolicy).toMatchObject({
      name: "token_budget",
      stages: [{ name: "turns" }, { name: "assistant_turns" }],
    });
    const found = await server.client.call("getSession", { sessionId });
    expect(found).toEqual(created);
  });

  test("replaces the policy of a session, and reads a window once", async () => {
    const sessionId = "changed";
    await server.client.call("appendMessages", {
      sessionId,
      createSession: true,
      messages: [message({ text: "one" }), message({ text: "two" }), message({ text: "three" })],
    });
    const view = await server.client.call("getWindow", {
      sessionId,
      policy: preset("sliding_window", { max_messages: 2 }),
    });
    expect(view.messages.map(({ text }) => text)).toEqual(["two", "three"]);
    const updated = await server.client.call("updateSession", {
      session: session({ sessionId, policy: preset("sliding_window", { max_messages: 1 }) }),
      updateMask: ["policy"],
    });
    expect(updated.session?.effectivePolicy?.name).toBe("sliding_window");
    expect(updated.session?.windowTotals?.messageCount).toBe(1n);
  });

  test("keeps fractions exactly", async () => {
    const policyWithFractions = policy({
      tokenRule: TokenRule.CUSTOM,
      customTokenRule: { ...wire.CustomTokenRule.decode(NOTHING), charsPerToken: 3.7 },
      stages: [
        keepStage({
          select: {
            $case: "packNewest",
            value: { maxTokens: 9n, headroom: 0.1, skipUnfit: true },
          },
        }),
      ],
    });
    const created = await server.client.call("createSession", {
      session: session({ sessionId: "fractions", policy: policyWithFractions }),
    });
    const found = await server.client.call("getSession", { sessionId: "fractions" });
    const { policy: chosen, effectivePolicy } = found.session ?? {};
    expect([chosen, effectivePolicy]).toEqual([
      created.session?.policy,
      created.session?.effectivePolicy,
    ]);
    expect(chosen?.choice?.value).toEqual(effectivePolicy);
    expect(effectivePolicy?.customTokenRule?.charsPerToken).toBe(3.7);
    expect(effectivePolicy?.stages[0]?.select?.value).toMatchObject({ headroom: 0.1 });
  });

  test("is refused with unknown or bad options, naming them", async () => {
    const failure = await server.client.fail("createSession", {
      session: session({
        policy: preset("alquimia", { memory_strategy_id: "max_tokens", memory_max_token: 5 }),
      }),
    });
    expect(failure).toMatchObject({
      code: "INVALID_ARGUMENT",
      reason: "REQUEST_INVALID",
      fields: ["session.policy.preset.options.memory_max_token"],
    });
    const bad = await server.client.fail("createSession", {
      session: session({ policy: preset("selectools", { max_messages: 0 }) }),
    });
    expect(bad.message).toContain("max_messages must be at least 1");
    expect(bad.metadata).toMatchObject({ limit: "1" });
  });
});

describe("ListPolicyPresets", () => {
  test("gives every preset with options and the policy of their defaults", async () => {
    const { presets } = await server.client.call("listPolicyPresets", {});
    expect(presets.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["alquimia", "definable", "lauren", "marsys", "selectools"]),
    );
    for (const { name, options, policy: offered } of presets) {
      const needed = options.filter(({ name: path, required }) => required && !path.includes("."));
      expect(offered === undefined).toBe(needed.length > 0);
      if (offered === undefined) continue;
      const { session: created } = await server.client.call("createSession", {
        session: session({ policy: preset(name) }),
      });
      expect(created?.effectivePolicy).toEqual(offered);
    }
  });

  test("gives pages, by name", async () => {
    const names: string[] = [];
    let pageToken = "";
    do {
      const answer = await server.client.call("listPolicyPresets", { pageSize: 4, pageToken });
      expect(answer.presets.length).toBeLessThanOrEqual(4);
      names.push(...answer.presets.map(({ name }) => name));
      pageToken = answer.nextPageToken;
    } while (pageToken !== "");
    const { presets } = await server.client.call("listPolicyPresets", {});
    expect(names).toEqual(presets.map(({ name }) => name));
    expect(names).toEqual(names.toSorted());
    expect(await server.client.fail("listPolicyPresets", { pageSize: -1 })).toMatchObject({
      fields: ["page_size"],
    });
  });

  test("tells the defaults of each group of options", async () => {
    const { presets } = await server.client.call("listPolicyPresets", {});
    const options = presets.find(({ name }) => name === "alquimia")?.options ?? [];
    const defaults = (group: string) =>
      Object.fromEntries(
        options
          .filter((option) => option.group === group)
          .map((option) => [option.name, option.defaultValue]),
      );
    expect(defaults("summarizer")).toMatchObject({ interaction_threshold_qty: 20 });
    expect(defaults("neuralyzer")).toMatchObject({ interaction_threshold_qty: -1 });
  });
});
