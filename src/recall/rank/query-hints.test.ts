import { describe, expect, test } from "vitest";
import { authorNamed, dateMatch, nameWords } from "./query-hints.ts";

const at = (year: number, month: number, day: number): number =>
  Date.UTC(year, month - 1, day, 18, 30);

describe("authorNamed", () => {
  const words = nameWords("What did Zoë’s sister and James' friend tell ann-marie and Li?");

  test("finds a name in any case, with its accents and possessive ends or without", () => {
    expect(authorNamed(words, "Zoe")).toBe(true);
    expect(authorNamed(words, "JAMES")).toBe(true);
    expect(authorNamed(words, "Marie Curie")).toBe(true);
  });

  test("passes over parts of words, short names and no name", () => {
    expect(authorNamed(words, "Jam")).toBe(false);
    expect(authorNamed(words, "Li")).toBe(false);
    expect(authorNamed(words, "")).toBe(false);
    expect(authorNamed(nameWords(""), "Zoe")).toBe(false);
  });
});

describe("dateMatch", () => {
  test("is 1 for the day, whatever the year, unless one is stated", () => {
    const time = at(2025, 5, 12);
    expect(dateMatch([{ month: 5, day: 12 }], time)).toBe(1);
    expect(dateMatch([{ month: 5, day: 12, year: 2025 }], time)).toBe(1);
    expect(dateMatch([{ month: 5, day: 12, year: 2024 }], time)).toBe(0);
  });

  test("falls off over four days, also around the turn of the year", () => {
    const days = [11, 13, 14, 15, 16, 17];
    const values = days.map((day) => dateMatch([{ month: 5, day: 12 }], at(2025, 5, day)));
    expect(values).toEqual([0.5, 0.5, 0.375, 0.25, 0.125, 0]);
    expect(dateMatch([{ month: 12, day: 31 }], at(2025, 1, 1))).toBe(0.5);
    expect(dateMatch([{ month: 1, day: 1 }], at(2024, 12, 31))).toBe(0.5);
    expect(dateMatch([{ month: 12, day: 31, year: 2025 }], at(2025, 1, 1))).toBe(0);
  });

  test("is less for a month, and 1 for the stated third of it", () => {
    expect(dateMatch([{ month: 5 }], at(2025, 5, 12))).toBe(0.7);
    expect(dateMatch([{ month: 5, year: 2024 }], at(2025, 5, 12))).toBe(0);
    expect(dateMatch([{ month: 6 }], at(2025, 5, 12))).toBe(0);
    const thirds = [1, 10, 11, 20, 21, 31].map((day) =>
      (["early", "middle", "late"] as const).map((part) =>
        dateMatch([{ month: 5, part }], at(2025, 5, day)),
      ),
    );
    expect(thirds).toEqual([
      ...[
        [1, 0.7, 0.7],
        [1, 0.7, 0.7],
      ],
      ...[
        [0.7, 1, 0.7],
        [0.7, 1, 0.7],
      ],
      ...[
        [0.7, 0.7, 1],
        [0.7, 0.7, 1],
      ],
    ]);
  });

  test("takes the best date, and none without dates or without a time", () => {
    expect(dateMatch([{ month: 1 }, { month: 5 }], at(2025, 5, 12))).toBe(0.7);
    expect(dateMatch([], at(2025, 5, 12))).toBe(0);
    expect(dateMatch([{ month: 1, day: 1 }], 0)).toBe(0);
  });
});
