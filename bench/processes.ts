// Processes of the bench: starting them, pinning them to a core, measuring and stopping them.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { cpus } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { buildPart } from "../tools/package/build-part.ts";
import type { Job, JobResult } from "./loader.ts";

const START_MS = 60_000;
const STOP_MS = 20_000;
const TICKS_PER_SECOND = 100;
const TICK_US = 1_000_000 / TICKS_PER_SECOND;
const ROOT = `${import.meta.dirname}/..`;

/** Whether taskset exists and there is more than one core. */
export const CAN_PIN = cpus().length > 1 && hasTaskset();

function hasTaskset(): boolean {
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The command line, pinned to one core where possible. */
export function pinned(core: number | undefined, command: readonly string[]): readonly string[] {
  if (core === undefined || !CAN_PIN) return command;
  return ["taskset", "-c", String(core % cpus().length), ...command];
}

/** Finds a free port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

/** A server under test. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
  /** Milliseconds from the start of the process to its first line with "serving". */
  readonly startMs: number;
  /** Address of its inspector; empty unless requested. */
  readonly inspectUrl: string;
  /** Stops it with SIGTERM, after a grace period with SIGKILL. */
  stop(): Promise<void>;
}

/** Waits for the line "serving"; fails with the process's output when it ends before. */
function whenServing(child: ChildProcess): Promise<{ inspectUrl: string }> {
  return new Promise((resolve, reject) => {
    let output = "";
    let inspectUrl = "";
    const timer = setTimeout(() => reject(new Error(`no start in time: ${output}`)), START_MS);
    const take = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-8_192);
      inspectUrl ||= /ws:\/\/\S+/.exec(output)?.[0] ?? "";
      if (!/^serving$|"msg":"serving"/m.test(output)) return;
      clearTimeout(timer);
      output = "";
      resolve({ inspectUrl });
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code ?? signal} before it served: ${output}`));
    });
    child.once("error", reject);
  });
}

/** Starts a server process and waits until it serves. */
export async function startProcess(
  args: readonly string[],
  port: number,
  core: number | undefined,
): Promise<Running> {
  const [command = "node", ...rest] = pinned(core, [process.execPath, ...args]);
  const start = performance.now();
  // The store has as many threads for its commits as in the image.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "16", MALLOC_ARENA_MAX: "1" };
  const child = spawn(command, rest, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const { inspectUrl } = await whenServing(child);
  const startMs = performance.now() - start;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await exited;
    clearTimeout(timer);
  };
  return { child, pid: child.pid ?? 0, port, startMs, inspectUrl, stop };
}

/** Starts the echo server. It needs a file for durable echoes. */
export async function startEcho(
  core: number | undefined,
  { inspect = false, file = "" } = {},
): Promise<Running> {
  const port = await freePort();
  const args = ["--max-semi-space-size=16", "bench/echo-server.ts", String(port)];
  if (file !== "") args.push(file);
  if (inspect) args.unshift(`--inspect=127.0.0.1:${await freePort()}`);
  return startProcess(args, port, core);
}

let compiled: string | undefined;

/**
 * Folder of the server as it is installed: compiled, once in each process. Run from its sources, it
 * takes half a second longer to start and 25 MiB more.
 */
function compiledServer(): string {
  if (compiled !== undefined) return compiled;
  // Directly below the root, where the server finds the descriptors of the contract.
  const folder = mkdtempSync(join(ROOT, "dist-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (!buildPart("server", folder)) throw new Error("the server does not compile");
  compiled = folder;
  return folder;
}

/** Starts the server on a data directory. */
export async function startReal(
  directory: string,
  options: {
    readonly core: number | undefined;
    readonly inspect?: boolean;
    /** Additional flags of the server. */
    readonly flags?: readonly string[];
  },
): Promise<Running> {
  const port = await freePort();
  const args = ["--max-semi-space-size=16", join(compiledServer(), "main.js"), "serve"];
  args.push("--data-dir", directory, "--listen", `127.0.0.1:${port}`, ...(options.flags ?? []));
  if (options.inspect === true) args.unshift(`--inspect=127.0.0.1:${await freePort()}`);
  return startProcess(args, port, options.core);
}

/** Starts the server of another checkout, from its sources. */
export async function startTree(
  tree: string,
  directory: string,
  core: number | undefined,
): Promise<Running> {
  const port = await freePort();
  const serve = ["serve", "--data-dir", directory, "--listen", `127.0.0.1:${port}`];
  return startProcess(["--max-semi-space-size=16", `${tree}/src/main.ts`, ...serve], port, core);
}

/** CPU time of a process so far, in milliseconds. */
export function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

/** Microseconds of processor time so far, by kind of thread. */
export function threadUs(pid: number): Map<string, number> {
  const found = new Map<string, number>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, "latin1");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const us = (Number(fields[11]) + Number(fields[12])) * TICK_US;
    found.set(name, (found.get(name) ?? 0) + us);
  }
  return found;
}

function statusBytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1_024;
}

/** Resident memory of a process in bytes, including pages of the mapped store. */
export function rssBytes(pid: number): number {
  return statusBytes(pid, "VmRSS");
}

/** Resident memory without file pages, which the system reclaims when it needs them. */
export function ownBytes(pid: number): number {
  return statusBytes(pid, "RssAnon");
}

/** A helper process that reads one job per line and answers with one line each. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];

  constructor(script: string, core: number | undefined) {
    const [command = "node", ...rest] = pinned(core, [process.execPath, script]);
    this.#child = spawn(command, rest, { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
    if (this.#child.stdout === null) throw new Error("a worker needs its output");
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#lines.on("line", (line) => this.#waiting.shift()?.resolve(line));
    this.#child.once("exit", () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`${script} ended`));
    });
  }

  /** Sends a job and waits for its answer. */
  async ask<R>(job: unknown): Promise<R> {
    const line = await new Promise<string>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify(job)}\n`);
    });
    const answer = JSON.parse(line) as { result?: R; error?: string };
    if (answer.result === undefined) throw new Error(answer.error ?? "no answer");
    return answer.result;
  }

  /** Ends the process. */
  stop(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Result of a load, with its cost on the server. */
export interface Measured extends JobResult {
  /** Server CPU per call in microseconds, over the whole job. */
  readonly cpuUs: number;
}

/** Runs a load against a server and measures both. */
export async function measure(
  loader: Worker,
  server: Running,
  job: Omit<Job, "port">,
): Promise<Measured> {
  const before = cpuMs(server.pid);
  const result = await loader.ask<JobResult>({ ...job, port: server.port });
  const cpuUs = ((cpuMs(server.pid) - before) * 1_000) / Math.max(1, result.callsTotal);
  return { ...result, cpuUs };
}
