// The stages of policies between the public form and that of the domain.

import type { PolicyStage, Selection, Trigger } from "../../domain/policy.ts";
import type * as selects from "../../gen/memorysidecar/v1/policy.ts";
import type * as wire from "../../gen/memorysidecar/v1/policy.ts";
import {
  BOUNDARY_RULES,
  FILTER_SCOPES,
  REMOVED_TO,
  STAGE_EFFECTS,
  STAGE_ON,
  UNITS,
} from "./policy-enums.ts";
import { fromSummarize, toSummarize } from "./policy-summary.ts";
import { fromDuration, toDuration } from "./time.ts";

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
        ...{ maxTokens, allRoles, keepNewest },
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
