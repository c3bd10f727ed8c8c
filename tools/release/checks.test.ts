import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rootManifest, runtimePackages } from "../package/server-app.ts";
import { ROOT } from "../process.ts";
import { changelogProblems, licenseProblems, VERSION_FILES, versionProblems } from "./checks.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("a release", () => {
  test("has one version in every file of this repository", () => {
    expect(versionProblems(rootManifest().version, read)).toEqual([]);
  });

  test("names each file with another version, and one without", () => {
    const { version } = rootManifest();
    const other = (path: string) => read(path).replaceAll(version, "9.9.9");
    expect(versionProblems(version, other)).toHaveLength(VERSION_FILES.length);
    expect(versionProblems(version, () => "")[0]).toContain("its version is missing");
  });

  test("needs a section of the changelog that says something", () => {
    const changelog =
      "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.0 (2026-11-24)\n\n- x\n\n## 1.1.0\n";
    expect(changelogProblems("1.2.0", changelog)).toEqual([]);
    expect(changelogProblems("1.1.0", changelog)[0]).toContain("is empty");
    expect(changelogProblems("1.2", changelog)[0]).toContain('lacks the section "## 1.2"');
  });

  test("contains only packages that it may pass on", () => {
    const packages = runtimePackages();
    expect(packages.length).toBeGreaterThan(40);
    expect(licenseProblems(packages)).toEqual([]);
    const [one] = packages;
    if (one === undefined) throw new Error("no package");
    for (const license of ["GPL-3.0", "", "(MIT AND GPL-3.0)"]) {
      expect(licenseProblems([{ ...one, license }])).toHaveLength(1);
    }
  });
});
