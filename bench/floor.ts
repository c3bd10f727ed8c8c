// The floor of an append: an echo that is durable, as every append must be, and does nothing else.
// Its requests wait for one flushed write of a file, which those that come meanwhile share. The
// servers take turns, and a ratio is taken inside a round.
//
//   node bench/floor.ts [SECONDS] [ROUNDS]

import { join } from "node:path";
import { measure, type Running, startEcho, startReal, threadUs, Worker } from "./processes.ts";
import { seed } from "./seed.ts";
import { median } from "./stats.ts";
import { append, commitAlone, durableEcho, echo, inDirectory } from "./workloads.ts";

const SERVER_CORE = 0;
const LOADER_CORE = 1;
// Enough that no window is full at the end: a trim is more work.
const SESSIONS = 8_000;
const BODY = { kind: "append", count: 1, prefix: "a" } as const;

const measureMs = Number(process.argv[2] ?? "2") * 1_000;
const rounds = Number(process.argv[3] ?? "5");

interface Figures {
  readonly p50Ms: number;
  readonly perSecond: number;
  readonly mainUs: number;
}

function mainUs(server: Running): number {
  return threadUs(server.pid).get("MainThread") ?? 0;
}

await inDirectory(async (directory) => {
  const real = await startReal(join(directory, "data"), { core: SERVER_CORE });
  const bare = await startEcho(SERVER_CORE, { file: join(directory, "echoes") });
  const loader = new Worker("bench/loader.ts", LOADER_CORE);
  try {
    await seed(real.port, { prefix: "a", sessions: SESSIONS, messages: 1 });
    console.log("ms and calls a second: medians of the rounds; ratios: medians within rounds");
    for (const inFlight of [1, 32, 256]) {
      const steps = [
        { server: bare, load: echo(BODY, inFlight) },
        { server: bare, load: durableEcho(BODY, inFlight) },
        { server: real, load: append("a", SESSIONS, inFlight) },
      ];
      const found: Figures[][] = steps.map(() => []);
      const commits: number[] = [];
      for (let round = -1; round < rounds; round++) {
        for (const [at, { server, load }] of steps.entries()) {
          await measure(loader, server, { ...load, warmMs: 300, measureMs: 200 });
          const before = mainUs(server);
          const got = await measure(loader, server, { ...load, warmMs: 0, measureMs });
          if (got.failed > 0) throw new Error(`${got.failed} calls failed`);
          const us = (mainUs(server) - before) / got.callsTotal;
          if (round >= 0) found[at]?.push({ ...got, mainUs: us });
        }
        const { p50Ms } = await commitAlone({ core: SERVER_CORE, measureMs: measureMs / 4 });
        if (round >= 0) commits.push(p50Ms);
      }
      const ratio = (of: keyof Figures, at: number, to: number): string =>
        median(
          commits.map((_, i) => (found[at]?.[i]?.[of] ?? 0) / (found[to]?.[i]?.[of] ?? 0)),
        ).toFixed(2);
      const toEchoAndCommit = (at: number): string =>
        median(
          commits.map((ms, i) => (found[at]?.[i]?.p50Ms ?? 0) / ((found[0]?.[i]?.p50Ms ?? 0) + ms)),
        ).toFixed(2);
      console.log(
        `\n${inFlight} in flight; a commit of LMDB alone ${median(commits).toFixed(2)} ms`,
      );
      console.table(
        Object.fromEntries(
          ["echo", "durable echo", "append"].map((name, at) => {
            const of = (key: keyof Figures) => median((found[at] ?? []).map((one) => one[key]));
            const row = {
              "p50 ms": of("p50Ms").toFixed(2),
              "p50 to echo + commit": inFlight === 1 ? toEchoAndCommit(at) : "",
              "calls a second": of("perSecond").toFixed(0),
              "rate to echo": ratio("perSecond", at, 0),
              "rate to durable echo": ratio("perSecond", at, 1),
              "main thread us": of("mainUs").toFixed(0),
            };
            return [name, row];
          }),
        ),
      );
    }
  } finally {
    loader.stop();
    await Promise.all([real.stop(), bare.stop()]);
  }
});
process.exit(0);
