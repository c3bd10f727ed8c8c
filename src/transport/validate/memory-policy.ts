// The rules of what a session gives to long-term memory.

import { LIMITS } from "../../domain/limits.ts";
import { phraseFault } from "../../domain/memories/importance.ts";
import { DEFAULT_MEMORY_POLICY, DEFAULT_PROMOTION } from "../../domain/memories/policy.ts";
import {
  type ImportanceRule,
  type MemoryPolicy,
  MemoryPolicy as MemoryPolicyCodec,
} from "../../gen/memorysidecar/v1/memory.ts";
import { fromMemoryPolicy, toMemoryPolicy } from "../convert/memory-policy.ts";
import { encodeWire } from "../fast-writer.ts";
import type { Violations } from "./violations.ts";

/** Checks the field `memory_policy`, if it is set. */
export function checkMemoryPolicy(v: Violations, policy: MemoryPolicy | undefined): void {
  if (policy === undefined) return;
  v.enter("memory_policy");
  v.enter("promotion");
  checkImportanceRules(v, "importance_rules", policy.promotion?.importanceRules ?? []);
  checkWhole(v, policy);
  v.leave();
  v.leave();
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
  const promotion = { ...DEFAULT_PROMOTION, importanceRules: rules };
  const policy = toMemoryPolicy({ ...DEFAULT_MEMORY_POLICY, promotion });
  checkSize(v, "importance_rules", encodeWire(MemoryPolicyCodec, policy).length);
}

/** Checks rules that say how important a text is. */
function checkImportanceRules(
  v: Violations,
  field: string,
  rules: readonly ImportanceRule[],
): void {
  for (const [index, rule] of rules.entries()) {
    if (v.full || index >= LIMITS.importanceRules) return;
    v.enterItem(field, index);
    checkRule(v, rule);
    v.leaveItem();
  }
}

function checkRule(v: Violations, { phrases }: ImportanceRule): void {
  for (const [index, phrase] of phrases.entries()) {
    if (v.full || index >= LIMITS.importancePhrases) return;
    checkPhrase(v, `phrases[${index}]`, phrase);
  }
}

function checkPhrase(v: Violations, field: string, phrase: string): void {
  if (phrase === "" || Buffer.byteLength(phrase) > LIMITS.importancePhraseBytes) return;
  const fault = phraseFault(phrase);
  if (fault !== undefined) v.add(field, fault);
}
