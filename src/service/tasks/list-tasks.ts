// ListTasks and GetTask: what is to be done for a namespace, how far it is, and what was given up.
//
// Tasks to summarize and jobs on memories stand in two places of the store, by numbers of one
// series: a page joins what both give.

import { taskNotFound } from "../../domain/errors.ts";
import { taskNoOfJob } from "../../domain/memories/job.ts";
import { isMemoryTaskNo, type Task, taskNoOf } from "../../domain/tasks/task.ts";
import type { Call } from "../api.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import type {
  DurableTaskInfo,
  DurableTaskPage,
  ListTasksInput,
  TaskInfo,
  TaskRef,
} from "../tasks-api.ts";
import { getMemoryTask, listMemoryTasks, type MemoryTaskParts } from "./memory-tasks.ts";

const NONE: DurableTaskPage = { tasks: [], next: undefined };

/** A task with what its hook allows. */
export function taskInfo({ hooks }: Pick<ServiceContext, "hooks">, task: Task): TaskInfo {
  return { task, maxAttempts: hooks.byName.get(task.hook)?.settings.maxAttempts ?? 0 };
}

/** The number of a task. */
export function numberOf(info: DurableTaskInfo): number {
  return "task" in info ? info.task.taskNo : taskNoOfJob(info.job);
}

/** Lists the tasks of a namespace, the oldest first. */
export async function listTasks(
  parts: MemoryTaskParts,
  call: Call,
  input: ListTasksInput,
): Promise<DurableTaskPage> {
  checkLive(call.signal);
  const [summaries, memories] = await Promise.all([
    listSummaryTasks(parts.context, input),
    listMemoryTasks(parts, call, input),
  ]);
  return joined(summaries, memories, input.limit);
}

async function listSummaryTasks(
  context: ServiceContext,
  { type, ...query }: ListTasksInput,
): Promise<DurableTaskPage> {
  if (type !== undefined && type !== "summarize") return NONE;
  const { tasks, next } = await context.store.listTasks(query);
  return { tasks: tasks.map((task) => taskInfo(context, task)), next };
}

/** One page of two. What stands behind the end of a page is not known: the join ends there, too. */
function joined(one: DurableTaskPage, other: DurableTaskPage, limit: number): DurableTaskPage {
  const end = Math.min(one.next ?? Infinity, other.next ?? Infinity);
  const known = [...one.tasks, ...other.tasks].filter((info) => numberOf(info) <= end);
  const tasks = known.sort((a, b) => numberOf(a) - numberOf(b)).slice(0, limit);
  const last = tasks.at(-1);
  if (last !== undefined && tasks.length < known.length) return { tasks, next: numberOf(last) };
  return { tasks, next: end === Infinity ? undefined : end };
}

/** Gives a task. */
export async function getTask(
  parts: MemoryTaskParts,
  call: Call,
  ref: TaskRef,
): Promise<DurableTaskInfo> {
  checkLive(call.signal);
  const { namespace, taskId } = ref;
  const taskNo = taskNoOf(taskId);
  if (taskNo === undefined) throw taskNotFound(taskId);
  if (isMemoryTaskNo(taskNo)) return await getMemoryTask(parts, ref, taskNo);
  const task = await parts.context.store.readTask(namespace, taskNo);
  if (task === undefined) throw taskNotFound(taskId);
  return taskInfo(parts.context, task);
}
