// The rules of the requests about tasks. What a worker brings as a result is not checked with the
// request: a result that is not sound counts as a failed attempt, which only the service can tell
// of.

import { isServerWorker } from "../../domain/tasks/task.ts";
import type { PollTasksRequest } from "../../gen/memorysidecar/v1/task_service.ts";
import type { Violations } from "./violations.ts";

export function checkPollTasks({ workerId }: PollTasksRequest, v: Violations): void {
  // Leases of that name are taken for those of a server that has stopped.
  if (isServerWorker(workerId)) v.add("worker_id", "is the name of the server itself");
}
