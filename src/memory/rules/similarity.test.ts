import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { LIMITS } from "../../kit/limits.ts";
import { comparedText, similarity, similarityFrom } from "./similarity.ts";

/**
 * Two texts, and how many code points stand in the matching blocks that
 * `difflib.SequenceMatcher(None, a, b, autojunk=False)` of Python 3 finds.
 */
const MATCHED: readonly (readonly [string, string, number])[] = [
  ["", "", 0],
  ["a", "", 0],
  ["abc", "abc", 3],
  ["abcd", "bcde", 3],
  ["User prefers dark mode", "User prefers dark roast", 19],
  ["User lives in Berlin", "User lives in Munich", 15],
  ["User lives in Berlin.", "user lives in berlin", 18],
  ["private Thread currentThread;", "private volatile Thread currentThread;", 29],
  ["qabxcd", "abycdf", 4],
  ["abxcdab", "ab cd ab", 6],
  ["😀 likes tea", "😁 likes tea", 10],
  ["aaaaaaaa", "aaa", 3],
  ["abcabcabc", "cbacbacba", 4],
  ["The meeting is on Monday at ten", "On Monday at ten is the meeting", 15],
  ["babaaa", "baabaaa", 6],
  ["babaaa", "aabbaa", 4],
  ["abaaaabaaaab", "abaaaaaaaaab", 11],
  ["abaaaabaaaab", "aabaaaabbbbb", 8],
  ["bbaaaabbbbbaabababbaabbbbbaabb", "bbbaaaabbbbbbaabababbbaababbbbbaabb", 30],
  ["bbaaaabbbbbaabababbaabbbbbaabb", "aabaabbbaabbbabbbbbaaaaaaaabab", 16],
  ["bacaaa", "bccaaa", 5],
  ["bacaaa", "acabcc", 3],
  ["ccbacaaabaac", "ccbacaacabaac", 12],
  ["ccbacaaabaac", "ccacbbccbcac", 5],
  ["cbcabababbbacabaacbaacccbababa", "cbcabababbbacbabaacbabccbcbcbcba", 25],
  ["cbcabababbbacabaacbaacccbababa", "bacbabcbbcabbccbcaaaaabbaababc", 10],
  ["b cgfh", "bccgfh", 5],
  ["b cgfh", "a g c ", 2],
  [" adbaacfbgh ", "  adbaacfbeh ", 11],
  [" adbaacfbgh ", "ahb  b bhebe", 4],
  ["dddhhgbheadbcfeecahahebdhe ehh", "dddhhgbheadbcf eecahahebdhe eeeh", 29],
  ["dddhhgbheadbcfeecahahebdhe ehh", "gddbbc efc ebfdhhgacahhgecgfgf", 12],
];

const seed = testSeed("similarity");
const short = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 40 });

function plenty(): { left: number } {
  return { left: Number.MAX_SAFE_INTEGER };
}

/** The same by its definition, slowly. */
function matchedSlowly(a: readonly string[], b: readonly string[]): number {
  let best = { from: 0, at: 0, length: 0 };
  for (let from = 0; from < a.length; from++) {
    for (let at = 0; at < b.length; at++) {
      let length = 0;
      while (from + length < a.length && a[from + length] === b[at + length]) length++;
      if (length > best.length) best = { from, at, length };
    }
  }
  const { from, at, length } = best;
  if (length === 0) return 0;
  const left = matchedSlowly(a.slice(0, from), b.slice(0, at));
  return left + length + matchedSlowly(a.slice(from + length), b.slice(at + length));
}

describe("similarity", () => {
  test.each(MATCHED)("of %j and %j is that of difflib", (a, b, matched) => {
    const total = [...a].length + [...b].length;
    expect(similarity(a, b)).toBe(total === 0 ? 1 : (2 * matched) / total);
  });

  test("is what its definition says", () => {
    const same = fc.property(short, short, (a, b) => {
      const total = a.length + b.length;
      const slowly = total === 0 ? 1 : (2 * matchedSlowly([...a], [...b])) / total;
      expect(similarity(a, b)).toBe(slowly);
    });
    fc.assert(same, { seed, numRuns: 2_000 });
  });

  test("does not look behind the limit", () => {
    const start = "x".repeat(LIMITS.similarChars);
    expect(similarity(`${start}a`, `${start}b`)).toBe(1);
    expect(similarity(`${start.slice(1)}a`, `${start.slice(1)}b`)).toBeLessThan(1);
  });
});

describe("similarity from a threshold on", () => {
  test("is found exactly when it is reached", () => {
    const threshold = fc.double({ min: 0.01, max: 1, noNaN: true });
    const same = fc.property(short, short, threshold, (a, b, from) => {
      const whole = similarity(a, b);
      for (const least of [from, whole]) {
        const found = similarityFrom(least, comparedText(a), comparedText(b), plenty());
        expect(found).toBe(whole >= least ? whole : undefined);
      }
    });
    fc.assert(same, { seed, numRuns: 2_000 });
  });

  test("is not found when the budget is used up", () => {
    const [a, b] = [comparedText("I like tea"), comparedText("I like teas")];
    const budget = { left: 50 };
    expect(similarityFrom(0.9, a, b, budget)).toBeGreaterThan(0.9);
    expect(budget.left).toBeLessThan(50);
    expect(similarityFrom(0.9, a, b, { left: 20 })).toBeUndefined();
  });
});
