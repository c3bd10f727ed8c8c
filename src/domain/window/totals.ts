// Sums over windows.

import type { WindowEntry, WindowTotals } from "./types.ts";

/** What a list of entries holds. */
export function totalsOf(entries: readonly WindowEntry[]): WindowTotals {
  let tokenCount = 0;
  let byteCount = 0;
  for (const entry of entries) {
    tokenCount += entry.tokenCount;
    byteCount += entry.byteCount;
  }
  return { messageCount: entries.length, tokenCount, byteCount };
}

/** The sum of two totals. */
export function addTotals(a: WindowTotals, b: WindowTotals): WindowTotals {
  return {
    messageCount: a.messageCount + b.messageCount,
    tokenCount: a.tokenCount + b.tokenCount,
    byteCount: a.byteCount + b.byteCount,
  };
}
