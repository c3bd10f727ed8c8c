import { type GetTaskRequest, GetTaskResponse } from "../../gen/memorysidecar/v1/task_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTask } from "../convert/task.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** GetTask. */
export const getTask: UnaryRpc<GetTaskRequest> = {
  handle: async ({ services }, call, { namespace, taskId }) => {
    const ref = { namespace: fromNamespace(namespace), taskId };
    return encodeWire(GetTaskResponse, { task: toTask(await services.hooks.getTask(call, ref)) });
  },
};
