// Puts the use cases of tasks and hooks together, and runs what goes on without a caller: the calls
// of hooks, the leases of workers, and those who wait.

import type { ServiceContext } from "./core/context.ts";
import { bind, type Services } from "./edge/services-api.ts";
import { type HookNews, type HookStates, isPassing } from "./hooks/hook-state.ts";
import type { Call } from "./kit/call.ts";
import { compactSession } from "./summary/compact-session.ts";
import type { LeaseRef } from "./tasks/api.ts";
import { SessionNews } from "./tasks/await-task.ts";
import { deleteTask } from "./tasks/delete-task.ts";
import { getTask, listHooks, listTasks } from "./tasks/list-tasks.ts";
import type { MemoryTaskParts } from "./tasks/memory-tasks.ts";
import { taskNoOf } from "./tasks/rules/task.ts";
import { type DirectTasks, isDirectId } from "./tasks/run/direct-tasks.ts";
import { LeaseWatch, recoverLeases } from "./tasks/run/lease-watch.ts";
import { Polls, pollTasks } from "./tasks/run/poll-tasks.ts";
import { retryTask } from "./tasks/run/retry-task.ts";
import { TaskRunner } from "./tasks/run/runner.ts";
import { completeTask, DirectResults, failTask } from "./tasks/run/worker-results.ts";
import { extendLease } from "./tasks/take-task.ts";

/** The use cases of tasks, and how to end what they do by themselves. */
export interface Tasks {
  readonly hooks: Services["hooks"];
  readonly compactSession: Services["summaries"]["compactSession"];
  /** Ends calls that wait: PollTasks with SHUTTING_DOWN, CompactSession as if its time was over. */
  endWaits(): void;
  /** Stops calling hooks: calls under way are aborted, and their tasks given back. */
  stop(): Promise<void>;
}

/** Dependencies of tasks beside the context. */
export interface TaskParts {
  /** Work that hooks hand to workers while a caller waits. Closed with the tasks. */
  readonly direct: DirectTasks;
  /** State of each hook of the context. */
  readonly states: HookStates;
  /** Runner of jobs on memories. */
  readonly memoryJobs: MemoryTaskParts["memoryJobs"];
  /** Reports faults of the background work, without content. */
  readonly onBackgroundError: (error: unknown) => void;
  /** Reports hooks that fail, are paused, and are back. Default: no report. */
  readonly onHookNews?: (news: HookNews) => void;
}

/** Makes the use cases, frees what a crash left, and begins to do tasks. */
export function createTasks(context: ServiceContext, parts: TaskParts): Tasks {
  const { store } = context;
  const onError = (error: unknown): void => parts.onBackgroundError(error);
  const { direct, states, onHookNews = () => {} } = parts;
  const watch = new LeaseWatch(context, {
    error: onError,
    timeout: (hook) => states.get(hook)?.failed("timeout"),
  });
  const polls = new Polls(context, direct, onError);
  direct.listen({
    ready: (hook, namespace) => polls.wake(hook, namespace),
    failed: (hook, reason) => states.get(hook)?.failed(reason),
  });
  const news = new SessionNews(store);
  const runner = new TaskRunner({ context, states, onError, onHookNews });
  const polling = { context, states, polls, direct, watch, onError };
  const directResults = new DirectResults({ context, direct, states });
  const results = { context, states, watch, direct: directResults };
  const kept = { context, memoryJobs: parts.memoryJobs };
  const begin = async (): Promise<void> => {
    let left: readonly string[] = [];
    try {
      left = await store.taskHooks();
      await recoverLeases(context, watch, onError);
    } catch (error) {
      if (!isPassing(error)) onError(error);
    }
    runner.start(left);
  };
  const started = begin();
  const extend = async (call: Call, input: LeaseRef & { leaseMs: number }): Promise<number> => {
    if (isDirectId(input.taskId)) return direct.extend(input, input.leaseMs);
    const endMs = await extendLease(context, call, input);
    watch.watch(input.namespace, taskNoOf(input.taskId) ?? 0, endMs);
    return endMs;
  };
  return {
    hooks: {
      ...bind(kept, { listTasks, getTask, retryTask, deleteTask }),
      ...bind(results, { completeTask, failTask }),
      ...bind(polling, { pollTasks }),
      ...bind({ context, states }, { listHooks }),
      extendLease: extend,
    },
    compactSession: (call, input) => compactSession({ context, news }, call, input),
    endWaits: () => {
      polls.close();
      news.close();
    },
    stop: async () => {
      polls.close();
      direct.close();
      news.close();
      await started;
      await runner.stop();
      await watch.stop();
    },
  };
}
