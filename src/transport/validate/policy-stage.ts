// The rules of the stages of window policies. What a stage does has a file of its own.

import { LIMITS } from "../../domain/limits.ts";
import {
  BoundaryRule,
  type PolicyStage,
  RemovedTo,
  StageEffect,
  StageOn,
} from "../../gen/memorysidecar/v1/policy.ts";
import { effectOf } from "../convert/policy-stage.ts";
import { checkConditions, checkSelect } from "./policy-select.ts";
import { checkSummarize } from "./policy-summary.ts";
import { checkTrigger } from "./policy-trigger.ts";
import type { Violations } from "./violations.ts";

type Select = NonNullable<PolicyStage["select"]>["$case"];

const WITHOUT_SUMMARY: ReadonlySet<Select | undefined> = new Set<Select>([
  "shorten",
  "dropDuplicates",
  "boundaryOnly",
]);

/** Checks the stages of a policy. */
export function checkStages(
  v: Violations,
  stages: readonly PolicyStage[],
  contextIsKnown: boolean,
): void {
  const names = new Set<string>();
  for (const [index, stage] of stages.entries()) {
    if (v.full || index >= LIMITS.policyStages) return;
    v.enterItem("stages", index);
    if (names.has(stage.name)) v.add("name", "is used by an earlier stage");
    names.add(stage.name);
    checkStage(v, stage, contextIsKnown);
    v.leaveItem();
  }
}

function checkStage(v: Violations, stage: PolicyStage, contextIsKnown: boolean): void {
  for (const [index, { condition }] of stage.anyOf.entries()) {
    if (v.full || index >= LIMITS.policyTriggers) return;
    v.enterItem("any_of", index);
    checkTrigger(v, condition, { on: stage.on, effect: effectOf(stage), contextIsKnown });
    v.leaveItem();
  }
  checkSelect(v, stage.select);
  checkConditions(v, "count_if", stage.countIf);
  checkBoundary(v, stage);
  checkEffect(v, stage);
  checkRemovedTo(v, stage);
  if (stage.summarize !== undefined && stage.removedTo !== RemovedTo.SUMMARIZE) {
    v.add("summarize", "must be unset without REMOVED_TO_SUMMARIZE");
  }
  checkSummarize(v, stage.summarize);
}

function checkBoundary(v: Violations, stage: PolicyStage): void {
  const { boundary, select } = stage;
  if (boundary === undefined) {
    if (select?.$case === "boundaryOnly") v.add("boundary", "is required with boundary_only");
    return;
  }
  if (select?.$case === "shorten") v.add("boundary", "must be unset with shorten");
  v.enter("boundary");
  const { rule, always } = boundary;
  const isHeadRule = rule === BoundaryRule.POP_TOOL_HEAD || rule === BoundaryRule.POP_ORPHAN_HEAD;
  if (rule === BoundaryRule.ABSORB_AND_GROW && select?.$case !== "pinMiddleRecent") {
    v.add("rule", "BOUNDARY_RULE_ABSORB_AND_GROW is only for pin_middle_recent");
  } else if (rule === BoundaryRule.GROW_RECENT && select?.$case === "boundaryOnly") {
    v.add("rule", "must be a rule about the head with boundary_only");
  }
  if (always && !isHeadRule) v.add("always", "is only for rules about the head");
  v.leave();
}

function checkEffect(v: Violations, stage: PolicyStage): void {
  const { on, select, effect } = stage;
  const onRead = on === StageOn.READ;
  if (select?.$case === "shorten") {
    const onAppend = on === StageOn.APPEND || on === StageOn.UNSPECIFIED;
    if (!onRead && !onAppend) v.add("on", "must be append or read for a stage that shortens");
    if (effect === StageEffect.STORE) {
      v.add("effect", "must be STAGE_EFFECT_VIEW for a stage that shortens");
    }
  } else if (effect === StageEffect.VIEW && !onRead) {
    v.add("effect", "STAGE_EFFECT_VIEW is only for stages on read and for shorten");
  }
}

function checkRemovedTo(v: Violations, stage: PolicyStage): void {
  const { removedTo, select } = stage;
  if (removedTo === RemovedTo.UNSPECIFIED || removedTo === RemovedTo.LOG) return;
  if (effectOf(stage) === "view") {
    v.add("removed_to", "must be REMOVED_TO_LOG without STAGE_EFFECT_STORE");
  } else if (removedTo === RemovedTo.SUMMARIZE && WITHOUT_SUMMARY.has(select?.$case)) {
    v.add("removed_to", "REMOVED_TO_SUMMARIZE is not for drop_duplicates and boundary_only");
  }
}
