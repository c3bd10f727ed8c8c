// Goal: a change of a caller takes away exactly the tasks that nobody wants any more, and the rest
// goes on with what is there now.

import { describe, expect, test } from "vitest";
import { taskOf } from "../../test/support/store/tasks.ts";
import { policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { DEFAULT_SUMMARY_SPEC } from "../window/policy/summary-spec.ts";
import type { Task } from "./rules/task.ts";
import { afterMessage, afterPolicy, afterReset, type TaskEdit } from "./task-edits.ts";

const NOW = 500;
const AT_ONCE = { keep: "append", leave: "at-once" } as const;

/** The ids, stages and reasons of the tasks that were told to be superseded. */
function told({ events }: TaskEdit): unknown[] {
  return events.map((event) => {
    if (event.type !== EVENT_TYPE.summarySuperseded) throw new Error("another event");
    return [event.taskId, event.stage, event.reason];
  });
}

const dead = (taskNo: number, fields: Partial<Task> = {}) =>
  taskOf(taskNo, { state: "dead", dueMs: 0, deadMs: 9, ...fields });

describe("a reset", () => {
  test("takes all tasks away and tells of the live ones", () => {
    const edit = afterReset([taskOf(1), dead(2), taskOf(3, { state: "waiting" })], NOW);
    expect(edit.plan).toEqual({ put: [], remove: [1, 2, 3] });
    expect(told(edit)).toEqual([
      ["task-00000000001", "sum", "session-reset"],
      ["task-00000000003", "sum", "session-reset"],
    ]);
  });

  test("does nothing without tasks", () => {
    expect(afterReset([], NOW)).toEqual({ plan: undefined, events: [] });
  });
});

describe("a new policy", () => {
  const summarize = { ...DEFAULT_SUMMARY_SPEC, hook: "writer" };
  const stage = stageOf({ name: "sum", removedTo: "summarize", summarize });
  const tasks = [taskOf(1), dead(2), taskOf(3, { stage: "" })];

  test("leaves tasks alone whose stage still asks for the same", () => {
    const same = stageOf({ ...stage, anyOf: [{ kind: "always" }] });
    const policy = { old: policyOf([stage]), new: policyOf([same]) };
    expect(afterPolicy(tasks, policy, NOW).plan).toBeUndefined();
    // Asked for by a caller, in another way.
    const own = taskOf(1, {}, { spec: { maxTokens: 77 } });
    expect(afterPolicy([own], policy, NOW).plan).toBeUndefined();
  });

  test.each([
    ["is gone", []],
    ["has another name", [stageOf({ ...stage, name: "other" })]],
    ["summarizes no more", [stageOf({ name: "sum" })]],
    ["asks for something else", [{ ...stage, summarize: { ...summarize, maxTokens: 99 } }]],
  ])("takes those away whose stage %s, but not those of CompactSession", (_, stages) => {
    const edit = afterPolicy(tasks, { old: policyOf([stage]), new: policyOf(stages) }, NOW);
    expect(edit.plan).toEqual({ put: [], remove: [1] });
    expect(told(edit)).toEqual([["task-00000000001", "sum", "policy-changed"]]);
  });
});

describe("a new policy for messages that have left", () => {
  test("leaves their tasks alone, whatever becomes of the stage", () => {
    const summarize = { ...DEFAULT_SUMMARY_SPEC, ...AT_ONCE };
    const stage = stageOf({ name: "sum", removedTo: "summarize", summarize });
    const tasks = [taskOf(1, {}, { spec: AT_ONCE })];
    const policy = { old: policyOf([stage]), new: policyOf([]) };
    expect(afterPolicy(tasks, policy, NOW)).toEqual({ plan: undefined, events: [] });
  });
});

describe("a changed message", () => {
  const changed = { seq: 2, oldTokens: 10, newTokens: 4 };
  const deleted = { seq: 2, oldTokens: 10, newTokens: undefined };

  test("leaves tasks alone that do not hold it, and dead ones", () => {
    const tasks = [taskOf(1, {}, { ranges: [{ first: 3, last: 9 }] }), dead(2)];
    expect(afterMessage(tasks, changed, NOW)).toEqual({ plan: undefined, events: [] });
  });

  test("takes a task away whose messages wait in the window, however it changed", () => {
    for (const edit of [changed, deleted]) {
      const after = afterMessage([taskOf(1)], edit, NOW);
      expect(after.plan).toEqual({ put: [], remove: [1] });
      expect(told(after)).toEqual([["task-00000000001", "sum", "messages-changed"]]);
    }
  });

  test("makes what a hook has already stale when the messages have left", () => {
    const draft = { text: "so far" } as never;
    const task = taskOf(1, { generation: 3 }, { spec: AT_ONCE, loop: 2, draft });
    const { plan, events } = afterMessage([task], changed, NOW);
    expect(plan?.put).toMatchObject([
      {
        generation: 4,
        summarize: { loop: 1, draft: undefined, sources: { messageCount: 3, tokenCount: 24 } },
      },
    ]);
    expect(events).toEqual([]);
  });

  test("leaves a task whose messages have left when it is deleted", () => {
    const { plan, events } = afterMessage([taskOf(1, {}, { spec: AT_ONCE })], deleted, NOW);
    const sources = { messageCount: 2, tokenCount: 20 };
    const ranges = [
      { first: 1, last: 1 },
      { first: 3, last: 3 },
    ];
    expect(plan?.put).toMatchObject([{ generation: 2, summarize: { ranges, sources } }]);
    expect(events).toEqual([]);
  });

  test("ends a task that it was all of, and the next of the stage is ready", () => {
    const alone = { spec: AT_ONCE, ranges: [{ first: 2, last: 2 }] };
    const far = { spec: AT_ONCE, ranges: [{ first: 8, last: 9 }] };
    const next = taskOf(2, { state: "waiting", dueMs: 0 }, far);
    const last = taskOf(3, { state: "waiting", dueMs: 0 }, far);
    const edit = afterMessage([taskOf(1, {}, alone), next, last], deleted, NOW);
    expect(edit.plan?.remove).toEqual([1]);
    expect(edit.plan?.put).toEqual([{ ...next, state: "ready", dueMs: NOW }]);
    expect(told(edit)).toEqual([["task-00000000001", "sum", "messages-changed"]]);
  });
});
