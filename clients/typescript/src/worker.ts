// A worker: does the tasks of a hook with a model of its own.

import { pause } from "./call.ts";
import { onlyOptions } from "./choice.ts";
import { isMemorySidecarError, type KnownErrorReason, MemorySidecarError } from "./errors.ts";
import { EmbeddingPurpose } from "./gen/memorysidecar/v1/document.ts";
import type {
  ExtractInput,
  LeasedTask,
  ResolveInput,
  SummarizeInput,
} from "./gen/memorysidecar/v1/task.ts";
import { backoffMs, DEFAULT_RETRY } from "./retry.ts";
import {
  type FoundInput,
  type OutputInput,
  type PollOptions,
  type ResolutionInput,
  type ResultInput,
  toResult,
  type VectorsInput,
} from "./task-options.ts";
import type { TaskMethods } from "./tasks.ts";

const WAIT_MS = 20_000;
const LEASE_MS = 60_000;
const MESSAGE_CHARS = 256;
// A poll is repeated by the client already: what fails then has failed for a while.
const AWAY_ATTEMPTS = 5;

/** Trying again does not help. */
const FOR_GOOD: readonly KnownErrorReason[] = [
  "HOOK_NOT_CONFIGURED",
  "REQUEST_INVALID",
  "TOKEN_MISSING",
  "TOKEN_INVALID",
];

/**
 * Thrown by a worker's function when trying the task again does not help. The message goes to
 * operators: no content of messages.
 */
export class TaskRefused extends Error {
  override readonly name = "TaskRefused";
}

const WORKS = ["summarize", "embed", "rerank", "extract", "score", "resolve"] as const;

/** The functions of a worker; one at least. */
export interface WorkerFunctions {
  /**
   * Does a task. What it throws gives the task back, to be tried again. The signal is aborted when
   * the task is not the worker's any more.
   */
  readonly summarize?: (
    input: SummarizeInput,
    signal: AbortSignal,
  ) => OutputInput | Promise<OutputInput>;
  /** Makes a vector for each text, for hooks that are to embed. */
  readonly embed?: (
    texts: readonly string[],
    purpose: "query" | "passage",
    signal: AbortSignal,
  ) => VectorsInput | Promise<VectorsInput>;
  /** Says how well each text answers a query, higher is better, for hooks that are to rerank. */
  readonly rerank?: (
    query: string,
    texts: readonly string[],
    signal: AbortSignal,
  ) => readonly number[] | Promise<readonly number[]>;
  /** Finds facts, entities and relations, for hooks that are to extract. */
  readonly extract?: (input: ExtractInput, signal: AbortSignal) => FoundInput | Promise<FoundInput>;
  /** Says how important texts are, 0 to 1, for hooks that are to score. */
  readonly score?: (
    texts: readonly string[],
    signal: AbortSignal,
  ) => readonly number[] | Promise<readonly number[]>;
  /** Settles contradictions, for hooks that are to resolve. */
  readonly resolve?: (
    input: ResolveInput,
    signal: AbortSignal,
  ) => ResolutionInput | Promise<ResolutionInput>;
}

/** Options of a worker. */
export interface WorkerOptions
  extends WorkerFunctions,
    Pick<PollOptions, "namespace" | "workerId"> {
  /** The hook whose tasks it takes, or several. */
  readonly hooks: string | readonly string[];
  /** Lease of a task, in milliseconds; extended while the work goes on. Default 60,000. */
  readonly leaseMs?: number | undefined;
  /** Ends the worker after the task under way. Default: never. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the worker after so many tasks were done. Default: never. */
  readonly maxTasks?: number | undefined;
}

const WORKER_OPTIONS = {
  ...{ hooks: true, leaseMs: true, signal: true, maxTasks: true, namespace: true },
  ...{ workerId: true, summarize: true, embed: true, rerank: true, extract: true },
  ...{ score: true, resolve: true },
} as const;

/**
 * Takes tasks of hooks, one after the other, and does them with a function. Gives how many were
 * done when its signal is aborted. While the server is away it tries again. Fails with a
 * MemorySidecarError that would come again. Run several for several tasks at once.
 */
export async function runWorker(memory: TaskMethods, options: WorkerOptions): Promise<number> {
  onlyOptions("runWorker", options, WORKER_OPTIONS);
  const { maxTasks = Number.POSITIVE_INFINITY, signal } = options;
  if (WORKS.every((work) => options[work] === undefined)) {
    throw new TypeError(`give one of ${WORKS.join(", ")}`);
  }
  let done = 0;
  while (done < maxTasks && signal?.aborted !== true) {
    for (const task of await poll(memory, options)) {
      if (await doTask(memory, task, options)) done += 1;
    }
  }
  return done;
}

async function poll(memory: TaskMethods, options: WorkerOptions): Promise<readonly LeasedTask[]> {
  const { hooks, namespace, workerId, signal, leaseMs = LEASE_MS } = options;
  try {
    return await memory.pollTasks(hooks, { namespace, workerId, leaseMs, signal, waitMs: WAIT_MS });
  } catch (error) {
    if (signal?.aborted) return [];
    if (!(error instanceof MemorySidecarError)) throw error;
    if (FOR_GOOD.some((reason) => isMemorySidecarError(error, reason))) throw error;
    await pause(backoffMs(AWAY_ATTEMPTS, DEFAULT_RETRY), signal).catch(() => {});
    return [];
  }
}

async function doTask(
  memory: TaskMethods,
  task: LeasedTask,
  { leaseMs = LEASE_MS, ...functions }: WorkerOptions,
): Promise<boolean> {
  const lost = new AbortController();
  const keeper = setInterval(() => {
    memory.extendLease(task, { leaseMs }).catch((error: unknown) => {
      const isLost = ["LEASE_LOST", "TASK_NOT_FOUND"] as const;
      if (isLost.some((reason) => isMemorySidecarError(error, reason))) lost.abort(error);
    });
  }, leaseMs / 3);
  try {
    const done = await answer(task, functions, lost.signal);
    if ("message" in done) await memory.failTask(task, done);
    else await memory.completeTask(task, done.output);
    return !("message" in done);
  } catch (error) {
    // The server refused, or was away for long: the lease ends by itself, or ended already.
    if (error instanceof MemorySidecarError) return false;
    throw error;
  } finally {
    clearInterval(keeper);
  }
}

interface Done {
  readonly output: ResultInput;
}

/** The call that does a task; undefined when the worker has no function for it. */
function workOf(
  { input }: LeasedTask,
  { summarize, embed, rerank, extract, score, resolve }: WorkerFunctions,
  signal: AbortSignal,
): (() => ResultInput | Promise<ResultInput>) | undefined {
  if (input?.$case === "summarize") return summarize && (() => summarize(input.value, signal));
  if (input?.$case === "embed") {
    const { texts, purpose } = input.value;
    const name = purpose === EmbeddingPurpose.QUERY ? "query" : "passage";
    return embed && (() => embed(texts, name, signal));
  }
  if (input?.$case === "rerank") {
    const { query, texts } = input.value;
    return rerank && (() => rerank(query, texts, signal));
  }
  if (input?.$case === "extract") return extract && (() => extract(input.value, signal));
  if (input?.$case === "score") return score && (() => score(input.value.texts, signal));
  if (input?.$case === "resolve") return resolve && (() => resolve(input.value, signal));
  return undefined;
}

/** Does the task, or says how it failed. */
async function answer(
  task: LeasedTask,
  functions: WorkerFunctions,
  signal: AbortSignal,
): Promise<Done | { readonly message: string; readonly permanent: boolean }> {
  const work = workOf(task, functions, signal);
  // Another worker of the hook may have one.
  if (work === undefined) {
    return { message: "the worker has no function for the task", permanent: false };
  }
  try {
    const output = await work();
    // A result that is none fails the task, not the worker.
    toResult(task, output);
    return { output };
  } catch (error) {
    const permanent = error instanceof TaskRefused;
    // The name of an error, not its text, which may hold content.
    const message = permanent ? error.message : error instanceof Error ? error.name : "";
    return { message: message.slice(0, MESSAGE_CHARS), permanent };
  }
}
