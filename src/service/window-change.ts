// What a change of the log or of the policy does to the stored window: runs the policy and gives
// the parts of the plan that follow from it.

import { windowFull } from "../domain/errors.ts";
import { EVENT_TYPE, type EventDetail } from "../domain/event.ts";
import { CEILING, type Policy } from "../domain/policy.ts";
import type { SessionHead } from "../domain/session.ts";
import { removeSeqs } from "../domain/window/remove-seqs.ts";
import { totalsOf } from "../domain/window/totals.ts";
import { type KnownWindow, trimWindow } from "../domain/window/trim.ts";
import type { SeqRange, Trim, WindowTotals } from "../domain/window/types.ts";
import type { StoredEntry } from "../storage/store.ts";

/** The window after a change. */
export interface WindowChange {
  readonly window: readonly StoredEntry[];
  readonly totals: WindowTotals;
  readonly ranges: readonly SeqRange[];
  readonly trims: readonly Trim[];
}

/**
 * Runs the append stages of a policy over a window that was changed already.
 *
 * Throws WINDOW_FULL when what is protected passes the ceiling.
 */
export function applyPolicy(
  window: readonly StoredEntry[],
  ranges: readonly SeqRange[],
  policy: Policy,
  known: KnownWindow = {},
): WindowChange {
  const outcome = trimWindow(window, policy, "append", known);
  if (outcome.ceilingPassed === "messages") throw windowFull(`${CEILING.messages} messages`);
  if (outcome.ceilingPassed === "bytes") throw windowFull(`${CEILING.bytes} bytes`);
  const removed = outcome.trims.flatMap((trim) => trim.removed.map((entry) => entry.seq));
  return {
    window: outcome.kept,
    totals: totalsOf(outcome.kept),
    ranges: removed.length === 0 ? ranges : removeSeqs(ranges, removed),
    trims: outcome.trims,
  };
}

/** The events of trims, to follow the event of what caused them. */
export function trimEvents(trims: readonly Trim[]): EventDetail[] {
  return trims.map((trim) => ({ type: EVENT_TYPE.messagesTrimmed, trim }));
}

/** A head with a new window, as changed by a revision. */
export function headWith(
  head: SessionHead,
  change: Pick<WindowChange, "totals" | "ranges">,
  stamp: { readonly revision: number; readonly nowMs: number },
): SessionHead {
  return {
    ...head,
    window: change.totals,
    windowRanges: change.ranges,
    updateMs: stamp.nowMs,
    revision: stamp.revision,
  };
}
