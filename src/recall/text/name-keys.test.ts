import { describe, expect, test } from "vitest";
import { nameKey, nameKeysIn } from "./name-keys.ts";

describe("a name in a query", () => {
  test.each([
    ["Ann", "where is ann?"],
    ["Grace Hopper", "Who was GRACE hopper’s teacher?"],
    ["Café Zoë", "when does cafe zoe open"],
    ["O'Brien", "tell me of o'brien"],
    ["Acme, Inc.", "works at acme inc"],
    ["北京", "我住在北京市"],
    ["Node 24", "is node 24 out"],
  ])("%s is found in %s", (name, query) => {
    expect(nameKey(name)).not.toBe("");
    expect(nameKeysIn(query)).toContain(nameKey(name));
  });

  test.each([
    ["Ann", "what an annoying day"],
    ["Grace Hopper", "grace of the hopper"],
    ["Navy Yard", "navy"],
  ])("%s is not found in %s", (name, query) => {
    expect(nameKeysIn(query)).not.toContain(nameKey(name));
  });

  test("is none without words, of one letter, of a stop word, or of too many words", () => {
    for (const name of ["", "!?", "I", "Who", "a b c d e f g h i"]) {
      expect(nameKey(name), name).toBe("");
    }
    expect(nameKeysIn("who am I?")).not.toContain("who");
  });

  test("takes any query in little time", () => {
    const long = "word ".repeat(100_000);
    const start = performance.now();
    expect(nameKeysIn(long).size).toBeLessThan(5_000);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
