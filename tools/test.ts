// `npm test`: runs every test of every language and ends with one line that counts them.
//
//   npm test                  everything
//   npm test -- unit python   only the named stages
//
// What tests need beside `npm ci` is set up here. Where the machine cannot have it, the tests that
// need it are skipped and said so; with CI=true that is a failure.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, type RunResult, run, secondsSince } from "./process.ts";
import {
  type Counts,
  countJunit,
  countVitest,
  isGood,
  NONE,
  type Outcome,
  slowTests,
  stageLine,
  totalLine,
} from "./test/results.ts";
import { STAGES, type Stage, sortIntoStages } from "./test/stages.ts";

const SLOW_MS = 5_000;
const PYTHON_CLIENT = join(ROOT, "clients/python");
const inCi = process.env["CI"] === "true";
const scratch = mkdtempSync(join(tmpdir(), "memory-sidecar-test-"));
const slow: string[] = [];

function testFiles(): string[] {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.test.ts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return [...new Set(list.split("\n"))].filter(
    (path) => path !== "" && existsSync(join(ROOT, path)),
  );
}

/** What a runner that ended left behind, as counts and trouble. */
function judge(result: RunResult, report: string, count: (text: string) => Counts) {
  const counts = existsSync(report) ? count(readFileSync(report, "utf8")) : NONE;
  const nothing = counts.passed + counts.failed + counts.skipped === 0;
  let trouble: string | undefined;
  if (result.timedOut) trouble = "took too long and was stopped";
  else if (!existsSync(report)) trouble = "the runner crashed";
  else if (nothing) trouble = "no test ran";
  else if (result.code !== 0 && counts.failed === 0)
    trouble = `the runner ended with ${result.code}`;
  else if (result.leftProcesses) trouble = "left processes behind";
  return { ...counts, ...(trouble === undefined ? {} : { trouble }) };
}

async function runVitest(stage: Stage, files: readonly string[]): Promise<Outcome> {
  const report = join(scratch, `${stage.name}.json`);
  const start = performance.now();
  const result = await run(
    process.execPath,
    [
      ...[join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...files],
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
      ...[`--maxWorkers=${stage.workers}`],
    ],
    { limitMs: stage.limitMinutes * 60_000 },
  );
  const outcome = judge(result, report, countVitest);
  if (existsSync(report)) slow.push(...slowTests(readFileSync(report, "utf8"), SLOW_MS));
  return { name: stage.name, seconds: secondsSince(start), ...outcome };
}

/** Makes the environment of the Python client; gives the reason when it cannot. */
async function setUpPython(): Promise<string | undefined> {
  const { code } = await run("sh", ["setup.sh"], { cwd: PYTHON_CLIENT, limitMs: 300_000 });
  return code === 0 ? undefined : "clients/python/setup.sh failed; see above";
}

async function runPython(missing: string | undefined): Promise<Outcome> {
  const start = performance.now();
  if (missing !== undefined) {
    const fault = inCi ? { trouble: missing } : { skipReason: missing };
    return { name: "python", seconds: 0, ...NONE, ...fault };
  }
  const report = join(scratch, "python.xml");
  const result = await run(
    join(PYTHON_CLIENT, ".venv/bin/python"),
    ["-m", "pytest", `--junitxml=${report}`],
    { cwd: PYTHON_CLIENT, limitMs: 600_000 },
  );
  return { name: "python", seconds: secondsSince(start), ...judge(result, report, countJunit) };
}

async function runStages(wanted: ReadonlySet<string>): Promise<Outcome[]> {
  const isWanted = (name: string): boolean => wanted.size === 0 || wanted.has(name);
  const needsPython = ["e2e", "docs", "python"].some(isWanted);
  const missing = needsPython ? await setUpPython() : undefined;
  const outcomes: Outcome[] = [];
  for (const { stage, files } of sortIntoStages(testFiles())) {
    if (!isWanted(stage.name)) continue;
    console.log(`\n== ${stage.name}`);
    outcomes.push(await runVitest(stage, files));
  }
  if (isWanted("python")) {
    console.log("\n== python");
    outcomes.push(await runPython(missing));
  }
  return outcomes;
}

async function main(): Promise<void> {
  const wanted = new Set(process.argv.slice(2));
  const known = [...STAGES.map(({ name }) => name), "python"];
  const unknown = [...wanted].filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`unknown stage: ${unknown.join(", ")}; there are ${known.join(", ")}`);
    process.exitCode = 2;
    return;
  }
  const start = performance.now();
  const outcomes = await runStages(wanted);
  if (slow.length > 0) console.log(`\nslow tests\n  ${slow.join("\n  ")}`);
  console.log(`\n${outcomes.map(stageLine).join("\n")}`);
  console.log(`in ${secondsSince(start).toFixed(0)} s\n`);
  console.log(totalLine(outcomes));
  if (!isGood(outcomes)) process.exitCode = 1;
}

try {
  await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
