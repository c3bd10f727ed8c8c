import type { UnaryRpc } from "../edge/rpc.ts";
import { type ListHooksRequest, ListHooksResponse } from "../gen/memorysidecar/v1/admin_service.ts";
import { HookTask, TaskState, TaskType } from "../gen/memorysidecar/v1/task.ts";
import {
  type CompleteTaskRequest,
  CompleteTaskResponse,
  type DeleteTaskRequest,
  DeleteTaskResponse,
  type ExtendLeaseRequest,
  ExtendLeaseResponse,
  type FailTaskRequest,
  FailTaskResponse,
  type GetTaskRequest,
  GetTaskResponse,
  type ListTasksRequest,
  ListTasksResponse,
  type PollTasksRequest,
  type RetryTaskRequest,
  RetryTaskResponse,
} from "../gen/memorysidecar/v1/task_service.ts";
import { wordsByNumber } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { fillPage, numberPosition, pageLimit } from "../grpc/page-token.ts";
import { spliceField } from "../grpc/splice.ts";
import { fromDuration, fromOptionalSpan, toTimestamp } from "../grpc/time.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { numberOf } from "./list-tasks.ts";
import { isServerWorker } from "./rules/task.ts";
import { encodeLeasedTask, fromTaskOutput, TASK_STATES, toHook, toTask } from "./wire.ts";

const POLLED_TASKS_FIELD = 1;
const NOTHING = new Uint8Array(0);

/** PollTasks. */
export const pollTasks: UnaryRpc<PollTasksRequest> = {
  validate: checkPollTasks,
  waits: ({ wait }) => fromOptionalSpan(wait, 0) > 0,
  handle: async ({ services }, call, request) => {
    const tasks = await services.hooks.pollTasks(call, {
      namespace: request.namespace,
      hooks: [...new Set(request.hooks)],
      maxTasks: request.maxTasks === 0 ? 1 : request.maxTasks,
      waitMs: fromOptionalSpan(request.wait, 0),
      leaseMs: fromOptionalSpan(request.lease, LIMITS.leaseMsDefault),
      workerId: request.workerId,
    });
    return spliceField(POLLED_TASKS_FIELD, tasks.map(encodeLeasedTask), NOTHING);
  },
};

/** CompleteTask. */
export const completeTask: UnaryRpc<CompleteTaskRequest> = {
  handle: ({ services }, call, { namespace, taskId, leaseToken, output }) => {
    if (output === undefined) throw new Error("the request was not checked");
    return services.hooks.completeTask(call, {
      ...{ namespace, taskId, leaseToken },
      output: fromTaskOutput(output),
      encode: ({ revision, summaryVersion, continues }) =>
        encodeWire(CompleteTaskResponse, {
          revision: BigInt(revision),
          summaryVersion: BigInt(summaryVersion),
          continues,
        }),
    });
  },
};

/** FailTask. */
export const failTask: UnaryRpc<FailTaskRequest> = {
  handle: ({ services }, call, request) => {
    const { leaseToken, message, namespace, permanent, retryDelay, taskId } = request;
    return services.hooks.failTask(call, {
      ...{ namespace, taskId, leaseToken, message, permanent },
      retryDelayMs: retryDelay === undefined ? undefined : fromDuration(retryDelay),
      encode: ({ state, dueMs }) =>
        encodeWire(FailTaskResponse, {
          state: TASK_STATES[state],
          readyTime: state === "ready" ? toTimestamp(dueMs) : undefined,
        }),
    });
  },
};

/** ExtendLease. */
export const extendLease: UnaryRpc<ExtendLeaseRequest> = {
  handle: async ({ services }, call, { namespace, taskId, leaseToken, lease }) => {
    const expireMs = await services.hooks.extendLease(call, {
      ...{ namespace, taskId, leaseToken },
      leaseMs: fromOptionalSpan(lease, LIMITS.leaseMsDefault),
    });
    return encodeWire(ExtendLeaseResponse, { expireTime: toTimestamp(expireMs) });
  },
};

/** GetTask. */
export const getTask: UnaryRpc<GetTaskRequest> = {
  handle: async ({ services }, call, { namespace, taskId }) => {
    const ref = { namespace, taskId };
    return encodeWire(GetTaskResponse, { task: toTask(await services.hooks.getTask(call, ref)) });
  },
};

const PAGE_SIZE_DEFAULT = 100;
const TASKS_FIELD = 1;
const STATES = wordsByNumber(TaskState, undefined);
const TYPES = wordsByNumber(TaskType, undefined);

/** ListTasks. The position of a page token is the number of the last task. */
export const listTasks: UnaryRpc<ListTasksRequest> = {
  handle: async ({ services, pageTokens }, call, { sessionId, hook, pageToken, ...request }) => {
    const state = STATES[request.state];
    const type = TYPES[request.type];
    const page = await services.hooks.listTasks(call, {
      namespace: request.namespace,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(hook === undefined ? {} : { hook }),
      ...(type === undefined ? {} : { type }),
      ...(state === undefined ? {} : { state }),
      ...pageTokens.read(call, pageToken, (at) => ({ after: numberPosition(at) })),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const tasks = fillPage(page.tasks, (info) => encodeWire(HookTask, toTask(info)));
    const last = tasks.length < page.tasks.length ? page.tasks[tasks.length - 1] : undefined;
    const next = last === undefined ? page.next : numberOf(last);
    const nextPageToken = pageTokens.make(call, next);
    const rest = encodeWire(ListTasksResponse, { tasks: [], nextPageToken });
    return spliceField(TASKS_FIELD, tasks, rest);
  },
};

/** RetryTask. */
export const retryTask: UnaryRpc<RetryTaskRequest> = {
  handle: ({ services }, call, { namespace, taskId }) =>
    services.hooks.retryTask(call, {
      ...{ namespace, taskId },
      encode: (info) => encodeWire(RetryTaskResponse, { task: toTask(info) }),
    }),
};

/** DeleteTask. */
export const deleteTask: UnaryRpc<DeleteTaskRequest> = {
  handle: ({ services }, call, { namespace, taskId, allowMissing }) =>
    services.hooks.deleteTask(call, {
      ...{ namespace, taskId, allowMissing },
      encode: () => encodeWire(DeleteTaskResponse, {}),
    }),
};

const HOOK_PAGE_SIZE_DEFAULT = 100;

/** ListHooks. The position of a page token is the last name of the page before. */
export const listHooks: UnaryRpc<ListHooksRequest> = {
  handle: async ({ services, pageTokens }, call, { namespace, pageSize, pageToken }) => {
    const { hooks, next } = await services.hooks.listHooks(call, {
      namespace,
      after: pageTokens.read(call, pageToken, String) ?? "",
      limit: pageLimit(pageSize, HOOK_PAGE_SIZE_DEFAULT),
    });
    return encodeWire(ListHooksResponse, {
      hooks: hooks.map(toHook),
      nextPageToken: pageTokens.make(call, next),
    });
  },
};

// Validation of task requests. A worker's result is not checked here: an invalid result counts as a
// failed attempt, which only the service can report.

export function checkPollTasks({ workerId }: PollTasksRequest, v: Violations): void {
  // A lease with that name would count as one of a stopped server.
  if (isServerWorker(workerId)) v.add("worker_id", "is the name of the server itself");
}
