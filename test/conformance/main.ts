// `npm run conformance`: runs the conformance suite of the storage interface on every engine and
// says in the last line how many of its tests passed and failed. Exits with 1 when one failed, and
// with 2 when it is called wrongly.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { makeTempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SUITES = ["test/storage/memory.test.ts", "test/storage/lmdb.test.ts"];

/** What of vitest's JSON report is needed. */
interface Report {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly numFailedTestSuites: number;
}

/** The entry of the installed vitest, which needs no shell and no search path. */
function vitestEntry(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("vitest/package.json")), "vitest.mjs");
}

/** Runs the suites; gives the exit status. */
async function runSuites(): Promise<number> {
  await using directory = await makeTempDir();
  const output = join(directory.path, "report.json");
  const flags = ["--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
  const run = spawnSync(process.execPath, [vitestEntry(), "run", ...flags, ...SUITES], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const report = JSON.parse(readFileSync(output, "utf8")) as Report;
  const failed = report.numTotalTests - report.numPassedTests;
  // A suite that cannot be loaded has no tests to count, and must not look like success.
  const broken = run.status !== 0 || report.numPassedTests === 0;
  console.log(`${report.numPassedTests} passed, ${broken ? Math.max(1, failed) : failed} failed`);
  return failed > 0 || broken ? 1 : 0;
}

/** Runs the command with its arguments; gives the exit status. */
async function main(files: readonly string[]): Promise<number> {
  if (files.length === 0) return await runSuites();
  console.error(
    "conformance: case files are not supported yet: they come with the policy language. " +
      "Run it without an argument for the conformance suite of the storage.",
  );
  return 2;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
