// Goal: metadata is flat as filters need it: paths, lists, keys with dots, and nothing beyond.

import { describe, expect, test } from "vitest";
import { deepStruct } from "../../test/support/contract/samples.ts";
import { type Json, struct, structOfEntries } from "../../test/support/kit/structs.ts";
import { flattenMetadata } from "./indexed-wire.ts";

const flat = (fields: Readonly<Record<string, Json>>) =>
  Object.fromEntries(flattenMetadata(struct(fields)));

describe("flattenMetadata", () => {
  test("gives each scalar its path", () => {
    expect(flat({ a: 1, b: "two", c: true, d: null, e: -0.5 })).toEqual({
      a: [1],
      b: ["two"],
      c: [true],
      d: [null],
      e: [-0.5],
    });
    expect(flattenMetadata(new Uint8Array(0)).size).toBe(0);
  });

  test("goes into objects with a dot, and knows that the object is there", () => {
    expect(flat({ order: { id: 7, to: { city: "Rome" } }, none: {} })).toEqual({
      order: [],
      "order.id": [7],
      "order.to": [],
      "order.to.city": ["Rome"],
      none: [],
    });
  });

  test("gives the scalars of a list, and nothing of what is nested in it", () => {
    expect(flat({ tags: ["a", 1, null, ["b"], { c: 2 }], empty: [] })).toEqual({
      tags: ["a", 1, null],
      empty: [],
    });
  });

  test("takes the longest key that fits where keys hold dots", () => {
    expect(flat({ a: { b: 1, c: 2 }, "a.b": 3 })).toEqual({ a: [], "a.b": [3], "a.c": [2] });
    expect(flat({ "a.b": 3, a: { b: 1 } })).toMatchObject({ "a.b": [3] });
    expect(flat({ x: { b: { c: 1 }, "b.c": 2 } })).toMatchObject({ "x.b.c": [2] });
    expect(flat({ a: { "b.c": 1 }, "a.b": { c: 2, d: 3 } })).toMatchObject({
      "a.b.c": [2],
      "a.b.d": [3],
    });
  });

  test("takes the last of two entries with one key, as a map does", () => {
    const bytes = structOfEntries([
      ["a", 1],
      ["a", 2],
      ["__proto__", { polluted: true }],
    ]);
    expect([...flattenMetadata(bytes)]).toEqual([
      ["a", [2]],
      ["__proto__", []],
      ["__proto__.polluted", [true]],
    ]);
  });

  test("leaves out paths that are too long to be asked for", () => {
    const key = "k".repeat(128);
    expect(flat({ [key]: { [key]: 1, "1234567": 2 } })).toEqual({
      [key]: [],
      [`${key}.1234567`]: [2],
    });
    const paths = [...flattenMetadata(deepStruct(200)).keys()];
    expect(paths.length).toBe(128);
  });
});
