import { LIMITS } from "../../domain/limits.ts";
import type { PollTasksRequest } from "../../gen/memorysidecar/v1/task_service.ts";
import { encodeLeasedTask } from "../convert/hook.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromOptionalSpan } from "../convert/time.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkPollTasks } from "../validate/task-requests.ts";

const TASKS_FIELD = 1;
const NOTHING = new Uint8Array(0);

/** PollTasks. */
export const pollTasks: UnaryRpc<PollTasksRequest> = {
  validate: checkPollTasks,
  waits: ({ wait }) => fromOptionalSpan(wait, 0) > 0,
  handle: async ({ services }, call, request) => {
    const tasks = await services.hooks.pollTasks(call, {
      namespace: fromNamespace(request.namespace),
      hooks: [...new Set(request.hooks)],
      maxTasks: request.maxTasks === 0 ? 1 : request.maxTasks,
      waitMs: fromOptionalSpan(request.wait, 0),
      leaseMs: fromOptionalSpan(request.lease, LIMITS.leaseMsDefault),
      workerId: request.workerId,
    });
    return spliceField(TASKS_FIELD, tasks.map(encodeLeasedTask), NOTHING);
  },
};
