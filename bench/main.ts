// The bench: measures the server against a bare echo and one durable commit of the same run, prints
// a table and writes JSON. It is not a test: it exits with 0 whatever the figures are, and with 1
// when something broke.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { dirname } from "node:path";
import { hooks } from "./hooks.ts";
import { lists } from "./lists.ts";
import { memories } from "./memories.ts";
import { type Plan, readPlan, USAGE } from "./plan.ts";
import { CAN_PIN, Worker } from "./processes.ts";
import { recallSpeed } from "./recall-speed.ts";
import { records } from "./records.ts";
import { judge, measurements, table, type Verdict } from "./report.ts";
import { turns } from "./turns.ts";
import {
  type Bench,
  basic,
  type Found,
  fanOut,
  longSession,
  manySessions,
  policies,
  stalledWatchers,
} from "./workloads.ts";

const LOADER_CORE = 1;
const HERE = import.meta.dirname;

const GROUPS: Readonly<Record<string, (bench: Bench) => Promise<Found>>> = {
  basic,
  turns,
  "long-session": longSession,
  "many-sessions": manySessions,
  policies,
  hooks,
  "fan-out": fanOut,
  stalled: stalledWatchers,
  recall: recallSpeed,
  memories,
  records,
  lists,
};

function commit(): string {
  try {
    const args = ["rev-parse", "--short", "HEAD"];
    return execFileSync("git", args, { cwd: HERE, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return "unknown";
  }
}

function machine(plan: Plan) {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryMiB: Math.round(totalmem() / 1_048_576),
    kernel: release(),
    node: process.version,
    pinned: plan.pin && CAN_PIN,
    commit: commit(),
    date: plan.date,
    command: `node bench/main.ts ${process.argv.slice(2).join(" ")}`.trim(),
  };
}

async function main(): Promise<void> {
  const plan = readPlan(process.argv.slice(2));
  const names = Object.keys(GROUPS).filter((name) => name.includes(plan.only));
  if (names.length === 0) throw new Error(`no group is called "${plan.only}"`);
  const core = plan.pin ? LOADER_CORE : undefined;
  const loader = new Worker(`${HERE}/loader.ts`, core);
  const watchers = new Worker(`${HERE}/watchers.ts`, core);
  const bench: Bench = { plan, loader, watchers, say: (line) => console.log(line) };
  const about = machine(plan);
  const verdicts: Verdict[] = [];
  const groups: Record<string, unknown> = {};
  try {
    for (const name of names) {
      console.log(`\n${name}`);
      const found = await GROUPS[name]?.(bench);
      if (found === undefined) continue;
      console.log(`\n${measurements(found).join("\n")}`);
      verdicts.push(...judge(name, found));
      groups[name] = {
        rounds: Object.fromEntries(found.rounds),
        figures: Object.fromEntries(found.figures),
      };
    }
  } finally {
    loader.stop();
    watchers.stop();
  }
  mkdirSync(dirname(plan.out), { recursive: true });
  writeFileSync(
    plan.out,
    `${JSON.stringify({ machine: about, plan, verdicts, groups }, null, 2)}\n`,
  );
  console.log(`\n${about.cpu}, ${about.cores} cores, Linux ${about.kernel}, Node ${about.node}`);
  console.log(table(verdicts).join("\n"));
  const passed = verdicts.filter((one) => one.pass).length;
  console.log(`\n${passed} of ${verdicts.length} targets hold; all rounds are in ${plan.out}`);
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 1;
}
