import { describe, expect, test } from "vitest";
import { commentProblems } from "./comments.ts";

const problems = (path: string, text: string): string[] => commentProblems(new Map([[path, text]]));

// Split, so that the rule does not find its own examples.
const W = "Wh" + "at";
const H = "Ho" + "w";

describe("a comment that opens with the wrong word", () => {
  test.each([
    ["src/a/b.ts", `// ${W} a stage needs.`],
    ["src/a/b.ts", `let a;\n  /** ${W} is kept. */`],
    ["src/a/b.ts", `/**\n * ${W}ever is kept.\n */`],
    ["src/a/b.ts", `f(); // ${W} is kept.`],
    ["src/a/b.ts", `// ${H} many there are.`],
    ["proto/a/b.proto", `  // ${W} it costs.\n  int32 cost = 1;`],
    ["proto/a/b.proto", `  // ${H} many there are.\n  int32 count = 1;`],
    ["clients/python/a.py", `"""${W} callers see."""`],
    ["clients/python/a.py", `x = 1\n# ${W} callers see.`],
    ["clients/python/a.py", `"""${H} callers see it."""`],
  ])("is found in %s: %j", (path, text) => {
    expect(problems(path, text)).toHaveLength(1);
  });

  test.each([
    ["src/a/b.ts", "// Input of a stage, and what it keeps."],
    ["src/a/b.ts", `// The stage keeps the rest.\n// ${W} it removes is gone.`],
    ["src/a/b.ts", `/** The rest.\n * ${W} it removes is gone. */`],
    ["src/a/b.ts", `const heading = "#### ${W} I remember";`],
    ["src/gen/b.ts", `// ${W} is generated.`],
    ["docs/a.md", `# ${W} it does`],
    ["src/a/b.ts", `// ${W}soever.`],
  ])("is not seen in %s: %j", (path, text) => {
    expect(problems(path, text)).toEqual([]);
  });
});
