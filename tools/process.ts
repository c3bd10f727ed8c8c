// Runs the programs that the tools call.

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, "..");

/** Options of a run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit in milliseconds. Default: none. */
  readonly limitMs?: number;
  /** Whether output is captured instead of shown. Default: false. */
  readonly quiet?: boolean;
}

/** Result of a run. */
export interface RunResult {
  readonly code: number | null;
  /** Captured output of a quiet run. */
  readonly output: string;
  readonly timedOut: boolean;
  /** Whether processes that it started outlived it; they are then killed. */
  readonly leftProcesses: boolean;
}

/** Time for a process group to end by itself on a busy machine. */
const GRACE_MS = 5_000;
const groups = new Set<number>();
function killGroups(): void {
  for (const pid of groups) signalGroup(pid, "SIGKILL");
}
process.once("exit", killGroups);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    killGroups();
    process.exit(1);
  });
}

/** Runs a program in its own process group, so that none of its children survives. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const path = `${join(ROOT, "node_modules/.bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  const child = spawn(command, args, {
    cwd: options.cwd ?? ROOT,
    env: {
      ...process.env,
      ...(options.quiet === true ? { NO_COLOR: "1" } : {}),
      PATH: path,
      ...options.env,
    },
    stdio: options.quiet === true ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const pid = child.pid;
  if (pid !== undefined) groups.add(pid);
  let timedOut = false;
  const timer =
    options.limitMs === undefined || pid === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          signalGroup(pid, "SIGKILL");
        }, options.limitMs);
  const { code, output } = await ended(child);
  clearTimeout(timer);
  const leftProcesses = pid !== undefined && (await outlived(pid));
  if (leftProcesses) signalGroup(pid, "SIGKILL");
  if (pid !== undefined) groups.delete(pid);
  return { code, output, timedOut, leftProcesses: leftProcesses && !timedOut };
}

function ended(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  }
  return new Promise((resolve) => {
    const finish = (code: number | null): void =>
      resolve({ code, output: Buffer.concat(chunks).toString() });
    child.once("error", (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      finish(null);
    });
    // Not "close", which waits for a surviving child that holds the pipe.
    child.once("exit", (code) => setImmediate(finish, code));
  });
}

/** Whether a group is still alive after a grace period for its workers. */
async function outlived(pid: number): Promise<boolean> {
  for (let waited = 0; waited < GRACE_MS; waited += 100) {
    if (!hasLiving(pid)) return false;
    await sleep(100);
  }
  return true;
}

/**
 * Whether a process of a group lives. Zombies do not count: where init reaps slowly, such as in a
 * container, the watchdog of vitest stays a zombie for seconds, and signals to its group succeed.
 */
export function hasLiving(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      // The program name, in parentheses, may contain any character.
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(processGroup) === group && state !== "Z" && state !== "X";
    } catch {
      // The process ended before the read.
      return false;
    }
  });
}

/** Signals a process group; false when it has no living process. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Seconds since a start, formatted for output. */
export function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1_000;
}
