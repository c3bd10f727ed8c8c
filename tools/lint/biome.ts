// Runs biome, which only verify and fix need. `npm ci` does not install its 65 MB.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, type RunOptions, type RunResult, run } from "../process.ts";

const FOLDER = import.meta.dirname;
const INSTALLED = join(FOLDER, "node_modules/@biomejs/biome/package.json");

function isInstalled(): boolean {
  if (!existsSync(INSTALLED)) return false;
  const { version } = JSON.parse(readFileSync(INSTALLED, "utf8")) as { version: string };
  return readFileSync(join(FOLDER, "package.json"), "utf8").includes(`biome": "${version}"`);
}

/** Runs biome in the repository root, and installs it first if needed. Throws when it cannot. */
export async function runBiome(args: readonly string[], options: RunOptions): Promise<RunResult> {
  if (!isInstalled()) {
    const { code, output } = await run("npm", ["ci", "--ignore-scripts"], {
      ...{ cwd: FOLDER, quiet: true },
    });
    if (code !== 0) throw new Error(`npm ci in tools/lint failed:\n${output}`);
  }
  return await run(join(FOLDER, "node_modules/.bin/biome"), args, { ...options, cwd: ROOT });
}
