// Each limit is tried at the limit and one above it.

import { describe, expect, test } from "vitest";
import {
  fileLengthProblems,
  folderProblems,
  functionProblems,
  lineLengthProblems,
  smallFileProblems,
} from "./sizes.ts";

const file = (path: string, text: string): Map<string, string> => new Map([[path, text]]);

describe("files", () => {
  test.each([
    ["src/session/a.ts", 600],
    ["src/session/a.test.ts", 800],
    ["test/contract/a.ts", 800],
    ["proto/memorysidecar/v1/a.proto", 1_450],
    ["clients/python/src/memorysidecar/a.py", 600],
  ])("like %s have at most %i lines", (path, limit) => {
    expect(fileLengthProblems(file(path, "\n".repeat(limit)))).toEqual([]);
    expect(fileLengthProblems(file(path, "\n".repeat(limit + 1)))).toHaveLength(1);
  });

  test("that tools make may have any length", () => {
    expect(fileLengthProblems(file("src/gen/a/b.ts", "\n".repeat(5_000)))).toEqual([]);
  });
});

describe("small files", () => {
  const reasons = [{ files: /^src\/a\/rpc\.ts$/, reason: "a part that each feature has" }];
  const needed = file("src/a/rpc.ts", "");

  test("need a reason below 30 lines", () => {
    const lines = (count: number) => new Map(needed).set("src/a/b.ts", "\n".repeat(count));
    expect(smallFileProblems(lines(30), reasons)).toEqual([]);
    expect(smallFileProblems(lines(29), reasons)).toHaveLength(1);
  });

  test("need none where tests or tools make them", () => {
    const free = new Map(needed)
      .set("src/a/b.test.ts", "")
      .set("src/gen/a.ts", "")
      .set("test/a.ts", "");
    expect(smallFileProblems(free, reasons)).toEqual([]);
  });

  test("keep no reason that nothing needs", () => {
    expect(smallFileProblems(file("src/a/rpc.ts", "\n".repeat(30)), reasons)).toHaveLength(1);
  });
});

describe("folders", () => {
  const folder = (count: number): Map<string, string> =>
    new Map(Array.from({ length: count }, (_, at) => [`src/session/f${at}.ts`, ""]));

  test("have at most 25 files, without tests and other folders", () => {
    const full = folder(25).set("src/session/a.test.ts", "").set("src/session/rules/a.ts", "");
    expect(folderProblems(full)).toEqual([]);
    expect(folderProblems(folder(26))).toHaveLength(1);
  });
});

describe("lines", () => {
  test("have at most 100 columns", () => {
    expect(lineLengthProblems(file("src/a.ts", `// ${"word ".repeat(19)}xx`))).toEqual([]);
    expect(lineLengthProblems(file("src/a.ts", `// ${"word ".repeat(20)}x`))).toHaveLength(1);
  });

  test("may be one long word, or code with a text that the formatter cannot break", () => {
    expect(lineLengthProblems(file("src/a.ts", `test("${"word ".repeat(30)}", run);`))).toEqual([]);
    expect(lineLengthProblems(file("a.sh", `# "${"word ".repeat(30)}"`))).toHaveLength(1);
    expect(lineLengthProblems(file("src/a.ts", `  "${"x".repeat(200)}"`))).toEqual([]);
  });
});

describe("functions", () => {
  const body = (lines: number): string => `const f = () => {\n${"a();\n".repeat(lines - 2)}};\n`;

  test("have at most 70 lines", () => {
    expect(functionProblems(file("src/a.ts", body(70)))).toEqual([]);
    expect(functionProblems(file("src/a.ts", body(71)))).toEqual([
      "src/a.ts:1: function of 71 lines, at most 70",
    ]);
  });

  test("may be longer when they only group tests", () => {
    const suite = `describe("x", () => {\n${"a();\n".repeat(100)}});\n`;
    const list = `export function suite() {\n${'test("x", run);\n'.repeat(100)}}\n`;
    expect(functionProblems(file("test/a.test.ts", suite))).toEqual([]);
    expect(functionProblems(file("test/a.ts", list))).toEqual([]);
    expect(functionProblems(file("src/a.ts", list))).toHaveLength(1);
  });

  test("take at most 4 parameters", () => {
    expect(functionProblems(file("src/a.ts", "function f(this: T, a, b, c, d) {}"))).toEqual([]);
    expect(functionProblems(file("src/a.ts", "class A { f(a, b, c, d, e) {} }"))).toHaveLength(1);
  });
});
