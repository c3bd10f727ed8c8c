// `npm run bench:summaries -- DIR`, or paths of single sets: how much of the evidence of later
// questions is left in the summaries of the builtin hook, at a tenth of the tokens.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { judge, type Score } from "./judge.ts";
import { builtin, first, last, type Method, random } from "./methods.ts";
import { type Reading, readingOf } from "./rubric.ts";
import { type Conversation, type Cutting, readSet } from "./sets.ts";

const CUTTINGS: readonly Cutting[] = ["sessions", 8_000];
const SEEDS = [1, 2, 3, 4, 5];
const SUFFIX = ".json.gz";

function pathsOf(given: readonly string[]): string[] {
  return given.flatMap((path) => {
    if (!existsSync(path)) {
      console.log(`${path}: not there, skipped`);
      return [];
    }
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => name.endsWith(SUFFIX));
    return names.sort().map((name) => join(path, name));
  });
}

function mean(scores: readonly Score[], of: (score: Score) => number): number {
  return scores.reduce((sum, score) => sum + of(score), 0) / scores.length;
}

function cell(scores: readonly Score[]): string {
  const percent = (value: number) => (value * 100).toFixed(1);
  return `${percent(mean(scores, (one) => one.kept))} / ${percent(mean(scores, (one) => one.share))}`;
}

const PLAIN: readonly (readonly Method[])[] = [[first], [last], SEEDS.map((seed) => random(seed))];

function row(name: string, conversations: readonly Conversation[], cutting: Cutting): string {
  const own = judge(conversations, cutting, builtin);
  const others = PLAIN.map((methods) => methods.map((one) => judge(conversations, cutting, one)));
  const pieces = cutting === "sessions" ? cutting : `${cutting} tokens`;
  const speed = (own.ms / 1_000 / (own.bytes / 1_048_576)).toFixed(2);
  const cells = [`**${cell([own])}**`, ...others.map(cell), speed, own.fullest.toFixed(2)];
  return `| ${[name, pieces, own.questions, ...cells].join(" | ")} |`;
}

function readingRow(name: string, reading: Reading): string {
  const { pieces, sentences, complete, named, figures, whole } = reading;
  const shares = [complete, named, figures, whole].map((one) => (one * 100).toFixed(1));
  return `| ${[name, pieces, sentences, ...shares].join(" | ")} |`;
}

const given = process.argv.slice(2);
if (given.length === 0) {
  console.error("Give the folder of the sets, or their paths.");
  process.exitCode = 2;
} else {
  const head = "set|chunks|questions|builtin|first|last|random|s/MiB|fullest".split("|");
  console.log(`| ${head.join(" | ")} |\n|${" --- |".repeat(head.length)}`);
  const sets = pathsOf(given).map((path) => ({ name: basename(path, SUFFIX), set: readSet(path) }));
  for (const { name, set } of sets) {
    for (const cutting of CUTTINGS) console.log(row(name, set, cutting));
  }
  const columns = "pieces|sentences|complete|speaker named|figures with a word|no orphan clause";
  const rubric = ["set", ...columns.split("|")];
  console.log(`\n| ${rubric.join(" | ")} |\n|${" --- |".repeat(rubric.length)}`);
  for (const { name, set } of sets) console.log(readingRow(name, readingOf(set)));
}
