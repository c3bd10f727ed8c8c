// npm run oracle: the source systems themselves judge what this server and its drop-in classes do.
//
//   npm run oracle                     every system, 2,000 comparisons of each feature
//   npm run oracle -- selectools       the systems named
//   STEPS=20000 SEED=7 npm run oracle  more comparisons, and a seed to play again
//
// Makes a Python environment for each system below node_modules/.cache/oracle, from pinned
// requirements with hashes; fetches the tests of a system from its source distribution, and commits
// nothing of them. Needs Python 3.12, a package index, and up to 1.2 GB.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { JUDGES, type Judge } from "./judges.ts";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const CACHE = join(ROOT, "node_modules/.cache/oracle");
const STEPS = process.env["STEPS"] ?? "2000";
const SEED = process.env["SEED"] ?? String(Math.floor(Date.now() / 1_000));
const START_MS = 20_000;

function run(command: string, args: readonly string[], env: object = {}): number {
  const options = { stdio: "inherit", cwd: ROOT, env: { ...process.env, ...env } } as const;
  return spawnSync(command, args, options).status ?? 1;
}

function need(command: string, args: readonly string[]): void {
  if (run(command, args) !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
}

/** Gives a Python 3.12, which the releases of the systems have in common. */
function interpreter(): string {
  const named = process.env["PYTHON"];
  const is312 = "import sys; sys.exit(sys.version_info[:2] != (3, 12))";
  const found = (named === undefined ? ["python3.12", "python3"] : [named]).find(
    (name) => spawnSync(name, ["-c", is312]).status === 0,
  );
  if (found === undefined) throw new Error("Python 3.12 is missing. Name it with PYTHON.");
  return found;
}

/** Makes the environment of a system, unless it is there. Gives its interpreter. */
function environment({ release }: Judge): string {
  const folder = join(CACHE, release);
  const python = join(folder, "bin/python");
  const requirements = join(HERE, "requirements", `${release}.txt`);
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  const stamp = join(folder, "stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return python;
  mkdirSync(CACHE, { recursive: true });
  need(interpreter(), ["-m", "venv", "--clear", folder]);
  need(python, ["-m", "pip", "install", "-q", "--require-hashes", "-r", requirements]);
  writeFileSync(stamp, digest);
  return python;
}

/** Fetches the source distribution of a system with its tests. Gives its folder. */
function sources({ release, sdist }: Judge, python: string): string | undefined {
  if (sdist === undefined) return undefined;
  const folder = join(CACHE, "sources");
  const archive = join(folder, `${sdist.name}.tar.gz`);
  if (!existsSync(archive)) {
    const named = join(CACHE, `${release}.sdist.txt`);
    writeFileSync(named, `${release.replace(/-(?=\d)/, "==")} --hash=sha256:${sdist.sha256}\n`);
    const only = ["--no-deps", "--no-binary", ":all:", "--require-hashes"];
    need(python, ["-m", "pip", "download", "-q", ...only, "-r", named, "-d", folder]);
  }
  need("tar", ["xzf", archive, "-C", folder]);
  return join(folder, sdist.name);
}

interface Server {
  readonly address: string;
  stop(): Promise<void>;
}

async function startServer(): Promise<Server> {
  const folder = join(tmpdir(), `oracle-${process.pid}`);
  mkdirSync(folder, { mode: 0o700 });
  const address = `unix:${folder}/s.sock`;
  const data = join(folder, "data");
  const args = ["src/main.ts", "serve", "--data-dir", data, "--listen", address];
  const server = spawn(process.execPath, args, { cwd: ROOT, stdio: "ignore" });
  const until = Date.now() + START_MS;
  while (!existsSync(`${folder}/s.sock`)) {
    if (Date.now() > until) throw new Error("the server does not start");
    await setTimeout(100);
  }
  return {
    address,
    stop: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Lets one system judge. Gives the number of runs that failed. */
function judge(one: Judge, { address }: Server): number {
  const python = environment(one);
  const path = [join(ROOT, "clients/python/src"), HERE].join(":");
  const shared = { PYTHONPATH: path, ORACLE_ADDRESS: address };
  console.log(`\n${one.release}`);
  let failed = 0;
  const fuzz = [join(HERE, one.script), "--address", address, "--seed", SEED, "--steps", STEPS];
  if (run(python, fuzz, shared) !== 0) failed += 1;
  const folder = sources(one, python);
  if (folder === undefined || one.tests === undefined) return failed;
  const { dropin, files, deselected, within = "." } = one.tests;
  const left = deselected.map(({ test }) => `--deselect=${test}`);
  const pytest = ["-m", "pytest", "-q", "-p", "dropin", "-p", "no:cacheprovider"];
  const root = join(folder, within);
  const args = [...pytest, "--rootdir", root, ...left, ...files];
  const options = { cwd: root, env: { ...process.env, ...shared, DROPIN: dropin } };
  const { status } = spawnSync(python, args, { ...options, stdio: "inherit" });
  return status === 0 ? failed : failed + 1;
}

const wanted = process.argv.slice(2);
const judges = JUDGES.filter(
  ({ release }) => wanted.length === 0 || wanted.some((name) => release.startsWith(name)),
);
const server = await startServer();
let failures = 0;
try {
  for (const one of judges) failures += judge(one, server);
} finally {
  await server.stop();
}
process.exitCode = failures === 0 && judges.length > 0 ? 0 : 1;
