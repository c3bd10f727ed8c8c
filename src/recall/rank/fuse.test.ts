import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { candidateOf, rankQueryOf } from "../../../test/support/recall/rank-candidates.ts";
import { rankCandidates } from "./fuse.ts";
import { FLAG_PLAIN_ASSISTANT, FLAG_QUESTION } from "./relevance.ts";
import type { Candidate, Ranked, RankQuery, ScoreFeature } from "./types.ts";
import { DEFAULT_WEIGHTS, type RecallWeights, weightsWith } from "./weights.ts";

const DAY_MS = 86_400_000;

function rank(
  candidates: readonly Partial<Candidate>[],
  query: Partial<RankQuery> = {},
  weights: Partial<RecallWeights> = {},
): Ranked[] {
  const all = candidates.map((one, index) => candidateOf({ position: index + 1, ...one }));
  return rankCandidates(rankQueryOf(query), all, weightsWith(weights));
}

/** The part of a feature of the candidate at an index. */
function part(ranked: readonly Ranked[], index: number, feature: ScoreFeature) {
  const own = ranked.find((one) => one.index === index);
  return own?.parts.find((one) => one.feature === feature);
}

describe("rankCandidates", () => {
  test("scales words and their neighbors by the best candidate", () => {
    const ranked = rank([{ bm25: 8 }, { bm25: 2, neighborBm25: [4, 8, 2, 4] }]);
    expect(part(ranked, 0, "words")).toEqual({ feature: "words", value: 1, weight: 1, score: 1 });
    expect(part(ranked, 1, "words")?.value).toBe(0.25);
    const near = 0.15 * 0.5 + 0.3 * 1 + 0.3 * 0.25 + 0.1 * 0.5;
    expect(part(ranked, 1, "neighbors")?.value).toBeCloseTo(near);
  });

  test("scales cosines by the span of the candidates, and adds a share of the next one", () => {
    const nan = Number.NaN;
    const ranked = rank([
      { cosine: 0.2, neighborCosine: [nan, nan, 0.7, nan] },
      { cosine: 0.7 },
      { cosine: nan },
    ]);
    expect(part(ranked, 0, "dense")?.value).toBeCloseTo(0.15);
    expect(part(ranked, 1, "dense")?.value).toBeCloseTo(1);
    expect(part(ranked, 2, "dense")).toBeUndefined();
  });

  test("counts terms by their rarity", () => {
    const ranked = rank([{ termMask: 0b01 }, { termMask: 0b10 }, { termMask: 0b11 }]);
    const values = [0, 1, 2].map((index) => part(ranked, index, "coverage")?.value);
    expect(values).toEqual([0.25, 0.75, 1]);
  });

  test("reads the last of 32 terms", () => {
    const idf = Array.from({ length: 32 }, () => 1);
    const ranked = rank([{ termMask: 2 ** 31 }, { termMask: 1 << 31 }], { idf });
    for (const index of [0, 1]) expect(part(ranked, index, "coverage")?.value).toBe(1 / 32);
  });

  test("knows authors, plain answers, questions and long items", () => {
    const flags = FLAG_PLAIN_ASSISTANT | FLAG_QUESTION;
    const ranked = rank([{ authorNamed: true }, { flags }, { words: 60 * Math.E }]);
    expect(part(ranked, 0, "author")?.score).toBe(0.6);
    expect(part(ranked, 1, "userRole")?.score).toBe(-0.6);
    expect(part(ranked, 1, "question")?.score).toBe(-0.2);
    expect(part(ranked, 2, "length")?.score).toBeCloseTo(-0.25);
  });

  test("lifts items of a session that fits as a whole", () => {
    const ranked = rank([
      { container: 1, bm25: 4 },
      { container: 2, bm25: 4 },
      { container: 2, bm25: 4 },
      { container: 2, bm25: 4 },
    ]);
    expect(part(ranked, 1, "session")?.value).toBe(1);
    expect(part(ranked, 0, "session")?.value).toBeCloseTo(1 / 1.75);
  });

  test("knows dates, and recency where a weight asks for it", () => {
    const timeMs = Date.UTC(2025, 4, 12);
    const query = { dates: [{ month: 5, day: 12 }], referenceTimeMs: timeMs + 30 * DAY_MS };
    expect(part(rank([{ timeMs }], query), 0, "date")?.score).toBe(0.9);
    expect(part(rank([{ timeMs }], query), 0, "recency")).toBeUndefined();
    const recent = rank([{ timeMs }, {}], query, { recency: 2 });
    expect(part(recent, 0, "recency")).toMatchObject({ value: 0.5, score: 1 });
    expect(part(recent, 1, "recency")).toBeUndefined();
    expect(part(rank([{ timeMs }], {}, { recency: 2 }), 0, "recency")).toBeUndefined();
  });

  test("takes importance and trust where weights ask for them", () => {
    const one = { importance: 0.25, trust: 1 };
    expect(part(rank([one]), 0, "importance")).toBeUndefined();
    const ranked = rank([one], {}, { importance: 2, trust: 3 });
    expect(part(ranked, 0, "importance")?.score).toBe(0.5);
    expect(part(ranked, 0, "trust")?.score).toBe(3);
  });

  test("leaves out the leg that a mode does not ask for", () => {
    const one = { bm25: 4, neighborBm25: [1, 1, 1, 1] as const, termMask: 3, cosine: 0.9 };
    const other = { ...one, cosine: 0.1, container: 2 };
    const features = (mode: RankQuery["mode"]) =>
      rank([one, other], { mode })[0]?.parts.map(({ feature }) => feature);
    expect(features("lexical")).toEqual(["words", "session", "neighbors", "coverage"]);
    expect(features("dense")).toEqual(["dense", "session"]);
    const [best] = rank([one, other], { mode: "dense" });
    expect(best?.parts[0]?.weight).toBe(DEFAULT_WEIGHTS.dense + DEFAULT_WEIGHTS.words);
  });

  test("puts equal scores in the order of container and position", () => {
    const places = [
      { container: 2, position: 1 },
      { container: 1, position: 9 },
      { container: 1, position: 3 },
    ];
    expect(rank(places).map(({ index }) => index)).toEqual([2, 1, 0]);
  });

  test("has nothing for no candidates", () => {
    expect(rank([])).toEqual([]);
  });

  test("has scores that are the sums of their parts, whatever comes in", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const cosine = fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constant(Number.NaN));
    const bm25 = fc.double({ min: 0, max: 50, noNaN: true });
    const candidate = fc.record({
      ...{ container: fc.nat(3), position: fc.nat(99), bm25, cosine, termMask: fc.nat(3) },
      neighborBm25: fc.tuple(bm25, bm25, bm25, bm25),
      neighborCosine: fc.tuple(cosine, cosine, cosine, cosine),
      ...{ words: fc.nat(1000), flags: fc.nat(3), authorNamed: fc.boolean() },
      ...{ timeMs: fc.nat(), importance: share, trust: share },
    });
    const query = fc.record({
      mode: fc.constantFrom("hybrid" as const, "lexical" as const, "dense" as const),
      fusion: fc.constantFrom("scores" as const, "reciprocal-rank" as const),
      idf: fc.constantFrom([], [1, 3]),
    });
    fc.assert(
      fc.property(query, fc.array(candidate, { maxLength: 12 }), (asked, candidates) => {
        const ranked = rank(candidates, asked, { recency: 1, trust: 1 });
        expect(ranked.map(({ index }) => index).sort((a, b) => a - b)).toEqual([
          ...candidates.keys(),
        ]);
        for (const [place, { score, parts, relevance }] of ranked.entries()) {
          expect(score).toBe(parts.reduce((sum, one) => sum + one.score, 0));
          for (const { value, weight, score: own } of parts) expect(own).toBe(value * weight);
          const order = parts.map((one) => one.score);
          expect(order).toEqual([...order].sort((a, b) => b - a));
          expect(relevance).toBeGreaterThanOrEqual(0);
          expect(relevance).toBeLessThanOrEqual(1);
          expect(score).toBeLessThanOrEqual(ranked[place - 1]?.score ?? Infinity);
        }
      }),
    );
  });
});

describe("reciprocal rank fusion", () => {
  const fusion = "reciprocal-rank";

  test("adds 1 / (60 + rank) of each leg that found the item, and nothing else", () => {
    const ranked = rank(
      [{ bm25: 9, authorNamed: true }, { bm25: 3, cosine: 0.9 }, { cosine: 0.5 }, {}],
      { fusion },
    );
    expect(ranked.map(({ index }) => index)).toEqual([1, 0, 2, 3]);
    expect(ranked.map(({ score }) => score)).toEqual([1 / 62 + 1 / 61, 1 / 61, 1 / 62, 0]);
    expect(ranked[0]?.parts.map(({ feature }) => feature)).toEqual(["denseRank", "wordsRank"]);
  });

  test("takes one leg alone, and ranks equal values by place", () => {
    const both = { bm25: 2, cosine: 0.5 };
    const words = rank([{ ...both, container: 3 }, both], { fusion, mode: "lexical" });
    expect(words.map(({ index, score }) => [index, score])).toEqual([
      [1, 1 / 61],
      [0, 1 / 62],
    ]);
    const dense = rank([{ bm25: 9 }, { cosine: -0.5 }], { fusion, mode: "dense" });
    expect(dense.map(({ index, score }) => [index, score])).toEqual([
      [1, 1 / 61],
      [0, 0],
    ]);
  });
});
