// Runs the build tools of other languages.

import { spawnSync } from "node:child_process";
import { ROOT, type RunOptions, run } from "../../tools/process.ts";

const LIMIT_MS = 15 * 60_000;
const OUTPUT_CHARS = 10_000;

/**
 * Whether to leave a language out: when one of its programs is missing, and that is said. With
 * CI=true nothing is left out, so that a missing program is a failure.
 */
export function isMissing(language: string, ...programs: readonly string[]): boolean {
  if (process.env["CI"] === "true") return false;
  const missing = programs.filter((program) => spawnSync(program, ["--help"]).error !== undefined);
  if (missing.length === 0) return false;
  console.warn(`SKIPPED ${language}: there is no ${missing.join(", no ")}`);
  return true;
}

/** Runs a program from the root of the repository; throws with its output unless it ends well. */
export async function build(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const result = await run(program, args, {
    cwd: ROOT,
    limitMs: LIMIT_MS,
    quiet: true,
    ...options,
  });
  const { code, output, timedOut, leftProcesses } = result;
  if (code === 0 && !leftProcesses) return output;
  const end = timedOut ? "took too long" : `ended with ${code}`;
  const left = leftProcesses ? ", and left processes behind" : "";
  throw new Error(`${program} ${args.join(" ")} ${end}${left}\n${output.slice(-OUTPUT_CHARS)}`);
}
