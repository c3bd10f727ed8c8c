import fc from "fast-check";
import { expect, test } from "vitest";
import type { QueryDate } from "./dates.ts";
import { relativeDatesInQuery, withDatesWritten } from "./relative-dates.ts";

/** A Wednesday. */
const NOW = Date.UTC(2025, 2, 5, 9);

function datesOf(text: string): string[] {
  const plain = ({ year, month, day }: QueryDate): string =>
    [year, month, day].filter((part) => part !== undefined).join("-");
  return relativeDatesInQuery(text, NOW).map(plain);
}

test("counts from the day on which the query is asked", () => {
  expect(datesOf("What did I eat today?")).toEqual(["2025-3-5"]);
  expect(datesOf("Where was I yesterday and last night?")).toEqual(["2025-3-4", "2025-3-4"]);
  expect(datesOf("three days ago")).toEqual(["2025-3-2"]);
  expect(datesOf("5 days ago")).toEqual(["2025-2-28"]);
  expect(datesOf("two weeks ago")).toEqual(["2025-2-19"]);
  expect(datesOf("a month ago")).toEqual(["2025-2"]);
  expect(datesOf("a year ago")).toEqual(["2024-3"]);
});

test("knows weekdays, weeks and months before", () => {
  expect(datesOf("the lunch last Tuesday")).toEqual(["2025-3-4"]);
  expect(datesOf("last Wednesday")).toEqual(["2025-2-26"]);
  expect(datesOf("last Thursday")).toEqual(["2025-2-27"]);
  expect(datesOf("this week, last week")).toEqual(["2025-3-6", "2025-2-27"]);
  expect(datesOf("this month, the past month")).toEqual(["2025-3", "2025-2"]);
});

test("finds none without a time, and none where nothing is stated", () => {
  expect(relativeDatesInQuery("yesterday", 0)).toEqual([]);
  expect(datesOf("the last time in a week of days")).toEqual([]);
});

test("writes what is stated as a date, as the index has it", () => {
  const written = (text: string): string => withDatesWritten(text, NOW);
  expect(written("What did I say last Tuesday?")).toBe("What did I say March 4th?");
  expect(written("Yesterday or 3 days ago")).toBe("March 4th or March 2nd");
  expect(written("lunch two weeks ago, dinner last week")).toBe("lunch February, dinner February");
  expect(written("a year ago and this month")).toBe("March and March");
  expect(written("on January 12th, the last time")).toBe("on January 12th, the last time");
  expect(withDatesWritten("yesterday", 0)).toBe("yesterday");
});

test("takes any text and any time", () => {
  const time = fc.integer({ min: -8_640_000_000_000, max: 8_640_000_000_000 });
  const words = fc.constantFrom("999 years ago", "last week", "yesterday", "12 months ago");
  fc.assert(
    fc.property(fc.oneof(fc.string(), words), time, (text, nowMs) => {
      expect(withDatesWritten(text, nowMs)).not.toContain("NaN");
      for (const { month = 0, day = 1 } of relativeDatesInQuery(text, nowMs)) {
        expect(month).toBeGreaterThanOrEqual(1);
        expect(month).toBeLessThanOrEqual(12);
        expect(day).toBeGreaterThanOrEqual(1);
        expect(day).toBeLessThanOrEqual(31);
      }
    }),
  );
});
