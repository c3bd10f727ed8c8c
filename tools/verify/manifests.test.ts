import { describe, expect, test } from "vitest";
import { addressProblems, documentProblems, lowestProblems, rangeProblems } from "./manifests.ts";

describe("manifests", () => {
  test("have exact versions only", () => {
    const manifest = {
      dependencies: { a: "1.2.3" },
      devDependencies: { b: "^1.2.3", c: "latest" },
    };
    expect(rangeProblems("package.json", manifest)).toHaveLength(2);
    expect(rangeProblems("package.json", { dependencies: { a: "1.2.3-rc.1" } })).toEqual([]);
    const own = { lowest: "npm:@a/b-c@1.2.3", client: "file:../.." };
    expect(rangeProblems("package.json", { devDependencies: own })).toEqual([]);
    const wide = { lowest: "npm:@a/b-c@^1.2.3", client: "file:../../else" };
    expect(rangeProblems("package.json", { devDependencies: wide })).toHaveLength(2);
  });

  test("have lock files without addresses", () => {
    expect(addressProblems("package-lock.json", '{"resolved": "x"}')).toHaveLength(1);
    const link = '{"resolved": "clients/typescript", "link": true}';
    expect(addressProblems("package-lock.json", link)).toEqual([]);
    expect(addressProblems("package-lock.json", '{"resolved": "../..", "link": true}')).toEqual([]);
    expect(addressProblems("package-lock.json", '{"integrity": "sha512-x"}')).toEqual([]);
  });

  test("are told in the list of dependencies, and nothing else is", () => {
    const manifest = { dependencies: { lmdb: "3.5.6" } };
    expect(documentProblems(manifest, "| `lmdb` | 3.5.6 | the store |")).toEqual([]);
    expect(documentProblems(manifest, "| `lmdb` | 3.5.5 | the store |")).toHaveLength(1);
    expect(documentProblems({}, "| `lmdb` | 3.5.6 | the store |")).toHaveLength(1);
  });

  test("pin the lowest version of a framework, unless it is the newest", () => {
    const problems = (lowest: string | undefined, newest = "a-core==1.8.3 \\\n"): string[] =>
      lowestProblems("requirements-lowest.txt", {
        ...{ manifest: 'dependencies = ["a-core[x]>=1.4,<2", "memory-sidecar"]', newest, lowest },
      });
    expect(problems("a-core==1.4 \\\n")).toEqual([]);
    expect(problems("a-core==1.5 \\\n")).toHaveLength(1);
    expect(problems("a-core-x==1.4 \\\n")).toHaveLength(1);
    expect(problems(undefined)).toHaveLength(1);
    expect(problems(undefined, "a-core==1.4.0 \\\n")).toEqual([]);
    expect(problems("a-core==1.4 \\\n", "a-core==1.4.0 \\\n")).toHaveLength(1);
    expect(problems(undefined, "other==1.4.0 \\\n")).toEqual([]);
  });
});
