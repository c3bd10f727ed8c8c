// Runs the programs that the tools are made of.

import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, "..");

/** How a program is run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** When it is killed, in milliseconds. Default: never. */
  readonly limitMs?: number;
  /** Whether its output is kept instead of shown. Default false. */
  readonly quiet?: boolean;
}

/** How a program ended. */
export interface RunResult {
  readonly code: number | null;
  /** What it wrote, when it ran quietly. */
  readonly output: string;
  readonly timedOut: boolean;
  /** Whether processes that it started outlived it; they are killed. */
  readonly leftProcesses: boolean;
}

/**
 * How long a group may take to end by itself. Two seconds were too few: at times a worker of the
 * storage tests was gone only just after them. What hangs stays for ever, so waiting hides nothing.
 */
const GRACE_MS = 15_000;
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

/** Runs a program in a process group of its own, so that nothing it starts is left behind. */
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
    // Not "close": a process left behind may hold the pipe for ever.
    child.once("exit", (code) => setImmediate(finish, code));
  });
}

/** Whether a group still lives after the time that workers need to end by themselves. */
async function outlived(pid: number): Promise<boolean> {
  for (let waited = 0; waited < GRACE_MS; waited += 100) {
    if (!signalGroup(pid, 0)) return false;
    await sleep(100);
  }
  return true;
}

/** Signals a process group; false when nothing of it lives. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Seconds since a start, for people. */
export function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1_000;
}
