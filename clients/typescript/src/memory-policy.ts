// What a session gives to long-term memory, as callers write it.

import { choice } from "./choice.ts";
import {
  type ExtractionPolicy,
  ExtractionTarget,
  ExtractionTime,
  type MemoryPolicy,
} from "./gen/memorysidecar/v1/memory.ts";
import type { DeepPartial } from "./gen/memorysidecar/v1/message.ts";
import { toDuration } from "./time.ts";

export const TARGETS = {
  facts: ExtractionTarget.FACTS,
  entities: ExtractionTarget.ENTITIES,
  relations: ExtractionTarget.RELATIONS,
} as const;
export const EXTRACTION_TIMES = {
  "turn-end": ExtractionTime.TURN_END,
  trim: ExtractionTime.TRIM,
} as const;

/** How things are found in messages. */
export interface ExtractionSettings {
  /** Default: the rules of the server. */
  readonly hook?: string | undefined;
  /** Default `turn-end`. */
  readonly on?: keyof typeof EXTRACTION_TIMES | undefined;
  /** Default: all. */
  readonly targets?: readonly (keyof typeof TARGETS)[] | undefined;
  readonly instructions?: string | undefined;
  /** Keeps facts with the same key beside each other. Default false. */
  readonly keepContradictions?: boolean | undefined;
}

/** How things are found in messages: the name of a hook, or more. */
export type ExtractionInput = string | ExtractionSettings;

/** A rule that says how important a text is. */
export interface ImportanceRuleInput {
  readonly name: string;
  readonly phrases: readonly string[];
  readonly score: number;
}

/** What a session gives to long-term memory. */
export interface MemoryPolicyInput {
  /** Does not promote what leaves the window. Default false. */
  readonly disablePromotion?: boolean | undefined;
  readonly importanceThreshold?: number | undefined;
  readonly importanceRules?: readonly ImportanceRuleInput[] | undefined;
  readonly scoreHook?: string | undefined;
  readonly longTermLimit?: number | undefined;
  /** Does not remember turns as episodes. Default false. */
  readonly disableEpisodes?: boolean | undefined;
  /** How long episodes are kept, in milliseconds. Default 30 days. */
  readonly episodeRetentionMs?: number | undefined;
  readonly extraction?: ExtractionInput | undefined;
  readonly entityLimit?: number | undefined;
  readonly relationLimit?: number | undefined;
  readonly agentScope?: boolean | undefined;
}

/** Makes what says how to find things. */
export function toExtraction(input: ExtractionInput): DeepPartial<ExtractionPolicy> {
  const settings = typeof input === "string" ? { hook: input } : input;
  const {
    hook = "",
    on,
    targets = [],
    instructions = "",
    keepContradictions = false,
  }: ExtractionSettings = settings;
  return {
    ...{ hook, instructions, keepContradictions },
    on: on === undefined ? 0 : choice("time", EXTRACTION_TIMES, on),
    targets: targets.map((target) => choice("target", TARGETS, target)),
  };
}

/** Makes a policy of memory. */
export function toMemoryPolicy(input: MemoryPolicyInput): DeepPartial<MemoryPolicy> {
  const { extraction, importanceRules = [], scoreHook = "", agentScope = false, ...more } = input;
  const { episodeRetentionMs: retention, disablePromotion, disableEpisodes, ...rest } = more;
  return {
    ...rest,
    ...{ scoreHook, agentScope },
    disablePromotion: disablePromotion ?? false,
    disableEpisodes: disableEpisodes ?? false,
    episodeRetention: retention === undefined ? undefined : toDuration(retention),
    importanceRules: importanceRules.map(({ phrases, ...rule }) => ({
      ...rule,
      phrases: [...phrases],
    })),
    extraction: extraction === undefined ? undefined : toExtraction(extraction),
  };
}
