// The rules of window policies.

import { LIMITS } from "../../domain/limits.ts";
import { modelContextWindow } from "../../domain/models.ts";
import { workFaults } from "../../domain/policy-work.ts";
import {
  type Policy,
  type PolicyChoice,
  Policy as PolicyCodec,
  type Preset,
  TokenRule,
} from "../../gen/memorysidecar/v1/policy.ts";
import { fromPolicy, toPolicy } from "../convert/policy.ts";
import { TOKEN_PRESETS } from "../convert/policy-enums.ts";
import { expandWirePreset } from "../convert/preset.ts";
import { encodeWire } from "../fast-writer.ts";
import { checkStages } from "./policy-stage.ts";
import { STRUCT_MALFORMED, structDepth } from "./struct.ts";
import type { Violations } from "./violations.ts";

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
  for (const [index, policy] of policies.entries()) {
    if (v.full || index >= LIMITS.previewPolicies) return;
    v.enterItem(field, index);
    checkChoice(v, policy);
    v.leaveItem();
  }
}

function checkChoice(v: Violations, { choice }: PolicyChoice): void {
  if (choice === undefined) return;
  v.enter(choice.$case);
  if (choice.$case === "preset") checkPreset(v, choice.value);
  else checkPolicy(v, choice.value);
  v.leave();
}

/** Checks a policy that is written out. */
export function checkPolicy(v: Violations, policy: Policy): void {
  checkTokenRule(v, policy);
  checkStages(v, policy.stages, contextIsKnown(policy));
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
  if (preset.name === "") return;
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

/** Checks how a request counts texts of its own. */
export function checkCounting(
  v: Violations,
  request: Pick<Policy, "tokenRule" | "tokenPreset" | "customTokenRule" | "model">,
): void {
  if (request.tokenRule === TokenRule.GIVEN) v.add("token_rule", "must not be TOKEN_RULE_GIVEN");
  checkTokenRule(v, request);
  if (request.model !== "" && request.tokenRule !== TokenRule.MODEL) {
    v.add("model", "must be unset without TOKEN_RULE_MODEL");
  }
}

/** Checks a token rule with what goes with it. */
export function checkTokenRule(
  v: Violations,
  policy: Pick<Policy, "tokenRule" | "tokenPreset" | "customTokenRule">,
): void {
  const { tokenRule, tokenPreset } = policy;
  if (tokenRule !== TokenRule.PRESET) {
    if (tokenPreset !== "") v.add("token_preset", "must be unset without TOKEN_RULE_PRESET");
  } else if (!Object.hasOwn(TOKEN_PRESETS, tokenPreset)) {
    const names = Object.keys(TOKEN_PRESETS).join(", ");
    v.add("token_preset", `must be one of ${names} with TOKEN_RULE_PRESET`);
  }
  const isCustom = tokenRule === TokenRule.CUSTOM;
  const hasRule = policy.customTokenRule !== undefined;
  if (isCustom && !hasRule) v.add("custom_token_rule", "is required with TOKEN_RULE_CUSTOM");
  if (!isCustom && hasRule) v.add("custom_token_rule", "must be unset without TOKEN_RULE_CUSTOM");
}
