import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { datesInQuery, dateWords, QUERY_DATES_MAX } from "./dates.ts";
import { indexTextOf } from "./passages.ts";

describe("dateWords", () => {
  test.each([
    [Date.UTC(2025, 0, 12, 23, 59), "January 12 12th 2025"],
    [Date.UTC(2024, 1, 29), "February 29 29th 2024"],
    [Date.UTC(2023, 4, 1), "May 1 1st 2023"],
    [Date.UTC(2023, 4, 22), "May 22 22nd 2023"],
    [Date.UTC(2023, 11, 3), "December 3 3rd 2023"],
    [Date.UTC(2023, 10, 11), "November 11 11th 2023"],
    [0, "January 1 1st 1970"],
    [-1, "December 31 31st 1969"],
    [Number.NaN, ""],
    [Number.POSITIVE_INFINITY, ""],
    [9e15, ""],
  ])("%d is %j", (timeMs, words) => {
    expect(dateWords(timeMs)).toBe(words);
  });
});

describe("datesInQuery", () => {
  test.each([
    ["January 12th", [{ month: 1, day: 12 }]],
    ["what happened on 12 January 2025?", [{ month: 1, day: 12, year: 2025 }]],
    ["the 12th of January, 2025", [{ month: 1, day: 12, year: 2025 }]],
    [
      "Jan. 3rd, 2024 and 5 Sept",
      [
        { month: 1, day: 3, year: 2024 },
        { month: 9, day: 5 },
      ],
    ],
    ["on 2025-01-12T10:00:00Z", [{ month: 1, day: 12, year: 2025 }]],
    ["2025-01", [{ month: 1, year: 2025 }]],
    ["in May 2023", [{ month: 5, year: 2023 }]],
    ["25/12/2025 or 12/25/2025", [{ month: 12, day: 25, year: 2025 }]],
    ["05.05.2025", [{ month: 5, day: 5, year: 2025 }]],
    [
      "1月2日 2025年3月4日",
      [
        { month: 1, day: 2 },
        { month: 3, day: 4, year: 2025 },
      ],
    ],
    ["may I go in May", [{ month: 5 }]],
    ["last March and october", [{ month: 3 }, { month: 10 }]],
    ["March 12, 10:30", [{ month: 3, day: 12 }]],
    ["February 29", [{ month: 2, day: 29 }]],
  ])("%s", (query, dates) => {
    expect(datesInQuery(query)).toEqual(dates);
  });

  test.each([
    ...["", "2023", "12/01", "01/02/2025", "24/7", "February 29 2023", "February 30", "1.2.3"],
    ...["may the force", "march on", "v2.2024.12", "12:30", "2025-13-01", "junebug 5", "the 12th"],
  ])("finds no day in %j", (query) => {
    expect(datesInQuery(query).filter(({ day }) => day !== undefined)).toEqual([]);
  });

  test("gives a date that is named twice once, and a bounded number", () => {
    expect(datesInQuery("May 5, 5 May")).toHaveLength(1);
    const many = Array.from({ length: 28 }, (_, i) => `May ${i + 1}`).join("; ");
    expect(datesInQuery(many)).toHaveLength(QUERY_DATES_MAX);
  });

  test("takes thirds of months", () => {
    expect(datesInQuery("in early August")).toEqual([{ month: 8, part: "early" }]);
    expect(datesInQuery("the mid-April meeting")).toEqual([{ month: 4, part: "middle" }]);
    expect(datesInQuery("late may")).toEqual([{ month: 5, part: "late" }]);
    expect(datesInQuery("by the end of May 2023")).toEqual([
      { month: 5, year: 2023, part: "late" },
    ]);
    expect(datesInQuery("early on 3 May")).toEqual([{ month: 5, day: 3 }]);
  });

  test("finds the day that dateWords wrote", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 32_503_679_999_999 }), (timeMs) => {
        const date = new Date(timeMs);
        const [month = "", day = "", , year = ""] = dateWords(timeMs).split(" ");
        expect(datesInQuery(`on ${month} ${day}, ${year}`)).toEqual(
          date.getUTCFullYear() < 1000
            ? [{ month: date.getUTCMonth() + 1, day: date.getUTCDate() }]
            : [
                {
                  month: date.getUTCMonth() + 1,
                  day: date.getUTCDate(),
                  year: date.getUTCFullYear(),
                },
              ],
        );
      }),
    );
  });

  test("takes any text, also long", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void datesInQuery(text)));
    expect(datesInQuery("12 ".repeat(40_000))).toEqual([]);
    expect(datesInQuery(`${" ".repeat(40_000)}May 5`)).toEqual([]);
  });
});

describe("indexTextOf", () => {
  const timeMs = Date.UTC(2025, 0, 12);

  test("has the speaker, the day in words and the passage", () => {
    const text = indexTextOf({ speaker: "Ann", role: "user", timeMs, passage: "I moved." });
    expect(text).toBe("Ann January 12 12th 2025 I moved.");
  });

  test("leaves out what is not known, and a speaker who is only a role", () => {
    const parts = { role: "user", timeMs: undefined, passage: "I moved." };
    expect(indexTextOf({ ...parts, speaker: "" })).toBe("I moved.");
    expect(indexTextOf({ ...parts, speaker: "User" })).toBe("I moved.");
  });
});
