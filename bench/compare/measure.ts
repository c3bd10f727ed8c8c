// The process that measures one index. Its argument is the job; its last line of output holds the
// figures.

import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ownBytes } from "../processes.ts";
import { createQualityTable, MAIN_FIGURE, qualityOf } from "../recall/quality.ts";
import { readSet } from "../recall/read-set.ts";
import { percentile } from "../stats.ts";
import { type Clusters, SHARES, type Share, slices } from "./clusters.ts";
import type { EngineKind, Sized } from "./engines.ts";
import type { Built, Job, SearchTimes, SetFigures, TextFigures, VectorFigures } from "./jobs.ts";
import { makeCorpus } from "./passages.ts";
import { RANKERS } from "./rankers.ts";
import { TEXT_ENGINES } from "./text-engines.ts";
import { VECTOR_ENGINES } from "./vector-engines.ts";

const MIB = 2 ** 20;
const HITS = 10;
/** Duration of the warm-up before queries are timed. */
const WARM_MS = 2_000;
const SETTLE_MS = 100;

function kindOf<K extends { readonly name: string }>(kinds: readonly K[], name: string): K {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`there is no index of the name ${name}`);
  return kind;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function bytesNow(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    globalThis.gc?.();
    // Another thread releases memory outside the heap.
    await setTimeout(SETTLE_MS);
  }
  return ownBytes(process.pid);
}

async function opened<E extends Sized>({ open }: EngineKind<E>, build: (engine: E) => unknown) {
  const engine = await open();
  const before = await bytesNow();
  const cpuStart = cpuMs();
  const start = performance.now();
  await build(engine);
  const seconds = (performance.now() - start) / 1_000;
  const cpuSeconds = (cpuMs() - cpuStart) / 1_000;
  const mib = ((await bytesNow()) - before) / MIB;
  const bytes = engine.bytes?.();
  const own = bytes === undefined ? {} : { ownMib: bytes / MIB };
  const built: Built = { seconds, cpuSeconds, mib, ...own };
  return { engine, built };
}

/** Times every query after a warm-up. */
async function timed<Q>(queries: readonly Q[], ask: (query: Q) => unknown): Promise<SearchTimes> {
  const warmEnd = performance.now() + WARM_MS;
  for (const query of queries) if (performance.now() < warmEnd) await ask(query);
  const times: number[] = [];
  const cpuStart = cpuMs();
  for (const query of queries) {
    const start = performance.now();
    await ask(query);
    times.push(performance.now() - start);
  }
  const cpu = (cpuMs() - cpuStart) / times.length;
  times.sort((a, b) => a - b);
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), cpu };
}

/** Reads the vectors that the main process wrote. */
function readClusters(folder: string): Clusters {
  const floats = (name: string): Float32Array => {
    const path = join(folder, name);
    const values = new Float32Array(statSync(path).size / Float32Array.BYTES_PER_ELEMENT);
    const file = openSync(path, "r");
    readSync(file, values);
    closeSync(file);
    return values;
  };
  const rest = JSON.parse(readFileSync(join(folder, "rest.json"), "utf8")) as Clusters;
  const vectors = floats("vectors");
  return { ...rest, vectors, list: slices(vectors, rest.dimensions), queries: floats("queries") };
}

async function measureVectors(name: string, folder: string): Promise<VectorFigures> {
  const data = readClusters(folder);
  const queries = slices(data.queries, data.dimensions);
  const kind = kindOf(VECTOR_ENGINES, name);
  const { engine, built } = await opened(kind, (one) => one.build(data));
  const searches: VectorFigures["searches"] = {};
  for (const share of SHARES) {
    if (share !== 100 && !engine.filters) continue;
    searches[share] = await measureShare(engine, data, { queries, share });
  }
  return { built, searches };
}

async function measureShare(
  engine: Awaited<ReturnType<(typeof VECTOR_ENGINES)[number]["open"]>>,
  { truth }: Clusters,
  { queries, share }: { readonly queries: readonly Float32Array[]; readonly share: Share },
) {
  let found = 0;
  let wanted = 0;
  for (const [at, query] of queries.entries()) {
    const rows = await engine.search(query, share);
    const right = truth[share][at] ?? [];
    wanted += right.length;
    found += right.filter((row) => rows.includes(row)).length;
  }
  const times = await timed(queries, (query) => engine.search(query, share));
  return { ...times, recall: found / wanted };
}

async function measureTexts(job: Extract<Job, { readonly kind: "texts" }>): Promise<TextFigures> {
  const { passages, questions } = makeCorpus(job.passages, job.questions);
  const kind = kindOf(TEXT_ENGINES, job.engine);
  const { engine, built } = await opened(kind, (one) => one.build(passages));
  const searches = await timed(questions, (query) => engine.search(query, HITS));
  return { built, searches };
}

async function measureSet(name: string, file: string): Promise<SetFigures> {
  const ranker = kindOf(RANKERS, name);
  const table = createQualityTable();
  for (const conversation of readSet(basename(file), readFileSync(file)).conversations) {
    const rank = await ranker.index(conversation);
    for (const question of conversation.questions) {
      const hits = await rank(question);
      table.add(question.category, question.isMain, qualityOf(hits, question.evidence));
    }
  }
  const main = table.mean(MAIN_FIGURE);
  if (main === undefined) throw new Error("the set has no question");
  return main;
}

const job = JSON.parse(process.argv[2] ?? "") as Job;
const figures = await (job.kind === "vectors"
  ? measureVectors(job.engine, job.folder)
  : job.kind === "texts"
    ? measureTexts(job)
    : measureSet(job.engine, job.file));
console.log(JSON.stringify(figures));
// A library may leave threads or timers behind, which must not keep the process alive.
process.exit(0);
