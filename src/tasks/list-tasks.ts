// ListTasks and GetTask: open and dead tasks of a namespace.
//
// Summarization tasks and memory jobs are stored in two tables that share one series of numbers: a
// page merges both.

import type { ServiceContext } from "../core/context.ts";
import type { HookStates } from "../hooks/hook-state.ts";
import { type Hooks, summarizesByWorkers } from "../hooks/port.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { taskNotFound } from "../kit/errors.ts";
import { taskNoOfJob } from "../memory/rules/job.ts";
import type {
  DurableTaskInfo,
  DurableTaskPage,
  HookInfo,
  HookPage,
  ListHooksInput,
  ListTasksInput,
  TaskInfo,
  TaskRef,
} from "./api.ts";
import { getMemoryTask, listMemoryTasks, type MemoryTaskParts } from "./memory-tasks.ts";
import { hourOf } from "./rules/budget.ts";
import { isMemoryTaskNo, type Task, taskNoOf } from "./rules/task.ts";

const NONE: DurableTaskPage = { tasks: [], next: undefined };

/** A task with the attempts that its hook allows. */
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

/** Merges two pages. Tasks after the end of a page are unknown: the merge ends there, too. */
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

// ListHooks: the server's hooks, the state of their calls, and the usage of a namespace.

/** Lists the hooks after a name, by name. */
export async function listHooks(
  { context, states }: { readonly context: ServiceContext; readonly states: HookStates },
  call: Call,
  { namespace, after, limit }: ListHooksInput,
): Promise<HookPage> {
  checkLive(call.signal);
  const { store, world, hooks } = context;
  const nowMs = world.nowMs();
  const hour = hourOf(nowMs);
  const infos: HookInfo[] = [];
  for (const [name, state] of states) {
    if (name <= after) continue;
    if (infos.length === limit) return { hooks: infos, next: infos.at(-1)?.hook.name };
    const { hook, running, callCount, failures } = state;
    const isCalled = hook.kind !== "poll";
    // Direct calls are counted in memory only.
    const isDirect = hook.summarize === undefined && !summarizesByWorkers(hook);
    const breaker = isCalled ? state.breaker : undefined;
    infos.push({
      hook,
      isDefault: isDefault(hooks, name),
      breaker: breaker?.phase,
      retryMs: breaker?.phase === "open" ? breaker.retryMs : undefined,
      runningCalls: isCalled ? running : 0,
      callCount,
      failures: new Map(failures),
      usage: isDirect
        ? state.budget.used(namespace, nowMs)
        : await store.readUsage(namespace, name, hour),
    });
  }
  return { hooks: infos, next: undefined };
}

/** Whether a hook is the default for its work. */
function isDefault({ embedder, ...hooks }: Hooks, name: string): boolean {
  const embeds = embedder?.kind === "hook" && embedder.hook === name;
  const { defaultSummarizer, defaultReranker, defaultResolver } = hooks;
  return embeds || [defaultSummarizer, defaultReranker, defaultResolver].includes(name);
}
