// Dates in words, and the dates that a query names.

/** A day or a month that a query names. A month that stands alone has neither day nor year. */
export interface QueryDate {
  /** 1 to 12. */
  readonly month?: number;
  /** 1 to 31; only with a month. */
  readonly day?: number;
  /** Four digits; only with a month. */
  readonly year?: number;
  /** Days of the month that a vague date covers: "early May", "the end of May". */
  readonly part?: MonthPart;
}

/** A third of a month: to the 10th, to the 20th, and what is left. */
export type MonthPart = "early" | "middle" | "late";

/** So much of a query is searched for dates. */
export const DATE_QUERY_CHARS = 4_096;

/** The most dates of a query; further ones are ignored. */
export const QUERY_DATES_MAX = 8;

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June", "July", "August", "September"],
  ...["October", "November", "December"],
];

/** The last time that a Date can hold, in milliseconds. */
const TIME_MAX = 8.64e15;

/**
 * Gives the day of a time in UTC as people write it, each form that a query may use: "January 12
 * 12th 2025". Empty for what is no time. Given in milliseconds since 1970.
 */
export function dateWords(timeMs: number): string {
  if (!(Math.abs(timeMs) <= TIME_MAX)) return "";
  const date = new Date(timeMs);
  const day = date.getUTCDate();
  const month = MONTHS[date.getUTCMonth()] ?? "";
  return `${month} ${day} ${day}${ordinalEnd(day)} ${date.getUTCFullYear()}`;
}

/** Gives a day or month that a query means as a query writes it: "January 12th", "January". */
export function queryDateWords({ month = 0, day }: QueryDate): string {
  const name = MONTHS[month - 1] ?? "";
  return day === undefined ? name : `${name} ${day}${ordinalEnd(day)}`;
}

function ordinalEnd(day: number): string {
  if (day >= 11 && day <= 13) return "th";
  return ["th", "st", "nd", "rd"][day % 10] ?? "th";
}

const NAME =
  "(?<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|" +
  "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const DAY = "(?<day>3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th)?";
const YEAR = "(?<year>(?:1[0-9]|2[0-9])\\d\\d)";
// The boundaries before and behind a whole number.
const START = "(?<![\\p{L}\\p{N}]|\\d[.,:/-])";
const END = "(?![\\p{L}\\p{N}]|[.,:/-]\\d)";

// Early May, mid-May, the end of May.
const PARTS = "early|mid|middle|late|beginning|start|end";
const PART = `(?:(?<part>${PARTS})(?:\\s+of)?[\\s-]+)?`;
const LONG_MONTHS = "january|february|april|june|july|august|september|october|november|december";

/** Forms of dates; of those at one place the first one counts. */
const FORMS: readonly RegExp[] = [
  // 12 January 2025, the 12th of January
  form(`${START}${DAY}\\s+(?:of\\s+)?${NAME}(?:\\.?,?\\s+(?:of\\s+|in\\s+)?${YEAR})?${END}`),
  // January 12th, 2025; May the 4th
  form(`${START}${NAME}\\.?\\s+(?:the\\s+)?${DAY}(?:,?\\s+(?:of\\s+|in\\s+)?${YEAR})?${END}`),
  // May 2023
  form(`${START}${PART}${NAME}\\.?,?\\s+(?:of\\s+|in\\s+)?${YEAR}${END}`),
  // 2025-01-12 with any time behind it, and 2025/1/12
  form(
    `${START}${YEAR}(?<mark>[-/.])(?<month>1[0-2]|0?[1-9])\\k<mark>` +
      "(?<day>3[01]|[12]\\d|0?[1-9])(?!\\d)",
  ),
  // 2025-01
  form(`${START}${YEAR}-(?<month>1[0-2]|0[1-9])${END}`),
  // 25/12/2025, 12/25/2025: only where one of the two is no month
  form(`${START}(?<first>\\d\\d?)(?<mark>[-/.])(?<second>\\d\\d?)\\k<mark>${YEAR}${END}`),
  // 2025年1月12日, 1月12日
  form(
    "(?:(?<year>\\d{4})\\s*年\\s*)?(?<!\\d)(?<month>1[0-2]|[1-9])\\s*月" +
      "(?:\\s*(?<day>\\d\\d?)\\s*日)?",
  ),
  // In March; words that are no names of months stand alone as well
  form(
    `(?<![\\p{L}\\p{N}])(?:${PART}(?<name>${LONG_MONTHS})|(?:(?<part>${PARTS})(?:\\s+of)?|in|` +
      "since|during|of|by|until|last|next|this)[\\s-]+(?<name>march|may))(?![\\p{L}\\p{N}])",
  ),
];

function form(source: string): RegExp {
  return new RegExp(source, "giu");
}

/**
 * Gives the dates that a query names, in the order of the query and without repeats: days with or
 * without their year, and months. Numbers alone count in forms that can be read in one way:
 * "2025-01-12", "25/12/2025". A year alone is no date, and neither is a day alone.
 */
export function datesInQuery(text: string): QueryDate[] {
  const query = text.slice(0, DATE_QUERY_CHARS);
  const taken: { start: number; end: number; date: QueryDate }[] = [];
  for (const pattern of FORMS) {
    for (const match of query.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      const date = dateOf(match.groups ?? {});
      const isTaken = taken.some((other) => start < other.end && other.start < end);
      if (date !== undefined && !isTaken) taken.push({ start, end, date });
    }
  }
  taken.sort((a, b) => a.start - b.start);
  const dates = new Map(taken.map(({ date }) => [JSON.stringify(date), date]));
  return [...dates.values()].slice(0, QUERY_DATES_MAX);
}

function dateOf(groups: Readonly<Record<string, string | undefined>>): QueryDate | undefined {
  const { first, second } = groups as { first?: string; second?: string };
  if (first !== undefined && second !== undefined) return numericDate(first, second, groups);
  const name = groups["name"];
  const month = name === undefined ? Number(groups["month"]) : monthOf(name);
  const date = checked(month, numberOf(groups["day"]), numberOf(groups["year"]));
  const part = partOf(groups["part"]);
  return date === undefined || part === undefined ? date : { ...date, part };
}

function numericDate(
  first: string,
  second: string,
  groups: Readonly<Record<string, string | undefined>>,
): QueryDate | undefined {
  const [a, b, year] = [Number(first), Number(second), numberOf(groups["year"])];
  if (a > 12 || a === b) return checked(b, a, year);
  return b > 12 ? checked(a, b, year) : undefined;
}

function partOf(name: string | undefined): MonthPart | undefined {
  if (name === undefined) return undefined;
  const lower = name.toLowerCase();
  if (lower.startsWith("mid")) return "middle";
  return lower === "late" || lower === "end" ? "late" : "early";
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function monthOf(name: string): number {
  const start = name.slice(0, 3).toLowerCase();
  return MONTHS.findIndex((month) => month.toLowerCase().startsWith(start)) + 1;
}

function checked(month: number, day?: number, year?: number): QueryDate | undefined {
  if (!(month >= 1 && month <= 12)) return undefined;
  // A year that is not named may be a leap year.
  const days = new Date(Date.UTC(year ?? 2000, month, 0)).getUTCDate();
  if (day !== undefined && (day < 1 || day > days)) return undefined;
  return {
    month,
    ...(day === undefined ? {} : { day }),
    ...(year === undefined ? {} : { year }),
  };
}
