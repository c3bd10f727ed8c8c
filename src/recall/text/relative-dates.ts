// Dates that a query states from the day on which it is asked: yesterday, last Friday, a month ago.

import { DATE_QUERY_CHARS, type QueryDate, queryDateWords } from "./dates.ts";

const DAY_MS = 86_400_000;

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const NUMBERS = [
  ...["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
  ...["eleven", "twelve"],
];

const NAMED_DAY = /\b(today|tonight|yesterday|last night)\b/giu;
const LAST_WEEKDAY = new RegExp(`\\b(?:last|past)\\s+(${WEEKDAYS.join("|")})\\b`, "giu");
const UNIT_BEFORE = /\b(last|this|past)\s+(week|month)\b/giu;
const AGO = new RegExp(
  `\\b(an?|\\d{1,3}|${NUMBERS.join("|")})\\s+(day|week|month|year)s?\\s+ago\\b`,
  "giu",
);

/** A phrase that states a date, at its place in the query. */
interface Phrase {
  readonly start: number;
  readonly end: number;
  readonly date: QueryDate;
  readonly isWeek: boolean;
}

/**
 * Gives the dates that a query states from the day of `nowMs` in UTC: a day, or a month with its
 * year. A week gives the day in its middle, from which matches fall off to both sides. A time of 0
 * is no time: there are none then.
 */
export function relativeDatesInQuery(text: string, nowMs: number): QueryDate[] {
  return phrasesOf(text, nowMs).map(({ date }) => date);
}

/**
 * Gives a query with such dates as the index has them in words: "March 4th" for yesterday. The
 * words that state a date are not those of what is looked for: few messages of last Friday say so,
 * and those that say "last Friday" are of other days. Of a week and of a month the month is
 * written, and of no date the year, which too many messages share.
 */
export function withDatesWritten(text: string, nowMs: number): string {
  let written = "";
  let done = 0;
  for (const { start, end, date, isWeek } of phrasesOf(text, nowMs)) {
    const { month = 0 } = date;
    written += text.slice(done, start) + queryDateWords(isWeek ? { month } : date);
    done = end;
  }
  return written + text.slice(done);
}

/** Finds the phrases in the order of the query. No two of them can overlap. */
function phrasesOf(text: string, nowMs: number): Phrase[] {
  if (nowMs === 0) return [];
  const query = text.slice(0, DATE_QUERY_CHARS);
  const phrases: Phrase[] = [];
  const look = (form: RegExp, read: (first: string, second: string) => QueryDate): void => {
    for (const { 0: phrase, 1: first = "", 2: second = "", index: start } of query.matchAll(form)) {
      const date = read(first.toLowerCase(), second.toLowerCase());
      const isWeek = /\bweek/iu.test(phrase);
      phrases.push({ start, end: start + phrase.length, date, isWeek });
    }
  };
  look(NAMED_DAY, (name) => dayOf(nowMs, name.startsWith("to") ? 0 : 1));
  look(LAST_WEEKDAY, (name) => {
    // On a Friday, last Friday is a week ago.
    const days = (new Date(nowMs).getUTCDay() - WEEKDAYS.indexOf(name) + 6) % 7;
    return dayOf(nowMs, days + 1);
  });
  look(UNIT_BEFORE, (which, unit) => {
    const back = which === "this" ? 0 : 1;
    if (unit === "month") return monthOf(nowMs, back);
    // Last week is from Monday to Sunday: its middle is the Thursday.
    const toThursday = ((new Date(nowMs).getUTCDay() + 6) % 7) - 3;
    return dayOf(nowMs, toThursday + 7 * back);
  });
  look(AGO, (count, unit) => agoOf(nowMs, countOf(count), unit));
  return phrases.sort((a, b) => a.start - b.start);
}

function agoOf(nowMs: number, count: number, unit: string): QueryDate {
  if (unit === "month") return monthOf(nowMs, count);
  if (unit === "year") return monthOf(nowMs, 12 * count);
  return dayOf(nowMs, unit === "week" ? 7 * count : count);
}

function countOf(word: string): number {
  if (word === "a" || word === "an") return 1;
  const number = NUMBERS.indexOf(word);
  return number < 0 ? Number(word) : number;
}

function dayOf(nowMs: number, daysBack: number): QueryDate {
  const date = new Date(nowMs - daysBack * DAY_MS);
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate(), year: date.getUTCFullYear() };
}

function monthOf(nowMs: number, monthsBack: number): QueryDate {
  const now = new Date(nowMs);
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsBack, 1));
  return { month: first.getUTCMonth() + 1, year: first.getUTCFullYear() };
}
