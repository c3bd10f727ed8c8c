// The memory policy of a session, between the public form, where most may be left out,
// and the complete form of the domain.

import * as wire from "../gen/memorysidecar/v1/memory.ts";
import { numbersByWord, wordsByNumber } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { fromOptionalSpan, toDuration } from "../grpc/time.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import {
  BUILTIN_EXTRACTOR,
  DEFAULT_EPISODES,
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type EpisodePolicy,
  EXTRACTION_TARGETS,
  type ExtractionPolicy,
  type ImportanceRule,
  type MemoryPolicy,
  type PromotionPolicy,
} from "../window/policy/memory-policy.ts";
import { phraseFault } from "./rules/importance.ts";

const DAY_MS = 86_400_000;

const ERASURES = numbersByWord(wire.SourceErasure);
const ERASURE_NAMES = wordsByNumber(wire.SourceErasure, DEFAULT_MEMORY_POLICY.onSourceErased);
const SELECTIONS = numbersByWord(wire.PromotionSelection);
const TARGETS = numbersByWord(wire.ExtractionTarget);
const TIMES = numbersByWord(wire.ExtractionTime);

function copyRule({ name, phrases, score }: ImportanceRule): wire.ImportanceRule {
  return { name, phrases: [...phrases], score };
}

/** Gives the rules of a request to the domain. */
export function fromImportanceRules(
  rules: readonly wire.ImportanceRule[],
): readonly ImportanceRule[] {
  return rules.map(copyRule);
}

/** Fills in the defaults of extraction. */
export function fromExtraction(extraction: wire.ExtractionPolicy): ExtractionPolicy {
  const { hook, on, instructions, keepContradictions } = extraction;
  const targets = EXTRACTION_TARGETS.filter((name) => extraction.targets.includes(TARGETS[name]));
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
    on: TIMES[on],
    targets: targets.map((target) => TARGETS[target]),
    instructions,
    keepContradictions: !supersede,
  };
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
    selection: SELECTIONS[selection],
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
    onSourceErased: ERASURE_NAMES[policy.onSourceErased] ?? initial.onSourceErased,
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
    onSourceErased: ERASURES[policy.onSourceErased],
  };
}

/** Checks the field `memory_policy`, if it is set. */
export function checkMemoryPolicy(v: Violations, policy: wire.MemoryPolicy | undefined): void {
  if (policy === undefined) return;
  v.enter("memory_policy");
  v.enter("promotion");
  checkPhrases(v, policy.promotion?.importanceRules ?? []);
  checkSize(v, v.isEmpty ? toMemoryPolicy(fromMemoryPolicy(policy)) : policy);
  v.leave();
  checkExtraction(v, policy.extraction);
  v.leave();
}

/** Checks the field `extraction`, if it is set. */
export function checkExtraction(
  v: Violations,
  extraction: wire.ExtractionPolicy | undefined,
): void {
  if (extraction === undefined || extraction.instructions === "") return;
  if (extraction.hook !== "" && extraction.hook !== BUILTIN_EXTRACTOR) return;
  v.add(
    "extraction.instructions",
    "has no effect on the rules of the server: leave it out, or name a hook with a model",
  );
}

/** Checks the rules of a request that only scores: they are as many as a policy may have. */
export function checkScoringRules(v: Violations, rules: readonly wire.ImportanceRule[]): void {
  checkPhrases(v, rules);
  const promotion = { ...DEFAULT_PROMOTION, importanceRules: rules };
  checkSize(v, toMemoryPolicy({ ...DEFAULT_MEMORY_POLICY, promotion }));
}

/** Sessions hold their rules: within their own limits these could still fill an answer. */
function checkSize(v: Violations, policy: wire.MemoryPolicy): void {
  const bytes = encodeWire(wire.MemoryPolicy, policy).length;
  const max = LIMITS.policyBytes;
  if (bytes <= max) return;
  v.add("importance_rules", `take ${bytes} bytes as a policy; at most ${max} are allowed`, max);
}

/** Checks the phrases of rules; those beyond a limit are refused already. */
function checkPhrases(v: Violations, rules: readonly wire.ImportanceRule[]): void {
  for (const [index, { phrases }] of rules.slice(0, LIMITS.importanceRules).entries()) {
    v.enterItem("importance_rules", index);
    for (const [at, phrase] of phrases.slice(0, LIMITS.importancePhrases).entries()) {
      if (v.full) break;
      if (phrase === "" || Buffer.byteLength(phrase) > LIMITS.importancePhraseBytes) continue;
      const fault = phraseFault(phrase);
      if (fault !== undefined) v.add(`phrases[${at}]`, fault);
    }
    v.leaveItem();
  }
}
