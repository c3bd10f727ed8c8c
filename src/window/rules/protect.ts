// Messages that no stage may remove. Protected system messages and pinned messages are set aside
// before the window is split into units; the other protections keep the whole unit that holds the
// message.

import type { Policy } from "../policy/policy.ts";
import { type Grouping, waitingCalls } from "./groups.ts";
import { type HoldReason, ROLE, type WindowEntry } from "./types.ts";
import { beginsTurn } from "./units.ts";

/** The reasons to hold a message as bits, in the order of HoldReason. */
export const HOLD = {
  system: 1,
  pinFirst: 2,
  pinId: 4,
  minMessages: 8,
  lastUser: 16,
  waitingCall: 32,
  free: 64,
} as const;

/** The bit of a message that the policy does not see; no reason to hold anything. */
export const UNSEEN = 128;

const REASONS: readonly (readonly [number, HoldReason])[] = [
  [HOLD.system, "system"],
  [HOLD.pinFirst, "pin-first"],
  [HOLD.pinId, "pin-id"],
  [HOLD.minMessages, "min-messages"],
  [HOLD.lastUser, "last-user"],
  [HOLD.waitingCall, "waiting-call"],
  [HOLD.free, "free"],
];

/** Names the reasons of a set of bits, in their order. */
export function holdReasons(bits: number): HoldReason[] {
  if (bits === 0) return [];
  return REASONS.filter(([bit]) => (bits & bit) !== 0).map(([, reason]) => reason);
}

/** Whether an entry is a placed summary that is shown as a system message. */
export function isSummary(entry: WindowEntry): boolean {
  return entry.role === ROLE.system && !Number.isInteger(entry.seq);
}

/**
 * Marks the entries that are set aside with the reasons; a pin takes its whole group along. With
 * `folds`, placed summaries are no system messages, and none of those that pins count.
 */
export function setAside(
  entries: readonly WindowEntry[],
  callOf: Int32Array,
  { protections }: Policy,
  folds = false,
): Uint8Array {
  const { system, pinIds } = protections;
  const aside = new Uint8Array(entries.length);
  const pins = pinIds.length === 0 ? undefined : new Set(pinIds);
  let pinsLeft = protections.pinFirst;
  let leading = true;
  let hasPins = false;
  let index = -1;
  for (const entry of entries) {
    index++;
    let bits = pins?.has(entry.messageId) ? HOLD.pinId : 0;
    if (entry.role === ROLE.system) {
      if (folds && isSummary(entry)) {
        aside[index] = bits;
        continue;
      }
      if (system === "all" || (system === "leading" && leading)) bits |= HOLD.system;
      if (system === "excluded") bits = UNSEEN;
    } else {
      leading = false;
      if (pinsLeft > 0) bits |= HOLD.pinFirst;
      if (pinsLeft > 0) pinsLeft--;
      hasPins ||= bits !== 0;
    }
    aside[index] = bits;
  }
  if (hasPins) spreadPins(aside, callOf);
  return aside;
}

/** Gives every message of a group the pins of all of them. */
function spreadPins(aside: Uint8Array, callOf: Int32Array): void {
  for (let i = 0; i < aside.length; i++) {
    const call = callOf[i] ?? -1;
    if (call >= 0) aside[call] = (aside[call] ?? 0) | (aside[i] ?? 0);
  }
  for (let i = 0; i < aside.length; i++) {
    const call = callOf[i] ?? -1;
    if (call >= 0) aside[i] = aside[call] ?? 0;
  }
}

/**
 * Marks the entries that protect the unit they are in with the reasons: the newest `minMessages` of
 * the window whatever their role, the newest user message, and calls that still wait for results.
 */
export function guardEntries(
  entries: readonly WindowEntry[],
  grouping: Grouping,
  { protections, toolPairing }: Policy,
): Uint8Array {
  const guards = new Uint8Array(entries.length);
  const mark = (index: number, bit: number): void => {
    guards[index] = (guards[index] ?? 0) | bit;
  };
  if (toolPairing === "whole") {
    for (const call of waitingCalls(entries, grouping)) mark(call, HOLD.waitingCall);
  }
  const skipsSystem = protections.system === "excluded";
  let left = protections.minMessages;
  for (let i = entries.length - 1; i >= 0 && left > 0; i--) {
    if (skipsSystem && entries[i]?.role === ROLE.system) continue;
    mark(i, HOLD.minMessages);
    left--;
  }
  if (protections.lastUser) {
    const user = entries.findLastIndex(beginsTurn);
    if (user >= 0) mark(user, HOLD.lastUser);
  }
  return guards;
}
