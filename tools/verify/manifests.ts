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
