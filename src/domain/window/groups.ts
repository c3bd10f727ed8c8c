// Pairs tool results with the calls they answer. A group is an assistant message with tool calls
// and every tool message that answers it; the rules keep or remove a group as a whole.
//
// A tool message with an id answers the nearest message before it that makes a call with this id. A
// tool message without an id answers the assistant message with calls right before it, with only
// tool messages between. "Before" and "between" are meant among the entries given, not in the whole
// log.

import { ROLE, type WindowEntry } from "./types.ts";

/** In `Grouping.callOf`: the entry takes part in no tool call. */
export const NO_GROUP = -1;
/** In `Grouping.callOf`: a tool result whose call is not among the entries. */
export const ORPHAN = -2;

/** Which entries belong together; indexes are those of the entries. */
export interface Grouping {
  /** The index of the message that makes the calls of the entry's group, NO_GROUP or ORPHAN. */
  readonly callOf: Int32Array;
  /** How many of its calls have no result; 0 for entries that make none. */
  readonly missing: Int32Array;
}

/** Where the newest call with some id was made. */
interface Slot {
  readonly call: number;
  answered: boolean;
}

function makesCalls(entry: WindowEntry): boolean {
  return entry.role === ROLE.assistant && entry.callIds.length > 0;
}

/** Notes the calls of a message; returns how many different ids there are. */
function noteCalls(slots: Map<string, Slot>, entry: WindowEntry, index: number): number {
  let count = 0;
  for (const id of entry.callIds) {
    if (slots.get(id)?.call !== index) {
      slots.set(id, { call: index, answered: false });
      count++;
    }
  }
  return count;
}

/** Pairs every tool result with its call. Linear in the number of entries. */
export function groupEntries(entries: readonly WindowEntry[]): Grouping {
  const callOf = new Int32Array(entries.length).fill(NO_GROUP);
  const missing = new Int32Array(entries.length);
  const slots = new Map<string, Slot>();
  let adjacent = ORPHAN;
  let index = -1;
  for (const entry of entries) {
    index++;
    if (entry.role !== ROLE.tool) {
      adjacent = ORPHAN;
      if (makesCalls(entry)) {
        adjacent = index;
        callOf[index] = index;
        missing[index] = noteCalls(slots, entry, index);
      }
      continue;
    }
    if (entry.toolCallId === "") {
      callOf[index] = adjacent;
      if (adjacent >= 0) missing[adjacent] = (missing[adjacent] ?? 0) - 1;
      continue;
    }
    const slot = slots.get(entry.toolCallId);
    callOf[index] = slot?.call ?? ORPHAN;
    if (slot !== undefined && !slot.answered) {
      slot.answered = true;
      missing[slot.call] = (missing[slot.call] ?? 0) - 1;
    }
  }
  // More results without an id than calls answer every call, and no more than that.
  for (let i = 0; i < missing.length; i++) {
    if ((missing[i] ?? 0) < 0) missing[i] = 0;
  }
  return { callOf, missing };
}

/**
 * Tells whether a tool result from index `from` on has no call among the entries. Looks back only
 * as far as it must: entries before `from` are taken to be paired.
 */
export function hasOrphan(entries: readonly WindowEntry[], from: number): boolean {
  const wanted = new Set<string>();
  let adjacentWanted = false;
  for (let i = entries.length - 1; i >= 0; i--) {
    if (i < from && wanted.size === 0 && !adjacentWanted) return false;
    const entry = entries[i];
    if (entry === undefined) continue;
    if (entry.role === ROLE.tool) {
      if (i < from) continue;
      if (entry.toolCallId === "") adjacentWanted = true;
      else wanted.add(entry.toolCallId);
      continue;
    }
    const calls = makesCalls(entry);
    if (adjacentWanted && !calls) return true;
    adjacentWanted = false;
    if (calls) for (const id of entry.callIds) wanted.delete(id);
  }
  return adjacentWanted || wanted.size > 0;
}

/**
 * Lists the ids of tool calls among the entries that have no result among them, in the order of the
 * calls, each id once. A result without an id answers the first call of its message that no result
 * with an id answers.
 */
export function openCallIds(entries: readonly WindowEntry[]): string[] {
  if (!entries.some(makesCalls)) return [];
  const { callOf, missing } = groupEntries(entries);
  const answered = new Map<number, { readonly ids: Set<string>; spare: number }>();
  const open = new Set<string>();
  let index = -1;
  for (const entry of entries) {
    index++;
    const call = callOf[index] ?? NO_GROUP;
    if (entry.role !== ROLE.tool || call < 0 || missing[call] === 0) continue;
    const seen = answered.get(call) ?? { ids: new Set<string>(), spare: 0 };
    if (entry.toolCallId === "") seen.spare++;
    else seen.ids.add(entry.toolCallId);
    answered.set(call, seen);
  }
  index = -1;
  for (const entry of entries) {
    index++;
    if (missing[index] === 0) continue;
    const seen = answered.get(index);
    const unanswered = [...new Set(entry.callIds)].filter((id) => !seen?.ids.has(id));
    for (const id of unanswered.slice(seen?.spare ?? 0)) open.add(id);
  }
  return [...open];
}

/**
 * Lists the indexes of messages that still wait for results: a call has none, and no later user
 * message and no later assistant message without calls shows that the conversation moved on.
 */
export function waitingCalls(entries: readonly WindowEntry[], grouping: Grouping): number[] {
  const waiting: number[] = [];
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry === undefined || entry.role === ROLE.user) break;
    if (entry.role !== ROLE.assistant) continue;
    if (entry.callIds.length === 0) break;
    if ((grouping.missing[i] ?? 0) > 0) waiting.push(i);
  }
  return waiting.reverse();
}
