import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Bits,
  CountsColumn,
  clearRange,
  doublesColumn,
  PlacesColumn,
  setRange,
} from "./columns.ts";

const counts = fc.oneof(
  fc.nat(300),
  fc.nat(70_000),
  fc.nat(0xffff_ffff),
  fc.constant(2 ** 40),
  fc.constant(Number.MAX_SAFE_INTEGER),
);

describe("columns", () => {
  test("of counts give back every number, whatever room it takes", () => {
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 60 }), (numbers) => {
        const column = new CountsColumn();
        for (const number of numbers) column.push(number);
        expect(numbers.map((_, at) => column.at(at))).toEqual(numbers);
        expect(column.length).toBe(numbers.length);
        expect(column.at(numbers.length)).toBe(0);
      }),
    );
  });

  test("of counts take a byte for each small number", () => {
    const column = new CountsColumn();
    for (let at = 0; at < 10_000; at++) column.push(at & 0xff);
    expect(column.bytes).toBeLessThan(13_000);
  });

  test("of places take nothing while each number is its own place", () => {
    const column = new PlacesColumn();
    for (let at = 0; at < 1_000; at++) column.push(at);
    expect([column.bytes, column.at(999), column.at(1_000)]).toEqual([0, 999, 0]);
    column.push(1_500);
    expect([column.at(7), column.at(1_000), column.length]).toEqual([7, 1_500, 1_001]);
  });

  test("keep what they are told to, in order", () => {
    const column = doublesColumn();
    for (let at = 0; at < 100; at++) column.push(at / 2);
    column.retain((at) => at % 10 === 3);
    expect(Array.from({ length: column.length }, (_, at) => column.at(at))).toEqual(
      [3, 13, 23, 33, 43, 53, 63, 73, 83, 93].map((at) => at / 2),
    );
    column.push(7);
    expect(column.at(10)).toBe(7);
  });
});

describe("bits", () => {
  test("are set and cleared once each, and counted", () => {
    const bits = new Bits();
    for (const index of [0, 31, 32, 500, 31]) bits.set(index);
    bits.clear(32);
    bits.clear(9_999);
    expect(bits.count).toBe(3);
    expect([0, 31, 32, 500, 501, 9_999].map((index) => bits.has(index))).toEqual([
      ...[true, true, false, true, false, false],
    ]);
  });

  test("are set and cleared in ranges", () => {
    const range = fc.tuple(fc.nat(128), fc.nat(128));
    fc.assert(
      fc.property(range, range, ([a, b], [c, d]) => {
        const words = new Uint32Array(5);
        setRange(words, a, b);
        clearRange(words, c, d);
        for (let index = 0; index < 160; index++) {
          const expected = index >= a && index < b && !(index >= c && index < d);
          expect((((words[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1).toBe(expected);
        }
      }),
    );
  });
});
