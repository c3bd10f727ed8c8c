import { describe, expect, test } from "vitest";
import { cpuMsOf, missedPart, nearMisses } from "../../../test/support/kit/near-misses.ts";
import { memoryOf } from "../../../test/support/memory/lookup.ts";
import {
  overlapScore,
  overlapTerms,
  queryWords,
  substringFits,
  wordCountRank,
} from "./memory-search.ts";

const attributes = new Map([["country", "Switzerland"]]);
const alps = memoryOf({
  structure: {
    kind: "entity",
    entity: { name: "Alps", type: "location", aliases: [], attributes },
  },
});
const episode = (userText: string, assistantText: string) =>
  memoryOf({ structure: { kind: "episode", episode: { userText, assistantText } } });
const relation = memoryOf({
  structure: {
    kind: "relation",
    relation: { subject: "Ann", predicate: "hikes_in", object: "Alps" },
  },
});

describe("the scoring by overlap", () => {
  const terms = overlapTerms("hiking in the Alps");

  test("looks at words longer than two characters", () => {
    expect([...terms.keys()]).toEqual(["hiking", "the", "alps"]);
    expect([...overlapTerms("tea, tea? it's a_b é́te 日本語")]).toEqual([
      ["tea", 2],
      ["a_b", 1],
      ["日本語", 1],
    ]);
    expect(overlapTerms("it is so").size).toBe(0);
  });

  test("gives each kind its share", () => {
    const score = (memory: Parameters<typeof overlapScore>[0]) => overlapScore(memory, terms);
    const hiking = memoryOf({ text: "User loves hiking in the Alps", importance: 0.8 });
    const trip = memoryOf({ text: "Alps trip budget is 900", importance: 0.5 });
    expect(score(hiking)).toBeCloseTo(0.8, 6);
    expect(score(alps)).toBeCloseTo(0.65, 6);
    expect(score(relation)).toBeCloseTo(0.65, 6);
    expect(score(episode("Plan hiking", "In the Alps?"))).toBeCloseTo(0.55, 6);
    const told = episode("Tell me about the Alps", "They are mountains");
    expect(score(told)).toBeCloseTo(0.483333, 6);
    expect(score(trip)).toBeCloseTo(0.333333, 6);
  });

  test("leaves out what holds no term", () => {
    expect(overlapScore(alps, overlapTerms("rome"))).toBeUndefined();
    expect(overlapScore(alps, overlapTerms(""))).toBeUndefined();
  });

  test("does not find the words that describe an episode", () => {
    expect(overlapScore(episode("hi", "yo"), overlapTerms("user"))).toBeUndefined();
  });
});

test("the rank by words counts those in text or category", () => {
  const words = queryWords("Dark  mode dark");
  expect(words).toEqual(["dark", "mode"]);
  expect(queryWords(" \n")).toEqual([]);
  const memory = memoryOf({ text: "User prefers dark roast", category: "MODEs" });
  expect(wordCountRank(memory, words)).toBe(2);
  expect(wordCountRank(memoryOf({ text: "User mode is expert" }), words)).toBe(1);
  expect(wordCountRank(memoryOf({ text: "zebra" }), words)).toBe(0);
});

test("a whole query stands in the text or in a topic", () => {
  const memory = memoryOf({ text: "Prefers trains", topics: ["Hiking gear"] });
  expect(substringFits(memory, "hiking")).toBe(true);
  expect(substringFits(memory, "prefers t")).toBe(true);
  expect(substringFits(memory, "trains hiking")).toBe(false);
  expect(substringFits(memory, " ")).toBe(true);
});

test("a word that a query repeats counts as often, and is looked for once", () => {
  const memory = memoryOf({ text: `${nearMisses(16_000)} tea`, importance: 1 });
  const terms = overlapTerms(`${"aab ".repeat(30_000)} tea`);
  let score: number | undefined;
  expect(cpuMsOf(() => (score = overlapScore(memory, terms)))).toBeLessThan(500);
  expect(score).toBeCloseTo(0.5 + 0.5 / 30_001, 9);
});

test("long queries are looked for in a short time", () => {
  const memory = memoryOf({ text: nearMisses(1_000_000) });
  const query = missedPart(8_001);
  const searches = [
    () => substringFits(memory, query),
    () => overlapScore(memory, overlapTerms(query)) !== undefined,
    () => wordCountRank(memory, queryWords(query)) > 0,
  ];
  for (const search of searches) {
    let isFound = true;
    expect(cpuMsOf(() => (isFound = search()))).toBeLessThan(500);
    expect(isFound).toBe(false);
  }
});
