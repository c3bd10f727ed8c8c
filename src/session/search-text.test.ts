// Goal: words are counted as they are written, whatever their case, and the piece shown is part of
// the text, whole in its characters, and never longer than allowed.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, missedPart, nearMisses } from "../../test/support/kit/near-misses.ts";
import { findTerms, searchTerms } from "./search.ts";

describe("searchTerms", () => {
  test("gives each word once, in lower case", () => {
    expect(searchTerms("  Tea\n\tcoffee TEA\u00a0ÄÖ ")).toEqual(
      new Map([
        ["tea", 2],
        ["coffee", 1],
        ["äö", 1],
      ]),
    );
    expect(searchTerms("").size).toBe(0);
    expect(searchTerms(" \n\t ").size).toBe(0);
  });
});

const find = (text: string, ...words: string[]) => findTerms(text, searchTerms(words.join(" ")));

describe("findTerms", () => {
  test("counts occurrences that do not overlap, each term by itself", () => {
    expect(find("aaaa aa", "aa")?.count).toBe(3);
    expect(find("teatime", "tea", "teatime", "e")?.count).toBe(4);
    expect(find("aa b", "aa", "aa", "b")?.count).toBe(3);
    expect(find("Tea", "coffee")).toBeUndefined();
    expect(find("", "x")).toBeUndefined();
  });

  test("looks for a long term in a short time", () => {
    const text = nearMisses(1_000_000);
    expect(cpuMsOf(() => find(text, missedPart(1_001)))).toBeLessThan(500);
    expect(find(text, "a".repeat(1_000))?.count).toBe(1_000);
  });

  test("shows the text around the earliest occurrence", () => {
    const text = `${"a".repeat(300)}NEEDLE${"b".repeat(300)}`;
    const snippet = find(text, "b", "needle")?.snippet ?? "";
    expect(snippet).toBe(`…${"a".repeat(75)}NEEDLE${"b".repeat(75)}…`);
  });

  test("begins and ends with whole words, and marks what is left out", () => {
    const words = Array.from({ length: 200 }, (_, at) => `word${at}`);
    const text = words.with(100, "needle").join(" ");
    const snippet = find(text, "needle")?.snippet ?? "";
    expect(snippet).toMatch(/^… word\d+ .*needle.* word\d+ …$/);
    expect([...snippet].length).toBeGreaterThan(130);
    for (const word of snippet.split(" ")) expect(["…", "needle", ...words]).toContain(word);
    const first = find(words.with(0, "needle").join(" "), "needle")?.snippet ?? "";
    expect(first).toMatch(/^needle word1 .* word\d+ …$/);
    const last = find(words.with(199, "needle").join(" "), "eedl")?.snippet ?? "";
    expect(last).toMatch(/^… word\d+ .* word198 needle$/);
    expect(find(`${"図書館".repeat(99)}針`, "針")?.snippet).toMatch(/^… [図書館]+針$/);
  });

  test("fills the piece from the other side near an end of the text", () => {
    expect(find(`needle${"b".repeat(300)}`, "needle")?.snippet).toBe(`needle${"b".repeat(150)}…`);
    expect(find(`${"a".repeat(300)}needle`, "needle")?.snippet).toBe(`…${"a".repeat(150)}needle`);
    expect(find("a needle", "needle")?.snippet).toBe("a needle");
    const long = "n".repeat(500);
    expect(find(`x${long}`, long)?.snippet).toBe(`…${"n".repeat(156)}…`);
  });

  test("finds its place in texts whose lower case is longer", () => {
    const text = `${"İ".repeat(200)}needle${"İ".repeat(200)}`;
    const snippet = find(text, "needle")?.snippet ?? "";
    expect(snippet).toBe(`…${"İ".repeat(75)}needle${"İ".repeat(75)}…`);
    expect(find("İstanbul", "stanbul")?.snippet).toBe("İstanbul");
  });

  test("never cuts a character, and counts characters by code points", () => {
    const text = `${"\u{1F600}".repeat(200)}needle${"\u{1F601}".repeat(200)}`;
    const snippet = find(text, "needle")?.snippet ?? "";
    expect([...snippet]).toHaveLength(158);
    expect(snippet.isWellFormed()).toBe(true);
    const odd = `x${"\u{1F600}".repeat(200)}needle`;
    expect(find(odd, "needle")?.snippet).toBe(`…${"\u{1F600}".repeat(150)}needle`);
  });

  test("shows a piece of the text that holds the word, for any text", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 400 });
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("Needle", "İx", "ẞß", "日本"),
        text,
        (before, word, after) => {
          const whole = before + word + after;
          const terms = searchTerms(word);
          const hit = findTerms(whole, terms);
          const snippet = hit?.snippet ?? "";
          expect(hit?.count).toBeGreaterThan(0);
          expect([...snippet].length).toBeLessThanOrEqual(160);
          expect(whole).toContain(snippet.replace(/^… ?| ?…$/g, ""));
          expect(snippet.toLowerCase()).toContain(word.toLowerCase());
        },
      ),
      { numRuns: 500 },
    );
  });
});
