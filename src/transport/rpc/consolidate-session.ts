import { takeIds } from "../../domain/id-list.ts";
import {
  type ConsolidateSessionRequest,
  ConsolidateSessionResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { memoryIdRoom } from "../convert/remember.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** ConsolidateSession. */
export const consolidateSession: UnaryRpc<ConsolidateSessionRequest> = {
  cancelable: true,
  handle: ({ services }, call, { namespace, sessionId }) =>
    services.memories.consolidateSession(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      encode: ({ promotedIds, evictedIds, revision }) => {
        const room = memoryIdRoom();
        return encodeWire(ConsolidateSessionResponse, {
          promotedMemoryIds: takeIds(promotedIds, room),
          evictedMemoryIds: takeIds(evictedIds, room),
          revision: BigInt(revision),
        });
      },
    }),
};
