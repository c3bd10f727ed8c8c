import {
  type RetryTaskRequest,
  RetryTaskResponse,
} from "../../gen/memorysidecar/v1/task_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTask } from "../convert/task.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** RetryTask. */
export const retryTask: UnaryRpc<RetryTaskRequest> = {
  handle: ({ services }, call, { namespace, taskId }) =>
    services.hooks.retryTask(call, {
      namespace: fromNamespace(namespace),
      taskId,
      encode: (info) => encodeWire(RetryTaskResponse, { task: toTask(info) }),
    }),
};
