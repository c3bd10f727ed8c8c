// Waiting calls of PollTasks. A task wakes one of them: the one that has waited longest for its
// namespace and hook. That call then tries to take the task, and waits again if another was faster.

import type { ServiceContext } from "../../core/context.ts";
import { type HookState, isPassing } from "../../hooks/hook-state.ts";
import { type Hook, type SummarizeInput, summarizesByWorkers } from "../../hooks/port.ts";
import { type Call, checkLive, serverCall } from "../../kit/call.ts";
import { AppError, hookNotConfigured, pollLimitReached } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { later } from "../../kit/world.ts";
import type { DueTask } from "../../store/store.ts";
import { readInputs } from "../../summary/read-inputs.ts";
import type { LeasedDirect, LeasedTask, PollTasksInput } from "../api.ts";
import { dropTask } from "../delete-task.ts";
import { taskKeyOf } from "../rules/task.ts";
import { giveBack, leaseRefOf, type TakenTask, takeTask } from "../take-task.ts";
import type { DirectTasks } from "./direct-tasks.ts";
import { dropStale } from "./drop-stale.ts";
import { applyFailure } from "./fail-task.ts";
import { endLease, type LeaseWatch } from "./lease-watch.ts";

/** Longest time between checks of a hook while calls wait for its tasks. */
const TICK_MS = 30_000;
const SKIPPED_MAX = 1_000;

/** A call that waits. */
interface Waiter {
  readonly namespace: string;
  readonly hooks: readonly string[];
  /** Wakes the call for a task: one that is durable by its number, another one by its id. */
  readonly wake: (task: string) => void;
}

/** Calls that wait for tasks of one hook. */
interface Queue {
  /** Those that wait longest come first. */
  readonly waiters: Set<Waiter>;
  /** Namespaces still to check. */
  readonly asked: Set<string>;
  isLooking: boolean;
  cancelTimer: () => void;
}

/** A place among the calls that wait. */
export interface PollPlace {
  /**
   * Waits until a task may be there: true. False when the time is over or the caller is gone.
   * Throws SHUTTING_DOWN when the server stops. A task that came before is not missed.
   */
  next(untilMs: number, signal: AbortSignal): Promise<boolean>;
  /** Must be called in the end. */
  leave(): void;
}

/** Every call that waits for a task. */
export class Polls {
  readonly #context: ServiceContext;
  readonly #direct: DirectTasks;
  readonly #onError: (error: unknown) => void;
  readonly #queues = new Map<string, Queue>();
  readonly #ends = new Set<() => void>();
  /** The tasks that a call was woken for and is about to take: they wake no other. */
  readonly #claimed = new Set<string>();
  /** End of the rest of tasks that are skipped, by task key. */
  readonly #skipped = new Map<string, number>();
  readonly #stopListening: () => void;
  #count = 0;
  #closed = false;

  constructor(context: ServiceContext, direct: DirectTasks, onError: (error: unknown) => void) {
    this.#context = context;
    this.#direct = direct;
    this.#onError = onError;
    this.#stopListening = context.store.onCommit(({ taskHooks }) => {
      for (const hook of taskHooks) this.#lookForAll(hook);
    });
  }

  /** Number of waiting calls. */
  get size(): number {
    return this.#count;
  }

  /** Takes a place. Throws POLL_LIMIT_REACHED when all are taken. */
  enter(namespace: string, hooks: readonly string[]): PollPlace {
    if (this.#closed) throw stopping();
    if (this.#count >= LIMITS.polls) throw pollLimitReached({ limit: LIMITS.polls });
    this.#count += 1;
    let claim: string | undefined;
    let end = (): void => {};
    const waiter: Waiter = {
      namespace,
      hooks,
      wake: (task) => {
        claim = task;
        this.#claimed.add(task);
        this.#unlist(waiter);
        end();
      },
    };
    const unclaim = (): void => {
      if (claim !== undefined) this.#claimed.delete(claim);
      claim = undefined;
    };
    return {
      next: async (untilMs, signal) => {
        unclaim();
        const ended = Promise.withResolvers<void>();
        end = ended.resolve;
        this.#list(waiter);
        await this.#over(ended.promise, untilMs, signal);
        this.#unlist(waiter);
        if (this.#closed) throw stopping();
        return claim !== undefined && !signal.aborted;
      },
      leave: () => {
        this.#count -= 1;
        unclaim();
        // A task that woke this call but was not taken goes to the next one.
        this.#lookFor(waiter);
      },
    };
  }

  /** Wakes a call for each direct task of a hook in a namespace. */
  wake(hook: string, namespace: string): void {
    const queue = this.#queues.get(hook);
    if (queue === undefined || this.#closed) return;
    const ids = this.#direct.ready([hook], namespace);
    const open = ids.filter((id) => !this.#claimed.has(id));
    const waiters = [...queue.waiters].filter((waiter) => waiter.namespace === namespace);
    for (const [index, waiter] of waiters.entries()) {
      const id = open[index];
      if (id === undefined) return;
      waiter.wake(id);
    }
  }

  /** The tasks of a hook that are due in a namespace, without those that could not be taken. */
  async due(hook: string, namespace: string, count: number): Promise<readonly DueTask[]> {
    const nowMs = this.#context.world.nowMs();
    for (const [key, untilMs] of this.#skipped) {
      if (untilMs <= nowMs) this.#skipped.delete(key);
    }
    const limit = count + this.#skipped.size;
    const query = { hook, namespace, nowMs, limit, perNamespace: limit };
    const due = await this.#context.store.dueTasks(query);
    return due.filter((task) => !this.#skipped.has(taskKeyOf(task))).slice(0, count);
  }

  /** Skips a task for a time: it is listed as due, but could not be taken. */
  skip(task: DueTask, ms: number): void {
    const [oldest] = this.#skipped.keys();
    if (this.#skipped.size >= SKIPPED_MAX && oldest !== undefined) this.#skipped.delete(oldest);
    this.#skipped.set(taskKeyOf(task), this.#context.world.nowMs() + ms);
  }

  /** Ends every wait with SHUTTING_DOWN. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    for (const queue of this.#queues.values()) queue.cancelTimer();
    for (const end of [...this.#ends]) end();
  }

  /** Waits until it is ended, the time is over, the caller is gone, or the server stops. */
  async #over(ended: Promise<void>, untilMs: number, signal: AbortSignal): Promise<void> {
    const leftMs = untilMs - this.#context.world.nowMs();
    if (leftMs <= 0 || signal.aborted || this.#closed) return;
    const stopped = Promise.withResolvers<void>();
    const stop = (): void => stopped.resolve();
    const cancel = later(this.#context.world, stop, leftMs);
    signal.addEventListener("abort", stop, { once: true });
    this.#ends.add(stop);
    await Promise.race([ended, stopped.promise]);
    cancel();
    signal.removeEventListener("abort", stop);
    this.#ends.delete(stop);
  }

  #list(waiter: Waiter): void {
    for (const hook of waiter.hooks) {
      const queue = this.#queues.get(hook) ?? {
        waiters: new Set(),
        asked: new Set(),
        isLooking: false,
        cancelTimer: () => {},
      };
      this.#queues.set(hook, queue);
      queue.waiters.add(waiter);
    }
    this.#lookFor(waiter);
  }

  #unlist(waiter: Waiter): void {
    for (const hook of waiter.hooks) {
      const queue = this.#queues.get(hook);
      queue?.waiters.delete(waiter);
      if (queue !== undefined && queue.waiters.size === 0) queue.cancelTimer();
      if (queue?.waiters.size === 0 && !queue.isLooking) this.#queues.delete(hook);
    }
  }

  /** Finds tasks for a waiting call. */
  #lookFor({ namespace, hooks }: Waiter): void {
    for (const hook of hooks) {
      this.wake(hook, namespace);
      const queue = this.#queues.get(hook);
      if (queue !== undefined) this.#look(hook, queue, [namespace]);
    }
  }

  /** Finds tasks for every call that waits for a hook. */
  #lookForAll(hook: string): void {
    const queue = this.#queues.get(hook);
    if (queue === undefined) return;
    const namespaces = new Set([...queue.waiters].map(({ namespace }) => namespace));
    this.#look(hook, queue, namespaces);
  }

  #look(hook: string, queue: Queue, namespaces: Iterable<string>): void {
    for (const namespace of namespaces) queue.asked.add(namespace);
    if (queue.isLooking || this.#closed) return;
    queue.isLooking = true;
    void this.#lookAll(hook, queue);
  }

  async #lookAll(hook: string, queue: Queue): Promise<void> {
    const { store, world } = this.#context;
    queue.cancelTimer();
    const nowMs = world.nowMs();
    let restMs = TICK_MS;
    try {
      for (const namespace of queue.asked) {
        queue.asked.delete(namespace);
        await this.#wakeFor(hook, queue, namespace);
      }
      const dueMs = queue.waiters.size === 0 ? undefined : await store.nextDueMs(hook, nowMs);
      const nextMs = Math.min(dueMs ?? Number.POSITIVE_INFINITY, ...this.#skipped.values());
      restMs = Math.min(TICK_MS, Math.max(1, nextMs - world.nowMs()));
    } catch (error) {
      // All are checked again after the rest, however often this fails.
      queue.asked.clear();
      if (!isPassing(error)) this.#onError(error);
    }
    queue.isLooking = false;
    if (this.#closed) return;
    if (queue.waiters.size === 0) this.#queues.delete(hook);
    else if (queue.asked.size > 0) this.#look(hook, queue, []);
    else queue.cancelTimer = later(world, () => this.#lookForAll(hook), restMs);
  }

  /** Wakes one call for each due task, longest wait first. */
  async #wakeFor(hook: string, queue: Queue, namespace: string): Promise<void> {
    const isMeant = (waiter: Waiter): boolean => waiter.namespace === namespace;
    const count = [...queue.waiters].filter(isMeant).length;
    if (count === 0) return;
    const due = await this.due(hook, namespace, count + this.#claimed.size);
    const open = due.filter((task) => !this.#claimed.has(taskKeyOf(task)));
    for (const [index, waiter] of [...queue.waiters].filter(isMeant).entries()) {
      const task = open[index];
      if (task === undefined) return;
      waiter.wake(taskKeyOf(task));
    }
  }
}

function stopping(): AppError {
  return new AppError("SHUTTING_DOWN", "The server is stopping. Poll again.", {
    retryDelayMs: 1_000,
  });
}

// PollTasks: hands tasks to workers. Takes due tasks; when there are none, waits and takes again.
//
// A lease is written after the wait, never before, and returned if the caller is gone by then:
// otherwise a task would be blocked until an unused lease ends.

/** Bytes of a task in an answer beside its messages and texts. */
const TASK_BYTES = 32_768;
/** Bytes of a message in an answer beside its own. */
const MESSAGE_BYTES = 16;

/** Time for which a task that could not be taken is skipped, to give others their turn. */
const SKIP_MS = 30_000;
/** The same for a task that another call has just taken or changed. */
const BRIEF_SKIP_MS = 1_000;

/** Dependencies of polling. */
export interface PollParts {
  readonly context: ServiceContext;
  readonly states: ReadonlyMap<string, HookState>;
  readonly polls: Polls;
  /** Tasks with a waiting caller. */
  readonly direct: DirectTasks;
  readonly watch: LeaseWatch;
  readonly onError: (error: unknown) => void;
}

/** Takes tasks for a worker; waits for the first one if requested. */
export async function pollTasks(
  parts: PollParts,
  call: Call,
  input: PollTasksInput,
): Promise<readonly LeasedTask[]> {
  checkLive(call.signal);
  const hooks = new Set(input.hooks);
  for (const hook of hooks) {
    const kind = parts.context.hooks.byName.get(hook)?.kind;
    if (kind === undefined) throw hookNotConfigured(hook);
    if (kind !== "poll") throw hookNotConfigured(hook, "The server calls this hook itself.");
  }
  for (const hook of hooks) parts.direct.attendance.saw(hook, input.namespace);
  const first = await takeSome(parts, call, input);
  if (first.length > 0 || input.waitMs === 0) return first;
  const untilMs = parts.context.world.nowMs() + input.waitMs;
  const place = parts.polls.enter(input.namespace, [...hooks]);
  try {
    while (await place.next(untilMs, call.signal)) {
      const tasks = await takeSome(parts, call, input);
      if (tasks.length > 0) return tasks;
    }
    checkLive(call.signal);
    return [];
  } finally {
    place.leave();
  }
}

/** Takes due tasks, longest due first, as many as fit in one answer. */
async function takeSome(
  parts: PollParts,
  call: Call,
  input: PollTasksInput,
): Promise<readonly LeasedTask[]> {
  const { context, direct } = parts;
  const first = takeDirect(parts, input);
  const tasks: LeasedTask[] = [...first.tasks];
  const taken: TakenTask[] = [];
  let { bytes } = first;
  try {
    for (const due of await dueOf(parts, input)) {
      if (tasks.length >= input.maxTasks || call.signal.aborted) break;
      const task = await takeOne(parts, due, input);
      if (task === undefined) continue;
      const work = await inputOf(parts, task);
      if (work === undefined) continue;
      bytes += sizeOf(work);
      if (tasks.length > 0 && bytes > LIMITS.pageBytes) {
        await giveBack(context, task, true);
        break;
      }
      taken.push(task);
      const { maxAttempts } = due.hook.settings;
      tasks.push({ task, maxAttempts, leaseToken: task.lease.token, input: work });
    }
  } catch (error) {
    // Tasks taken already go to the worker: a failure to take more does not affect them.
    if (tasks.length === 0) throw error;
    if (!isPassing(error)) parts.onError(error);
  }
  if (call.signal.aborted) {
    for (const one of first.tasks) direct.giveBack(one.direct.taskId, one.leaseToken);
    for (const task of taken) await giveBack(context, task, true);
    checkLive(call.signal);
  }
  for (const { namespace, taskNo, dueMs, hook } of taken) {
    parts.watch.watch(namespace, taskNo, dueMs);
    parts.states.get(hook)?.given();
  }
  for (const one of first.tasks) parts.states.get(one.direct.hook)?.given();
  return tasks;
}

/** Takes direct tasks, as many as fit in one answer. */
function takeDirect(
  { direct }: PollParts,
  { namespace, hooks, maxTasks, workerId, leaseMs }: PollTasksInput,
): { tasks: readonly LeasedDirect[]; bytes: number } {
  const tasks: LeasedDirect[] = [];
  let bytes = 0;
  for (const id of direct.ready(hooks, namespace)) {
    const size = direct.bytesOf(id);
    if (tasks.length >= maxTasks) break;
    if (tasks.length > 0 && bytes + size > LIMITS.pageBytes) break;
    const taken = direct.take(id, { worker: workerId, leaseMs });
    if (taken === undefined) continue;
    bytes += size;
    tasks.push(taken);
  }
  return { tasks, bytes };
}

/** Due tasks of some hooks in a namespace, longest due first. */
async function dueOf(
  { context, polls }: PollParts,
  { namespace, hooks, maxTasks }: PollTasksInput,
): Promise<readonly (DueTask & { readonly hook: Hook })[]> {
  const all: (DueTask & { readonly hook: Hook })[] = [];
  for (const name of new Set(hooks)) {
    const hook = context.hooks.byName.get(name);
    // Stored tasks of a hook that no longer summarizes are failed by the server.
    if (hook === undefined || !summarizesByWorkers(hook)) continue;
    // A few more than requested: some may be leased or over their budget.
    const due = await polls.due(name, namespace, maxTasks + LIMITS.pollTasks);
    all.push(...due.map((one) => ({ ...one, hook })));
  }
  return all.sort((a, b) => a.dueMs - b.dueMs || a.taskNo - b.taskNo);
}

/** Takes a task. Undefined when another has it, it is not due, or it cannot be taken. */
async function takeOne(
  { context, polls, states, onError }: PollParts,
  { hook, ...due }: DueTask & { readonly hook: Hook },
  { workerId, leaseMs }: PollTasksInput,
): Promise<TakenTask | undefined> {
  try {
    const result = await takeTask(context, due, { hook, worker: workerId, leaseMs });
    if (result.kind === "taken") return result.task;
    if (result.kind === "ended") {
      await endLease(context, result.task);
      states.get(hook.name)?.failed("timeout");
    } else if (result.kind === "none") polls.skip(due, BRIEF_SKIP_MS);
  } catch (error) {
    if (isPassing(error)) throw error;
    polls.skip(due, SKIP_MS);
    onError(error);
  }
  return undefined;
}

/** Input of a task for a worker. Undefined when it is gone or cannot be read. */
async function inputOf(parts: PollParts, task: TakenTask): Promise<SummarizeInput | undefined> {
  const { context, states, onError } = parts;
  const hook = context.hooks.byName.get(task.hook);
  try {
    if (await dropStale(context, serverCall(), task)) return undefined;
    const input = await readInputs(context, task, hook?.settings.inputTokensMax ?? 0);
    if (input === undefined) await dropTask(context, serverCall(), task);
    return input;
  } catch (error) {
    if (isPassing(error)) throw error;
    onError(error);
    states.get(task.hook)?.failed("hook-error");
    await applyFailure(context, serverCall(), leaseRefOf(task), {
      reason: "hook-error",
      message: "The messages of the task cannot be read.",
    });
    return undefined;
  }
}

/** Approximate size of a task in wire form, rounded up. */
function sizeOf(input: SummarizeInput): number {
  let bytes = TASK_BYTES + Buffer.byteLength(input.transcript) + Buffer.byteLength(input.draft);
  for (const message of input.messages) bytes += message.length + MESSAGE_BYTES;
  for (const text of input.priorTexts) bytes += Buffer.byteLength(text) + MESSAGE_BYTES;
  return bytes + Buffer.byteLength(input.instructions);
}
