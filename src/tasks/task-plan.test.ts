// Goal: the parts of a change that touch tasks add up to one plan that an engine can save.

import { describe, expect, test } from "vitest";
import { taskOf } from "../../test/support/store/tasks.ts";
import { taskNoAt } from "./rules/task.ts";
import { madeTasks, mergeTaskPlans, tasksAfter } from "./task-edits.ts";

const REVISION = 9;
const fresh = taskNoAt(REVISION, 0);

describe("tasksAfter", () => {
  test("gives the tasks with what a plan puts, without what it removes", () => {
    const tasks = [taskOf(1), taskOf(3)];
    expect(tasksAfter(tasks, undefined)).toBe(tasks);
    const changed = taskOf(3, { generation: 5 });
    const after = tasksAfter(tasks, { put: [changed, taskOf(2)], remove: [1] });
    expect(after).toEqual([taskOf(2), changed]);
  });
});

describe("mergeTaskPlans", () => {
  test("gives the other when one is nothing", () => {
    const plan = { remove: [1] };
    expect(mergeTaskPlans(plan, undefined, REVISION)).toBe(plan);
    expect(mergeTaskPlans(undefined, plan, REVISION)).toBe(plan);
    expect(mergeTaskPlans(undefined, undefined, REVISION)).toBeUndefined();
  });

  test("lets the second have the last word", () => {
    const first = { put: [taskOf(1), taskOf(2)], remove: [3, 4] };
    const second = { put: [taskOf(2, { generation: 8 }), taskOf(3)], remove: [1] };
    const plan = mergeTaskPlans(first, second, REVISION);
    expect(plan?.put).toEqual([taskOf(2, { generation: 8 }), taskOf(3)]);
    expect(plan?.remove).toEqual([4, 1]);
  });

  test("forgets a task that was made and removed in the same revision", () => {
    const plan = mergeTaskPlans({ put: [taskOf(fresh)] }, { remove: [fresh] }, REVISION);
    expect(plan).toEqual({ put: [], remove: [] });
  });

  test("keeps what hooks took", () => {
    const usage = { hook: "h", hour: 2, usage: { calls: 1, tokens: 2 } };
    expect(mergeTaskPlans({ usage }, { put: [taskOf(1)] }, REVISION)).toMatchObject({ usage });
  });
});

test("madeTasks counts those of the revision", () => {
  expect(madeTasks(undefined, REVISION)).toBe(0);
  const put = [taskOf(fresh - 1), taskOf(fresh), taskOf(fresh + 1)];
  expect(madeTasks({ put }, REVISION)).toBe(2);
});
