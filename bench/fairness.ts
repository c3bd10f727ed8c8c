// Latency of a quiet namespace, alone and beside one that floods the server with appends.
//
//   node bench/fairness.ts [SECONDS]
//
// The quiet namespace makes one call after another; the flood keeps 256 under way on connections of
// its own, from another process.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobResult } from "./loader.ts";
import { startReal, Worker } from "./processes.ts";

const FLOOD_CALLS = 256;
const seconds = Number(process.argv[2] ?? 10);
const directory = mkdtempSync(join(tmpdir(), "fairness-"));
const server = await startReal(directory, { core: undefined });
const [quiet, flood] = [1, 2].map(() => new Worker("bench/loader.ts", undefined));
if (quiet === undefined || flood === undefined) throw new Error("no workers");

const job = (namespace: string, inFlight: number, warmMs: number, measureMs: number) => ({
  port: server.port,
  path: "/memorysidecar.v1.SessionService/AppendMessages",
  body: { kind: "append", count: 1, prefix: `${namespace}-`, namespace },
  sessions: 64,
  ...{ inFlight, warmMs, measureMs },
});
const show = (name: string, { calls, failed, perSecond, p50Ms, p99Ms }: JobResult): void =>
  console.log(
    `${name.padEnd(14)} ${calls} calls, ${failed} refused, ${perSecond.toFixed(0)}/s, ` +
      `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  );

try {
  await quiet.ask<JobResult>(job("quiet", 1, 1_000, 1_000));
  const alone = await quiet.ask<JobResult>(job("quiet", 1, 500, seconds * 1_000));
  const flooding = flood.ask<JobResult>(job("flood", FLOOD_CALLS, 500, (seconds + 3) * 1_000));
  const beside = await quiet.ask<JobResult>(job("quiet", 1, 1_500, seconds * 1_000));
  show("quiet alone", alone);
  show("quiet beside", beside);
  show("flood", await flooding);
  console.log(`p99 beside the flood: ${(beside.p99Ms / alone.p99Ms).toFixed(1)} x`);
} finally {
  quiet.stop();
  flood.stop();
  await server.stop();
  rmSync(directory, { recursive: true });
}
