// Chooses the entries that one stage removes.

import type { PolicyStage } from "../policy.ts";
import { applyBoundary, CHOSEN } from "./boundary.ts";
import { duplicateEntries } from "./duplicates.ts";
import type { Look } from "./look.ts";
import { chooseMiddle } from "./middle.ts";
import { chooseBeforeLast, chooseUnpacked } from "./newest.ts";
import { chooseOldest, type UnitChoice } from "./oldest.ts";
import type { DetailOf, TrimReason, WindowEntry } from "./types.ts";
import { NO_UNIT } from "./units.ts";

/** What a stage takes out of a window. */
export interface Choice {
  /** By entry: CHOSEN, POPPED or 0. */
  readonly drop: Uint8Array;
  /** Why the chosen entries go. */
  readonly reason: TrimReason;
  /** Why it stopped before it was done, as bits of HOLD. */
  readonly stoppedBy: number;
}

/** What choosing needs beside the window. */
export interface Choosing<E extends WindowEntry> {
  readonly detailOf: DetailOf<E>;
  readonly newestMs: () => number;
  /** Whether an entry meets all conditions of the filter of a stage. */
  readonly passes: (index: number) => boolean;
}

/** Chooses for a stage that acts, its boundary included. */
export function chooseEntries<E extends WindowEntry>(
  look: Look<E>,
  stage: PolicyStage,
  choosing: Choosing<E>,
): Choice {
  const choice = select(look, stage, choosing) ?? nothing(look);
  applyBoundary(look, stage, choice.drop);
  return choice;
}

function nothing(look: Look): Choice {
  return { drop: new Uint8Array(look.entries.length), reason: "boundary", stoppedBy: 0 };
}

function select<E extends WindowEntry>(
  look: Look<E>,
  stage: PolicyStage,
  choosing: Choosing<E>,
): Choice | undefined {
  switch (stage.select.kind) {
    case "drop-oldest":
      return byUnit(look, stage, chooseOldest(look, stage, choosing.newestMs));
    case "pack-newest":
      return byUnit(look, stage, chooseUnpacked(look, stage));
    case "keep-last":
      return byUnit(look, stage, chooseBeforeLast(look.layout(stage.unit), stage.select.unitCount));
    case "pin-middle-recent": {
      const drop = chooseMiddle(look, stage);
      return drop && { drop, reason: "middle", stoppedBy: 0 };
    }
    case "filter":
      return { drop: unfit(look, stage, choosing.passes), reason: "filter", stoppedBy: 0 };
    case "drop-duplicates":
      return {
        drop: duplicates(look, stage, choosing.detailOf),
        reason: "duplicate",
        stoppedBy: 0,
      };
    case "shorten":
    case "boundary-only":
      return undefined;
  }
}

/** Turns marks of units into marks of entries. */
function byUnit(
  look: Look,
  stage: PolicyStage,
  choice: UnitChoice | undefined,
): Choice | undefined {
  if (choice === undefined) return undefined;
  const { unitOf } = look.layout(stage.unit);
  const drop = new Uint8Array(look.entries.length);
  for (let i = 0; i < drop.length; i++) {
    const unit = unitOf[i] ?? NO_UNIT;
    if (unit !== NO_UNIT && choice.drop[unit] === 1) drop[i] = CHOSEN;
  }
  return { ...choice, drop };
}

/** Marks what does not meet the conditions of a filter, or the whole unit or group with it. */
function unfit(look: Look, stage: PolicyStage, passes: (index: number) => boolean): Uint8Array {
  const { unitOf, holds } = look.layout(stage.unit);
  const isWholeUnit = stage.select.kind === "filter" && stage.select.scope === "unit";
  const { callOf } = look.grouping();
  const drop = new Uint8Array(look.entries.length);
  const gone = new Uint8Array(drop.length);
  // What goes together is known by one index: of its unit, of its call, or its own.
  const keyOf = (index: number): number => {
    if (isWholeUnit) return unitOf[index] ?? NO_UNIT;
    const call = callOf[index] ?? -1;
    return call >= 0 ? call : index;
  };
  for (let i = 0; i < drop.length; i++) {
    const unit = unitOf[i] ?? NO_UNIT;
    if (unit !== NO_UNIT && holds[unit] === 0 && !passes(i)) gone[keyOf(i)] = 1;
  }
  for (let i = 0; i < drop.length; i++) {
    if (unitOf[i] !== NO_UNIT && gone[keyOf(i)] === 1) drop[i] = CHOSEN;
  }
  return drop;
}

/** Marks messages that newer ones repeat; messages of tool calls and protected units stay. */
function duplicates<E extends WindowEntry>(
  look: Look<E>,
  stage: PolicyStage,
  detailOf: DetailOf<E>,
): Uint8Array {
  if (stage.select.kind !== "drop-duplicates") return new Uint8Array(look.entries.length);
  const repeated = duplicateEntries(look.entries, stage.select, detailOf);
  const { unitOf, holds } = look.layout(stage.unit);
  return Uint8Array.from(look.entries, ({ callIds, answers, isResult }, index) => {
    const unit = unitOf[index] ?? NO_UNIT;
    const stays = unit === NO_UNIT || holds[unit] !== 0;
    if (stays || isResult || callIds.length > 0 || answers.length > 0) return 0;
    return repeated[index] === 1 ? CHOSEN : 0;
  });
}
