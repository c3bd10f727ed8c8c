// Counts tests from the reports of the runners.

/** Test counts of a stage. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A stage with its outcome. */
export interface Outcome extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** Failure beside failed tests: the runner crashed, took too long, or ran nothing. */
  readonly trouble?: string;
  /** Reason for not running the stage on this machine. */
  readonly skipReason?: string;
}

/** Counts of zero. */
export const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

/** Result of one test, as the reporter of vitest streams it. */
export interface StreamedResult {
  readonly id: string;
  readonly name: string;
  readonly state: "started" | "passed" | "failed" | "skipped" | "pending";
  readonly durationMs?: number;
}

/** Parses the stream, also with an incomplete last line; the last state of a test counts. */
export function readStream(lines: string): StreamedResult[] {
  const results = new Map<string, StreamedResult>();
  for (const line of lines.split("\n").slice(0, -1)) {
    const result = JSON.parse(line) as StreamedResult;
    results.set(result.id, result);
  }
  return [...results.values()];
}

/** Counts the finished tests. A file that fails without a test is one failure. */
export function countStream(results: readonly StreamedResult[]): Counts {
  const count = (...states: readonly StreamedResult["state"][]): number =>
    results.filter(({ state }) => states.includes(state)).length;
  return {
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped", "pending"),
  };
}

/** Names of the tests in a state; "started" are those that a stopped runner did not finish. */
export function testsIn(
  state: StreamedResult["state"],
  results: readonly StreamedResult[],
): string[] {
  return results.filter((result) => result.state === state).map(({ name }) => name);
}

/** The slowest tests, to report. */
export function slowTests(results: readonly StreamedResult[], overMs: number): string[] {
  return results
    .map(({ name, durationMs = 0 }) => ({ name, durationMs }))
    .filter(({ durationMs }) => durationMs >= overMs)
    .sort((a, b) => b.durationMs - a.durationMs)
    .map(({ durationMs, name }) => `${(durationMs / 1_000).toFixed(1)} s  ${name}`);
}

/** Counts from pytest's JUnit XML. An error outside tests is a failure. */
export function countJunit(xml: string): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, attributes = ""] of xml.matchAll(/<testsuite\b([^>]*)>/g)) {
    const number = (name: string): number =>
      Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
    const failed = number("failures") + number("errors");
    counts.failed += failed;
    counts.skipped += number("skipped");
    counts.passed += number("tests") - failed - number("skipped");
  }
  return counts;
}

/** The final line: `12 passed, 0 failed`, with the skipped tests when there are any. */
export function totalLine(outcomes: readonly Outcome[]): string {
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const skipped = sum((outcome) => outcome.skipped);
  // A runner that failed without naming a test counts as one failure.
  const failed = sum((outcome) =>
    outcome.trouble !== undefined && outcome.failed === 0 ? 1 : outcome.failed,
  );
  const line = `${sum((outcome) => outcome.passed)} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}

/** Whether every stage that should run did run and passed. */
export function isGood(outcomes: readonly Outcome[]): boolean {
  return (
    outcomes.some(({ passed }) => passed > 0) &&
    outcomes.every(({ failed, trouble }) => failed === 0 && trouble === undefined)
  );
}

/** One line of the table of stages. */
export function stageLine(outcome: Outcome): string {
  const { name, passed, failed, skipped, seconds, trouble, skipReason } = outcome;
  if (skipReason !== undefined) return `${name.padEnd(10)} SKIPPED  ${skipReason}`;
  const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`;
  const rest = skipped === 0 ? "" : `  ${skipped} skipped`;
  const fault = trouble === undefined ? "" : `  ${trouble}`;
  return `${name.padEnd(10)} ${counts} ${seconds.toFixed(1).padStart(7)} s${rest}${fault}`;
}
