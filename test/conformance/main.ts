// `npm run conformance`: checks that the server behaves as it must.
//
//   npm run conformance                      the suite of the storage interface, on every engine
//   npm run conformance -- FILE              the cases of a file, against a real server over gRPC
//   npm run conformance -- FILE --family a,b only the cases of these families
//   npm run conformance -- FILE --all        all of them, as without it
//
// A line for each field of a configuration that the server did not get says why, and one for each
// ability that is not offered names the cases that need it. The last line says how many cases
// passed and failed. Exits with 1 when one failed or none ran, and with 2 when it is
// called wrongly.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { type Case, familyOf, readCases } from "./cases.ts";
import { CaseFault } from "./json.ts";
import {
  failureText,
  familyLines,
  isFailed,
  leftOutLines,
  notOfferedLines,
  totalLine,
} from "./report.ts";
import { runCases } from "./runner.ts";
import { startCaseServer } from "./server.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SUITES = ["test/storage/memory.test.ts", "test/storage/lmdb.test.ts"];
const USAGE = "usage: npm run conformance -- [FILE [--family NAME,NAME | --all]]";

/** The part of vitest's JSON report that this program reads. */
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

/** Families of the cases to run; all unless some are named. */
type Families = readonly string[] | undefined;

function isChosen(kase: Case, families: Families): boolean {
  return families === undefined || families.includes(familyOf(kase));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CaseFault(error instanceof Error ? error.message : String(error));
  }
}

/** Runs the cases of a file against a server; gives the exit status. */
async function runFile(path: string, families: Families): Promise<number> {
  const cases = readCases(readText(path));
  const chosen = cases.filter((kase) => isChosen(kase, families));
  await using server = await startCaseServer();
  const results = await runCases(server.connection, chosen, (result) => {
    const text = failureText(result);
    if (text !== "") console.log(`${text}\n`);
  });
  console.log(familyLines(results, ({ kase }) => familyOf(kase)).join("\n"));
  for (const line of leftOutLines(results)) console.log(line);
  for (const line of notOfferedLines(results)) console.log(line);
  if (chosen.length < cases.length)
    console.log(`${cases.length - chosen.length} of other families`);
  console.log(totalLine(results));
  const failed = results.some(isFailed);
  return failed || results.length === 0 ? 1 : 0;
}

/** Runs the command with its arguments; gives the exit status. */
async function main(args: readonly string[]): Promise<number> {
  const options = { family: { type: "string" }, all: { type: "boolean", default: false } } as const;
  let parsed: ReturnType<typeof parse>;
  function parse() {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  }
  try {
    parsed = parse();
  } catch (error) {
    console.error(`conformance: ${error instanceof Error ? error.message : error}\n${USAGE}`);
    return 2;
  }
  const { positionals, values } = parsed;
  const [file, ...rest] = positionals;
  const isWrong = rest.length > 0 || (values.family !== undefined && values.all);
  if (isWrong || (file === undefined && args.length > 0)) {
    console.error(USAGE);
    return 2;
  }
  if (file === undefined) return await runSuites();
  try {
    return await runFile(file, values.family?.split(","));
  } catch (error) {
    if (!(error instanceof CaseFault)) throw error;
    console.error(`conformance: ${file}: ${error.message}`);
    return 2;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
