// `npm run verify`: everything that can be checked without running the product's tests. One line a
// check; it changes nothing in the tree. `npm run fix` repairs what a tool can repair.
//
//   npm run verify                 every check
//   npm run verify -- biome        only the named ones
//   npm run verify -- --no-tests   without the tests that `npm test` runs, which .ci/run runs next

import { execFileSync } from "node:child_process";
import { ROOT, run, secondsSince } from "./process.ts";
import { runInLanes } from "./test/lanes.ts";
import { type Check, NotPossible } from "./verify/check.ts";
import { CHECKS } from "./verify/checks.ts";

/** Checks that run at the same time. */
const LANES = 2;
const inCi = process.env["CI"] === "true";

/** Runs a check and prints its line; gives whether it holds. */
async function report({ name, problems }: Check): Promise<boolean> {
  const start = performance.now();
  let found: readonly string[];
  let skipped: string | undefined;
  try {
    found = await problems();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof NotPossible && !inCi) skipped = text;
    found = skipped === undefined ? [text] : [];
  }
  const verdict = found.length > 0 ? "FAIL" : skipped === undefined ? "ok" : "SKIPPED";
  const time = `${secondsSince(start).toFixed(1).padStart(6)} s`;
  console.log(`${verdict.padEnd(8)}${name.padEnd(24)}${time}  ${skipped ?? ""}`.trimEnd());
  for (const problem of found) console.log(problem.replace(/^/gm, "    "));
  return found.length === 0;
}

function treeState(): string {
  return ["status", "diff"]
    .map((command) => execFileSync("git", [command], { cwd: ROOT, maxBuffer: 2 ** 28 }).toString())
    .join("");
}

const wanted = process.argv.slice(2).filter((name) => name !== "--no-tests");
const withTests = wanted.length === process.argv.length - 2;
const isWanted = ({ name, isTest = false }: Check): boolean =>
  wanted.length > 0 ? wanted.includes(name) : withTests || !isTest;
const start = performance.now();
const before = treeState();
// Without its environment, which is made once, a check that needs Python is skipped.
const needsPython = ({ name }: Check): boolean => /Python|documents/.test(name);
const python = CHECKS.filter(isWanted).some(needsPython)
  ? run("sh", ["clients/python/setup.sh"], { quiet: true })
  : undefined;
const failed: string[] = [];
await runInLanes(
  CHECKS.filter(isWanted).map((check) => ({
    name: check.name,
    run: async () => {
      if (needsPython(check)) await python;
      if (!(await report(check))) failed.push(check.name);
    },
  })),
  LANES,
  (name, error) => {
    console.error(`${name} broke off:`, error);
    failed.push(name);
  },
);
await python;
// Others may work in the tree of a person; in CI nobody does.
if (inCi && treeState() !== before) failed.push("the tree, which a check changed");
console.log(
  failed.length === 0
    ? `all checks hold, in ${secondsSince(start).toFixed(0)} s`
    : `FAILED: ${failed.join(", ")}`,
);
if (failed.length > 0) process.exitCode = 1;
