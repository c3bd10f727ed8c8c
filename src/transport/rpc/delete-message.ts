import {
  type DeleteMessageRequest,
  DeleteMessageResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTotals, toTrim } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** DeleteMessage. */
export const deleteMessage: UnaryRpc<DeleteMessageRequest> = {
  handle: ({ services }, call, request) =>
    services.sessions.deleteMessage(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      messageId: request.messageId,
      etag: request.etag,
      allowMissing: request.allowMissing,
      encode: ({ revision, trims, window }) =>
        encodeWire(DeleteMessageResponse, {
          revision: BigInt(revision),
          trims: trims.map(toTrim),
          windowTotals: toTotals(window),
        }),
    }),
};
