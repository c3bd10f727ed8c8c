import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, missedPart, nearMisses } from "../../test/support/kit/near-misses.ts";
import { holdsPart, placeOfPart } from "./find-part.ts";

/** Texts of few words that are repeated, so that one nearly holds another. */
const words = fc.string({ unit: fc.constantFrom("a", "b", "ü"), minLength: 1, maxLength: 6 });
const repeated = fc
  .array(fc.tuple(words, fc.integer({ min: 1, max: 120 })), { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.map(([word, times]) => word.repeat(times)).join(""));

describe("a part of a text", () => {
  test("is found where String finds it", () => {
    const property = fc.property(repeated, repeated, fc.nat(400), (text, part, from) => {
      expect(placeOfPart(text, part, from)).toBe(text.indexOf(part, from));
      expect(holdsPart(text, part)).toBe(text.includes(part));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test("is found at each place of a longer text", () => {
    const property = fc.property(repeated, repeated, repeated, (before, part, after) => {
      const text = before + part + after;
      let place = -1;
      do {
        const next = text.indexOf(part, place + 1);
        expect(placeOfPart(text, part, place + 1)).toBe(next);
        place = next;
      } while (place !== -1 && place < before.length);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test("is missed in a short time, whatever its length", () => {
    const text = nearMisses(1_000_000);
    for (const chars of [3, 7, 101, 249, 251, 1_001, 20_001, 400_001]) {
      const part = missedPart(chars);
      let holds = true;
      expect(cpuMsOf(() => (holds = holdsPart(text, part)))).toBeLessThan(500);
      expect(holds).toBe(false);
    }
  });
});
