// Chooses the entries that one stage removes.

import type { Protections, Unit } from "../policy.ts";
import { groupEntries } from "./groups.ts";
import { protectingEntries, setAside } from "./protect.ts";
import type { WindowEntry, WindowTotals } from "./types.ts";
import { NO_UNIT, splitUnits, type Units } from "./units.ts";

/** A window split for a stage, with the units that the stage must leave alone. */
export interface Layout extends Units {
  /** By unit number: 1 when the unit is protected. */
  readonly isProtected: Uint8Array;
}

/** Splits a window into units and finds which of them are protected, as it is before a stage. */
export function layoutOf(
  entries: readonly WindowEntry[],
  unit: Unit,
  protections: Protections,
): Layout {
  const grouping = groupEntries(entries);
  const aside = setAside(entries, grouping.callOf, protections);
  const { unitOf, count } = splitUnits(entries, unit, grouping.callOf, aside);
  const isProtected = new Uint8Array(count);
  for (const index of protectingEntries(entries, grouping, protections)) {
    const number = unitOf[index] ?? NO_UNIT;
    if (number !== NO_UNIT) isProtected[number] = 1;
  }
  return { unitOf, count, isProtected };
}

/**
 * Marks with 1 the units to remove, the oldest first, until `holds` is true for what is left or
 * nothing removable is left.
 */
export function oldestUnits(
  entries: readonly WindowEntry[],
  layout: Layout,
  totals: WindowTotals,
  holds: (totals: WindowTotals) => boolean,
): Uint8Array {
  const sizes = unitSizes(entries, layout);
  const drop = new Uint8Array(layout.count);
  const left = { ...totals };
  for (let unit = 0; unit < layout.count && !holds(left); unit++) {
    if (layout.isProtected[unit] === 1) continue;
    drop[unit] = 1;
    left.messageCount -= sizes.messages[unit] ?? 0;
    left.tokenCount -= sizes.tokens[unit] ?? 0;
    left.byteCount -= sizes.bytes[unit] ?? 0;
  }
  return drop;
}

/** Marks with 1 the units to remove: all but the newest `unitCount` and the protected ones. */
export function unitsBeforeLast(layout: Layout, unitCount: number): Uint8Array {
  const drop = new Uint8Array(layout.count);
  for (let unit = 0; unit < layout.count - unitCount; unit++) {
    if (layout.isProtected[unit] === 0) drop[unit] = 1;
  }
  return drop;
}

interface UnitSizes {
  readonly messages: Float64Array;
  readonly tokens: Float64Array;
  readonly bytes: Float64Array;
}

function unitSizes(entries: readonly WindowEntry[], layout: Layout): UnitSizes {
  const messages = new Float64Array(layout.count);
  const tokens = new Float64Array(layout.count);
  const bytes = new Float64Array(layout.count);
  let index = -1;
  for (const entry of entries) {
    index++;
    const unit = layout.unitOf[index] ?? NO_UNIT;
    if (unit === NO_UNIT) continue;
    messages[unit] = (messages[unit] ?? 0) + 1;
    tokens[unit] = (tokens[unit] ?? 0) + entry.tokenCount;
    bytes[unit] = (bytes[unit] ?? 0) + entry.byteCount;
  }
  return { messages, tokens, bytes };
}
