// Parts of the comparison: data that are the same in every run, and tables.

import { describe, expect, test } from "vitest";
import { bucketOf, K, makeClusters, slices } from "./clusters.ts";
import { makeCorpus } from "./passages.ts";
import { type Row, tableOf } from "./table.ts";

describe("makeClusters", () => {
  const clusters = makeClusters(400, 16, 3);

  test("gives vectors of length 1, the same in every run", () => {
    for (const vector of slices(clusters.vectors, 16)) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    expect(makeClusters(400, 16, 3)).toEqual(clusters);
  });

  test("knows the nearest rows, and those that pass a filter", () => {
    const vectors = slices(clusters.vectors, 16);
    for (const [at, query] of slices(clusters.queries, 16).entries()) {
      const score = (row: number): number =>
        query.reduce((sum, value, place) => sum + value * (vectors[row]?.[place] ?? 0), 0);
      const rows = [...vectors.keys()].sort((a, b) => score(b) - score(a) || a - b);
      expect(clusters.truth[100][at]).toEqual(rows.slice(0, K));
      const passing = rows.filter((row) => bucketOf(row) < 10);
      expect(clusters.truth[10][at]).toEqual(passing.slice(0, K));
    }
  });
});

describe("makeCorpus", () => {
  const corpus = makeCorpus(2_000, 20);

  test("gives passages of about 23 words, the same in every run", () => {
    const words = corpus.passages.flatMap((passage) => passage.split(" "));
    expect(words.length / 2_000).toBeGreaterThan(21);
    expect(words.length / 2_000).toBeLessThan(25);
    expect(makeCorpus(2_000, 20)).toEqual(corpus);
  });

  test("has words as unevenly frequent as those of a language", () => {
    const counts = new Map<string, number>();
    const words = corpus.passages.flatMap((passage) => passage.split(/\W+/));
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const sorted = [...counts.values()].sort((a, b) => b - a);
    const share = sorted.slice(0, 50).reduce((sum, count) => sum + count, 0) / words.length;
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.6);
    expect(sorted.filter((count) => count === 1).length).toBeGreaterThan(sorted.length / 5);
  });
});

describe("tableOf", () => {
  interface Figures {
    readonly ms: number;
    readonly recall?: number;
  }
  const rows: readonly Row<Figures>[] = [
    { title: "ours", rounds: [{ ms: 2, recall: 1 }, { ms: 4 }, { ms: 3 }] },
    { title: "fast", rounds: [{ ms: 1 }, { ms: 1 }, { ms: 30 }] },
    { title: "gone", rounds: [{ failure: "not installed" }] },
  ];

  test("has medians, ratios within a round, and what could not be measured", () => {
    const table = tableOf(rows, [
      { title: "ms", of: ({ ms }) => ms },
      { title: "recall", of: ({ recall }) => recall, isPlain: true },
    ]);
    expect(table.split("\n")).toEqual([
      "| index | ms | recall |",
      "| --- | --- | --- |",
      "| ours | 3 | 1.000 |",
      "| fast | 1 (0.50) | - |",
      "| gone | not installed |",
    ]);
  });
});
