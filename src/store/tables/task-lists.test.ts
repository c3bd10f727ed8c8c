// Lists of tasks where there are very many: the work of one call is bounded, and what is due comes
// all the same.

import { describe, expect, test } from "vitest";
import { openLmdbEngine } from "../../../test/support/store/lmdb-engine.ts";
import {
  newEvent,
  newFields,
  newHead,
  newTask,
  START_MS,
} from "../../../test/support/store/plans.ts";
import { LIMITS } from "../../kit/limits.ts";
import { STAGE_TASKS_MAX, type Task, taskNoAt } from "../../tasks/rules/task.ts";
import type { Store } from "../store.ts";

/** Makes a session of its own with tasks. */
function make(
  store: Store,
  namespace: string,
  sessionId: string,
  parts: readonly Partial<Task>[],
): Promise<readonly number[]> {
  const ref = { namespace, sessionId };
  return store.changeSession(ref, (view) => {
    const put = parts.map((part, index) =>
      newTask({ ...ref, taskNo: taskNoAt(view.revision, index), ...part }),
    );
    const head = newHead({ revision: view.revision });
    const plan = { fields: newFields(), head, tasks: { put }, events: [newEvent(ref)] };
    return { kind: "save", result: put.map(({ taskNo }) => taskNo), plan };
  });
}

const nameOf = (index: number) => `n${index.toString().padStart(5, "0")}`;

describe("what is due of a hook", () => {
  test("is found behind very many namespaces with nothing due", async () => {
    await using engine = await openLmdbEngine();
    const { store } = engine;
    const later = [{ dueMs: START_MS + 60_000 }];
    await Promise.all(
      Array.from({ length: 3_000 }, (_, index) => make(store, nameOf(index), "s", later)),
    );
    const many = Array.from({ length: 200 }, (_, index) => ({ dueMs: START_MS - index }));
    await make(store, "zz", "s1", many);
    await make(store, "zz", "s2", many);
    const query = { hook: "hook", nowMs: START_MS, limit: 4, perNamespace: 2 };
    const ofOne = await store.dueTasks(query);
    expect(ofOne.map(({ namespace, dueMs }) => [namespace, START_MS - dueMs])).toEqual([
      ["zz", 199],
      ["zz", 199],
    ]);
    expect(await store.nextDueMs("hook", START_MS)).toBe(START_MS + 60_000);
    // A few of the namespaces in between have work: those in reach get their turn first.
    await make(store, nameOf(10), "t", [{}]);
    const turn = await store.dueTasks({ ...query, afterNamespace: nameOf(5) });
    expect(turn.map(({ namespace }) => namespace)).toEqual([nameOf(10), "zz", "zz"]);
  });

  test("is the same whether it is little or much", async () => {
    await using engine = await openLmdbEngine();
    const { store } = engine;
    const due: { namespace: string; dueMs: number; taskNo: number }[] = [];
    const expected = (after: string, limit: number, perNamespace: number) => {
      const names = [...new Set(due.map(({ namespace }) => namespace))].sort();
      const turn = [
        ...names.filter((name) => name > after),
        ...names.filter((name) => name <= after),
      ];
      return turn
        .flatMap((name) =>
          due
            .filter(({ namespace }) => namespace === name)
            .sort((a, b) => a.dueMs - b.dueMs || a.taskNo - b.taskNo)
            .slice(0, perNamespace),
        )
        .slice(0, limit);
    };
    // Past the number up to which the order of times alone is looked at.
    for (let round = 0; round < 40; round++) {
      const namespace = nameOf((round * 7) % 30);
      const times = Array.from(
        { length: 10 },
        (_, index) => START_MS - ((index * 37 + round) % 50),
      );
      const numbers = await make(
        store,
        namespace,
        `s${round}`,
        times.map((dueMs) => ({ dueMs })),
      );
      numbers.forEach((taskNo, index) => {
        due.push({ namespace, dueMs: times[index] ?? 0, taskNo });
      });
      for (const [after, limit, perNamespace] of [
        ["", 5, 2],
        [nameOf(15), 1_000, 3],
        [nameOf(29), 40, 1],
      ] as const) {
        const query = { hook: "hook", nowMs: START_MS, limit, perNamespace };
        const found = await store.dueTasks({ ...query, afterNamespace: after });
        expect(found).toEqual(expected(after, limit, perNamespace));
      }
    }
    expect(due.length).toBe(400);
  });
});

describe("a page of tasks", () => {
  test("looks at a bounded number of them", async () => {
    await using engine = await openLmdbEngine();
    const { store } = engine;
    const parts = Array.from({ length: STAGE_TASKS_MAX }, () => ({ hook: "other" }));
    const count = Math.ceil(LIMITS.pageScan / parts.length) + 1;
    await Promise.all(
      Array.from({ length: count }, (_, index) => make(store, "n", `s${index}`, parts)),
    );
    const [wanted = 0] = await make(store, "n", "last", [{ hook: "wanted" }]);
    const query = { namespace: "n", hook: "wanted", limit: 5 };
    const first = await store.listTasks(query);
    expect(first.tasks).toEqual([]);
    expect(first.next).toBeGreaterThan(0);
    const second = await store.listTasks({ ...query, after: first.next ?? 0 });
    expect(second.tasks.map(({ taskNo }) => taskNo)).toEqual([wanted]);
    expect(second.next).toBeUndefined();
  });
});
