import { describe, expect, test } from "vitest";
import { pooledVectors } from "./onnx-pooling.ts";

// Two texts of three tokens, the second one filled up after its first; two numbers a token.
const TOKENS = {
  dims: [2, 3, 2],
  data: new Float32Array([3, 0, 0, 6, 3, 2, 0, 5, 9, 9, 9, 9]),
};
const BATCH = { lengths: [3, 1], width: 3 };

const rounded = (vectors: readonly Float32Array[]): number[][] =>
  vectors.map((vector) => [...vector].map((value) => Math.round(value * 100) / 100));

describe("pooling", () => {
  test.each([
    ["mean", [0.6, 0.8]],
    ["meanSqrt", [0.6, 0.8]],
    ["max", [0.45, 0.89]],
    ["cls", [1, 0]],
    ["last", [0.83, 0.55]],
  ] as const)("by %s reads the tokens of a text and not what it is filled up with", (how, want) => {
    expect(rounded(pooledVectors(TOKENS, BATCH, how))).toEqual([want, [0, 1]]);
  });

  test("takes vectors that the model pooled itself", () => {
    const output = { dims: [2, 2], data: new Float32Array([3, 4, 0, 0]) };
    expect(rounded(pooledVectors(output, BATCH, "mean"))).toEqual([
      [0.6, 0.8],
      [0, 0],
    ]);
  });

  test.each([[[2, 4, 2]], [[3, 3, 2]], [[12]], [[1, 2, 3, 2]], [[1, 12]]])(
    "refuses an output of the shape %j",
    (dims) => {
      const wrong = { ...TOKENS, dims };
      expect(() => pooledVectors(wrong, BATCH, "mean")).toThrow(/the model puts out \[/);
    },
  );

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %d", (value) => {
    const output = { dims: [2, 2], data: new Float32Array([3, value, 0, 0]) };
    expect(() => pooledVectors(output, BATCH, "mean")).toThrow(/no finite numbers/);
  });
});
