// The enums of policies by their public numbers. 0 is the default, which never goes out: an answer
// names the value that the default stands for. A test compares the tables with the generated code.

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
} from "../../domain/policy.ts";
import type { SummarySpec, SummaryView } from "../../domain/summaries/spec.ts";

/** The rules that a policy may ask for. */
export const POLICY_TOKEN_RULES: readonly PolicyTokenRule[] = [
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
];

/** The rules that a message may be counted by; undefined for what is none. */
export const TOKEN_RULES: readonly (TokenRule | undefined)[] = POLICY_TOKEN_RULES.map((rule) =>
  rule === "model" ? undefined : rule,
);

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

export const UNITS: readonly WindowUnit[] = ["turn", "message", "assistant-round", "turn"];

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
  "system-first",
  "system-first",
  "system-suffix",
  "none",
];
