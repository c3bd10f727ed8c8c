// Rules of a release: one version everywhere, a changelog, and licenses that allow to pass it on.

import { INTEGRATIONS, integrationFolder } from "../package/integrations.ts";
import { PYTHON_INTEGRATIONS } from "../package/python.ts";
import type { LockedPackage } from "../package/server-app.ts";

/** A file that holds the version of the project. */
export interface VersionFile {
  readonly path: string;
  /** Matches the version, in its first group. */
  readonly pattern: RegExp;
}

const MANIFEST = /^ {2}"version": "([^"]+)"/m;
const TOML = /^version = "([^"]+)"/m;

/** Every file that names the version. */
export const VERSION_FILES: readonly VersionFile[] = [
  { path: "package.json", pattern: MANIFEST },
  { path: "package-lock.json", pattern: MANIFEST },
  { path: "clients/typescript/package.json", pattern: MANIFEST },
  ...INTEGRATIONS.flatMap((name) =>
    ["package.json", "package-lock.json"].map((file) => {
      return { path: `${integrationFolder(name)}/${file}`, pattern: MANIFEST };
    }),
  ),
  { path: "packaging/mcp/server.json", pattern: MANIFEST },
  { path: "packaging/mcp/server.json", pattern: /^ {6}"version": "([^"]+)"/m },
  { path: "src/version.ts", pattern: /VERSION = "([^"]+)"/ },
  { path: "clients/python/pyproject.toml", pattern: TOML },
  { path: "clients/python/pyproject.toml", pattern: /"memory-sidecar-server==([^"]+)"/ },
  { path: "clients/python/src/memorysidecar/_channel.py", pattern: /VERSION: Final = "([^"]+)"/ },
  { path: "packaging/python/pyproject.toml", pattern: TOML },
  ...PYTHON_INTEGRATIONS.map((folder) => ({ path: `${folder}/pyproject.toml`, pattern: TOML })),
  { path: "clients/rust/Cargo.toml", pattern: TOML },
  { path: "clients/rust/Cargo.lock", pattern: /name = "memory-sidecar"\nversion = "([^"]+)"/ },
  { path: "clients/go/memorysidecar/client.go", pattern: /\bversion += "([^"]+)"/ },
  {
    path: "clients/java/pom.xml",
    pattern: /memory-sidecar-client<\/artifactId>\s*<version>([^<]+)</,
  },
  {
    path: "clients/java/src/main/java/io/memorysidecar/client/MemorySidecar.java",
    pattern: /VERSION = "([^"]+)"/,
  },
];

/** Names files whose version differs from that of package.json. */
export function versionProblems(version: string, read: (path: string) => string): string[] {
  return VERSION_FILES.flatMap(({ path, pattern }) => {
    const found = pattern.exec(read(path))?.[1];
    if (found === version) return [];
    return [`${path}: its version is ${found ?? "missing"}, that of package.json ${version}`];
  });
}

/** Names what the changelog lacks for a release of a version. */
export function changelogProblems(version: string, changelog: string): string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) return [`CHANGELOG.md: lacks the section "## ${version}"`];
  const [, ...lines] = section.trim().split("\n");
  return lines.length === 0 ? [`CHANGELOG.md: the section "## ${version}" is empty`] : [];
}

/** Licenses that allow to pass a package on inside of ours, with its license file. */
const ALLOWED = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD"];

/** Names packages whose license is not on the list. */
export function licenseProblems(packages: readonly LockedPackage[]): string[] {
  return packages
    .filter(({ license }) => {
      const parts = license.replace(/[()]/g, "").split(" AND ");
      return !parts.every((part) => ALLOWED.includes(part));
    })
    .map(({ name, version, license }) => {
      const said = license === "" ? "no license" : `the license ${license}`;
      return `${name} ${version} has ${said}; allowed are ${ALLOWED.join(", ")}`;
    });
}
