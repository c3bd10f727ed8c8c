// Dates in sentences, and the facts that hold them: birthdays, anniversaries, deadlines and dates
// of coming events.

import { type Fit, type Rule, rule, slugOf } from "./rules-engine.ts";
import { listOf, RELATION } from "./rules-words.ts";

const MONTHS = listOf(`
  january, february, march, april, may, june, july, august, september, october, november, december
`);
const MONTH = `(?:${MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join("|")}|sept)\\.?`;
const DAY = "\\d{1,2}(?:st|nd|rd|th)?";
const YEAR = "(?:19|20)\\d{2}";
const WEEKDAYS = listOf("sunday, monday, tuesday, wednesday, thursday, friday, saturday");

const DATE = new RegExp(
  `^(?:(?:the )?(?:${[
    `(?<iso>${YEAR}-\\d{2}-\\d{2})`,
    `(?<m1>${MONTH}) (?<d1>${DAY})(?:,? (?<y1>${YEAR}))?(?!\\d)`,
    `(?<d2>${DAY})(?: of)? (?<m2>${MONTH})(?:,? (?<y2>${YEAR}))?`,
    `(?<m3>${MONTH}),? (?<y3>${YEAR})`,
    `(?<y4>${YEAR})(?![\\d-])`,
    `(?:next |this )?(?<weekday>${WEEKDAYS.join("|")})(?! (?:morning|evening|night)s)\\b`,
    "(?<tomorrow>tomorrow)\\b",
  ].join("|")}))`,
  "i",
);

const DAY_MS = 86_400_000;

/** A date as it was written, and its time. */
interface SaidDate {
  /** As it was written; with the day that it means when that depends on the day it was said. */
  readonly text: string;
  /** Undefined when no year was said. */
  readonly ms: number | undefined;
}

/** The date at the start of a text; undefined when there is none. */
export function dateAt(text: string, saidMs: number): SaidDate | undefined {
  const match = DATE.exec(text.slice(0, 60));
  const groups = match?.groups;
  if (match === null || groups === undefined) return undefined;
  const written = match[0];
  const { iso, weekday, tomorrow, y4 } = groups;
  if (weekday !== undefined || tomorrow !== undefined) {
    const ms = comingDay(saidMs, weekday?.toLowerCase());
    return ms === undefined ? undefined : { text: `${written} (${dayText(ms)})`, ms };
  }
  if (iso !== undefined) return { text: iso, ms: msOf(iso) };
  if (y4 !== undefined) return { text: written, ms: msOf(`${y4}-01-01`) };
  const month = groups["m1"] ?? groups["m2"] ?? groups["m3"] ?? "";
  const year = groups["y1"] ?? groups["y2"] ?? groups["y3"];
  const day = Number.parseInt(groups["d1"] ?? groups["d2"] ?? "1", 10);
  if (day < 1 || day > 31) return undefined;
  const number = MONTHS.findIndex((name) => name.startsWith(month.slice(0, 3).toLowerCase())) + 1;
  const two = (value: number): string => String(value).padStart(2, "0");
  const ms = year === undefined ? undefined : msOf(`${year}-${two(number)}-${two(day)}`);
  return { text: written, ms };
}

function msOf(day: string): number | undefined {
  const ms = Date.parse(day);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The next such day after one; tomorrow when none is named. Undefined out of all calendars. */
function comingDay(saidMs: number, weekday: string | undefined): number | undefined {
  const today = Math.floor(saidMs / DAY_MS) * DAY_MS;
  const day = new Date(today).getUTCDay();
  if (Number.isNaN(day)) return undefined;
  const ahead = weekday === undefined ? 1 : (WEEKDAYS.indexOf(weekday) - day + 7) % 7 || 7;
  return Number.isNaN(new Date(today + ahead * DAY_MS).getTime())
    ? undefined
    : today + ahead * DAY_MS;
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const SINCE = /^(?:(?:back |all the way )?in|since|on) /i;

/** Start of a fact, when the text right behind it names one. */
export function sinceAt(text: string, saidMs: number): number | undefined {
  const trimmed = text.trimStart();
  const since = SINCE.exec(trimmed)?.[0];
  if (since === undefined) return undefined;
  const ms = dateAt(trimmed.slice(since.length), saidMs)?.ms;
  return ms !== undefined && ms <= saidMs ? ms : undefined;
}

// Days that matter: birthdays, anniversaries, deadlines and coming events.

const IS_ON = "(?: is| are|'s|:)(?: due)?(?: on| by)? ";

function keepDay(fit: Fit, whose: string, key: string, topics: readonly string[]): void {
  const date = dateAt(fit.rest, fit.speech.saidMs);
  if (date === undefined) return;
  const { found } = fit.speech;
  const on = /^(?:next|this|tomorrow)/i.test(date.text)
    ? ""
    : /^\d{4}$/.test(date.text)
      ? "in "
      : "on ";
  const text = `${whose} is ${on}${date.text}.`;
  const { confidence } = fit;
  found.fact({ text, kind: "date_fact", confidence, key: key.slice(0, 120), topics });
}

function findBirthday(fit: Fit): void {
  const { relation, name } = fit.match.groups ?? {};
  const { speaker } = fit.speech;
  const whom = [speaker, ...(relation === undefined ? [] : [relation.toLowerCase()])].join("'s ");
  const whose = name === undefined ? whom : name;
  const key =
    relation === undefined && name === undefined
      ? "birthday"
      : `birthday_${slugOf(relation ?? name ?? "")}`;
  keepDay(fit, `${whose}'s birthday`, key, ["birthday"]);
}

function findEvent(fit: Fit): void {
  const { event = "", of } = fit.match.groups ?? {};
  const what = event.toLowerCase();
  const { speaker } = fit.speech;
  if (of !== undefined) {
    const { article = "" } = fit.match.groups ?? {};
    const whose = /^(?:my|our) $/.test(article) ? `${speaker}'s ` : article;
    keepDay(fit, `The ${what} for ${whose}${of}`, `${slugOf(what)}_${slugOf(of)}`, [what]);
    return;
  }
  const isOurs = /^(?:my|our)\b/i.test(fit.match[0]);
  keepDay(fit, isOurs ? `${speaker}'s ${what}` : `The ${what}`, slugOf(what), [what]);
}

const EVENTS =
  "anniversary|deadline|wedding|appointment|interview|exam|flight|surgery|graduation|due date|vacation|launch|release|move|trip|presentation|meeting";
const WORDS = "(?:[\\p{L}-]{2,20} ){0,2}?";

/** The rules about days. */
export const EVENT_RULES: readonly Rule[] = [
  rule(`[Mm]y birthday${IS_ON}`, 0.95, findBirthday),
  rule(
    `[Mm]y (?<relation>${RELATION})(?: \\p{Lu}[\\p{L}-]{1,20})?'s birthday${IS_ON}`,
    0.9,
    findBirthday,
  ),
  rule(`(?:^|[,;] )(?<name>\\p{Lu}[\\p{L}-]{1,20})'s birthday${IS_ON}`, 0.85, findBirthday),
  rule(`(?:\\b[Mm]y|\\b[Oo]ur|\\b[Tt]he) (?<event>${WORDS}(?:${EVENTS}))${IS_ON}`, 0.85, findEvent),
  rule(
    `\\b[Tt]he (?<event>deadline) (?:for|of) (?<article>the |my |our )?(?<of>[\\p{L}\\d][\\p{L}\\d -]{1,40}?)${IS_ON}`,
    0.9,
    findEvent,
  ),
];
