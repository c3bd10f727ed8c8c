// The rules of the triggers of a stage.

import { StageOn, type Trigger } from "../../gen/memorysidecar/v1/policy.ts";
import type { Violations } from "./violations.ts";

type Condition = NonNullable<Trigger["condition"]>;

const NO_CONTEXT =
  "needs a context window: set context_window, or a model whose context window is known";

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
