// Splits a window into the units that a stage keeps or removes. Entries that are set aside are in
// no unit and are skipped as if they were not there; units that share a group are one unit.

import type { WindowUnit } from "../policy/policy.ts";
import { rootOf } from "./groups.ts";
import { ROLE, type WindowEntry } from "./types.ts";

/** In `Units.unitOf`: the entry is set aside. */
export const NO_UNIT = -1;

/** A window split into units, numbered from 0 by their oldest entry. */
export interface Units {
  /** The number of each entry's unit, or NO_UNIT. */
  readonly unitOf: Int32Array;
  readonly count: number;
}

/** Splits entries into units. `callOf` is that of the grouping of the same entries. */
export function splitUnits(
  entries: readonly WindowEntry[],
  unit: WindowUnit,
  callOf: Int32Array,
  aside: Uint8Array,
): Units {
  if (unit === "message") return messageUnits(callOf, aside);
  const segments = unit === "turn" ? turns(entries, aside) : assistantTurns(entries, aside);
  return mergeByGroup(segments, callOf);
}

/** Whether a message is what a user said, and not only results of tools. */
export function beginsTurn(entry: WindowEntry): boolean {
  return entry.role === ROLE.user && !entry.isResult;
}

function messageUnits(callOf: Int32Array, aside: Uint8Array): Units {
  const unitOf = new Int32Array(callOf.length).fill(NO_UNIT);
  let count = 0;
  for (let i = 0; i < callOf.length; i++) {
    if (aside[i] !== 0) continue;
    const call = callOf[i] ?? i;
    unitOf[i] = call >= 0 && call < i ? (unitOf[call] ?? NO_UNIT) : count++;
  }
  return { unitOf, count };
}

function turns(entries: readonly WindowEntry[], aside: Uint8Array): Units {
  const unitOf = new Int32Array(entries.length).fill(NO_UNIT);
  let count = 0;
  let index = -1;
  for (const entry of entries) {
    index++;
    if (aside[index] !== 0) continue;
    if (count === 0 || beginsTurn(entry)) count++;
    unitOf[index] = count - 1;
  }
  return { unitOf, count };
}

function assistantTurns(entries: readonly WindowEntry[], aside: Uint8Array): Units {
  const unitOf = new Int32Array(entries.length).fill(NO_UNIT);
  let count = 0;
  let inAssistantTurn = false;
  let index = -1;
  for (const entry of entries) {
    index++;
    if (aside[index] !== 0) continue;
    if (entry.role === ROLE.assistant) inAssistantTurn = true;
    else if (beginsTurn(entry)) inAssistantTurn = false;
    if (!inAssistantTurn || entry.role === ROLE.assistant) count++;
    unitOf[index] = count - 1;
  }
  return { unitOf, count };
}

function mergeByGroup(segments: Units, callOf: Int32Array): Units {
  const { unitOf } = segments;
  const parents = new Int32Array(segments.count);
  for (let i = 0; i < parents.length; i++) parents[i] = i;
  let joined = false;
  for (let i = 0; i < callOf.length; i++) {
    const call = callOf[i] ?? i;
    const segment = unitOf[i] ?? NO_UNIT;
    if (call < 0 || segment === NO_UNIT || unitOf[call] === segment) continue;
    const a = rootOf(parents, segment);
    const b = rootOf(parents, unitOf[call] ?? segment);
    parents[Math.max(a, b)] = Math.min(a, b);
    joined = true;
  }
  return joined ? renumber(unitOf, parents) : segments;
}

/** Numbers the joined segments anew; a root is the oldest of its unit, so the order stays. */
function renumber(segmentOf: Int32Array, parents: Int32Array): Units {
  const numbers = new Int32Array(parents.length);
  let count = 0;
  for (let i = 0; i < parents.length; i++) {
    const root = rootOf(parents, i);
    numbers[i] = root === i ? count++ : (numbers[root] ?? 0);
  }
  return { unitOf: segmentOf.map((s) => (s === NO_UNIT ? s : (numbers[s] ?? s))), count };
}
