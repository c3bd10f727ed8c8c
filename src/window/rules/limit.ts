// The limits of stages: what they ask of a window, and whether a window keeps them.

import type { Policy, PolicyStage, Selection } from "../policy.ts";
import type { Look } from "./look.ts";
import type { Totals, TrimReason } from "./types.ts";

/** Far below a quarter of a token, far above what a product of two doubles is off. */
const ROUNDING = 1e-12;

/** The budget of a pack-newest stage: floor(maxTokens * (1 - headroom)), computed exactly. */
export function packBudget(select: { readonly maxTokens: number; readonly headroom: number }) {
  return Math.floor(select.maxTokens * (1 - select.headroom) + select.maxTokens * ROUNDING);
}

/**
 * What the window costs at most, in tokens, after every change: the smallest limit of the stages
 * that run whenever the log changes or is read. Undefined when no stage sets one.
 */
export function tokenLimit({ stages }: Policy): number | undefined {
  let limit: number | undefined;
  for (const stage of stages) {
    const own = tokenLimitOf(stage);
    if (own !== undefined) limit = Math.min(limit ?? own, own);
  }
  return limit;
}

function tokenLimitOf({ on, anyOf, countIf, select, removedTo, summarize }: PolicyStage) {
  if ((on !== "append" && on !== "read") || countIf.length > 0) return undefined;
  // What waits for its summary is in the window until it is there.
  if (removedTo === "summarize" && summarize?.leave !== "at-once") return undefined;
  const target = targetOf(select);
  if (target === undefined || anyOf.length === 0) return target;
  const triggers = anyOf.flatMap((trigger) =>
    trigger.kind === "always" ? [0] : trigger.kind === "token-count-over" ? [trigger.limit] : [],
  );
  // Without such a trigger the window grows as it likes until another one holds.
  return triggers.length === 0 ? undefined : Math.max(target, Math.min(...triggers));
}

function targetOf(select: Selection): number | undefined {
  if (select.kind === "pack-newest") return packBudget(select);
  return select.kind === "drop-oldest" ? select.maxTokens : undefined;
}

/** Whether a window costs at least a share of something. */
export function reachesShare(tokenCount: number, share: number, whole: number): boolean {
  return tokenCount + whole * ROUNDING >= share * whole;
}

/** Which limit of messages or tokens a window of this size passes; messages before tokens. */
export function passedLimit(select: Selection, totals: Totals): TrimReason | undefined {
  if (select.kind === "pack-newest") {
    return totals.tokenCount > packBudget(select) ? "budget" : undefined;
  }
  if (select.kind !== "drop-oldest") return undefined;
  const { maxMessages, maxTokens } = select;
  if (maxMessages !== undefined && totals.messageCount > maxMessages) return "message-limit";
  return maxTokens !== undefined && totals.tokenCount > maxTokens ? "token-limit" : undefined;
}

/** Whether a window of this size is over a limit of messages or tokens of a stage. */
export function isOverLimit(stage: PolicyStage, totals: Totals): boolean {
  return passedLimit(stage.select, totals) !== undefined;
}

/** The time before which the newest message of a unit is too old; undefined without a limit. */
export function oldestMs(stage: PolicyStage, newestMs: () => number): number | undefined {
  const { select } = stage;
  if (select.kind !== "drop-oldest" || select.maxAgeMs === undefined) return undefined;
  return newestMs() - select.maxAgeMs;
}

/** Whether a window is over any limit of a stage, that of age included. */
export function passesLimit(look: Look, stage: PolicyStage, newestMs: () => number): boolean {
  if (isOverLimit(stage, look.counted())) return true;
  const since = oldestMs(stage, newestMs);
  if (since === undefined) return false;
  return look
    .layout(stage.unit)
    .sizes()
    .newestMs.some((ms) => ms < since);
}
