// The short names of the parts of a policy, and what they are in the contract.

import {
  BoundaryRule,
  FilterScope,
  RemovedTo,
  StageEffect,
  StageOn,
  SummaryFailure,
  SummaryFlow,
  SummaryKeep,
  SummaryLeave,
  SummaryShape,
  SummaryShow,
  SystemProtection,
  TokenRounding,
  ToolPairing,
  ToolResultFillRule,
  TranscriptStyle,
  WindowUnit,
} from "./gen/memorysidecar/v1/policy.ts";

export const UNITS = {
  message: WindowUnit.MESSAGE,
  "assistant-turn": WindowUnit.ASSISTANT_TURN,
  turn: WindowUnit.TURN,
} as const;
/** The names of the units. */
export type UnitName = keyof typeof UNITS;

export const OCCASIONS = {
  append: StageOn.APPEND,
  read: StageOn.READ,
  "turn-end": StageOn.TURN_END,
  request: StageOn.REQUEST,
} as const;
/** When a stage runs. */
export type OccasionName = keyof typeof OCCASIONS;

export const EFFECTS = { store: StageEffect.STORE, view: StageEffect.VIEW } as const;
/** Whether a stage changes what is stored. */
export type EffectName = keyof typeof EFFECTS;

export const REMOVED_TO = {
  log: RemovedTo.LOG,
  discard: RemovedTo.DISCARD,
  summarize: RemovedTo.SUMMARIZE,
  promote: RemovedTo.PROMOTE,
} as const;
/** Destination of messages that leave the stored window. */
export type RemovedToName = keyof typeof REMOVED_TO;

export const BOUNDARIES = {
  "pop-tool-head": BoundaryRule.POP_TOOL_HEAD,
  "pop-orphan-head": BoundaryRule.POP_ORPHAN_HEAD,
  "grow-recent": BoundaryRule.GROW_RECENT,
  "absorb-and-grow": BoundaryRule.ABSORB_AND_GROW,
} as const;
/** Repair of unsafe cuts. */
export type BoundaryName = keyof typeof BOUNDARIES;

export const SCOPES = { unit: FilterScope.UNIT, message: FilterScope.MESSAGE } as const;
/** Scope that must meet the conditions of a filter. */
export type ScopeName = keyof typeof SCOPES;

export const SYSTEM = {
  none: SystemProtection.NONE,
  all: SystemProtection.ALL,
  leading: SystemProtection.LEADING,
  excluded: SystemProtection.EXCLUDED,
} as const;
/** System messages that stay. */
export type SystemName = keyof typeof SYSTEM;

export const TOOL_PAIRING = {
  whole: ToolPairing.WHOLE,
  grouped: ToolPairing.GROUPED,
  loose: ToolPairing.LOOSE,
  adjacent: ToolPairing.ADJACENT,
} as const;
/** Whether stages may part tool calls from their results. */
export type ToolPairingName = keyof typeof TOOL_PAIRING;

export const FILL_RULES = {
  "moved-on": ToolResultFillRule.MOVED_ON,
  always: ToolResultFillRule.ALWAYS,
} as const;
/** Tool calls without a result that get a substitute. */
export type FillRuleName = keyof typeof FILL_RULES;

export const ROUNDING = { up: TokenRounding.UP, down: TokenRounding.DOWN } as const;
/** Rounding of fractional tokens. */
export type RoundingName = keyof typeof ROUNDING;

export const KEEPS = {
  "in-place": SummaryKeep.IN_PLACE,
  append: SummaryKeep.APPEND,
  replace: SummaryKeep.REPLACE,
  hierarchical: SummaryKeep.HIERARCHICAL,
} as const;
/** Way to keep the text of a summary. */
export type KeepName = keyof typeof KEEPS;

export const FLOWS = { single: SummaryFlow.SINGLE, density: SummaryFlow.DENSITY } as const;
/** Method that makes the text of a summary. */
export type FlowName = keyof typeof FLOWS;

export const LEAVES = {
  "with-summary": SummaryLeave.WITH_SUMMARY,
  "at-once": SummaryLeave.AT_ONCE,
} as const;
/** When summarized messages leave the window. */
export type LeaveName = keyof typeof LEAVES;

export const SUMMARY_FAILURES = {
  keep: SummaryFailure.KEEP,
  drop: SummaryFailure.DROP,
  placeholder: SummaryFailure.PLACEHOLDER,
} as const;
/** Handling of messages when no summary can be made. */
export type SummaryFailureName = keyof typeof SUMMARY_FAILURES;

export const TRANSCRIPTS = {
  roles: TranscriptStyle.ROLES,
  capitals: TranscriptStyle.CAPITALS,
  paragraphs: TranscriptStyle.PARAGRAPHS,
} as const;
/** Transcript forms of messages for hooks. */
export type TranscriptName = keyof typeof TRANSCRIPTS;

export const SHAPES = { system: SummaryShape.SYSTEM, exchange: SummaryShape.EXCHANGE } as const;
/** As what messages a placed summary is shown. */
export type ShapeName = keyof typeof SHAPES;

export const SHOWS = {
  "after-system": SummaryShow.AFTER_SYSTEM,
  "system-first": SummaryShow.SYSTEM_FIRST,
  "system-suffix": SummaryShow.SYSTEM_SUFFIX,
  none: SummaryShow.NONE,
} as const;
/** Position of the session summary in a window. */
export type ShowName = keyof typeof SHOWS;
