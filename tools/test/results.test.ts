import { describe, expect, test } from "vitest";
import {
  countJunit,
  countStream,
  isGood,
  type Outcome,
  readStream,
  type StreamedResult,
  slowTests,
  testsIn,
  totalLine,
} from "./results.ts";
import { sortIntoStages } from "./stages.ts";

function outcome(counts: Partial<Outcome>): Outcome {
  return { name: "unit", seconds: 1, passed: 0, failed: 0, skipped: 0, ...counts };
}

function stream(...results: readonly [StreamedResult["state"], number][]): StreamedResult[] {
  return results.map(([state, durationMs], at) => ({
    ...{ id: String(at), name: `test of ${durationMs} ms`, state, durationMs },
  }));
}

describe("counting", () => {
  test("takes vitest's tests one by one", () => {
    const results = stream(["passed", 1], ["failed", 1], ["pending", 1], ["passed", 1]);
    expect(countStream(results)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  test("tells of a run that was stopped what passed and what was under way", () => {
    const lines = [
      { id: "a", name: "a", state: "started" },
      { id: "b", name: "b", state: "started" },
      { id: "a", name: "a", state: "passed", durationMs: 1 },
    ].map((line) => `${JSON.stringify(line)}\n`);
    const results = readStream(`${lines.join("")}{"id":"c","na`);
    expect(countStream(results)).toEqual({ passed: 1, failed: 0, skipped: 0 });
    expect(testsIn("started", results)).toEqual(["b"]);
  });

  test("takes pytest's totals, errors outside tests included", () => {
    const xml =
      '<testsuites><testsuite errors="1" failures="2" skipped="3" tests="10"></testsuite>';
    expect(countJunit(xml)).toEqual({ passed: 4, failed: 3, skipped: 3 });
  });

  test("names slow tests, the slowest first", () => {
    const results = stream(["passed", 500], ["passed", 5_000], ["passed", 9_000]);
    expect(slowTests(results, 1_000)).toEqual(["9.0 s  test of 9000 ms", "5.0 s  test of 5000 ms"]);
  });
});

describe("the last line", () => {
  test("sums over all runners and names skipped tests only when there are any", () => {
    expect(totalLine([outcome({ passed: 3 }), outcome({ passed: 4 })])).toBe("7 passed, 0 failed");
    expect(totalLine([outcome({ passed: 3, skipped: 1 })])).toBe("3 passed, 0 failed, 1 skipped");
  });

  test("never says 0 failed when a runner crashed", () => {
    const crashed = [outcome({ passed: 3 }), outcome({ trouble: "the runner crashed" })];
    expect(totalLine(crashed)).toBe("3 passed, 1 failed");
    expect(isGood(crashed)).toBe(false);
  });

  test("is not good when nothing ran", () => {
    expect(isGood([])).toBe(false);
    expect(isGood([outcome({})])).toBe(false);
    expect(isGood([outcome({ passed: 1 })])).toBe(true);
  });
});

describe("stages", () => {
  test("leave no test file out, wherever it lies", () => {
    const sorted = sortIntoStages(["src/a.test.ts", "test/new/b.test.ts", "test/e2e/c.test.ts"]);
    expect(sorted.map(({ stage, files }) => [stage.name, files])).toEqual([
      ["unit", ["src/a.test.ts"]],
      ["e2e", ["test/e2e/c.test.ts"]],
      ["other", ["test/new/b.test.ts"]],
    ]);
  });
});
