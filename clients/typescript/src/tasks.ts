// The methods of the client for summaries, tasks, hooks and erasures.

import {
  CALL_OPTIONS,
  type CallOptions,
  given,
  MUTATION_OPTIONS,
  type MutationOptions,
} from "./call.ts";
import { choice, conditions, fieldsOf, onlyFields, onlyOptions, whole } from "./choice.ts";
import { ERASE_OPTIONS, type EraseOptions, type SubjectInput, toSubject } from "./erase.ts";
import {
  AdminServiceService,
  type BackUpResponse,
  BackUpTarget,
  type CompactStoreResponse,
  type Erasure,
  type Hook,
} from "./gen/memorysidecar/v1/admin_service.ts";
import type { Message } from "./gen/memorysidecar/v1/message.ts";
import { Summarize } from "./gen/memorysidecar/v1/policy.ts";
import {
  CompactSessionRequest,
  type CompactSessionResponse,
  SessionServiceService as Sessions,
} from "./gen/memorysidecar/v1/session_service.ts";
import { type Summary, SummaryOrder } from "./gen/memorysidecar/v1/summary.ts";
import {
  type HookTask,
  type LeasedTask,
  TaskState,
  TaskType,
} from "./gen/memorysidecar/v1/task.ts";
import {
  type CompleteTaskResponse,
  type FailTaskResponse,
  PollTasksRequest,
  TaskServiceService as TaskRpcs,
} from "./gen/memorysidecar/v1/task_service.ts";
import { MemoryMethods } from "./memories.ts";
import { LIST_OPTIONS, type SummaryChoice } from "./options.ts";
import { collect, walkPages } from "./pages.ts";
import { toSummaryChoice } from "./requests.ts";
import * as options from "./task-options.ts";
import { TASK_STATES, TASK_TYPES, toResult, waitingFor } from "./task-options.ts";
import { toDuration } from "./time.ts";

/** Options of a back-up. */
export interface BackUpOptions extends CallOptions {
  /** Sends the bytes of the data file to the caller. Default false: a directory of the server. */
  readonly stream?: boolean | undefined;
  /** Limit of the copy, in bytes per second. Default: the setting of the server. */
  readonly maxBytesPerSecond?: number | undefined;
}

const SUMMARIZE_FIELDS = fieldsOf(Summarize.fromPartial({}));
const BACK_UP_OPTIONS = { ...CALL_OPTIONS, stream: true, maxBytesPerSecond: true } as const;
const EXTEND_LEASE_OPTIONS = { ...CALL_OPTIONS, leaseMs: true } as const;
const DELETE_TASK_OPTIONS = { ...MUTATION_OPTIONS, allowMissing: true } as const;

/** Part of a back-up: progress, a chunk of bytes, or the back-up. */
export type BackUpPart = NonNullable<BackUpResponse["part"]>;

/** Part of a compaction: progress, or the finished compaction. */
export type CompactStorePart = NonNullable<CompactStoreResponse["part"]>;

/** Summaries, tasks, hooks and erasures. */
export class TaskMethods extends MemoryMethods {
  /** Has a hook summarize messages of the window now, and waits for it if asked to. */
  compactSession(
    sessionId: string,
    choice: SummaryChoice,
    opts: options.CompactOptions = {},
  ): Promise<CompactSessionResponse> {
    onlyOptions("compactSession", opts, options.COMPACT_OPTIONS);
    const { waitMs = 0, summarize } = opts;
    if (summarize !== undefined) onlyFields("summarize option", summarize, SUMMARIZE_FIELDS);
    const request = CompactSessionRequest.fromPartial({
      ...this.change(opts),
      sessionId,
      choice: toSummaryChoice(choice),
      summarize,
      wait: toDuration(waitMs),
    });
    return this.call(Sessions.compactSession, request, waitingFor(waitMs, opts));
  }

  /** Lists the summaries that a session has had, the newest first. */
  listSummaries(
    sessionId: string,
    opts: options.ListSummariesOptions = {},
  ): AsyncGenerator<Summary, void, undefined> {
    onlyOptions("listSummaries", opts, options.LIST_SUMMARIES_OPTIONS);
    const { currentOnly = false, order, pageSize = 0 } = opts;
    return walkPages(async (pageToken) => {
      const which = {
        currentOnly,
        order: order === "oldest-first" ? SummaryOrder.VERSION_ASC : SummaryOrder.VERSION_DESC,
      };
      const request = { ...this.session(sessionId, opts), ...which, pageSize, pageToken };
      const page = await this.call(Sessions.listSummaries, request, opts);
      return { items: page.summaries, nextPageToken: page.nextPageToken };
    });
  }

  /** Lists the messages that a summary stands for, oldest first. */
  listSummarySources(
    sessionId: string,
    version: number | bigint,
    opts: options.PageOptions = {},
  ): AsyncGenerator<Message, void, undefined> {
    onlyOptions("listSummarySources", opts, LIST_OPTIONS);
    const { pageSize = 0 } = opts;
    return walkPages(async (pageToken) => {
      const at = { ...this.session(sessionId, opts), version: whole(version) };
      const request = { ...at, pageSize, pageToken };
      const page = await this.call(Sessions.listSummarySources, request, opts);
      return { items: page.messages, nextPageToken: page.nextPageToken };
    });
  }

  /** Takes tasks of hooks that are polled; none when none came. `runWorker` does it for you. */
  async pollTasks(
    hooks: string | readonly string[],
    opts: options.PollOptions = {},
  ): Promise<LeasedTask[]> {
    onlyOptions("pollTasks", opts, options.POLL_OPTIONS);
    const { maxTasks = 1, waitMs = 0, leaseMs, workerId = "" } = opts;
    const request = PollTasksRequest.fromPartial({
      namespace: this.at(opts),
      hooks: typeof hooks === "string" ? [hooks] : [...hooks],
      maxTasks,
      wait: toDuration(waitMs),
      lease: leaseMs === undefined ? undefined : toDuration(leaseMs),
      workerId,
    });
    return (await this.call(TaskRpcs.pollTasks, request, waitingFor(waitMs, opts))).tasks;
  }

  /**
   * Brings the result of a task: a text or a `SummarizeOutput` for a summary, a vector for each
   * text to embed, a score for each text to rerank.
   */
  completeTask(
    task: LeasedTask,
    output: options.ResultInput,
    opts: MutationOptions = {},
  ): Promise<CompleteTaskResponse> {
    onlyOptions("completeTask", opts, MUTATION_OPTIONS);
    const request = { ...this.#held(task, opts), output: toResult(task, output) };
    return this.call(TaskRpcs.completeTask, request, opts);
  }

  /** Gives a task back as failed. */
  failTask(task: LeasedTask, opts: options.FailOptions = {}): Promise<FailTaskResponse> {
    onlyOptions("failTask", opts, options.FAIL_OPTIONS);
    const { message = "", permanent = false, retryDelayMs } = opts;
    const retryDelay = retryDelayMs === undefined ? undefined : toDuration(retryDelayMs);
    const request = { ...this.#held(task, opts), message, permanent, retryDelay };
    return this.call(TaskRpcs.failTask, request, opts);
  }

  /** Keeps a task longer; gives until when. */
  async extendLease(
    task: LeasedTask,
    opts: CallOptions & { readonly leaseMs?: number } = {},
  ): Promise<Date> {
    onlyOptions("extendLease", opts, EXTEND_LEASE_OPTIONS);
    const { requestId: _none, ...held } = this.#held(task, opts);
    const lease = opts.leaseMs === undefined ? undefined : toDuration(opts.leaseMs);
    const answer = await this.call(TaskRpcs.extendLease, { ...held, lease }, opts);
    return given(answer.expireTime);
  }

  /** Lists the durable tasks of the namespace, the oldest first. */
  listTasks(opts: options.ListTasksOptions = {}): AsyncGenerator<HookTask, void, undefined> {
    onlyOptions("listTasks", opts, options.LIST_TASKS_OPTIONS);
    const { sessionId, hook, type, state, pageSize = 0 } = opts;
    return walkPages(async (pageToken) => {
      const filter = {
        ...conditions({ sessionId, hook }),
        type: type === undefined ? TaskType.UNSPECIFIED : choice("type", TASK_TYPES, type),
        state: state === undefined ? TaskState.UNSPECIFIED : choice("state", TASK_STATES, state),
      };
      const request = { namespace: this.at(opts), ...filter, pageSize, pageToken };
      const page = await this.call(TaskRpcs.listTasks, request, opts);
      return { items: page.tasks, nextPageToken: page.nextPageToken };
    });
  }

  /** Gets one task. */
  async getTask(taskId: string, opts: CallOptions = {}): Promise<HookTask> {
    onlyOptions("getTask", opts, CALL_OPTIONS);
    const request = { namespace: this.at(opts), taskId };
    return given((await this.call(TaskRpcs.getTask, request, opts)).task);
  }

  /** Makes a dead or delayed task ready now, with all its attempts. */
  async retryTask(taskId: string, opts: MutationOptions = {}): Promise<HookTask> {
    onlyOptions("retryTask", opts, MUTATION_OPTIONS);
    const request = { ...this.change(opts), taskId };
    return given((await this.call(TaskRpcs.retryTask, request, opts)).task);
  }

  /** Deletes a task without doing it. */
  async deleteTask(
    taskId: string,
    opts: MutationOptions & { readonly allowMissing?: boolean } = {},
  ): Promise<void> {
    onlyOptions("deleteTask", opts, DELETE_TASK_OPTIONS);
    const request = { ...this.change(opts), taskId, allowMissing: opts.allowMissing ?? false };
    await this.call(TaskRpcs.deleteTask, request, opts);
  }

  /** Lists the hooks of the server, with the use of the namespace's budgets. */
  async listHooks(opts: CallOptions = {}): Promise<Hook[]> {
    onlyOptions("listHooks", opts, CALL_OPTIONS);
    const pages = walkPages(async (pageToken) => {
      const request = { namespace: this.at(opts), pageSize: 0, pageToken };
      const page = await this.call(AdminServiceService.listHooks, request, opts);
      return { items: page.hooks, nextPageToken: page.nextPageToken };
    });
    return await collect(pages);
  }

  /**
   * Makes a back-up of the store, in the directory of back-ups that the operator named unless
   * `stream` asks for its bytes. Yields its progress, its chunks, and the back-up as the last part.
   * The call begins with the first part, and its time is for all of them.
   */
  async *backUp(opts: BackUpOptions = {}): AsyncGenerator<BackUpPart, void, undefined> {
    onlyOptions("backUp", opts, BACK_UP_OPTIONS);
    const { stream = false, maxBytesPerSecond = 0 } = opts;
    const target = stream ? BackUpTarget.STREAM : BackUpTarget.DIRECTORY;
    const request = { target, maxBytesPerSecond: whole(maxBytesPerSecond) };
    for await (const { part } of this.stream(AdminServiceService.backUp, request, opts)) {
      yield given(part);
    }
  }

  /**
   * Compacts the store while it is served. Yields its progress, and the compaction as the last
   * part. The call begins with the first part, and its time is for all of them.
   */
  async *compactStore(opts: CallOptions = {}): AsyncGenerator<CompactStorePart, void, undefined> {
    onlyOptions("compactStore", opts, CALL_OPTIONS);
    for await (const { part } of this.stream(AdminServiceService.compactStore, {}, opts)) {
      yield given(part);
    }
  }

  /**
   * Erases everything that is kept of a user, an agent, a session, a document, or messages of a
   * session. Returns the receipt as soon as the work is begun: `getErasure` tells when it is done.
   */
  async eraseSubject(subject: SubjectInput, opts: EraseOptions = {}): Promise<Erasure> {
    onlyOptions("eraseSubject", opts, ERASE_OPTIONS);
    const { dryRun = false } = opts;
    const request = { ...this.change(opts), subject: toSubject(subject), dryRun };
    return given((await this.call(AdminServiceService.eraseSubject, request, opts)).erasure);
  }

  /** Gets the receipt of an erasure. */
  async getErasure(erasureId: string, opts: CallOptions = {}): Promise<Erasure> {
    onlyOptions("getErasure", opts, CALL_OPTIONS);
    const request = { namespace: this.at(opts), erasureId };
    return given((await this.call(AdminServiceService.getErasure, request, opts)).erasure);
  }

  #held(leased: LeasedTask, opts: MutationOptions) {
    const task = given(leased.task);
    const { requestId } = this.change(opts);
    const namespace = opts.namespace ?? task.namespace;
    return { namespace, requestId, taskId: task.taskId, leaseToken: leased.leaseToken };
  }
}
