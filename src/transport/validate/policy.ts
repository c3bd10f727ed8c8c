// The rules of window policies.

import { LIMITS } from "../../domain/limits.ts";
import { modelContextWindow } from "../../domain/models.ts";
import { workFaults } from "../../domain/policy-work.ts";
import {
  type CustomTokenRule,
  type Policy,
  type PolicyChoice,
  Policy as PolicyCodec,
  type Preset,
  type Protections,
  SystemProtection,
  TokenRounding,
  TokenRule,
  ToolPairing,
  type ToolResultFill,
  ToolResultFillRule,
} from "../../gen/memorysidecar/v1/policy.ts";
import type { ListPolicyPresetsRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { fromPolicy, toPolicy } from "../convert/policy.ts";
import { TOKEN_PRESETS } from "../convert/policy-enums.ts";
import { expandWirePreset } from "../convert/preset.ts";
import { encodeWire } from "../fast-writer.ts";
import {
  checkCount,
  checkEnum,
  checkId,
  checkPage,
  checkRange,
  checkStruct,
  checkText,
} from "./fields.ts";
import { checkStages } from "./policy-stage.ts";
import { checkSummaryView } from "./policy-summary.ts";
import { STRUCT_MALFORMED, structDepth } from "./struct.ts";
import type { Violations } from "./violations.ts";

const MESSAGES = { min: 0, max: LIMITS.windowMessages };
const TOKENS = { min: 0, max: LIMITS.policyTokens };
const TOKENS_OF_PART = { min: 0, max: LIMITS.imageTokenCount };
const CHARS_PER_TOKEN = { min: 0.25, max: 100 };

/** Checks the policy that is chosen in the field `policy`, if there is one. */
export function checkPolicyChoice(v: Violations, policy: PolicyChoice | undefined): void {
  if (policy === undefined) return;
  v.enter("policy");
  checkChoice(v, policy);
  v.leave();
}

/** Checks a list of chosen policies. */
export function checkPolicyChoices(
  v: Violations,
  field: string,
  policies: readonly PolicyChoice[],
): void {
  checkCount(v, field, policies.length, LIMITS.previewPolicies);
  for (const [index, policy] of policies.entries()) {
    if (v.full || index >= LIMITS.previewPolicies) return;
    v.enterItem(field, index);
    checkChoice(v, policy);
    v.leaveItem();
  }
}

function checkChoice(v: Violations, { choice }: PolicyChoice): void {
  if (choice === undefined) {
    v.add("choice", "one of policy and preset is required");
    return;
  }
  v.enter(choice.$case);
  if (choice.$case === "preset") checkPreset(v, choice.value);
  else checkPolicy(v, choice.value);
  v.leave();
}

/** Checks a policy that is written out. */
export function checkPolicy(v: Violations, policy: Policy): void {
  checkTokenRule(v, policy);
  if (policy.imageTokenCount !== undefined) {
    checkRange(v, "image_token_count", policy.imageTokenCount, TOKENS_OF_PART);
  }
  if (policy.protections !== undefined) {
    v.enter("protections");
    checkProtections(v, policy.protections);
    v.leave();
  }
  checkStages(v, policy.stages, contextIsKnown(policy));
  checkText(v, "name", policy.name, LIMITS.policyNameBytes);
  checkText(v, "model", policy.model, LIMITS.modelBytes);
  checkRange(v, "context_window", policy.contextWindow, TOKENS);
  checkEnum(v, "tool_pairing", policy.toolPairing, ToolPairing);
  if (policy.toolResultFill !== undefined) {
    v.enter("tool_result_fill");
    checkToolResultFill(v, policy.toolResultFill);
    v.leave();
  }
  checkSummaryView(v, policy.summaryView);
  checkWhole(v, policy);
  // Only of a policy that is sound otherwise: conditions that do not compile have no steps.
  if (!v.isEmpty) return;
  for (const { description, limit } of workFaults(fromPolicy(policy))) {
    v.add("stages", description, limit);
  }
}

/**
 * By their own limits the stages of a policy could fill an answer by themselves. Answers write the
 * defaults out, and what they hold is allowed in requests.
 */
function checkWhole(v: Violations, policy: Policy): void {
  const whole = v.isEmpty ? toPolicy(fromPolicy(policy)) : policy;
  const bytes = encodeWire(PolicyCodec, whole).length;
  if (bytes <= LIMITS.policyBytes) return;
  const description = `take ${bytes} bytes with the rest of the policy; at most ${LIMITS.policyBytes} are allowed`;
  v.add("stages", description, LIMITS.policyBytes);
}

function contextIsKnown({ contextWindow, model }: Policy): boolean {
  return contextWindow !== 0n || modelContextWindow(model) > 0;
}

const PLAIN_PATH = /^[A-Za-z0-9_.[\]]{1,80}$/;
const PATH_CHARS_MAX = 40;

function checkPreset(v: Violations, preset: Preset): void {
  if (preset.name === "") {
    v.add("name", "is required");
    return;
  }
  checkStruct(v, "options", preset.options, LIMITS.presetOptionsBytes);
  if (preset.options.length > LIMITS.presetOptionsBytes) return;
  const depth = structDepth(preset.options);
  if (depth === STRUCT_MALFORMED || depth > LIMITS.structDepth) return;
  const expanded = expandWirePreset(preset);
  if ("policy" in expanded) {
    for (const { description, limit } of workFaults(expanded.policy)) {
      v.add("options", description, limit);
    }
    return;
  }
  for (const { field, description, limit } of expanded.faults) {
    if (field === "") v.add(expanded.in, description);
    else if (PLAIN_PATH.test(field)) v.add(`options.${field}`, description, limit);
    else {
      // The name comes from the caller and may be anything.
      const short = [...field].slice(0, PATH_CHARS_MAX).join("").toWellFormed();
      v.add(`options[${JSON.stringify(short)}]`, description, limit);
    }
  }
}

function checkProtections(v: Violations, protections: Protections): void {
  const { system, pinFirst, minMessages, pinMessageIds } = protections;
  checkEnum(v, "system", system, SystemProtection);
  checkRange(v, "pin_first", pinFirst, MESSAGES);
  if (minMessages !== undefined) checkRange(v, "min_messages", minMessages, MESSAGES);
  checkCount(v, "pin_message_ids", pinMessageIds.length, LIMITS.pinIds);
  for (const [index, id] of pinMessageIds.entries()) {
    if (v.full || index >= LIMITS.pinIds) return;
    const field = `pin_message_ids[${index}]`;
    if (id === "") v.add(field, "is empty");
    else checkId(v, field, id, LIMITS.messageIdBytes);
  }
}

/** Checks the rule of one's own against the choice of a rule. */
/** Checks a token rule with what goes with it. */
export function checkTokenRule(
  v: Violations,
  policy: Pick<Policy, "tokenRule" | "tokenPreset" | "customTokenRule">,
): void {
  const { tokenRule, tokenPreset } = policy;
  checkEnum(v, "token_rule", tokenRule, TokenRule);
  if (tokenRule !== TokenRule.PRESET) {
    if (tokenPreset !== "") v.add("token_preset", "must be unset without TOKEN_RULE_PRESET");
  } else if (!Object.hasOwn(TOKEN_PRESETS, tokenPreset)) {
    const names = Object.keys(TOKEN_PRESETS).join(", ");
    v.add("token_preset", `must be one of ${names} with TOKEN_RULE_PRESET`);
  }
  checkCustomTokenRule(v, policy);
}

function checkCustomTokenRule(
  v: Violations,
  policy: Pick<Policy, "tokenRule" | "customTokenRule">,
): void {
  const rule = policy.customTokenRule;
  if (policy.tokenRule === TokenRule.CUSTOM && rule === undefined) {
    v.add("custom_token_rule", "is required with TOKEN_RULE_CUSTOM");
  }
  if (rule === undefined) return;
  if (policy.tokenRule !== TokenRule.CUSTOM) {
    v.add("custom_token_rule", "must be unset without TOKEN_RULE_CUSTOM");
  }
  v.enter("custom_token_rule");
  checkCustomParts(v, rule);
  v.leave();
}

function checkCustomParts(v: Violations, rule: CustomTokenRule): void {
  if (rule.charsPerToken === 0) v.add("chars_per_token", "is required");
  else checkRange(v, "chars_per_token", rule.charsPerToken, CHARS_PER_TOKEN);
  checkEnum(v, "rounding", rule.rounding, TokenRounding);
  checkRange(v, "per_message", rule.perMessage, TOKENS_OF_PART);
  checkRange(v, "per_call", rule.perCall, TOKENS_OF_PART);
  checkRange(v, "min", rule.min, TOKENS_OF_PART);
}

function checkToolResultFill(v: Violations, { rule, text }: ToolResultFill): void {
  if (rule === 0) v.add("rule", "is required");
  else checkEnum(v, "rule", rule, ToolResultFillRule);
  checkText(v, "text", text, LIMITS.fillTextBytes);
}

export function checkListPolicyPresets(request: ListPolicyPresetsRequest, v: Violations): void {
  checkPage(v, request);
}
