// What one change does to the tasks of its session, put together from the parts that each do some
// of it. Later parts see what earlier ones did.

import { type Task, taskNoAt } from "../domain/tasks/task.ts";
import type { TaskPlan } from "../storage/store.ts";

/** The tasks as a plan leaves them, by rising number. Gives back the very list without a plan. */
export function tasksAfter(tasks: readonly Task[], plan: TaskPlan | undefined): readonly Task[] {
  if (plan === undefined) return tasks;
  const gone = new Set(plan.remove);
  const byNo = new Map(tasks.map((task) => [task.taskNo, task]));
  for (const task of plan.put ?? []) byNo.set(task.taskNo, task);
  return [...byNo.values()]
    .filter(({ taskNo }) => !gone.has(taskNo))
    .sort((a, b) => a.taskNo - b.taskNo);
}

/** Two plans as one, the second made of what the first left. */
export function mergeTaskPlans(
  first: TaskPlan | undefined,
  second: TaskPlan | undefined,
  revision: number,
): TaskPlan | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const put = new Map(first.put?.map((task) => [task.taskNo, task]));
  const remove = new Set(first.remove);
  for (const taskNo of second.remove ?? []) {
    put.delete(taskNo);
    // One that this very revision made was never stored.
    if (taskNo < taskNoAt(revision, 0)) remove.add(taskNo);
  }
  for (const task of second.put ?? []) {
    put.set(task.taskNo, task);
    remove.delete(task.taskNo);
  }
  const usage = second.usage ?? first.usage;
  return {
    put: [...put.values()],
    remove: [...remove],
    ...(usage === undefined ? {} : { usage }),
  };
}

/** How many tasks of a revision a plan has made: the index of the next one. */
export function madeTasks(plan: TaskPlan | undefined, revision: number): number {
  const first = taskNoAt(revision, 0);
  return plan?.put?.filter(({ taskNo }) => taskNo >= first).length ?? 0;
}
