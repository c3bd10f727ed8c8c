import { describe, expect, test } from "vitest";
import { DEFAULT_MEMORY_POLICY, type MemoryPolicy } from "../../window/policy/memory-policy.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import {
  addToJob,
  type JobAddition,
  type MemoryJob,
  rangesTo,
  TURN_END_MS,
  takeFromJob,
} from "./job.ts";

const POLICY: MemoryPolicy = {
  ...DEFAULT_MEMORY_POLICY,
  extraction: {
    ...{ hook: "", on: "turn-end", targets: ["facts"], instructions: "", supersede: true },
  },
};

const OWNER = { userId: "u", agentId: "" };

function range(first: number, last = first): SeqRange {
  return { first, last };
}

function added(job: MemoryJob | undefined, fields: Partial<JobAddition> = {}): MemoryJob {
  const next = addToJob(job, {
    ...{ type: "extract", policy: POLICY, owner: OWNER, ranges: [], isHeld: false },
    ...{ nowMs: 1_000, revision: 5 },
    ...fields,
  });
  if (next === undefined) throw new Error("There is no job.");
  return next;
}

describe("messages that come to a job", () => {
  test("make one, due at once or when their turn ends", () => {
    const job = added(undefined, { ranges: [range(1, 2)] });
    expect(job).toMatchObject({
      ...{ type: "extract", ranges: [range(1, 2)], state: "ready", dueMs: 1_000 },
      ...{ failedAttempts: 0, createMs: 1_000, generation: 5 },
    });
    expect(added(undefined, { ranges: [range(1)], isHeld: true }).dueMs).toBe(TURN_END_MS);
  });

  test("join those that wait, and leave the generation as it is", () => {
    const held = added(undefined, { ranges: [range(1, 2)], isHeld: true });
    const more = added(held, { ranges: [range(3)], isHeld: true, revision: 6 });
    expect(more).toMatchObject({ ranges: [range(1, 3)], dueMs: TURN_END_MS, generation: 5 });
    expect(added(more, { nowMs: 2_000 }).dueMs).toBe(2_000);
  });

  test("are nothing when a turn ends in which nothing came", () => {
    const addition = { type: "extract", policy: POLICY, ranges: [], isHeld: false } as const;
    const at = { owner: OWNER, nowMs: 1, revision: 1 };
    expect(addToJob(undefined, { ...addition, ...at })).toBeUndefined();
  });

  test("take the place of those of another owner", () => {
    const owner = { userId: "v", agentId: "" };
    const job = added(undefined, { ranges: [range(1, 2)] });
    expect(added(job, { ranges: [range(3)] })).toMatchObject({
      owner: OWNER,
      ranges: [range(1, 3)],
    });
    expect(added(job, { owner, ranges: [range(3)] })).toMatchObject({ owner, ranges: [range(3)] });
    // The end of a turn brings no messages.
    expect(added(job, { owner })).toMatchObject({ owner: OWNER, ranges: [range(1, 2)] });
    const { owner: _, ...old } = job;
    expect(added(old, { owner, ranges: [range(3)] })).toMatchObject({
      owner,
      ranges: [range(1, 3)],
    });
  });

  test("cut a rest after a failure short: what the hook does not do, the rules do at once", () => {
    const job = { ...added(undefined, { ranges: [range(1)] }), failedAttempts: 2, dueMs: 9_000 };
    expect(added(job, { ranges: [range(2)] }).dueMs).toBe(1_000);
    expect(added({ ...job, dueMs: 500 }, { ranges: [range(2)] }).dueMs).toBe(1_000);
    expect(added({ ...job, dueMs: 1_000 }, { ranges: [range(2)] }).dueMs).toBe(1_001);
  });

  test("bring a dead one back with all its attempts and all its messages", () => {
    const dead: MemoryJob = {
      ...added(undefined, { ranges: [range(1)] }),
      ...{ state: "dead", dueMs: 0, failedAttempts: 5 },
    };
    expect(added(dead, { ranges: [range(4)], nowMs: 7_000 })).toMatchObject({
      ...{ state: "ready", dueMs: 7_000, failedAttempts: 0, ranges: [range(1), range(4)] },
    });
  });

  test("are kept in no more than 256 runs", () => {
    const ranges = Array.from({ length: 300 }, (_, index) => range(index * 2 + 1));
    const job = added(undefined, { ranges });
    expect(job.ranges).toHaveLength(256);
    expect(job.ranges.at(-1)).toEqual(range(599));
  });
});

describe("what was done", () => {
  const job = added(undefined, { ranges: [range(1, 4)] });

  test("goes out, and a job without messages is over", () => {
    const done = { taken: job, nowMs: 2_000, revision: 9 };
    expect(takeFromJob(job, { ...done, ranges: [range(1, 4)] })).toBeUndefined();
    expect(takeFromJob(job, { ...done, ranges: [range(1, 2)] })).toMatchObject({
      ...{ ranges: [range(3, 4)], dueMs: 2_000, generation: 9, failedAttempts: 0 },
    });
  });

  test("leaves messages of a turn that goes on waiting for its end", () => {
    const more = added(job, { ranges: [range(5)], isHeld: true });
    const done = { taken: job, ranges: [range(1, 4)], nowMs: 2_000, revision: 9 };
    expect(takeFromJob(more, done)?.dueMs).toBe(TURN_END_MS);
    // The turn ended while the job was done, also within the same millisecond.
    expect(takeFromJob(added(more), done)?.dueMs).toBe(2_000);
  });
});

test("cuts runs at a seq", () => {
  expect(rangesTo([range(1, 3), range(5, 9)], 6)).toEqual([range(1, 3), range(5, 6)]);
  expect(rangesTo([range(5, 9)], 4)).toEqual([]);
});
