// Several instances of the server: each frees its own leases only, and tasks of several namespaces
// with one number are several tasks.

import { expect, test } from "vitest";
import { serverWorkerOf, type Task, taskKeyOf } from "../rules/task.ts";
import { isOwnLease, isServerLease } from "../take-task.ts";

const context = { store: { instanceId: "aaaa" } } as Parameters<typeof isOwnLease>[0];
const leasedBy = (worker: string): Task => ({ lease: { worker } }) as Task;

test.each([
  ["its own", serverWorkerOf("aaaa"), true, true],
  ["one of an older version", "server", true, true],
  ["one of another instance", serverWorkerOf("bbbb"), false, true],
  ["one of a worker", "w-1", false, false],
])("a start frees %s or not", (_, worker, isOwn, isServer) => {
  expect(isOwnLease(context, leasedBy(worker))).toBe(isOwn);
  expect(isServerLease(leasedBy(worker))).toBe(isServer);
});

test("tasks of two namespaces with one number have two keys", () => {
  const keys = ["a", "b", "1 a"].map((namespace) => taskKeyOf({ namespace, taskNo: 1 }));
  expect(new Set([...keys, taskKeyOf({ namespace: "a", taskNo: 11 })]).size).toBe(4);
});
