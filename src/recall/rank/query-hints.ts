// Hints in the text of a query besides its terms: whether it names an author and
// how well its dates match an item's.

import type { QueryDate } from "../text/dates.ts";

/** Gives the words of a query for `authorNamed`: lower case, without a possessive's end. */
export function nameWords(query: string): ReadonlySet<string> {
  const words = fold(query).match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? [];
  return new Set(words.map((word) => word.replace(/'s?$/u, "")));
}

/**
 * Tells whether a query names an author: any word of the name with three letters or more is a word
 * of the query. Shorter ones are too often other words.
 */
export function authorNamed(words: ReadonlySet<string>, author: string): boolean {
  if (author === "") return false;
  const parts = fold(author).match(/[\p{L}\p{N}]+/gu) ?? [];
  return parts.some((part) => part.length > 2 && words.has(part));
}

// The worth of a match. A day is also in the words of its items, which a month shares with many.
const SAME_DAY = 1;
const SAME_PART = 1;
const SAME_MONTH = 0.7;
// People write about a day before it and after it as well.
const NEAR_DAY = 0.5;
const NEAR_DAYS = 4;

const DAY_MS = 86_400_000;

/**
 * Gives how well the best of the query's dates matches a time in UTC, 0 to 1: most for the same day
 * or the stated third of a month, less for its month, and less again for a day near the stated one.
 * A stated year must be the same.
 */
export function dateMatch(dates: readonly QueryDate[], timeMs: number): number {
  if (dates.length === 0 || timeMs === 0) return 0;
  const time = new Date(timeMs);
  let best = 0;
  for (const date of dates) {
    const match = date.day === undefined ? monthMatch(date, time) : dayMatch(date, time);
    best = Math.max(best, match);
  }
  return best;
}

function monthMatch({ month, year, part }: QueryDate, time: Date): number {
  if (month !== time.getUTCMonth() + 1) return 0;
  if (year !== undefined && year !== time.getUTCFullYear()) return 0;
  return part === partOfMonth(time.getUTCDate()) ? SAME_PART : SAME_MONTH;
}

function partOfMonth(day: number): QueryDate["part"] {
  if (day <= 10) return "early";
  return day <= 20 ? "middle" : "late";
}

function dayMatch({ month = 1, day = 1, year }: QueryDate, time: Date): number {
  const own = time.getUTCFullYear();
  // Around the turn of the year the nearest day may be in another one.
  const years = year === undefined ? [own - 1, own, own + 1] : [year];
  const today = Math.floor(time.getTime() / DAY_MS);
  const away = years.map((one) => Math.abs(today - Date.UTC(one, month - 1, day) / DAY_MS));
  const days = Math.min(...away);
  if (days === 0) return SAME_DAY;
  return NEAR_DAY * Math.max(0, 1 - (days - 1) / NEAR_DAYS);
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").replace(/[’‘]/gu, "'").toLowerCase();
}
