import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../test/support/kit/random.ts";
import { type HashKey, hashOf, TermTable } from "./term-table.ts";

const KEY: HashKey = [1, 2];
const UNITS = ["a", "ß", "ÿ", "Ā", "猫", "\ud83d", "\ude00", "\0"];

describe("numbers of terms", () => {
  test("are those of a map, whatever the terms", () => {
    const random = randomFrom(7);
    const table = new TermTable(KEY);
    const map = new Map<string, number>();
    const wrong: string[] = [];
    for (let at = 0; at < 50_000; at++) {
      const isPlain = random.chance(0.7);
      const term = isPlain
        ? random.int(0, 20_000).toString(36)
        : Array.from({ length: random.int(0, 6) }, () => random.pick(UNITS)).join("");
      if (table.find(term) !== map.get(term)) wrong.push(term);
      const number = map.get(term) ?? map.size;
      map.set(term, number);
      if (table.add(term) !== number) wrong.push(term);
    }
    expect(wrong).toEqual([]);
    expect(table.size).toBe(map.size);
    expect([...table.entries()]).toEqual([...map]);
    expect([...table.texts()]).toEqual([...map.keys()]);
    expect(table.find("nowhere to be found")).toBeUndefined();
  });

  test("tell terms apart that differ in width, length or their last unit", () => {
    const table = new TermTable(KEY);
    const long = "x".repeat(16_383);
    const terms = [
      "",
      "\0",
      "a",
      "a\0",
      "\u0161",
      "a\u0001",
      "\u0161a",
      long,
      `${long}y`,
      `${long}z`,
    ];
    expect(terms.map((term) => table.add(term))).toEqual(terms.map((_, at) => at));
    expect(terms.map((term) => table.find(term))).toEqual(terms.map((_, at) => at));
    expect([...table.texts()]).toEqual(terms);
  });

  test("are given to terms that come while all are listed", () => {
    const table = new TermTable(KEY);
    table.add("first");
    const entries = table.entries();
    expect(entries.next().value).toEqual(["first", 0]);
    table.add("second");
    expect([...entries]).toEqual([["second", 1]]);
  });

  test("are refused to a term that is too long", () => {
    expect(() => new TermTable(KEY).add("x".repeat(16_385))).toThrow(RangeError);
  });

  test("take the memory that is told", () => {
    const table = new TermTable(KEY);
    const before = table.bytes;
    for (let at = 0; at < 10_000; at++) table.add(`number${at}`);
    const each = (table.bytes - before) / 10_000;
    expect(each).toBeGreaterThan("number1234".length);
    expect(each).toBeLessThan(40);
  });
});

describe("the hash of a term", () => {
  // Those of the Linux kernel's tests of hsiphash, for the bytes 0, 1, 2 and so on.
  test("is HalfSipHash-1-3", () => {
    const expected = [0x5814c896, 0xbc4b0e30, 0x7e059ea6, 0xa0080b65, 0x577999b1];
    const found = expected.map((_, units) => {
      const codes = Array.from({ length: units }, (_unit, at) => ((2 * at + 1) << 8) | (2 * at));
      return hashOf(String.fromCharCode(...codes), [0x03020100, 0x07060504]);
    });
    expect(found).toEqual(expected);
  });

  test("spreads terms that another key gives the same slot", () => {
    const slotOf = (term: string, key: HashKey): number => hashOf(term, key) & 0x3ff;
    const terms = Array.from({ length: 300_000 }, (_, at) => `t${at}`);
    const prepared = terms.filter((term) => slotOf(term, KEY) === 7);
    expect(prepared.length).toBeGreaterThan(200);
    const slots = new Set(prepared.map((term) => slotOf(term, [1, 3])));
    expect(slots.size).toBeGreaterThan(prepared.length / 2);
  });
});
