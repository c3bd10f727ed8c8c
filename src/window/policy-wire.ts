// Policies between the public form, where most may be left out, and the complete form of the
// domain. The input has been checked: unknown numbers and unknown presets do not come this far.

import type * as wire from "../gen/memorysidecar/v1/policy.ts";
import type * as selects from "../gen/memorysidecar/v1/policy.ts";
import { fromDuration, toDuration } from "../grpc/time.ts";
import { modelContextWindow } from "./policy/models.ts";
import {
  type CustomTokenRule,
  DEFAULT_IMAGE_TOKEN_COUNT,
  DEFAULT_PROTECTIONS,
  type Policy,
  type PolicyStage,
  type Protections,
  type Selection,
  type ToolResultFill,
  type Trigger,
} from "./policy/policy.ts";
import {
  DEFAULT_SUMMARY_SPEC,
  DEFAULT_SUMMARY_VIEW,
  type SummarySpec,
  type SummaryView,
} from "./policy/summary-spec.ts";
import { expandWirePreset, fromPreset, toPreset } from "./preset-wire.ts";
import {
  BOUNDARY_RULES,
  FILTER_SCOPES,
  fromTokenRule,
  REMOVED_TO,
  ROUNDINGS,
  STAGE_EFFECTS,
  STAGE_ON,
  SUMMARY_FAILURES,
  SUMMARY_FLOWS,
  SUMMARY_KEEPS,
  SUMMARY_LEAVES,
  SUMMARY_SHAPES,
  SUMMARY_SHOWS,
  SYSTEM_PROTECTIONS,
  TOOL_PAIRING,
  TOOL_RESULT_FILL_RULE,
  TRANSCRIPT_STYLES,
  toTokenRule,
  UNITS,
} from "./token-rule-wire.ts";

/** Fills in every default of how messages are summarized. */
export function fromSummarize(summarize: wire.Summarize | undefined): SummarySpec {
  if (summarize === undefined) return DEFAULT_SUMMARY_SPEC;
  const initial = DEFAULT_SUMMARY_SPEC;
  const leave = SUMMARY_LEAVES[summarize.leave] ?? initial.leave;
  return {
    hook: summarize.hook,
    maxTokens: summarize.maxTokens ?? initial.maxTokens,
    instructions: summarize.instructions,
    keep: SUMMARY_KEEPS[summarize.keep] ?? initial.keep,
    flow: SUMMARY_FLOWS[summarize.flow] ?? initial.flow,
    maxLoops: summarize.maxLoops ?? initial.maxLoops,
    leave,
    onFailure: fromFailure(summarize.onFailure, leave),
    placeholder: summarize.placeholder === "" ? initial.placeholder : summarize.placeholder,
    separator: summarize.separator ?? initial.separator,
    lastChars: summarize.lastChars ?? initial.lastChars,
    ...(summarize.lastCharsExact ? { lastCharsExact: true } : {}),
    prefix: summarize.prefix,
    transcript: TRANSCRIPT_STYLES[summarize.transcript] ?? initial.transcript,
    fanIn: summarize.fanIn ?? initial.fanIn,
    shape: SUMMARY_SHAPES[summarize.shape] ?? initial.shape,
    collectionId: summarize.collectionId,
  };
}

/** Messages that left at once cannot be kept. */
function fromFailure(
  failure: wire.SummaryFailure,
  leave: SummarySpec["leave"],
): SummarySpec["onFailure"] {
  if (failure === 0) return leave === "at-once" ? "drop" : "keep";
  return SUMMARY_FAILURES[failure] ?? "keep";
}

/** Gives how messages are summarized with every default written out. */
export function toSummarize(spec: SummarySpec): wire.Summarize {
  return {
    hook: spec.hook,
    maxTokens: spec.maxTokens,
    instructions: spec.instructions,
    keep: SUMMARY_KEEPS.lastIndexOf(spec.keep) as wire.SummaryKeep,
    flow: SUMMARY_FLOWS.lastIndexOf(spec.flow) as wire.SummaryFlow,
    maxLoops: spec.maxLoops,
    leave: SUMMARY_LEAVES.lastIndexOf(spec.leave) as wire.SummaryLeave,
    onFailure: toSummaryFailure(spec.onFailure),
    placeholder: spec.placeholder,
    separator: spec.separator,
    lastChars: spec.lastChars,
    lastCharsExact: spec.lastCharsExact ?? false,
    prefix: spec.prefix,
    transcript: TRANSCRIPT_STYLES.lastIndexOf(spec.transcript) as wire.TranscriptStyle,
    fanIn: spec.fanIn,
    shape: SUMMARY_SHAPES.lastIndexOf(spec.shape) as wire.SummaryShape,
    collectionId: spec.collectionId,
  };
}

/** The public number of what becomes of messages without a summary. */
export function toSummaryFailure(failure: SummarySpec["onFailure"]): wire.SummaryFailure {
  return SUMMARY_FAILURES.lastIndexOf(failure) as wire.SummaryFailure;
}

/** Fills in every default of how the summary of a session is shown. */
export function fromSummaryView(view: wire.SummaryView | undefined): SummaryView {
  if (view === undefined) return DEFAULT_SUMMARY_VIEW;
  return {
    show: SUMMARY_SHOWS[view.show] ?? DEFAULT_SUMMARY_VIEW.show,
    prefix: view.prefix ?? DEFAULT_SUMMARY_VIEW.prefix,
    ...(view.maxTokens === undefined ? {} : { maxTokens: Number(view.maxTokens) }),
  };
}

/** Gives how the summary of a session is shown with every default written out. */
export function toSummaryView(view: SummaryView): wire.SummaryView {
  return {
    show: SUMMARY_SHOWS.lastIndexOf(view.show) as wire.SummaryShow,
    prefix: view.prefix,
    maxTokens: view.maxTokens === undefined ? undefined : BigInt(view.maxTokens),
  };
}

const DEFAULT_MIN_REMOVED = 1;
const DEFAULT_KEEP_NEWEST = 4;
const DEFAULT_MARKER = " [...]";
const DEFAULT_SIMILARITY = 0.9;
const DEFAULT_LOOKAHEAD = 50;

type Condition = NonNullable<wire.Trigger["condition"]>;
type Select = NonNullable<wire.PolicyStage["select"]>;

/** The effect of a stage: as it says, or else view on read and for what shortens. */
export function effectOf(stage: wire.PolicyStage): PolicyStage["effect"] {
  if (stage.effect !== 0) return STAGE_EFFECTS[stage.effect] ?? "store";
  return STAGE_ON[stage.on] === "read" || stage.select?.$case === "shorten" ? "view" : "store";
}

/** Fills in every default of a stage. */
export function fromStage(stage: wire.PolicyStage): PolicyStage {
  const { boundary, keepAssistantTurns, countWhole } = stage;
  const removedTo = REMOVED_TO[stage.removedTo] ?? "log";
  return {
    name: stage.name,
    on: STAGE_ON[stage.on] ?? "append",
    anyOf: stage.anyOf.flatMap(({ condition }) =>
      condition === undefined ? [] : [fromCondition(condition)],
    ),
    unit: UNITS[stage.unit] ?? "turn",
    select: fromSelect(stage.select),
    countIf: [...stage.countIf],
    boundary:
      boundary === undefined
        ? undefined
        : { rule: BOUNDARY_RULES[boundary.rule] ?? "pop-tool-head", always: boundary.always },
    effect: effectOf(stage),
    removedTo,
    summarize: removedTo === "summarize" ? fromSummarize(stage.summarize) : undefined,
    ...(keepAssistantTurns === 0 ? {} : { keepAssistantTurns }),
    ...(countWhole ? { countWhole } : {}),
  };
}

function fromCondition(condition: Condition): Trigger {
  switch (condition.$case) {
    case "messageCountOver":
      return { kind: "message-count-over", limit: condition.value };
    case "tokenCountOver":
      return { kind: "token-count-over", limit: Number(condition.value) };
    case "contextShareAtLeast":
      return { kind: "context-share-at-least", share: condition.value };
    case "modelInputTokensOver":
      return { kind: "model-input-tokens-over", limit: Number(condition.value) };
    case "turnCountOver":
      return { kind: "turn-count-over", limit: condition.value };
    case "turnTokensOver":
      return { kind: "turn-tokens-over", limit: Number(condition.value) };
    case "newMessagesAtLeast":
      return { kind: "new-messages-at-least", limit: condition.value };
    case "newTokensAtLeast":
      return { kind: "new-tokens-at-least", limit: Number(condition.value) };
    case "toolSuccess":
      return { kind: "tool-success", names: [...condition.value.names] };
    case "toolError":
      return { kind: "tool-error", names: [...condition.value.names] };
    case "ageOver":
      return { kind: "age-over", ms: fromDuration(condition.value) };
    case "always":
      return { kind: "always" };
  }
}

function fromSelect(select: wire.PolicyStage["select"]): Selection {
  switch (select?.$case) {
    case "keepLast":
      return { kind: "keep-last", unitCount: select.value.unitCount ?? 0 };
    case "packNewest": {
      const { maxTokens = 0n, headroom, skipUnfit } = select.value;
      return { kind: "pack-newest", maxTokens: Number(maxTokens), headroom, skipUnfit };
    }
    case "pinMiddleRecent": {
      const { pinFirst, keepRecent, minRemoved = DEFAULT_MIN_REMOVED } = select.value;
      return { kind: "pin-middle-recent", pinFirst, keepRecent, minRemoved };
    }
    case "filter": {
      const { conditions, scope } = select.value;
      return {
        kind: "filter",
        conditions: [...conditions],
        scope: FILTER_SCOPES[scope] ?? "unit",
      };
    }
    case "shorten":
      return fromShorten(select.value);
    case "dropDuplicates": {
      const { similarity = DEFAULT_SIMILARITY, lookahead = DEFAULT_LOOKAHEAD } = select.value;
      return { kind: "drop-duplicates", similarity, lookahead };
    }
    case "boundaryOnly":
      return { kind: "boundary-only" };
    default:
      return fromDropOldest(select?.value);
  }
}

function fromShorten(value: selects.Shorten): Selection {
  const { maxTokens, allRoles, keepNewest = DEFAULT_KEEP_NEWEST, keepChars } = value;
  const { marker = DEFAULT_MARKER, minSavedTokens } = value;
  return {
    kind: "shorten",
    maxTokens,
    allRoles,
    keepNewest,
    ...(keepChars === undefined ? {} : { head: { chars: keepChars, marker } }),
    ...(minSavedTokens === 0n ? {} : { minSavedTokens: Number(minSavedTokens) }),
  };
}

function fromDropOldest(value: selects.DropOldest | undefined): Selection {
  const {
    maxMessages,
    maxTokens,
    maxAge,
    stopAtProtected = false,
    stopAtZeroTokens: stopAtFree = false,
  } = value ?? {};
  return {
    kind: "drop-oldest",
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(maxTokens === undefined ? {} : { maxTokens: Number(maxTokens) }),
    ...(maxAge === undefined ? {} : { maxAgeMs: fromDuration(maxAge) }),
    stopAtProtected,
    stopAtFree,
  };
}

/** Gives a stage with every default written out. */
export function toStage(stage: PolicyStage): wire.PolicyStage {
  const { boundary, summarize } = stage;
  return {
    name: stage.name,
    on: STAGE_ON.lastIndexOf(stage.on) as wire.StageOn,
    anyOf: stage.anyOf.map((trigger) => ({ condition: toCondition(trigger) })),
    unit: UNITS.lastIndexOf(stage.unit) as wire.WindowUnit,
    select: toSelect(stage.select),
    countIf: [...stage.countIf],
    boundary:
      boundary === undefined
        ? undefined
        : {
            rule: BOUNDARY_RULES.lastIndexOf(boundary.rule) as selects.BoundaryRule,
            always: boundary.always,
          },
    effect: STAGE_EFFECTS.lastIndexOf(stage.effect) as wire.StageEffect,
    removedTo: REMOVED_TO.lastIndexOf(stage.removedTo) as wire.RemovedTo,
    summarize: summarize === undefined ? undefined : toSummarize(summarize),
    keepAssistantTurns: stage.keepAssistantTurns ?? 0,
    countWhole: stage.countWhole ?? false,
  };
}

function toCondition(trigger: Trigger): Condition {
  switch (trigger.kind) {
    case "message-count-over":
      return { $case: "messageCountOver", value: trigger.limit };
    case "token-count-over":
      return { $case: "tokenCountOver", value: BigInt(trigger.limit) };
    case "context-share-at-least":
      return { $case: "contextShareAtLeast", value: trigger.share };
    case "model-input-tokens-over":
      return { $case: "modelInputTokensOver", value: BigInt(trigger.limit) };
    case "turn-count-over":
      return { $case: "turnCountOver", value: trigger.limit };
    case "turn-tokens-over":
      return { $case: "turnTokensOver", value: BigInt(trigger.limit) };
    case "new-messages-at-least":
      return { $case: "newMessagesAtLeast", value: trigger.limit };
    case "new-tokens-at-least":
      return { $case: "newTokensAtLeast", value: BigInt(trigger.limit) };
    case "tool-success":
      return { $case: "toolSuccess", value: { names: [...trigger.names] } };
    case "tool-error":
      return { $case: "toolError", value: { names: [...trigger.names] } };
    case "age-over":
      return { $case: "ageOver", value: toDuration(trigger.ms) };
    case "always":
      return { $case: "always", value: {} };
  }
}

function toSelect(select: Selection): Select {
  switch (select.kind) {
    case "drop-oldest":
      return { $case: "dropOldest", value: toDropOldest(select) };
    case "keep-last":
      return { $case: "keepLast", value: { unitCount: select.unitCount } };
    case "pack-newest": {
      const { maxTokens, headroom, skipUnfit } = select;
      return { $case: "packNewest", value: { maxTokens: BigInt(maxTokens), headroom, skipUnfit } };
    }
    case "pin-middle-recent": {
      const { pinFirst, keepRecent, minRemoved } = select;
      return { $case: "pinMiddleRecent", value: { pinFirst, keepRecent, minRemoved } };
    }
    case "filter": {
      const scope = FILTER_SCOPES.lastIndexOf(select.scope) as selects.FilterScope;
      return { $case: "filter", value: { conditions: [...select.conditions], scope } };
    }
    case "shorten": {
      const { maxTokens, allRoles, keepNewest, head, minSavedTokens = 0 } = select;
      const value: selects.Shorten = {
        maxTokens,
        allRoles,
        keepNewest,
        ...(head === undefined ? {} : { keepChars: head.chars, marker: head.marker }),
        minSavedTokens: BigInt(minSavedTokens),
      };
      return { $case: "shorten", value };
    }
    case "drop-duplicates": {
      const { similarity, lookahead } = select;
      return { $case: "dropDuplicates", value: { similarity, lookahead } };
    }
    case "boundary-only":
      return { $case: "boundaryOnly", value: {} };
  }
}

function toDropOldest(select: Extract<Selection, { kind: "drop-oldest" }>): selects.DropOldest {
  const { maxMessages, maxTokens, maxAgeMs, stopAtProtected, stopAtFree } = select;
  return {
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(maxTokens === undefined ? {} : { maxTokens: BigInt(maxTokens) }),
    maxAge: maxAgeMs === undefined ? undefined : toDuration(maxAgeMs),
    stopAtProtected,
    stopAtZeroTokens: stopAtFree,
  };
}

/** Gives the policy that was chosen; undefined for none. */
export function fromPolicyChoice({ choice }: wire.PolicyChoice): Policy | undefined {
  if (choice?.$case !== "preset") return choice && fromPolicy(choice.value);
  const expanded = expandWirePreset(choice.value);
  if (!("policy" in expanded)) throw new Error("the preset was not checked");
  return { ...expanded.policy, preset: fromPreset(choice.value) };
}

/** Gives the choice that made a policy: its preset, or the policy written out. */
export function toPolicyChoice(policy: Policy): wire.PolicyChoice {
  const { preset } = policy;
  return preset === undefined
    ? { choice: { $case: "policy", value: toPolicy(policy) } }
    : { choice: { $case: "preset", value: toPreset(preset) } };
}

/** Writes a policy out: fills in every default, looks up its context window. */
export function fromPolicy(policy: wire.Policy): Policy {
  return {
    name: policy.name,
    tokenRule: fromTokenRule(policy) ?? "bytes-div-4",
    customTokenRule: fromCustomRule(policy.customTokenRule),
    imageTokenCount: policy.imageTokenCount ?? DEFAULT_IMAGE_TOKEN_COUNT,
    model: policy.model,
    contextWindow: Number(policy.contextWindow) || modelContextWindow(policy.model),
    protections: fromProtections(policy.protections),
    toolPairing: TOOL_PAIRING[policy.toolPairing] ?? "whole",
    toolResultFill: fromToolResultFill(policy.toolResultFill),
    summaryView: fromSummaryView(policy.summaryView),
    ...(policy.countStoredOnly ? { countStoredOnly: true } : {}),
    stages: policy.stages.map(fromStage),
  };
}

function fromProtections(protections: wire.Protections | undefined): Protections {
  if (protections === undefined) return DEFAULT_PROTECTIONS;
  return {
    system: SYSTEM_PROTECTIONS[protections.system] ?? DEFAULT_PROTECTIONS.system,
    pinFirst: protections.pinFirst,
    pinIds: [...protections.pinMessageIds],
    minMessages: protections.minMessages ?? DEFAULT_PROTECTIONS.minMessages,
    lastUser: !protections.releaseLastUser,
  };
}

function fromCustomRule(rule: wire.CustomTokenRule | undefined): CustomTokenRule | undefined {
  if (rule === undefined) return undefined;
  const { charsPerToken, rounding, perMessage, perCall, min, contentOnly } = rule;
  return {
    charsPerToken,
    rounding: ROUNDINGS[rounding] ?? "up",
    perMessage,
    perCall,
    min,
    contentOnly,
  };
}

function fromToolResultFill(
  toolResultFill: wire.ToolResultFill | undefined,
): ToolResultFill | undefined {
  if (toolResultFill === undefined) return undefined;
  const { rule, newestOnly, text } = toolResultFill;
  return { rule: TOOL_RESULT_FILL_RULE[rule] ?? "moved-on", newestOnly, text };
}

/** Gives a policy with every default written out. */
export function toPolicy(policy: Policy): wire.Policy {
  const { protections, customTokenRule, toolResultFill } = policy;
  return {
    ...toTokenRule(policy.tokenRule),
    imageTokenCount: policy.imageTokenCount,
    protections: {
      system: SYSTEM_PROTECTIONS.lastIndexOf(protections.system) as wire.SystemProtection,
      pinFirst: protections.pinFirst,
      minMessages: protections.minMessages,
      releaseLastUser: !protections.lastUser,
      pinMessageIds: [...protections.pinIds],
    },
    stages: policy.stages.map(toStage),
    name: policy.name,
    model: policy.model,
    contextWindow: BigInt(policy.contextWindow),
    customTokenRule:
      customTokenRule === undefined
        ? undefined
        : {
            ...customTokenRule,
            rounding: ROUNDINGS.lastIndexOf(customTokenRule.rounding) as wire.TokenRounding,
          },
    toolPairing: TOOL_PAIRING.lastIndexOf(policy.toolPairing) as wire.ToolPairing,
    toolResultFill:
      toolResultFill === undefined
        ? undefined
        : {
            ...toolResultFill,
            rule: TOOL_RESULT_FILL_RULE.lastIndexOf(toolResultFill.rule) as wire.ToolResultFillRule,
          },
    summaryView: toSummaryView(policy.summaryView),
    countStoredOnly: policy.countStoredOnly ?? false,
  };
}
