import {
  type DeleteTaskRequest,
  DeleteTaskResponse,
} from "../../gen/memorysidecar/v1/task_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** DeleteTask. */
export const deleteTask: UnaryRpc<DeleteTaskRequest> = {
  handle: ({ services }, call, { namespace, taskId, allowMissing }) =>
    services.hooks.deleteTask(call, {
      namespace: fromNamespace(namespace),
      taskId,
      allowMissing,
      encode: () => encodeWire(DeleteTaskResponse, {}),
    }),
};
