// Decides from totals alone whether a window must be looked at. This is what keeps an append cheap:
// while nothing can leave the window, its messages are not even loaded.

import { LIMITS } from "../../kit/limits.ts";
import { CEILING, type Policy, type PolicyStage } from "../policy/policy.ts";
import { isOverLimit } from "./limit.ts";
import { mayHit } from "./triggers.ts";
import type { Signals, Totals, WindowTotals } from "./types.ts";

/** Whether a stage that acts on a window of this size may choose a message. */
function mayChoose(stage: PolicyStage, totals: Totals): boolean {
  const { select, boundary } = stage;
  const { messageCount } = totals;
  if (boundary?.always && messageCount > 1) return true;
  switch (select.kind) {
    case "drop-oldest":
      return isOverLimit(stage, totals) || (select.maxAgeMs !== undefined && messageCount > 1);
    case "pack-newest":
      return isOverLimit(stage, totals);
    case "keep-last":
      return messageCount > select.unitCount;
    case "pin-middle-recent":
      return messageCount >= select.pinFirst + select.keepRecent + select.minRemoved;
    case "filter":
      return messageCount > 0;
    case "drop-duplicates":
    case "boundary-only":
      return messageCount > 1;
    case "shorten":
      return false;
  }
}

function mayAct(stage: PolicyStage, policy: Policy, totals: Totals, signals: Signals): boolean {
  const shortens = stage.select.kind === "shorten";
  // Shortening changes nothing that is stored, but its conditions may fail and warn.
  if (shortens && stage.countIf.length === 0) return false;
  if (stage.anyOf.length === 0) return mayChoose(stage, totals);
  return stage.anyOf.some((trigger) => mayHit(trigger, totals, { policy, stage, signals }));
}

/**
 * Tells whether an append stage or the ceiling may do something to a window of this size. False
 * only when trimWindow on append would remove nothing, warn of nothing and report no stage, orphan
 * tool results aside.
 */
export function needsTrim(policy: Policy, totals: WindowTotals, signals: Signals): boolean {
  if (totals.messageCount > CEILING.messages || totals.byteCount > CEILING.bytes) return true;
  const most = withBeside(totals, signals);
  return policy.stages.some(
    (stage) => stage.on === "append" && mayAct(stage, policy, most, signals),
  );
}

/** The most that limits may count: how many results a read fills in is not known from totals. */
function withBeside(totals: WindowTotals, { beside }: Signals): WindowTotals {
  if (beside === undefined) return totals;
  const added = beside.summary + beside.fill * LIMITS.filledResults;
  return { ...totals, tokenCount: totals.tokenCount + added };
}
