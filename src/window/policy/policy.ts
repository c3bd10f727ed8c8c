// The policy of a window as the domain sees it: complete, with every default filled in. The public
// form is memorysidecar.v1.Policy; window/policy-wire.ts turns one into the other.

import { LIMITS } from "../../kit/limits.ts";
import { DEFAULT_SUMMARY_VIEW, type SummarySpec, type SummaryView } from "./summary-spec.ts";

/** Rule by which a message was counted. */
export type TokenRule =
  | "bytes-div-4"
  | "chars-div-4"
  | "o200k"
  | "cl100k"
  | "given"
  | "chars-floor-4"
  | "chars-floor-4-min-1"
  | "chars-sum-4"
  | "structured"
  | "custom"
  | "words";

/** The token rule of a policy: a rule, or the one that fits its model. */
export type PolicyTokenRule = TokenRule | "model";

/** A token rule put together from parts; see the public message of this name. */
export interface CustomTokenRule {
  readonly charsPerToken: number;
  readonly rounding: "up" | "down";
  readonly perMessage: number;
  readonly perCall: number;
  readonly min: number;
  readonly contentOnly: boolean;
}

export type SystemProtection = "none" | "all" | "leading" | "excluded";

export type ToolPairing = "whole" | "grouped" | "loose" | "adjacent";

export type WindowUnit = "message" | "assistant-turn" | "turn";

export type StageOn = "append" | "read" | "turn-end" | "request";

export type Trigger =
  | { readonly kind: "message-count-over"; readonly limit: number }
  | { readonly kind: "token-count-over"; readonly limit: number }
  | { readonly kind: "context-share-at-least"; readonly share: number }
  | { readonly kind: "model-input-tokens-over"; readonly limit: number }
  | { readonly kind: "turn-count-over"; readonly limit: number }
  | { readonly kind: "turn-tokens-over"; readonly limit: number }
  | { readonly kind: "new-messages-at-least"; readonly limit: number }
  | { readonly kind: "new-tokens-at-least"; readonly limit: number }
  | { readonly kind: "tool-success"; readonly names: readonly string[] }
  | { readonly kind: "tool-error"; readonly names: readonly string[] }
  | { readonly kind: "age-over"; readonly ms: number }
  | { readonly kind: "always" };

export type TriggerKind = Trigger["kind"];

export type Selection =
  | {
      readonly kind: "drop-oldest";
      /** At least one of the three is set. */
      readonly maxMessages?: number;
      readonly maxTokens?: number;
      readonly maxAgeMs?: number;
      readonly stopAtProtected: boolean;
      readonly stopAtFree: boolean;
    }
  | { readonly kind: "keep-last"; readonly unitCount: number }
  | {
      readonly kind: "pack-newest";
      readonly maxTokens: number;
      readonly headroom: number;
      readonly skipUnfit: boolean;
    }
  | {
      readonly kind: "pin-middle-recent";
      readonly pinFirst: number;
      readonly keepRecent: number;
      readonly minRemoved: number;
    }
  | {
      readonly kind: "filter";
      readonly conditions: readonly string[];
      readonly scope: "unit" | "message";
    }
  | {
      readonly kind: "shorten";
      readonly maxTokens: number;
      readonly allRoles: boolean;
      readonly keepNewest: number;
      /** Keeps the beginning only. Default: a beginning and an end that maxTokens buys. */
      readonly head?: HeadCut;
      /** Default 0. */
      readonly minSavedTokens?: number;
    }
  | {
      readonly kind: "drop-duplicates";
      readonly similarity: number;
      readonly lookahead: number;
    }
  | { readonly kind: "boundary-only" };

/** Options for cutting a text to its beginning. */
export interface HeadCut {
  /** Characters that stay, including the marker. */
  readonly chars: number;
  /** Text at the end; may be empty. */
  readonly marker: string;
}

export type BoundaryRule = "pop-tool-head" | "pop-orphan-head" | "grow-recent" | "absorb-and-grow";

export type RemovedTo = "log" | "discard" | "summarize" | "promote";

export interface PolicyStage {
  readonly name: string;
  readonly on: StageOn;
  /** Any one of these makes the stage act; none means always. */
  readonly anyOf: readonly Trigger[];
  readonly unit: WindowUnit;
  readonly select: Selection;
  /** CEL; a unit counts toward triggers when all hold for each of its messages. */
  readonly countIf: readonly string[];
  readonly boundary: { readonly rule: BoundaryRule; readonly always: boolean } | undefined;
  readonly effect: "store" | "view";
  readonly removedTo: RemovedTo;
  /** Set exactly when removedTo is `summarize`. */
  readonly summarize: SummarySpec | undefined;
  /** Number of the newest assistant turns that it leaves alone with all that follows. Default 0. */
  readonly keepAssistantTurns?: number;
  /** Triggers count messages whole, whatever earlier stages shortened. Default false. */
  readonly countWhole?: boolean;
}

export interface Protections {
  readonly system: SystemProtection;
  readonly pinFirst: number;
  readonly pinIds: readonly string[];
  readonly minMessages: number;
  readonly lastUser: boolean;
}

export interface ToolResultFill {
  readonly rule: "moved-on" | "always";
  readonly newestOnly: boolean;
  /** Empty means the fixed notice. */
  readonly text: string;
}

/** The preset that a policy was made of. */
export interface PresetOrigin {
  readonly name: string;
  /** The options as they were given, as the text of a JSON object. */
  readonly options: string;
}

export interface Policy {
  /** Unset for a policy that was written out. */
  readonly preset?: PresetOrigin;
  /** A label; may be empty. */
  readonly name: string;
  readonly tokenRule: PolicyTokenRule;
  /** Set exactly when tokenRule is `custom`. */
  readonly customTokenRule: CustomTokenRule | undefined;
  readonly imageTokenCount: number;
  /** May be empty. */
  readonly model: string;
  /** In tokens; 0 when neither given nor known from the model. */
  readonly contextWindow: number;
  readonly protections: Protections;
  readonly toolPairing: ToolPairing;
  readonly toolResultFill: ToolResultFill | undefined;
  readonly summaryView: SummaryView;
  /** Triggers and limits count what is stored in the window and nothing that reads add. */
  readonly countStoredOnly?: boolean;
  readonly stages: readonly PolicyStage[];
}

export const DEFAULT_IMAGE_TOKEN_COUNT = 800;

export const DEFAULT_PROTECTIONS: Protections = {
  system: "all",
  pinFirst: 0,
  pinIds: [],
  minMessages: 1,
  lastUser: true,
};

/** The parts of a stage that most leave as they are. */
export const DEFAULT_STAGE = {
  on: "append",
  anyOf: [],
  unit: "turn",
  countIf: [],
  boundary: undefined,
  effect: "store",
  removedTo: "log",
  summarize: undefined,
} as const satisfies Partial<PolicyStage>;

/** Default policy fields. */
export const DEFAULT_POLICY_PARTS = {
  name: "",
  tokenRule: "bytes-div-4",
  customTokenRule: undefined,
  imageTokenCount: DEFAULT_IMAGE_TOKEN_COUNT,
  model: "",
  contextWindow: 0,
  protections: DEFAULT_PROTECTIONS,
  toolPairing: "whole",
  toolResultFill: undefined,
  summaryView: DEFAULT_SUMMARY_VIEW,
} as const satisfies Partial<Policy>;

const DEFAULT_MAX_MESSAGES = 200;
const DEFAULT_MAX_TOKENS = 8_000;

function defaultStage(name: string, unit: WindowUnit): PolicyStage {
  return {
    ...DEFAULT_STAGE,
    name,
    anyOf: [
      { kind: "message-count-over", limit: DEFAULT_MAX_MESSAGES },
      { kind: "token-count-over", limit: DEFAULT_MAX_TOKENS },
    ],
    unit,
    select: {
      kind: "drop-oldest",
      maxMessages: DEFAULT_MAX_MESSAGES,
      maxTokens: DEFAULT_MAX_TOKENS,
      stopAtProtected: false,
      stopAtFree: false,
    },
  };
}

/**
 * The policy of a session that names none: whole turns within 8,000 tokens and 200 messages;
 * inside one turn that is larger, its oldest assistant turns go.
 */
export const DEFAULT_POLICY: Policy = {
  ...DEFAULT_POLICY_PARTS,
  stages: [defaultStage("turns", "turn"), defaultStage("assistant_turns", "assistant-turn")],
};

/** The ceiling of every window, whatever its policy. */
export const CEILING = { messages: LIMITS.windowMessages, bytes: LIMITS.windowBytes } as const;
