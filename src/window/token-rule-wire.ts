// The enums of policies by their public numbers. 0 is the default, which never goes out: an answer
// names the value that the default stands for. A test compares the tables with the generated code.

import { TokenRule as WireRule } from "../gen/memorysidecar/v1/policy.ts";
import type {
  BoundaryRule,
  CustomTokenRule,
  PolicyStage,
  PolicyTokenRule,
  RemovedTo,
  StageOn,
  SystemProtection,
  TokenRule,
  ToolPairing,
  ToolResultFill,
  WindowUnit,
} from "./policy/policy.ts";
import type { SummarySpec, SummaryView } from "./policy/summary-spec.ts";

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

export const SYSTEM_PROTECTIONS: readonly SystemProtection[] = [
  "all",
  "none",
  "all",
  "leading",
  "excluded",
];

export const TOOL_PAIRING: readonly ToolPairing[] = [
  "whole",
  "whole",
  "grouped",
  "loose",
  "adjacent",
];

/** A request must name one; the first stands for none. */
export const TOOL_RESULT_FILL_RULE: readonly ToolResultFill["rule"][] = [
  "moved-on",
  "moved-on",
  "always",
];

export const ROUNDINGS: readonly CustomTokenRule["rounding"][] = ["up", "up", "down"];

export const UNITS: readonly WindowUnit[] = ["turn", "message", "assistant-turn", "turn"];

export const STAGE_ON: readonly StageOn[] = ["append", "append", "read", "turn-end", "request"];

/** The first depends on the stage. */
export const STAGE_EFFECTS: readonly PolicyStage["effect"][] = ["store", "store", "view"];

export const REMOVED_TO: readonly RemovedTo[] = ["log", "log", "discard", "summarize", "promote"];

export const FILTER_SCOPES: readonly ("unit" | "message")[] = ["unit", "unit", "message"];

/** A request must name one; the first stands for none. */
export const BOUNDARY_RULES: readonly BoundaryRule[] = [
  "pop-tool-head",
  "pop-tool-head",
  "pop-orphan-head",
  "grow-recent",
  "absorb-and-grow",
];

export const SUMMARY_KEEPS: readonly SummarySpec["keep"][] = [
  "in-place",
  "in-place",
  "append",
  "replace",
  "hierarchical",
];

export const SUMMARY_FLOWS: readonly SummarySpec["flow"][] = ["single", "single", "density"];

export const SUMMARY_LEAVES: readonly SummarySpec["leave"][] = [
  "with-summary",
  "with-summary",
  "at-once",
];

/** The first depends on when the messages leave. */
export const SUMMARY_FAILURES: readonly SummarySpec["onFailure"][] = [
  "keep",
  "keep",
  "drop",
  "placeholder",
];

export const TRANSCRIPT_STYLES: readonly SummarySpec["transcript"][] = [
  "roles",
  "roles",
  "capitals",
  "paragraphs",
];

export const SUMMARY_SHAPES: readonly SummarySpec["shape"][] = ["system", "system", "exchange"];

export const SUMMARY_SHOWS: readonly SummaryView["show"][] = [
  "after-system",
  "system-first",
  "system-suffix",
  "none",
  "after-system",
];

// Token rules between the domain and the wire: an enum, and the name of a rule that has no number.

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
