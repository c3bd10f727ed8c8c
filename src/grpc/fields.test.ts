import { describe, expect, test } from "vitest";
import { EventType } from "../gen/memorysidecar/v1/event.ts";
import {
  addRange,
  type Bounds,
  checkDuration,
  checkEnum,
  checkMap,
  type MapRules,
  textForm,
} from "./fields.ts";
import { Violations } from "./violations.ts";

describe("checkEnum", () => {
  const check = (value: number, names: Readonly<Record<string, number>>): readonly string[] => {
    const v = new Violations();
    checkEnum(v, "type", value, names);
    return (v.error()?.detail.violations ?? []).map(
      ({ field, description }) => `${field} ${description}`,
    );
  };

  test("passes every number that the contract gives a name", () => {
    const numbers = Object.values(EventType).filter((number) => number >= 0);
    expect(numbers.length).toBeGreaterThan(20);
    expect(numbers.flatMap((number) => check(number, EventType))).toEqual([]);
  });

  test("refuses numbers above, below and between", () => {
    const names = { UNSPECIFIED: 0, FIRST: 1, THIRD: 3, UNRECOGNIZED: -1 };
    for (const unknown of [-2, -1, 2, 4, 2 ** 31 - 1]) {
      expect(check(unknown, names)).toEqual([`type is not a known value: ${unknown}`]);
    }
    for (const known of [0, 1, 3]) expect(check(known, names)).toEqual([]);
  });
});

/** The fault that a check of the field `x` finds, with the limit that is broken. */
function faultOf(check: (v: Violations) => void): readonly (string | number | undefined)[] {
  const v = new Violations();
  check(v);
  const error = v.error();
  if (error === undefined) return [];
  const said = error.detail.violations?.map(({ field, description }) => `${field} ${description}`);
  return [...(said ?? []), error.detail.metadata?.["limit"]];
}

describe("addRange", () => {
  test.each([
    [{ min: 1, max: 9 }, 10, "must be 1 to 9", 9],
    [{ min: 1, max: 9 }, 0n, "must be 1 to 9", 1],
    [{ min: 0 }, -1, "must not be negative", 0],
    [{ min: 2 }, 1, "must be 2 at least", 2],
    [{ max: 2 }, 3, "must be 2 at most", 2],
    [{ above: 0, max: 1 }, 0, "must be above 0 and at most 1", 0],
    [{ min: 0, below: 1 }, 1, "must be 0 to below 1", 1],
    [{ above: 0, below: 1 }, 1, "must be above 0 and below 1", 1],
    [{ above: 0 }, 0, "must be above 0", 0],
    [{ below: 1 }, 1, "must be below 1", 1],
  ])("tells %j and the limit that %s breaks", (bounds, value, said, limit) => {
    expect(faultOf((v) => addRange(v, "x", value, bounds))).toEqual([`x ${said}`, limit]);
  });
});

describe("checkDuration", () => {
  const check = (seconds: bigint, nanos: number, bounds: Bounds) =>
    faultOf((v) => checkDuration(v, "x", { seconds, nanos }, bounds));

  test("compares to the nanosecond", () => {
    const bounds = { min: 1, max: 315_576_000 };
    expect(check(1n, 0, bounds)).toEqual([]);
    expect(check(315_576_000n, 0, bounds)).toEqual([]);
    const said = "x must be 1 to 315576000 seconds";
    expect(check(0n, 999_999_999, bounds)).toEqual([said, 1000]);
    expect(check(315_576_000n, 1, bounds)).toEqual([said, 315_576_000_000]);
    expect(check(0n, 0, { above: 0 })).toEqual(["x must be above 0 seconds", 0]);
  });

  test("refuses nanos that are none", () => {
    const said = "x must be positive with 0 to 999999999 nanos";
    expect(check(1n, -1, { min: 0 })).toEqual([said, undefined]);
    expect(check(1n, 1_000_000_000, { min: 0 })).toEqual([said, undefined]);
  });
});

describe("checkMap", () => {
  const KEY = textForm(/^[a-z]{1,3}$/u, { meaning: "must be 1 to 3 letters", maxChars: 3 });
  const check = (entries: Readonly<Record<string, string>>, rules: Partial<MapRules>) =>
    faultOf((v) =>
      checkMap(v, "x", new Map(Object.entries(entries)), { maxItems: 0, maxBytes: 0, ...rules }),
    );

  test("names the entry whose key or value is wrong", () => {
    const keyForm = { keyForm: KEY };
    expect(check({ abc: "" }, keyForm)).toEqual([]);
    expect(check({ A: "" }, keyForm)).toEqual([
      'x["A"] has a key that must be 1 to 3 letters',
      undefined,
    ]);
    expect(check({ abcd: "" }, keyForm).at(-1)).toBe(3);
    expect(check({ "": "" }, { maxKeyBytes: 2 })).toEqual(['x[""] has an empty key', undefined]);
    expect(check({ abc: "" }, { maxKeyBytes: 2 }).at(-1)).toBe(2);
    expect(check({ a: "éé" }, { maxBytes: 3 })).toEqual(['x["a"] is longer than 3 bytes', 3]);
    expect(check({ a: "", b: "" }, { maxItems: 1 }).at(-1)).toBe(1);
  });
});
