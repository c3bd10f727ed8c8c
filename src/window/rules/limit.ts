// The limits of stages: what they ask of a window, and whether a window keeps them.

import { CEILING, type Policy, type PolicyStage, type Selection } from "../policy/policy.ts";
import type { Look } from "./look.ts";
import { ROLE, type Role, type Totals, type TrimReason } from "./types.ts";

/** Far below a quarter of a token, far above what a product of two doubles is off. */
const ROUNDING = 1e-12;

/** The budget of a pack-newest stage: floor(maxTokens * (1 - headroom)), computed exactly. */
export function packBudget(select: { readonly maxTokens: number; readonly headroom: number }) {
  return Math.floor(select.maxTokens * (1 - select.headroom) + select.maxTokens * ROUNDING);
}

/**
 * The most tokens that the window may hold after a change: the smallest limit of the stages
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
  // Messages that wait for their summary stay in the window.
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

/** First limit, messages before tokens, that a window of this size exceeds. */
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
export function oldestMs(select: Selection, newestMs: () => number): number | undefined {
  if (select.kind !== "drop-oldest" || select.maxAgeMs === undefined) return undefined;
  return newestMs() - select.maxAgeMs;
}

/** Whether a window is over any limit of a stage, that of age included. */
export function passesLimit(look: Look, stage: PolicyStage, newestMs: () => number): boolean {
  if (isOverLimit(stage, look.counted())) return true;
  const since = oldestMs(stage.select, newestMs);
  if (since === undefined) return false;
  return look
    .layout(stage.unit)
    .sizes()
    .newestMs.some((ms) => ms < since);
}

// Holds a window of the past under the ceiling. Messages that left the window may have been changed
// since, so the window they were in may have grown beyond what any window may take.

/**
 * Leaves out the oldest entries until the rest fits under the ceiling: first those that are not
 * system messages, then system messages. Gives back the very array it got when everything fits.
 */
export function fitCeiling<E extends { readonly role: Role; readonly byteCount: number }>(
  entries: readonly E[],
): readonly E[] {
  let count = entries.length;
  let bytes = 0;
  for (const { byteCount } of entries) bytes += byteCount;
  const fits = (): boolean => count <= CEILING.messages && bytes <= CEILING.bytes;
  if (fits()) return entries;
  const dropped = new Set<E>();
  for (const isSystem of [false, true]) {
    for (const entry of entries) {
      if (fits()) break;
      if ((entry.role === ROLE.system) !== isSystem) continue;
      dropped.add(entry);
      count -= 1;
      bytes -= entry.byteCount;
    }
  }
  return entries.filter((entry) => !dropped.has(entry));
}
