import type { UnaryRpc } from "../edge/rpc.ts";
import {
  type AssembleContextRequest,
  AssembleContextResponse,
} from "../gen/memorysidecar/v1/recall_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { checkAssembleContext } from "./checks.ts";
import { fromAssembleContext, toContext } from "./wire.ts";

/** AssembleContext. */
export const assembleContext: UnaryRpc<AssembleContextRequest> = {
  validate: checkAssembleContext,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const context = await services.memories.assembleContext(call, fromAssembleContext(request));
    return encodeWire(AssembleContextResponse, toContext(context));
  },
};
