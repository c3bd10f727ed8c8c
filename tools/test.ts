// `npm test`: runs every test of every language and ends with one line that counts them.
//
//   npm test                  everything
//   npm test -- unit python   only the named stages
//   npm run test:deep         the same with five times the random rounds; TEST_DEPTH sets how many
//
// A run that is stopped, by its limit or by a signal, reports what had passed.
//
// What tests need beside `npm ci` is set up here. Where the machine cannot have it, the tests that
// need it are skipped and said so; with CI=true that is a failure.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { integrationFolder } from "./package/integrations.ts";
import { ROOT, type RunResult, run, secondsSince } from "./process.ts";
import { type Job, runInLanes } from "./test/lanes.ts";
import {
  type Counts,
  countJunit,
  countStream,
  isGood,
  NONE,
  type Outcome,
  readStream,
  slowTests,
  stageLine,
  testsIn,
  totalLine,
} from "./test/results.ts";
import { bundleServer } from "./test/server-bundle.ts";
import { STAGES, type Stage, sortIntoStages } from "./test/stages.ts";

const SLOW_MS = 5_000;
/**
 * Stages that run at the same time. Many tests wait for disks and timers, and leave the cores to
 * those of another stage.
 */
const LANES = 2;
const PYTHON_CLIENT = join(ROOT, "clients/python");
const TESTS = join(PYTHON_CLIENT, "tests");
const INSTALL = join(ROOT, "tools/package/install.ts");
/** Integrations of the Python client, each a stage with an environment of its own. */
const INTEGRATIONS = readdirSync(join(PYTHON_CLIENT, "integrations"));
const LOWEST = "-lowest";
/** Stages of integrations that support a lower version of their framework than the newest. */
const LOWEST_STAGES = INTEGRATIONS.filter((name) =>
  existsSync(join(PYTHON_CLIENT, "integrations", name, "requirements-lowest.txt")),
).map((name) => `${name}${LOWEST}`);
const inCi = process.env["CI"] === "true";
const slow: string[] = [];
const failed: string[] = [];
const outcomes: Outcome[] = [];
/** The outcome of each running stage, reported when this process is stopped. */
const underWay = new Map<string, () => Outcome>();

function testFiles(): string[] {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.test.ts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return [...new Set(list.split("\n"))].filter(
    (path) => path !== "" && existsSync(join(ROOT, path)),
  );
}

/** Failure of a runner beside failed tests. */
function troubleOf(counts: Counts, result: RunResult): { readonly trouble?: string } {
  if (result.timedOut) return { trouble: "took too long and was stopped" };
  if (counts.passed + counts.failed + counts.skipped === 0) return { trouble: "no test ran" };
  if (result.code !== 0 && counts.failed === 0) {
    return { trouble: `the runner ended with ${result.code}` };
  }
  return result.leftProcesses ? { trouble: "left processes behind" } : {};
}

/** Runs a stage. When this process is stopped, its summary shows the counts of `count` so far. */
async function runStage(
  name: string,
  count: () => Counts,
  start: () => Promise<RunResult>,
): Promise<void> {
  const startMs = performance.now();
  const counted = () => ({ name, seconds: secondsSince(startMs), ...count() });
  underWay.set(name, () => ({ ...counted(), trouble: "was stopped" }));
  const result = await start();
  const counts = counted();
  outcomes.push({ ...counts, ...troubleOf(counts, result) });
  underWay.delete(name);
}

/** Records a stage that the machine cannot run. With CI=true that is a failure. */
function leaveOut(name: string, missing: string): void {
  const fault = inCi ? { trouble: missing } : { skipReason: missing };
  outcomes.push({ name, seconds: 0, ...NONE, ...fault });
}

/** Records a stage that broke off with an error of its own. The others run all the same. */
function breakOff(name: string, error: unknown): void {
  console.error(`\n== ${name}\n`, error);
  underWay.delete(name);
  outcomes.push({ name, seconds: 0, ...NONE, trouble: "broke off with an error; see above" });
}

/** Installs the packages of an integration; returns the reason when it cannot. */
async function setUpIntegration(name: string): Promise<string | undefined> {
  const folder = integrationFolder(name);
  const { code } = await run(process.execPath, [INSTALL, folder], { limitMs: 600_000 });
  return code === 0 ? undefined : `npm ci in ${folder} failed; see above`;
}

/**
 * Shows the output of a stage: at once for those of the server, of which one runs at a time; that
 * of the others when they end, so that the lines of two stages do not mix.
 */
async function show(
  name: string,
  isLive: boolean,
  start: () => Promise<RunResult>,
): Promise<RunResult> {
  if (isLive) console.log(`\n== ${name}`);
  const result = await start();
  if (!isLive) console.log(`\n== ${name}\n${result.output.trimEnd()}`);
  return result;
}

async function runVitest(stage: Stage, files: readonly string[]): Promise<void> {
  const { integration } = stage;
  const isLive = stage.group === "server";
  const missing = integration === undefined ? undefined : await setUpIntegration(integration);
  if (missing !== undefined) return leaveOut(stage.name, missing);
  const config = integration === undefined ? [] : ["--config=vitest.integrations.config.ts"];
  const stream = join(scratch, `${stage.name}.jsonl`);
  writeFileSync(stream, "");
  const read = () => readStream(readFileSync(stream, "utf8"));
  await runStage(
    stage.name,
    () => countStream(read()),
    () =>
      show(stage.name, isLive, () =>
        run(
          process.execPath,
          [
            ...[join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...files],
            ...[`--maxWorkers=${stage.workers}`, ...config],
          ],
          {
            limitMs: stage.limitMinutes * 60_000,
            env: { TEST_RESULTS: stream },
            quiet: !isLive,
          },
        ),
      ),
  );
  const results = read();
  for (const name of testsIn("started", results)) console.log(`stopped in: ${name}`);
  failed.push(...testsIn("failed", results).map((name) => `${stage.name}: ${name}`));
  slow.push(...slowTests(results, SLOW_MS));
}

let lastSetUp: Promise<unknown> = Promise.resolve();

/**
 * Creates a Python environment in a folder of the client; returns the reason when it cannot. Two at
 * a time would build the client twice in one place.
 */
async function setUpPython(folder = "."): Promise<string | undefined> {
  const args = ["setup.sh", folder];
  const setUp = lastSetUp.then(() => run("sh", args, { cwd: PYTHON_CLIENT, limitMs: 600_000 }));
  lastSetUp = setUp.catch(() => undefined);
  const { code } = await setUp;
  return code === 0 ? undefined : `clients/python/setup.sh ${folder} failed; see above`;
}

/** A stage of pytest. */
interface PythonStage {
  readonly name: string;
  /** The folder of the tests, from that of the client. */
  readonly folder: string;
  readonly limitMinutes: number;
  /** Whether the tests have the lowest versions of a framework. */
  readonly isLowest?: boolean;
}

/** Runs the Python tests of a folder of the client, unless something is missing. */
async function runPython(stage: PythonStage, missing: string | undefined): Promise<void> {
  const { name, folder, limitMinutes, isLowest = false } = stage;
  if (missing !== undefined) return leaveOut(name, missing);
  const report = join(scratch, `${name}.xml`);
  const cwd = join(PYTHON_CLIENT, folder);
  await runStage(
    name,
    () => (existsSync(report) ? countJunit(readFileSync(report, "utf8")) : NONE),
    () =>
      show(name, false, () =>
        run(
          join(cwd, ".venv/bin/python"),
          ["-m", "pytest", `--junitxml=${report}`, ...(isLowest ? ["-p", "lowest"] : [])],
          {
            ...{ cwd, limitMs: limitMinutes * 60_000, quiet: true },
            env: isLowest ? { PYTHONPATH: [join(cwd, ".venv/lowest"), TESTS].join(delimiter) } : {},
          },
        ),
      ),
  );
}

/** The wanted stages, in the order in which they begin. */
function jobsOf(wanted: ReadonlySet<string>): readonly Job[] {
  const isWanted = (name: string): boolean => wanted.size === 0 || wanted.has(name);
  // The first stage that needs it starts it; it must be one installation.
  let made: Promise<string | undefined> | undefined;
  const client = (): Promise<string | undefined> => {
    made ??= setUpPython();
    return made;
  };
  const vitest = sortIntoStages(testFiles())
    .filter(({ stage }) => isWanted(stage.name))
    .map(({ stage, files }) => ({
      ...{ name: stage.name, group: stage.group },
      run: async (): Promise<void> => {
        if (stage.needsPython === true) await client();
        await runVitest(stage, files);
      },
    }));
  const python = {
    name: "python",
    run: async () => runPython({ name: "python", folder: ".", limitMinutes: 10 }, await client()),
  };
  const integrations = INTEGRATIONS.filter(isWanted).map((name) => {
    const folder = `integrations/${name}`;
    const stage = { name, folder, limitMinutes: 15 };
    return { name, run: async () => runPython(stage, await setUpPython(folder)) };
  });
  const lowest = LOWEST_STAGES.filter(isWanted).map((name) => {
    const folder = `integrations/${name.slice(0, -LOWEST.length)}`;
    const stage = { name, folder, limitMinutes: 15, isLowest: true };
    return { name, run: async () => runPython(stage, await setUpPython(folder)) };
  });
  return [...vitest, ...(isWanted("python") ? [python] : []), ...integrations, ...lowest];
}

/** Prints the outcome of every stage, including stopped ones. */
function printSummary(): void {
  const all = [...outcomes, ...[...underWay.values()].map((outcome) => outcome())];
  if (slow.length > 0) console.log(`\nslow tests\n  ${slow.join("\n  ")}`);
  if (failed.length > 0) console.log(`\nfailed tests\n  ${failed.join("\n  ")}`);
  console.log(`\n${all.map(stageLine).join("\n")}`);
  console.log(`in ${(process.uptime()).toFixed(0)} s\n`);
  console.log(totalLine(all));
  if (!isGood(all)) process.exitCode = 1;
  rmSync(scratch, { recursive: true, force: true });
}

const wanted = new Set(process.argv.slice(2));
const known = [...STAGES.map(({ name }) => name), "python", ...INTEGRATIONS, ...LOWEST_STAGES];
const unknown = [...wanted].filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`unknown stage: ${unknown.join(", ")}; there are ${known.join(", ")}`);
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), "memory-sidecar-test-"));
// Tests start the server more than a thousand times. Node keeps what it has compiled of a file
// here, by its content, and most starts are from few files: a start takes a third of the time.
process.env["NODE_COMPILE_CACHE"] ??= join(scratch, "compiled");
process.env["TEST_SERVER"] ??= await bundleServer(join(scratch, "server"));
process.once("exit", printSummary);
await runInLanes(jobsOf(wanted), LANES, breakOff);
