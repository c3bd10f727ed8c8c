// Recall beside appends: the latency of recall in a small and a large namespace, with filters that
// let all, a tenth and a hundredth through; the cost of an append while eight callers recall; the
// time to build the index; and the memory per message. The texts are synthetic and seeded, with
// about as many topics as the square root of their number.

import { join } from "node:path";
import { Message, Role } from "../src/gen/memorysidecar/v1/message.ts";
import { RecallFilter } from "../src/gen/memorysidecar/v1/recall.ts";
import { RecallRequest, RecallResponse } from "../src/gen/memorysidecar/v1/recall_service.ts";
import {
  AppendMessagesRequest,
  AppendMessagesResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { make, sessionName } from "./bodies.ts";
import { Caller, inParallel } from "./caller.ts";
import { cpuMs, measure, ownBytes, type Running, startReal } from "./processes.ts";
import { percentile } from "./stats.ts";
import { draw, seeded, textOf } from "./texts.ts";
import { append, type Bench, type Found, inDirectory, type Rounds } from "./workloads.ts";

const APPEND = "/memorysidecar.v1.SessionService/AppendMessages";
const RECALL = "/memorysidecar.v1.RecallService/Recall";
const PER_SESSION = 500;
const WIDTH = 4;
const LOOPS = 8;
const APPENDS = 8;
const APPEND_SESSIONS = 64;
const MIB = 1_048_576;
/** Ratio of the large namespace to the small one. */
const SMALLER = 10;
const SAMPLES_MIN = 100;
const FILTERS = { all: "", tenth: "tenth", hundredth: "hundredth" } as const;

function labelsOf(number: number): Map<string, string> {
  const labels = new Map<string, string>();
  if (number % 10 === 0) labels.set(FILTERS.tenth, "yes");
  if (number % 100 === 0) labels.set(FILTERS.hundredth, "yes");
  return labels;
}

/** Fills a namespace with conversations. */
export async function fill(port: number, namespace: string, count: number): Promise<void> {
  const caller = new Caller(port);
  const topics = Math.ceil(Math.sqrt(count));
  await inParallel(Math.ceil(count / PER_SESSION), WIDTH, async (index) => {
    const random = seeded(index + 1);
    const topic = Math.floor(random() * topics);
    const length = Math.min(PER_SESSION, count - index * PER_SESSION);
    const messages = Array.from({ length }, (_, at) =>
      make(Message, {
        role: at % 2 === 0 ? Role.USER : Role.ASSISTANT,
        text: textOf(random, topic),
        labels: labelsOf(index * PER_SESSION + at),
      }),
    );
    const sessionId = sessionName("chat", index);
    const value = make(AppendMessagesRequest, {
      ...{ namespace, sessionId, messages, createSession: true },
    });
    await caller.call(APPEND, { codec: AppendMessagesRequest, value }, AppendMessagesResponse);
  });
  caller.close();
}

/** Asks for a message by a few words of a topic. */
export class Asker {
  readonly #caller: Caller;
  readonly #random: () => number;
  readonly #topics: number;
  readonly #namespace: string;

  constructor(port: number, namespace: string, messages: number, seed: number) {
    this.#caller = new Caller(port);
    this.#namespace = namespace;
    this.#topics = Math.ceil(Math.sqrt(messages));
    this.#random = seeded(seed);
  }

  /** Recalls once; returns the latency. Fails unless all records were searched. */
  async ask(label: string): Promise<number> {
    const topic = Math.floor(this.#random() * this.#topics);
    const query = Array.from({ length: 6 }, () => draw(this.#random, topic)).join(" ");
    const labels = new Map(label === "" ? [] : [[label, "yes"]]);
    const filter = make(RecallFilter, { labels });
    const value = make(RecallRequest, { namespace: this.#namespace, query, filter });
    const begin = performance.now();
    const answer = await this.#caller.call(RECALL, { codec: RecallRequest, value }, RecallResponse);
    if (answer.coverage?.complete !== true) throw new Error("a recall did not look at everything");
    return performance.now() - begin;
  }

  close(): void {
    this.#caller.close();
  }
}

/** Recalls repeatedly and records the quantiles. */
async function quantiles(
  { bench, server }: { readonly bench: Bench; readonly server: Running },
  asker: Asker,
  label: string,
  note: (name: string, value: number) => void,
): Promise<void> {
  const times: number[] = [];
  const { warmMs, measureMs } = bench.plan;
  for (const end = performance.now() + warmMs; performance.now() < end; ) await asker.ask(label);
  const cpuBefore = cpuMs(server.pid);
  const end = performance.now() + measureMs;
  while (performance.now() < end || times.length < SAMPLES_MIN) times.push(await asker.ask(label));
  times.sort((a, b) => a - b);
  note("CPU ms", (cpuMs(server.pid) - cpuBefore) / times.length);
  note("p50 ms", percentile(times, 0.5));
  note("p95 ms", percentile(times, 0.95));
}

/** Starts loops of recalls; returns a function that ends them and returns their count. */
function recallBeside(port: number, namespace: string, messages: number) {
  let isOver = false;
  let count = 0;
  const loops = Array.from({ length: LOOPS }, async (_, seed) => {
    const asker = new Asker(port, namespace, messages, 1_000 + seed);
    while (!isOver) {
      await asker.ask("");
      count += 1;
    }
    asker.close();
  });
  return async (): Promise<number> => {
    isOver = true;
    await Promise.all(loops);
    return count;
  };
}

/** The same appends alone and beside recalls of the large namespace, in each round. */
async function appends(bench: Bench, server: Running, messages: number): Promise<Rounds> {
  const { warmMs, measureMs } = bench.plan;
  const rounds: Rounds = new Map();
  const job = { ...append("beside", APPEND_SESSIONS, APPENDS), warmMs, measureMs };
  for (let round = 0; round < bench.plan.rounds; round++) {
    for (const name of ["append, alone", `append, beside ${LOOPS} recalls`]) {
      const isAlone = name.endsWith("alone");
      const stop = isAlone ? undefined : recallBeside(server.port, "large", messages);
      const found = await measure(bench.loader, server, job);
      const recalls = await stop?.();
      rounds.set(name, [...(rounds.get(name) ?? []), found]);
      const p99 = found.p99Ms.toFixed(2);
      const beside = recalls === undefined ? "" : `, ${recalls} recalls`;
      bench.say(`  ${name}: p99 ${p99} ms, ${Math.round(found.perSecond)}/s${beside}`);
    }
  }
  return rounds;
}

/** Wait of the first recall for the whole index, and the index's memory. */
async function build(
  server: Running,
  asker: Asker,
  messages: number,
): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const before = ownBytes(server.pid);
  const begin = performance.now();
  await asker.ask("");
  const seconds = (performance.now() - begin) / 1_000;
  return { seconds, bytes: (ownBytes(server.pid) - before) / messages };
}

/** Recall in a small and a large namespace, and appends beside it. */
export function recallSpeed(bench: Bench): Promise<Found> {
  const { recallMessages } = bench.plan;
  const sizes = {
    small: Math.max(1, Math.floor(recallMessages / SMALLER)),
    large: recallMessages,
  };
  return inDirectory(async (directory) => {
    const figures = new Map<string, number>();
    const dataDir = join(directory, "data");
    // The index thread must not compete for the server's core.
    const options = { core: undefined };
    const filling = await startReal(dataDir, options);
    try {
      for (const [name, count] of Object.entries(sizes)) await fill(filling.port, name, count);
    } finally {
      await filling.stop();
    }
    const server = await startReal(dataDir, options);
    try {
      for (const [name, count] of Object.entries(sizes)) {
        const asker = new Asker(server.port, name, count, 1);
        const built = await build(server, asker, count);
        figures.set(`build ${name} messages/s`, count / built.seconds);
        figures.set(`${name} bytes a message`, built.bytes);
        for (const [filter, label] of Object.entries(FILTERS)) {
          await quantiles({ bench, server }, asker, label, (what, value) => {
            figures.set(`recall ${name}, ${filter}, ${what}`, value);
            bench.say(`  recall ${name}, ${filter}: ${what} ${value.toFixed(2)}`);
          });
        }
        asker.close();
      }
      const rounds = await appends(bench, server, sizes.large);
      figures.set("rss MiB", ownBytes(server.pid) / MIB);
      return { rounds, figures };
    } finally {
      await server.stop();
    }
  });
}
