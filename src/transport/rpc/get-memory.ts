import {
  type GetMemoryRequest,
  GetMemoryResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toMemory } from "../convert/memory.ts";
import { fromNamespace } from "../convert/session.ts";
import { floorTimestamp } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** GetMemory. */
export const getMemory: UnaryRpc<GetMemoryRequest> = {
  handle: async ({ services, etags }, call, { namespace, memoryId, asOfTime }) => {
    const memory = await services.memories.getMemory(call, {
      namespace: fromNamespace(namespace),
      memoryId,
      asOfMs: asOfTime === undefined ? undefined : floorTimestamp(asOfTime),
    });
    return encodeWire(GetMemoryResponse, { memory: toMemory(memory, etags) });
  },
};
