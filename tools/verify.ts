// `npm run verify`: everything that can be checked without running the product's tests. One line a
// check; it changes nothing in the tree. `npm run fix` repairs what a tool can repair.
//
//   npm run verify            every check
//   npm run verify -- biome   only the named ones

import { execFileSync } from "node:child_process";
import { ROOT, run, secondsSince } from "./process.ts";
import { type Check, NotPossible } from "./verify/check.ts";
import { CHECKS } from "./verify/checks.ts";

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

const wanted = process.argv.slice(2);
const start = performance.now();
const before = treeState();
// Without its environment, which is made once, a check that needs Python is skipped.
if (wanted.length === 0 || wanted.some((name) => /Python|documents/.test(name))) {
  await run("sh", ["clients/python/setup.sh"], { quiet: true });
}
const failed: string[] = [];
for (const check of CHECKS) {
  if (wanted.length > 0 && !wanted.includes(check.name)) continue;
  if (!(await report(check))) failed.push(check.name);
}
// Others may work in the tree of a person; in CI nobody does.
if (inCi && treeState() !== before) failed.push("the tree, which a check changed");
console.log(
  failed.length === 0
    ? `all checks hold, in ${secondsSince(start).toFixed(0)} s`
    : `FAILED: ${failed.join(", ")}`,
);
if (failed.length > 0) process.exitCode = 1;
