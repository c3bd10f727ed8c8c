// Several versions of the server, by turns in one run. Two processes of one program differ by some
// percent for as long as they live, so all servers are started anew several times. A ratio is taken
// inside a round, and the figure is the median.

import { type Measured, measure, type Running, startTree, Worker } from "./processes.ts";
import { seed } from "./seed.ts";
import { median } from "./stats.ts";
import { append, inDirectory, window } from "./workloads.ts";

const SERVER_CORE = 0;
const LOADER_CORE = 1;
const SPREAD = 1_000;
const WINDOWS = 100;
// The default policy keeps 200 messages, so each further one takes the oldest out.
const FULL = 200;
const ROOT = `${import.meta.dirname}/..`;

/** The loads that versions are compared under, by name. */
const JOBS = {
  "append, 1 in flight": append("a", SPREAD, 1),
  "append, 32 in flight": append("a", SPREAD, 32),
  "append to a full window, 1 in flight": append("f", WINDOWS, 1),
  "append to a full window, 32 in flight": append("f", WINDOWS, 32),
  "GetWindow of 20, 1 in flight": window("w", WINDOWS, 1),
  "GetWindow of 20, 32 in flight": window("w", WINDOWS, 32),
};

/** The effort of a comparison. */
export interface Effort {
  /** Number of times that all servers are started. */
  readonly starts: number;
  /** Rounds that count in each start, after one that does not. */
  readonly rounds: number;
  readonly warmMs: number;
  readonly measureMs: number;
  /** Servers and load have a core of their own. */
  readonly pin: boolean;
}

/** The first version divided by another one: medians. */
export interface Ratio {
  readonly load: string;
  readonly other: string;
  /** CPU time of a call. */
  readonly cpu: number;
  readonly p50: number;
}

async function start(tree: string, directory: string, pin: boolean): Promise<Running> {
  const server = await startTree(tree, directory, pin ? SERVER_CORE : undefined);
  await seed(server.port, { prefix: "w", sessions: WINDOWS, messages: 20 });
  await seed(server.port, { prefix: "f", sessions: WINDOWS, messages: FULL });
  return server;
}

/** The places of the servers in the order of their turns; each begins as often as the others. */
function turnsOf(servers: number, round: number): number[] {
  return Array.from({ length: servers }, (_, at) => (at + round) % servers);
}

/** Compares the server of the first tree with those of the others, which have names. */
export async function byTurns(
  ours: string,
  others: ReadonlyMap<string, string>,
  effort: Effort,
): Promise<Ratio[]> {
  const { starts, rounds, warmMs, measureMs, pin } = effort;
  const found = new Map<string, Measured[][]>(Object.keys(JOBS).map((load) => [load, []]));
  const loader = new Worker(`${ROOT}/bench/loader.ts`, pin ? LOADER_CORE : undefined);
  const measureAll = async (servers: readonly Running[], round: number, counts: boolean) => {
    for (const [load, job] of Object.entries(JOBS)) {
      const results: Measured[] = [];
      for (const at of turnsOf(servers.length, round)) {
        const server = servers[at] as Running;
        const result = await measure(loader, server, { ...job, warmMs, measureMs });
        if (result.failed > 0) throw new Error(`${load}: ${result.failed} calls failed`);
        results[at] = result;
      }
      if (counts) found.get(load)?.push(results);
    }
  };
  try {
    for (let turn = 0; turn < starts; turn++) {
      await inDirectory(async (directory) => {
        const servers: Running[] = [];
        try {
          for (const [at, tree] of [ours, ...others.values()].entries()) {
            servers.push(await start(tree, `${directory}/${at}`, pin));
          }
          for (let round = 0; round <= rounds; round++) {
            await measureAll(servers, turn + round, round > 0);
          }
        } finally {
          for (const server of servers) await server.stop();
        }
      });
    }
  } finally {
    loader.stop();
  }
  return [...found].flatMap(([load, results]) =>
    [...others.keys()].map((other, at) => {
      const ratio = (of: (one: Measured) => number): number =>
        median(results.map((all) => of(all[0] as Measured) / of(all[at + 1] as Measured)));
      return { load, other, cpu: ratio(({ cpuUs }) => cpuUs), p50: ratio(({ p50Ms }) => p50Ms) };
    }),
  );
}

/** Prints ratios, one line each. */
export function printRatios(ratios: readonly Ratio[]): void {
  for (const { load, other, cpu, p50 } of ratios) {
    const name = other === "" ? "" : `${other.padEnd(20)} `;
    console.log(`${load.padEnd(38)} ${name}p50 ${p50.toFixed(3)}, CPU a call ${cpu.toFixed(3)}`);
  }
}
