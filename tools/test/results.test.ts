import { describe, expect, it } from "vitest";
import { countJunit, countVitest, isGood, type Outcome, slowTests, totalLine } from "./results.ts";
import { sortIntoStages } from "./stages.ts";

function outcome(counts: Partial<Outcome>): Outcome {
  return { name: "unit", seconds: 1, passed: 0, failed: 0, skipped: 0, ...counts };
}

function report(status: string, ...tests: readonly [status: string, duration: number][]): string {
  const assertionResults = tests.map(([state, duration]) => ({
    status: state,
    fullName: `test of ${duration} ms`,
    duration,
  }));
  return JSON.stringify({ testResults: [{ name: "a", status, message: "", assertionResults }] });
}

describe("counting", () => {
  it("takes vitest's tests one by one", () => {
    const json = report("failed", ["passed", 1], ["failed", 1], ["pending", 1], ["passed", 1]);
    expect(countVitest(json)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it("counts a file that could not be loaded as a failure", () => {
    expect(countVitest(report("failed"))).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it("takes pytest's totals, errors outside tests included", () => {
    const xml =
      '<testsuites><testsuite errors="1" failures="2" skipped="3" tests="10"></testsuite>';
    expect(countJunit(xml)).toEqual({ passed: 4, failed: 3, skipped: 3 });
  });

  it("names slow tests, the slowest first", () => {
    const json = report("passed", ["passed", 500], ["passed", 5_000], ["passed", 9_000]);
    expect(slowTests(json, 1_000)).toEqual(["9.0 s  test of 9000 ms", "5.0 s  test of 5000 ms"]);
  });
});

describe("the last line", () => {
  it("sums over all runners and names skipped tests only when there are any", () => {
    expect(totalLine([outcome({ passed: 3 }), outcome({ passed: 4 })])).toBe("7 passed, 0 failed");
    expect(totalLine([outcome({ passed: 3, skipped: 1 })])).toBe("3 passed, 0 failed, 1 skipped");
  });

  it("never says 0 failed when a runner crashed", () => {
    const crashed = [outcome({ passed: 3 }), outcome({ trouble: "the runner crashed" })];
    expect(totalLine(crashed)).toBe("3 passed, 1 failed");
    expect(isGood(crashed)).toBe(false);
  });

  it("is not good when nothing ran", () => {
    expect(isGood([])).toBe(false);
    expect(isGood([outcome({})])).toBe(false);
    expect(isGood([outcome({ passed: 1 })])).toBe(true);
  });
});

describe("stages", () => {
  it("leave no test file out, wherever it lies", () => {
    const sorted = sortIntoStages(["src/a.test.ts", "test/new/b.test.ts", "test/e2e/c.test.ts"]);
    expect(sorted.map(({ stage, files }) => [stage.name, files])).toEqual([
      ["unit", ["src/a.test.ts"]],
      ["e2e", ["test/e2e/c.test.ts"]],
      ["other", ["test/new/b.test.ts"]],
    ]);
  });
});
