// Policies between the public form, where most may be left out, and the complete form of the
// domain. The input has been checked: unknown numbers do not come this far.

import {
  DEFAULT_IMAGE_TOKEN_COUNT,
  DEFAULT_PROTECTIONS,
  type Policy,
  type PolicyStage,
  type Protections,
  type Selection,
  type SystemProtection,
  type TokenRule,
  type Trigger,
  type Unit,
} from "../../domain/policy.ts";
import type * as wire from "../../gen/memorysidecar/v1/policy.ts";

/** The token rules by their public numbers; 0 means the default. */
export const TOKEN_RULES: readonly TokenRule[] = [
  "bytes-div-4",
  "bytes-div-4",
  "chars-div-4",
  "o200k",
  "cl100k",
  "given",
];
const SYSTEM_PROTECTIONS: readonly SystemProtection[] = ["all", "none", "all", "leading"];
const UNITS: readonly Unit[] = ["interaction", "message", "assistant-round", "interaction"];
const STAGE_ON: readonly PolicyStage["on"][] = ["append", "append", "read"];

/** The public number of a token rule. */
export function toTokenRule(rule: TokenRule): wire.Policy["tokenRule"] {
  return TOKEN_RULES.lastIndexOf(rule) as wire.Policy["tokenRule"];
}

/** Fills in every default of a policy. */
export function fromPolicy(policy: wire.Policy): Policy {
  return {
    tokenRule: TOKEN_RULES[policy.tokenRule] ?? "bytes-div-4",
    imageTokenCount: policy.imageTokenCount ?? DEFAULT_IMAGE_TOKEN_COUNT,
    protections: fromProtections(policy.protections),
    stages: policy.stages.map(fromStage),
  };
}

function fromProtections(protections: wire.Protections | undefined): Protections {
  if (protections === undefined) return DEFAULT_PROTECTIONS;
  return {
    system: SYSTEM_PROTECTIONS[protections.system] ?? DEFAULT_PROTECTIONS.system,
    pinFirst: protections.pinFirst,
    minMessages: protections.minMessages ?? DEFAULT_PROTECTIONS.minMessages,
    lastUser: protections.lastUser ?? DEFAULT_PROTECTIONS.lastUser,
  };
}

function fromStage(stage: wire.PolicyStage): PolicyStage {
  return {
    name: stage.name,
    on: STAGE_ON[stage.on] ?? "append",
    anyOf: stage.anyOf.flatMap(({ condition }) =>
      condition === undefined ? [] : [fromCondition(condition)],
    ),
    unit: UNITS[stage.unit] ?? "interaction",
    select: fromSelect(stage.select),
  };
}

function fromCondition(condition: NonNullable<wire.Trigger["condition"]>): Trigger {
  return condition.$case === "messageCountOver"
    ? { kind: "message-count-over", limit: condition.value }
    : { kind: "token-count-over", limit: Number(condition.value) };
}

function fromSelect(select: wire.PolicyStage["select"]): Selection {
  if (select?.$case === "keepLast") {
    return { kind: "keep-last", unitCount: select.value.unitCount };
  }
  const { maxMessages, maxTokens } = select?.value ?? {};
  return {
    kind: "drop-oldest",
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(maxTokens === undefined ? {} : { maxTokens: Number(maxTokens) }),
  };
}

/** Gives a policy with every default written out. */
export function toPolicy(policy: Policy): wire.Policy {
  const { protections } = policy;
  return {
    tokenRule: toTokenRule(policy.tokenRule),
    imageTokenCount: policy.imageTokenCount,
    protections: {
      system: SYSTEM_PROTECTIONS.lastIndexOf(protections.system) as wire.SystemProtection,
      pinFirst: protections.pinFirst,
      minMessages: protections.minMessages,
      lastUser: protections.lastUser,
    },
    stages: policy.stages.map(toStage),
  };
}

function toStage(stage: PolicyStage): wire.PolicyStage {
  return {
    name: stage.name,
    on: STAGE_ON.lastIndexOf(stage.on) as wire.StageOn,
    anyOf: stage.anyOf.map(toTrigger),
    unit: UNITS.lastIndexOf(stage.unit) as wire.Unit,
    select: toSelect(stage.select),
  };
}

function toTrigger(trigger: Trigger): wire.Trigger {
  switch (trigger.kind) {
    case "message-count-over":
      return { condition: { $case: "messageCountOver", value: trigger.limit } };
    case "token-count-over":
      return { condition: { $case: "tokenCountOver", value: BigInt(trigger.limit) } };
  }
}

function toSelect(select: Selection): wire.PolicyStage["select"] {
  if (select.kind === "keep-last") {
    return { $case: "keepLast", value: { unitCount: select.unitCount } };
  }
  const { maxMessages, maxTokens } = select;
  return {
    $case: "dropOldest",
    value: {
      ...(maxMessages === undefined ? {} : { maxMessages }),
      ...(maxTokens === undefined ? {} : { maxTokens: BigInt(maxTokens) }),
    },
  };
}
