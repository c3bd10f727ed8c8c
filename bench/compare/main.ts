// Compares our index with libraries, index against index, in one run: see bench/README.md.
//
//   node bench/compare/main.ts [--only texts,vectors,sets] [--rounds 3] [SET FILE ...]
//     --engines NAME,NAME    only these; `ours` is always measured
//     --passages N           passages of the texts, default 100,000
//     --rows N,N             vectors, default 10,000 and 100,000
//     --save FILE            every round as JSON, too

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { makeClusters, type Share } from "./clusters.ts";
import { type Job, runJob, type SetFigures, type TextFigures, type VectorFigures } from "./jobs.ts";
import { versionOf } from "./libraries.ts";
import { RANKERS } from "./rankers.ts";
import { type Column, type Row, tableOf } from "./table.ts";
import { TEXT_ENGINES } from "./text-engines.ts";
import { VECTOR_ENGINES } from "./vector-engines.ts";

const DIMENSIONS = 384;
const VECTOR_QUERIES = 100;
const QUESTIONS = 200;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "texts,vectors,sets" },
    rounds: { type: "string", default: "3" },
    engines: { type: "string", default: "" },
    passages: { type: "string", default: "100000" },
    rows: { type: "string", default: "10000,100000" },
    save: { type: "string" },
  },
});
const groups = options.only.split(",");
const wanted = options.engines === "" ? undefined : ["ours", ...options.engines.split(",")];
const rounds = Number(options.rounds);
const saved: Record<string, unknown> = {};

interface Named {
  readonly name: string;
  readonly title: string;
}

/** Measures all indexes in each round. */
async function measureAll<F extends object>(
  kinds: readonly Named[],
  times: number,
  jobOf: (engine: string) => Job,
): Promise<Row<F>[]> {
  const chosen = kinds.filter(({ name }) => wanted?.includes(name) ?? true);
  const rows = chosen.map(({ name, title }) => ({ name, title, rounds: [] as object[] }));
  for (let round = 1; round <= times; round++) {
    for (const row of rows) {
      process.stderr.write(`round ${round}: ${row.title}, load ${loadavg()[0]?.toFixed(1)}\n`);
      row.rounds.push(await runJob<F>(jobOf(row.name)));
    }
  }
  return rows as (Row<F> & Named)[];
}

function show<F extends object>(title: string, rows: Row<F>[], columns: Column<F>[]): void {
  saved[title] = rows;
  console.log(`\n${title}\n\n${tableOf(rows, columns)}`);
}

async function compareTexts(): Promise<void> {
  const passages = Number(options.passages);
  const rows = await measureAll<TextFigures>(TEXT_ENGINES, rounds, (engine) => ({
    ...{ kind: "texts", engine, passages, questions: QUESTIONS },
  }));
  show(`${passages} passages`, rows, [
    { title: "docs/s", of: ({ built }) => passages / built.seconds },
    { title: "build cpu s", of: ({ built }) => built.cpuSeconds },
    { title: "p50 ms", of: ({ searches }) => searches.p50 },
    { title: "p95 ms", of: ({ searches }) => searches.p95 },
    { title: "cpu ms", of: ({ searches }) => searches.cpu },
    { title: "MiB", of: ({ built }) => built.mib },
    { title: "own MiB", of: ({ built }) => built.ownMib },
  ]);
}

function vectorColumns(): Column<VectorFigures>[] {
  const p50 = (share: Share): Column<VectorFigures>["of"] => {
    return ({ searches }) => searches[share]?.p50;
  };
  return [
    { title: "build s", of: ({ built }) => built.seconds },
    { title: "build cpu s", of: ({ built }) => built.cpuSeconds },
    { title: "p50 ms", of: p50(100) },
    { title: "p95 ms", of: ({ searches }) => searches[100]?.p95 },
    { title: "cpu ms", of: ({ searches }) => searches[100]?.cpu },
    { title: "recall@10", of: ({ searches }) => searches[100]?.recall, isPlain: true },
    { title: "MiB", of: ({ built }) => built.mib },
    { title: "own MiB", of: ({ built }) => built.ownMib },
    { title: "10 %: p50 ms", of: p50(10) },
    { title: "recall", of: ({ searches }) => searches[10]?.recall, isPlain: true },
    { title: "1 %: p50 ms", of: p50(1) },
    { title: "recall", of: ({ searches }) => searches[1]?.recall, isPlain: true },
  ];
}

async function compareVectors(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "memory-sidecar-compare-"));
  try {
    const { vectors, queries, list: _, ...rest } = makeClusters(count, DIMENSIONS, VECTOR_QUERIES);
    writeFileSync(join(folder, "vectors"), vectors);
    writeFileSync(join(folder, "queries"), queries);
    writeFileSync(join(folder, "rest.json"), JSON.stringify(rest));
    const rows = await measureAll<VectorFigures>(VECTOR_ENGINES, rounds, (engine) => ({
      ...{ kind: "vectors", engine, folder },
    }));
    show(`${count} vectors of ${DIMENSIONS}, clustered`, rows, vectorColumns());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareSet(file: string): Promise<void> {
  if (!existsSync(file)) {
    console.log(`\n${file}: not there, skipped`);
    return;
  }
  // No figure of this job is a time, so one round is enough.
  const job = (engine: string): Job => ({ kind: "set", engine, file });
  const rows = await measureAll<SetFigures>(RANKERS, 1, job);
  show(basename(file), rows, [
    { title: "R@5", of: ({ recall5 }) => recall5, isPlain: true },
    { title: "R@10", of: ({ recall10 }) => recall10, isPlain: true },
    { title: "nDCG@10", of: ({ ndcg10 }) => ndcg10, isPlain: true },
  ]);
}

const libraries = [...TEXT_ENGINES, ...VECTOR_ENGINES].flatMap(({ library }) => library ?? []);
const versions = [...new Set(libraries)].map((one) => versionOf(one) ?? `${one} is not installed`);
console.log(`${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}`);
console.log(`${versions.join(", ")}, SQLite ${process.versions["sqlite"]}`);
if (groups.includes("texts")) await compareTexts();
if (groups.includes("vectors")) {
  for (const rows of options.rows.split(",").map(Number)) await compareVectors(rows);
}
if (groups.includes("sets")) for (const file of positionals) await compareSet(file);
if (options.save !== undefined) writeFileSync(options.save, `${JSON.stringify(saved)}\n`);
