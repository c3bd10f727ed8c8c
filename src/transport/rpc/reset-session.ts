import {
  type ResetSessionRequest,
  ResetSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace, toSession } from "../convert/session.ts";
import { toTotals } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** ResetSession. */
export const resetSession: UnaryRpc<ResetSessionRequest> = {
  handle: ({ services, etags }, call, request) =>
    services.sessions.resetSession(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      keepSystemMessages: request.keepSystemMessages,
      keepFirstSystemMessage: request.keepFirstSystemMessage,
      keepSummary: request.keepSummary,
      etag: request.etag,
      encode: ({ session, deleted }) =>
        encodeWire(ResetSessionResponse, {
          session: toSession(session, etags),
          deletedTotals: toTotals(deleted),
        }),
    }),
};
