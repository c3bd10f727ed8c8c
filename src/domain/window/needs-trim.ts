// Decides from totals alone whether a window must be looked at. This is what keeps an append cheap:
// while nothing can leave the window, its messages are not even loaded.

import { CEILING, type Policy, type PolicyStage, type Trigger } from "../policy.ts";
import type { Totals, WindowTotals } from "./types.ts";

/** Whether a trigger holds for a window of this size. */
export function isTriggered(trigger: Trigger, totals: Totals): boolean {
  switch (trigger.kind) {
    case "message-count-over":
      return totals.messageCount > trigger.limit;
    case "token-count-over":
      return totals.tokenCount > trigger.limit;
  }
}

/** Whether a stage acts on a window of this size: any trigger, or none at all, makes it. */
export function stageActs(stage: PolicyStage, totals: Totals): boolean {
  return stage.anyOf.length === 0 || stage.anyOf.some((trigger) => isTriggered(trigger, totals));
}

/** Whether a window of this size is over a limit of a stage that drops the oldest. */
export function isOverLimit(stage: PolicyStage, totals: Totals): boolean {
  const { select } = stage;
  if (select.kind !== "drop-oldest") return false;
  const overMessages = select.maxMessages !== undefined && totals.messageCount > select.maxMessages;
  const overTokens = select.maxTokens !== undefined && totals.tokenCount > select.maxTokens;
  return overMessages || overTokens;
}

/** Whether an append stage or the ceiling might remove something from a window of this size. */
export function needsTrim(policy: Policy, totals: WindowTotals): boolean {
  if (totals.messageCount > CEILING.messages || totals.byteCount > CEILING.bytes) return true;
  return policy.stages.some(
    (stage) =>
      stage.on === "append" &&
      stageActs(stage, totals) &&
      (stage.select.kind === "keep-last" || isOverLimit(stage, totals)),
  );
}
