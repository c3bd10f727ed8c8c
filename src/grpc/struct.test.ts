import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Struct } from "../gen/google/protobuf/struct.ts";
import { STRUCT_MALFORMED, structDepth, structToJson } from "./struct.ts";

function wire(object: { readonly [key: string]: unknown }): Uint8Array {
  return Struct.encode(Struct.wrap(object)).finish();
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 }), { noNullPrototype: true });

describe("structDepth", () => {
  test("measures any object", () => {
    fc.assert(
      fc.property(json, (object) => {
        fc.pre(!Object.hasOwn(object, "__proto__"));
        expect(structDepth(wire(object))).toBe(Math.max(1, depthOf(object)));
      }),
    );
  });

  test("counts objects and lists, not the values in them", () => {
    expect(structDepth(new Uint8Array(0))).toBe(1);
    expect(structDepth(wire({ a: 1, b: "x", c: null, d: true }))).toBe(1);
    expect(structDepth(wire({ a: { b: 1 } }))).toBe(2);
    expect(structDepth(wire({ a: [[1]] }))).toBe(3);
  });

  test("refuses bytes that are no Struct, and never throws", () => {
    const sound = wire({ key: ["value", { more: 1.5 }] });
    for (let length = 1; length < sound.length; length++) {
      const depth = structDepth(sound.subarray(0, length));
      expect(depth).toBe(STRUCT_MALFORMED);
    }
    fc.assert(fc.property(fc.uint8Array(), (bytes) => Number.isInteger(structDepth(bytes))));
  });
});

describe("structToJson", () => {
  test("writes what JSON.stringify writes, for whatever JSON can say", () => {
    fc.assert(
      fc.property(json, (object) => {
        fc.pre(!JSON.stringify(object).includes("__proto__"));
        expect(JSON.parse(structToJson(wire(object)))).toEqual(
          JSON.parse(JSON.stringify(object).toWellFormed()),
        );
      }),
    );
    expect(structToJson(wire({ a: 1, b: [true, null, "x"] }))).toBe('{"a":1,"b":[true,null,"x"]}');
  });
});
