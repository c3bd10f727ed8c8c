// Days that matter: birthdays, anniversaries, deadlines, and what is to come on a day.

import { dateAt } from "./rules-dates.ts";
import { type Fit, type Rule, rule } from "./rules-engine.ts";
import { slugOf } from "./rules-match.ts";
import { RELATION } from "./rules-words.ts";

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
