import { type FailTaskRequest, FailTaskResponse } from "../../gen/memorysidecar/v1/task_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTaskState } from "../convert/task.ts";
import { fromDuration, toTimestamp } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** FailTask. */
export const failTask: UnaryRpc<FailTaskRequest> = {
  handle: ({ services }, call, request) => {
    const { retryDelay } = request;
    return services.hooks.failTask(call, {
      namespace: fromNamespace(request.namespace),
      taskId: request.taskId,
      leaseToken: request.leaseToken,
      message: request.message,
      permanent: request.permanent,
      retryDelayMs: retryDelay === undefined ? undefined : fromDuration(retryDelay),
      encode: ({ state, dueMs }) =>
        encodeWire(FailTaskResponse, {
          state: toTaskState(state),
          readyTime: state === "ready" ? toTimestamp(dueMs) : undefined,
        }),
    });
  },
};
