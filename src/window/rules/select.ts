// Chooses the entries that one stage removes.

import type { BoundaryRule, PolicyStage, Selection, WindowUnit } from "../policy/policy.ts";
import { applyBoundary, CHOSEN } from "./boundary.ts";
import { duplicateEntries } from "./duplicates.ts";
import { oldestMs, packBudget, passedLimit } from "./limit.ts";
import type { Layout, Look } from "./look.ts";
import { HOLD } from "./protect.ts";
import type { DetailOf, TrimReason, WindowEntry, WindowTotals } from "./types.ts";
import { beginsTurn, NO_UNIT } from "./units.ts";

/** The choice of a stage, of units or of entries. */
interface Choice {
  /** By the number of the unit: 1 when it goes. By entry: CHOSEN, POPPED or 0. */
  readonly drop: Uint8Array;
  readonly reason: TrimReason;
  /** Reasons for stopping early, as bits of HOLD; 0 if it went through all units. */
  readonly stoppedBy: number;
}

/** A selection of one kind. */
type SelectionOf<Kind extends Selection["kind"]> = Extract<Selection, { readonly kind: Kind }>;

/**
 * Marks with 1 the entries between the first and the newest ones; undefined when they are too few.
 * Counts messages that the policy sees and that are not set aside.
 */
function chooseMiddle(
  look: Look,
  select: SelectionOf<"pin-middle-recent">,
  rule: BoundaryRule | undefined,
): Uint8Array | undefined {
  const { entries } = look;
  if (entries.length < select.pinFirst + select.keepRecent + select.minRemoved) return undefined;
  const aside = look.aside();
  const free: number[] = [];
  for (let i = 0; i < entries.length; i++) if (aside[i] === 0) free.push(i);
  const isResult = (at: number): boolean => entries[free[at] ?? -1]?.isResult === true;
  let from = select.pinFirst;
  let to = free.length - select.keepRecent;
  if (rule === "absorb-and-grow") while (from < to && isResult(from)) from++;
  if (rule === "absorb-and-grow" || rule === "grow-recent") while (from < to && isResult(to)) to--;
  if (from >= to) return undefined;
  const drop = new Uint8Array(entries.length);
  const { unitOf, holds } = look.layout("message");
  for (const index of free.slice(from, to)) {
    if (holds[unitOf[index] ?? -1] === 0) drop[index] = 1;
  }
  const left = keepWholeGroups(drop, look.grouping().callOf);
  return left === 0 || left < select.minRemoved ? undefined : drop;
}

/** Takes the marks off groups that are not marked as a whole; returns how many marks are left. */
function keepWholeGroups(drop: Uint8Array, callOf: Int32Array): number {
  const kept = new Uint8Array(drop.length);
  for (let i = 0; i < drop.length; i++) {
    const call = callOf[i] ?? -1;
    if (call >= 0 && drop[i] === 0) kept[call] = 1;
  }
  let left = 0;
  for (let i = 0; i < drop.length; i++) {
    const call = callOf[i] ?? -1;
    if (call >= 0 && kept[call] === 1) drop[i] = 0;
    left += drop[i] ?? 0;
  }
  return left;
}

// Removes the oldest units until limits hold: the stages that drop the oldest, and the ceiling.

/** Order and bounds in which the oldest units go. */
interface Rule {
  /** Whether the limits of size hold for what is left. */
  readonly holds: (left: WindowTotals) => boolean;
  /** Units whose newest message is older go whatever the size. */
  readonly since: number;
  readonly stopAtProtected: boolean;
  readonly stopAtFree: boolean;
  /** The reasons that hold each unit, as bits of HOLD. */
  readonly holdsAll: number;
}

function dropOldest(layout: Layout, totals: WindowTotals, rule: Rule): Omit<Choice, "reason"> {
  const sizes = layout.sizes();
  const drop = new Uint8Array(layout.count);
  const left = { ...totals };
  for (let unit = 0; unit < layout.count; unit++) {
    const fits = rule.holds(left);
    if (fits && rule.since === Number.NEGATIVE_INFINITY) break;
    if (rule.stopAtFree && sizes.tokens[unit] === 0) return { drop, stoppedBy: HOLD.free };
    const held = (layout.holds[unit] ?? 0) | rule.holdsAll;
    if (held !== 0 && rule.stopAtProtected) return { drop, stoppedBy: held };
    const isYoung = fits && (sizes.newestMs[unit] ?? 0) >= rule.since;
    if (held !== 0 || isYoung) continue;
    drop[unit] = 1;
    left.messageCount -= sizes.messages[unit] ?? 0;
    left.tokenCount -= sizes.tokens[unit] ?? 0;
    left.byteCount -= sizes.bytes[unit] ?? 0;
  }
  return { drop, stoppedBy: 0 };
}

/** Chooses the oldest units until a test of the totals holds, passing over protected ones. */
export function oldestUnits(
  layout: Layout,
  totals: WindowTotals,
  holds: (left: WindowTotals) => boolean,
): Uint8Array {
  const since = Number.NEGATIVE_INFINITY;
  const stops = { stopAtProtected: false, stopAtFree: false };
  return dropOldest(layout, totals, { holds, since, ...stops, holdsAll: 0 }).drop;
}

/** Whether the newest user message is to stay and there is none: nothing can go without it. */
function lacksUser({ entries, policy }: Look): boolean {
  return policy.protections.lastUser && !entries.some(beginsTurn);
}

/** Chooses for a stage that drops the oldest; undefined when its limits hold already. */
function chooseOldest(
  look: Look,
  unit: WindowUnit,
  select: SelectionOf<"drop-oldest">,
  newestMs: () => number,
): Choice | undefined {
  const passed = passedLimit(select, look.counted());
  const since = oldestMs(select, newestMs);
  if (passed === undefined && since === undefined) return undefined;
  const { stopAtProtected, stopAtFree } = select;
  const dropped = dropOldest(look.layout(unit), look.counted(), {
    holds: (left) => passedLimit(select, left) === undefined,
    since: since ?? Number.NEGATIVE_INFINITY,
    stopAtProtected,
    stopAtFree,
    holdsAll: stopAtProtected && lacksUser(look) ? HOLD.lastUser : 0,
  });
  return { ...dropped, reason: passed ?? "age-limit" };
}

// Keeps the newest units: a number of them, or as many as fit a budget.

/** Chooses all units but the newest `unitCount` and the protected ones. */
export function chooseBeforeLast(layout: Layout, unitCount: number): Choice {
  const drop = new Uint8Array(layout.count);
  for (let unit = 0; unit < layout.count - unitCount; unit++) {
    if (layout.holds[unit] === 0) drop[unit] = 1;
  }
  return { drop, reason: "keep-last", stoppedBy: 0 };
}

/** Chooses what does not fit the budget of a pack-newest stage; undefined when everything does. */
function chooseUnpacked(
  look: Look,
  layout: Layout,
  select: SelectionOf<"pack-newest">,
): Choice | undefined {
  const budget = packBudget(select);
  const { tokenCount } = look.counted();
  if (tokenCount <= budget) return undefined;
  const { tokens } = layout.sizes();
  // Tokens that are always used: messages in no unit and protected units.
  let used = tokenCount;
  for (let unit = 0; unit < layout.count; unit++) {
    if (layout.holds[unit] === 0) used -= tokens[unit] ?? 0;
  }
  const drop = new Uint8Array(layout.count);
  let stopped = false;
  for (let unit = layout.count - 1; unit >= 0; unit--) {
    if (layout.holds[unit] !== 0) continue;
    const cost = tokens[unit] ?? 0;
    if (!stopped && used + cost <= budget) {
      used += cost;
      continue;
    }
    drop[unit] = 1;
    stopped = !select.skipUnfit;
  }
  return { drop, reason: "budget", stoppedBy: 0 };
}

/** Input of a choice beside the window. */
interface Choosing<E extends WindowEntry> {
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
  const nothing = { drop: new Uint8Array(look.entries.length), reason: "boundary" } as const;
  const choice = choose(look, stage, choosing) ?? { ...nothing, stoppedBy: 0 };
  applyBoundary(look, stage, choice.drop);
  return choice;
}

function choose<E extends WindowEntry>(
  look: Look<E>,
  { select, unit, boundary }: PolicyStage,
  { detailOf, newestMs, passes }: Choosing<E>,
): Choice | undefined {
  switch (select.kind) {
    case "drop-oldest":
      return byUnit(look, unit, chooseOldest(look, unit, select, newestMs));
    case "pack-newest":
      return byUnit(look, unit, chooseUnpacked(look, look.layout(unit), select));
    case "keep-last":
      return byUnit(look, unit, chooseBeforeLast(look.layout(unit), select.unitCount));
    case "pin-middle-recent": {
      const drop = chooseMiddle(look, select, boundary?.rule);
      return drop && { drop, reason: "middle", stoppedBy: 0 };
    }
    case "filter": {
      const drop = unfit(look, look.layout(unit), { isWholeUnit: select.scope === "unit", passes });
      return { drop, reason: "filter", stoppedBy: 0 };
    }
    case "drop-duplicates": {
      const repeated = duplicateEntries(look.entries, select, detailOf);
      const { unitOf, holds } = look.layout(unit);
      // Protected units stay.
      const drop = repeated.map((mark, i) => (holds[unitOf[i] ?? NO_UNIT] === 0 ? mark : 0));
      return { drop, reason: "duplicate", stoppedBy: 0 };
    }
    case "shorten":
    case "boundary-only":
      return undefined;
  }
}

/** Turns marks of units into marks of entries. */
function byUnit(look: Look, unit: WindowUnit, choice: Choice | undefined): Choice | undefined {
  if (choice === undefined) return undefined;
  const { unitOf } = look.layout(unit);
  return {
    ...choice,
    drop: Uint8Array.from(unitOf, (one) => (choice.drop[one] === 1 ? CHOSEN : 0)),
  };
}

/** Marks what does not meet the conditions of a filter, or the whole unit or group with it. */
function unfit(
  look: Look,
  { unitOf, holds }: Layout,
  { isWholeUnit, passes }: Pick<Choosing<never>, "passes"> & { readonly isWholeUnit: boolean },
): Uint8Array {
  const { callOf } = look.grouping();
  const drop = new Uint8Array(look.entries.length);
  const gone = new Uint8Array(drop.length);
  // Entries that go together share one index: of their unit, of their call, or their own.
  const keyOf = (index: number): number => {
    if (isWholeUnit) return unitOf[index] ?? NO_UNIT;
    const call = callOf[index] ?? -1;
    return call >= 0 ? call : index;
  };
  for (let i = 0; i < drop.length; i++) {
    if (holds[unitOf[i] ?? NO_UNIT] === 0 && !passes(i)) gone[keyOf(i)] = 1;
  }
  for (let i = 0; i < drop.length; i++) {
    if (unitOf[i] !== NO_UNIT && gone[keyOf(i)] === 1) drop[i] = CHOSEN;
  }
  return drop;
}
