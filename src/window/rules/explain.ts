// Says of every message of a window what a policy protects it for, and which turn it is in.

import type { Policy, PolicyStage } from "../policy/policy.ts";
import { type Layout, lookAt, lookOfStage } from "./look.ts";
import { HOLD, holdReasons } from "./protect.ts";
import { totalsOf } from "./trim.ts";
import type { HoldReason, WindowEntry } from "./types.ts";
import { NO_UNIT, splitUnits } from "./units.ts";

/** The explanation of an entry. */
export interface EntryExplanation {
  /** Reasons why a stage must keep it, in the order of HoldReason; empty if it may go. */
  readonly heldBy: readonly HoldReason[];
  /** The number of its turn, from 1 at the oldest; system messages are in one as well. */
  readonly turn: number;
}

/**
 * Explains every entry of a window, in the order of the entries. What holds an entry depends on the
 * unit of a stage: the reasons are those of all `stages` together. Default: those of the policy.
 */
export function explainWindow(
  entries: readonly WindowEntry[],
  policy: Policy,
  stages: readonly PolicyStage[] = policy.stages,
): readonly EntryExplanation[] {
  const look = lookAt(entries, policy, totalsOf(entries));
  const everything = new Uint8Array(entries.length);
  const { callOf } = look.grouping();
  const numbers = splitUnits(entries, "turn", callOf, everything).unitOf;
  const bits = new Uint8Array(entries.length);
  if (stages.length === 0) addBits(bits, look.aside());
  for (const stage of stages) {
    const own = lookOfStage(look, stage);
    addBits(bits, own.aside());
    addHolds(bits, own.layout(stage.unit), stage);
  }
  return entries.map((_, index) => ({
    heldBy: holdReasons(bits[index] ?? 0),
    turn: (numbers[index] ?? 0) + 1,
  }));
}

function addBits(bits: Uint8Array, more: Uint8Array): void {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] ?? 0) | (more[i] ?? 0);
}

/** Adds what holds the units of a stage, and where it would stop at a free one. */
function addHolds(bits: Uint8Array, layout: Layout, { select }: PolicyStage): void {
  const { unitOf, holds, sizes } = layout;
  const stopsAtFree = select.kind === "drop-oldest" && select.stopAtFree;
  const free = stopsAtFree ? sizes().tokens.indexOf(0) : -1;
  for (let i = 0; i < bits.length; i++) {
    const unit = unitOf[i] ?? NO_UNIT;
    if (unit === NO_UNIT) continue;
    bits[i] = (bits[i] ?? 0) | (holds[unit] ?? 0) | (unit === free ? HOLD.free : 0);
  }
}
