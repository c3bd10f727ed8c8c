// Damages single records of tasks and summaries: verify must report every one, and a read must not
// give another answer.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomFrom } from "../../../test/support/kit/random.ts";
import {
  DamagedCopies,
  flip,
  OPTIONS,
  thirdKey,
} from "../../../test/support/store/damaged-copies.ts";
import { appendPlan, workOf } from "../../../test/support/store/lmdb-load.ts";
import { newSummary, newTask } from "../../../test/support/store/plans.ts";
import { work } from "../../../test/support/store/work.ts";
import { readU64, u64 } from "../engine/keys.ts";
import { NOTHING } from "../engine/table.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import type { Store } from "../store.ts";
import { DUE, DUE_AT, SUMMARY, TASK, TASK_IN, TASK_OF, USAGE } from "../tables/task-tables.ts";
import { verifyDirectory } from "./verify.ts";

const ref = { namespace: "default", sessionId: "s" };

let copies: DamagedCopies;

async function append(store: Store): Promise<void> {
  await store.changeSession(ref, (view) => {
    return { kind: "save", result: undefined, plan: appendPlan(ref, view, "text") };
  });
}

async function fill(store: Store): Promise<void> {
  const random = randomFrom(3);
  await append(store);
  for (let i = 0; i < 30; i++) {
    await work(store, { ...workOf(ref, random), nowMs: 1_700_000_000_000 });
  }
}

beforeAll(async () => {
  copies = await DamagedCopies.of(fill, append);
});

afterAll(async () => {
  await copies.dispose();
});

const task = TASK.id;
const taskIn = TASK_IN.id;
const taskOf = TASK_OF.id;
const due = DUE.id;
const dueAt = DUE_AT.id;
const usage = USAGE.id;
const summary = SUMMARY.id;
const TABLES = { task, taskIn, taskOf, due, dueAt, usage, summary };

describe("verify", () => {
  test("counts tasks and summaries, and finds nothing where nothing is damaged", async () => {
    const { problems, totals } = await verifyDirectory(copies.whole);
    expect(problems).toEqual([]);
    expect(totals.tasks).toBeGreaterThan(5);
    expect(totals.summaries).toBeGreaterThan(4);
  });

  test.each(Object.entries(TABLES))("finds a damaged record of %s", async (_, table) => {
    const kinds = await copies.found(({ index }) => flip(index, thirdKey(index, table)));
    expect(kinds).toContain("a record of the index is damaged");
  });

  test.each([
    ["task", TASK.id, "a list names a wrong task"],
    ["taskIn", TASK_IN.id, "a task is not listed"],
    ["taskOf", TASK_OF.id, "a task is not listed"],
    ["due", DUE.id, "a task would not be found when it is due"],
    ["dueAt", DUE_AT.id, "a task would not be found when it is due"],
  ])("finds a lost record of %s", async (_, table, kind) => {
    expect(await copies.found(({ index }) => index.remove(thirdKey(index, table)))).toContain(kind);
  });

  test.each([
    ["the list of a namespace", TASK_IN.prefix("default") + u64(7)],
    ["the list of a session", TASK_OF.prefix(1) + u64(7)],
    ["what is due in a namespace", DUE.prefix("h", "default") + u64(5) + u64(7)],
    ["what is due", DUE_AT.prefix("h") + u64(5) + u64(7)],
  ])("finds a task that is not there in %s", async (_, key) => {
    const kinds = await copies.found(({ index }) =>
      index.put(key, NOTHING.encode(key, true) as Buffer),
    );
    expect(kinds).toContain("a list names a wrong task");
  });

  test("finds a task that is not sound, of no session, or under another number", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const key = thirdKey(index, TASK.id);
      const wrong = newTask({ ...ref, sessionId: "t", taskNo: 5, callCount: -1 });
      await index.put(key, TASK.encode(key, { sessionNo: 99, task: wrong }));
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        "a task has another number",
        "a task is not sound",
        "a task has no session",
        "a list names a wrong task",
      ]),
    );
  });

  test("finds a summary of no log, and one of another version", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const stray = SUMMARY.prefix(77) + u64(1);
      await index.put(stray, SUMMARY.encode(stray, newSummary({ version: 1 })));
      const key = thirdKey(index, SUMMARY.id);
      await index.put(key, SUMMARY.encode(key, newSummary({ version: 99 })));
    });
    expect(kinds).toEqual(
      expect.arrayContaining(["a record belongs to no log", "a summary has another version"]),
    );
  });
});

describe("a server", () => {
  test("says that a task is lost instead of going on without it", async () => {
    let key = "";
    const directory = await copies.changed(({ index }) => {
      key = thirdKey(index, TASK.id);
      return index.remove(key);
    });
    await using store = await opened(directory);
    const corrupt = { reason: "RECORD_CORRUPT" };
    const taskNo = readU64(key, key.length - 8);
    await expect(store.it.readTask("default", taskNo)).rejects.toMatchObject(corrupt);
    await expect(store.it.listTasks({ ...ref, limit: 1_000 })).rejects.toMatchObject(corrupt);
    const look = store.it.changeSession(ref, (view) => ({ kind: "answer", result: view.tasks() }));
    await expect(look).rejects.toMatchObject(corrupt);
    const change = { namespace: "default", taskNo, hour: 1 };
    const decide = () => ({ kind: "answer", result: 0 }) as const;
    await expect(store.it.changeTask(change, decide)).rejects.toMatchObject(corrupt);
  });
});

async function opened(directory: string): Promise<AsyncDisposable & { readonly it: Store }> {
  const it = await openLmdbStore({ directory, ...OPTIONS });
  return { it, [Symbol.asyncDispose]: () => it.close() };
}
