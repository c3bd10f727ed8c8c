// What a session gives to long-term memory, between the public form, where most may be left out,
// and the complete form of the domain.

import {
  DEFAULT_EPISODES,
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type EpisodePolicy,
  EXTRACTION_TARGETS,
  type ExtractionPolicy,
  type ImportanceRule,
  type MemoryPolicy,
  type PromotionPolicy,
} from "../../domain/memories/policy.ts";
import * as wire from "../../gen/memorysidecar/v1/memory.ts";
import { fromOptionalSpan, toDuration } from "./time.ts";

// The targets of EXTRACTION_TARGETS by their public numbers, which begin with 1.
const FIRST_TARGET = 1;
const DAY_MS = 86_400_000;

function copyRule({ name, phrases, score }: ImportanceRule): wire.ImportanceRule {
  return { name, phrases: [...phrases], score };
}

/** Gives the rules of a request to the domain. */
export function fromImportanceRules(
  rules: readonly wire.ImportanceRule[],
): readonly ImportanceRule[] {
  return rules.map(copyRule);
}

/** Fills in every default of how facts are found. */
export function fromExtraction(extraction: wire.ExtractionPolicy): ExtractionPolicy {
  const { hook, on, instructions, keepContradictions } = extraction;
  const asked = new Set<number>(extraction.targets);
  const targets = EXTRACTION_TARGETS.filter((_, index) => asked.has(index + FIRST_TARGET));
  return {
    hook,
    on: on === wire.ExtractionTime.TRIM ? "trim" : "turn-end",
    targets: targets.length === 0 ? EXTRACTION_TARGETS : targets,
    instructions,
    supersede: !keepContradictions,
  };
}

function toExtraction(extraction: ExtractionPolicy): wire.ExtractionPolicy {
  const { hook, on, targets, instructions, supersede } = extraction;
  return {
    hook,
    on: on === "trim" ? wire.ExtractionTime.TRIM : wire.ExtractionTime.TURN_END,
    targets: targets.map(toExtractionTarget),
    instructions,
    keepContradictions: !supersede,
  };
}

/** The public number of what is found in messages. */
function toExtractionTarget(target: (typeof EXTRACTION_TARGETS)[number]): wire.ExtractionTarget {
  return (EXTRACTION_TARGETS.indexOf(target) + FIRST_TARGET) as wire.ExtractionTarget;
}

function fromPromotion(promotion: wire.PromotionPolicy): PromotionPolicy {
  const { selection, importanceThreshold, importanceRules, scoreHook, markedStagesOnly } =
    promotion;
  const isAny = selection === wire.PromotionSelection.ANY_TEXT;
  return {
    selection: isAny ? "any-text" : "user-statements",
    importanceThreshold: importanceThreshold ?? DEFAULT_PROMOTION.importanceThreshold,
    importanceRules: fromImportanceRules(importanceRules),
    ...{ scoreHook, markedStagesOnly },
  };
}

function toPromotion(promotion: PromotionPolicy): wire.PromotionPolicy {
  const { selection, importanceRules, ...rest } = promotion;
  return {
    ...rest,
    selection:
      selection === "any-text"
        ? wire.PromotionSelection.ANY_TEXT
        : wire.PromotionSelection.USER_STATEMENTS,
    importanceRules: importanceRules.map(copyRule),
  };
}

/** Episodes are kept for whole days, rounded up. */
function fromEpisodes({ retention }: wire.EpisodePolicy): EpisodePolicy {
  if (retention === undefined) return DEFAULT_EPISODES;
  return { retentionDays: Math.ceil(fromOptionalSpan(retention, 0) / DAY_MS) };
}

function toEpisodes({ retentionDays }: EpisodePolicy): wire.EpisodePolicy {
  return { retention: toDuration(retentionDays * DAY_MS) };
}

/** Fills in every default of a checked policy. */
export function fromMemoryPolicy(policy: wire.MemoryPolicy): MemoryPolicy {
  const initial = DEFAULT_MEMORY_POLICY;
  const { promotion, episodes, extraction } = policy;
  return {
    promotion: promotion === undefined ? undefined : fromPromotion(promotion),
    episodes: episodes === undefined ? undefined : fromEpisodes(episodes),
    extraction: extraction === undefined ? undefined : fromExtraction(extraction),
    longTermLimit: policy.longTermLimit ?? initial.longTermLimit,
    entityLimit: policy.entityLimit ?? initial.entityLimit,
    relationLimit: policy.relationLimit ?? initial.relationLimit,
    agentScope: policy.agentScope,
  };
}

/** Gives a policy with every default written out. */
export function toMemoryPolicy(policy: MemoryPolicy): wire.MemoryPolicy {
  const { promotion, episodes, extraction } = policy;
  return {
    promotion: promotion === undefined ? undefined : toPromotion(promotion),
    episodes: episodes === undefined ? undefined : toEpisodes(episodes),
    extraction: extraction === undefined ? undefined : toExtraction(extraction),
    longTermLimit: policy.longTermLimit,
    entityLimit: policy.entityLimit,
    relationLimit: policy.relationLimit,
    agentScope: policy.agentScope,
  };
}
