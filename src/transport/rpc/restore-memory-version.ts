import {
  type RestoreMemoryVersionRequest,
  RestoreMemoryVersionResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toMemory } from "../convert/memory.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** RestoreMemoryVersion. */
export const restoreMemoryVersion: UnaryRpc<RestoreMemoryVersionRequest> = {
  handle: ({ services, etags }, call, { namespace, memoryId, version, etag, reason }) =>
    services.memories.restoreMemoryVersion(call, {
      namespace: fromNamespace(namespace),
      memoryId,
      version: Number(version),
      etag,
      reason,
      encode: ({ memory, revision }) =>
        encodeWire(RestoreMemoryVersionResponse, {
          memory: toMemory(memory, etags),
          revision: BigInt(revision),
        }),
    }),
};
