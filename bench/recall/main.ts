// `npm run bench:recall -- FILE...`: how much of the evidence of questions is among the first hits
// of Recall, asked of a real server over gRPC, and how long it takes. Files that are not there are
// named and passed over. Options:
//
//   --modes lexical,dense,hybrid   what to look with; default all three
//   --hooks-file FILE              another embedder, as for the server
//   --rrf                          rank fusion besides
//   --sessions                     sessions besides, as LongMemEval counts
//   --memories rules|scripted      with memories that the rules of the server find in the messages,
//                                  or a scripted model: each sentence is a fact
//   --facts WEIGHT                 another weight of what memories lift
//   --save FILE                    the figures as JSON, too

import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../clients/typescript/src/index.ts";
import { ownBytes, startReal } from "../processes.ts";
import type { ConversationSet } from "./conversation-set.ts";
import { createQualityTable, MAIN_FIGURE, type QualityTable } from "./quality.ts";
import { readSet } from "./read-set.ts";
import { SCRIPTED, startScriptedExtractor } from "./scripted-extractor.ts";
import { MODES, type Mode, ServedSet } from "./served-set.ts";

const SUFFIX = /\.json(\.gz)?$/;

interface Options {
  readonly modes: readonly Mode[];
  readonly flags: readonly string[];
  readonly memories: string | undefined;
  readonly facts: number | undefined;
}

/** Measurements of one mode on one set. */
interface Row {
  readonly set: string;
  readonly mode: Mode;
  readonly table: QualityTable;
  readonly p50: number;
  readonly p95: number;
}

function pathsOf(given: readonly string[]): string[] {
  return given.flatMap((path) => {
    if (!existsSync(path)) {
      console.log(`${path}: not there, skipped`);
      return [];
    }
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => SUFFIX.test(name));
    return names.sort().map((name) => join(path, name));
  });
}

function percent(value: number | undefined): string {
  return value === undefined ? "" : (value * 100).toFixed(1);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function line(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

/** Asks every question of a set in every mode. */
async function measure(set: ConversationSet, options: Options): Promise<Row[]> {
  const { modes, memories, facts } = options;
  const directory = mkdtempSync(join(tmpdir(), "memory-sidecar-recall-"));
  const hooksFile = join(directory, "hooks.json");
  const model = memories === SCRIPTED ? await startScriptedExtractor(hooksFile) : undefined;
  const flags = model === undefined ? options.flags : ["--hooks-file", hooksFile];
  const server = await startReal(join(directory, "data"), { core: undefined, flags });
  const client = connect(`127.0.0.1:${server.port}`, { timeoutMs: 600_000 });
  try {
    const served = new ServedSet(client, set, facts);
    const stored = await served.store();
    if (memories !== undefined) {
      const hook = model === undefined ? "" : SCRIPTED;
      console.log(`\n${set.name}: ${await served.remember(hook)} memories`);
    }
    const before = ownBytes(server.pid);
    const indexed = await served.index();
    const mib = (ownBytes(server.pid) - before) / 1_048_576;
    console.log(
      `\n${set.name}: ${set.conversations.length} conversations, ${stored.count} messages stored ` +
        `at ${Math.round(stored.count / stored.seconds)}/s and indexed at ` +
        `${Math.round(stored.count / indexed.seconds)}/s (${mib.toFixed(0)} MiB), embedder ` +
        `${indexed.model}; ${set.leftOutCount} questions without evidence left out`,
    );
    const rows: Row[] = [];
    for (const mode of modes) rows.push(await ask(served, set.name, mode));
    return rows;
  } finally {
    client.close();
    await server.stop();
    model?.forceShutdown();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function ask(served: ServedSet, set: string, mode: Mode): Promise<Row> {
  const table = createQualityTable();
  const times: number[] = [];
  for await (const { question, quality, ms } of served.ask(mode)) {
    table.add(question.category, question.isMain, quality);
    times.push(ms);
  }
  times.sort((a, b) => a - b);
  return { set, mode, table, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

function print(rows: readonly Row[]): void {
  line(["set", "category", "questions", "mode", "R@5", "R@10", "nDCG@10", "p50 ms", "p95 ms"]);
  line(Array.from({ length: 9 }, () => "---"));
  for (const { set, mode, table, p50, p95 } of rows) {
    const main = table.mean(MAIN_FIGURE);
    const figures = [percent(main?.recall5), percent(main?.recall10), percent(main?.ndcg10)];
    const times = [p50.toFixed(2), p95.toFixed(2)];
    line([set, "**main**", main?.count ?? 0, mode, ...figures, ...times]);
  }
  for (const { set, mode, table } of rows) {
    for (const name of table.categories()) {
      const mean = table.mean(name);
      const figures = [percent(mean?.recall5), percent(mean?.recall10), percent(mean?.ndcg10)];
      line([set, name, mean?.count ?? 0, mode, ...figures, "", ""]);
    }
  }
}

function saved(rows: readonly Row[]): string {
  const figures = rows.map(({ set, mode, table, p50, p95 }) => {
    const names = [MAIN_FIGURE, ...table.categories()];
    const means = Object.fromEntries(names.map((name) => [name, table.mean(name)]));
    return { set, mode, means, p50Ms: p50, p95Ms: p95 };
  });
  return `${JSON.stringify(figures, undefined, 2)}\n`;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    modes: { type: "string", default: "lexical,dense,hybrid" },
    "hooks-file": { type: "string" },
    rrf: { type: "boolean", default: false },
    sessions: { type: "boolean", default: false },
    memories: { type: "string" },
    facts: { type: "string" },
    save: { type: "string" },
  },
});
const modes = MODES.filter((mode) => values.modes.split(",").includes(mode));
const finders = [undefined, "rules", SCRIPTED];
if (positionals.length === 0 || modes.length === 0 || !finders.includes(values.memories)) {
  console.error(
    "Give the files of the sets, or their folder; --modes of lexical, dense, hybrid; " +
      "--memories rules or scripted.",
  );
  process.exitCode = 2;
} else {
  const hooks = values["hooks-file"];
  const flags = hooks === undefined ? [] : ["--hooks-file", hooks];
  const cpu = cpus()[0]?.model ?? "unknown";
  console.log(`${cpu}, ${cpus().length} cores, Node ${process.version}`);
  const rows: Row[] = [];
  for (const path of pathsOf(positionals)) {
    const set = readSet(basename(path).replace(SUFFIX, ""), readFileSync(path));
    const asked: Mode[] = [...modes];
    if (values.rrf) asked.push("rank fusion");
    if (values.sessions) asked.push("sessions");
    const facts = values.facts === undefined ? undefined : Number(values.facts);
    rows.push(...(await measure(set, { modes: asked, flags, memories: values.memories, facts })));
  }
  console.log("");
  print(rows);
  if (values.save !== undefined) writeFileSync(values.save, saved(rows));
}
