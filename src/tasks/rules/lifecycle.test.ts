import { describe, expect, test } from "vitest";
import { sampleTask } from "../../../test/support/store/tasks.ts";
import {
  dead,
  extended,
  failed,
  isLastFailure,
  leased,
  leaseEnded,
  mayTake,
  nextOf,
  readyAgain,
  released,
  TASK_AGE_MS_MAX,
  untaken,
} from "./lifecycle.ts";

const TAKING = {
  token: "t",
  worker: "w",
  nowMs: 1_000,
  leaseMs: 500,
  priorVersion: 3,
  reservedTokens: 70,
  hour: 9,
};
const FAILURE = { reason: "timeout", message: "late", atMs: 2_000 } as const;

describe("a task that is taken", () => {
  test("may be taken from its time on", () => {
    const task = sampleTask({ dueMs: 1_000 });
    expect(mayTake(task, 999)).toBe(false);
    expect(mayTake(task, 1_000)).toBe(true);
    expect(mayTake({ ...task, state: "waiting", dueMs: 0 }, 1_000)).toBe(false);
  });

  test("is held until its lease ends", () => {
    const task = leased(sampleTask({ dueMs: 0, callCount: 2, generation: 4 }), TAKING);
    const { token, worker, priorVersion, reservedTokens, hour } = TAKING;
    expect(task.lease).toEqual({
      ...{ token, worker, priorVersion, reservedTokens, hour },
      startMs: 1_000,
      generation: 4,
    });
    expect(task.callCount).toBe(3);
    expect(mayTake(task, 1_400)).toBe(false);
    expect(leaseEnded(task, 1_499)).toBe(false);
    expect(leaseEnded(task, 1_500)).toBe(true);
    expect(leaseEnded(extended(task, 9_000), 1_500)).toBe(false);
  });

  test("cannot be taken twice, and only a taken one is extended", () => {
    const task = leased(sampleTask(), TAKING);
    expect(() => leased(task, TAKING)).toThrow("leased");
    expect(() => extended(sampleTask(), 5)).toThrow("nobody");
  });

  test("comes back as it was when nobody began", () => {
    const before = sampleTask({ dueMs: 1_000 });
    const task = leased(before, TAKING);
    expect(untaken(task, 1_000)).toEqual(before);
    expect(released(task, 7_000)).toEqual({ ...before, callCount: 1, dueMs: 7_000 });
  });
});

describe("a task that fails", () => {
  test("is tried again, and counts the attempt if it is the task's own", () => {
    const task = leased(sampleTask(), TAKING);
    const own = failed(task, FAILURE, { dueMs: 3_000, counts: true });
    expect(own).toMatchObject({
      state: "ready",
      dueMs: 3_000,
      failedAttempts: 1,
      lease: undefined,
    });
    expect(own.lastFailure).toEqual(FAILURE);
    expect(failed(task, FAILURE, { dueMs: 3_000, counts: false }).failedAttempts).toBe(0);
  });

  test("is given up with the last of its attempts, or after a day", () => {
    const task = sampleTask({ failedAttempts: 4, createMs: 0 });
    expect(isLastFailure(task, { counts: true, maxAttempts: 5, nowMs: 10 })).toBe(true);
    expect(isLastFailure(task, { counts: true, maxAttempts: 6, nowMs: 10 })).toBe(false);
    expect(isLastFailure(task, { counts: false, maxAttempts: 5, nowMs: 10 })).toBe(false);
    const late = { counts: false, maxAttempts: 5, nowMs: TASK_AGE_MS_MAX };
    expect(isLastFailure(task, late)).toBe(true);
    expect(isLastFailure(task, { ...late, nowMs: TASK_AGE_MS_MAX - 1 })).toBe(false);
    expect(isLastFailure(task, { ...late, counts: true, maxAttempts: 6 })).toBe(false);
  });

  test("is dead until it is retried", () => {
    const gone = dead(leased(sampleTask({ failedAttempts: 4 }), TAKING), FAILURE, true);
    expect(gone).toMatchObject({ state: "dead", dueMs: 0, deadMs: 2_000, failedAttempts: 5 });
    expect(gone.lease).toBeUndefined();
    const again = readyAgain(gone, 8_000);
    expect(again).toMatchObject({ state: "ready", dueMs: 8_000, deadMs: 0, failedAttempts: 0 });
    expect(again.lastFailure).toEqual(FAILURE);
    expect(readyAgain(gone, 8_000, true)).toMatchObject({ state: "waiting", dueMs: 0 });
  });

  test("has a day anew once it is retried", () => {
    const at = { counts: false, maxAttempts: 5 };
    const again = readyAgain(sampleTask({ createMs: 0 }), TASK_AGE_MS_MAX);
    expect(isLastFailure(again, { ...at, nowMs: TASK_AGE_MS_MAX + 1 })).toBe(false);
    expect(isLastFailure(again, { ...at, nowMs: 2 * TASK_AGE_MS_MAX })).toBe(true);
  });
});

describe("nextOf", () => {
  const first = sampleTask({ taskNo: 1, state: "waiting", dueMs: 0, stage: "s" });
  const second = sampleTask({ taskNo: 2, state: "waiting", dueMs: 0, stage: "s" });

  test("makes the oldest that waits ready", () => {
    expect(nextOf([second, first], "s", 50)).toEqual({ ...first, state: "ready", dueMs: 50 });
  });

  test("does nothing while one of the stage is under way", () => {
    const busy = sampleTask({ taskNo: 0, stage: "s" });
    expect(nextOf([busy, first], "s", 50)).toBeUndefined();
    expect(nextOf([{ ...busy, state: "dead" }, first], "s", 50)?.taskNo).toBe(1);
    expect(nextOf([{ ...busy, stage: "other" }, first], "s", 50)?.taskNo).toBe(1);
    expect(nextOf([first], "other", 50)).toBeUndefined();
  });
});
