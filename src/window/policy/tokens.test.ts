import fc from "fast-check";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import {
  BPE_PIECE_CHARS,
  BPE_PIECE_CHARS_MAX,
  BPE_RUN_CHARS,
  bpePieces,
  bytesDiv4,
  codePointsOf,
} from "./tokens.ts";

test.each([
  [0, 0],
  [1, 1],
  [4, 1],
  [5, 2],
])("%d bytes are %d tokens", (bytes, tokens) => {
  expect(bytesDiv4(bytes)).toBe(tokens);
});

test.each([
  ["", 0],
  ["abcde", 5],
  ["äöüß", 4],
  ["😀😀😀😀😀", 5],
  ["\ud83d\ud83d\ude00\ude00a", 4],
])("%j has %d code points", (text, codePoints) => {
  expect(codePointsOf(text)).toBe(codePoints);
  expect(codePointsOf(text)).toBe([...text].length);
});

/** The longest run of letters and marks, of white space, or of the rest but digits. */
function longestRun(text: string): number {
  const runs = text.match(/[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{N}\p{M}]+/gu) ?? [];
  return Math.max(0, ...runs.map((run) => run.length));
}

const atoms = fc.constantFrom(
  "a",
  "Z",
  "é",
  "漢",
  "\u0301",
  "😀",
  "𝟙",
  "7",
  " ",
  "\n",
  "'",
  "-",
  "\ud83d",
);
const chunk = fc
  .tuple(fc.array(atoms, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 3_000 }))
  .map(([some, times]) => some.join("").repeat(times));
const text = fc.array(chunk, { maxLength: 5 }).map((chunks) => chunks.join(""));

describe("bpePieces", () => {
  test("leaves short text alone", () => {
    expect(bpePieces("")).toEqual([]);
    expect(bpePieces("a".repeat(BPE_RUN_CHARS))).toEqual(["a".repeat(BPE_RUN_CHARS)]);
  });

  test.each(["a", " ", "!", "漢", "\u0301"])("cuts a long run of %j", (char) => {
    const pieces = bpePieces(char.repeat(3 * BPE_RUN_CHARS + 1));
    expect(pieces.map((piece) => piece.length)).toEqual([512, 512, 512, 1]);
  });

  test("keeps surrogate pairs whole", () => {
    const pieces = bpePieces(`!${"😀".repeat(600)}`);
    expect(pieces.map((piece) => piece.length)).toEqual([511, 512, 178]);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  test("bounds runs and pieces, loses nothing, and splits no pair, whatever the text", () => {
    const property = fc.property(text, (whole) => {
      const pieces = bpePieces(whole);
      expect(pieces.join("")).toBe(whole);
      expect(bpePieces(whole)).toEqual(pieces);
      for (const [index, piece] of pieces.entries()) {
        expect(piece.length).toBeGreaterThan(0);
        expect(piece.length).toBeLessThanOrEqual(BPE_PIECE_CHARS_MAX);
        expect(longestRun(piece)).toBeLessThanOrEqual(2 * BPE_RUN_CHARS);
        const seam = piece.slice(-1) + (pieces[index + 1] ?? "").slice(0, 1);
        expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(seam)).toBe(false);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  const samples = {
    English: "It's a fine day, isn't it? They'd said 1,234 words (or so); we'll see...\n\n  Next ",
    code: "for (let i = 0; i < 10; i++) {\n    total += items[i]?.price ?? 0; // sum up\n}\n",
    Chinese: "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。",
    Hindi: "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है। ",
    numbers: "31415926535897932384626433832795028841971693993751",
    JSON: '{"id":12345,"tags":["a","b"],"text":"x\\ny","ratio":0.25},',
    emoji: "well 👩‍👩‍👧 done ❤️‍🔥 ok 👍🏽 ",
  };
  test.each(Object.entries(samples))("changes no count of %s", (_name, sample) => {
    const long = sample.repeat(Math.ceil((4 * BPE_PIECE_CHARS) / sample.length));
    const pieces = bpePieces(long);
    expect(pieces.length).toBeGreaterThan(2);
    for (const { countTokens } of [o200k, cl100k]) {
      const sum = pieces.reduce((tokens, piece) => tokens + countTokens(piece), 0);
      expect(sum).toBe(countTokens(long));
    }
  });
});
