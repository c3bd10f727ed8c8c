// The readable report on a run of cases.

import type { Result } from "./runner.ts";

const LONGEST = 1_500;

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}... (${text.length} characters)`;
}

function isPassed({ problems, notOffered }: Result): boolean {
  return problems.length === 0 && notOffered.length === 0;
}

/** Whether a case failed for another reason than an ability that is not offered. */
export function isFailed({ problems, notOffered }: Result): boolean {
  return problems.length > 0 && notOffered.length === 0;
}

/** Says what is wrong with a case, with what it expected and what it got; empty when it passed. */
export function failureText(result: Result): string {
  const { kase, problems } = result;
  if (!isFailed(result)) return "";
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
    if (isPassed(result)) count.passed += 1;
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

/** Says which cases need what is not offered, a line for each ability. */
export function notOfferedLines(results: readonly Result[]): readonly string[] {
  const ids = new Map<string, string[]>();
  for (const { kase, notOffered } of results) {
    for (const what of notOffered) ids.set(what, [...(ids.get(what) ?? []), kase.id]);
  }
  return [...ids].map(([what, names]) => `not offered (${names.join(", ")}): ${what}`);
}

/** The last line: how many cases passed and failed, and how many need what is not offered. */
export function totalLine(results: readonly Result[]): string {
  const passed = results.filter(isPassed).length;
  const failed = results.filter(isFailed).length;
  const others = results.length - passed - failed;
  return `${passed} passed, ${failed} failed${others === 0 ? "" : `, ${others} not offered`}`;
}
