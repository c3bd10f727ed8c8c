import {
  type RestoreMemoryRevisionRequest,
  RestoreMemoryRevisionResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toMemory } from "../convert/memory.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkRestoreMemoryRevision } from "../validate/memory-requests.ts";

/** RestoreMemoryRevision. */
export const restoreMemoryRevision: UnaryRpc<RestoreMemoryRevisionRequest> = {
  validate: checkRestoreMemoryRevision,
  handle: ({ services }, call, { namespace, memoryId, revisionNumber, etag, reason }) =>
    services.memories.restoreMemoryRevision(call, {
      namespace: fromNamespace(namespace),
      memoryId,
      revisionNumber,
      etag,
      reason,
      encode: ({ memory, revision }) =>
        encodeWire(RestoreMemoryRevisionResponse, {
          memory: toMemory(memory),
          revision: BigInt(revision),
        }),
    }),
};
