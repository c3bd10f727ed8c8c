// Banned code appears here in strings that the rules themselves do not match.

import { describe, expect, test } from "vitest";
import { bannedCodeProblems, bannedWordProblems, titleProblems } from "./banned.ts";

const code = (path: string, text: string): string[] =>
  bannedCodeProblems(new Map([[path, text]]), {});

describe("banned code", () => {
  test.each([
    ["src/session/a.ts", "Date.now();"],
    ["src/session/a.ts", "new Date();"],
    ["src/session/a.ts", "performance.now();"],
    ["src/session/a.ts", "Math.random();"],
    ["src/session/a.ts", "console.log(1);"],
    ["src/session/a.ts", "process.exit(1);"],
    ["src/session/a.ts", "process.env.X;"],
    ["clients/typescript/src/a.ts", "console.log(1);"],
    ["src/window/rules/a.ts", "setTimeout(f, 1);"],
    ["src/window/rules/a.ts", "crypto.randomUUID();"],
    ["src/window/rules/a.ts", "process.pid;"],
    ["src/a.ts", "let x: a[] | any;"],
    ["test/a.ts", "export default 1;"],
    ["src/session/a.ts", "class A { private readonly b = 1; }"],
    ["test/a.test.ts", "import { it } from 'vitest';"],
    ["test/a.test.ts", "test.only('x', f);"],
    ["test/a.test.ts", "describe.skip('x', f);"],
  ])("is found in %s: %s", (path, text) => {
    expect(code(path, text)).toHaveLength(1);
  });

  test.each([
    ["src/session/a.ts", "new Date(ms);"],
    ["src/session/a.ts", "clock.now(); // Date.now() would be wrong here, any day"],
    ["src/kit/clock.ts", "Date.now();"],
    ["test/a.ts", "console.log(Date.now());"],
    ["src/session/a.ts", "class A { #b = 1; private constructor() {} }"],
    ["src/window/rules/a.ts", "const timeout = limits.process;"],
    ["test/a.test.ts", "test.runIf(x)('x', f);"],
  ])("is not seen in %s: %s", (path, text) => {
    expect(code(path, text)).toEqual([]);
  });

  test("may stand where an exception names it, and an unused exception is a problem", () => {
    const allowed = { clock: [{ path: "src/a.ts", reason: "for the test" }] };
    expect(bannedCodeProblems(new Map([["src/a.ts", "Date.now();"]]), allowed)).toEqual([]);
    expect(bannedCodeProblems(new Map([["src/a.ts", ""]]), allowed)).toHaveLength(1);
  });
});

describe("banned words", () => {
  test.each([
    ["src/a.ts", `// ${"TO"}${"DO"}: later`],
    ["src/a.ts", `// ${"FIX"}${"ME"}`],
    ["proto/a.proto", `// ${"XX"}${"X"}`],
    ["src/a.ts", `// @ts-${"ignore"}`],
    ["docs/a.md", `cd /${"work"}/main`],
    ["docs/a.md", `/${"home"}/somebody/x`],
    [".ci/run", `--index-url https://${"pypi"}.org/simple`],
    ["package-lock.json", `"https://registry.${"npmjs"}.org/x"`],
    ["src/context/a.ts", 'if (profile === "selectools") return;'],
    ["src/window/rules/a.ts", "// As lauren-ai does."],
    ["src/app.ts", "const isMARSYS = true;"],
    ["src/session/a.ts", "definable.read();"],
    ["src/session/a.ts", 'import { alquimia } from "./a.ts";'],
  ])("are found in %s: %s", (path, text) => {
    expect(bannedWordProblems(new Map([[path, text]]))).toHaveLength(1);
  });

  test.each([`a networking/${"work"}/item`, "methods and todos", "hacksaw"])(
    "are not in %s",
    (text) => {
      expect(bannedWordProblems(new Map([["docs/a.md", text]]))).toEqual([]);
    },
  );

  test.each(["src/compat/forms.ts", "src/window/a.test.ts", "docs/a.md", "test/a.ts"])(
    "name other systems only where they may: %s",
    (path) => {
      expect(bannedWordProblems(new Map([[path, "selectools"]]))).toEqual([]);
    },
  );
});

describe("titles", () => {
  test("stand once in each document; comments in code do not count", () => {
    const fine = "# Title\n\n```bash\n# a comment\nls\n```\n\n## Part\n";
    expect(titleProblems(new Map([["README.md", fine]]))).toEqual([]);
    expect(titleProblems(new Map([["README.md", "# A\n\n# B\n"]]))).toHaveLength(1);
    expect(titleProblems(new Map([["docs/a.md", "## A\n"]]))).toHaveLength(1);
  });
});
