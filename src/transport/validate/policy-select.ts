// The rules of what a stage does, and of the conditions in it.

import { ConditionFault, compileCondition } from "../../domain/conditions/condition.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { DropOldest, PolicyStage } from "../../gen/memorysidecar/v1/policy.ts";
import type { Violations } from "./violations.ts";

/** Checks what a stage does. */
export function checkSelect(v: Violations, select: PolicyStage["select"]): void {
  switch (select?.$case) {
    case "dropOldest":
      if (hasNoLimit(select.value)) {
        v.add("drop_oldest", "one of max_messages, max_tokens and max_age at least is required");
      }
      break;
    case "filter":
      v.enter("filter");
      checkConditions(v, "conditions", select.value.conditions);
      v.leave();
      break;
    case "shorten":
      if (select.value.keepChars === undefined && select.value.marker !== undefined) {
        v.add("shorten.marker", "must be unset without keep_chars");
      }
      break;
  }
}

function hasNoLimit({ maxMessages, maxTokens, maxAge }: DropOldest): boolean {
  return maxMessages === undefined && maxTokens === undefined && maxAge === undefined;
}

/** Checks that each of a list of conditions compiles. */
export function checkConditions(v: Violations, field: string, conditions: readonly string[]): void {
  for (const [index, condition] of conditions.entries()) {
    if (v.full || index >= LIMITS.conditions) return;
    checkCondition(v, `${field}[${index}]`, condition);
  }
}

function checkCondition(v: Violations, field: string, condition: string): void {
  // What is too long is not compiled.
  if (condition === "" || Buffer.byteLength(condition) > LIMITS.conditionBytes) return;
  try {
    compileCondition(condition);
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error;
    v.add(field, `at character ${error.position + 1}: ${error.message}`);
  }
}
