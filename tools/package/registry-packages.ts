// Fetches packages of the lock file for other platforms, and packs folders, through npm.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../process.ts";
import type { LockedPackage } from "./server-app.ts";

/** Runs `npm pack`; gives the path of the archive in the folder `target`. */
export async function pack(
  cwd: string,
  target: string,
  ...words: readonly string[]
): Promise<string> {
  mkdirSync(target, { recursive: true });
  const args = ["pack", "--json", "--pack-destination", target, ...words];
  const { code, output } = await run("npm", args, { cwd, quiet: true });
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`);
  const filename = /^ {2,}"filename": "([^"]+)"/m.exec(output)?.[1];
  if (filename === undefined) throw new Error(`npm pack named no archive:\n${output}`);
  return join(target, filename);
}

/** Fetches a package into a folder and checks its pinned digest; gives its folder. */
export async function fetchPackage(
  wanted: Pick<LockedPackage, "integrity" | "name" | "version">,
  folder: string,
): Promise<string> {
  const { name, version, integrity } = wanted;
  mkdirSync(folder, { recursive: true });
  const archive = await pack(folder, folder, `${name}@${version}`);
  const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (`sha512-${digest}` !== integrity) {
    throw new Error(`${name} ${version} of the registry is not the one that is pinned`);
  }
  const { code, output } = await run("tar", ["-xzf", archive], { cwd: folder, quiet: true });
  if (code !== 0) throw new Error(output);
  return join(folder, "package");
}
