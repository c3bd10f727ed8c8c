import {
  type ForgetMemoriesRequest,
  ForgetMemoriesResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkForgetMemories } from "../validate/memory-requests.ts";

/** ForgetMemories. */
export const forgetMemories: UnaryRpc<ForgetMemoriesRequest> = {
  validate: checkForgetMemories,
  handle: ({ services }, call, { namespace, memoryIds, etag, allowMissing }) =>
    services.memories.forgetMemories(call, {
      namespace: fromNamespace(namespace),
      memoryIds,
      etag,
      allowMissing,
      encode: ({ forgottenCount, revision }) =>
        encodeWire(ForgetMemoriesResponse, { forgottenCount, revision: BigInt(revision) }),
    }),
};
