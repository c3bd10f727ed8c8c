// Each limit is tried at the limit and one above it.

import { describe, expect, it } from "vitest";
import { fileLengthProblems, functionProblems, lineLengthProblems } from "./sizes.ts";

const file = (path: string, text: string): Map<string, string> => new Map([[path, text]]);

describe("files", () => {
  it.each([
    ["src/service/a.ts", 600],
    ["src/service/a.test.ts", 800],
    ["test/contract/a.ts", 800],
    ["proto/memorysidecar/v1/a.proto", 1_400],
    ["clients/python/src/memorysidecar/a.py", 600],
  ])("like %s have at most %i lines", (path, limit) => {
    expect(fileLengthProblems(file(path, "\n".repeat(limit)))).toEqual([]);
    expect(fileLengthProblems(file(path, "\n".repeat(limit + 1)))).toHaveLength(1);
  });

  it("that tools make may have any length", () => {
    expect(fileLengthProblems(file("src/gen/a/b.ts", "\n".repeat(5_000)))).toEqual([]);
  });
});

describe("lines", () => {
  it("have at most 100 columns", () => {
    expect(lineLengthProblems(file("src/a.ts", `// ${"word ".repeat(19)}xx`))).toEqual([]);
    expect(lineLengthProblems(file("src/a.ts", `// ${"word ".repeat(20)}x`))).toHaveLength(1);
  });

  it("may be one long word, or code with a text that the formatter cannot break", () => {
    expect(lineLengthProblems(file("src/a.ts", `it("${"word ".repeat(30)}", run);`))).toEqual([]);
    expect(lineLengthProblems(file("a.sh", `# "${"word ".repeat(30)}"`))).toHaveLength(1);
    expect(lineLengthProblems(file("src/a.ts", `  "${"x".repeat(200)}"`))).toEqual([]);
  });
});

describe("functions", () => {
  const body = (lines: number): string => `const f = () => {\n${"a();\n".repeat(lines - 2)}};\n`;

  it("have at most 70 lines", () => {
    expect(functionProblems(file("src/a.ts", body(70)))).toEqual([]);
    expect(functionProblems(file("src/a.ts", body(71)))).toEqual([
      "src/a.ts:1: function of 71 lines, at most 70",
    ]);
  });

  it("may be longer when they only group tests", () => {
    const suite = `describe("x", () => {\n${"a();\n".repeat(100)}});\n`;
    const list = `export function suite() {\n${'it("x", run);\n'.repeat(100)}}\n`;
    expect(functionProblems(file("test/a.test.ts", suite))).toEqual([]);
    expect(functionProblems(file("test/a.ts", list))).toEqual([]);
    expect(functionProblems(file("src/a.ts", list))).toHaveLength(1);
  });

  it("take at most 4 parameters", () => {
    expect(functionProblems(file("src/a.ts", "function f(this: T, a, b, c, d) {}"))).toEqual([]);
    expect(functionProblems(file("src/a.ts", "class A { f(a, b, c, d, e) {} }"))).toHaveLength(1);
  });
});
