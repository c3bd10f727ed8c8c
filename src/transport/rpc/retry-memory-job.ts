import {
  type RetryMemoryJobRequest,
  RetryMemoryJobResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromJobType, toMemoryJob } from "../convert/memory-job.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkRetryMemoryJob } from "../validate/memory-query-requests.ts";

/** RetryMemoryJob. */
export const retryMemoryJob: UnaryRpc<RetryMemoryJobRequest> = {
  validate: checkRetryMemoryJob,
  handle: ({ services }, call, { namespace, sessionId, type, discard }) =>
    services.memories.retryMemoryJob(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      type: fromJobType(type),
      discard,
      encode: (job) =>
        encodeWire(RetryMemoryJobResponse, {
          job: job === undefined ? undefined : toMemoryJob(job),
        }),
    }),
};
