import {
  type CompleteTaskRequest,
  CompleteTaskResponse,
} from "../../gen/memorysidecar/v1/task_service.ts";
import { fromTaskOutput } from "../convert/hook.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** CompleteTask. */
export const completeTask: UnaryRpc<CompleteTaskRequest> = {
  handle: ({ services }, call, { namespace, taskId, leaseToken, output }) => {
    if (output === undefined) throw new Error("the request was not checked");
    return services.hooks.completeTask(call, {
      namespace: fromNamespace(namespace),
      taskId,
      leaseToken,
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
