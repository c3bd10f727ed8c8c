// Pairs tool results with the calls they answer. A group is an assistant message with tool calls
// and every message that answers it; the rules keep or remove a group as a whole. A message that
// answers calls of several messages joins their groups to one.
//
// An answer with an id belongs to the nearest message before it that makes a call with this id. A
// tool message without an id answers the assistant message with calls right before it, with only
// tool results between. "Before" and "between" are meant among the entries given, not in the whole
// log.

import type { ToolPairing } from "../policy/policy.ts";
import { ROLE, type WindowEntry, type WindowFacts } from "./types.ts";

/** In `Grouping.callOf`: the entry takes part in no tool call. */
export const NO_GROUP = -1;
/** In `Grouping.callOf`: a tool result whose call is not among the entries. */
export const ORPHAN = -2;

/** Groups of entries that belong together, by the index of the entry. */
export interface Grouping {
  /** The index of the oldest message with calls of the entry's group, NO_GROUP or ORPHAN. */
  readonly callOf: Int32Array;
  /** Number of its calls without a result; 0 for entries that make none. */
  readonly missing: Int32Array;
}

/** Index of the newest call with an id. */
interface Slot {
  readonly call: number;
  answered: boolean;
}

/** Whether a message makes tool calls. */
export function makesCalls(entry: WindowEntry): boolean {
  return entry.role === ROLE.assistant && entry.callIds.length > 0;
}

/** Gives every entry a group of its own, or none: for windows in which pairs are not looked at. */
export function noGroups(length: number): Grouping {
  return { callOf: new Int32Array(length).fill(NO_GROUP), missing: new Int32Array(length) };
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

/** The oldest of the items that one is joined with; shortens the way there. */
export function rootOf(parents: Int32Array, item: number): number {
  let at = item;
  while (parents[at] !== at) {
    const next = parents[at] ?? at;
    parents[at] = parents[next] ?? next;
    at = next;
  }
  return at;
}

interface Pairing {
  readonly callOf: Int32Array;
  readonly missing: Int32Array;
  readonly slots: Map<string, Slot>;
  /** Some message answered calls of several. */
  joined: boolean;
}

/** Pairs a message that answers calls by their ids; tells whether one of them is there. */
function pairById(pairing: Pairing, entry: WindowEntry, index: number): boolean {
  const { callOf, missing, slots } = pairing;
  let group = -1;
  for (const id of entry.answers) {
    const slot = slots.get(id);
    if (slot === undefined) continue;
    if (!slot.answered) {
      slot.answered = true;
      missing[slot.call] = (missing[slot.call] ?? 0) - 1;
    }
    const root = rootOf(callOf, slot.call);
    if (group !== -1 && root !== group) {
      callOf[Math.max(group, root)] = Math.min(group, root);
      pairing.joined = true;
    }
    group = group === -1 ? root : Math.min(group, root);
  }
  if (group !== -1) callOf[index] = group;
  return group !== -1;
}

/** Pairs every tool result with its calls. Linear in the number of entries. */
export function groupEntries(entries: readonly WindowEntry[]): Grouping {
  const { callOf, missing } = noGroups(entries.length);
  const pairing: Pairing = { callOf, missing, slots: new Map(), joined: false };
  let adjacent = ORPHAN;
  let index = -1;
  for (const entry of entries) {
    index++;
    if (makesCalls(entry)) {
      adjacent = index;
      callOf[index] = index;
      missing[index] = noteCalls(pairing.slots, entry, index);
    } else if (entry.answers.length > 0) {
      // A message that says something beside its results is no orphan without their calls.
      if (!pairById(pairing, entry, index) && entry.isResult) callOf[index] = ORPHAN;
      if (!entry.isResult) adjacent = ORPHAN;
    } else if (entry.isResult) {
      callOf[index] = adjacent;
      if (adjacent >= 0) missing[adjacent] = (missing[adjacent] ?? 0) - 1;
    } else {
      adjacent = ORPHAN;
    }
  }
  for (let i = 0; i < missing.length; i++) {
    // More results without an id than calls answer every call, and no more than that.
    if ((missing[i] ?? 0) < 0) missing[i] = 0;
    const call = callOf[i] ?? NO_GROUP;
    if (pairing.joined && call >= 0) callOf[i] = rootOf(callOf, call);
  }
  return { callOf, missing };
}

/** The pairs that are left when whole groups leave, the entries marked in `drop`. */
export function groupingWithout({ callOf, missing }: Grouping, drop: Uint8Array): Grouping {
  const places = new Int32Array(drop.length);
  let count = 0;
  for (let i = 0; i < drop.length; i++) places[i] = drop[i] === 0 ? count++ : ORPHAN;
  const left = noGroups(count);
  for (let i = 0; i < drop.length; i++) {
    const place = places[i] ?? ORPHAN;
    if (place === ORPHAN) continue;
    const call = callOf[i] ?? NO_GROUP;
    left.callOf[place] = call >= 0 ? (places[call] ?? ORPHAN) : call;
    left.missing[place] = missing[i] ?? 0;
  }
  return left;
}

/**
 * Tells whether a tool result from index `from` on has no call among the entries. Looks back only
 * as far as it must: entries before `from` are taken to be paired.
 */
export function hasOrphan(entries: readonly WindowEntry[], from: number): boolean {
  const wanted: Wanted = { results: new Set(), byId: new Map() };
  let adjacentWanted = false;
  for (let i = entries.length - 1; i >= 0; i--) {
    if (i < from && wanted.results.size === 0 && !adjacentWanted) return false;
    const entry = entries[i];
    if (entry === undefined) continue;
    if (entry.isResult) {
      if (i < from) continue;
      if (entry.answers.length === 0) adjacentWanted = true;
      else want(wanted, i, entry.answers);
      continue;
    }
    const calls = makesCalls(entry);
    if (adjacentWanted && !calls) return true;
    adjacentWanted = false;
    if (calls && wanted.results.size > 0) find(wanted, entry.callIds);
  }
  return adjacentWanted || wanted.results.size > 0;
}

/** The results that look for a call, by their indexes; any one of their ids is enough. */
interface Wanted {
  readonly results: Set<number>;
  readonly byId: Map<string, number[]>;
}

function want({ results, byId }: Wanted, result: number, ids: readonly string[]): void {
  results.add(result);
  for (const id of ids) {
    const list = byId.get(id);
    if (list === undefined) byId.set(id, [result]);
    else list.push(result);
  }
}

/** Each id is looked up once and forgotten, so that the time is linear in the number of ids. */
function find({ results, byId }: Wanted, callIds: readonly string[]): void {
  for (const id of callIds) {
    for (const result of byId.get(id) ?? []) results.delete(result);
    byId.delete(id);
  }
}

/** A call, by its id, and whether a result with that id came. */
interface OpenCall {
  readonly id: string;
  answered: boolean;
}

/**
 * Lists the ids of tool calls among the entries that have no result among them, in the order of the
 * calls, each id once. A result without an id answers the first call of its message that no result
 * with an id answers.
 */
export function openCallIds(entries: readonly WindowEntry[]): string[] {
  const made: { readonly calls: readonly OpenCall[]; spare: number }[] = [];
  const newest = new Map<string, OpenCall>();
  let adjacent: { spare: number } | undefined;
  for (const entry of entries) {
    if (makesCalls(entry)) {
      const calls = [...new Set(entry.callIds)].map((id) => ({ id, answered: false }));
      for (const call of calls) newest.set(call.id, call);
      const last = { calls, spare: 0 };
      made.push(last);
      adjacent = last;
      continue;
    }
    for (const id of entry.answers) {
      const call = newest.get(id);
      if (call !== undefined) call.answered = true;
    }
    if (!entry.isResult) adjacent = undefined;
    else if (entry.answers.length === 0 && adjacent !== undefined) adjacent.spare++;
  }
  const open = new Set<string>();
  for (const { calls, spare } of made) {
    for (const { id } of calls.filter((call) => !call.answered).slice(spare)) open.add(id);
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
    if (entry === undefined || (entry.role === ROLE.user && !entry.isResult)) break;
    if (entry.role !== ROLE.assistant) continue;
    if (entry.callIds.length === 0) break;
    if ((grouping.missing[i] ?? 0) > 0) waiting.push(i);
  }
  return waiting.reverse();
}

// Groups of entries that a policy keeps together because of tool calls.

/** Groups entries as a policy with these tool pairs does. Linear in the number of entries. */
export function groupEntriesAs(
  entries: readonly WindowEntry[],
  toolPairing: ToolPairing,
): Grouping {
  if (toolPairing === "loose") return noGroups(entries.length);
  return toolPairing === "adjacent" ? groupAdjacent(entries) : groupEntries(entries);
}

/** Whether a message holds tool results, alone or beside what it says. */
export function holdsResults({ isResult, answers }: WindowFacts): boolean {
  return isResult || answers.length > 0;
}

/**
 * Groups every message that makes calls with the messages that hold tool results directly behind
 * it, whatever their ids. Nobody waits for results here, so no call is said to miss one.
 */
export function groupAdjacent(entries: readonly WindowEntry[]): Grouping {
  const grouping = noGroups(entries.length);
  let call = NO_GROUP;
  let index = -1;
  for (const entry of entries) {
    index++;
    if (makesCalls(entry)) call = index;
    else if (!holdsResults(entry)) call = NO_GROUP;
    grouping.callOf[index] = call;
  }
  return grouping;
}
