// What is banned stands here in strings that the rules themselves do not match.

import { describe, expect, it } from "vitest";
import { bannedCodeProblems, bannedWordProblems, titleProblems } from "./banned.ts";

const code = (path: string, text: string): string[] =>
  bannedCodeProblems(new Map([[path, text]]), {});

describe("banned code", () => {
  it.each([
    ["src/service/a.ts", "Date.now();"],
    ["src/service/a.ts", "new Date();"],
    ["src/service/a.ts", "performance.now();"],
    ["src/service/a.ts", "Math.random();"],
    ["src/service/a.ts", "console.log(1);"],
    ["src/service/a.ts", "process.exit(1);"],
    ["src/service/a.ts", "process.env.X;"],
    ["clients/typescript/src/a.ts", "console.log(1);"],
    ["src/domain/a.ts", "setTimeout(f, 1);"],
    ["src/domain/a.ts", "crypto.randomUUID();"],
    ["src/domain/a.ts", "process.pid;"],
    ["src/a.ts", "let x: a[] | any;"],
    ["test/a.ts", "export default 1;"],
    ["test/a.test.ts", "it.only('x', f);"],
    ["test/a.test.ts", "describe.skip('x', f);"],
  ])("is found in %s: %s", (path, text) => {
    expect(code(path, text)).toHaveLength(1);
  });

  it.each([
    ["src/service/a.ts", "new Date(ms);"],
    ["src/service/a.ts", "clock.now(); // Date.now() would be wrong here, any day"],
    ["src/lib/clock.ts", "Date.now();"],
    ["test/a.ts", "console.log(Date.now());"],
    ["src/domain/a.ts", "const timeout = limits.process;"],
    ["test/a.test.ts", "it.runIf(x)('x', f);"],
  ])("is not seen in %s: %s", (path, text) => {
    expect(code(path, text)).toEqual([]);
  });

  it("may stand where an exception names it, and an unused exception is a problem", () => {
    const allowed = { clock: [{ path: "src/a.ts", reason: "for the test" }] };
    expect(bannedCodeProblems(new Map([["src/a.ts", "Date.now();"]]), allowed)).toEqual([]);
    expect(bannedCodeProblems(new Map([["src/a.ts", ""]]), allowed)).toHaveLength(1);
  });
});

describe("banned words", () => {
  it.each([
    ["src/a.ts", `// ${"TO"}${"DO"}: later`],
    ["src/a.ts", `// ${"FIX"}${"ME"}`],
    ["proto/a.proto", `// ${"XX"}${"X"}`],
    ["src/a.ts", `// @ts-${"ignore"}`],
    ["docs/a.md", `cd /${"work"}/main`],
    ["docs/a.md", `/${"home"}/somebody/x`],
    [".ci/run", `--index-url https://${"pypi"}.org/simple`],
    ["package-lock.json", `"https://registry.${"npmjs"}.org/x"`],
  ])("are found in %s: %s", (path, text) => {
    expect(bannedWordProblems(new Map([[path, text]]))).toHaveLength(1);
  });

  it.each([`a networking/${"work"}/item`, "methods and todos", "hacksaw"])(
    "are not in %s",
    (text) => {
      expect(bannedWordProblems(new Map([["docs/a.md", text]]))).toEqual([]);
    },
  );
});

describe("titles", () => {
  it("stand once in each document; comments in code do not count", () => {
    const fine = "# Title\n\n```bash\n# a comment\nls\n```\n\n## Part\n";
    expect(titleProblems(new Map([["README.md", fine]]))).toEqual([]);
    expect(titleProblems(new Map([["README.md", "# A\n\n# B\n"]]))).toHaveLength(1);
    expect(titleProblems(new Map([["docs/a.md", "## A\n"]]))).toHaveLength(1);
  });
});
