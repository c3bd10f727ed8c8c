// The clients for Python and TypeScript are alike: the same methods under the same names, in the
// spelling of each language.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemorySidecar } from "../../clients/typescript/src/client.ts";
import { ROOT } from "../../tools/process.ts";

const CLIENT = join(ROOT, "clients/python/src/memorysidecar/_sync");

const PROGRAM = `
import ast, pathlib, sys
names = set()
for path in pathlib.Path(sys.argv[1]).glob("*.py"):
    for kind in ast.parse(path.read_text()).body:
        if isinstance(kind, ast.ClassDef) and kind.name.endswith(("Client", "Methods", "Calls")):
            names |= {one.name for one in kind.body if isinstance(one, ast.FunctionDef)}
print(*sorted(name for name in names if not name.startswith("_")))
`;

/** The public methods of the Python client, by its source. */
function pythonMethods(): string[] {
  const output = execFileSync("python3", ["-c", PROGRAM, CLIENT], { encoding: "utf8" });
  return output.trim().split(" ");
}

/** Helpers of the base class that are not for callers. */
const INNER: ReadonlySet<string> = new Set([
  ...["constructor", "call", "stream", "at", "session", "change"],
]);

function typeScriptMethods(): string[] {
  const names = new Set<string>();
  let kind: object = MemorySidecar.prototype;
  while (kind !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(kind)) names.add(name);
    kind = Object.getPrototypeOf(kind);
  }
  return [...names].filter((name) => !INNER.has(name));
}

test("both clients have the same methods", () => {
  const camel = (name: string): string =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const ours = typeScriptMethods().sort();
  expect(ours).toEqual(pythonMethods().map(camel).sort());
  expect(ours.length).toBeGreaterThan(90);
});
