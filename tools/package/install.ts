// Packages of npm that tests fetch when they need them: never part of `npm ci`. As a program it
// installs those of the folder that its argument names.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs what a folder's lock file names into its `node_modules`, unless it is there. Throws when
 * npm cannot.
 */
export function installPackages(folder: string): void {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const stamp = join(folder, "node_modules/.made-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  const args = ["ci", "--ignore-scripts", "--silent"];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(stamp, hash);
}

const [folder] = process.argv.slice(2);
if (import.meta.main && folder !== undefined) installPackages(folder);
