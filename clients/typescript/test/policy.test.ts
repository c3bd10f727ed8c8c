import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { PRESETS } from "../../../src/compat/presets.ts";
import * as contract from "../src/gen/memorysidecar/v1/policy.ts";
import * as selects from "../src/gen/memorysidecar/v1/policy.ts";
import * as stages from "../src/gen/memorysidecar/v1/policy.ts";
import { TokenRule } from "../src/gen/memorysidecar/v1/policy.ts";
import * as policy from "../src/policy.ts";
import * as names from "../src/policy-names.ts";
import { preset } from "../src/presets.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../..");

const MADE: readonly (readonly [policy.StageInput, object])[] = [
  [
    policy.dropOldest("s", {
      maxMessages: 0,
      maxTokens: 900,
      maxAgeMs: 1_500,
      stopAtProtected: true,
      stopAtZeroTokens: true,
    }),
    {
      $case: "dropOldest",
      value: {
        maxMessages: 0,
        maxTokens: 900,
        maxAge: { seconds: 1, nanos: 500_000_000 },
        stopAtProtected: true,
        stopAtZeroTokens: true,
      },
    },
  ],
  [policy.keepLast("s", 3), { $case: "keepLast", value: { unitCount: 3 } }],
  [
    policy.packNewest("s", { maxTokens: 500, headroom: 0.25, skipUnfit: true }),
    { $case: "packNewest", value: { maxTokens: 500, headroom: 0.25, skipUnfit: true } },
  ],
  [
    policy.pinMiddleRecent("s", { pinFirst: 2, keepRecent: 4, minRemoved: 3 }),
    { $case: "pinMiddleRecent", value: { pinFirst: 2, keepRecent: 4, minRemoved: 3 } },
  ],
  [
    policy.filter("s", "message.role != 'tool'", { scope: "message" }),
    {
      $case: "filter",
      value: { conditions: ["message.role != 'tool'"], scope: selects.FilterScope.MESSAGE },
    },
  ],
  [
    policy.shorten("s", { maxTokens: 400, allRoles: true, keepNewest: 0 }),
    {
      $case: "shorten",
      value: { maxTokens: 400, allRoles: true, keepNewest: 0, minSavedTokens: 0 },
    },
  ],
  [
    policy.dropDuplicates("s", { similarity: 0.8, lookahead: 20 }),
    { $case: "dropDuplicates", value: { similarity: 0.8, lookahead: 20 } },
  ],
  [policy.boundaryOnly("s", "pop-tool-head"), { $case: "boundaryOnly", value: {} }],
];

describe("stages", () => {
  test.each(MADE)("%#: $select.$case", (made, select) => {
    const stage = stages.PolicyStage.fromPartial(made);
    expect(stage.select).toEqual(select);
    expect(stage).toMatchObject({
      name: "s",
      on: stages.StageOn.APPEND,
      unit: stages.WindowUnit.TURN,
      anyOf: [],
    });
  });

  test("have a boundary, alone or with its rule for every time", () => {
    const { boundary } = policy.boundaryOnly("s", { rule: "pop-orphan-head", always: true });
    expect(boundary).toEqual({ rule: selects.BoundaryRule.POP_ORPHAN_HEAD, always: true });
    const grown = policy.keepLast("s", 1, { boundary: "grow-recent" });
    expect(grown.boundary).toEqual({ rule: selects.BoundaryRule.GROW_RECENT, always: false });
  });

  test("take every trigger and option", () => {
    const made = policy.keepLast("tail", 3, {
      unit: "message",
      on: "turn-end",
      over: {
        messages: 5,
        tokens: 1_000,
        turns: 2,
        turnTokens: 30,
        modelInputTokens: 40,
        ageMs: 2_000,
      },
      anyOf: {
        contextShareAtLeast: 0.5,
        newMessagesAtLeast: 6,
        newTokensAtLeast: 70,
        toolSuccess: ["save"],
        toolError: ["load"],
        always: true,
      },
      countIf: "message.role != 'system'",
      effect: "store",
      removedTo: "discard",
    });
    expect(stages.PolicyStage.fromPartial(made)).toMatchObject({
      on: stages.StageOn.TURN_END,
      unit: stages.WindowUnit.MESSAGE,
      anyOf: [
        { condition: { $case: "messageCountOver", value: 5 } },
        { condition: { $case: "tokenCountOver", value: 1_000 } },
        { condition: { $case: "turnCountOver", value: 2 } },
        { condition: { $case: "turnTokensOver", value: 30 } },
        { condition: { $case: "modelInputTokensOver", value: 40 } },
        { condition: { $case: "ageOver", value: { seconds: 2, nanos: 0 } } },
        { condition: { $case: "contextShareAtLeast", value: 0.5 } },
        { condition: { $case: "newMessagesAtLeast", value: 6 } },
        { condition: { $case: "newTokensAtLeast", value: 70 } },
        { condition: { $case: "toolSuccess", value: { names: ["save"] } } },
        { condition: { $case: "toolError", value: { names: ["load"] } } },
        { condition: { $case: "always", value: {} } },
      ],
      countIf: ["message.role != 'system'"],
      effect: stages.StageEffect.STORE,
      removedTo: stages.RemovedTo.DISCARD,
    });
    const named = policy.keepLast("s", 1, {
      anyOf: {
        messageCountOver: 1,
        tokenCountOver: 2,
        modelInputTokensOver: 3,
        turnCountOver: 4,
        turnTokensOver: 5,
        ageOverMs: 6_000,
      },
    });
    expect(named.anyOf?.map(({ condition }) => condition)).toEqual([
      { $case: "messageCountOver", value: 1 },
      { $case: "tokenCountOver", value: 2 },
      { $case: "modelInputTokensOver", value: 3 },
      { $case: "turnCountOver", value: 4 },
      { $case: "turnTokensOver", value: 5 },
      { $case: "ageOver", value: { seconds: 6, nanos: 0 } },
    ]);
  });
});

describe("policies", () => {
  test("are put together", () => {
    const made = policy.makePolicy([policy.keepLast("s", 1)], {
      name: "mine",
      customTokenRule: policy.customTokenRule({ charsPerToken: 4, rounding: "down", min: 1 }),
      protections: policy.protections({ system: "leading", pinFirst: 1, pinMessageIds: ["a"] }),
      toolResultFill: policy.toolResultFill("moved-on", { newestOnly: true, text: "gone" }),
      toolPairing: "grouped",
      model: "gpt-4o",
      contextWindow: 64_000,
      imageTokenCount: 0,
    });
    const whole = contract.Policy.fromPartial(made);
    expect(whole).toMatchObject({
      name: "mine",
      tokenRule: TokenRule.CUSTOM,
      customTokenRule: { charsPerToken: 4, rounding: contract.TokenRounding.DOWN, min: 1 },
      protections: { system: contract.SystemProtection.LEADING, pinFirst: 1 },
      toolResultFill: {
        rule: contract.ToolResultFillRule.MOVED_ON,
        newestOnly: true,
        text: "gone",
      },
      toolPairing: contract.ToolPairing.GROUPED,
      contextWindow: 64_000,
      imageTokenCount: 0,
    });
    const plain = policy.makePolicy([], { tokenRule: TokenRule.O200K });
    expect(contract.Policy.fromPartial(plain).tokenRule).toBe(TokenRule.O200K);
    const named = policy.makePolicy([], { tokenPreset: "structured" });
    expect(contract.Policy.fromPartial(named)).toMatchObject({
      tokenRule: TokenRule.PRESET,
      tokenPreset: "structured",
    });
    expect(contract.Policy.fromPartial(policy.makePolicy([])).protections).toBeUndefined();
  });

  test.each([
    [names.UNITS, stages.WindowUnit],
    [names.OCCASIONS, stages.StageOn],
    [names.EFFECTS, stages.StageEffect],
    [names.REMOVED_TO, stages.RemovedTo],
    [names.BOUNDARIES, selects.BoundaryRule],
    [names.SCOPES, selects.FilterScope],
    [names.SYSTEM, contract.SystemProtection],
    [names.TOOL_PAIRING, contract.ToolPairing],
    [names.FILL_RULES, contract.ToolResultFillRule],
    [names.ROUNDING, contract.TokenRounding],
  ])("have the names of the contract, %#", (ours, theirs) => {
    const named = Object.entries(ours).map(([name, value]) => [
      name.replaceAll("-", "_").toUpperCase(),
      value,
    ]);
    const { UNSPECIFIED: _unset, ...known } = theirs;
    expect(Object.fromEntries(named)).toEqual(known);
  });
});

describe("presets", () => {
  test("name a preset and its options", () => {
    expect(preset("sliding_window")).toEqual({ preset: { name: "sliding_window", options: {} } });
    const options = { active_context: { processor_order: ["backward_packing"] } } as const;
    const made = contract.PolicyChoice.fromPartial(
      policy.toPolicyChoice(preset("marsys", options)),
    );
    expect(contract.PolicyChoice.decode(contract.PolicyChoice.encode(made).finish())).toEqual({
      choice: { $case: "preset", value: { name: "marsys", options } },
    });
  });

  // The types are checked as their users check them, with the compiler.
  test("have the options of the server, and no others", async () => {
    const dir = mkdtempSync(join(ROOT, "node_modules/.policy-test-"));
    const sources = '"../../clients/typescript/src/index.ts"';
    const offered = PRESETS.map(({ name, options }) => {
      const names = options.map((option) => option.name).filter((key) => !key.includes("."));
      const keys = [...new Set(names.map((key) => JSON.stringify(key)))];
      return `  ${name}: ${keys.join(" | ")};`;
    });
    const right = [
      `import { boundaryOnly, dropOldest, keepLast, type PresetOptions, preset } from ${sources};`,
      `interface Offered {\n${offered.join("\n")}\n}`,
      "type Same<A, B> = [A, B] extends [B, A] ? true : false;",
      "type Names = { [N in keyof PresetOptions]: keyof PresetOptions[N] };",
      "export const same: Same<Names, Offered> = true;",
    ].join("\n");
    writeFileSync(join(dir, "checks.ts"), [right, ...WRONG, ""].join("\n"));
    const config = { extends: join(ROOT, "tsconfig.json"), include: ["checks.ts"], exclude: [] };
    writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const printed = await run(process.execPath, [tsc, "-p", dir]).then(
      ({ stdout }) => stdout,
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    rmSync(dir, { recursive: true });
    const errors = printed.split("\n").filter((line) => line.includes(": error TS"));
    const lines = errors.map((line) => Number(/checks\.ts\((\d+),/.exec(line)?.[1]));
    const first = right.split("\n").length + 1;
    expect(new Set(lines), printed).toEqual(new Set(WRONG.map((_, index) => first + index)));
  }, 60_000);
});

const WRONG = [
  'preset("sliding_window", { messages: 3 })',
  'preset("forget_old")',
  'preset("forget_old", { erase: true })',
  'preset("selectools", { max_message: 3 })',
  'preset("marsys", { memory_config: { target: 3 } })',
  'preset("lauren", { era: "D" })',
  'preset("unknown")',
  'keepLast("s", 1, { units: "message" })',
  'keepLast("s", 1, { unit: "messages" })',
  'keepLast("s", 1, { over: { message: 3 } })',
  'dropOldest("s", { maxMessage: 3 })',
  'boundaryOnly("s", "pop")',
];
