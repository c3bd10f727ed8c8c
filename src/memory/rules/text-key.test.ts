import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { draftOf } from "../../../test/support/memory/lookup.ts";
import { nameKeyOf, normalText, promotionKeyOf, textKeyOf } from "./text-key.ts";

const seed = testSeed("text keys");
const point = fc.oneof(
  fc.integer({ min: 0, max: 0x10ffff }),
  fc.integer({ min: 0, max: 0x2ff }),
  fc.constantFrom(...[..." .?!”\u0130\u03a3\u0345\u2026"].map((char) => char.codePointAt(0) ?? 0)),
);

describe("normalText", () => {
  test.each([
    ["  I like\n\ttea. ", "i like tea"],
    ["I LIKE TEA!?!", "i like tea"],
    ["he said “tea”.", "he said “tea"],
    ["ﬁne  Ａ", "fine a"],
    ["ΟΔΟΣ", "οδοσ"],
    ["?!", "?!"],
    ["", ""],
    ["a.b, c", "a.b, c"],
  ])("of %j is %j", (text, normal) => {
    expect(normalText(text)).toBe(normal);
  });

  test("changes nothing when done again", () => {
    const again = fc.property(fc.array(point, { maxLength: 20 }), (points) => {
      const text = String.fromCodePoint(...points);
      expect(normalText(normalText(text))).toBe(normalText(text));
    });
    fc.assert(again, { seed, numRuns: 5_000 });
  });

  test("takes time that grows with the text alone", () => {
    const text = `${"?!".repeat(100_000)}a`;
    const start = performance.now();
    expect(normalText(text)).toHaveLength(text.length);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe("textKeyOf", () => {
  const relation = (subject: string, predicate: string, object: string) =>
    textKeyOf(
      draftOf({ structure: { kind: "relation", relation: { subject, predicate, object } } }),
    );

  test("is 32 hexadecimal digits, the same for the same text", () => {
    expect(textKeyOf(draftOf({ text: "I like tea" }))).toMatch(/^[0-9a-f]{32}$/);
    expect(textKeyOf(draftOf({ text: "i like  tea." }))).toBe(
      textKeyOf(draftOf({ text: "I like tea" })),
    );
    expect(textKeyOf(draftOf({ text: "I like teas" }))).not.toBe(
      textKeyOf(draftOf({ text: "I like tea" })),
    );
  });

  test("of a relation is that of its parts", () => {
    expect(relation("Ann", "knows", "Bob")).toBe(relation(" ann", "KNOWS", "Bob."));
    expect(relation("Ann", "knows Bob", "x")).not.toBe(relation("Ann", "knows", "Bob x"));
  });

  test("of an entity is that of its name", () => {
    const entity = { name: "Ann", type: "person", aliases: ["A"], attributes: new Map() };
    const structure = { kind: "entity", entity } as const;
    const named = draftOf({ kind: "entity", text: " ANN" });
    expect(textKeyOf(draftOf({ structure, text: "whatever" }))).toBe(textKeyOf(named));
  });

  test("of an episode is that of its text and its time", () => {
    const at = (validFromMs: number) =>
      textKeyOf(draftOf({ kind: "episode", text: "hi", validFromMs }));
    expect(at(1)).toBe(at(1));
    expect(at(1)).not.toBe(at(2));
  });
});

test("names are the same without regard to case and white space around words", () => {
  expect(nameKeyOf("  New\tYORK ")).toBe("new york");
  expect(nameKeyOf("Yahoo!")).toBe("yahoo!");
});

test("a text is promoted once, whatever its case", () => {
  expect(promotionKeyOf("My name is John")).toBe(promotionKeyOf("MY NAME IS JOHN  "));
  expect(promotionKeyOf("My name is John.")).not.toBe(promotionKeyOf("My name is John"));
  expect(promotionKeyOf("x")).toMatch(/^[0-9a-f]{64}$/);
});
