// Results for tool calls that never got one. Providers refuse a conversation in which a call stands
// without its result; a turn that was interrupted leaves such calls behind.

import { makesCalls } from "./groups.ts";
import type { DetailOf, WindowEntry } from "./types.ts";

/** A call that gets a result. */
export interface CallToFill {
  readonly callId: string;
  /** The tool; empty when the call names none. */
  readonly callName: string;
  /** Position of the result: after an entry and before the next, therefore not an integer. */
  readonly position: number;
}

/** Text of a filled result when the policy has none of its own. */
export const FILL_NOTICE =
  "No result: the tool call was interrupted before it ended. " +
  "It may or may not have had an effect.";

/** A message with calls that lack results. */
interface Gap<E extends WindowEntry> {
  readonly call: E;
  readonly missing: readonly string[];
  /** The index of the entry that the new results stand behind. */
  readonly behind: number;
}

/**
 * Lists the results to put in, by rising position: for each message with calls, or only the newest
 * such, those of its ids that no later entry answers before the id is called again. A result
 * without an id answers the first of the calls right before it that no id answers. With "moved-on"
 * a message is left alone until an entry that answers nothing follows its last result, or it. The
 * new results of one message are in the order of their ids and stand behind its last result, or
 * behind it.
 */
export function callsToFill<E extends WindowEntry>(
  entries: readonly E[],
  fill: { readonly rule: "moved-on" | "always"; readonly newestOnly: boolean },
  detailOf: DetailOf<E>,
): readonly CallToFill[] {
  const gaps = gapsOf(entries, fill);
  /** Number of results after an entry, by its index. */
  const counts = new Map<number, number>();
  for (const { behind, missing } of gaps) {
    counts.set(behind, (counts.get(behind) ?? 0) + missing.length);
  }
  const placed = new Map<number, number>();
  const filled = gaps.flatMap(({ call, missing, behind }) => {
    const { toolCalls } = detailOf(call);
    return missing.map((callId): CallToFill => {
      const place = (placed.get(behind) ?? 0) + 1;
      placed.set(behind, place);
      const callName = toolCalls.find(({ id }) => id === callId)?.name ?? "";
      const share = place / ((counts.get(behind) ?? 0) + 1);
      return { callId, callName, position: positionBehind(entries, behind, share) };
    });
  });
  return filled.sort((a, b) => a.position - b.position);
}

/** Maximum number of results that callsToFill lists. */
export function countToFill(
  entries: readonly WindowEntry[],
  fill: { readonly rule: "moved-on" | "always"; readonly newestOnly: boolean },
): number {
  let count = 0;
  for (const { missing } of gapsOf(entries, fill)) count += missing.length;
  return count;
}

/** The messages with calls that lack results, oldest first. One pass from the newest entry back. */
function gapsOf<E extends WindowEntry>(
  entries: readonly E[],
  { rule, newestOnly }: { readonly rule: "moved-on" | "always"; readonly newestOnly: boolean },
): readonly Gap<E>[] {
  const gaps: Gap<E>[] = [];
  /** Index of the last answer to an id, among the entries already passed. */
  const answered = new Map<string, number>();
  /** Index of the next call with an id. */
  const called = new Map<string, number>();
  /** The results without an id that the next message with calls gets. */
  let bare: number[] = [];
  let movedOn = -1;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined) continue;
    if (makesCalls(entry)) {
      const gap = gapOf(entry, index, { answered, called, bare });
      const isDue = rule === "always" || movedOn > gap.behind;
      if (gap.missing.length > 0 && isDue) gaps.push(gap);
      if (newestOnly) break;
      // A result answers the nearest call of its id before it, not one further back.
      for (const id of entry.callIds) {
        answered.delete(id);
        called.set(id, index);
      }
    }
    for (const id of entry.answers) if (!answered.has(id)) answered.set(id, index);
    if (!entry.isResult) bare = [];
    else if (entry.answers.length === 0) bare.push(index);
    const answersNothing = entry.answers.length === 0 && !entry.isResult;
    if (answersNothing && movedOn === -1) movedOn = index;
  }
  return gaps.reverse();
}

/** Entries behind a message with calls. */
interface Behind {
  readonly answered: ReadonlyMap<string, number>;
  readonly called: ReadonlyMap<string, number>;
  readonly bare: readonly number[];
}

function gapOf<E extends WindowEntry>(
  call: E,
  index: number,
  { answered, called, bare }: Behind,
): Gap<E> {
  const ids = [...new Set(call.callIds)];
  const open = ids.filter((id) => !answered.has(id));
  const found = ids.flatMap((id) => answered.get(id) ?? []);
  const missing = open.slice(bare.length).sort();
  // Behind the next call of an id, a result would answer that one.
  const before = Math.min(...missing.map((id) => called.get(id) ?? Number.POSITIVE_INFINITY));
  const results = [...found, ...bare].filter((at) => at < before);
  return { call, missing, behind: Math.max(index, ...results) };
}

/** A position behind an entry and before the next, less than 1 away. */
function positionBehind(entries: readonly WindowEntry[], behind: number, share: number): number {
  const from = entries[behind]?.seq ?? 0;
  const to = entries[behind + 1]?.seq ?? Number.POSITIVE_INFINITY;
  return from + share * Math.min(1, to - from);
}
