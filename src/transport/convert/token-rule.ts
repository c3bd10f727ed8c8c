// Token rules between the domain and the wire: an enum, and the name of a rule that has no number.

import type { PolicyTokenRule, TokenRule } from "../../domain/policy.ts";
import { TokenRule as WireRule } from "../../gen/memorysidecar/v1/policy.ts";
import { POLICY_TOKEN_RULES, TOKEN_PRESETS } from "./policy-enums.ts";

/** A token rule as messages of the contract hold it. */
export interface WireTokenRule {
  tokenRule: WireRule;
  tokenPreset: string;
}

const FORMS = new Map<PolicyTokenRule, Readonly<WireTokenRule>>([
  ...POLICY_TOKEN_RULES.flatMap((rule, tokenRule) =>
    rule === undefined
      ? []
      : [[rule, { tokenRule: tokenRule as WireRule, tokenPreset: "" }] as const],
  ),
  ...Object.entries(TOKEN_PRESETS).map(
    ([tokenPreset, rule]) => [rule, { tokenRule: WireRule.PRESET, tokenPreset }] as const,
  ),
]);

/** The public form of a token rule. */
export function toTokenRule(rule: PolicyTokenRule): Readonly<WireTokenRule> {
  const form = FORMS.get(rule);
  if (form === undefined) throw new Error(`The token rule ${rule} has no public form.`);
  return form;
}

/** The rule that a request asks for; undefined for what is none. */
export function fromTokenRule({
  tokenRule,
  tokenPreset,
}: Readonly<WireTokenRule>): PolicyTokenRule | undefined {
  if (tokenRule === WireRule.PRESET) return TOKEN_PRESETS[tokenPreset];
  return POLICY_TOKEN_RULES[tokenRule];
}

/** The rule that a message was counted by; undefined for what is none. */
export function messageTokenRule(message: Readonly<WireTokenRule>): TokenRule | undefined {
  const rule = fromTokenRule(message);
  return rule === "model" ? undefined : rule;
}
