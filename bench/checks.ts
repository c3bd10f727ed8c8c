// The server against copies of it without the checks by which the store notices damage, by turns in
// one run: what the checks cost an append and a GetWindow.
//
//   node bench/checks.ts [--starts 8] [--rounds 3] [--ms 500] [--no-pin]
//
// "itself" is a copy with all checks: it shows how far to trust a ratio.

import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { byTurns, printRatios } from "./by-turns.ts";
import { patchedTree, UNCHECKED } from "./unchecked.ts";
import { inDirectory } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    starts: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
    ms: { type: "string", default: "500" },
    "no-pin": { type: "boolean", default: false },
  },
});
const measureMs = Number(values.ms);
const effort = {
  ...{ starts: Number(values.starts), rounds: Number(values.rounds) },
  ...{ warmMs: measureMs / 2, measureMs, pin: !values["no-pin"] },
};
const ours = resolve(import.meta.dirname, "..");
await inDirectory(async (directory) => {
  const others = new Map([["itself", patchedTree(join(directory, "itself"), [])]]);
  for (const [name, patches] of UNCHECKED) {
    const tree = patchedTree(join(directory, name.replaceAll(" ", "-")), patches);
    others.set(`without ${name}`, tree);
  }
  printRatios(await byTurns(ours, others, effort));
});
