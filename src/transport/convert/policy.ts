// Policies between the public form, where most may be left out, and the complete form of the
// domain. The input has been checked: unknown numbers and unknown presets do not come this far.

import { modelContextWindow } from "../../domain/models.ts";
import {
  type CustomTokenRule,
  DEFAULT_IMAGE_TOKEN_COUNT,
  DEFAULT_PROTECTIONS,
  type Policy,
  type Protections,
  type ToolResultFill,
} from "../../domain/policy.ts";
import type * as wire from "../../gen/memorysidecar/v1/policy.ts";
import {
  ROUNDINGS,
  SYSTEM_PROTECTIONS,
  TOOL_PAIRING,
  TOOL_RESULT_FILL_RULE,
} from "./policy-enums.ts";
import { fromStage, toStage } from "./policy-stage.ts";
import { fromSummaryView, toSummaryView } from "./policy-summary.ts";
import { expandWirePreset, fromPreset, toPreset } from "./preset.ts";
import { fromTokenRule, toTokenRule } from "./token-rule.ts";

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
