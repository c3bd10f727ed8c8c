import {
  type MergeEntitiesRequest,
  MergeEntitiesResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toMemory } from "../convert/memory.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkMergeEntities } from "../validate/memory-requests.ts";

/** MergeEntities. */
export const mergeEntities: UnaryRpc<MergeEntitiesRequest> = {
  validate: checkMergeEntities,
  handle: ({ services, etags }, call, { namespace, targetMemoryId, sourceMemoryIds, reason }) =>
    services.memories.mergeEntities(call, {
      namespace: fromNamespace(namespace),
      targetMemoryId,
      sourceMemoryIds,
      reason,
      encode: ({ memory, revision }) =>
        encodeWire(MergeEntitiesResponse, {
          entity: toMemory(memory, etags),
          revision: BigInt(revision),
        }),
    }),
};
