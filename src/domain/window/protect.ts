// What no stage may remove. Protected system messages and pinned messages are set aside before the
// window is split into units; the other protections keep the whole unit that holds the message.

import type { Protections } from "../policy.ts";
import { type Grouping, waitingCalls } from "./groups.ts";
import { ROLE, type WindowEntry } from "./types.ts";

/** Marks with 1 the entries that are set aside; a pinned message takes its whole group along. */
export function setAside(
  entries: readonly WindowEntry[],
  callOf: Int32Array,
  protections: Protections,
): Uint8Array {
  const aside = new Uint8Array(entries.length);
  let pinsLeft = protections.pinFirst;
  let leading = true;
  let index = -1;
  for (const entry of entries) {
    index++;
    if (entry.role === ROLE.system) {
      const { system } = protections;
      if (system === "all" || (system === "leading" && leading)) aside[index] = 1;
      continue;
    }
    leading = false;
    const call = callOf[index] ?? -1;
    // The call is the oldest message of its group, so it is marked before its results are met.
    if (pinsLeft > 0 || (call >= 0 && aside[call] === 1)) aside[index] = 1;
    if (pinsLeft > 0) pinsLeft--;
  }
  return aside;
}

/**
 * Lists the indexes of entries that protect the unit they are in: the newest `minMessages` of the
 * window whatever their role, the newest user message, and calls that still wait for results.
 */
export function protectingEntries(
  entries: readonly WindowEntry[],
  grouping: Grouping,
  protections: Protections,
): number[] {
  const protecting = waitingCalls(entries, grouping);
  const newest = Math.max(0, entries.length - protections.minMessages);
  for (let i = newest; i < entries.length; i++) protecting.push(i);
  if (protections.lastUser) {
    const user = entries.findLastIndex((entry) => entry.role === ROLE.user);
    if (user >= 0) protecting.push(user);
  }
  return protecting;
}
