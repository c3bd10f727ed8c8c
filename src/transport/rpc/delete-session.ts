import {
  type DeleteSessionRequest,
  DeleteSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** DeleteSession. */
export const deleteSession: UnaryRpc<DeleteSessionRequest> = {
  handle: ({ services }, call, { namespace, sessionId, etag, allowMissing }) =>
    services.sessions.deleteSession(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      etag,
      allowMissing,
      encode: ({ revision }) => encodeWire(DeleteSessionResponse, { revision: BigInt(revision) }),
    }),
};
