// The window rules: what a policy makes of a window. A pure function of its arguments; the comments
// of the public Policy message are its specification.

import { CEILING, type Policy, type PolicyStage, type Protections } from "../policy.ts";
import { groupEntries, hasOrphan, ORPHAN } from "./groups.ts";
import { isOverLimit, stageActs } from "./needs-trim.ts";
import { layoutOf, oldestUnits, unitsBeforeLast } from "./select.ts";
import { totalsOf } from "./totals.ts";
import type { Totals, Trim, TrimOutcome, TrimReason, WindowEntry, WindowTotals } from "./types.ts";

/** Which stages of a policy run. Only "append" holds the window under the server's ceiling. */
export type StageSet = "append" | "read" | "all";

/** What the caller knows of the entries already; saves a pass over them, changes no result. */
export interface KnownWindow {
  /** The totals of all entries. Default: added up. */
  readonly totals?: WindowTotals;
  /**
   * The entries before this index came out of an earlier trim and none of them was erased or
   * changed since, so every tool result among them has its call. Default 0.
   */
  readonly pairedTo?: number;
}

/** The window between two causes. */
interface Step<E extends WindowEntry> {
  readonly kept: readonly E[];
  readonly totals: WindowTotals;
  readonly trims: readonly Trim[];
}

/** Who removes and why. */
interface Cause {
  readonly stage: string;
  readonly reason: TrimReason;
}

/**
 * Applies a policy to a window: removes orphan tool results, runs the stages in order, then applies
 * the ceiling ("append" only). Gives back the very array it got when nothing is removed.
 */
export function trimWindow<E extends WindowEntry>(
  entries: readonly E[],
  policy: Policy,
  stages: StageSet,
  known: KnownWindow = {},
): TrimOutcome<E> {
  const totals = known.totals ?? totalsOf(entries);
  let step = withoutOrphans<E>({ kept: entries, totals, trims: [] }, known.pairedTo ?? 0);
  const missed: PolicyStage[] = [];
  for (const stage of policy.stages) {
    if (stages !== "all" && stage.on !== stages) continue;
    if (!stageActs(stage, step.totals)) continue;
    step = applyStage(step, stage, policy.protections);
    if (isOverLimit(stage, step.totals)) missed.push(stage);
  }
  if (stages === "append") step = underCeiling(step, policy.protections);
  // What one stage could not reach, a later one with smaller units often does.
  const overLimit =
    missed.some((stage) => isOverLimit(stage, step.totals)) ||
    (stages === "read" && storedOverLimit(policy, step.totals));
  const outcome = { kept: step.kept, trims: step.trims, overLimit };
  const ceilingPassed = stages === "append" ? passedCeiling(step.totals) : undefined;
  return ceilingPassed === undefined ? outcome : { ...outcome, ceilingPassed };
}

/** Reading runs no stage on append, but says when the stored window is over the limit of one. */
function storedOverLimit(policy: Policy, totals: Totals): boolean {
  return policy.stages.some(
    (stage) => stage.on === "append" && stageActs(stage, totals) && isOverLimit(stage, totals),
  );
}

function withoutOrphans<E extends WindowEntry>(step: Step<E>, pairedTo: number): Step<E> {
  if (!hasOrphan(step.kept, pairedTo)) return step;
  const { callOf } = groupEntries(step.kept);
  const cause: Cause = { stage: "", reason: "orphan-tool-result" };
  return remove(step, cause, (index) => callOf[index] === ORPHAN);
}

function applyStage<E extends WindowEntry>(
  step: Step<E>,
  stage: PolicyStage,
  protections: Protections,
): Step<E> {
  const { select } = stage;
  if (select.kind === "keep-last") {
    const layout = layoutOf(step.kept, stage.unit, protections);
    const drop = unitsBeforeLast(layout, select.unitCount);
    const cause: Cause = { stage: stage.name, reason: "keep-last" };
    return remove(step, cause, (index) => drop[layout.unitOf[index] ?? -1] === 1);
  }
  if (!isOverLimit(stage, step.totals)) return step;
  const layout = layoutOf(step.kept, stage.unit, protections);
  const holds = (totals: WindowTotals): boolean => !isOverLimit(stage, totals);
  const drop = oldestUnits(step.kept, layout, step.totals, holds);
  const overMessages = step.totals.messageCount > (select.maxMessages ?? Number.POSITIVE_INFINITY);
  const reason = overMessages ? "message-limit" : "token-limit";
  return remove(
    step,
    { stage: stage.name, reason },
    (index) => drop[layout.unitOf[index] ?? -1] === 1,
  );
}

function passedCeiling(totals: WindowTotals): "messages" | "bytes" | undefined {
  if (totals.messageCount > CEILING.messages) return "messages";
  return totals.byteCount > CEILING.bytes ? "bytes" : undefined;
}

function underCeiling<E extends WindowEntry>(step: Step<E>, protections: Protections): Step<E> {
  const holds = (totals: WindowTotals): boolean => passedCeiling(totals) === undefined;
  if (holds(step.totals)) return step;
  const layout = layoutOf(step.kept, "message", protections);
  const drop = oldestUnits(step.kept, layout, step.totals, holds);
  const cause: Cause = { stage: "", reason: "ceiling" };
  return remove(step, cause, (index) => drop[layout.unitOf[index] ?? -1] === 1);
}

/** Takes the entries that `isRemoved` names out of the window; the same step if there are none. */
function remove<E extends WindowEntry>(
  step: Step<E>,
  cause: Cause,
  isRemoved: (index: number) => boolean,
): Step<E> {
  const kept: E[] = [];
  const removed: E[] = [];
  let index = 0;
  for (const entry of step.kept) (isRemoved(index++) ? removed : kept).push(entry);
  if (removed.length === 0) return step;
  const totals = totalsOf(kept);
  const trim: Trim = { ...cause, removed, before: plain(step.totals), after: plain(totals) };
  return { kept, totals, trims: [...step.trims, trim] };
}

function plain({ messageCount, tokenCount }: WindowTotals): Totals {
  return { messageCount, tokenCount };
}
