// Cosines of a model from outside in the index: they are worth what they stand out of
// the cosines with texts of the store at random.

import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../test/support/kit/random.ts";
import {
  containerOf,
  itemsOf,
  JSON_INDEX_CODEC,
  queryOf,
  recordItem,
} from "../../../test/support/recall/records.ts";
import { VectorSample } from "./background.ts";
import { createLocalIndex } from "./local.ts";
import type { IndexAnswer, IndexItem, RecallIndex } from "./port.ts";

const DIMENSIONS = 16;
const NEAREST = 7;

/** A model that gives texts at random this cosine, or nearly. */
function modelOf(common: number, seed = 1): (position: number) => Float32Array {
  const random = randomFrom(seed);
  const rows = Array.from({ length: 4_000 }, () =>
    Float32Array.from({ length: DIMENSIONS }, (_, at) =>
      at === 0 ? Math.sqrt(common) : (random.next() - 0.5) * Math.sqrt(1 - common),
    ),
  );
  return (position) => rows[position] ?? new Float32Array(DIMENSIONS);
}

function newIndex(): RecallIndex {
  const model = { id: "outside", dimensions: DIMENSIONS, isLocal: false };
  return createLocalIndex({ codec: JSON_INDEX_CODEC, model });
}

function said(position: number, vector: Float32Array): IndexItem {
  return { ...recordItem(position, { text: `kitten ${position}`, role: 1 }), vectors: [vector] };
}

async function indexOf(
  count: number,
  vectorOf: (position: number) => Float32Array,
): Promise<RecallIndex> {
  const index = newIndex();
  const items = Array.from({ length: count }, (_, at) => said(at + 1, vectorOf(at + 1)));
  await index.apply("n", [containerOf("session", "s"), itemsOf("session", "s", items)]);
  return index;
}

async function search(index: RecallIndex, vector: Float32Array): Promise<IndexAnswer> {
  return await index.search("n", queryOf("a cat that nobody named", { vector }));
}

function relevances({ hits }: IndexAnswer): ReadonlyMap<number, number> {
  return new Map(hits.map(({ position, relevance }) => [position, relevance]));
}

describe("the relevance of what a model from outside finds", () => {
  test("is high where a cosine stands out, whatever the model gives to texts at random", async () => {
    for (const common of [0.1, 0.8]) {
      const vectorOf = modelOf(common);
      const answer = await search(await indexOf(300, vectorOf), vectorOf(NEAREST));
      expect(answer.isCalibrated).toBe(true);
      const [best, second] = answer.hits;
      expect(best?.position).toBe(NEAREST);
      expect(best?.relevance).toBeGreaterThan(0.25);
      expect(second?.relevance).toBeLessThan(best?.relevance ?? 0);
    }
  });

  test("reads words alone as long as there are few texts", async () => {
    const vectorOf = modelOf(0.8);
    for (const count of [0, 1, 2, 31]) {
      const answer = await search(await indexOf(count, vectorOf), vectorOf(NEAREST));
      expect(answer.isCalibrated, `${count}`).toBe(false);
      for (const { relevance } of answer.hits) expect(relevance).toBeLessThan(0.1);
    }
    const answer = await search(await indexOf(32, vectorOf), vectorOf(NEAREST));
    expect(answer.isCalibrated).toBe(true);
  });

  test("reads words alone where the model gives the same vector to everything", async () => {
    const same = modelOf(0.5)(1);
    const index = await indexOf(40, () => same);
    const text = "kitten 25";
    const hybrid = await index.search("n", queryOf(text, { vector: same }));
    const words = await index.search("n", queryOf(text, { mode: "lexical" }));
    expect(hybrid.isCalibrated).toBe(false);
    expect(hybrid.hits[0]?.position).toBe(25);
    expect(hybrid.hits[0]?.parts).toEqual(words.hits[0]?.parts);
    expect(hybrid.hits[0]?.relevance).toBe(words.hits[0]?.relevance);
  });

  test("is the same for the same texts, however they came and what went before", async () => {
    const vectorOf = modelOf(0.6);
    const count = 2_600;
    const fresh = await indexOf(count, vectorOf);
    const grown = newIndex();
    await grown.apply("n", [containerOf("session", "s"), containerOf("session", "gone")]);
    const other = Array.from({ length: 3_000 }, (_, at) => said(at + 1, vectorOf(at + 9)));
    await grown.apply("n", [itemsOf("session", "gone", other)]);
    for (let position = count; position > 0; position--) {
      await grown.apply("n", [itemsOf("session", "s", [said(position, vectorOf(position))])]);
    }
    const drop = { kind: "drop-container", container: { kind: "session", id: "gone" } } as const;
    await grown.apply("n", [drop]);
    const [one, two] = await Promise.all([fresh, grown].map((i) => search(i, vectorOf(NEAREST))));
    expect(two?.isCalibrated).toBe(true);
    expect(two && relevances(two)).toEqual(one && relevances(one));
  });
});

describe("a sample", () => {
  test("holds all of few texts, and a few hundred of very many", () => {
    const sample = new VectorSample();
    const container = { kind: "session", id: "s" } as const;
    for (let count = 1; count <= 100_000; count++) {
      sample.add(count, container, count);
      if (count === 300) expect(sample.items(count)).toHaveLength(300);
      if (count % 20_000 !== 0) continue;
      const { length } = sample.items(count);
      expect(length).toBeGreaterThan(150);
      expect(length).toBeLessThan(700);
      expect(sample.isTooCoarse(count)).toBe(false);
    }
    // Of a thousand of those texts it holds no sample any more.
    expect(sample.isTooCoarse(1_000)).toBe(true);
  });
});
