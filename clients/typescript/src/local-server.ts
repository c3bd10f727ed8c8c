// A server that a program starts for itself.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onlyFields } from "./choice.ts";

/** Options of a local server. */
export interface LocalServerOptions {
  /** Folder of the data. Default: a temporary one, deleted at the end. */
  readonly dataDir?: string;
  /** Flags of `memory-sidecar serve`. */
  readonly flags?: readonly string[];
  /**
   * The words that run `memory-sidecar`. Default: the npm package `memory-sidecar`, from this
   * package or from the working directory, else the command in the path.
   */
  readonly command?: readonly string[];
  /** Time limit of the start in milliseconds. Default: 30,000. */
  readonly startTimeoutMs?: number;
}

const OPTIONS = { dataDir: true, flags: true, command: true, startTimeoutMs: true } as const;
const HINT = "npm install memory-sidecar, or pip install 'memory-sidecar[server]'";
/** Exit code of a shell whose command does not exist. */
const NOT_FOUND = 127;
const STOP_MS = 15_000;
const LOG_BYTES = 64 * 1024;

// Stops the server when the pipe on the standard input ends, which happens even if the program that
// holds it is killed. Then removes the folder of the socket.
const KEEPER = `
folder=$1; shift
exec 3<&0
"$@" < /dev/null 3<&- &
server=$!
{ read -r line <&3; kill -TERM "$server"; } 2> /dev/null &
waiting=$!
wait "$server"; code=$?
kill "$waiting" 2> /dev/null
rm -rf "$folder"
exit "$code"
`;

/**
 * A server process on a Unix socket, for tests and for programs that want no service.
 *
 * It stops with the program, also when the program is killed, and does not keep it running.
 * Variables named `MEMORY_SIDECAR_...` have no effect on it.
 */
export class LocalServer implements AsyncDisposable {
  /** The address for a client. */
  readonly address: string;
  readonly #folder: string;
  /** A file without a name, which ends with the last process that has it open. */
  readonly #log: number;
  readonly #keeper: ChildProcess;
  readonly #ended: Promise<unknown>;
  #closing: Promise<void> | undefined;

  private constructor(folder: string, words: readonly string[]) {
    this.#folder = folder;
    this.address = `unix:${folder}/sock`;
    this.#log = openSync(`${folder}/log`, "w+");
    rmSync(`${folder}/log`);
    this.#keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", folder, ...words], {
      env: environment(),
      stdio: ["pipe", this.#log, this.#log],
      detached: true,
    });
    this.#ended = once(this.#keeper, "exit");
    this.#keeper.unref();
    (this.#keeper.stdin as Socket | null)?.unref();
  }

  /** Starts a server and waits until it serves. Throws an Error that says why it does not. */
  static async start(options: LocalServerOptions = {}): Promise<LocalServer> {
    onlyFields("local server", options, OPTIONS);
    const { startTimeoutMs = 30_000, flags = [], command = installed() } = options;
    // The path of a socket has at most 107 bytes, and on macOS 103.
    const folder = mkdtempSync(join(tmpdir(), "ms-"));
    const dataDir = resolve(options.dataDir ?? `${folder}/data`);
    const listen = `unix:${folder}/sock`;
    const serve = ["serve", "--data-dir", dataDir, "--listen", listen, ...flags];
    const server = new LocalServer(folder, [...command, ...serve]);
    try {
      await server.#waitUntilItServes(startTimeoutMs);
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  async #waitUntilItServes(limitMs: number): Promise<void> {
    const untilMs = performance.now() + limitMs;
    while (!(await accepts(`${this.#folder}/sock`))) {
      const { exitCode, signalCode } = this.#keeper;
      const ended = exitCode !== null || signalCode !== null;
      if (ended || performance.now() > untilMs) {
        const how = ended ? "ended" : `did not serve within ${limitMs} ms`;
        const hint = exitCode === NOT_FOUND ? `no server is installed: ${HINT}\n` : "";
        throw new Error(`the local server ${how}:\n${hint}${this.log().trim()}`);
      }
      await sleep(20);
    }
  }

  /** The newest 64 KiB of output; the log level is `warn` unless a flag sets another. */
  log(): string {
    if (this.#closing !== undefined) return "";
    const { size } = fstatSync(this.#log);
    const buffer = Buffer.alloc(Math.min(size, LOG_BYTES));
    return buffer.toString(
      "utf8",
      0,
      readSync(this.#log, buffer, 0, buffer.length, size - buffer.length),
    );
  }

  /** Stops the server and waits for its end; deletes the data unless they have a folder. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { exitCode, signalCode, stdin, pid } = this.#keeper;
    if (exitCode === null && signalCode === null) {
      stdin?.destroy();
      this.#keeper.ref();
      const late = setTimeout(() => {
        // The whole group: the keeper alone would leave the server.
        if (pid !== undefined) process.kill(-pid, "SIGKILL");
      }, STOP_MS);
      await this.#ended;
      clearTimeout(late);
    }
    closeSync(this.#log);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The server of the npm package, or the command of that name in the path. */
function installed(): string[] {
  for (const from of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      const manifest = createRequire(from).resolve("memory-sidecar/package.json");
      return [join(dirname(manifest), "bin/memory-sidecar.sh")];
    } catch {
      // It is not installed there.
    }
  }
  return ["memory-sidecar"];
}

function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("MEMORY_SIDECAR_"),
  );
  const defaults = { UV_THREADPOOL_SIZE: "16", MALLOC_ARENA_MAX: "1" };
  return { ...defaults, ...Object.fromEntries(others), MEMORY_SIDECAR_LOG_LEVEL: "warn" };
}

/** Whether somebody listens on a socket. */
function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
