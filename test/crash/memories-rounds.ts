// One data directory over many lives of a server that remembers: every round starts the server,
// holds what it shows against the account, loads it, has it killed, and verifies the files.

import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isMemorySidecarError, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import type { Random } from "../support/kit/random.ts";
import {
  type LogEntry,
  type RunningServer,
  SERVER_MAIN,
  startServer,
} from "../support/process/server.ts";
import { ScopeAccount } from "./memories-account.ts";
import {
  drainJobs,
  fillAndDelete,
  type MemoryLoad,
  openScope,
  readScope,
  writeScope,
} from "./memories-load.ts";
import { plainClient } from "./writers.ts";

const FAILPOINT_MS = 180_000;
const CALM_MS = 10_000;
const ROUND_CALLS = 100;

/** End of a round. */
export type MemoriesEnd =
  | { readonly kind: "kill"; readonly afterMs: number }
  | { readonly kind: "failpoint"; readonly spec: string };

function isQuiet({ level }: LogEntry): boolean {
  return level !== "error" && level !== "fatal";
}

/** Totals over all rounds of a test. */
export interface MemoriesTally {
  rounds: number;
  checks: number;
  acknowledged: number;
  unanswered: number;
  happened: number;
  /** Memories that were read and held against the account. */
  seen: number;
  /** Jobs that were there at a start. */
  interrupted: number;
  wrong: string[];
}

/** An empty tally. */
export function newMemoriesTally(): MemoriesTally {
  const counts = { rounds: 0, checks: 0, acknowledged: 0, unanswered: 0, happened: 0 };
  return { ...counts, seen: 0, interrupted: 0, wrong: [] };
}

/** A data directory and what is known of it. */
export class MemoriesChain {
  readonly #dataDir: string;
  readonly #random: Random;
  readonly #tally: MemoriesTally;
  readonly #nodeArgs: readonly string[];
  readonly #accounts = [
    new ScopeAccount("turns-1", { gives: "promotion", limit: 6 }),
    new ScopeAccount("turns-2", { gives: "promotion", limit: 30 }),
    new ScopeAccount("facts-1", { gives: "extraction", limit: 20 }),
    new ScopeAccount("facts-2", { gives: "extraction", limit: 1_000 }),
    new ScopeAccount("told-1", { gives: "nothing", limit: 8 }),
    new ScopeAccount("told-2", { gives: "nothing", limit: 50 }),
    new ScopeAccount("told-3", { gives: "nothing", limit: 8 }),
  ];
  #isBorn = false;
  #number = 0;

  constructor(
    dataDir: string,
    random: Random,
    tally: MemoriesTally,
    nodeArgs: readonly string[] = [],
  ) {
    this.#dataDir = dataDir;
    this.#random = random;
    this.#tally = tally;
    this.#nodeArgs = nodeArgs;
  }

  /** Starts, checks, loads and kills the server once, and verifies the files. */
  async round(end: MemoriesEnd): Promise<void> {
    this.#tally.rounds += 1;
    const args = end.kind === "failpoint" ? ["--failpoints", end.spec] : [];
    const server = await this.#start(args).catch((error: Error) => {
      // The jobs that were left pass it too.
      if (end.kind !== "failpoint" || !error.message.includes("SIGKILL")) throw error;
    });
    if (server === undefined) return;
    const client = plainClient(server.address);
    try {
      const isChecked = await this.#check(client, server).then(
        () => true,
        (error: unknown) => {
          const isGone = isMemorySidecarError(error) && error.reason === "";
          if (end.kind === "failpoint" && isGone && server.logs.every(isQuiet)) return false;
          const log = server.logs
            .filter((entry) => !isQuiet(entry))
            .map((one) => JSON.stringify(one));
          throw new Error(`a check failed: ${log.join("\n").slice(0, 3_000)}`, { cause: error });
        },
      );
      if (isChecked) await this.#load(client, server, end);
      this.#checkLog(server);
    } finally {
      client.close();
      await server.kill();
    }
    await this.#verify();
  }

  /** Checks a last time, and adds up. */
  async finish(): Promise<void> {
    const server = await this.#start([]);
    const client = plainClient(server.address);
    await this.#check(client, server);
    client.close();
    await server.stop();
    await this.#verify();
    for (const { acknowledged, happened, unanswered } of this.#accounts) {
      this.#tally.acknowledged += acknowledged;
      this.#tally.unanswered += unanswered;
      this.#tally.happened += happened;
    }
  }

  #start(args: readonly string[]): Promise<RunningServer> {
    return startServer({ dataDir: this.#dataDir, nodeArgs: this.#nodeArgs, args });
  }

  async #check(client: MemorySidecar, server: RunningServer): Promise<void> {
    if (!this.#isBorn) {
      for (const account of this.#accounts) await openScope(client, account);
      this.#isBorn = true;
      return;
    }
    for await (const _ of client.listTasks()) this.#tally.interrupted += 1;
    await drainJobs(client);
    // All is read before any of it is settled: the server may end meanwhile.
    const seen = [];
    for (const account of this.#accounts) seen.push(await readScope(client, account));
    for (const [at, account] of this.#accounts.entries()) {
      const scope = seen[at] ?? { log: [], memories: [] };
      this.#tally.seen += scope.memories.length;
      this.#tally.wrong.push(...account.check(scope));
    }
    this.#tally.checks += 1;
    if (server.output.length > 0) {
      this.#tally.wrong.push(`the server printed: ${server.output.slice(0, 3).join(" / ")}`);
    }
    this.#checkLog(server);
  }

  #checkLog({ logs }: RunningServer): void {
    const bad = logs.find((entry) => !isQuiet(entry));
    if (bad !== undefined) this.#tally.wrong.push(`the server logged ${JSON.stringify(bad)}`);
  }

  async #load(client: MemorySidecar, server: RunningServer, end: MemoriesEnd): Promise<void> {
    const load: MemoryLoad = {
      ...{ client, random: this.#random, wrong: this.#tally.wrong, isStopped: false },
      number: () => {
        this.#number += 1;
        return this.#number;
      },
    };
    const before = this.#acknowledged();
    const work = [
      ...this.#accounts.map((account) => writeScope(load, account)),
      fillAndDelete(load),
    ];
    if (end.kind === "kill") {
      const enough = before + (this.#tally.rounds % 5 === 0 ? 0 : ROUND_CALLS);
      await sleep(end.afterMs);
      for (let i = 0; i < 500 && this.#acknowledged() < enough; i++) await sleep(10);
      await server.kill();
    } else {
      const limit = sleep(FAILPOINT_MS, undefined, { ref: false });
      // When all writers have ended, nothing comes to the failpoint any more.
      const calm = Promise.all(work).then(() => sleep(CALM_MS, undefined, { ref: false }));
      const exit = await Promise.race([server.exited, limit, calm]);
      if (exit?.signal !== "SIGKILL") {
        this.#tally.wrong.push(`failpoint ${end.spec} was not reached`);
        await server.kill();
      }
    }
    load.isStopped = true;
    await Promise.all(work);
  }

  #acknowledged(): number {
    return this.#accounts.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async #verify(): Promise<void> {
    try {
      await promisify(execFile)(process.execPath, [SERVER_MAIN, "verify", this.#dataDir]);
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      this.#tally.wrong.push(`verify found damage: ${stdout}${stderr}`.slice(0, 2_000));
    }
  }
}
