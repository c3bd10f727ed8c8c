import { describe, expect, test } from "vitest";
import { type TfIdfContent, TfIdfIndex } from "./tf-idf.ts";

const FOX: readonly string[] = [
  "The quick brown fox",
  "Quick start guide for the fox framework",
  "Lazy dog sleeps",
  "Brown bread recipe",
];

function indexOf(contents: readonly (string | TfIdfContent)[]): TfIdfIndex {
  const index = new TfIdfIndex();
  for (const [place, content] of contents.entries()) {
    index.put(place + 1, typeof content === "string" ? { text: content } : content);
  }
  return index;
}

function found(index: TfIdfIndex, text: string, limit = 5, accept = (_: number) => true) {
  const matches = index.search({ text, limit, minScore: undefined, accept });
  return matches.map(({ position, score }) => [position, Math.round(score * 1e6)]);
}

describe("search by TF-IDF", () => {
  test("scores as the vector store that it stands for", () => {
    const index = indexOf(FOX);
    expect(found(index, "quick fox", 3)).toEqual([
      [1, 707107],
      [2, 354998],
      [3, 0],
    ]);
    expect(found(index, "QUICK, fox!")).toEqual([
      [1, 707107],
      [2, 354998],
      [3, 0],
      [4, 0],
    ]);
    expect(found(index, "unknown words", 2)).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  test("counts terms over all documents, filtered out or not", () => {
    const odd = (position: number) => position !== 4;
    expect(found(indexOf(FOX), "brown", 5, odd)).toEqual([
      [1, 500000],
      [2, 0],
      [3, 0],
    ]);
    expect(found(indexOf(FOX), "brown")).toEqual([
      [1, 500000],
      [4, 366740],
      [2, 0],
      [3, 0],
    ]);
  });

  test("gives the only document, with a score of 0", () => {
    expect(found(indexOf(["alone here"]), "alone")).toEqual([[1, 0]]);
  });

  test("takes the terms of a replaced or removed document back", () => {
    const index = indexOf(FOX.slice(0, 3));
    expect(found(index, "fox")).toEqual([
      [1, 336998],
      [2, 195287],
      [3, 0],
    ]);
    index.put(1, { text: "The quick brown cat" });
    expect(found(index, "fox")).toEqual([
      [2, 432560],
      [1, 0],
      [3, 0],
    ]);
    index.remove(3);
    index.remove(3);
    expect(found(index, "fox")).toEqual(
      found(indexOf(["The quick brown cat", FOX[1] ?? ""]), "fox"),
    );
  });

  test("finds a document with an embedding by the numbers of its positions alone", () => {
    const index = indexOf([{ vector: [3, 4] }, "beta"]);
    expect(found(index, "alpha", 2)).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect(found(index, "1", 2)).toEqual([
      [1, 800000],
      [2, 0],
    ]);
  });

  test("leaves out what scores below a floor, and gives nothing for a limit of 0", () => {
    const index = indexOf(FOX);
    const accept = () => true;
    const matches = index.search({ text: "quick fox", limit: 5, minScore: 0.355, accept });
    expect(matches.map(({ position }) => position)).toEqual([1]);
    expect(found(index, "quick fox", 0)).toEqual([]);
  });

  test("gives what it counted back", () => {
    const index = indexOf(FOX);
    const before = index.bytes;
    index.put(9, { text: "quick" });
    index.remove(9);
    expect(index.bytes).toBe(before);
    expect(index.count).toBe(4);
  });
});
