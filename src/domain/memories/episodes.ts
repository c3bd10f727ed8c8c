// Days of episodes, by UTC.

const DAY_MS = 86_400_000;

/** The midnight before which whole days of episodes are over: that of the day so many days back. */
export function retentionCutMs(nowMs: number, days: number): number {
  return Math.floor((nowMs - days * DAY_MS) / DAY_MS) * DAY_MS;
}

/** The moment since which episodes are of the last days. */
export function recentFromMs(nowMs: number, days: number): number {
  return nowMs - days * DAY_MS;
}

/** The day of a moment, as `2026-01-31`. Years outside 0 to 9999 have six digits and a sign. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().split("T")[0] ?? "";
}
