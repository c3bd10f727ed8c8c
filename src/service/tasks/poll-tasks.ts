// PollTasks: gives tasks to workers. Takes what is due, waits when nothing is, and takes again.
//
// A lease is written after the wait, never before, and given back when the caller is gone by then:
// else a task would lie still until the lease of nobody ends.

import { hookNotConfigured } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { DueTask } from "../../storage/store.ts";
import type { Call } from "../api.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { type Hook, type SummarizeInput, summarizesByWorkers } from "../hook-port.ts";
import type { LeasedDirect, LeasedTask, PollTasksInput } from "../tasks-api.ts";
import { isPassing } from "./call-hook.ts";
import { dropTask } from "./delete-task.ts";
import type { DirectTasks } from "./direct-tasks.ts";
import { dropStale } from "./drop-stale.ts";
import { applyFailure } from "./fail-task.ts";
import type { HookState } from "./hook-state.ts";
import { chance } from "./later.ts";
import { endLease, type LeaseWatch } from "./lease-watch.ts";
import type { Polls } from "./polls.ts";
import { readInputs } from "./read-inputs.ts";
import { serverCall } from "./server-call.ts";
import { giveBack, leaseRefOf, type TakenTask, takeTask } from "./take-task.ts";

/** What a task of an answer takes beside its messages and texts. */
const TASK_BYTES = 32_768;
/** What a message of an answer takes beside its own bytes. */
const MESSAGE_BYTES = 16;

/** How long a task is left alone that could not be taken, so that others get their turn. */
const SKIP_MS = 30_000;
/** The same for one that somebody else took, or changed, a moment ago. */
const BRIEF_SKIP_MS = 1_000;

/** What polling works with. */
export interface PollParts {
  readonly context: ServiceContext;
  readonly states: ReadonlyMap<string, HookState>;
  readonly polls: Polls;
  /** Those that somebody waits for. */
  readonly direct: DirectTasks;
  readonly watch: LeaseWatch;
  readonly onError: (error: unknown) => void;
}

/** Takes tasks for a worker; waits for the first one if asked to. */
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
    if (kind !== "poll") throw hookNotConfigured(hook, "The server calls this hook by itself.");
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

/** Takes what is due, the longest due first, as much as one answer holds. */
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
    // What was taken already goes to the worker: it proves nothing against it that more failed.
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

/** Takes what somebody waits for, as much as one answer holds. */
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
    tasks.push({ direct: taken.info, leaseToken: taken.leaseToken });
  }
  return { tasks, bytes };
}

/** What is due at some hooks in a namespace, the longest due first. */
async function dueOf(
  { context, polls }: PollParts,
  { namespace, hooks, maxTasks }: PollTasksInput,
): Promise<readonly (DueTask & { readonly hook: Hook })[]> {
  const all: (DueTask & { readonly hook: Hook })[] = [];
  for (const name of new Set(hooks)) {
    const hook = context.hooks.byName.get(name);
    // What the store has of a hook that is not to summarize any more is failed by the server.
    if (hook === undefined || !summarizesByWorkers(hook)) continue;
    // Some more than asked for: a few may be in other hands, or over their budget.
    const due = await polls.due(name, namespace, maxTasks + LIMITS.pollTasks);
    all.push(...due.map((one) => ({ ...one, hook })));
  }
  return all.sort((a, b) => a.dueMs - b.dueMs || a.taskNo - b.taskNo);
}

/** Takes a task. Undefined when somebody else has it, it is not due, or it cannot be taken. */
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

/** What a worker gets. Undefined when it is not there any more, or cannot be read. */
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
      counts: true,
      permanent: false,
      random: chance(context.world),
    });
    return undefined;
  }
}

/** About how large a task is in wire form, rather too much than too little. */
function sizeOf(input: SummarizeInput): number {
  let bytes = TASK_BYTES + Buffer.byteLength(input.transcript) + Buffer.byteLength(input.draft);
  for (const message of input.messages) bytes += message.length + MESSAGE_BYTES;
  for (const text of input.priorTexts) bytes += Buffer.byteLength(text) + MESSAGE_BYTES;
  return bytes + Buffer.byteLength(input.instructions);
}
