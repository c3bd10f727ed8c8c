// Date formats of the sets. All dates are read as UTC.

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const CLOCK = "(?<hour>\\d{1,2}):(?<minute>\\d\\d)";
const DAY_FIRST = "(?<day>\\d{1,2}) (?<month>\\p{L}+),? (?<year>\\d{4})";
const NUMBERS = "(?<year>\\d{4})[-/](?<month>\\d\\d?)[-/](?<day>\\d\\d?)";

const FORMS: readonly RegExp[] = [
  // 1:56 pm on 8 May, 2023
  new RegExp(`^${CLOCK} (?<half>am|pm) on ${DAY_FIRST}$`, "iu"),
  // March-15-2024
  /^(?<month>\p{L}+)-(?<day>\d{1,2})-(?<year>\d{4})$/iu,
  // 2023-10-01, 2023-10-01 06:25, 2023/05/20 (Sat) 02:21
  new RegExp(`^${NUMBERS}(?:\\s*\\(\\p{L}+\\))?(?:[ T]${CLOCK}.*)?$`, "iu"),
];

/** Parses a date of a set to milliseconds since 1970; 0 in an unknown format. */
export function setDateMs(text: string): number {
  for (const form of FORMS) {
    const parts = form.exec(text.trim())?.groups;
    if (parts === undefined) continue;
    const { year, month, day, hour, minute, half } = parts as Readonly<
      Record<"year" | "month" | "day" | "hour" | "minute" | "half", string | undefined>
    >;
    const index = monthIndex(month ?? "");
    if (index < 0) return 0;
    const time = Date.UTC(
      Number(year),
      index,
      Number(day),
      hourOf(hour, half),
      Number(minute ?? 0),
    );
    return Number.isNaN(time) ? 0 : time;
  }
  return 0;
}

function monthIndex(month: string): number {
  if (/^\d+$/.test(month)) return Number(month) - 1;
  return MONTHS.indexOf(month.slice(0, 3).toLowerCase());
}

function hourOf(hour: string | undefined, half: string | undefined): number {
  const number = Number(hour ?? 0);
  if (half === undefined) return number;
  return (number % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
}
