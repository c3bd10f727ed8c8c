// The policy of a window as the domain sees it: complete, with every default filled in. The public
// form is memorysidecar.v1.Policy; transport/convert/policy.ts turns one into the other.

import { LIMITS } from "./limits.ts";

export type TokenRule = "bytes-div-4" | "chars-div-4" | "o200k" | "cl100k" | "given";

export type SystemProtection = "none" | "all" | "leading";

export type Unit = "message" | "assistant-round" | "interaction";

export type Trigger =
  | { readonly kind: "message-count-over"; readonly limit: number }
  | { readonly kind: "token-count-over"; readonly limit: number };

export type Selection =
  | {
      readonly kind: "drop-oldest";
      /** At least one of the two is set. */
      readonly maxMessages?: number;
      readonly maxTokens?: number;
    }
  | { readonly kind: "keep-last"; readonly unitCount: number };

export interface PolicyStage {
  readonly name: string;
  readonly on: "append" | "read";
  /** Any one of these makes the stage act; none means always. */
  readonly anyOf: readonly Trigger[];
  readonly unit: Unit;
  readonly select: Selection;
}

export interface Protections {
  readonly system: SystemProtection;
  readonly pinFirst: number;
  readonly minMessages: number;
  readonly lastUser: boolean;
}

export interface Policy {
  readonly tokenRule: TokenRule;
  readonly imageTokenCount: number;
  readonly protections: Protections;
  readonly stages: readonly PolicyStage[];
}

export const DEFAULT_IMAGE_TOKEN_COUNT = 800;

export const DEFAULT_PROTECTIONS: Protections = {
  system: "all",
  pinFirst: 0,
  minMessages: 1,
  lastUser: true,
};

const DEFAULT_MAX_MESSAGES = 200;
const DEFAULT_MAX_TOKENS = 8_000;

function defaultStage(name: string, unit: Unit): PolicyStage {
  return {
    name,
    on: "append",
    anyOf: [
      { kind: "message-count-over", limit: DEFAULT_MAX_MESSAGES },
      { kind: "token-count-over", limit: DEFAULT_MAX_TOKENS },
    ],
    unit,
    select: {
      kind: "drop-oldest",
      maxMessages: DEFAULT_MAX_MESSAGES,
      maxTokens: DEFAULT_MAX_TOKENS,
    },
  };
}

/**
 * The policy of a session that names none: whole interactions within 8,000 tokens and 200 messages;
 * inside one interaction that is larger, its oldest assistant rounds go.
 */
export const DEFAULT_POLICY: Policy = {
  tokenRule: "bytes-div-4",
  imageTokenCount: DEFAULT_IMAGE_TOKEN_COUNT,
  protections: DEFAULT_PROTECTIONS,
  stages: [defaultStage("interactions", "interaction"), defaultStage("rounds", "assistant-round")],
};

/** The ceiling of every window, whatever its policy. */
export const CEILING = { messages: LIMITS.windowMessages, bytes: LIMITS.windowBytes } as const;
