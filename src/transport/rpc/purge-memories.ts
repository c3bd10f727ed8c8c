import {
  type PurgeMemoriesRequest,
  PurgeMemoriesResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromWholeFilter } from "../convert/memory-filter.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkPurgeMemories } from "../validate/memory-requests.ts";

/** PurgeMemories. */
export const purgeMemories: UnaryRpc<PurgeMemoriesRequest> = {
  validate: checkPurgeMemories,
  handle: ({ services }, call, { namespace, filter, force }) =>
    services.memories.purgeMemories(call, {
      namespace: fromNamespace(namespace),
      filter: fromWholeFilter(filter),
      force,
      encode: ({ memoryCount, sampleIds, more, revision }) =>
        encodeWire(PurgeMemoriesResponse, {
          memoryCount,
          sampleMemoryIds: [...sampleIds],
          more,
          revision: BigInt(revision),
        }),
    }),
};
