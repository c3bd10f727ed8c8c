// Counts tests from the reports of the runners.

/** How the tests of a stage ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A stage with what came of it. */
export interface Outcome extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** What went wrong beside failed tests: the runner crashed, took too long, or ran nothing. */
  readonly trouble?: string;
  /** Why the stage did not run on this machine. */
  readonly skipReason?: string;
}

/** Nothing counted. */
export const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly duration?: number | null;
    }[];
  }[];
}

/** Counts from vitest's JSON. A file that fails without a failed test counts as one failure. */
export function countVitest(json: string): Counts {
  const report = JSON.parse(json) as VitestReport;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, assertionResults } of report.testResults) {
    const failed = assertionResults.filter((test) => test.status === "failed").length;
    counts.failed += failed === 0 && status === "failed" ? 1 : failed;
    counts.passed += assertionResults.filter((test) => test.status === "passed").length;
    counts.skipped += assertionResults.filter(isSkipped).length;
  }
  return counts;
}

function isSkipped({ status }: { readonly status: string }): boolean {
  return status === "skipped" || status === "pending" || status === "todo";
}

/** The slowest tests of a vitest report, for the eyes of whoever waits for them. */
export function slowTests(json: string, overMs: number): string[] {
  const report = JSON.parse(json) as VitestReport;
  return report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ duration }) => (duration ?? 0) >= overMs)
    .sort((a, b) => (b.duration ?? 0) - (a.duration ?? 0))
    .map(({ duration, fullName }) => `${((duration ?? 0) / 1_000).toFixed(1)} s  ${fullName}`);
}

/** Counts from pytest's JUnit XML. An error outside a test counts as a failure. */
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

/** The line that says it all: `12 passed, 0 failed`, with the skipped ones when there are any. */
export function totalLine(outcomes: readonly Outcome[]): string {
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const skipped = sum((outcome) => outcome.skipped);
  // A runner that failed without saying which test did is a failure that must be seen.
  const failed = sum((outcome) =>
    outcome.trouble !== undefined && outcome.failed === 0 ? 1 : outcome.failed,
  );
  const line = `${sum((outcome) => outcome.passed)} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}

/** Whether everything that should have run did, and passed. */
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
