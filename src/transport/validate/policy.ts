// The rules of window policies.

import { LIMITS } from "../../domain/limits.ts";
import type { Policy, PolicyStage, Trigger } from "../../gen/memorysidecar/v1/policy.ts";
import { checkCount, checkEnum, checkRange } from "./fields.ts";
import type { Violations } from "./violations.ts";

const STAGE_NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const MESSAGES = { min: 0, max: LIMITS.windowMessages };
const TOKENS = { min: 0, max: LIMITS.policyTokens };
const IMAGE_TOKENS = { min: 0, max: LIMITS.imageTokenCount };

// The highest known value of each enum; a test compares them with the generated code.
/** The highest number of each enum of a policy. */
export const POLICY_ENUM_MAX = { tokenRule: 5, systemProtection: 3, stageOn: 2, unit: 3 } as const;

/** Checks a policy, if there is one. */
export function checkPolicy(v: Violations, policy: Policy | undefined): void {
  if (policy === undefined) return;
  v.enter("policy");
  checkEnum(v, "token_rule", policy.tokenRule, POLICY_ENUM_MAX.tokenRule);
  if (policy.imageTokenCount !== undefined) {
    checkRange(v, "image_token_count", policy.imageTokenCount, IMAGE_TOKENS);
  }
  if (policy.protections !== undefined) {
    const { system, pinFirst, minMessages } = policy.protections;
    v.enter("protections");
    checkEnum(v, "system", system, POLICY_ENUM_MAX.systemProtection);
    checkRange(v, "pin_first", pinFirst, MESSAGES);
    if (minMessages !== undefined) checkRange(v, "min_messages", minMessages, MESSAGES);
    v.leave();
  }
  checkCount(v, "stages", policy.stages.length, LIMITS.policyStages);
  const names = new Set<string>();
  for (let index = 0; index < policy.stages.length && !v.full; index++) {
    v.enterItem("stages", index);
    checkStage(v, policy.stages[index] as PolicyStage, names);
    v.leaveItem();
  }
  v.leave();
}

function checkStage(v: Violations, stage: PolicyStage, names: Set<string>): void {
  if (stage.name === "") v.add("name", "is required");
  else if (!STAGE_NAME.test(stage.name)) {
    const tooLong = stage.name.length > LIMITS.stageNameChars;
    v.add(
      "name",
      `must be 1 to ${LIMITS.stageNameChars} characters of a-z0-9_-, the first a letter`,
      tooLong ? LIMITS.stageNameChars : undefined,
    );
  } else if (names.has(stage.name)) v.add("name", "is used by an earlier stage");
  names.add(stage.name);
  checkEnum(v, "on", stage.on, POLICY_ENUM_MAX.stageOn);
  checkEnum(v, "unit", stage.unit, POLICY_ENUM_MAX.unit);
  checkCount(v, "any_of", stage.anyOf.length, LIMITS.policyTriggers);
  for (let index = 0; index < stage.anyOf.length && !v.full; index++) {
    v.enterItem("any_of", index);
    checkTrigger(v, stage.anyOf[index] as Trigger);
    v.leaveItem();
  }
  checkSelect(v, stage);
}

function checkTrigger(v: Violations, { condition }: Trigger): void {
  if (condition === undefined) {
    v.add("condition", "one of message_count_over and token_count_over is required");
  } else if (condition.$case === "messageCountOver") {
    checkRange(v, "message_count_over", condition.value, MESSAGES);
  } else {
    checkRange(v, "token_count_over", condition.value, TOKENS);
  }
}

function checkSelect(v: Violations, { select }: PolicyStage): void {
  if (select === undefined) {
    v.add("select", "one of drop_oldest and keep_last is required");
    return;
  }
  if (select.$case === "keepLast") {
    v.enter("keep_last");
    checkRange(v, "unit_count", select.value.unitCount, MESSAGES);
    v.leave();
    return;
  }
  const { maxMessages, maxTokens } = select.value;
  if (maxMessages === undefined && maxTokens === undefined) {
    v.add("drop_oldest", "one of max_messages and max_tokens at least is required");
  }
  v.enter("drop_oldest");
  if (maxMessages !== undefined) checkRange(v, "max_messages", maxMessages, MESSAGES);
  if (maxTokens !== undefined) checkRange(v, "max_tokens", maxTokens, TOKENS);
  v.leave();
}
