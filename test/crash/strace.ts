// Records the system calls of a process and finds the order of those that make a write durable.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const CALLS = "pwrite64,pwritev,pwritev2,write,writev,sendto,sendmsg,fdatasync,fsync,msync";
/** As much of a written buffer as is recorded: a large page run is longer than one page. */
const STRING_BYTES = 131_072;
const ATTACH_MS = 10_000;
const META_BYTES_MAX = 4_096;
const O_DSYNC = 0o10000;

/** One system call; `begin` and `end` count lines of the record. */
export interface SystemCall {
  readonly name: string;
  readonly fd: number;
  /** Target of the descriptor, as strace prints it. */
  readonly target: string;
  /** The arguments after the descriptor. */
  readonly rest: string;
  readonly begin: number;
  end: number;
}

/** Says why strace cannot be used here; undefined when it can. */
export function straceMissing(): string | undefined {
  try {
    execFileSync("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "strace is missing or may not trace here (Debian package strace)";
  }
}

/** A record under way. */
export interface Recording {
  /** Ends the record and returns its calls in the order in which they began. */
  stop(): Promise<SystemCall[]>;
}

/** Records the calls of a running process, all threads of it. */
export async function record(pid: number, file: string): Promise<Recording> {
  const args = ["-f", "-y", "-s", String(STRING_BYTES), "-e", `trace=${CALLS}`];
  const child = spawn("strace", [...args, "-o", file, "-p", String(pid)], { stdio: "pipe" });
  await attached(child);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    stop: async () => {
      child.kill("SIGINT");
      await ended;
      return parse(readFileSync(file, "utf8"));
    },
  };
}

async function attached(child: ChildProcess): Promise<void> {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  for (let waited = 0; waited < ATTACH_MS; waited += 20) {
    if (/attached/.test(said)) {
      // The threads are attached one after the other.
      await sleep(200);
      return;
    }
    if (child.exitCode !== null) break;
    await sleep(20);
  }
  child.kill("SIGKILL");
  throw new Error(`strace did not attach: ${said}`);
}

/** Reads a record, joining calls that were interrupted by those of other threads. */
export function parse(text: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const open = new Map<string, SystemCall>();
  text.split("\n").forEach((line, at) => {
    const resumed = /^(\d+)\s+<\.\.\. (\w+) resumed>/.exec(line);
    if (resumed !== null) {
      const call = open.get(resumed[1] ?? "");
      if (call !== undefined) call.end = at;
      return;
    }
    const match = /^(\d+)\s+(\w+)\((\d+)<([^>]*)>(.*)$/s.exec(line);
    if (match === null) return;
    const [, thread = "", name = "", fd = "", target = "", rest = ""] = match;
    const unfinished = line.endsWith("<unfinished ...>");
    const end = unfinished ? Number.POSITIVE_INFINITY : at;
    const call: SystemCall = { name, fd: Number(fd), target, rest, begin: at, end };
    calls.push(call);
    if (unfinished) open.set(thread, call);
  });
  return calls;
}

function isStore(call: SystemCall): boolean {
  return /\.mdb$/.test(call.target) && !/lock\.mdb$/.test(call.target);
}

function isRedoLog(call: SystemCall): boolean {
  return /\/redo\.log$/.test(call.target);
}

function isWrite(call: SystemCall): boolean {
  return /write|send/.test(call.name);
}

/** Whether a descriptor of a process makes every write durable before it returns. */
function isSynchronous(pid: number, fd: number): boolean {
  const flags = /flags:\s+([0-7]+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "latin1"));
  return (Number.parseInt(flags?.[1] ?? "0", 8) & O_DSYNC) !== 0;
}

/** The meta page is a short write at the very start of the file, to one of two places. */
function isMeta(call: SystemCall): boolean {
  const place = /, (\d+), (\d+)(\)| <unfinished)/.exec(call.rest.slice(-80));
  if (place === null || !isStore(call)) return false;
  return Number(place[1]) < META_BYTES_MAX && Number(place[2]) < 2 * 65_536;
}

/** Bytes that identify one write to a store in a record. */
export interface Needle {
  /** Is in the data that is stored. */
  readonly stored: string;
  /** Is in the answer. */
  readonly answered: string;
}

/**
 * Checks that a write was durable before it was answered: in the redo log by a synchronous write,
 * or in the file by a flush and a synchronous meta write that makes it valid. Returns what is
 * wrong; undefined when the order is right.
 */
export function durableOrder(
  pid: number,
  calls: readonly SystemCall[],
  { stored, answered }: Needle,
): string | undefined {
  const data = calls.find(
    (call) => (isRedoLog(call) || isStore(call)) && isWrite(call) && call.rest.includes(stored),
  );
  if (data === undefined) return `${stored}: no write of the data`;
  let durable = data;
  if (isRedoLog(data)) {
    if (!isSynchronous(pid, data.fd)) return `${stored}: the redo log is not synchronous`;
  } else {
    const flush = calls.find(
      (call) => /sync/.test(call.name) && call.begin > data.end && isStore(call),
    );
    if (flush === undefined) return `${stored}: no flush after the data`;
    const meta = calls.find((call) => isMeta(call) && call.begin > flush.end);
    if (meta === undefined) return `${stored}: no meta write after the flush`;
    if (!isSynchronous(pid, meta.fd)) {
      const second = calls.find((call) => /sync/.test(call.name) && call.begin > meta.end);
      if (second === undefined) return `${stored}: the meta write is not synchronous`;
    }
    durable = meta;
  }
  const answer = calls.find(
    (call) => !isStore(call) && !isRedoLog(call) && call.rest.includes(answered),
  );
  if (answer === undefined) return `${answered}: no answer`;
  if (answer.begin > durable.end) return undefined;
  return `${answered}: answered before the ${isRedoLog(durable) ? "log" : "meta write"}`;
}
