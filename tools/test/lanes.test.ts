import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Job, runInLanes } from "./lanes.ts";

/** Jobs that note when each starts and ends; `plan` has their groups and durations. */
function plan(
  ...steps: readonly (readonly [name: string, group: string | undefined, ms: number])[]
) {
  const seen: string[] = [];
  const jobs = steps.map(([name, group, ms]): Job => {
    const run = async (): Promise<void> => {
      seen.push(`${name} starts`);
      await sleep(ms);
      seen.push(`${name} ends`);
    };
    return { name, run, ...(group === undefined ? {} : { group }) };
  });
  return { jobs, seen };
}

function unexpected(name: string, error: unknown): void {
  expect.unreachable(`${name} failed: ${error}`);
}

describe("lanes", () => {
  test("run the jobs of a group one after another, beside those of others", async () => {
    const { jobs, seen } = plan(["a1", "a", 1_000], ["a2", "a", 1], ["b1", "b", 10]);
    await runInLanes(jobs, 2, unexpected);
    expect(seen).toEqual(["a1 starts", "b1 starts", "b1 ends", "a1 ends", "a2 starts", "a2 ends"]);
  });

  test("are no more than asked for, and take jobs without a group in order", async () => {
    const { jobs, seen } = plan(
      ["x", undefined, 10],
      ["y", undefined, 1_000],
      ["z", undefined, 10],
    );
    await runInLanes(jobs, 2, unexpected);
    expect(seen).toEqual(["x starts", "y starts", "x ends", "z starts", "z ends", "y ends"]);
  });

  test("run every job, one at a time when there is one lane", async () => {
    const { jobs, seen } = plan(["a1", "a", 1], ["b1", "b", 1], ["a2", "a", 1]);
    await runInLanes(jobs, 1, unexpected);
    expect(seen).toEqual(["a1", "b1", "a2"].flatMap((name) => [`${name} starts`, `${name} ends`]));
  });

  test("run the other jobs when some throw, and tell of each", async () => {
    const { jobs, seen } = plan(["a1", "a", 10], ["a2", "a", 1], ["b1", "b", 1]);
    const failing = [
      { name: "late", group: "a", run: () => Promise.reject(new Error("no runner")) },
      {
        name: "early",
        run: () => {
          throw new Error("no folder");
        },
      },
    ];
    const told: string[] = [];
    await runInLanes([...failing, ...jobs], 2, (name, error) => told.push(`${name}: ${error}`));
    expect(told.sort()).toEqual(["early: Error: no folder", "late: Error: no runner"]);
    expect(seen.filter((line) => line.endsWith("ends")).sort()).toEqual([
      "a1 ends",
      "a2 ends",
      "b1 ends",
    ]);
  });
});
