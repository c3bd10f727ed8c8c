// The rules of the triggers of a stage.

import { LIMITS } from "../../domain/limits.ts";
import type { Duration } from "../../gen/google/protobuf/duration.ts";
import { StageOn, type ToolNames, type Trigger } from "../../gen/memorysidecar/v1/policy.ts";
import { checkAge, checkCount, checkRange, checkRequiredText } from "./fields.ts";
import type { Violations } from "./violations.ts";

const MESSAGES = { min: 0, max: LIMITS.windowMessages };
const TOKENS = { min: 0, max: LIMITS.policyTokens };
const NEW_MESSAGES = { ...MESSAGES, min: 1 };
const NEW_TOKENS = { ...TOKENS, min: 1 };

type Condition = NonNullable<Trigger["condition"]>;

/** What of the stage and the policy a trigger depends on. */
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
    case undefined:
      v.add("condition", "is required: one of the fields of Trigger");
      break;
    case "messageCountOver":
      checkRange(v, "message_count_over", condition.value, MESSAGES);
      break;
    case "tokenCountOver":
      checkRange(v, "token_count_over", condition.value, TOKENS);
      break;
    case "contextShareAtLeast":
      checkShare(v, condition.value, place);
      break;
    case "modelInputTokensOver":
      checkRange(v, "model_input_tokens_over", condition.value, TOKENS);
      break;
    case "turnCountOver":
      checkRange(v, "turn_count_over", condition.value, MESSAGES);
      break;
    case "turnTokensOver":
      checkRange(v, "turn_tokens_over", condition.value, TOKENS);
      break;
    case "newMessagesAtLeast":
      checkRange(v, "new_messages_at_least", condition.value, NEW_MESSAGES);
      checkRemembers(v, "new_messages_at_least", place);
      break;
    case "newTokensAtLeast":
      checkRange(v, "new_tokens_at_least", condition.value, NEW_TOKENS);
      checkRemembers(v, "new_tokens_at_least", place);
      break;
    case "toolSuccess":
      checkTools(v, "tool_success", condition.value, place.on);
      break;
    case "toolError":
      checkTools(v, "tool_error", condition.value, place.on);
      break;
    case "ageOver":
      checkAgeOver(v, condition.value);
      break;
    case "always":
      break;
  }
}

function checkShare(v: Violations, share: number, { contextIsKnown }: TriggerPlace): void {
  if (!(share > 0 && share <= 1)) {
    v.add("context_share_at_least", "must be over 0 to 1", share > 1 ? 1 : 0);
  } else if (!contextIsKnown) {
    v.add(
      "context_share_at_least",
      "needs a context window: set context_window, or a model whose context window is known",
    );
  }
}

/** Only stages that change the stored window leave behind when they last acted. */
function checkRemembers(v: Violations, field: string, { on, effect }: TriggerPlace): void {
  if (effect === "view") v.add(field, "is only for stages with STAGE_EFFECT_STORE");
  else if (on === StageOn.REQUEST) v.add(field, "is not for stages on request");
}

function checkTools(v: Violations, field: string, { names }: ToolNames, on: StageOn): void {
  if (on === StageOn.READ || on === StageOn.REQUEST) {
    v.add(field, "is only for stages on append and on turn end");
  }
  v.enter(field);
  if (names.length === 0) v.add("names", "is required");
  checkCount(v, "names", names.length, LIMITS.triggerTools);
  for (const [index, name] of names.entries()) {
    if (v.full || index >= LIMITS.triggerTools) break;
    checkRequiredText(v, `names[${index}]`, name, LIMITS.nameBytes);
  }
  v.leave();
}

function checkAgeOver(v: Violations, age: Duration): void {
  if (age.seconds === 0n && age.nanos === 0) v.add("age_over", "must be over 0", 0);
  else checkAge(v, "age_over", age);
}
