// Which entries a policy keeps together for the sake of tool calls.

import type { ToolPairing } from "../policy.ts";
import { type Grouping, groupEntries, makesCalls, NO_GROUP, noGroups } from "./groups.ts";
import type { WindowEntry, WindowFacts } from "./types.ts";

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
