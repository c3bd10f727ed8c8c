// Workloads of the bench, in groups. Each group starts its own servers, runs its measurements in
// rounds, those of one round side by side, and returns the rounds unaggregated.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BodySpec, bodyBytes, sessionName } from "./bodies.ts";
import { liveMemory } from "./inspect.ts";
import type { Job } from "./loader.ts";
import type { Plan } from "./plan.ts";
import { BUSY_POLICY, createSessions, evaluationMs, POLICIES } from "./policies.ts";
import {
  type Measured,
  measure,
  ownBytes,
  pinned,
  type Running,
  rssBytes,
  startEcho,
  startReal,
  type Worker,
} from "./processes.ts";
import { lastSeq, revision, seed } from "./seed.ts";
import type { Received, WatchCommand } from "./watchers.ts";

const APPEND = "/memorysidecar.v1.SessionService/AppendMessages";
const WINDOW = "/memorysidecar.v1.SessionService/GetWindow";
const ECHO = "/bench.Echo/Echo";
const SIZED = "/bench.Echo/Sized";
const DURABLE = "/bench.Echo/Durable";
const SERVER_CORE = 0;
/** Slightly more messages of 75 tokens than the default window of 8,000 tokens holds. */
const FULL_WINDOW = 120;
const SPREAD = 1_000;
/** Few enough that the warm-up fills all windows; growing windows would count as watcher cost. */
const FEW_SESSIONS = 64;

/** Measurements of one group: one value per round under each name. */
export type Rounds = Map<string, Measured[]>;

/** Result of a group. */
export interface Found {
  readonly rounds: Rounds;
  /** Single figures, by name. */
  readonly figures: ReadonlyMap<string, number>;
}

/** Input of a group. */
export interface Bench {
  readonly plan: Plan;
  readonly loader: Worker;
  readonly watchers: Worker;
  readonly say: (line: string) => void;
}

type JobShape = Omit<Job, "port" | "warmMs" | "measureMs">;

/** A load on a server, measured once per round. */
export interface Step {
  readonly name: string;
  readonly server: Running;
  readonly job: JobShape;
  /** Waits until earlier work is done. Default: no wait. */
  readonly settle?: () => Promise<void>;
}

/** The core that servers run on. */
export function core(bench: Bench): number | undefined {
  return bench.plan.pin ? SERVER_CORE : undefined;
}

/** Runs work in a temporary directory. */
export async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "sidecar-bench-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function withReal<T>(
  bench: Bench,
  directory: string,
  work: (server: Running) => Promise<T>,
): Promise<T> {
  const server = await startReal(directory, { core: core(bench) });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Runs the steps in each round. Fails when a call fails. */
export async function rounds(bench: Bench, steps: readonly Step[]): Promise<Rounds> {
  const found: Rounds = new Map(steps.map((step) => [step.name, []]));
  for (let round = 0; round < bench.plan.rounds; round++) {
    for (const { name, server, job, settle } of steps) {
      await settle?.();
      const { warmMs, measureMs } = bench.plan;
      const result = await measure(bench.loader, server, { ...job, warmMs, measureMs });
      if (result.failed > 0) throw new Error(`${name}: ${result.failed} calls failed`);
      found.get(name)?.push(result);
      bench.say(`  ${name}: ${Math.round(result.perSecond)}/s p50 ${result.p50Ms.toFixed(3)} ms`);
    }
  }
  return found;
}

/** A load of appends over sessions with this prefix. */
export function append(prefix: string, sessions: number, inFlight: number, count = 1): JobShape {
  return { path: APPEND, body: { kind: "append", count, prefix }, sessions, inFlight };
}

/** A load on the echo server, of requests of the size of a body. */
export function echo(body: BodySpec, inFlight: number): JobShape {
  return { path: ECHO, body: { kind: "echo", bytes: bodyBytes(body) }, sessions: 1, inFlight };
}

/** The same load, each of whose requests is on stable storage before its answer. */
export function durableEcho(body: BodySpec, inFlight: number): JobShape {
  return { ...echo(body, inFlight), path: DURABLE };
}

/** A load on the echo server whose answers have so many bytes. */
export function sized(bytes: number, inFlight: number): JobShape {
  return { path: SIZED, body: { kind: "sized", bytes }, sessions: 1, inFlight };
}

/** A load of GetWindow over sessions with this prefix. */
export function window(prefix: string, sessions: number, inFlight: number): JobShape {
  return { path: WINDOW, body: { kind: "window", prefix }, sessions, inFlight };
}

/** One durable commit alone, in milliseconds. */
export function commitAlone(how: {
  readonly core: number | undefined;
  readonly measureMs: number;
}): Promise<{ p50Ms: number; p99Ms: number }> {
  return inDirectory(async (directory) => {
    const seconds = String(how.measureMs / 1_000);
    const line = [process.execPath, "bench/lmdb-commit.ts", directory, seconds];
    const [command = "node", ...rest] = pinned(how.core, line);
    const output = execFileSync(command, rest, { cwd: `${import.meta.dirname}/..` });
    return JSON.parse(output.toString()) as { p50Ms: number; p99Ms: number };
  });
}

/** Appends and windows on a fresh store against the echo. */
export async function basic(bench: Bench): Promise<Found> {
  const single: BodySpec = { kind: "append", count: 1, prefix: "a" };
  const figures = new Map<string, number>();
  const alone = { core: core(bench), measureMs: bench.plan.measureMs };
  const commits = [await commitAlone(alone)];
  const echoServer = await startEcho(core(bench));
  try {
    return await inDirectory((directory) =>
      withReal(bench, directory, async (server) => {
        await seed(server.port, { prefix: "w20-", sessions: 100, messages: 20 });
        await seed(server.port, { prefix: "w100-", sessions: 100, messages: 100 });
        const before = await revision(server.port);
        const bytes20 = await windowBytes(bench, server, "w20-");
        const bytes100 = await windowBytes(bench, server, "w100-");
        const steps: Step[] = [];
        for (const inFlight of [1, 32, 256]) {
          const job = append("a", SPREAD, inFlight);
          steps.push({ name: `echo ${inFlight}`, server: echoServer, job: echo(single, inFlight) });
          steps.push({ name: `append ${inFlight}`, server, job });
        }
        steps.push({ name: "append of 10, 32", server, job: append("b", SPREAD, 32, 10) });
        for (const [name, bytes] of [["20", bytes20] as const, ["100", bytes100] as const]) {
          const job = sized(bytes, 32);
          steps.push({ name: `echo as window of ${name}`, server: echoServer, job });
          steps.push({ name: `window of ${name}`, server, job: window(`w${name}-`, 100, 32) });
        }
        const found = await rounds(bench, steps);
        commits.push(await commitAlone(alone));
        figures.set("commit p50 ms", (commits[0]?.p50Ms ?? 0) / 2 + (commits[1]?.p50Ms ?? 0) / 2);
        figures.set("commit p99 ms", Math.max(...commits.map((commit) => commit.p99Ms)));
        figures.set("window of 20 bytes", bytes20);
        figures.set("window of 100 bytes", bytes100);
        figures.set("rss MiB", rssBytes(server.pid) / 1_048_576);
        await checkRevisions(found, server, before);
        return { rounds: found, figures };
      }),
    );
  } finally {
    await echoServer.stop();
  }
}

async function windowBytes(bench: Bench, server: Running, prefix: string): Promise<number> {
  const job = { ...window(prefix, 100, 1), warmMs: 0, measureMs: 0, calls: 1 };
  return (await measure(bench.loader, server, job)).answerBytes;
}

/**
 * Checks that each acknowledged append made one revision of its namespace, and nothing else did.
 */
async function checkRevisions(found: Rounds, server: Running, before: number): Promise<void> {
  let appends = 0;
  for (const [name, results] of found) {
    if (!name.startsWith("append")) continue;
    appends += results.reduce((sum, result) => sum + result.callsTotal, 0);
  }
  const grown = (await revision(server.port)) - before;
  if (grown !== appends) throw new Error(`${appends} appends answered, ${grown} revisions stored`);
}

/** A long session against a short one in the same store. */
export function longSession(bench: Bench): Promise<Found> {
  return inDirectory(async (directory) => {
    const { longMessages } = bench.plan;
    const found = await withReal(bench, directory, async (server) => {
      await seed(server.port, { prefix: "long", sessions: 1, messages: longMessages });
      await seed(server.port, { prefix: "short", sessions: 1, messages: FULL_WINDOW });
      const steps: Step[] = [];
      for (const inFlight of [1, 32]) {
        for (const prefix of ["short", "long"]) {
          const name = `${prefix}, ${inFlight}`;
          steps.push({ name: `append ${name}`, server, job: append(prefix, 1, inFlight) });
          steps.push({ name: `window ${name}`, server, job: window(prefix, 1, inFlight) });
        }
      }
      const result = await rounds(bench, steps);
      const appended = ["append long, 1", "append long, 32"]
        .flatMap((name) => result.get(name) ?? [])
        .reduce((sum, one) => sum + one.callsTotal, 0);
      const newest = await lastSeq(server.port, sessionName("long", 0));
      if (newest !== longMessages + appended) throw new Error("the long session lost messages");
      return result;
    });
    return { rounds: found, figures: await coldStart(bench, directory) };
  });
}

/** Time from the start of the process until it serves, and its memory then. */
async function coldStart(bench: Bench, directory: string): Promise<Map<string, number>> {
  const times: number[] = [];
  let rss = 0;
  for (let round = 0; round < bench.plan.rounds; round++) {
    await withReal(bench, directory, async (server) => {
      times.push(server.startMs);
      rss = Math.max(rss, rssBytes(server.pid));
    });
  }
  times.sort((a, b) => a - b);
  return new Map([
    ["cold start ms", times[times.length >> 1] ?? 0],
    ["cold start rss MiB", rss / 1_048_576],
  ]);
}

/** A store of many sessions against a fresh one. */
export function manySessions(bench: Bench): Promise<Found> {
  return inDirectory((large) =>
    inDirectory(async (fresh) => {
      const { manySessions: sessions } = bench.plan;
      const figures = new Map<string, number>();
      const result = await withReal(bench, large, (largeServer) =>
        withReal(bench, fresh, async (freshServer) => {
          const messages = 10;
          await seed(largeServer.port, { prefix: "s", sessions, messages });
          await seed(freshServer.port, { prefix: "s", sessions: SPREAD, messages });
          const steps: Step[] = [];
          for (const inFlight of [1, 32]) {
            const freshJob = { ...append("s", SPREAD, inFlight), random: true };
            const largeJob = { ...append("s", sessions, inFlight), random: true };
            steps.push({ name: `append fresh, ${inFlight}`, server: freshServer, job: freshJob });
            steps.push({ name: `append large, ${inFlight}`, server: largeServer, job: largeJob });
          }
          const windows = { ...window("s", sessions, 32), random: true };
          const freshWindows = { ...window("s", SPREAD, 32), random: true };
          steps.push({ name: "window fresh, 32", server: freshServer, job: freshWindows });
          steps.push({ name: "window large, 32", server: largeServer, job: windows });
          const found = await rounds(bench, steps);
          figures.set("rss under load MiB", rssBytes(largeServer.pid) / 1_048_576);
          figures.set("of it not file pages MiB", ownBytes(largeServer.pid) / 1_048_576);
          return found;
        }),
      );
      for (const [name, value] of await coldStart(bench, large)) figures.set(name, value);
      return { rounds: result, figures };
    }),
  );
}

/** Appends with and without watchers of the stream. */
export function fanOut(bench: Bench): Promise<Found> {
  return inDirectory((directory) =>
    withReal(bench, directory, async (server) => {
      const { watchers: count, warmMs, measureMs } = bench.plan;
      const found: Rounds = new Map();
      const figures = new Map<string, number>();
      const modes = [
        { name: "append, no watcher", prefix: null },
        { name: "append, each watches all", prefix: undefined },
        { name: "append, each watches a session", prefix: "f" },
      ];
      for (let round = 0; round < bench.plan.rounds; round++) {
        for (const { name, prefix } of modes) {
          if (prefix !== null) {
            const open = {
              kind: "open",
              port: server.port,
              count,
              ...(prefix && { prefix }),
            } as const;
            await bench.watchers.ask(open);
          }
          const job = { ...append("f", SPREAD, 32), warmMs, measureMs };
          const result = await measure(bench.loader, server, job);
          if (result.failed > 0) throw new Error(`${name}: ${result.failed} calls failed`);
          found.set(name, [...(found.get(name) ?? []), result]);
          const seen =
            prefix === null ? { answers: 0, events: 0 } : await ask(bench, { kind: "close" });
          if (prefix === undefined) {
            const share = seen.events / (count * result.callsTotal);
            figures.set("share of events seen by the end", share);
            figures.set("events in an answer", seen.events / seen.answers);
          }
          bench.say(`  ${name}: ${Math.round(result.perSecond)}/s, ${seen.events} events seen`);
        }
      }
      return { rounds: found, figures };
    }),
  );
}

function ask(bench: Bench, command: WatchCommand): Promise<Received> {
  return bench.watchers.ask<Received>(command);
}

/** Cost of a watcher that reads, and of one that never does. */
export function stalledWatchers(bench: Bench): Promise<Found> {
  return inDirectory(async (directory) => {
    const server = await startReal(directory, { core: core(bench), inspect: true });
    try {
      const { stalled: count, warmMs, measureMs } = bench.plan;
      const found: Rounds = new Map();
      const load = async (name: string): Promise<{ rss: number; live: number }> => {
        const job = { ...append("m", FEW_SESSIONS, 32), warmMs, measureMs };
        found.set(name, [await measure(bench.loader, server, job)]);
        return liveMemory(server.inspectUrl);
      };
      // Fills the windows and the server's event buffer first, as their memory is not the
      // watchers'.
      for (const part of ["one", "two", "three"]) await load(`append, warm-up ${part}`);
      const none = await load("append, no watcher");
      await ask(bench, { kind: "open", port: server.port, count });
      const idle = await liveMemory(server.inspectUrl);
      await ask(bench, { kind: "pause" });
      const stalled = await load("append, stalled watchers");
      await ask(bench, { kind: "close" });
      const mib = 1_048_576;
      const figures = new Map([
        ["idle watcher MiB live", (idle.live - none.live) / count / mib],
        ["stalled watcher MiB live", (stalled.live - none.live) / count / mib],
        ["stalled watcher MiB rss", (stalled.rss - none.rss) / count / mib],
        ["stalling alone KiB live", (stalled.live - idle.live) / count / 1_024],
      ]);
      return { rounds: found, figures };
    } finally {
      await server.stop();
    }
  });
}

/** Appends under policies of one and of five stages, and a long session under five. */
export function policies(bench: Bench): Promise<Found> {
  return inDirectory((directory) =>
    withReal(bench, directory, async (server) => {
      const { port } = server;
      const { longMessages } = bench.plan;
      for (const name of ["one", "five"] as const) {
        const prefix = `${name}-`;
        const policy = POLICIES[name];
        await createSessions(port, { prefix, sessions: FEW_SESSIONS, policy });
        await seed(port, { prefix, sessions: FEW_SESSIONS, messages: 200 });
      }
      for (const [prefix, messages] of [
        ["short5-", 200] as const,
        ["long5-", longMessages] as const,
      ]) {
        await createSessions(port, { prefix, sessions: 1, policy: POLICIES.five });
        await seed(port, { prefix, sessions: 1, messages });
      }
      const steps: Step[] = [];
      for (const inFlight of [1, 32]) {
        for (const name of ["one", "five"]) {
          const job = append(`${name}-`, FEW_SESSIONS, inFlight);
          steps.push({ name: `append ${name} stages, ${inFlight}`, server, job });
        }
      }
      for (const name of ["short", "long"]) {
        const prefix = `${name}5-`;
        steps.push({ name: `append ${name}, 1`, server, job: append(prefix, 1, 1) });
        steps.push({ name: `window ${name}, 1`, server, job: window(prefix, 1, 1) });
      }
      const found = await rounds(bench, steps);
      const figures = new Map([
        ["one stage over 200 messages ms", evaluationMs(POLICIES.one)],
        ["five stages over 200 messages ms", evaluationMs(POLICIES.five)],
        ["five busy stages over 200 messages ms", evaluationMs(BUSY_POLICY)],
      ]);
      return { rounds: found, figures };
    }),
  );
}
