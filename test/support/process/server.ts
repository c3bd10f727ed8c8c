// Starts the server as a separate process, for end-to-end tests, benches and the demo.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(import.meta.dirname, "../../..");
/** Tests of what a server takes of memory start this one: from a pack it takes 45 MiB less. */
export const SERVER_SOURCE = join(ROOT, "src/main.ts");
/** The file that starts the server: the one that `npm test` packs its sources into, or these. */
export const SERVER_MAIN = process.env["TEST_SERVER"] ?? SERVER_SOURCE;

/** Options of the process to start. */
export interface ServerOptions {
  /** The data directory. */
  readonly dataDir: string;
  /** Listen address. Default: `127.0.0.1:0`, a free port. */
  readonly listen?: string;
  /** Additional arguments of `serve`. */
  readonly args?: readonly string[];
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Flags for node itself, for example `--inspect`. */
  readonly nodeArgs?: readonly string[];
  /** File of a control group that the process joins before it starts. */
  readonly cgroup?: string;
  /** The file that starts the server. Default: `SERVER_MAIN`. */
  readonly main?: string;
  /** Time limit for the start in milliseconds. Default: 120,000. */
  readonly startTimeoutMs?: number;
}

/** Exit of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running server process. */
export interface RunningServer {
  /** Address to connect to: `host:port` or `unix:/path`. */
  readonly address: string;
  /** All addresses, when it listens on several. */
  readonly addresses: readonly string[];
  readonly pid: number;
  /** Settles after the process has ended. */
  readonly exited: Promise<Exit>;
  /** The log entries so far, oldest first. */
  readonly logs: readonly LogEntry[];
  /** Output lines that are no log entries, for example the trace of a crash. */
  readonly output: readonly string[];
  /** Sends a signal, by default SIGKILL, and waits for the process to end. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
  /** Stops the server gracefully; kills it after a minute. */
  stop(): Promise<Exit>;
}

/** One line of the server's log. */
export type LogEntry = Readonly<Record<string, unknown>>;

const STOP_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 120_000;
const OUTPUT_LINES = 200;

/** Running processes, killed with this one. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

function parseEntry(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as LogEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** Output lines of a process, split into log entries and the rest. */
function collect(child: ChildProcess, onEntry: (entry: LogEntry) => void) {
  const logs: LogEntry[] = [];
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      const entry = parseEntry(line);
      if (entry === undefined) {
        output.push(line);
        if (output.length > OUTPUT_LINES) output.shift();
        return;
      }
      logs.push(entry);
      onEntry(entry);
    });
  }
  return { logs, output };
}

function launch(options: ServerOptions): ChildProcess {
  const { dataDir, listen = "127.0.0.1:0", args = [], nodeArgs = [] } = options;
  // A module that is loaded before the server changes its sources.
  const usual = nodeArgs.includes("--import") ? SERVER_SOURCE : SERVER_MAIN;
  const argv = [...nodeArgs, options.main ?? usual, "serve"];
  argv.push("--data-dir", dataDir, "--listen", listen, ...args);
  // The shell joins the group and becomes the server.
  const [command, ...words] =
    options.cgroup === undefined
      ? [process.execPath, ...argv]
      : ["sh", "-c", 'echo $$ > "$0" && exec "$@"', options.cgroup, process.execPath, ...argv];
  const child = spawn(command, words, {
    cwd: ROOT,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/**
 * Starts a server and waits until it serves.
 *
 * Throws with the end of its output when it stops or does not serve in time.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const child = launch(options);
  const serving = Promise.withResolvers<readonly string[]>();
  const { logs, output } = collect(child, (entry) => {
    if (entry["msg"] === "serving") serving.resolve([entry["address"]].flat().map(String));
  });
  const fail = (why: string): void => {
    const tail = [...logs.map((entry) => JSON.stringify(entry)), ...output].slice(-20);
    serving.reject(new Error(`The server ${why}.\n${tail.join("\n")}`));
  };
  child.once("error", (error) => fail(`could not be started: ${error.message}`));
  // "close" follows the last line of output, while "exit" may precede it.
  const exited = once(child, "close").then(([code, signal]): Exit => ({ code, signal }));
  exited.then(({ code, signal }) => fail(`ended with ${signal ?? code} before it served`), fail);
  const timer = setTimeout(() => {
    fail("did not serve in time");
    child.kill("SIGKILL");
  }, options.startTimeoutMs ?? START_TIMEOUT_MS);
  try {
    const addresses = await serving.promise;
    const ends = { exited, logs, output, ...controls(child, exited) };
    return { address: addresses[0] ?? "", addresses, pid: child.pid ?? 0, ...ends };
  } finally {
    clearTimeout(timer);
  }
}

function controls(child: ChildProcess, exited: Promise<Exit>) {
  const kill = (signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> => {
    child.kill(signal);
    return exited;
  };
  const stop = async (): Promise<Exit> => {
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    try {
      return await kill("SIGTERM");
    } finally {
      clearTimeout(timer);
    }
  };
  return { kill, stop };
}
