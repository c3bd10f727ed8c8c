// Shows what an append costs and where: processor time by thread, calls of the disk, and memory by
// part, beside the bare echo server. `strace` counts the disk's calls; without it they are missing.
// Usage: node bench/costs.ts [SECONDS]

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { liveMemory } from "./inspect.ts";
import type { Job } from "./loader.ts";
import { measure, type Running, startEcho, startReal, threadUs, Worker } from "./processes.ts";
import { seed } from "./seed.ts";
import { append, echo, inDirectory } from "./workloads.ts";

const SERVER_CORE = 0;
const LOADER_CORE = 1;
const SESSIONS = 1_000;
/** Paces of an agent in milliseconds, and the number of its appends. */
const PACES = [
  [150, 40],
  [2_000, 10],
] as const;
const SETTLE_MS = 1_500;
const MIB = 1_048_576;

type Load = Omit<Job, "port" | "warmMs" | "measureMs">;

/** Bytes that a process has written to disks. */
function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);
}

/** Processor time of a call by kind of thread, and the p50 of the calls. */
async function cpuOf(loader: Worker, server: Running, load: Load, seconds: number) {
  await measure(loader, server, { ...load, warmMs: 500, measureMs: 500 });
  const before = threadUs(server.pid);
  const writtenBefore = writtenBytes(server.pid);
  const job = { ...load, warmMs: 0, measureMs: seconds * 1_000 };
  const { callsTotal, p50Ms } = await measure(loader, server, job);
  const row: Record<string, string> = { "p50 ms": p50Ms.toFixed(3) };
  for (const [name, us] of threadUs(server.pid)) {
    const one = (us - (before.get(name) ?? 0)) / callsTotal;
    if (one >= 1) row[`${name} us`] = one.toFixed(0);
  }
  row["written KiB"] = ((writtenBytes(server.pid) - writtenBefore) / callsTotal / 1_024).toFixed(1);
  return row;
}

/** Runs work of so many calls and counts the disk operations per call. */
async function disk(server: Running, calls: number, file: string, work: () => Promise<void>) {
  const syscalls = "trace=fdatasync,fsync,pwrite64,pwritev";
  const args = ["-f", "-y", "-qq", "-p", String(server.pid), "-o", file, "-e", syscalls];
  const strace = spawn("strace", args, { stdio: "ignore" });
  const ended = new Promise((resolve) => strace.once("exit", resolve));
  await sleep(SETTLE_MS);
  if (strace.exitCode !== null) return { "strace may not attach": String(strace.exitCode) };
  await work();
  // The last quiet second brings the index up to date.
  await sleep(SETTLE_MS);
  strace.kill("SIGINT");
  await ended;
  const lines = readFileSync(file, "latin1").split("\n");
  const of = (pattern: RegExp): string =>
    (lines.filter((line) => pattern.test(line)).length / calls).toFixed(2);
  return {
    "flushed writes of redo.log": of(/\d pwrite64\(\d+<[^>]*redo\.log>/),
    // LMDB flushes the pages, then writes 128 bytes of the header to a file that is O_DSYNC.
    "flushes of pages": of(/\d (fdatasync|fsync)\(/),
    "writes of pages": of(/\d pwrite(64|v)\(\d+<[^>]*data\.mdb>(?!.* 128, )/),
    "flushed writes of the header": of(/\d pwrite64\(\d+<[^>]*data\.mdb>.* 128, /),
  };
}

/** Resident memory by what is mapped, in MiB. */
function memoryParts(pid: number): Record<string, string> {
  const parts = new Map<string, number>();
  let part = "";
  for (const line of readFileSync(`/proc/${pid}/smaps`, "latin1").split("\n")) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line);
    if (mapping !== null) {
      const path = mapping[1] ?? "";
      part = path.endsWith("data.mdb")
        ? "pages of data.mdb"
        : path.startsWith("/")
          ? "program and libraries"
          : path.startsWith("[heap")
            ? "heap of C"
            : path.startsWith("[stack")
              ? "stacks"
              : "V8, buffers, native memory";
    }
    const rss = /^Rss: +(\d+) kB/.exec(line)?.[1];
    if (rss !== undefined) parts.set(part, (parts.get(part) ?? 0) + Number(rss) * 1_024);
  }
  return Object.fromEntries([...parts].map(([name, bytes]) => [name, (bytes / MIB).toFixed(0)]));
}

const seconds = Number(process.argv[2] ?? "4");
await inDirectory(async (directory) => {
  const data = join(directory, "data");
  const real = await startReal(data, { core: SERVER_CORE, inspect: true });
  const bare = await startEcho(SERVER_CORE);
  const loader = new Worker("bench/loader.ts", LOADER_CORE);
  try {
    await seed(real.port, { prefix: "a", sessions: SESSIONS, messages: 20 });
    const cpu: Record<string, Record<string, string>> = {};
    for (const inFlight of [1, 32, 256]) {
      const body = { kind: "append", count: 1, prefix: "a" } as const;
      cpu[`echo, ${inFlight}`] = await cpuOf(loader, bare, echo(body, inFlight), seconds);
      const load = append("a", SESSIONS, inFlight);
      cpu[`append, ${inFlight}`] = await cpuOf(loader, real, load, seconds);
      for (const ids of ["none", "random"] as const) {
        const named = { ...load, body: { ...body, ids } };
        cpu[`append, ids: ${ids}, ${inFlight}`] = await cpuOf(loader, real, named, seconds);
      }
    }
    console.log("\nprocessor time of a call, by thread");
    console.table(cpu);
    console.log("\nresident MiB under load, by part");
    console.table({ server: memoryParts(real.pid) });
    const { live, rss } = await liveMemory(real.inspectUrl);
    console.log(
      `after a collection: ${(rss / MIB).toFixed(0)} MiB, ${(live / MIB).toFixed(0)} live`,
    );
    if (spawnSync("strace", ["-V"]).status === 0) {
      const one = { ...append("a", SESSIONS, 1), warmMs: 0, measureMs: 0 };
      const trace = join(directory, "strace");
      await sleep(SETTLE_MS);
      const calls = 400;
      const closed = await disk(real, calls, trace, async () => {
        await measure(loader, real, { ...one, calls });
      });
      const disks: Record<string, Record<string, string>> = { "one after the other": closed };
      for (const [paceMs, count] of PACES) {
        disks[`one in ${paceMs} ms`] = await disk(real, count, trace, async () => {
          for (let i = 0; i < count; i++) {
            await measure(loader, real, { ...one, calls: 1 });
            await sleep(paceMs);
          }
        });
      }
      console.log("\ncalls of the disk an append, one caller");
      console.table(disks);
    }
  } finally {
    loader.stop();
    await Promise.all([real.stop(), bare.stop()]);
  }
});
process.exit(0);
