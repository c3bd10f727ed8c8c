import fc from "fast-check";
import { expect, test } from "vitest";
import { searchedTerms } from "./searched-terms.ts";
import { queryTerms } from "./terms.ts";

/** A Wednesday. */
const NOW = Date.UTC(2025, 2, 5, 9);

test("looks for the date alone where nothing else is asked for", () => {
  const date = queryTerms("March 4th");
  expect(searchedTerms("What happened yesterday?", NOW)).toEqual(date);
  expect(searchedTerms("what did I say last Tuesday", NOW)).toEqual(date);
  expect(searchedTerms("Tell me what happened on March 4th.", NOW)).toEqual(date);
  expect(searchedTerms("What was said on 2025-03-04?", NOW)).toEqual(queryTerms("2025-03-04"));
  expect(searchedTerms("what happened in early May", NOW)).toEqual(queryTerms("early May"));
});

test("looks for every word where there is more than a date, or none", () => {
  const same = [
    "What happened to the cat on March 4th?",
    "What happened?",
    "What happened at the start?",
    "What did Ana say in 2024?",
  ];
  for (const text of same) expect(searchedTerms(text, NOW), text).toEqual(queryTerms(text));
  const asked = searchedTerms("What did Ana say yesterday?", NOW);
  expect(asked).toEqual(queryTerms("What did Ana say March 4th?"));
});

test("leaves something to look for of any query that has it", () => {
  const words = fc.constantFrom("say", "happened", "yesterday", "May", "4th", "March", "cat", "of");
  fc.assert(
    fc.property(fc.array(words), fc.constantFrom(0, NOW), (all, nowMs) => {
      const text = all.join(" ");
      expect(searchedTerms(text, nowMs).length > 0).toBe(queryTerms(text).length > 0);
    }),
  );
});
