import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Chunk, isLonger, joinChunks, splitText } from "./splitter.ts";

function texts(chunks: readonly Chunk[]): string[] {
  return chunks.map(({ text }) => text);
}

function places(chunks: readonly Chunk[]): Pick<Chunk, "text" | "offset">[] {
  return chunks.map(({ text, offset }) => ({ text, offset }));
}

describe("where a text is cut", () => {
  const rule = { chunkChars: 50, overlapChars: 0 };

  test("a short text is one chunk", () => {
    expect(places(splitText("short", rule))).toEqual([{ text: "short", offset: 0 }]);
    expect(places(splitText("", rule))).toEqual([{ text: "", offset: 0 }]);
  });

  test("at a paragraph rather than at a later sentence", () => {
    const text = `${"a".repeat(30)}\n\nOne. Two. ${"b".repeat(40)}`;
    expect(texts(splitText(text, rule))[0]).toBe("a".repeat(30));
  });

  test("at a line rather than at a sentence, at a sentence rather than at a word", () => {
    expect(texts(splitText(`${"a".repeat(28)}\nOne. Two ${"b".repeat(40)}`, rule))[0]).toBe(
      "a".repeat(28),
    );
    expect(texts(splitText(`${"a".repeat(28)} One. Two ${"b".repeat(40)}`, rule))[0]).toBe(
      `${"a".repeat(28)} One.`,
    );
  });

  test("inside a word only when there is nothing else", () => {
    expect(texts(splitText("x".repeat(120), rule)).map((text) => text.length)).toEqual([
      50, 50, 20,
    ]);
  });

  test("the overlap begins at a word or sentence", () => {
    const text = "The first thing was said. The second thing was said too. And the third one.";
    expect(places(splitText(text, { chunkChars: 60, overlapChars: 29 }))).toEqual([
      { text: "The first thing was said. The second thing was said too.", offset: 0 },
      { text: "second thing was said too. And the third one.", offset: 30 },
    ]);
  });

  test("no overlap rather than one that begins inside a word", () => {
    const text = `${"word ".repeat(8)}uncomfortably ${"more ".repeat(9)}`;
    const [first, second] = splitText(text, { chunkChars: 54, overlapChars: 6 });
    expect(first?.text).toMatch(/uncomfortably$/u);
    expect(second?.text).toMatch(/^more/u);
  });

  test("no chunk has white space at its ends, and its offset is that of its text", () => {
    const text = `\n  ${"a".repeat(30)}  \n\n\t${"b".repeat(30)}\n\n`;
    expect(places(splitText(text, rule))).toEqual([
      { text: "a".repeat(30), offset: 3 },
      { text: "b".repeat(30), offset: 38 },
    ]);
    expect(places(splitText(`a${" ".repeat(300)}b`, { chunkChars: 50, overlapChars: 20 }))).toEqual(
      [
        { text: "a", offset: 0 },
        { text: "b", offset: 301 },
      ],
    );
    expect(places(splitText(" ".repeat(300), rule))).toEqual([{ text: "", offset: 0 }]);
  });

  test("text that ends where a chunk is full is not cut earlier", () => {
    const text = `${"a".repeat(20)} ${"b".repeat(29)} ${"c".repeat(30)}`;
    expect(texts(splitText(text, rule))[0]).toBe(text.slice(0, 50));
  });

  test("sentences of languages without spaces", () => {
    const text = `${"\u6f22".repeat(39)}\u3002${"\u5b57".repeat(40)}`;
    expect(texts(splitText(text, rule))[0]).toBe(`${"\u6f22".repeat(39)}\u3002`);
  });
});

const TEXT = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("word", "a", "longer", "\u6f22\u5b57", "\u{1f600}") },
      { weight: 5, arbitrary: fc.constantFrom(" ", "\n", "\n\n", ". ", "\u3002", "\t", "! ") },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
    ),
    { maxLength: 200 },
  )
  .map((parts) => parts.join(""));

const RULE = fc.integer({ min: 4, max: 80 }).chain((chunkChars) =>
  fc.record({
    chunkChars: fc.constant(chunkChars),
    overlapChars: fc.integer({ min: 0, max: Math.ceil(chunkChars / 2) - 1 }),
  }),
);

const BLANK = /^[\s\u0085]*$/u;

test("chunks give the text again, and with spaces for white space that is not told", () => {
  fc.assert(
    fc.property(TEXT, RULE, (text, rule) => {
      const chunks = splitText(text, rule);
      expect(joinChunks(chunks)).toBe(text);
      const untold = chunks.map((chunk) => ({ ...chunk, spaceBefore: "", spaceAfter: "" }));
      const last = chunks.at(-1)?.spaceAfter.length ?? 0;
      const spaced = joinChunks(untold);
      if (BLANK.test(text)) return;
      expect(spaced.length).toBe(text.length - last);
      expect(spaced.split(/\s+/u).join("")).toBe(text.split(/[\s\u0085]+/u).join(""));
    }),
    { numRuns: 1_000 },
  );
});

test("chunks cover the text but for white space, none too long, none beginning inside a pair", () => {
  fc.assert(
    fc.property(TEXT, RULE, (text, rule) => {
      const points = [...text];
      const chunks = splitText(text, rule);
      let covered = 0;
      for (const chunk of chunks) {
        const length = [...chunk.text].length;
        expect(length).toBeLessThanOrEqual(rule.chunkChars);
        expect(points.slice(covered, chunk.offset).join("")).toMatch(BLANK);
        expect(covered - chunk.offset).toBeLessThanOrEqual(rule.overlapChars);
        expect(points.slice(chunk.offset, chunk.offset + length).join("")).toBe(chunk.text);
        expect(chunk.text.trim()).toBe(chunk.text);
        if (!BLANK.test(text)) expect(chunk.offset + length).toBeGreaterThan(covered);
        covered = chunk.offset + length;
      }
      expect(points.slice(covered).join("")).toMatch(BLANK);
      if (!isLonger(text, rule.chunkChars)) expect(chunks.length).toBe(1);
    }),
    { numRuns: 2_000 },
  );
});
