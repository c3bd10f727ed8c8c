// The rules of the requests about tasks and hooks, one function each. What a worker brings as a
// result is not checked here: a result that is not sound counts as a failed attempt, which only the
// service can tell of.

import { LIMITS } from "../../domain/limits.ts";
import { isServerWorker } from "../../domain/tasks/task.ts";
import type { ListHooksRequest } from "../../gen/memorysidecar/v1/admin_service.ts";
import { TaskState, TaskType } from "../../gen/memorysidecar/v1/task.ts";
import type {
  CompleteTaskRequest,
  DeleteTaskRequest,
  ExtendLeaseRequest,
  FailTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  PollTasksRequest,
  RetryTaskRequest,
} from "../../gen/memorysidecar/v1/task_service.ts";
import {
  checkCount,
  checkEnum,
  checkId,
  checkNamespace,
  checkPage,
  checkRange,
  checkRequestId,
  checkRequiredText,
  checkSpan,
  checkText,
} from "./fields.ts";
import { checkHookName } from "./policy-summary.ts";
import type { Violations } from "./violations.ts";

const TASKS = { min: 0, max: LIMITS.pollTasks };
const POLL_WAIT = { min: 0, max: LIMITS.pollWaitMs };
const LEASE = { min: LIMITS.leaseMsMin, max: LIMITS.leaseMsMax };
const RETRY_DELAY = { min: 0, max: LIMITS.retryDelayMsMax };

interface TaskRef {
  readonly namespace: string;
  readonly taskId: string;
}

function checkRef(request: TaskRef, v: Violations): void {
  checkNamespace(v, request.namespace);
  // Any text may be asked for: what is not the id of a task is not found.
  if (request.taskId === "") v.add("task_id", "is required");
}

function checkLeaseRef(request: TaskRef & { readonly leaseToken: string }, v: Violations): void {
  checkRef(request, v);
  checkRequiredText(v, "lease_token", request.leaseToken, LIMITS.leaseTokenBytes);
}

export function checkPollTasks(request: PollTasksRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  const { hooks } = request;
  if (hooks.length === 0) v.add("hooks", "must have 1 entry at least", 1);
  checkCount(v, "hooks", hooks.length, LIMITS.pollHooks);
  for (let index = 0; index < hooks.length && !v.full; index++) {
    const hook = hooks[index] ?? "";
    if (hook === "") v.add(`hooks[${index}]`, "is empty");
    else checkHookName(v, `hooks[${index}]`, hook);
  }
  checkRange(v, "max_tasks", request.maxTasks, TASKS);
  checkSpan(v, "wait", request.wait, POLL_WAIT);
  checkSpan(v, "lease", request.lease, LEASE);
  checkText(v, "worker_id", request.workerId, LIMITS.workerIdBytes);
  // Leases of that name are taken for those of a server that has stopped.
  if (isServerWorker(request.workerId)) v.add("worker_id", "is the name of the server itself");
}

export function checkCompleteTask(request: CompleteTaskRequest, v: Violations): void {
  checkLeaseRef(request, v);
  if (request.output === undefined) {
    v.add("output", "summarize, embed, rerank, extract, score or resolve is required");
  }
  checkRequestId(v, request.requestId);
}

export function checkFailTask(request: FailTaskRequest, v: Violations): void {
  checkLeaseRef(request, v);
  checkText(v, "message", request.message, LIMITS.taskFailureBytes);
  checkSpan(v, "retry_delay", request.retryDelay, RETRY_DELAY);
  checkRequestId(v, request.requestId);
}

export function checkExtendLease(request: ExtendLeaseRequest, v: Violations): void {
  checkLeaseRef(request, v);
  checkSpan(v, "lease", request.lease, LEASE);
}

export function checkListTasks(request: ListTasksRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkId(v, "session_id", request.sessionId, LIMITS.sessionIdBytes);
  checkHookName(v, "hook", request.hook);
  checkEnum(v, "type", request.type, TaskType);
  checkEnum(v, "state", request.state, TaskState);
  checkPage(v, request);
}

export function checkGetTask(request: GetTaskRequest, v: Violations): void {
  checkRef(request, v);
}

export function checkRetryTask(request: RetryTaskRequest, v: Violations): void {
  checkRef(request, v);
  checkRequestId(v, request.requestId);
}

export function checkDeleteTask(request: DeleteTaskRequest, v: Violations): void {
  checkRef(request, v);
  checkRequestId(v, request.requestId);
}

export function checkListHooks(request: ListHooksRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkPage(v, request);
}
