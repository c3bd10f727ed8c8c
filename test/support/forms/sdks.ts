// The SDKs that judge the message forms: fetched when a test needs them, never part of a package.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The folder whose `node_modules` has them. */
export const SDKS = join(import.meta.dirname, "../../model-types");

/** Installs them unless they are there as the lock file names them. */
export function installSdks(): void {
  const lock = readFileSync(join(SDKS, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const stamp = join(SDKS, "node_modules/.made-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  execFileSync("npm", ["ci", "--ignore-scripts", "--silent"], { cwd: SDKS });
  writeFileSync(stamp, hash);
}
