import { describe, expect, test } from "vitest";
import { newInsert } from "../../../test/support/store/plans.ts";
import { crowdMerge, levelMerge } from "./hierarchy.ts";
import type { WindowInsert } from "./session.ts";

function summary(version: number, fields: Partial<WindowInsert> = {}): WindowInsert {
  const position = version + 0.5;
  return newInsert({ position, version, level: 1, stage: "old", kind: "summary", ...fields });
}

const versionsOf = (merge: ReturnType<typeof levelMerge>) => merge?.map(({ version }) => version);

describe("summaries of one level", () => {
  test("become one of the next when there are enough, the oldest first", () => {
    const inserts = [1, 2, 3, 4, 5].map((version) => summary(version));
    expect(versionsOf(levelMerge(inserts, "old", 4))).toEqual([1, 2, 3, 4]);
    expect(levelMerge(inserts.slice(0, 3), "old", 4)).toBeUndefined();
  });

  test("become one before those of the levels above", () => {
    const inserts = [
      ...[1, 2].map((version) => summary(version, { level: 2 })),
      ...[3, 4].map((version) => summary(version)),
    ];
    expect(versionsOf(levelMerge(inserts, "old", 2))).toEqual([3, 4]);
    expect(versionsOf(levelMerge(inserts.slice(0, 3), "old", 2))).toEqual([1, 2]);
  });

  test("are those of the stage alone, and no results", () => {
    const inserts = [
      summary(1, { stage: "other" }),
      summary(2),
      summary(3, { stage: "" }),
      summary(4, { kind: "result" }),
    ];
    expect(levelMerge(inserts, "old", 2)).toBeUndefined();
  });

  test("take the requests that are shown before them along", () => {
    const inserts = [
      summary(1, { kind: "request", position: 1.25, messageId: "r1", level: 0 }),
      summary(1),
      summary(2),
      summary(3, { kind: "request", position: 3.25, messageId: "r3", level: 0 }),
      summary(3),
    ];
    const merge = levelMerge(inserts, "old", 2);
    expect(merge?.map(({ position }) => position)).toEqual([1.25, 1.5, 2.5]);
  });
});

test("a crowd of summaries is thinned out whatever the levels", () => {
  const inserts = [1, 2, 3, 4].map((version) => summary(version, { level: version }));
  expect(crowdMerge(inserts, "old", { fanIn: 3, crowd: 5 })).toBeUndefined();
  const merge = crowdMerge(inserts, "old", { fanIn: 3, crowd: 4 });
  expect(versionsOf(merge)).toEqual([1, 2, 3]);
});
