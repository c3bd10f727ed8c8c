// One data directory over many lives of a server whose hook answers: every round starts the server,
// holds what it shows against what was sent, has its hook work, and has it killed, at random or
// between the answer of the hook and its effect.

import { setTimeout as sleep } from "node:timers/promises";
import {
  dropOldest,
  isMemorySidecarError,
  type MemorySidecar,
  makePolicy,
  type SummarizeOptions,
  summarize,
  summaryView,
} from "../../clients/typescript/src/index.ts";
import { answerCover, taskIdOfCall, writeHooks } from "../support/hooks/cover-hook.ts";
import {
  type GrpcAct,
  type ScriptedGrpcHook,
  startScriptedGrpcHook,
} from "../support/hooks/scripted-grpc.ts";
import type { Random } from "../support/kit/random.ts";
import { numbered } from "../support/process/cover.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";
import { checkAccount, type SummaryAccount } from "../support/process/summary-account.ts";
import { drained, readAccount } from "../support/process/summary-reader.ts";
import { plainClient } from "./writers.ts";

const FAILPOINT_MS = 180_000;
const BATCH = 4;
const ROUND_MESSAGES = 60;

/** The sessions: every way of keeping summaries, with a remote hook and the built-in one. */
const SESSIONS: Readonly<Record<string, SummarizeOptions>> = {
  append: { hook: "remote", keep: "append", lastChars: 16_000 },
  "append-at-once": { hook: "remote", keep: "append", leave: "at-once", lastChars: 16_000 },
  replace: { hook: "remote", keep: "replace" },
  "replace-at-once": { hook: "remote", keep: "replace", leave: "at-once" },
  "in-place": { hook: "remote", keep: "in-place" },
  hierarchical: { hook: "remote", keep: "hierarchical", fanIn: 3 },
  density: { hook: "remote", keep: "append", flow: "density", maxLoops: 2, lastChars: 16_000 },
  builtin: { hook: "builtin", keep: "append", maxTokens: 64 },
  "builtin-at-once": { hook: "builtin", keep: "replace", leave: "at-once", maxTokens: 64 },
};

/** End of a round. */
export type HookEnd =
  | { readonly kind: "kill"; readonly afterMs: number }
  | { readonly kind: "after-hook"; readonly pass: number };

/** Totals over all rounds. */
export interface HookTally {
  rounds: number;
  appended: number;
  unanswered: number;
  summaries: number;
  calls: number;
  /** Calls beyond the first for what a task wants. */
  repeatedCalls: number;
  /** Rounds after which a task was there that was in somebody's hands at the kill. */
  interrupted: number;
  /** Times that all sessions were read and held against what was sent. */
  checks: number;
  wrong: string[];
}

/** An empty tally. */
export function newHookTally(): HookTally {
  const counts = { rounds: 0, appended: 0, unanswered: 0, summaries: 0, calls: 0 };
  return { ...counts, repeatedCalls: 0, interrupted: 0, checks: 0, wrong: [] };
}

/** Options of a chain of rounds. */
export interface HookChainOptions {
  /** Flags for node, with which a test starts a server that is broken on purpose. */
  readonly nodeArgs?: readonly string[];
}

/** State of a session: the acknowledged writes, and those that may exist beyond them. */
interface Sent {
  acknowledged: number;
  /** The end of the batch without an answer; equal to `acknowledged` when there is none. */
  tried: number;
}

/** A data directory, its hook, and what is known of it. */
export class HookChain implements AsyncDisposable {
  readonly #dir: string;
  readonly #random: Random;
  readonly #tally: HookTally;
  readonly #options: HookChainOptions;
  readonly #hook: ScriptedGrpcHook;
  readonly #hooksFile: string;
  readonly #sent = new Map<string, Sent>();
  /** Calls by task and loop, and the rounds that each task has been through. */
  readonly #calls = new Map<string, number>();
  readonly #kills = new Map<string, number>();
  /** While it is set, calls wait: what is read then does not change. */
  #held: (() => void)[] | undefined;

  private constructor(
    parts: { dir: string; random: Random; tally: HookTally; options: HookChainOptions },
    hook: ScriptedGrpcHook,
    hooksFile: string,
  ) {
    this.#dir = parts.dir;
    this.#random = parts.random;
    this.#tally = parts.tally;
    this.#options = parts.options;
    this.#hook = hook;
    this.#hooksFile = hooksFile;
    hook.script(this.#answer);
  }

  /** Makes a chain on an empty directory. */
  static async open(
    dir: string,
    random: Random,
    tally: HookTally,
    options: HookChainOptions = {},
  ): Promise<HookChain> {
    const hook = await startScriptedGrpcHook([answerCover]);
    const remote = { kind: "grpc", target: hook.target, timeout_ms: 60_000, concurrency: 8 };
    const file = await writeHooks(dir, { remote });
    return new HookChain({ dir, random, tally, options }, hook, file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hook[Symbol.asyncDispose]();
  }

  readonly #answer: GrpcAct = (reply, call) => {
    const key = `${taskIdOfCall(call)} ${call.request.input?.loop ?? 0}`;
    this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1);
    this.#tally.calls += 1;
    const answer = (): void => answerCover(reply, call);
    if (this.#held === undefined) answer();
    else this.#held.push(answer);
  };

  #hold(): void {
    this.#held = [];
  }

  #release(): void {
    const answers = this.#held ?? [];
    this.#held = undefined;
    for (const answer of answers) answer();
  }

  async #start(end?: HookEnd): Promise<RunningServer> {
    const armed = end?.kind === "after-hook" ? ["--failpoints", `after-hook:${end.pass}`] : [];
    return await startServer({
      dataDir: `${this.#dir}/data`,
      args: ["--hooks-file", this.#hooksFile, ...armed],
      nodeArgs: this.#options.nodeArgs ?? [],
    });
  }

  /** Starts, checks, loads and kills the server once. */
  async round(end: HookEnd): Promise<void> {
    // The remote hook is held while the store is read: no failpoint is passed by it meanwhile.
    this.#hold();
    const server = await this.#start(end).catch((error: Error) => {
      // The built-in hook may come to the failpoint on the way to serving.
      if (!error.message.includes("SIGKILL")) throw error;
    });
    this.#tally.rounds += 1;
    if (server === undefined) return;
    const client = plainClient(server.address);
    try {
      await this.#check(client).catch((error: unknown) => this.#forgive(end, error));
      this.#release();
      const writers = [...this.#sent.keys()].map((sessionId) => this.#write(client, sessionId));
      if (end.kind === "kill") {
        // On a slow machine a round goes on until it has shown something; every fifth ends at
        // once.
        const enough = this.#tally.appended + (this.#tally.rounds % 5 === 0 ? 0 : ROUND_MESSAGES);
        await sleep(end.afterMs);
        for (let i = 0; i < 500 && this.#tally.appended < enough; i++) await sleep(10);
        await server.kill();
      } else {
        const limit = sleep(FAILPOINT_MS, undefined, { ref: false });
        const exit = await Promise.race([server.exited, limit]);
        if (exit?.signal !== "SIGKILL") this.#tally.wrong.push("after-hook was not reached");
        await server.kill();
      }
      await Promise.all(writers);
      for (const key of this.#calls.keys()) this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
    } finally {
      client.close();
      await server.kill();
      this.#release();
    }
  }

  /** A server that was killed at its failpoint while it was read is read in the next round. */
  #forgive(end: HookEnd, error: unknown): void {
    if (end.kind === "after-hook" && isMemorySidecarError(error) && error.reason === "") return;
    throw error;
  }

  /** Lets the backlog drain, checks a last time and stops the server in order. */
  async finish(): Promise<void> {
    this.#release();
    const server = await this.#start();
    const client = plainClient(server.address);
    for (const sessionId of this.#sent.keys()) await drained(client, sessionId);
    await this.#check(client, true);
    client.close();
    await server.stop();
    for (const [key, count] of this.#calls) {
      this.#tally.repeatedCalls += count - 1;
      const kills = this.#kills.get(key) ?? 0;
      if (count > 1 + kills) {
        this.#tally.wrong.push(`${key} was asked for ${count} times over ${kills} kills`);
      }
    }
  }

  async #check(client: MemorySidecar, settled = false): Promise<void> {
    if (this.#sent.size === 0) {
      for (const [sessionId, options] of Object.entries(SESSIONS)) {
        await openSession(client, sessionId, options);
        this.#sent.set(sessionId, { acknowledged: 0, tried: 0 });
      }
      return;
    }
    for (const [sessionId, sent] of this.#sent) {
      const account = await this.#read(client, sessionId);
      if (account === undefined) continue;
      const textsCover = !sessionId.startsWith("builtin");
      this.#tally.wrong.push(...checkAccount(account, { settled, textsCover }));
      if (settled) this.#tally.summaries += account.summaries.length;
      else if (account.tasks.length > 0) this.#tally.interrupted += 1;
      this.#settle(sent, account);
    }
    this.#tally.checks += 1;
  }

  /** The built-in hook works on while a session is read: then it is read once more. */
  async #read(client: MemorySidecar, sessionId: string): Promise<SummaryAccount | undefined> {
    for (let tries = 0; tries < 20; tries++) {
      const before = await client.getSession(sessionId);
      const account = await readAccount(client, sessionId);
      const after = await client.getSession(sessionId);
      if (before.revision === after.revision) return account;
      await sleep(20);
    }
    this.#tally.wrong.push(`${sessionId} does not come to rest`);
    return undefined;
  }

  /** Acknowledged writes exist. A write without an answer exists completely or not at all. */
  #settle(sent: Sent, { sessionId, lastSeq }: SummaryAccount): void {
    if (lastSeq !== sent.acknowledged && lastSeq !== sent.tried) {
      const known = `${sent.acknowledged} or ${sent.tried}`;
      this.#tally.wrong.push(`${sessionId}: LOST: the last seq is ${lastSeq}, not ${known}`);
    }
    sent.acknowledged = lastSeq;
    sent.tried = lastSeq;
  }

  /** Appends to a session until the server is gone. */
  async #write(client: MemorySidecar, sessionId: string): Promise<void> {
    const sent = this.#sent.get(sessionId);
    if (sent === undefined) return;
    for (;;) {
      const first = sent.acknowledged + 1;
      const texts = Array.from({ length: BATCH }, (_, index) => numbered(first + index));
      sent.tried = sent.acknowledged + BATCH;
      try {
        await client.append(sessionId, texts);
      } catch (error) {
        this.#tally.unanswered += 1;
        if (isMemorySidecarError(error) && ["", "SHUTTING_DOWN"].includes(error.reason)) return;
        this.#tally.wrong.push(`${sessionId}: an append failed: ${error}`);
        return;
      }
      this.#tally.appended += BATCH;
      sent.acknowledged = sent.tried;
      await sleep(this.#random.int(5, 40));
    }
  }
}

async function openSession(
  client: MemorySidecar,
  sessionId: string,
  options: SummarizeOptions,
): Promise<void> {
  const stage = dropOldest(
    "shrink",
    { maxMessages: 4 },
    { unit: "message", over: { messages: 8 }, summarize: summarize(options) },
  );
  const policy = makePolicy([stage], { summaryView: summaryView({ show: "none" }) });
  await client.createSession({ sessionId, policy });
}
