// The rules of what a stage does, and of the conditions in it.

import { ConditionFault, compileCondition } from "../../domain/conditions/condition.ts";
import { LIMITS } from "../../domain/limits.ts";
import {
  type DropDuplicates,
  type DropOldest,
  type Filter,
  FilterScope,
  type PackNewest,
  type PinMiddleRecent,
  type PolicyStage,
  type Shorten,
} from "../../gen/memorysidecar/v1/policy.ts";
import {
  checkAge,
  checkCount,
  checkEnum,
  checkRange,
  checkRequiredText,
  checkText,
} from "./fields.ts";
import type { Violations } from "./violations.ts";

const MESSAGES = { min: 0, max: LIMITS.windowMessages };
const SOME_MESSAGES = { ...MESSAGES, min: 1 };
const TOKENS = { min: 0, max: LIMITS.policyTokens };
const SHORTEN_TOKENS = { min: LIMITS.shortenTokensMin, max: LIMITS.shortenTokensMax };
const SHORTEN_CHARS = { min: LIMITS.shortenCharsMin, max: LIMITS.shortenCharsMax };
const SIMILARITY = { min: 0.5, max: 1 };
const LOOKAHEAD = { min: 1, max: LIMITS.duplicateLookahead };

/** Checks what a stage does. */
export function checkSelect(v: Violations, select: PolicyStage["select"]): void {
  switch (select?.$case) {
    case undefined:
      v.add("select", "is required: drop_oldest, keep_last or another of its fields");
      return;
    case "dropOldest":
      if (hasNoLimit(select.value)) {
        v.add("drop_oldest", "one of max_messages, max_tokens and max_age at least is required");
      }
      v.enter("drop_oldest");
      checkDropOldest(v, select.value);
      break;
    case "keepLast":
      v.enter("keep_last");
      if (select.value.unitCount === undefined) v.add("unit_count", "is required");
      else checkRange(v, "unit_count", select.value.unitCount, MESSAGES);
      break;
    case "packNewest":
      v.enter("pack_newest");
      checkPackNewest(v, select.value);
      break;
    case "pinMiddleRecent":
      v.enter("pin_middle_recent");
      checkPinMiddleRecent(v, select.value);
      break;
    case "filter":
      v.enter("filter");
      checkFilter(v, select.value);
      break;
    case "shorten":
      v.enter("shorten");
      checkShorten(v, select.value);
      break;
    case "dropDuplicates":
      v.enter("drop_duplicates");
      checkDropDuplicates(v, select.value);
      break;
    case "boundaryOnly":
      return;
  }
  v.leave();
}

function hasNoLimit({ maxMessages, maxTokens, maxAge }: DropOldest): boolean {
  return maxMessages === undefined && maxTokens === undefined && maxAge === undefined;
}

function checkDropOldest(v: Violations, { maxMessages, maxTokens, maxAge }: DropOldest): void {
  if (maxMessages !== undefined) checkRange(v, "max_messages", maxMessages, MESSAGES);
  if (maxTokens !== undefined) checkRange(v, "max_tokens", maxTokens, TOKENS);
  if (maxAge !== undefined) checkAge(v, "max_age", maxAge);
}

function checkPackNewest(v: Violations, { maxTokens, headroom }: PackNewest): void {
  if (maxTokens === undefined) v.add("max_tokens", "is required");
  else checkRange(v, "max_tokens", maxTokens, TOKENS);
  if (!(headroom >= 0 && headroom < 1)) {
    v.add("headroom", "must be 0 to below 1", headroom < 0 ? 0 : 1);
  }
}

function checkPinMiddleRecent(v: Violations, select: PinMiddleRecent): void {
  checkRange(v, "pin_first", select.pinFirst, MESSAGES);
  checkRange(v, "keep_recent", select.keepRecent, SOME_MESSAGES);
  if (select.minRemoved !== undefined) {
    checkRange(v, "min_removed", select.minRemoved, SOME_MESSAGES);
  }
}

function checkFilter(v: Violations, { conditions, scope }: Filter): void {
  if (conditions.length === 0) v.add("conditions", "is required");
  checkConditions(v, "conditions", conditions);
  checkEnum(v, "scope", scope, FilterScope);
}

function checkShorten(v: Violations, select: Shorten): void {
  const { keepNewest, keepChars, marker } = select;
  checkRange(v, "max_tokens", select.maxTokens, SHORTEN_TOKENS);
  if (keepNewest !== undefined) checkRange(v, "keep_newest", keepNewest, MESSAGES);
  if (keepChars !== undefined) checkRange(v, "keep_chars", keepChars, SHORTEN_CHARS);
  else if (marker !== undefined) v.add("marker", "must be unset without keep_chars");
  if (marker !== undefined) checkText(v, "marker", marker, LIMITS.shortenMarkerBytes);
  if (select.minSavedTokens !== undefined) {
    checkRange(v, "min_saved_tokens", select.minSavedTokens, TOKENS);
  }
}

function checkDropDuplicates(v: Violations, { similarity, lookahead }: DropDuplicates): void {
  if (similarity !== undefined) checkRange(v, "similarity", similarity, SIMILARITY);
  if (lookahead !== undefined) checkRange(v, "lookahead", lookahead, LOOKAHEAD);
}

/** Checks a list of conditions: how many, how long, and that each compiles. */
export function checkConditions(v: Violations, field: string, conditions: readonly string[]): void {
  checkCount(v, field, conditions.length, LIMITS.conditions);
  for (const [index, condition] of conditions.entries()) {
    if (v.full || index >= LIMITS.conditions) return;
    checkCondition(v, `${field}[${index}]`, condition);
  }
}

function checkCondition(v: Violations, field: string, condition: string): void {
  if (condition === "" || Buffer.byteLength(condition) > LIMITS.conditionBytes) {
    checkRequiredText(v, field, condition, LIMITS.conditionBytes);
    return;
  }
  try {
    compileCondition(condition);
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error;
    v.add(field, `at character ${error.position + 1}: ${error.message}`);
  }
}
