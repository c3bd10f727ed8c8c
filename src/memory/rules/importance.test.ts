import { describe, expect, test } from "vitest";
import {
  compileRules,
  DEFAULT_IMPORTANCE_RULES,
  phraseFault,
  scoreBudget,
  scoreText,
} from "./importance.ts";

const server = compileRules(DEFAULT_IMPORTANCE_RULES);
const NONE = { score: 0.3, rule: "" };

describe("the rules of the server", () => {
  test.each([
    ["My name is John", 0.9, "identity"],
    ["call me maybe", 0.9, "identity"],
    ["I live in Berlin", 0.6, "location"],
    ["my wife likes tea", 0.85, "relationship"],
    ["my wife's birthday", 0.85, "relationship"],
    ["I prefer dark roast coffee", 0.75, "preference"],
    ["my name is Ana and I like tea", 0.9, "identity"],
    ["The weather is nice", 0.3, ""],
    ["We agreed on Friday", 0.7, "goal"],
    ["we decided to ship", 0.7, "goal"],
    ["birthday party on Monday", 0.6, "date_fact"],
    ["IM CALLED Bob", 0.9, "identity"],
    ["I’m called Bob", 0.9, "identity"],
    ["I'm from Lisbon", 0.6, "location"],
    ["I always forget", 0.75, "preference"],
    ["Based in Lisbon", 0.6, "location"],
    ["mybirthday", 0.3, ""],
    ["I loved it", 0.3, ""],
    ["my\nfavourite", 0.75, "preference"],
    ["Where I work. In Rome", 0.3, ""],
    ["", 0.3, ""],
  ])("of %j say %d, %j", (text, score, rule) => {
    expect(scoreText(server, text)).toEqual({ score, rule });
  });

  test("have phrases that can be read", () => {
    const phrases = DEFAULT_IMPORTANCE_RULES.flatMap((rule) => rule.phrases);
    expect(phrases.map(phraseFault).filter((fault) => fault !== undefined)).toEqual([]);
    for (const phrase of phrases) expect(Buffer.byteLength(phrase)).toBeLessThanOrEqual(256);
  });
});

describe("rules", () => {
  const abc = compileRules([
    { name: "a", phrases: ["alpha"], score: 0.5 },
    { name: "b", phrases: ["beta"], score: 0.5 },
    { name: "c", phrases: ["gamma"], score: 0.9 },
  ]);

  test.each([
    ["beta alpha", 0.5, "a"],
    ["alpha gamma", 0.9, "c"],
    ["my name is X", 0.3, ""],
  ])("of a caller take the place of those of the server: %j", (text, score, rule) => {
    expect(scoreText(abc, text)).toEqual({ score, rule });
  });

  const fits = (phrase: string, text: string): boolean =>
    scoreText(compileRules([{ name: "r", phrases: [phrase], score: 1 }]), text).rule === "r";

  test.each([
    ["my (wife|husband)", "MY HUSBAND", true],
    ["my (wife|husband)", "my", false],
    ["my (wife|husband) is", "my wife was", false],
    ["i really? like", "i like", true],
    ["i really? like", "i really like", true],
    ["i really? like", "i really really like", false],
    ["i (really|truly)? do? like", "i truly do like", true],
    ["i (really|truly)? do? like", "i like", true],
    ["i'm (not|no) sure", "I'm not sure", true],
    ["a a b", "a a a b", true],
    ["a b a c", "a b a b a c", true],
    ["état civil", "E\u0301TAT CIVIL", true],
    ["well-known", "a well-known fact", true],
    ["like tea", "like, tea", false],
    ["like tea", "*like* tea", true],
    ["snake_case", "snake case", false],
  ])("the phrase %j in %j: %s", (phrase, text, expected) => {
    expect(fits(phrase, text)).toBe(expected);
  });

  test.each([
    ["", "must have a word that may not be missing"],
    ["maybe?", "must have a word that may not be missing"],
    ["my (wife", "has a word that cannot be read: (wife"],
    ["my ()", "has a word that cannot be read: ()"],
    ["a|b", "has a word that cannot be read: a|b"],
    ["(a|(b))", "has a word that cannot be read: (a|(b))"],
    ["a ?", "has a word that cannot be read: ?"],
    ["a ".repeat(17), "has 17 words, and may have at most 16"],
    ["c++", "has a word that is not made of letters and digits: c++"],
    ["(a|)", "has a word that is not made of letters and digits: (a|)"],
  ])("a phrase may not be %j", (phrase, fault) => {
    expect(phraseFault(phrase)).toBe(fault);
    expect(fits(phrase, `${phrase} a b`)).toBe(false);
  });
});

test("many texts share one budget", () => {
  const phrases = Array.from({ length: 64 }, (_, at) => `${"a? ".repeat(15)}b${at}`);
  const greedy = compileRules([{ name: "greedy", phrases, score: 1 }]);
  const budget = scoreBudget();
  const text = `${"a ".repeat(1_000)} b1`;
  for (let at = 0; at < 1_000; at++) scoreText(greedy, text, budget);
  // One word may go over it: all of its places, and all that may stand before each.
  expect(budget.left).toBeGreaterThan(-64 * 15 * 16);
  expect(scoreText(greedy, "b1", budget)).toEqual(NONE);
  expect(scoreText(greedy, "b1").score).toBe(1);
});

test("a long text costs time that grows with its length alone", () => {
  const start = performance.now();
  const greedy = compileRules(
    Array.from({ length: 64 }, (_, rule) => ({
      name: `r${rule}`,
      phrases: Array.from({ length: 64 }, (_, phrase) => `${"a? ".repeat(15)}b${rule}c${phrase}`),
      score: 1,
    })),
  );
  expect(scoreText(greedy, "a ".repeat(500_000))).toEqual(NONE);
  expect(scoreText(server, "I work hard. ".repeat(80_000))).toEqual(NONE);
  expect(performance.now() - start).toBeLessThan(10_000);
});
