// Typed ways to write a policy: stages, triggers, protections and the rest. Presets have a file of
// their own.

import { fieldsOf, onlyFields, onlyOptions, whole } from "./choice.ts";
import {
  type CustomTokenRule,
  type DeepPartial,
  Policy,
  type PolicyChoice,
  PolicyStage,
  type Protections,
  type Summarize,
  type SummaryView,
  TokenRule,
  type ToolResultFill,
  type Trigger,
} from "./gen/memorysidecar/v1/policy.ts";
import * as names from "./policy-names.ts";
import { toDuration } from "./time.ts";

/** A policy as it is given, where everything may be left out, or that of a session read. */
export type PolicyInput = WrittenPolicy | PresetInput | PolicyChoice;

/** A policy that is written out. */
export type WrittenPolicy = DeepPartial<Policy>;

/** A preset of the server, with its options. */
export interface PresetInput {
  readonly preset: {
    readonly name: string;
    readonly options?: { readonly [name: string]: unknown };
  };
}

const POLICY_FIELDS = fieldsOf(Policy.fromPartial({}));
const STAGE_FIELDS = fieldsOf(PolicyStage.fromPartial({}));

/** The choice of a policy as requests hold it. */
export function toPolicyChoice(input: PolicyInput): DeepPartial<PolicyChoice> {
  if ("choice" in input) return input as PolicyChoice;
  const policy = input as WrittenPolicy | PresetInput;
  if (!("preset" in policy)) {
    onlyFields("policy", policy, POLICY_FIELDS);
    for (const one of policy.stages ?? []) onlyFields("stage", one, STAGE_FIELDS);
    return { choice: { $case: "policy", value: policy } };
  }
  onlyFields("preset", policy, { preset: true });
  onlyFields("preset", policy.preset, { name: true, options: true });
  const { name, options = {} } = policy.preset;
  return { choice: { $case: "preset", value: { name, options } } };
}

/** A stage of a policy, as the functions here make it. */
export type StageInput = DeepPartial<PolicyStage>;

/** Sizes of the window, each of which makes a stage act when it is passed. */
export interface Over {
  readonly messages?: number;
  readonly tokens?: number;
  readonly turns?: number;
  readonly turnTokens?: number;
  readonly modelInputTokens?: number;
  readonly ageMs?: number;
}

/** The triggers of a stage by their names in the contract: any one of them suffices. */
export interface AnyOf {
  readonly messageCountOver?: number;
  readonly tokenCountOver?: number;
  readonly contextShareAtLeast?: number;
  readonly modelInputTokensOver?: number;
  readonly turnCountOver?: number;
  readonly turnTokensOver?: number;
  readonly newMessagesAtLeast?: number;
  readonly newTokensAtLeast?: number;
  readonly toolSuccess?: readonly string[];
  readonly toolError?: readonly string[];
  readonly ageOverMs?: number;
  readonly always?: true;
}

/** Options of every stage except its boundary. */
export interface PlainStageOptions {
  /** Unit that is kept or removed as a whole. Default `turn`. */
  readonly unit?: names.UnitName;
  /** When the stage runs. Default `append`. */
  readonly on?: names.OccasionName;
  /** Triggers of the stage, together with `anyOf`: any one suffices. Default: always. */
  readonly over?: Over;
  /** Triggers of the stage, by the names of the contract. */
  readonly anyOf?: AnyOf;
  /** Conditions in CEL: triggers count only units for which all hold for every message. */
  readonly countIf?: string | readonly string[];
  /** Whether the stored window changes. Default: `view` on read and to shorten, else `store`. */
  readonly effect?: names.EffectName;
  /**
   * Destination of messages that leave the stored window. Default `log`, or `summarize` beside
   * `summarize`.
   */
  readonly removedTo?: names.RemovedToName;
  /** Summary options; see the function `summarize`. */
  readonly summarize?: DeepPartial<Summarize>;
}

/** Options of every stage. */
export interface StageOptions extends PlainStageOptions {
  /** Repair of unsafe cuts; `always` also if nothing was removed. Default: none. */
  readonly boundary?: BoundaryInput;
}

const OVER = {
  ...{ messages: true, tokens: true, turns: true, turnTokens: true },
  ...{ modelInputTokens: true, ageMs: true },
} as const;
const ANY_OF = {
  ...{ messageCountOver: true, tokenCountOver: true, contextShareAtLeast: true },
  ...{ modelInputTokensOver: true, turnCountOver: true, turnTokensOver: true },
  ...{ newMessagesAtLeast: true, newTokensAtLeast: true, toolSuccess: true, toolError: true },
  ...{ ageOverMs: true, always: true },
} as const;
const STAGE_OPTIONS = {
  ...{ unit: true, on: true, over: true, anyOf: true, countIf: true, effect: true },
  ...{ removedTo: true, summarize: true, boundary: true },
} as const;

/** Repair of unsafe cuts. */
export type BoundaryInput =
  | names.BoundaryName
  | { readonly rule: names.BoundaryName; readonly always: boolean };

/** The limits of a stage that drops the oldest units. At least one is needed. */
export interface Limits {
  readonly maxMessages?: number;
  readonly maxTokens?: number;
  /** Maximum age of a unit relative to the newest message of the session, in milliseconds. */
  readonly maxAgeMs?: number;
  /** Stops at the first unit that must stay. Default false: goes on behind it. */
  readonly stopAtProtected?: boolean;
  /** Stops at the first unit that costs no tokens. Default false. */
  readonly stopAtZeroTokens?: boolean;
}

type Condition = NonNullable<DeepPartial<Trigger>["condition"]>;

function count(
  $case: "messageCountOver" | "turnCountOver" | "newMessagesAtLeast" | "contextShareAtLeast",
  value: number | undefined,
): Condition[] {
  return value === undefined ? [] : [{ $case, value }];
}

function size(
  $case: "tokenCountOver" | "turnTokensOver" | "modelInputTokensOver" | "newTokensAtLeast",
  value: number | undefined,
): Condition[] {
  return value === undefined ? [] : [{ $case, value: whole(value) }];
}

function tools(
  $case: "toolSuccess" | "toolError",
  values: readonly string[] | undefined,
): Condition[] {
  return values === undefined ? [] : [{ $case, value: { names: [...values] } }];
}

function age(ms: number | undefined): Condition[] {
  return ms === undefined ? [] : [{ $case: "ageOver", value: toDuration(ms) }];
}

function triggers(over: Over, anyOf: AnyOf): DeepPartial<Trigger>[] {
  const { always } = anyOf;
  const conditions: Condition[] = [
    ...count("messageCountOver", over.messages),
    ...size("tokenCountOver", over.tokens),
    ...count("turnCountOver", over.turns),
    ...size("turnTokensOver", over.turnTokens),
    ...size("modelInputTokensOver", over.modelInputTokens),
    ...age(over.ageMs),
    ...count("messageCountOver", anyOf.messageCountOver),
    ...size("tokenCountOver", anyOf.tokenCountOver),
    ...count("contextShareAtLeast", anyOf.contextShareAtLeast),
    ...size("modelInputTokensOver", anyOf.modelInputTokensOver),
    ...count("turnCountOver", anyOf.turnCountOver),
    ...size("turnTokensOver", anyOf.turnTokensOver),
    ...count("newMessagesAtLeast", anyOf.newMessagesAtLeast),
    ...size("newTokensAtLeast", anyOf.newTokensAtLeast),
    ...tools("toolSuccess", anyOf.toolSuccess),
    ...tools("toolError", anyOf.toolError),
    ...age(anyOf.ageOverMs),
    ...(always ? [{ $case: "always", value: {} } as const] : []),
  ];
  return conditions.map((condition) => ({ condition }));
}

function list(values: string | readonly string[]): string[] {
  return typeof values === "string" ? [values] : [...values];
}

function stage(
  name: string,
  select: NonNullable<StageInput["select"]>,
  options: StageOptions,
): StageInput {
  onlyOptions(select.$case, options, STAGE_OPTIONS);
  const { unit = "turn", on = "append", over = {}, anyOf = {}, countIf = [] } = options;
  onlyFields("trigger of over", over, OVER);
  onlyFields("trigger of anyOf", anyOf, ANY_OF);
  const { boundary, effect, summarize } = options;
  const removedTo = options.removedTo ?? (summarize && "summarize");
  const rule = typeof boundary === "string" ? { rule: boundary, always: false } : boundary;
  return {
    name,
    unit: names.UNITS[unit],
    on: names.OCCASIONS[on],
    anyOf: triggers(over, anyOf),
    select,
    ...(countIf.length > 0 && { countIf: list(countIf) }),
    ...(rule && { boundary: { ...rule, rule: names.BOUNDARIES[rule.rule] } }),
    ...(effect && { effect: names.EFFECTS[effect] }),
    ...(removedTo && { removedTo: names.REMOVED_TO[removedTo] }),
    ...(summarize && { summarize }),
  };
}

const LIMITS = {
  ...{ maxMessages: true, maxTokens: true, maxAgeMs: true },
  ...{ stopAtProtected: true, stopAtZeroTokens: true },
} as const;

/** Makes a stage that removes the oldest units until the limits hold. */
export function dropOldest(name: string, limits: Limits, options: StageOptions = {}): StageInput {
  onlyFields("limit of dropOldest", limits, LIMITS);
  const { maxTokens, maxAgeMs, ...rest } = limits;
  const value = {
    ...rest,
    ...(maxTokens !== undefined && { maxTokens: whole(maxTokens) }),
    ...(maxAgeMs !== undefined && { maxAge: toDuration(maxAgeMs) }),
  };
  return stage(name, { $case: "dropOldest", value }, options);
}

/** Makes a stage that keeps the newest units. */
export function keepLast(name: string, unitCount: number, options: StageOptions = {}): StageInput {
  return stage(name, { $case: "keepLast", value: { unitCount } }, options);
}

/** The budget of a stage that packs. */
export interface Budget {
  readonly maxTokens: number;
  /** The share of the budget that is left free. Default 0. */
  readonly headroom?: number;
  /** Goes on behind a unit that does not fit. Default false: stops there. */
  readonly skipUnfit?: boolean;
}

/** Makes a stage that takes units from the newest backwards while they fit a budget. */
export function packNewest(name: string, budget: Budget, options: StageOptions = {}): StageInput {
  onlyFields("budget", budget, { maxTokens: true, headroom: true, skipUnfit: true });
  const value = { ...budget, maxTokens: whole(budget.maxTokens) };
  return stage(name, { $case: "packNewest", value }, options);
}

/** Ends that a stage leaves when it removes the middle. */
export interface Ends {
  readonly pinFirst: number;
  readonly keepRecent: number;
  /** The fewest messages worth removing. Default 1. */
  readonly minRemoved?: number;
}

const ENDS = { pinFirst: true, keepRecent: true, minRemoved: true } as const;

/** Makes a stage that keeps the first and the newest messages and removes the middle. */
export function pinMiddleRecent(name: string, ends: Ends, options: StageOptions = {}): StageInput {
  onlyFields("choice of pinMiddleRecent", ends, ENDS);
  return stage(name, { $case: "pinMiddleRecent", value: { ...ends } }, options);
}

/** Options of a filter. */
export interface FilterOptions extends StageOptions {
  /** Scope that must meet the conditions. Default `unit`. */
  readonly scope?: names.ScopeName;
}

/** Makes a stage that keeps only what meets all conditions, which are written in CEL. */
export function filter(
  name: string,
  conditions: string | readonly string[],
  options: FilterOptions = {},
): StageInput {
  const { scope, ...rest } = options;
  const value = { conditions: list(conditions), ...(scope && { scope: names.SCOPES[scope] }) };
  return stage(name, { $case: "filter", value }, rest);
}

/** Contents that a stage shortens. */
export interface Shortening {
  /** Contents that cost more are cut to about this many. */
  readonly maxTokens: number;
  /** Cuts the contents of all messages. Default false: only tool results. */
  readonly allRoles?: boolean;
  /** Number of the newest messages that stay unchanged. Default 4. */
  readonly keepNewest?: number;
}

const SHORTENING = { maxTokens: true, allRoles: true, keepNewest: true } as const;

/** Makes a stage that cuts long contents down. */
export function shorten(name: string, what: Shortening, options: PlainStageOptions = {}) {
  onlyFields("choice of shorten", what, SHORTENING);
  return stage(name, { $case: "shorten", value: { ...what } }, options);
}

/** Threshold for texts that are nearly the same. */
export interface Likeness {
  /** Similarity from which two texts are duplicates, 0.5 to 1. Default 0.9. */
  readonly similarity?: number;
  /** Number of newer messages of its role with which a message is compared. Default 50. */
  readonly lookahead?: number;
}

/** Makes a stage that removes messages that say nearly the same as a newer one. */
export function dropDuplicates(
  name: string,
  likeness: Likeness = {},
  options: StageOptions = {},
): StageInput {
  onlyFields("choice of dropDuplicates", likeness, { similarity: true, lookahead: true });
  return stage(name, { $case: "dropDuplicates", value: { ...likeness } }, options);
}

/** Makes a stage that does nothing but what its boundary rule says. */
export function boundaryOnly(
  name: string,
  boundary: BoundaryInput,
  options: PlainStageOptions = {},
): StageInput {
  return stage(name, { $case: "boundaryOnly", value: {} }, { ...options, boundary });
}

/** Messages that no stage may remove. Unset members have the default of the contract. */
export interface ProtectionOptions {
  readonly system?: names.SystemName;
  readonly pinFirst?: number;
  readonly minMessages?: number;
  /** Lets stages remove the newest user message, which stays otherwise. */
  readonly releaseLastUser?: boolean;
  readonly pinMessageIds?: readonly string[];
}

const PROTECTIONS = {
  ...{ system: true, pinFirst: true, minMessages: true, releaseLastUser: true },
  pinMessageIds: true,
} as const;

/** Says what no stage may remove. */
export function protections(options: ProtectionOptions): DeepPartial<Protections> {
  onlyOptions("protections", options, PROTECTIONS);
  const { system, pinMessageIds = [], ...rest } = options;
  const named = system === undefined ? {} : { system: names.SYSTEM[system] };
  return { ...rest, ...named, pinMessageIds: [...pinMessageIds] };
}

/** Says which tool calls without a result a read answers, and with which text. */
export function toolResultFill(
  rule: names.FillRuleName,
  options: { readonly newestOnly?: boolean; readonly text?: string } = {},
): DeepPartial<ToolResultFill> {
  onlyOptions("toolResultFill", options, { newestOnly: true, text: true });
  return { ...options, rule: names.FILL_RULES[rule] };
}

/** The parts of a token rule. What is left out is 0, false, or `up`. */
export interface TokenRuleParts {
  readonly charsPerToken: number;
  readonly rounding?: names.RoundingName;
  readonly perMessage?: number;
  readonly perCall?: number;
  readonly min?: number;
  readonly contentOnly?: boolean;
}

const TOKEN_RULE_PARTS = {
  ...{ charsPerToken: true, rounding: true, perMessage: true, perCall: true, min: true },
  contentOnly: true,
} as const;

/** Puts a token rule together. */
export function customTokenRule(parts: TokenRuleParts): DeepPartial<CustomTokenRule> {
  onlyOptions("customTokenRule", parts, TOKEN_RULE_PARTS);
  const { rounding, ...rest } = parts;
  return { ...rest, ...(rounding && { rounding: names.ROUNDING[rounding] }) };
}

/** Options of a policy beside its stages. */
export interface PolicyOptions {
  /** A label for people. */
  readonly name?: string;
  /** Default: bytes divided by 4, or `TokenRule.CUSTOM` beside a `customTokenRule`. */
  readonly tokenRule?: TokenRule;
  readonly customTokenRule?: DeepPartial<CustomTokenRule>;
  /** A token rule by its name, in place of `tokenRule`. */
  readonly tokenPreset?: string;
  readonly imageTokenCount?: number;
  readonly protections?: DeepPartial<Protections>;
  readonly toolPairing?: names.ToolPairingName;
  readonly toolResultFill?: DeepPartial<ToolResultFill>;
  /** Display of the session summary in a window; see the function `summaryView`. */
  readonly summaryView?: DeepPartial<SummaryView>;
  readonly model?: string;
  readonly contextWindow?: number;
  /** Limits do not count the summary of the session and filled results. */
  readonly countStoredOnly?: boolean;
}

const POLICY_OPTIONS = {
  ...{ name: true, tokenRule: true, customTokenRule: true, tokenPreset: true },
  ...{ imageTokenCount: true, protections: true, toolPairing: true, toolResultFill: true },
  ...{ summaryView: true, model: true, contextWindow: true, countStoredOnly: true },
} as const;

/** Makes a policy of stages, in their order. */
export function makePolicy(
  stages: readonly StageInput[],
  options: PolicyOptions = {},
): WrittenPolicy {
  onlyOptions("makePolicy", options, POLICY_OPTIONS);
  const { toolPairing, contextWindow, ...rest } = options;
  const custom = options.customTokenRule && { tokenRule: TokenRule.CUSTOM };
  const named = options.tokenPreset && { tokenRule: TokenRule.PRESET };
  return {
    ...custom,
    ...named,
    ...rest,
    stages: [...stages],
    ...(toolPairing && { toolPairing: names.TOOL_PAIRING[toolPairing] }),
    ...(contextWindow !== undefined && { contextWindow: whole(contextWindow) }),
  };
}
