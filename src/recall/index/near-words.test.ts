import { describe, expect, test } from "vitest";
import { loadStaticEmbedder } from "../embed/static.ts";
import { LexicalIndex } from "../lexical/index.ts";
import { ItemTable } from "./items.ts";
import { expandTerms, nearShares } from "./near-words.ts";

const TERMS = [
  { term: "doctor", idf: 3 },
  { term: "boat", idf: 1 },
];

/** Items of one passage each, that hold these terms. */
function indexOf(all: readonly (readonly string[])[]) {
  const items = new ItemTable();
  const lexical = new LexicalIndex();
  for (const [position, terms] of all.entries()) {
    const item = items.add({
      ...{ container: 0, position, passages: 1, words: terms.length, flags: 0, role: 1 },
      ...{ trust: 2, timeMs: 0, author: 0, importance: undefined, idHash: 0 },
    });
    lexical.add(items.firstRow.at(item), terms);
  }
  return { items, lexical };
}

describe("expandTerms", () => {
  test("finds words near those of the query in the table that ships", () => {
    const { nearWords } = loadStaticEmbedder();
    const [first, ...rest] = expandTerms("Which doctor?", TERMS.slice(0, 1), nearWords);
    expect(first).toMatchObject({ bit: 0, share: 1 });
    expect(rest).toEqual([]);
    expect(first?.near.map(({ term }) => term)).toContain("physician");
    for (const { value } of first?.near ?? []) {
      expect(value).toBeGreaterThanOrEqual(0.3);
      expect(value).toBeLessThanOrEqual(1);
    }
  });

  test("values a word by its cosine, leaves out far ones, and has the rarest term first", () => {
    const near = new Map([
      ["boats", [{ word: "ships", cosine: 0.5 }]],
      [
        "doctor",
        [
          { word: "physician", cosine: 0.9 },
          { word: "desk", cosine: 0.39 },
        ],
      ],
    ]);
    const expanded = expandTerms("the boats of a doctor", TERMS, (word) => near.get(word) ?? []);
    expect(expanded).toEqual([
      { bit: 0, share: 0.75, near: [{ term: "physician", value: 1 }] },
      { bit: 1, share: 0.25, near: [{ term: "ship", value: 0.5 }] },
    ]);
  });

  test("has nothing for words that are no terms of the query", () => {
    expect(expandTerms("the of", [], () => [{ word: "ship", cosine: 1 }])).toEqual([]);
  });
});

describe("nearShares", () => {
  const expanded = [
    {
      ...{ bit: 0, share: 0.75 },
      near: [
        { term: "physician", value: 1 },
        { term: "nurse", value: 0.5 },
      ],
    },
    { bit: 1, share: 0.25, near: [{ term: "ship", value: 0.5 }] },
  ];

  test("counts each term that is lacked once, by the nearest word", () => {
    const index = indexOf([["nurse"], ["nurse", "physician", "ship"], ["ship"], ["tea"]]);
    const candidates = [3, 1, 0, 2].map((item) => ({ item, mask: 0 }));
    const shares = nearShares(index, expanded, candidates);
    expect([...shares]).toEqual([0, 0.875, 0.375, 0.125]);
  });

  test("counts nothing for a term that an item holds", () => {
    const index = indexOf([["doctor", "physician", "ship"]]);
    expect([...nearShares(index, expanded, [{ item: 0, mask: 1 }])]).toEqual([0.125]);
  });

  test("passes over words that are in too many rows", () => {
    const rows = Array.from({ length: 32_768 }, () => ["physician"]);
    const index = indexOf([["physician", "ship"], ...rows]);
    expect([...nearShares(index, expanded, [{ item: 0, mask: 0 }])]).toEqual([0.125]);
  });
});
