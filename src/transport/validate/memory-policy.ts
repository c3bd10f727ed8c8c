// The rules of what a session gives to long-term memory.

import { LIMITS } from "../../domain/limits.ts";
import { phraseFault } from "../../domain/memories/importance.ts";
import { DEFAULT_MEMORY_POLICY } from "../../domain/memories/policy.ts";
import {
  type ExtractionPolicy,
  ExtractionTarget,
  ExtractionTime,
  type ImportanceRule,
  type MemoryPolicy,
  MemoryPolicy as MemoryPolicyCodec,
} from "../../gen/memorysidecar/v1/memory.ts";
import { fromMemoryPolicy, toMemoryPolicy } from "../convert/memory-policy.ts";
import { encodeWire } from "../fast-writer.ts";
import {
  checkCount,
  checkEnum,
  checkRange,
  checkRequiredText,
  checkSpan,
  checkText,
} from "./fields.ts";
import { checkHookName } from "./policy-summary.ts";
import type { Violations } from "./violations.ts";

const SHARE = { min: 0, max: 1 };
const TIER = { min: 1, max: LIMITS.scopeMemories };
const DAY_MS = 86_400_000;
const RETENTION = { min: DAY_MS, max: LIMITS.episodeDays * DAY_MS };

/** Checks the field `memory_policy`, if it is set. */
export function checkMemoryPolicy(v: Violations, policy: MemoryPolicy | undefined): void {
  if (policy === undefined) return;
  v.enter("memory_policy");
  if (policy.importanceThreshold !== undefined) {
    checkRange(v, "importance_threshold", policy.importanceThreshold, SHARE);
  }
  checkImportanceRules(v, "importance_rules", policy.importanceRules);
  checkHookName(v, "score_hook", policy.scoreHook);
  checkTier(v, "long_term_limit", policy.longTermLimit);
  checkSpan(v, "episode_retention", policy.episodeRetention, RETENTION);
  checkExtraction(v, policy.extraction);
  checkTier(v, "entity_limit", policy.entityLimit);
  checkTier(v, "relation_limit", policy.relationLimit);
  checkWhole(v, policy);
  v.leave();
}

function checkTier(v: Violations, field: string, limit: number | undefined): void {
  if (limit !== undefined) checkRange(v, field, limit, TIER);
}

/** By their own limits the rules could fill an answer by themselves: sessions hold them. */
function checkWhole(v: Violations, policy: MemoryPolicy): void {
  const whole = v.isEmpty ? toMemoryPolicy(fromMemoryPolicy(policy)) : policy;
  checkSize(v, "importance_rules", encodeWire(MemoryPolicyCodec, whole).length);
}

function checkSize(v: Violations, field: string, bytes: number): void {
  const max = LIMITS.policyBytes;
  if (bytes <= max) return;
  v.add(field, `take ${bytes} bytes as a policy; at most ${max} are allowed`, max);
}

/** Checks the rules of a request that only scores: they are as many as a policy may have. */
export function checkScoringRules(v: Violations, rules: readonly ImportanceRule[]): void {
  checkImportanceRules(v, "importance_rules", rules);
  const policy = { ...toMemoryPolicy(DEFAULT_MEMORY_POLICY), importanceRules: [...rules] };
  checkSize(v, "importance_rules", encodeWire(MemoryPolicyCodec, policy).length);
}

/** Checks rules that say how important a text is. */
function checkImportanceRules(
  v: Violations,
  field: string,
  rules: readonly ImportanceRule[],
): void {
  checkCount(v, field, rules.length, LIMITS.importanceRules);
  for (const [index, rule] of rules.entries()) {
    if (v.full || index >= LIMITS.importanceRules) return;
    v.enterItem(field, index);
    checkRule(v, rule);
    v.leaveItem();
  }
}

function checkRule(v: Violations, { name, phrases, score }: ImportanceRule): void {
  checkRequiredText(v, "name", name, LIMITS.importanceRuleNameBytes);
  if (phrases.length === 0) v.add("phrases", "must have 1 entry at least", 1);
  checkCount(v, "phrases", phrases.length, LIMITS.importancePhrases);
  for (const [index, phrase] of phrases.entries()) {
    if (v.full || index >= LIMITS.importancePhrases) return;
    checkPhrase(v, `phrases[${index}]`, phrase);
  }
  checkRange(v, "score", score, SHARE);
}

function checkPhrase(v: Violations, field: string, phrase: string): void {
  checkRequiredText(v, field, phrase, LIMITS.importancePhraseBytes);
  if (phrase === "" || Buffer.byteLength(phrase) > LIMITS.importancePhraseBytes) return;
  const fault = phraseFault(phrase);
  if (fault !== undefined) v.add(field, fault);
}

/** Checks the field `extraction`, if it is set. */
export function checkExtraction(v: Violations, extraction: ExtractionPolicy | undefined): void {
  if (extraction === undefined) return;
  const { hook, on, targets, instructions } = extraction;
  v.enter("extraction");
  checkHookName(v, "hook", hook);
  checkEnum(v, "on", on, ExtractionTime);
  checkCount(v, "targets", targets.length, LIMITS.extractionTargets);
  for (let index = 0; index < targets.length && !v.full; index++) {
    const target = targets[index] ?? 0;
    if (target === 0) v.add(`targets[${index}]`, "must not be unspecified");
    else checkEnum(v, `targets[${index}]`, target, ExtractionTarget);
  }
  checkText(v, "instructions", instructions, LIMITS.extractionInstructionsBytes);
  v.leave();
}
