import {
  type AssembleContextRequest,
  AssembleContextResponse,
} from "../../gen/memorysidecar/v1/recall_service.ts";
import { fromAssembleContext, toContext } from "../convert/context.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkAssembleContext } from "../validate/context-requests.ts";

/** AssembleContext. */
export const assembleContext: UnaryRpc<AssembleContextRequest> = {
  validate: checkAssembleContext,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const context = await services.memories.assembleContext(call, fromAssembleContext(request));
    return encodeWire(AssembleContextResponse, toContext(context));
  },
};
