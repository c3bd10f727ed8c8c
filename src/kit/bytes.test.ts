import { expect, test } from "vitest";
import { floatBytes, floatsOf } from "./bytes.ts";

test("vectors become bytes with the lowest first, and come back", () => {
  const bytes = floatBytes([Float32Array.of(1, -2.5), Float32Array.of(0)]);
  expect(bytes.toString("hex")).toBe("0000803f000020c000000000");
  expect(floatsOf(bytes)).toEqual(Float32Array.of(1, -2.5, 0));
  expect(floatBytes([]).length).toBe(0);
});

test("bytes at any place give an array of its own", () => {
  const bytes = Buffer.concat([Buffer.of(9), floatBytes([Float32Array.of(3)])]).subarray(1);
  const values = floatsOf(bytes);
  bytes.fill(0);
  expect(values).toEqual(Float32Array.of(3));
  expect(values.buffer.byteLength).toBe(4);
  expect(() => floatsOf(bytes.subarray(1))).toThrow("middle of a number");
});
