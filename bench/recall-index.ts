// Measures the index of recall by itself, in this process: how fast rows go in, how long searches
// take with and without filters (in time of the thread too, as the machine may be busy), how much
// memory it takes, and what a compaction costs. Texts are made up of the words of the table: as
// many topics as the square root of the messages.
//
//   node --expose-gc bench/recall-index.ts [messages ...] [--embedder=none|static] [--sessions=N]

import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { EVERYONE } from "../src/memory/rules/scopes.ts";
import { loadStaticEmbedder, STATIC_TABLE_URL } from "../src/recall/embed/static.ts";
import { readTable } from "../src/recall/embed/static-table.ts";
import type { RecallEngine } from "../src/recall/index/engine.ts";
import { createEngine } from "../src/recall/index/local.ts";
import type {
  IndexChange,
  IndexCodec,
  IndexedRecord,
  IndexQuery,
} from "../src/recall/index/port.ts";
import { poolPerLeg } from "../src/recall/rank/weights.ts";
import type { RecallFilter } from "../src/recall/rules/filter.ts";
import { TRUE_MEMORIES } from "../src/recall/rules/item-tests.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    embedder: { type: "string", default: "none" },
    sessions: { type: "string", default: "0" },
    words: { type: "string", default: "20" },
  },
});

const SEARCHES = 200;
const BATCH = 100;
const MIB = 2 ** 20;
const WORDS = Number(options.words);

/** Numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = seeded(7);

/** Words of the server's table, roughly by frequency. */
function vocabulary(): readonly string[] {
  const { rowOf } = readTable(readFileSync(STATIC_TABLE_URL));
  return [...rowOf.keys()].filter((word) => /^[a-z]{3,}$/.test(word));
}

const words = vocabulary();

/** A word of a topic: a rank by Zipf's law, shifted so that topics prefer different words. */
function wordOf(topic: number): string {
  const isCommon = random() < 0.4;
  const rank = Math.floor(words.length ** random()) - 1;
  const at = isCommon ? rank : (rank + topic * 131) % words.length;
  return words[at] ?? "word";
}

function textOf(topic: number, count: number): string {
  return Array.from({ length: count }, () => wordOf(topic)).join(" ");
}

/** Records are derived from their number, which keeps their cost out of the measurement. */
class Corpus {
  readonly #texts: string[];
  readonly topics: number;

  constructor(count: number) {
    this.topics = Math.ceil(Math.sqrt(count));
    this.#texts = Array.from({ length: count }, () =>
      textOf(Math.floor(random() * this.topics), Math.ceil(WORDS * (0.5 + random()))),
    );
  }

  readonly codec: IndexCodec = {
    readMessage: (bytes) => this.#record(new DataView(bytes.buffer).getUint32(0)),
    readDocument: (bytes) => this.#record(new DataView(bytes.buffer).getUint32(0)),
    readMemory: (bytes) => this.#record(new DataView(bytes.buffer).getUint32(0)),
  };

  #record(at: number): IndexedRecord {
    return {
      text: this.#texts[at] ?? "",
      author: at % 2 === 0 ? "Ann" : "",
      role: at % 2 === 0 ? 1 : 2,
      trust: 2,
      timeMs: 1_700_000_000_000 + at * 60_000,
      labels: at % 10 === 0 ? TENTH : NONE,
      metadata: new Map([["share", [at % 100]]]),
      importance: undefined,
      documentId: "",
      sourceDocumentId: "",
    };
  }
}

const NONE: ReadonlyMap<string, string> = new Map();
const TENTH: ReadonlyMap<string, string> = new Map([["tenth", "yes"]]);
const ANY: RecallFilter = {
  ...{ kinds: new Set(), sessionIds: [], excludeSessionIds: [], scope: EVERYONE },
  ...{ sessionLabels: new Map(), roles: new Set([1, 2] as const), collectionIds: [] },
  ...{ labels: new Map(), metadata: [], fromMs: undefined, beforeMs: undefined },
  ...{ minTrust: undefined, sourceDocumentId: "", ...TRUE_MEMORIES },
};

const FILTERS: Readonly<Record<string, Partial<RecallFilter>>> = {
  none: {},
  "user roles (50 %)": { roles: new Set([1]) },
  "user (10 %)": {
    scope: { kind: "owned-by", scope: { userId: "u3", agentId: "", sessionId: "" } },
  },
  "label (10 %)": { labels: TENTH },
  "metadata (1 %)": { metadata: [{ path: "share", test: { kind: "one-of", values: [7] } }] },
  "metadata (100 %)": { metadata: [{ path: "share", test: { kind: "range", min: 0 } }] },
  "one session": { sessionIds: ["s5"] },
};

function query(text: string, filter: Partial<RecallFilter>): IndexQuery {
  return {
    ...{ text, filter: { ...ANY, ...filter }, mode: "hybrid", fusion: "scores", weights: {} },
    ...{ minScore: undefined, minRelevance: 0, diversity: 0, hitsPerGroup: undefined },
    ...{ offset: 0, limit: 10, nowMs: 0, referenceMs: 0, perLeg: poolPerLeg(10, false) },
  };
}

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
}

function timesOf(count: number, work: (at: number) => void): number[] {
  return Array.from({ length: count }, (_, at) => {
    const start = performance.now();
    work(at);
    return performance.now() - start;
  });
}

/** CPU time of this thread in milliseconds, which other load on the machine does not affect. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}

/** Adds all messages, session by session. */
function fill(engine: RecallEngine, count: number, sessions: number) {
  const containers = Array.from({ length: sessions }, (_, at): IndexChange => {
    const info = { userId: `u${at % 10}`, agentId: "", labels: new Map(), expireMs: undefined };
    return { kind: "container", container: { kind: "session", id: `s${at}`, ...info } };
  });
  engine.apply("n", containers);
  const perSession = Math.ceil(count / sessions);
  const started = cpuMs();
  const batches: number[] = [];
  for (let from = 0; from < count; from += BATCH) {
    const changes: IndexChange[] = [];
    for (let at = from; at < Math.min(count, from + BATCH); at++) {
      const bytes = new Uint8Array(4);
      new DataView(bytes.buffer).setUint32(0, at);
      const position = (at % perSession) + 1;
      const container = { kind: "session", id: `s${Math.floor(at / perSession)}` } as const;
      const items = [{ position, bytes }];
      const range = { firstPosition: position, lastPosition: position };
      changes.push({ kind: "items", container, ...range, items });
    }
    const start = cpuMs();
    engine.apply("n", changes);
    batches.push(cpuMs() - start);
  }
  const seconds = (cpuMs() - started) / 1_000;
  return { seconds, batches };
}

/** Searches with each filter. */
function search(engine: RecallEngine, topics: number): void {
  const queries = Array.from({ length: SEARCHES }, () => textOf(Math.floor(random() * topics), 6));
  for (const [name, filter] of Object.entries(FILTERS)) {
    const started = cpuMs();
    const times = timesOf(SEARCHES, (at) => engine.search("n", query(queries[at] ?? "", filter)));
    const mean = ((cpuMs() - started) / SEARCHES).toFixed(2);
    const tail = `p50 ${quantile(times, 0.5)} p95 ${quantile(times, 0.95)}`;
    console.log(`  ${name.padEnd(20)} ${mean} ms of the thread; ${tail} ms`);
  }
}

function measure(count: number): void {
  const corpus = new Corpus(count);
  const sessions = Number(options.sessions) || Math.max(10, Math.ceil(count / 100));
  const embedder = options.embedder === "static" ? loadStaticEmbedder() : undefined;
  embedder?.embedText("warm");
  const before = memory();
  const engine = createEngine({
    codec: corpus.codec,
    ...(embedder === undefined
      ? {}
      : {
          model: { id: embedder.model, dimensions: embedder.dimensions, isLocal: true },
          embedText: embedder.embedText,
        }),
  });
  const { seconds, batches } = fill(engine, count, sessions);
  const stepping = timesOf(1, () => {
    while (engine.step());
  });
  const { size } = engine.search("n", query("", {}));
  const used = memory() - before;
  console.log(`\n${count} messages in ${sessions} sessions, ${WORDS} words, ${options.embedder}`);
  console.log(
    `  rows ${size.rows}, ${Math.round(size.rows / seconds)} rows/s, ${seconds.toFixed(1)} s`,
  );
  console.log(
    `  a batch of ${BATCH} (of the thread): p99 ${quantile(batches, 0.99)} ` +
      `max ${quantile(batches, 1)} ms; partitions ${stepping[0]?.toFixed(0)} ms`,
  );
  const perRow = size.bytes / size.rows;
  console.log(
    `  ${(size.bytes / MIB).toFixed(1)} MiB by its own account (${perRow.toFixed(0)} B a row), ` +
      `${(used / MIB).toFixed(1)} MiB measured`,
  );
  search(engine, corpus.topics);
  const gone = timesOf(Math.ceil(sessions / 2), (at) =>
    engine.apply("n", [{ kind: "drop-container", container: { kind: "session", id: `s${at}` } }]),
  );
  console.log(`  drop of a session: p50 ${quantile(gone, 0.5)} max ${quantile(gone, 1)} ms`);
  const slices: number[] = [];
  for (let isMore = true; isMore; ) {
    const start = cpuMs();
    isMore = engine.step();
    slices.push(cpuMs() - start);
  }
  const longest = quantile(slices, 1);
  console.log(`  ${slices.length} slices of compaction, the longest ${longest} ms of the thread`);
}

for (const count of positionals.length > 0 ? positionals : ["10000", "100000", "1000000"]) {
  measure(Number(count));
}
