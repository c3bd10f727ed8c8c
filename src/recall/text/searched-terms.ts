// The terms that a query searches for when it may state dates.

import { datesInQuery } from "./dates.ts";
import { relativeDatesInQuery, withDatesWritten } from "./relative-dates.ts";
import { queryTerms } from "./terms.ts";

/** Words of questions that ask for anything. */
const ASKING = new Set(
  queryTerms(
    "happen say said tell told talk speak spoke mention discuss do did done go going went",
  ),
);

/** Words of dates, besides those that begin with a digit. */
const DATING = new Set(
  queryTerms(
    "January February March April May June July August September October November December " +
      "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec early mid middle late beginning start end",
  ),
);

/**
 * Gives the terms that a query looks for. Dates that count from `nowMs` are those that they mean
 * (`withDatesWritten`). Of a query that asks for a date and nothing else, as "what happened
 * yesterday", the words that ask are left out: hardly any answer has them.
 */
export function searchedTerms(text: string, nowMs: number): string[] {
  const terms = queryTerms(withDatesWritten(text, nowMs));
  const isDate = (term: string): boolean => /^\d/u.test(term) || DATING.has(term);
  const isBare = terms.every((term) => ASKING.has(term) || isDate(term));
  if (!isBare || !terms.some(isDate)) return terms;
  const statesDate = datesInQuery(text).length > 0 || relativeDatesInQuery(text, nowMs).length > 0;
  return statesDate ? terms.filter((term) => !ASKING.has(term)) : terms;
}
