// The enums of policies by their public numbers. 0 is the default, which never goes out: an answer
// names the value that the default stands for.

import * as wire from "../gen/memorysidecar/v1/policy.ts";
import { wordsByNumber } from "../grpc/enums.ts";
import type { PolicyTokenRule, TokenRule } from "./policy/policy.ts";

/**
 * The rules that a policy may ask for. Older servers stored messages under 7 to 10, which the
 * contract keeps free; undefined is what `token_preset` names.
 */
export const POLICY_TOKEN_RULES: readonly (PolicyTokenRule | undefined)[] = [
  "bytes-div-4",
  "bytes-div-4",
  "chars-div-4",
  "o200k",
  "cl100k",
  "given",
  "model",
  "chars-floor-4",
  "chars-floor-4-min-1",
  "chars-sum-4",
  "structured",
  "custom",
  "words",
  undefined,
];

/** The rules that requests name by `token_preset`. */
export const TOKEN_PRESETS: Readonly<Record<string, TokenRule>> = {
  chars_floor_4: "chars-floor-4",
  chars_floor_4_min_1: "chars-floor-4-min-1",
  chars_sum_4: "chars-sum-4",
  structured: "structured",
};

export const SYSTEM_PROTECTIONS = wordsByNumber(wire.SystemProtection, "all");
export const TOOL_PAIRING = wordsByNumber(wire.ToolPairing, "whole");
export const ROUNDINGS = wordsByNumber(wire.TokenRounding, "up");
export const UNITS = wordsByNumber(wire.WindowUnit, "turn");
export const STAGE_ON = wordsByNumber(wire.StageOn, "append");
export const REMOVED_TO = wordsByNumber(wire.RemovedTo, "log");
export const FILTER_SCOPES = wordsByNumber(wire.FilterScope, "unit");
export const SUMMARY_KEEPS = wordsByNumber(wire.SummaryKeep, "in-place");
export const SUMMARY_FLOWS = wordsByNumber(wire.SummaryFlow, "single");
export const SUMMARY_LEAVES = wordsByNumber(wire.SummaryLeave, "with-summary");
export const TRANSCRIPT_STYLES = wordsByNumber(wire.TranscriptStyle, "roles");
export const SUMMARY_SHAPES = wordsByNumber(wire.SummaryShape, "system");
export const SUMMARY_SHOWS = wordsByNumber(wire.SummaryShow, "after-system");

// A request must name one of these; the first stands for none.
export const TOOL_RESULT_FILL_RULE = wordsByNumber(wire.ToolResultFillRule, "moved-on");
export const BOUNDARY_RULES = wordsByNumber(wire.BoundaryRule, "pop-tool-head");

/** The first depends on the stage. */
export const STAGE_EFFECTS = wordsByNumber(wire.StageEffect, "store");
/** The first depends on when the messages leave. */
export const SUMMARY_FAILURES = wordsByNumber(wire.SummaryFailure, "keep");

// Token rules between the domain and the wire: an enum, and the name of a rule that has no number.

/** A token rule as messages of the contract hold it. */
export interface WireTokenRule {
  tokenRule: wire.TokenRule;
  tokenPreset: string;
}

const FORMS = new Map<PolicyTokenRule, Readonly<WireTokenRule>>([
  ...POLICY_TOKEN_RULES.flatMap((rule, tokenRule) =>
    rule === undefined
      ? []
      : [[rule, { tokenRule: tokenRule as wire.TokenRule, tokenPreset: "" }] as const],
  ),
  ...Object.entries(TOKEN_PRESETS).map(
    ([tokenPreset, rule]) => [rule, { tokenRule: wire.TokenRule.PRESET, tokenPreset }] as const,
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
  if (tokenRule === wire.TokenRule.PRESET) return TOKEN_PRESETS[tokenPreset];
  return POLICY_TOKEN_RULES[tokenRule];
}

/** The rule that a message was counted by; undefined for what is none. */
export function messageTokenRule(message: Readonly<WireTokenRule>): TokenRule | undefined {
  const rule = fromTokenRule(message);
  return rule === "model" ? undefined : rule;
}
