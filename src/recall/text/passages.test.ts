import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PASSAGE_WORDS, passagesOf, wordCount } from "./passages.ts";
import { indexTerms } from "./terms.ts";

const cut = (text: string): string[] =>
  passagesOf(text).map(({ start, end }) => text.slice(start, end));

describe("passagesOf", () => {
  test("keeps a short text whole, without the white space around it", () => {
    expect(cut("  Hello there, (world)! \n")).toEqual(["Hello there, (world)!"]);
  });

  test("has none for text without words", () => {
    expect(passagesOf("")).toEqual([]);
    expect(passagesOf(" \n ... --- ")).toEqual([]);
  });

  test("has one for a text of one emoji", () => {
    expect(cut(" 👍🏽 ")).toEqual(["👍🏽"]);
  });

  test("cuts behind sentences, into about equal parts", () => {
    const text = "This is a sentence of eight words, yes. ".repeat(20).trim();
    const parts = cut(text);
    expect(parts.map((part) => wordCount(part))).toEqual([56, 48, 56]);
    for (const part of parts) expect(part).toMatch(/^This.*yes\.$/s);
  });

  test("cuts behind lines", () => {
    const line = "one two three four five six seven eight nine ten\n";
    for (const part of cut(line.repeat(13))) expect(part).toMatch(/^one.*ten$/s);
  });

  test("cuts anywhere when nothing ends", () => {
    const words = Array.from({ length: 130 }, (_, i) => `w${i}`);
    const parts = cut(words.join(" "));
    expect(parts).toHaveLength(3);
    expect(parts.join(" ")).toBe(words.join(" "));
  });

  test("counts characters of scripts without spaces as half a word and cuts behind a stop", () => {
    const text = "我们昨天一起去了北京的长城。".repeat(20);
    const parts = cut(text);
    expect(wordCount(text)).toBe(130);
    expect(parts).toHaveLength(3);
    for (const part of parts) expect(part).toMatch(/^我们.*。$/);
  });

  test("counts a long path as several words and does not cut it", () => {
    const path = `/srv/${"folder/".repeat(30)}file.txt`;
    expect(wordCount(path)).toBe(4);
    expect(cut(`${"word ".repeat(58)}${path}`).at(-1)).toContain(path);
  });

  test("holds every term of any text, in order, and nothing twice", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "cat",
        "dog's",
        "a.",
        "b!",
        "\n",
        "東京。",
        "ภาษาไทย",
        "😂",
        "x/y",
        "“q”",
        "-",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 400 }), (words) => {
        const text = words.join(" ");
        const passages = passagesOf(text);
        let last = 0;
        for (const { start, end } of passages) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          const part = text.slice(start, end);
          expect(part.trim()).toBe(part);
          expect(wordCount(part)).toBeLessThanOrEqual(PASSAGE_WORDS);
          last = end;
        }
        // A cut goes through no word, so the parts have the terms of the whole.
        const spaced = text.replace(/[東京ภาษาไทย]/g, "");
        const ofParts = cut(spaced).flatMap((part) => indexTerms(part));
        expect(ofParts).toEqual(indexTerms(spaced));
      }),
      { numRuns: 300 },
    );
  });

  test("takes time linear in the text", () => {
    expect(passagesOf("word ".repeat(200_000)).length).toBeGreaterThan(3_000);
  });
});
