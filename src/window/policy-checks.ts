// The rules of window policies that join fields.

import {
  BoundaryRule,
  type DropOldest,
  type Policy,
  type PolicyChoice,
  Policy as PolicyCodec,
  type PolicyStage,
  type Preset,
  RemovedTo,
  StageEffect,
  StageOn,
  type Summarize,
  SummaryFailure,
  SummaryKeep,
  SummaryLeave,
  TokenRule,
  type Trigger,
} from "../gen/memorysidecar/v1/policy.ts";
import type { PreviewPolicyRequest } from "../gen/memorysidecar/v1/session_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { STRUCT_MALFORMED, structDepth } from "../grpc/struct.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { ConditionFault, compileCondition } from "./conditions/condition.ts";
import { modelContextWindow } from "./policy/models.ts";
import { idleFaults } from "./policy/policy-idle.ts";
import { workFaults } from "./policy/policy-work.ts";
import { effectOf, fromPolicy, toPolicy } from "./policy-wire.ts";
import { expandWirePreset } from "./preset-wire.ts";
import { TOKEN_PRESETS } from "./token-rule-wire.ts";

/** Checks the field `summarize`: what leaves at once has no place to come back to. */
export function checkSummarize(v: Violations, summarize: Summarize | undefined): void {
  if (summarize?.leave !== SummaryLeave.AT_ONCE) return;
  const { keep, onFailure } = summarize;
  if (keep !== SummaryKeep.APPEND && keep !== SummaryKeep.REPLACE) {
    v.add(
      "summarize.leave",
      "SUMMARY_LEAVE_AT_ONCE is only for SUMMARY_KEEP_APPEND and SUMMARY_KEEP_REPLACE",
    );
  }
  if (onFailure === SummaryFailure.KEEP) {
    v.add("summarize.on_failure", "SUMMARY_FAILURE_KEEP is not for messages that leave at once");
  }
}

/** Checks what a stage does. */
export function checkSelect(v: Violations, select: PolicyStage["select"]): void {
  switch (select?.$case) {
    case "dropOldest":
      if (hasNoLimit(select.value)) {
        v.add("drop_oldest", "at least one of max_messages, max_tokens and max_age is required");
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
  // A condition that is too long is not compiled.
  if (condition === "" || Buffer.byteLength(condition) > LIMITS.conditionBytes) return;
  try {
    compileCondition(condition);
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error;
    v.add(field, `at character ${error.position + 1}: ${error.message}`);
  }
}

type Condition = NonNullable<Trigger["condition"]>;

const NO_CONTEXT =
  "needs a context window: set context_window, or a model whose context window is known";

/** The fields of stage and policy that a trigger depends on. */
export interface TriggerPlace {
  readonly on: StageOn;
  readonly effect: "store" | "view";
  readonly contextIsKnown: boolean;
}

/** Checks a trigger. */
export function checkTrigger(
  v: Violations,
  condition: Condition | undefined,
  place: TriggerPlace,
): void {
  switch (condition?.$case) {
    case "contextShareAtLeast":
      if (!place.contextIsKnown) v.add("context_share_at_least", NO_CONTEXT);
      break;

    case "newMessagesAtLeast":
      checkRemembers(v, "new_messages_at_least", place);
      break;
    case "newTokensAtLeast":
      checkRemembers(v, "new_tokens_at_least", place);
      break;
    case "toolSuccess":
      checkTools(v, "tool_success", place.on);
      break;
    case "toolError":
      checkTools(v, "tool_error", place.on);
      break;
  }
}

/** Only stages that change the stored window leave behind when they last acted. */
function checkRemembers(v: Violations, field: string, { on, effect }: TriggerPlace): void {
  if (effect === "view") v.add(field, "is only for stages with STAGE_EFFECT_STORE");
  else if (on === StageOn.REQUEST) v.add(field, "is not for stages on request");
}

function checkTools(v: Violations, field: string, on: StageOn): void {
  if (on !== StageOn.READ && on !== StageOn.REQUEST) return;
  v.add(field, "is only for stages on append and on turn end");
}

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

/** Checks the policy that is chosen in the field `policy`, if there is one. */
export function checkPolicyChoice(v: Violations, policy: PolicyChoice | undefined): void {
  if (policy === undefined) return;
  v.enter("policy");
  checkChoice(v, policy);
  v.leave();
}

/** Checks a list of chosen policies. */
export function checkPolicyChoices(
  v: Violations,
  field: string,
  policies: readonly PolicyChoice[],
): void {
  for (const [index, policy] of policies.entries()) {
    if (v.full || index >= LIMITS.previewPolicies) return;
    v.enterItem(field, index);
    checkChoice(v, policy);
    v.leaveItem();
  }
}

function checkChoice(v: Violations, { choice }: PolicyChoice): void {
  if (choice === undefined) return;
  v.enter(choice.$case);
  if (choice.$case === "preset") checkPreset(v, choice.value);
  else checkPolicy(v, choice.value);
  v.leave();
}

/** Checks a policy that is written out. */
export function checkPolicy(v: Violations, policy: Policy): void {
  checkTokenRule(v, policy);
  checkStages(v, policy.stages, contextIsKnown(policy));
  checkWhole(v, policy);
  // Only of a policy that is sound otherwise: conditions that do not compile have no steps.
  if (!v.isEmpty) return;
  const complete = fromPolicy(policy);
  for (const { description, limit } of workFaults(complete)) v.add("stages", description, limit);
  for (const { field, description } of idleFaults(complete)) v.add(field, description);
}

/**
 * By their own limits the stages of a policy could fill an answer by themselves. Answers write the
 * defaults out, and what they hold is allowed in requests.
 */
function checkWhole(v: Violations, policy: Policy): void {
  const whole = v.isEmpty ? toPolicy(fromPolicy(policy)) : policy;
  const bytes = encodeWire(PolicyCodec, whole).length;
  if (bytes <= LIMITS.policyBytes) return;
  const description = `take ${bytes} bytes with the rest of the policy; at most ${LIMITS.policyBytes} are allowed`;
  v.add("stages", description, LIMITS.policyBytes);
}

function contextIsKnown({ contextWindow, model }: Policy): boolean {
  return contextWindow !== 0n || modelContextWindow(model) > 0;
}

const PLAIN_PATH = /^[A-Za-z0-9_.[\]]{1,80}$/;
const PATH_CHARS_MAX = 40;

function checkPreset(v: Violations, preset: Preset): void {
  if (preset.name === "") return;
  if (preset.options.length > LIMITS.presetOptionsBytes) return;
  const depth = structDepth(preset.options);
  if (depth === STRUCT_MALFORMED || depth > LIMITS.structDepth) return;
  const expanded = expandWirePreset(preset);
  if ("policy" in expanded) {
    for (const { description, limit } of workFaults(expanded.policy)) {
      v.add("options", description, limit);
    }
    return;
  }
  for (const { field, description, limit } of expanded.faults) {
    if (field === "") v.add(expanded.in, description);
    else if (PLAIN_PATH.test(field)) v.add(`options.${field}`, description, limit);
    else {
      // The name comes from the caller and may be anything.
      const short = [...field].slice(0, PATH_CHARS_MAX).join("").toWellFormed();
      v.add(`options[${JSON.stringify(short)}]`, description, limit);
    }
  }
}

/** Checks how a request counts texts of its own. */
export function checkCounting(
  v: Violations,
  request: Pick<Policy, "tokenRule" | "tokenPreset" | "customTokenRule" | "model">,
): void {
  if (request.tokenRule === TokenRule.GIVEN) v.add("token_rule", "must not be TOKEN_RULE_GIVEN");
  checkTokenRule(v, request);
  if (request.model !== "" && request.tokenRule !== TokenRule.MODEL) {
    v.add("model", "must be unset without TOKEN_RULE_MODEL");
  }
}

/** Checks a token rule with what goes with it. */
export function checkTokenRule(
  v: Violations,
  policy: Pick<Policy, "tokenRule" | "tokenPreset" | "customTokenRule">,
): void {
  const { tokenRule, tokenPreset } = policy;
  if (tokenRule !== TokenRule.PRESET) {
    if (tokenPreset !== "") v.add("token_preset", "must be unset without TOKEN_RULE_PRESET");
  } else if (!Object.hasOwn(TOKEN_PRESETS, tokenPreset)) {
    const names = Object.keys(TOKEN_PRESETS).join(", ");
    v.add("token_preset", `must be one of ${names} with TOKEN_RULE_PRESET`);
  }
  const isCustom = tokenRule === TokenRule.CUSTOM;
  const hasRule = policy.customTokenRule !== undefined;
  if (isCustom && !hasRule) v.add("custom_token_rule", "is required with TOKEN_RULE_CUSTOM");
  if (!isCustom && hasRule) v.add("custom_token_rule", "must be unset without TOKEN_RULE_CUSTOM");
}

export function checkPreviewPolicy(request: PreviewPolicyRequest, v: Violations): void {
  checkPolicyChoices(v, "policies", request.policies);
}
