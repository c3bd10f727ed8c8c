import type { UnaryRpc } from "../edge/rpc.ts";
import {
  type AssembleContextRequest,
  AssembleContextResponse,
} from "../gen/memorysidecar/v1/recall_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { RESPONSE_BYTES_MAX } from "../grpc/splice.ts";
import { formTooLarge } from "../kit/errors.ts";
import { checkAssembleContext } from "./checks.ts";
import { fromAssembleContext, toContext } from "./wire.ts";

/** AssembleContext. */
export const assembleContext: UnaryRpc<AssembleContextRequest> = {
  validate: checkAssembleContext,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const context = await services.memories.assembleContext(call, fromAssembleContext(request));
    const answer = encodeWire(AssembleContextResponse, toContext(context, request.form));
    if (answer.length > RESPONSE_BYTES_MAX) throw formTooLarge(answer.length, RESPONSE_BYTES_MAX);
    return answer;
  },
};
