// Rules for package manifests, lock files and the list of dependencies.

/** The part of package.json that the checks read. */
export interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

/** A version, that of a package under another name, or a folder of this repository. */
const EXACT = /^((npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?|file:[./]+)$/;

/** Names versions that are ranges: a commit must always build the same program. */
export function rangeProblems(path: string, manifest: Manifest): string[] {
  const lists = [
    manifest.dependencies,
    manifest.devDependencies,
    manifest.optionalDependencies,
    manifest.overrides,
  ];
  return lists
    .flatMap((list) => Object.entries(list ?? {}))
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${path}: ${name} is ${version}; write one exact version`);
}

/** Names lock files with download addresses: each machine has its own registry. */
export function addressProblems(path: string, lock: string): string[] {
  const count = lock.match(/"resolved": "(?!clients\/|\.\.\/)|https?:\/\/[^"]*\.tgz/g)?.length ?? 0;
  return count === 0
    ? []
    : [`${path}: ${count} download addresses; keep .npmrc and run npm install`];
}

/** Names dependencies that docs/dependencies.md does not list with their version. */
export function documentProblems(manifest: Manifest, document: string): string[] {
  const all = { ...manifest.dependencies, ...manifest.devDependencies };
  const missing = Object.entries({ ...all, ...manifest.optionalDependencies })
    .filter(([name, version]) => !document.includes(`| \`${name}\` | ${version} |`))
    .map(([name, version]) => `docs/dependencies.md: lacks a line for ${name} ${version}`);
  const listed = [...document.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name ?? "");
  const known = new Set([...Object.keys(all), ...Object.keys(manifest.optionalDependencies ?? {})]);
  const gone = listed
    .filter((name) => !known.has(name))
    .map((name) => `docs/dependencies.md: ${name} is no dependency`);
  return [...missing, ...gone];
}

/** The requirements of an integration of the Python client. */
export interface PythonRequirements {
  /** Its pyproject.toml, whose first dependency is the framework. */
  readonly manifest: string;
  /** The pinned newest versions. */
  readonly newest: string;
  /** The pinned lowest versions, when it has such a file. */
  readonly lowest: string | undefined;
}

/** Names a range whose lowest version no test runs with. */
export function lowestProblems(path: string, given: PythonRequirements): string[] {
  const [, framework, version = ""] =
    /^dependencies = \["([\w.-]+)(?:\[\w+\])?>=([\d.]+)/m.exec(given.manifest) ?? [];
  const pinned = (text: string): string | undefined =>
    new RegExp(`^${framework}==([\\w.]+)`, "m").exec(text)?.[1];
  const newest = pinned(given.newest);
  const isOne = newest === undefined || newest === version || newest === `${version}.0`;
  const tested = given.lowest === undefined ? undefined : pinned(given.lowest);
  if (isOne && given.lowest === undefined) return [];
  if (isOne) return [`${path}: delete it; the lowest version is the newest`];
  return tested === version ? [] : [`${path}: pin ${framework}==${version}, not ${tested}`];
}
