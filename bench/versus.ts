// One version of the server against another, by turns in one run: what a change of the code costs.
//
//   node bench/versus.ts OTHER [STARTS]
//
// OTHER is a second checkout, ready to run; this one against itself shows how far to trust a ratio.
// Two processes of one program differ by some percent for as long as they live, so both servers are
// started anew several times. A ratio is taken inside a round, and the figure is the median.

import { resolve } from "node:path";
import { freePort, measure, type Running, startProcess, Worker } from "./processes.ts";
import { seed } from "./seed.ts";
import { median } from "./stats.ts";
import { append, inDirectory, window } from "./workloads.ts";

const SERVER_CORE = 0;
const LOADER_CORE = 1;
const ROUNDS = 3;
const TIMES = { warmMs: 200, measureMs: 500 };
const SPREAD = 1_000;
const WINDOWS = 100;

const [other = "", starts = "8"] = process.argv.slice(2);
const ours = resolve(import.meta.dirname, "..");
const jobs = {
  "append, 1 in flight": append("a", SPREAD, 1),
  "append, 32 in flight": append("a", SPREAD, 32),
  "GetWindow of 20, 1 in flight": window("w", WINDOWS, 1),
  "GetWindow of 20, 32 in flight": window("w", WINDOWS, 32),
};
const ratios = new Map(Object.keys(jobs).map((name) => [name, { p50: [], cpu: [] } as Ratios]));
const loader = new Worker(`${ours}/bench/loader.ts`, LOADER_CORE);

interface Ratios {
  readonly p50: number[];
  readonly cpu: number[];
}

async function start(tree: string, directory: string): Promise<Running> {
  const port = await freePort();
  const serve = ["serve", "--data-dir", directory, "--listen", `127.0.0.1:${port}`];
  const args = ["--max-semi-space-size=16", `${tree}/src/main.ts`, ...serve];
  const server = await startProcess(args, port, SERVER_CORE);
  await seed(port, { prefix: "w", sessions: WINDOWS, messages: 20 });
  return server;
}

async function compare(servers: readonly Running[], isWarm: boolean, odd: boolean): Promise<void> {
  for (const [name, job] of Object.entries(jobs)) {
    const found: { p50Ms: number; cpuUs: number }[] = [];
    for (const at of odd ? [1, 0] : [0, 1]) {
      const result = await measure(loader, servers[at] as Running, { ...job, ...TIMES });
      if (result.failed > 0) throw new Error(`${name}: ${result.failed} calls failed`);
      found[at] = result;
    }
    const [a, b] = found;
    if (!isWarm || a === undefined || b === undefined) continue;
    ratios.get(name)?.p50.push(a.p50Ms / b.p50Ms);
    ratios.get(name)?.cpu.push(a.cpuUs / b.cpuUs);
  }
}

try {
  for (let turn = 0; turn < Number(starts); turn++) {
    await inDirectory(async (directory) => {
      const servers: Running[] = [];
      try {
        servers.push(await start(ours, `${directory}/ours`));
        servers.push(await start(resolve(other), `${directory}/other`));
        for (let round = 0; round <= ROUNDS; round++) {
          await compare(servers, round > 0, (turn + round) % 2 === 1);
        }
      } finally {
        for (const server of servers) await server.stop();
      }
    });
  }
  for (const [name, { p50, cpu }] of ratios) {
    const [time, work] = [median(p50), median(cpu)].map((value) => value.toFixed(3));
    console.log(`${name.padEnd(30)} p50 ${time}, CPU a call ${work}`);
  }
} finally {
  loader.stop();
}
