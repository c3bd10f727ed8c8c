// ListTasks and GetTask: what is to be done for a namespace, how far it is, and what was given up.

import { taskNotFound } from "../../domain/errors.ts";
import { type Task, taskNoOf } from "../../domain/tasks/task.ts";
import type { TaskPage } from "../../storage/store.ts";
import type { Call } from "../api.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import type { ListTasksInput, TaskInfo, TaskRef } from "../tasks-api.ts";

/** A task with what its hook allows. */
export function taskInfo({ hooks }: Pick<ServiceContext, "hooks">, task: Task): TaskInfo {
  return { task, maxAttempts: hooks.byName.get(task.hook)?.settings.maxAttempts ?? 0 };
}

/** Lists the tasks of a namespace, the oldest first. */
export async function listTasks(
  context: ServiceContext,
  call: Call,
  input: ListTasksInput,
): Promise<Omit<TaskPage, "tasks"> & { readonly tasks: readonly TaskInfo[] }> {
  checkLive(call.signal);
  const { tasks, ...page } = await context.store.listTasks(input);
  return { ...page, tasks: tasks.map((task) => taskInfo(context, task)) };
}

/** Gives a task. */
export async function getTask(
  context: ServiceContext,
  call: Call,
  { namespace, taskId }: TaskRef,
): Promise<TaskInfo> {
  checkLive(call.signal);
  const taskNo = taskNoOf(taskId);
  const task = taskNo === undefined ? undefined : await context.store.readTask(namespace, taskNo);
  if (task === undefined) throw taskNotFound(taskId);
  return taskInfo(context, task);
}
