import { describe, expect, test } from "vitest";
import { candidateOf, rankQueryOf } from "../../../test/support/recall/rank-candidates.ts";
import { poolScale } from "./pool-scale.ts";
import { NOTHING_FITS_FLOOR, relevanceOf, STATIC_BACKGROUND } from "./relevance.ts";
import type { Candidate, RankQuery } from "./types.ts";

const DAY_MS = 86_400_000;

function relevance(candidate: Partial<Candidate>, query: Partial<RankQuery> = {}): number {
  const one = candidateOf(candidate);
  const asked = rankQueryOf({ background: STATIC_BACKGROUND, ...query });
  return relevanceOf(asked, one, poolScale(asked, [one]));
}

describe("relevanceOf", () => {
  const good = { termMask: 0b11, bm25: 4, cosine: 0.6 };

  test("is above the floor for what fits, and below it for what does not", () => {
    expect(relevance(good)).toBeGreaterThan(NOTHING_FITS_FLOOR);
    expect(relevance(good, { mode: "lexical" })).toBeGreaterThan(NOTHING_FITS_FLOOR);
    expect(relevance(good, { mode: "dense" })).toBeGreaterThan(NOTHING_FITS_FLOOR);
    const poor = { termMask: 0b01, bm25: 0.8, cosine: 0.15 };
    for (const mode of ["hybrid", "lexical", "dense"] as const) {
      expect(relevance(poor, { mode }), mode).toBeLessThan(NOTHING_FITS_FLOOR);
    }
  });

  test("grows with each sign", () => {
    const base = relevance({ termMask: 0b01, bm25: 1, cosine: 0.3 });
    const signs: Partial<Candidate>[] = [
      { termMask: 0b11 },
      { bm25: 2 },
      { cosine: 0.5 },
      { neighborBm25: [0, 3, 0, 0] },
      { authorNamed: true },
    ];
    for (const sign of signs) {
      expect(relevance({ termMask: 0b01, bm25: 1, cosine: 0.3, ...sign })).toBeGreaterThan(base);
    }
  });

  test("counts the date that a query states, for and against", () => {
    const march4 = Date.UTC(2025, 2, 4, 9);
    const dates = [{ month: 3, day: 4, year: 2025 }];
    // "What happened yesterday?" has no word but those of its date.
    const some = { termMask: 0b01, bm25: 2, cosine: 0.2 };
    for (const mode of ["hybrid", "lexical", "dense"] as const) {
      const at = (timeMs: number): number => relevance({ ...some, timeMs }, { mode, dates });
      const plain = relevance({ ...some, timeMs: march4 }, { mode });
      expect(at(march4), mode).toBeGreaterThan(1.5 * plain);
      expect(at(march4 + 40 * DAY_MS), mode).toBeLessThan(plain);
      expect(at(march4 + DAY_MS), mode).toBeLessThan(at(march4));
      // Without a time nobody can tell.
      expect(at(0), mode).toBe(plain);
    }
  });

  test("does not depend on the other candidates", () => {
    const asked = rankQueryOf({ background: STATIC_BACKGROUND });
    const one = candidateOf(good);
    const crowd = poolScale(asked, [one, candidateOf({ bm25: 40, cosine: 0.99, container: 2 })]);
    expect(relevanceOf(asked, one, crowd)).toBe(relevance(good));
  });

  test("reads a cosine by how far it stands out of the background of its model", () => {
    const { mean, deviation } = STATIC_BACKGROUND;
    const background = { mean: 0.75, deviation: 0.03 };
    for (const outstanding of [-1, 0, 1, 3]) {
      const theirs = { ...good, cosine: background.mean + outstanding * background.deviation };
      const ours = { ...good, cosine: mean + outstanding * deviation };
      for (const mode of ["hybrid", "dense"] as const) {
        expect(relevance(theirs, { mode, background })).toBeCloseTo(relevance(ours, { mode }), 9);
      }
    }
  });

  test("reads cosines only of a background that is known", () => {
    const unknown = relevance(good, { background: undefined });
    expect(unknown).toBe(relevance(good, { mode: "lexical" }));
    expect(relevance({ ...good, cosine: Number.NaN })).toBe(unknown);
  });

  test("is a number for a query without terms", () => {
    expect(relevance({}, { idf: [] })).toBeLessThan(0.1);
  });
});
