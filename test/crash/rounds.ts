// One data directory over many lives of the server: every round starts the server, holds what it
// shows against the journal, repeats some calls, loads it, and has it killed.

import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { MemorySidecar } from "../../clients/typescript/src/index.ts";
import type { Random } from "../support/kit/random.ts";
import { type RunningServer, SERVER_MAIN, startServer } from "../support/process/server.ts";
import { drained } from "../support/process/summary-reader.ts";
import { Chores } from "./chores.ts";
import { type Entry, Journal, type Operation } from "./journal.ts";
import { observe } from "./observe.ts";
import { check, settle } from "./oracle.ts";
import {
  plainClient,
  SMALL_POLICY,
  SUMMARIZING_POLICY,
  send,
  Writer,
  watchInto,
} from "./writers.ts";

/** Acknowledged operations that are repeated after a restart, to see that nothing happens twice. */
const REPEATS = 12;
const FAILPOINT_MS = 180_000;
const ROUND_WRITES = 40;

/** The session whose messages leave its window when a hook has summarized them. */
const SUMMARIZED = "delta";

/** End of a round. */
export type End =
  | { readonly kind: "kill"; readonly afterMs: number }
  | { readonly kind: "failpoint"; readonly spec: string };

/** Totals over all rounds of a test. */
export interface Tally {
  rounds: number;
  acknowledged: number;
  unanswered: number;
  refused: number;
  events: number;
  repeated: number;
  wrong: string[];
}

/** An empty tally. */
export function newTally(): Tally {
  const counts = { rounds: 0, acknowledged: 0, unanswered: 0, refused: 0, events: 0, repeated: 0 };
  return { ...counts, wrong: [] };
}

/** A data directory and what is known of it. */
export class Chain {
  readonly journal: Journal;
  readonly chores: Chores;
  readonly #dataDir: string;
  readonly #random: Random;
  readonly #writers: number;
  readonly #tally: Tally;
  #born = false;

  constructor(dataDir: string, random: Random, tally: Tally, writers = 12) {
    this.#dataDir = dataDir;
    this.#random = random;
    this.#tally = tally;
    this.#writers = writers;
    this.journal = new Journal(["alpha", "beta", "gamma", SUMMARIZED]);
    this.chores = new Chores(this.journal);
  }

  /** Starts, checks, loads and ends the server once. */
  async round(end: End, withChores = false): Promise<void> {
    // The check and the repeats must not pass the failpoint: they have a server of their own.
    if (end.kind === "failpoint") await this.#greetAlone();
    const args = end.kind === "failpoint" ? ["--failpoints", end.spec] : [];
    const server = await startServer({ dataDir: this.#dataDir, args }).catch((error: Error) => {
      // The failpoint may lie on the way to serving.
      if (end.kind !== "failpoint" || !error.message.includes("SIGKILL")) throw error;
    });
    this.#tally.rounds += 1;
    if (server === undefined) return;
    const clients = [0, 1, 2].map(() => plainClient(server.address));
    const [client] = clients;
    if (client === undefined) return;
    try {
      if (end.kind === "kill") await this.#greet(client, server);
      await this.#load(clients, server, end, withChores);
    } finally {
      for (const one of clients) one.close();
      await server.kill();
    }
  }

  async #greetAlone(): Promise<void> {
    const server = await startServer({ dataDir: this.#dataDir });
    const client = plainClient(server.address);
    await this.#greet(client, server);
    client.close();
    await server.stop();
  }

  /** Starts the server a last time, checks, and stops it in order; checks the files then. */
  async finish(): Promise<void> {
    await this.#greetAlone();
    await this.verifyFiles();
    this.#tally.acknowledged += this.journal.acknowledged;
    this.#tally.unanswered += this.journal.unanswered;
    this.#tally.refused += this.journal.refused;
  }

  /** Runs `memory-sidecar verify` on the directory of a server that is not running. */
  async verifyFiles(): Promise<void> {
    try {
      await promisify(execFile)(process.execPath, [SERVER_MAIN, "verify", this.#dataDir]);
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      this.#tally.wrong.push(`verify found damage: ${stdout}${stderr}`.slice(0, 2_000));
    }
  }

  async #greet(client: MemorySidecar, server: RunningServer): Promise<void> {
    if (!this.#born) {
      for (const sessionId of this.journal.sessionIds) {
        const policy = sessionId === SUMMARIZED ? SUMMARIZING_POLICY : SMALL_POLICY;
        await client.createSession({ sessionId, policy });
      }
      this.#born = true;
      return;
    }
    // The data must not change while they are read.
    await drained(client, SUMMARIZED);
    const others = this.chores.used ? [Chores.namespace] : [];
    const seen = await observe(client, this.journal.sessionIds, others);
    this.#tally.wrong.push(...check(this.journal, seen));
    this.#tally.wrong.push(...(await this.chores.check(client)));
    this.#tally.events = Math.max(this.#tally.events, seen.events.length);
    const unknown = this.journal.unknown();
    settle(this.journal, seen);
    await this.#repeat(client, unknown);
    if (server.output.length > 0) {
      this.#tally.wrong.push(`the server printed: ${server.output.slice(0, 3).join(" / ")}`);
    }
  }

  /** Repeats all that had no answer and some that had one; each must be done exactly once. */
  async #repeat(client: MemorySidecar, unknown: readonly Operation[]): Promise<void> {
    const answered = [...this.journal.operations.values()].filter(
      (operation) => operation.outcome === "yes" && !unknown.includes(operation),
    );
    const some = Array.from({ length: Math.min(REPEATS, answered.length) }, () =>
      this.#random.pick(answered),
    );
    for (const operation of [...unknown, ...some]) {
      const before = operation.outcome === "yes" ? operation.revision : undefined;
      const seqs = operation.messageIds.map((id) => this.journal.entries.get(id)?.seq);
      if (before === undefined && operation.messageIds[0]?.startsWith("refused")) continue;
      const answer = await send(client, this.journal, operation).catch((error: unknown) => {
        this.#tally.wrong.push(`${operation.requestId}: its repeat failed: ${error}`);
      });
      if (answer === undefined) continue;
      this.#tally.repeated += 1;
      if (before === undefined) {
        this.journal.acknowledge(operation, answer);
        continue;
      }
      const same = operation.kind !== "append" || answer.seqs?.join() === seqs.join();
      if (answer.revision !== before || !same) {
        this.#tally.wrong.push(`DUPLICATE ${operation.requestId}: its repeat was answered anew`);
      }
    }
  }

  async #load(
    clients: readonly MemorySidecar[],
    server: RunningServer,
    end: End,
    withChores: boolean,
  ): Promise<void> {
    const own = this.#shareEntries();
    const writers = own.map((entries, i) => {
      const client = clients[i % clients.length] as MemorySidecar;
      const sessionId = this.journal.sessionIds[i % this.journal.sessionIds.length] ?? "";
      return new Writer(client, this.journal, this.#random, { sessionId, own: entries });
    });
    const stopWatch = watchInto(clients[0] as MemorySidecar, this.journal);
    const work = writers.map((writer) => writer.run());
    if (withChores) work.push(this.chores.run(clients[1] as MemorySidecar));
    if (end.kind === "kill") {
      // On a slow machine a round goes on until it has shown something; every fifth ends at once.
      const enough = this.journal.acknowledged + (this.#tally.rounds % 5 === 0 ? 0 : ROUND_WRITES);
      await sleep(end.afterMs);
      for (let i = 0; i < 500 && this.journal.acknowledged < enough; i++) await sleep(10);
      await server.kill();
    } else {
      const limit = sleep(FAILPOINT_MS, undefined, { ref: false });
      const exit = await Promise.race([server.exited, limit]);
      if (exit?.signal !== "SIGKILL") {
        this.#tally.wrong.push(`failpoint ${end.spec} was not reached`);
        await server.kill();
      }
    }
    for (const writer of writers) writer.stop();
    await Promise.all(work);
    await stopWatch();
  }

  /** Gives every writer the messages of its session that it may change. */
  #shareEntries(): Entry[][] {
    const shares: Entry[][] = Array.from({ length: this.#writers }, () => []);
    const sessions = this.journal.sessionIds;
    let turn = 0;
    for (const entry of this.journal.entries.values()) {
      if (entry.append.outcome !== "yes" || entry.deleted !== "no") continue;
      const session = sessions.indexOf(entry.sessionId);
      turn += 1;
      const perSession = Math.floor(this.#writers / sessions.length);
      shares[session + sessions.length * (turn % perSession)]?.push(entry);
    }
    return shares;
  }
}
