// One data directory over many lives of a server that is asked to recall: every round starts the
// server, holds what it finds against the account, loads it, and has it killed.

import { setTimeout as sleep } from "node:timers/promises";
import type { MemorySidecar } from "../../clients/typescript/src/index.ts";
import type { Random } from "../support/kit/random.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";
import { type ComparedQuery, indexFaults } from "../support/recall/fresh-index.ts";
import {
  type BriefSession,
  briefFault,
  RecallAccount,
  type SeenHit,
  seenHit,
} from "./recall-account.ts";
import { BRIEF, commonQuery, type Load, read, write, writeBriefly } from "./recall-load.ts";
import { plainClient } from "./writers.ts";

/** Writers of the rounds that end in each way: what one round leaves open waits for a check. */
const WRITERS = {
  kill: ["north", "south", "east", "west", "middle"],
  failpoint: ["red", "green", "blue", "black", "white"],
} as const;
const READERS = 2;
/** Words in one query: at most 32 count. */
const BATCH = 30;
/** Words of deleted records that are looked for after a start. */
const DEAD_LOOKED_FOR = 150;
const FAILPOINT_MS = 180_000;
const ROUND_WRITES = 40;
const PAGE_HITS = 100;

const json = JSON.stringify;

/** End of a round. */
export type RecallEnd =
  | { readonly kind: "kill"; readonly afterMs: number }
  | { readonly kind: "failpoint"; readonly spec: string };

/** Totals over all rounds of a test. */
export interface RecallTally {
  rounds: number;
  acknowledged: number;
  unanswered: number;
  found: number;
  looks: number;
  compared: number;
  brief: number;
  wrong: string[];
}

/** An empty tally. */
export function newRecallTally(): RecallTally {
  const counts = { rounds: 0, acknowledged: 0, unanswered: 0, found: 0, looks: 0, compared: 0 };
  return { ...counts, brief: 0, wrong: [] };
}

/** A data directory and what is known of it. */
export class RecallChain {
  readonly #dataDir: string;
  readonly #random: Random;
  readonly #tally: RecallTally;
  readonly #nodeArgs: readonly string[];
  readonly #account = new RecallAccount();
  #brief: BriefSession[] = [];

  constructor(
    dataDir: string,
    random: Random,
    tally: RecallTally,
    nodeArgs: readonly string[] = [],
  ) {
    this.#dataDir = dataDir;
    this.#random = random;
    this.#tally = tally;
    this.#nodeArgs = nodeArgs;
  }

  /**
   * Starts, checks, loads and ends the server once. A check must not pass a failpoint: after a
   * round that ends at one, the next must be of the other kind.
   */
  async round(end: RecallEnd): Promise<void> {
    this.#tally.rounds += 1;
    const args = end.kind === "failpoint" ? ["--failpoints", end.spec] : [];
    const server = await this.#start(args).catch((error: Error) => {
      // The namespaces that were recalled are loaded at the start, which passes it too.
      if (end.kind !== "failpoint" || !error.message.includes("SIGKILL")) throw error;
    });
    if (server === undefined) return;
    const client = plainClient(server.address);
    try {
      if (end.kind === "kill") await this.#greet(client, server);
      await this.#load(client, server, end);
    } finally {
      client.close();
      await server.kill();
    }
  }

  /** Starts the server and holds what it finds against the account; ends it by SIGKILL. */
  async check(): Promise<void> {
    const server = await this.#start([]);
    const client = plainClient(server.address);
    try {
      await this.#greet(client, server);
    } finally {
      client.close();
      await server.kill();
    }
  }

  /** Checks a last time, and adds up. */
  async finish(): Promise<void> {
    await this.check();
    this.#tally.acknowledged += this.#account.acknowledged;
    this.#tally.unanswered += this.#account.unanswered;
  }

  #start(args: readonly string[]): Promise<RunningServer> {
    return startServer({ dataDir: this.#dataDir, nodeArgs: this.#nodeArgs, args });
  }

  async #greet(client: MemorySidecar, server: RunningServer): Promise<void> {
    try {
      await this.#look(client);
    } catch (error) {
      const log = server.logs.filter(({ level }) => level !== "info").map((one) => json(one));
      throw new Error(`a look failed: ${log.join("\n").slice(0, 3_000)}`, { cause: error });
    }
    if (server.output.length > 0) {
      this.#tally.wrong.push(`the server printed: ${server.output.slice(0, 3).join(" / ")}`);
    }
    const bad = server.logs.filter(({ level }) => level === "error" || level === "fatal");
    if (bad.length > 0) this.#tally.wrong.push(`the server logged ${json(bad[0])}`);
  }

  async #look(client: MemorySidecar): Promise<void> {
    const { sure, open } = this.#account.tokens();
    const dead = this.#account.dead.slice(-DEAD_LOOKED_FOR);
    await this.#checkBrief(client);
    const hits = await this.#find(client, [...sure, ...open, ...dead]);
    this.#tally.found += sure.length;
    this.#tally.wrong.push(...this.#account.check(hits), ...this.#account.wrong.splice(0));
    await this.#compare(client);
  }

  /** All that is found with these words. */
  async #find(client: MemorySidecar, tokens: readonly string[]): Promise<SeenHit[]> {
    const seen: SeenHit[] = [];
    for (let at = 0; at < tokens.length; at += BATCH) {
      const query = tokens.slice(at, at + BATCH).join(" ");
      let pageToken = "";
      do {
        const options = { mode: "lexical" as const, pageSize: PAGE_HITS, pageToken };
        const answer = await client.recall(query, options);
        if (answer.coverage?.complete !== true) this.#tally.wrong.push("a recall is not complete");
        seen.push(...answer.hits.map(seenHit));
        pageToken = answer.nextPageToken;
      } while (pageToken !== "");
    }
    return seen;
  }

  async #checkBrief(client: MemorySidecar): Promise<void> {
    // Sessions that expired long ago are checked a few times and then dropped.
    const sessions = this.#brief.splice(0, Math.max(0, this.#brief.length - BATCH));
    this.#brief = [...this.#brief, ...sessions.filter(() => this.#random.chance(0.1))];
    for (let at = 0; at < this.#brief.length; at += BATCH) {
      const batch = this.#brief.slice(at, at + BATCH);
      const askMs = Date.now();
      const options = { namespace: BRIEF, mode: "lexical" as const, pageSize: PAGE_HITS };
      const { hits } = await client.recall(batch.map(({ token }) => token).join(" "), options);
      const toldMs = Date.now();
      const tokens = new Set(hits.map((hit) => seenHit(hit).token));
      for (const session of batch) {
        const fault = briefFault(session, tokens.has(session.token), { askMs, toldMs });
        if (fault !== undefined) this.#tally.wrong.push(fault);
        else if (session.answerMs !== undefined) this.#tally.brief += 1;
      }
    }
  }

  /** The index of the server and one that is made anew must answer the same. */
  async #compare(client: MemorySidecar): Promise<void> {
    const referenceMs = Date.now();
    const modes = ["hybrid", "lexical", "dense"] as const;
    const queries = modes.map(
      (mode): ComparedQuery => ({ text: commonQuery(this.#random), mode, referenceMs }),
    );
    this.#tally.compared += queries.length;
    this.#tally.wrong.push(...(await indexFaults(client, "default", queries)));
  }

  async #load(client: MemorySidecar, server: RunningServer, end: RecallEnd): Promise<void> {
    const account = this.#account;
    const load: Load = { client, account, random: this.#random, isStopped: false };
    const work = [
      ...WRITERS[end.kind].map((name) => write(load, name)),
      writeBriefly(load, this.#brief),
      ...Array.from({ length: READERS }, async () => {
        this.#tally.looks += await read(load);
      }),
    ];
    if (end.kind === "kill") {
      const enough = account.acknowledged + (this.#tally.rounds % 5 === 0 ? 0 : ROUND_WRITES);
      await sleep(end.afterMs);
      for (let i = 0; i < 500 && account.acknowledged < enough; i++) await sleep(10);
      if (this.#random.chance(0.2)) await this.#calm(load, work, client);
      await server.kill();
    } else {
      const limit = sleep(FAILPOINT_MS, undefined, { ref: false });
      const exit = await Promise.race([server.exited, limit]);
      if (exit?.signal !== "SIGKILL") {
        this.#tally.wrong.push(`failpoint ${end.spec} was not reached`);
        await server.kill();
      }
    }
    load.isStopped = true;
    await Promise.all(work);
    this.#tally.wrong.push(...account.wrong.splice(0));
  }

  /** Lets the writers end, and compares the index that was fed change by change with a new one. */
  async #calm(load: Load, work: readonly Promise<unknown>[], client: MemorySidecar): Promise<void> {
    load.isStopped = true;
    await Promise.all(work);
    await this.#compare(client);
  }
}
