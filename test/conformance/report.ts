// The readable report on a run of cases.

import type { Result } from "./runner.ts";

const LONGEST = 1_500;

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}... (${text.length} characters)`;
}

/** Says what is wrong with a case, with what it expected and what it got; empty when it passed. */
export function failureText({ kase, problems }: Result): string {
  if (problems.length === 0) return "";
  const lines = [`FAILED ${kase.id} (system ${kase.system}, ${kase.feature})`];
  for (const { about, why, expected, got } of problems) {
    lines.push(`  ${about}: ${cut(why)}`);
    if (expected !== undefined) lines.push(`    expected ${cut(expected)}`);
    if (got !== undefined) lines.push(`    got      ${cut(got)}`);
  }
  return lines.join("\n");
}

/** Counts the cases of each family that passed, in the order in which the families come. */
export function familyLines(results: readonly Result[], family: (result: Result) => string) {
  const counts = new Map<string, { passed: number; all: number }>();
  for (const result of results) {
    const name = family(result);
    const count = counts.get(name) ?? { passed: 0, all: 0 };
    count.all += 1;
    if (result.problems.length === 0) count.passed += 1;
    counts.set(name, count);
  }
  return [...counts].map(([name, { passed, all }]) => `${name.padEnd(20)} ${passed} of ${all}`);
}

/** Says what the server did not get of the configurations of cases, and of how many. */
export function leftOutLines(results: readonly Result[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const what of results.flatMap(({ leftOut }) => leftOut)) {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(
    ([what, count]) => `left out of ${count === 1 ? "a case" : `${count} cases`}: ${what}`,
  );
}

/** The last line: how many cases passed and failed. */
export function totalLine(results: readonly Result[]): string {
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  return `${results.length - failed} passed, ${failed} failed`;
}
