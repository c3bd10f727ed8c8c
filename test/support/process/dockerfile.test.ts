import { expect, test } from "vitest";
import { inContext, parseDockerfile } from "./dockerfile.ts";

test("reads stages, flags and lines that go on", () => {
  const [build, last] = parseDockerfile(
    "# note\nFROM a:1 AS build\nRUN x \\\n  && y\n\nFROM b:2\nCOPY --from=build /app/z z\n",
  );
  expect(build?.name).toBe("build");
  expect(build?.instructions[0]?.text).toBe("x && y");
  expect(last?.base).toBe("b:2");
  expect(last?.instructions[0]?.flags.get("from")).toBe("build");
  expect(last?.instructions[0]?.text).toBe("/app/z z");
});

test.each([
  ["src/a.ts", true],
  ["src/deep/a.ts", true],
  ["src/deep/a.test.ts", false],
  ["secret.txt", false],
  ["clients/python/a.py", false],
  ["clients/typescript/package.json", true],
])("lets %s into the context: %s", (path, expected) => {
  const ignore = "# note\n*\n!src\n!clients/typescript/package.json\n**/*.test.ts\n";
  expect(inContext(path, ignore)).toBe(expected);
});
