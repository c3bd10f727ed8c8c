import { describe, expect, test } from "vitest";
import { Lanes } from "./client.ts";

function lanesOf(...jobs: readonly (readonly [string, number])[]): Lanes<TestJob> {
  const lanes = new Lanes<TestJob>();
  for (const [place, [namespace, bytes]] of jobs.entries()) lanes.add({ namespace, bytes, place });
  return lanes;
}

interface TestJob {
  readonly namespace: string;
  readonly bytes: number;
  readonly place: number;
}

function takenAll(lanes: Lanes<TestJob>, bytes = 100): number[] {
  const places: number[] = [];
  for (let job = lanes.take(bytes); job !== undefined; job = lanes.take(bytes)) {
    places.push(job.place);
  }
  return places;
}

describe("lanes", () => {
  test("let namespaces take turns, each in its own order", () => {
    const lanes = lanesOf(["a", 1], ["a", 1], ["a", 1], ["b", 1], ["b", 1]);
    expect(takenAll(lanes)).toEqual([0, 3, 1, 4, 2]);
  });

  test("put a namespace first in which somebody waits, with what came before it there", () => {
    const lanes = lanesOf(["a", 1], ["b", 1], ["a", 1], ["b", 0], ["b", 1]);
    expect(takenAll(lanes)).toEqual([1, 3, 0, 4, 2]);
  });

  test("hold a large job back, and everything that is not waited for with it", () => {
    const lanes = lanesOf(["a", 50], ["b", 1]);
    expect(lanes.take(49)).toBeUndefined();
    lanes.add({ namespace: "c", bytes: 0, place: 2 });
    expect(lanes.take(0)?.place).toBe(2);
    expect(lanes.take(50)?.place).toBe(0);
  });

  test("let go of everything at once", () => {
    const lanes = lanesOf(["a", 1], ["b", 0], ["a", 1]);
    lanes.take(1);
    expect(lanes.clear().map(({ place }) => place)).toEqual([0, 2]);
    expect(lanes.take(100)).toBeUndefined();
  });

  test("keep the order of many jobs", () => {
    const jobs = Array.from({ length: 500 }, (_, at) => ["a", at % 7 === 0 ? 0 : 1] as const);
    expect(takenAll(lanesOf(...jobs))).toEqual(jobs.map((_, at) => at));
  });
});
