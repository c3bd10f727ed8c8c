import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadStaticEmbedder, STATIC_TABLE_URL, staticModel } from "./static.ts";
import { readTable } from "./static-table.ts";

const embedder = loadStaticEmbedder();

function cosine(a: string, b: string): number {
  const left = embedder.embedText(a);
  const right = embedder.embedText(b);
  return left.reduce((sum, value, i) => sum + value * (right[i] ?? 0), 0);
}

const lengthOf = (vector: Float32Array): number => Math.hypot(...vector);

describe("static embedder", () => {
  test("puts texts of one meaning near each other though they share no word", () => {
    const near = cosine("I went hiking with my dog", "a walk in the mountains with her puppy");
    const far = cosine("I went hiking with my dog", "the server returned an error");
    expect(near).toBeGreaterThan(far + 0.2);
  });

  test.each([
    ["plain", "What is her job?"],
    ["accents", "Crème brûlée à la carte"],
    ["a word to take apart", "unhappyfulness"],
    ["emoji beside words", "great 🎉 party"],
    ["half a surrogate pair", "party \ud83c"],
  ])("gives a vector of unit length for %s", (_, text) => {
    const vector = embedder.embedText(text);
    expect(vector).toHaveLength(embedder.dimensions);
    expect(lengthOf(vector)).toBeCloseTo(1, 5);
  });

  test.each([
    ["empty", ""],
    ["white space", " \n\t"],
    ["emoji", "🎉🎉"],
    ["punctuation", "?!... --"],
    ["too long a word", "a".repeat(50)],
    ["Russian", "Привет, собака! Я и новости в Москве."],
    ["Arabic", "مرحبا يا كلب"],
    ["Greek", "ο σκύλος η γάτα"],
    ["Thai", "สวัสดีครับ"],
    ["Hebrew", "שלום לכלב"],
    ["Hindi", "नमस्ते कुत्ता"],
    ["Korean", "안녕하세요 강아지"],
    ["Japanese syllables", "ひらがな カタカナ"],
  ])("gives the zero vector for %s", (_, text) => {
    expect(lengthOf(embedder.embedText(text))).toBe(0);
  });

  test("leaves words of scripts that it does not know out of a text", () => {
    expect(embedder.embedText("the dog собака σ sleeps")).toEqual(
      embedder.embedText("the dog sleeps"),
    );
  });

  test.each(["smørrebrød", "straße", "øystein", "水", "β2"])("knows %s", (word) => {
    expect(lengthOf(embedder.embedText(word))).toBeCloseTo(1, 5);
  });

  test("reads case, accents and a possessive alike", () => {
    expect(embedder.embedText("MELANIE'S Café")).toEqual(embedder.embedText("melanie cafe"));
    expect(embedder.embedText("Melanie\u2019s café")).toEqual(embedder.embedText("melanie cafe"));
  });

  test("reads at most 512 words", () => {
    const words = Array.from({ length: 512 }, (_, i) => (i % 2 === 0 ? "river" : "bank")).join(" ");
    expect(embedder.embedText(`${words} piano`)).toEqual(embedder.embedText(words));
  });

  test("reads a megabyte as fast as its first words", () => {
    const vector = embedder.embedText("rivér bank ".repeat(100_000));
    expect(lengthOf(vector)).toBeCloseTo(1, 5);
  });

  test("answers calls for many texts like calls for one, and stops when it is told", async () => {
    const texts = ["one text", "", "another text"];
    expect(await embedder.embed(texts, "passage")).toEqual(texts.map(embedder.embedText));
    await expect(embedder.embed(texts, "query", AbortSignal.abort())).rejects.toThrow();
  });
});

describe("near words", () => {
  test("are words of one meaning, nearest first", () => {
    const near = embedder.nearWords("Doctor's");
    expect(near.map(({ word }) => word)).toContain("physician");
    expect(near.length).toBeLessThanOrEqual(16);
    const cosines = near.map(({ cosine }) => cosine);
    expect(cosines).toEqual([...cosines].sort((a, b) => b - a));
    expect(Math.min(...cosines)).toBeGreaterThan(0.29);
    expect(Math.max(...cosines)).toBeLessThan(1);
  });

  test.each(["", "the", "2024", "qwxzv", "##s", "🎉"])("are none for %j", (word) => {
    expect(embedder.nearWords(word)).toEqual([]);
  });
});

describe("the table that ships", () => {
  test("is the one that docs/models.md describes", () => {
    const docs = readFileSync(join(import.meta.dirname, "../../../docs/models.md"), "utf8");
    const sum = createHash("sha256").update(readFileSync(STATIC_TABLE_URL)).digest("hex");
    expect(docs).toContain(`\`${sum}\``);
    expect(docs).toContain(embedder.model);
  });
});

describe("reading a table", () => {
  test("knows its model without loading it", () => {
    const { model, dimensions } = embedder;
    expect(staticModel()).toEqual({ model, dimensions });
    expect(() => staticModel(new URL(import.meta.url))).toThrow(/static embedding table/);
  });

  const bytes = readFileSync(STATIC_TABLE_URL);

  test.each([
    ["nothing", new Uint8Array()],
    ["another file", Buffer.from("PK\u0003\u0004 and so on, longer than its head")],
    ["a part", bytes.subarray(0, bytes.length - 1)],
    ["its beginning", bytes.subarray(0, 20)],
    ["a length that lies", Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(4, 0xff)])],
  ])("refuses %s", (_, broken) => {
    expect(() => readTable(broken)).toThrow(/static embedding table/);
  });

  test("is at most 12 MB", () => {
    expect(bytes.length).toBeLessThanOrEqual(12_000_000);
  });
});
