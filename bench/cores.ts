// Shows what a second core gains the server: its rates at 256 calls in flight on one core, and on
// two that it shares with the load, by turns in one run. Beside it stands the most that a second
// core could gain: one thread answers the calls, and its share of the processor time stays on one
// core.
//
//   node bench/cores.ts [ROUNDS]

import { measure, type Running, startReal, threadUs, Worker } from "./processes.ts";
import { seed } from "./seed.ts";
import { median } from "./stats.ts";
import { append, inDirectory, window } from "./workloads.ts";

const SERVER_CORE = 0;
const LOADER_CORE = 1;
const SESSIONS = 1_000;
const IN_FLIGHT = 256;
const TIMES = { warmMs: 500, measureMs: 2_000 };

const JOBS = {
  "append of one message": append("s", SESSIONS, IN_FLIGHT),
  "append of ten messages": append("s", SESSIONS, IN_FLIGHT, 10),
  "GetWindow of 20 messages": window("s", SESSIONS, IN_FLIGHT),
};

/** Processor time of a server so far, and that of the thread which answers the calls. */
function usedUs({ pid }: Running): { all: number; main: number } {
  const threads = [...threadUs(pid)];
  const all = threads.reduce((sum, [, us]) => sum + us, 0);
  // The first thread is the one of the process.
  return { all, main: threads[0]?.[1] ?? 0 };
}

const rounds = Number(process.argv[2] ?? "5");
await inDirectory(async (directory) => {
  const loader = new Worker(`${import.meta.dirname}/loader.ts`, LOADER_CORE);
  const one = await startReal(`${directory}/one`, { core: SERVER_CORE });
  const two = await startReal(`${directory}/two`, { core: undefined });
  try {
    for (const { port } of [one, two]) {
      await seed(port, { prefix: "s", sessions: SESSIONS, messages: 20 });
    }
    for (const [name, job] of Object.entries(JOBS)) {
      const gains: number[] = [];
      const bounds: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const rates = new Map<Running, number>();
        for (const server of round % 2 === 0 ? [one, two] : [two, one]) {
          const before = usedUs(server);
          const { failed, perSecond } = await measure(loader, server, { ...job, ...TIMES });
          if (failed > 0) throw new Error(`${name}: ${failed} calls failed`);
          const after = usedUs(server);
          rates.set(server, perSecond);
          if (server === two) {
            bounds.push((after.all - before.all) / (after.main - before.main));
          }
        }
        gains.push((rates.get(two) ?? Number.NaN) / (rates.get(one) ?? Number.NaN));
      }
      console.log(
        `${name}: two cores to one ${median(gains).toFixed(2)}, ` +
          `at most ${median(bounds).toFixed(2)} by the share of the main thread`,
      );
    }
  } finally {
    loader.stop();
    await Promise.all([one.stop(), two.stop()]);
  }
});
