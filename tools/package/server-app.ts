// The server as packages ship it: the build, the contract and the packages of its run time, without
// what no server loads. The packages come from node_modules, so they are those of the lock file.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../process.ts";
import { buildPart } from "./build-part.ts";

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

/** The fields of package.json that packages take over. */
export interface RootManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** A package of the lock file. */
export interface LockedPackage {
  /** Its folder, for example `node_modules/pino`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
  /** Whether only some machines have it, for example a binary. */
  readonly isOptional: boolean;
}

/** Platforms with a prebuilt binary of LMDB on which the server can run. */
export const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;
/** An operating system and a processor, in the words of Node. */
export type Platform = (typeof PLATFORMS)[number];

/** Reads package.json. */
export function rootManifest(): RootManifest {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as RootManifest;
}

/** The packages that a server needs, binaries included; types are not needed at run time. */
export function runtimePackages(): LockedPackage[] {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional, link }]) => {
      return folder.startsWith("node_modules/") && !dev && !devOptional && !link;
    })
    .map(([folder, { version = "", license = "", integrity = "", optional = false }]) => {
      const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
      return { folder, name, version, license, integrity, isOptional: optional };
    })
    .filter(({ name }) => !/^(@types\/|undici-types$)/.test(name));
}

/** The package with the binary of LMDB for a platform. */
export function lmdbBinary(platform: Platform): LockedPackage {
  const found = runtimePackages().find(({ name }) => name === `@lmdb/lmdb-${platform}`);
  if (found === undefined) throw new Error(`package-lock.json has no LMDB for ${platform}`);
  return found;
}

/** Sources, types and maps; native code is prebuilt. */
const UNUSED_FILE = /\.(map|[cm]?ts|c|cc|cpp|h|gyp)$/;
const UNUSED_FOLDER = /^(bench|benchmarks?|docs|examples?|tests?)$/;
/** By package: the same code for `require`, the sources, and tables for other uses. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  "gpt-tokenizer": ["cjs", "src", "data"],
  zod: ["src", "v3", "mini", "v4-mini"],
  lmdb: ["dependencies/lmdb-data-v1", "dependencies/lz4", "src"],
};

function isUsed({ name, folder }: LockedPackage, path: string): boolean {
  const inside = path.slice(join(ROOT, folder).length + 1);
  if (/licen[cs]e|notice|copying/i.test(basename(path))) return true;
  // Packages inside of a package are packages of the lock file themselves.
  if (inside === "node_modules") return false;
  return !(
    UNUSED_FILE.test(path) ||
    UNUSED_FOLDER.test(inside) ||
    UNUSED[name]?.includes(inside) === true
  );
}

/** Removes what npm would act on: install scripts, and packages that are not here. */
function tameManifest(path: string): void {
  const kept: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
  for (const key of ["scripts", "optionalDependencies", "devDependencies", "bin"]) delete kept[key];
  const dependencies = Object.entries((kept["dependencies"] as object | undefined) ?? {});
  kept["dependencies"] = Object.fromEntries(
    dependencies.filter(([name]) => !name.startsWith("@types/")),
  );
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`);
}

/** Makes the server in a folder: `dist`, `proto`, `node_modules` and the license. */
export function stageServer(folder: string): void {
  mkdirSync(join(folder, "proto"), { recursive: true });
  if (!buildPart("server", join(folder, "dist"))) throw new Error("the server does not compile");
  for (const file of ["LICENSE", "proto/image.binpb"]) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  for (const locked of runtimePackages()) {
    if (locked.isOptional) continue;
    const target = join(folder, locked.folder);
    cpSync(join(ROOT, locked.folder), target, {
      recursive: true,
      filter: (path) => isUsed(locked, path),
    });
    tameManifest(join(target, "package.json"));
  }
}
