import { LIMITS } from "../../domain/limits.ts";
import {
  type ExtendLeaseRequest,
  ExtendLeaseResponse,
} from "../../gen/memorysidecar/v1/task_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromOptionalSpan, toTimestamp } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** ExtendLease. */
export const extendLease: UnaryRpc<ExtendLeaseRequest> = {
  handle: async ({ services }, call, { namespace, taskId, leaseToken, lease }) => {
    const expireMs = await services.hooks.extendLease(call, {
      namespace: fromNamespace(namespace),
      taskId,
      leaseToken,
      leaseMs: fromOptionalSpan(lease, LIMITS.leaseMsDefault),
    });
    return encodeWire(ExtendLeaseResponse, { expireTime: toTimestamp(expireMs) });
  },
};
