// Rules by which a session feeds long-term memory, as callers write them.

import { choice, onlyFields } from "./choice.ts";
import {
  type EpisodePolicy,
  type ExtractionPolicy,
  ExtractionTarget,
  ExtractionTime,
  type ImportanceRule,
  type MemoryPolicy,
  type PromotionPolicy,
  PromotionSelection,
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
export const PROMOTION_SELECTIONS = {
  "user-statements": PromotionSelection.USER_STATEMENTS,
  "any-text": PromotionSelection.ANY_TEXT,
} as const;

/** Options of extraction from messages. */
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

/** Extraction from messages: the name of a hook, or more options. */
export type ExtractionInput = string | ExtractionSettings;

/** A rule that says how important a text is. */
export interface ImportanceRuleInput {
  readonly name: string;
  readonly phrases: readonly string[];
  readonly score: number;
}

/** Options of promotion. */
export interface PromotionSettings {
  /** Texts that may be promoted. Default `user-statements`. */
  readonly selection?: keyof typeof PROMOTION_SELECTIONS | undefined;
  /** From which score on. Default 0.7. */
  readonly importanceThreshold?: number | undefined;
  /** Default: the rules of the server. */
  readonly importanceRules?: readonly ImportanceRuleInput[] | undefined;
  /** The hook that scores. Default: the rules. */
  readonly scoreHook?: string | undefined;
  /** Promotes only what stages with `removedTo: "promote"` remove. Default false. */
  readonly markedStagesOnly?: boolean | undefined;
}

/** Options of episodes. */
export interface EpisodeSettings {
  /** Retention of episodes, in milliseconds. Default 30 days. */
  readonly retentionMs?: number | undefined;
}

/** Rules by which a session feeds long-term memory. Unset members give nothing. */
export interface MemoryPolicyInput {
  /** Promotes important messages that leave the window. */
  readonly promotion?: PromotionSettings | undefined;
  /** Remembers turns as episodes. */
  readonly episodes?: EpisodeSettings | undefined;
  /** Finds facts, entities and relations in messages. */
  readonly extraction?: ExtractionInput | undefined;
  readonly longTermLimit?: number | undefined;
  readonly entityLimit?: number | undefined;
  readonly relationLimit?: number | undefined;
  readonly agentScope?: boolean | undefined;
}

const EXTRACTION_FIELDS = {
  ...{ hook: true, on: true, targets: true, instructions: true, keepContradictions: true },
} as const;
const PROMOTION_FIELDS = {
  ...{ selection: true, importanceThreshold: true, importanceRules: true, scoreHook: true },
  markedStagesOnly: true,
} as const;
const MEMORY_POLICY_FIELDS = {
  ...{ promotion: true, episodes: true, extraction: true, longTermLimit: true },
  ...{ entityLimit: true, relationLimit: true, agentScope: true },
} as const;

/** Makes what says how to find things. */
export function toExtraction(input: ExtractionInput): DeepPartial<ExtractionPolicy> {
  const settings = typeof input === "string" ? { hook: input } : input;
  onlyFields("rule of extraction", settings, EXTRACTION_FIELDS);
  const {
    hook = "",
    on,
    targets = [],
    instructions = "",
    keepContradictions = false,
  }: ExtractionSettings = settings;
  return {
    ...{ hook, instructions, keepContradictions },
    on: on === undefined ? ExtractionTime.UNSPECIFIED : choice("time", EXTRACTION_TIMES, on),
    targets: targets.map((target) => choice("target", TARGETS, target)),
  };
}

/** Makes the rules that say how important a text is. */
export function toImportanceRules(
  rules: readonly ImportanceRuleInput[] = [],
): DeepPartial<ImportanceRule>[] {
  return rules.map((rule) => {
    onlyFields("rule of importance", rule, { name: true, phrases: true, score: true });
    return { ...rule, phrases: [...rule.phrases] };
  });
}

function toPromotion(settings: PromotionSettings): DeepPartial<PromotionPolicy> {
  onlyFields("rule of promotion", settings, PROMOTION_FIELDS);
  const { selection, importanceRules, scoreHook = "", ...more } = settings;
  const { markedStagesOnly = false, ...rest } = more;
  return {
    ...{ ...rest, scoreHook, markedStagesOnly },
    selection:
      selection === undefined
        ? PromotionSelection.UNSPECIFIED
        : choice("selection", PROMOTION_SELECTIONS, selection),
    importanceRules: toImportanceRules(importanceRules),
  };
}

function toEpisodes(settings: EpisodeSettings): DeepPartial<EpisodePolicy> {
  onlyFields("rule of episodes", settings, { retentionMs: true });
  const { retentionMs } = settings;
  return retentionMs === undefined ? {} : { retention: toDuration(retentionMs) };
}

/** Makes a policy of memory. */
export function toMemoryPolicy(input: MemoryPolicyInput): DeepPartial<MemoryPolicy> {
  onlyFields("memory policy", input, MEMORY_POLICY_FIELDS);
  const { promotion, episodes, extraction, agentScope = false, ...rest } = input;
  return {
    ...{ ...rest, agentScope },
    promotion: promotion === undefined ? undefined : toPromotion(promotion),
    episodes: episodes === undefined ? undefined : toEpisodes(episodes),
    extraction: extraction === undefined ? undefined : toExtraction(extraction),
  };
}
