import {
  type UpdateMemoryRequest,
  UpdateMemoryResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toMemory, toMemoryDraft } from "../convert/memory.ts";
import { memoryPaths } from "../convert/memory-paths.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkUpdateMemory, requiredMemory } from "../validate/memory-requests.ts";

/** UpdateMemory. */
export const updateMemory: UnaryRpc<UpdateMemoryRequest> = {
  validate: checkUpdateMemory,
  handle: ({ services, etags }, call, request) => {
    const given = requiredMemory(request);
    return services.memories.updateMemory(call, {
      namespace: fromNamespace(request.namespace),
      memoryId: given.memoryId,
      draft: toMemoryDraft(given),
      paths: memoryPaths(given, request.updateMask),
      reason: request.reason,
      encode: ({ memory, revision }) =>
        encodeWire(UpdateMemoryResponse, {
          memory: toMemory(memory, etags),
          revision: BigInt(revision),
        }),
    });
  },
};
