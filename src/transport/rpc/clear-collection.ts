import {
  type ClearCollectionRequest,
  ClearCollectionResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** ClearCollection. */
export const clearCollection: UnaryRpc<ClearCollectionRequest> = {
  handle: ({ services }, call, { namespace, collectionId }) =>
    services.recall.clearCollection(call, {
      namespace: fromNamespace(namespace),
      collectionId,
      encode: ({ deletedCount, revision }) =>
        encodeWire(ClearCollectionResponse, {
          deletedCount: BigInt(deletedCount),
          revision: BigInt(revision),
        }),
    }),
};
